//! Transfers over streams: sends, and requests with answers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use bytes::Bytes;
use parshall_sim::units::Time;
use quinn_proto::{
    Connection, Dir, Event, FinishError, ReadError, ReadableError, StreamEvent, StreamId, WriteError,
};

use super::Application;

/// Bytes of a transfer that does not end.
pub const UNBOUNDED: u64 = u64::MAX;

/// Content of streams, of which only the length matters.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// Bytes at the beginning of a request that tell the length of its answer.
const PREFIX: u64 = 8;

/// A transfer of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransferId(pub(super) usize);

/// A transfer that this side begins.
#[derive(Debug)]
pub(super) struct Transfer {
    pub at: Time,
    pub bytes: u64,
    /// Bytes of the answer, if it is a request.
    pub answer: Option<u64>,
    priority: i32,
    pub stream: Option<StreamId>,
    is_done: bool,
}

/// Bytes to write on a stream.
#[derive(Debug)]
struct Outgoing {
    prefix: Option<[u8; PREFIX as usize]>,
    written: u64,
    bytes: u64,
}

/// Bytes read from a stream.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Received {
    pub bytes: u64,
    prefix: [u8; PREFIX as usize],
    pub finished: Option<Time>,
}

/// The application that a side has by itself.
#[derive(Debug, Default)]
pub(super) struct Transfers {
    pub list: Vec<Transfer>,
    /// Those that have not begun.
    waiting: BTreeSet<(Time, usize)>,
    by_stream: BTreeMap<StreamId, usize>,
    outgoing: BTreeMap<StreamId, Outgoing>,
    pub received: BTreeMap<StreamId, Received>,
    undone: usize,
    is_connected: bool,
    worked_at: Time,
    pub count_from: Time,
    /// Bytes received, and those of them that count for the goodput.
    pub bytes: u64,
    pub counted: u64,
}

impl Transfers {
    pub fn add(&mut self, at: Time, bytes: u64, answer: Option<u64>) -> TransferId {
        let number = self.list.len();
        let bytes = if answer.is_some() { bytes.max(PREFIX) } else { bytes };
        self.list.push(Transfer { at, bytes, answer, priority: 0, stream: None, is_done: false });
        self.waiting.insert((at, number));
        self.undone += 1;
        TransferId(number)
    }

    pub fn set_priority(&mut self, TransferId(number): TransferId, priority: i32) {
        self.list[number].priority = priority;
    }

    /// Begins what is due, as far as the other side allows streams.
    fn begin(&mut self, connection: &mut Connection) -> Result<(), String> {
        let due: Vec<_> = self.waiting.iter().copied().take_while(|&(at, _)| at <= self.worked_at).collect();
        let mut is_blocked = [false; 2];
        for (at, number) in due {
            let transfer = &mut self.list[number];
            let dir = if transfer.answer.is_some() { Dir::Bi } else { Dir::Uni };
            if is_blocked[dir as usize] {
                continue;
            }
            let Some(id) = connection.streams().open(dir) else {
                is_blocked[dir as usize] = true;
                continue;
            };
            self.waiting.remove(&(at, number));
            transfer.stream = Some(id);
            let opened = connection.send_stream(id).set_priority(transfer.priority);
            opened.map_err(|fault| format!("stream {id}: {fault}"))?;
            let prefix = transfer.answer.map(u64::to_be_bytes);
            self.outgoing.insert(id, Outgoing { prefix, written: 0, bytes: transfer.bytes });
            self.by_stream.insert(id, number);
            if dir == Dir::Bi {
                self.received.insert(id, Received::default());
            }
            self.write(connection, id)?;
        }
        Ok(())
    }

    /// Writes as much as the stream takes.
    fn write(&mut self, connection: &mut Connection, id: StreamId) -> Result<(), String> {
        let Some(outgoing) = self.outgoing.get_mut(&id) else { return Ok(()) };
        let mut stream = connection.send_stream(id);
        while outgoing.written < outgoing.bytes {
            match stream.write_chunks(&mut [outgoing.chunk()]) {
                Ok(written) => outgoing.written += written.bytes as u64,
                Err(WriteError::Blocked) => return Ok(()),
                Err(fault) => return Err(format!("stream {id}: {fault}")),
            }
        }
        self.outgoing.remove(&id);
        match stream.finish() {
            Ok(()) | Err(FinishError::ClosedStream) => Ok(()),
            Err(fault) => Err(format!("stream {id}: {fault}")),
        }
    }

