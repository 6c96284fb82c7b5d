//! Frames out of a capture file: pcap and pcapng of all kinds, by the crate `pcap-parser`, and as gzip or zstd has them.

mod blocks;

use std::fmt;
use std::io::{self, BufReader, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use pcap_parser::traits::PcapReaderIterator;
use pcap_parser::{create_reader, PcapError};

use crate::decode::Frame;
use blocks::Blocks;

/// Bytes that are read at once, at first.
const CAPACITY: usize = 1 << 18;

/// Longest record that is read. The longest that programs write are 256 KiB; a damaged length asks for gigabytes.
const LONGEST_RECORD: usize = 1 << 26;

/// A file that cannot be read as a capture.
#[derive(Debug)]
pub enum SourceError {
    /// The system could not read it.
    Io(io::Error),
    /// No capture begins like this; empty files, too.
    NotACapture,
}

impl fmt::Display for SourceError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(to, "{error}"),
            Self::NotACapture => write!(to, "neither pcap nor pcapng"),
        }
    }
}

impl std::error::Error for SourceError {}

/// End of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Behind a whole record.
    Whole,
    /// In the middle of a record, or of what the compression had packed.
    Cut,
    /// At a record that makes no sense.
    Damaged,
}

/// Counts what passes, and keeps the error that the parser would lose.
struct Tap<R> {
    inner: R,
    count: Arc<AtomicU64>,
    failed: bool,
}

impl<R: Read> Read for Tap<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.inner.read(buffer) {
                Ok(read) => {
                    self.count.fetch_add(read as u64, Ordering::Relaxed);
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Compression that ends early is a cut file: what came before counts.
                Err(_) if !self.failed => {
                    self.failed = true;
                    return Ok(0);
                }
                Err(_) => return Ok(0),
            }
        }
    }
}

/// Puts bytes that were read already in front of the rest, in one piece with what follows: the parser wants a whole
/// header at once.
struct Prefixed<R> {
    prefix: Vec<u8>,
    inner: R,
}

impl<R: Read> Read for Prefixed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.prefix.len().min(buffer.len());
        buffer[..length].copy_from_slice(&self.prefix[..length]);
        self.prefix.drain(..length);
        Ok(length + self.inner.read(&mut buffer[length..])?)
    }
}

/// Zstandard, frame after frame.
struct Zstd<R: Read> {
    frame: Option<ruzstd::decoding::StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>,
}

impl<R: Read> Zstd<R> {
    fn new(inner: R) -> io::Result<Self> {
        let frame = ruzstd::decoding::StreamingDecoder::new(inner).map_err(io::Error::other)?;
        Ok(Self { frame: Some(frame) })
    }
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(mut frame) = self.frame.take() {
            let read = frame.read(buffer)?;
            if read > 0 {
                self.frame = Some(frame);
                return Ok(read);
            }
            // The next frame, if there is one: an error here is the end of the file.
            self.frame = ruzstd::decoding::StreamingDecoder::new(frame.into_inner()).ok();
        }
        Ok(0)
    }
}

/// Frames of a capture, one after the other.
pub struct Source {
    reader: Box<dyn PcapReaderIterator + Send>,
    blocks: Blocks,
    ending: Option<Ending>,
    read: Arc<AtomicU64>,
}

impl Source {
    /// Reads from `inner`, which may be compressed. Times are cut to microseconds unless `nanoseconds`.
    pub fn new(inner: impl Read + Send + 'static, nanoseconds: bool) -> Result<Self, SourceError> {
        let read = Arc::new(AtomicU64::new(0));
        let mut tapped = Tap { inner, count: read.clone(), failed: false };
        let mut magic = Vec::new();
        (&mut tapped).take(4).read_to_end(&mut magic).map_err(SourceError::Io)?;
        let kind: [u8; 4] = magic.as_slice().try_into().map_err(|_| SourceError::NotACapture)?;
        let whole = Prefixed { prefix: magic, inner: tapped };
        let plain: Box<dyn Read + Send> = match kind {
            [0x1f, 0x8b, ..] => Box::new(flate2::read::MultiGzDecoder::new(BufReader::new(whole))),
            [0x28, 0xb5, 0x2f, 0xfd] => Box::new(Zstd::new(BufReader::new(whole)).map_err(SourceError::Io)?),
            _ => Box::new(whole),
        };
        let plain = Tap { inner: plain, count: Arc::new(AtomicU64::new(0)), failed: false };
        let reader = create_reader(CAPACITY, plain).map_err(|_| SourceError::NotACapture)?;
        let to = if nanoseconds { 1 } else { 1000 };
        Ok(Self { reader, blocks: Blocks::new(to), ending: None, read })
    }

    /// Bytes of the file that were read, compressed as it is.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// End of the file, once it was reached.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Frames so far.
    pub fn frames(&self) -> u64 {
        self.blocks.frames()
    }

    /// Hands the next frame to `see`. False at the end.
    pub fn next(&mut self, see: &mut impl FnMut(&Frame<'_>)) -> bool {
        while self.ending.is_none() {
            match self.reader.next() {
                Ok((offset, block)) => {
                    let seen = self.blocks.take(block, see);
                    self.reader.consume(offset);
                    if seen {
                        return true;
                    }
                }
                Err(PcapError::Eof) => self.ending = Some(Ending::Whole),
                Err(PcapError::Incomplete(_)) => self.refill(),
                Err(PcapError::BufferTooSmall) => self.grow(),
                Err(PcapError::UnexpectedEof) => self.ending = Some(Ending::Cut),
                Err(_) => self.ending = Some(Ending::Damaged),
            }
        }
        false
    }

    fn refill(&mut self) {
        let before = self.reader.data().len();
        let refilled = self.reader.refill().map_err(|error| matches!(error, PcapError::BufferTooSmall));
        match refilled {
            Err(true) => self.grow(),
            Err(false) => self.ending = Some(Ending::Cut),
            Ok(()) if self.reader.data().len() == before && self.reader.reader_exhausted() => {
                self.ending = Some(if before == 0 { Ending::Whole } else { Ending::Cut });
            }
            Ok(()) => {}
        }
    }

    fn grow(&mut self) {
        let size = self.reader.data().len().max(CAPACITY) * 2;
        if size > LONGEST_RECORD || !self.reader.grow(size) {
            self.ending = Some(Ending::Damaged);
        }
    }
}
