//! Frames out of a capture file: pcap and pcapng of all kinds, by the crate `pcap-parser`, and as gzip or zstd has them.

use std::fmt;
use std::io::{self, BufReader, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use pcap_parser::traits::{PcapNGPacketBlock, PcapReaderIterator};
use pcap_parser::{create_reader, Block, PcapBlockOwned, PcapError};

use crate::decode::Frame;

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

/// An interface of the section that is being read.
#[derive(Clone, Copy)]
struct Interface {
    link: u16,
    snap: u32,
    ticks: u64,
    offset: i64,
}

/// Frames of a capture, one after the other.
pub struct Source {
    reader: Box<dyn PcapReaderIterator + Send>,
    interfaces: Vec<Interface>,
    /// Number of the first interface of this section, so that numbers do not repeat.
    first: u32,
    big_endian: bool,
    number: u64,
    to: i64,
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
        Ok(Self {
            reader,
            interfaces: Vec::new(),
            first: 0,
            big_endian: false,
            number: 0,
            to,
            ending: None,
            read,
        })
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
        self.number
    }

    /// Hands the next frame to `see`. False at the end.
    pub fn next(&mut self, see: &mut impl FnMut(&Frame<'_>)) -> bool {
        while self.ending.is_none() {
            match self.reader.next() {
                Ok((offset, block)) => {
                    let mut state = State {
                        interfaces: &mut self.interfaces,
                        first: &mut self.first,
                        big_endian: &mut self.big_endian,
                        number: &mut self.number,
                        to: self.to,
                    };
                    let seen = state.block(block, see);
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

/// State that blocks change.
struct State<'a> {
    interfaces: &'a mut Vec<Interface>,
    first: &'a mut u32,
    big_endian: &'a mut bool,
    number: &'a mut u64,
    to: i64,
}

impl State<'_> {
    /// Takes in a block; true if it was a frame.
    fn block(&mut self, block: PcapBlockOwned<'_>, see: &mut impl FnMut(&Frame<'_>)) -> bool {
        match block {
            PcapBlockOwned::LegacyHeader(header) => {
                let ticks = if header.is_nanosecond_precision() { 1_000_000_000 } else { 1_000_000 };
                // The upper half of the link type says how long a frame check sequence is.
                let link = header.network.0 as u16;
                self.interfaces.push(Interface { link, snap: header.snaplen, ticks, offset: 0 });
                false
            }
            PcapBlockOwned::Legacy(record) => {
                let ticks = self.interfaces.first().map_or(1_000_000, |interface| interface.ticks);
                let part = i64::from(record.ts_usec) * (1_000_000_000 / ticks) as i64;
                let time = i64::from(record.ts_sec) * 1_000_000_000 + part;
                let data = record.data.get(..record.caplen as usize).unwrap_or(record.data);
                self.frame(0, Some(time), data, record.origlen, see)
            }
            PcapBlockOwned::NG(Block::SectionHeader(section)) => {
                *self.big_endian = section.big_endian();
                *self.first += self.interfaces.len() as u32;
                self.interfaces.clear();
                false
            }
            PcapBlockOwned::NG(Block::InterfaceDescription(interface)) => {
                self.interfaces.push(Interface {
                    link: interface.linktype.0 as u16,
                    snap: interface.snaplen,
                    ticks: ticks_of(interface.if_tsresol),
                    offset: if *self.big_endian {
                        interface.if_tsoffset.swap_bytes()
                    } else {
                        interface.if_tsoffset
                    },
                });
                false
            }
            PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
                let ticks = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
                let time =
                    self.interfaces.get(packet.if_id as usize).map(|interface| time_of(ticks, interface));
                self.frame(packet.if_id, time, packet.packet_data(), packet.origlen, see)
            }
            PcapBlockOwned::NG(Block::SimplePacket(packet)) => {
                let snap = self.interfaces.first().map_or(0, |interface| interface.snap);
                let length = if snap == 0 { packet.origlen } else { packet.origlen.min(snap) };
                let data = packet.data.get(..length as usize).unwrap_or(packet.data);
                // It has no time, so it is only counted.
                self.frame(0, None, data, packet.origlen, see)
            }
            PcapBlockOwned::NG(_) => false,
        }
    }

    fn frame(
        &mut self,
        interface: u32,
        time: Option<i64>,
        data: &[u8],
        wire: u32,
        see: &mut impl FnMut(&Frame<'_>),
    ) -> bool {
        *self.number += 1;
        let (Some(time), Some(of)) = (time, self.interfaces.get(interface as usize)) else { return false };
        let time = time.div_euclid(self.to) * self.to;
        see(&Frame {
            number: *self.number,
            time,
            interface: *self.first + interface,
            link: of.link,
            data,
            wire: wire.max(data.len() as u32),
        });
        true
    }
}

/// Ticks a second of a clock, as `if_tsresol` says. By hand: the parser knows no powers of two, nor does it turn the bytes
/// of offsets.
fn ticks_of(resolution: u8) -> u64 {
    let power = u32::from(resolution & 0x7f);
    let ticks = if resolution & 0x80 != 0 { 1_u64.checked_shl(power) } else { 10_u64.checked_pow(power) };
    ticks.filter(|ticks| *ticks > 0).unwrap_or(1_000_000)
}

/// Nanoseconds since 1970 of a time that an interface counts in ticks.
fn time_of(ticks: u64, interface: &Interface) -> i64 {
    let seconds = (ticks / interface.ticks) as i64;
    let rest = u128::from(ticks % interface.ticks) * 1_000_000_000 / u128::from(interface.ticks);
    seconds.saturating_add(interface.offset).saturating_mul(1_000_000_000).saturating_add(rest as i64)
}