    /// Reads what the stream has, and answers a request that is whole.
    fn read(&mut self, connection: &mut Connection, id: StreamId) -> Result<(), String> {
        let Some(received) = self.received.get_mut(&id) else { return Ok(()) };
        let before = received.bytes;
        let mut stream = connection.recv_stream(id);
        let mut chunks = match stream.read(true) {
            Ok(chunks) => chunks,
            Err(ReadableError::ClosedStream) => return Ok(()),
            Err(fault) => return Err(format!("stream {id}: {fault}")),
        };
        let ended = loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => received.add(&chunk.bytes),
                Ok(None) => break Ok(true),
                Err(ReadError::Blocked) => break Ok(false),
                Err(fault) => break Err(format!("stream {id}: {fault}")),
            }
        };
        // What it says to send is sent anyway.
        let _ = chunks.finalize();
        let bytes = received.bytes - before;
        self.bytes += bytes;
        self.counted += if self.worked_at >= self.count_from { bytes } else { 0 };
        if ended? {
            received.finished = Some(self.worked_at);
            let answer = u64::from_be_bytes(received.prefix);
            self.ended(connection, id, answer)?;
        }
        Ok(())
    }

    /// A stream has been read to its end.
    fn ended(&mut self, connection: &mut Connection, id: StreamId, answer: u64) -> Result<(), String> {
        if self.by_stream.contains_key(&id) {
            self.done(id);
        } else if id.dir() == Dir::Bi {
            self.outgoing.insert(id, Outgoing { prefix: None, written: 0, bytes: answer });
            self.write(connection, id)?;
        }
        Ok(())
    }

    fn done(&mut self, id: StreamId) {
        let Some(&number) = self.by_stream.get(&id) else { return };
        if !std::mem::replace(&mut self.list[number].is_done, true) {
            self.undone -= 1;
        }
    }

    fn handle(&mut self, connection: &mut Connection, event: &StreamEvent) -> Result<(), String> {
        match *event {
            StreamEvent::Opened { dir } => {
                while let Some(id) = connection.streams().accept(dir) {
                    self.received.insert(id, Received::default());
                    self.read(connection, id)?;
                }
            }
            StreamEvent::Readable { id } => self.read(connection, id)?,
            StreamEvent::Writable { id } => self.write(connection, id)?,
            // A send is done with the acknowledgement of its end, a request with the end of its answer.
            StreamEvent::Finished { id } if id.dir() == Dir::Uni => self.done(id),
            StreamEvent::Stopped { id, error_code } => {
                return Err(format!("stream {id}: stopped by the other side with code {error_code}"));
            }
            StreamEvent::Finished { .. } | StreamEvent::Available { .. } => {}
        }
        Ok(())
    }
}

impl Application for Transfers {
    fn work(&mut self, now: Time, connection: &mut Connection, events: &[Event]) -> Result<(), String> {
        self.worked_at = now;
        for event in events {
            match event {
                Event::Connected => self.is_connected = true,
                Event::Stream(event) => self.handle(connection, event)?,
                _ => {}
            }
        }
        if self.is_connected {
            self.begin(connection)?;
        }
        Ok(())
    }

    fn timer(&self) -> Option<Time> {
        // What is due and has not begun waits for the connection, not for the clock.
        let later = (Bound::Excluded((self.worked_at, usize::MAX)), Bound::Unbounded);
        self.waiting.range(later).next().map(|&(at, _)| at)
    }

    fn is_done(&self) -> bool {
        self.undone == 0 && self.outgoing.is_empty()
    }
}

impl Outgoing {
    /// The next bytes to write.
    fn chunk(&self) -> Bytes {
        let left = (self.bytes - self.written).min(ZEROS.len() as u64) as usize;
        match &self.prefix {
            Some(prefix) if self.written < PREFIX => Bytes::copy_from_slice(&prefix[self.written as usize..]),
            _ => Bytes::from_static(&ZEROS[..left]),
        }
    }
}

impl Received {
    fn add(&mut self, bytes: &[u8]) {
        let known = self.bytes.min(PREFIX) as usize;
        let missing = &mut self.prefix[known..];
        let taken = missing.len().min(bytes.len());
        missing[..taken].copy_from_slice(&bytes[..taken]);
        self.bytes += bytes.len() as u64;
    }
}
