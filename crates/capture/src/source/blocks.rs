//! Frames out of the blocks of a file, and what the file says of its interfaces.

use pcap_parser::pcapng::UnknownBlock;
use pcap_parser::traits::PcapNGPacketBlock;
use pcap_parser::{Block, PcapBlockOwned};

use crate::decode::Frame;
use crate::unread::Unread;

/// Type of the obsolete Packet Block, as the parser gives it of either byte order.
const PACKET_BLOCK: [u32; 2] = [2, 2_u32.swap_bytes()];

/// Length of the fields in front of a Packet Block's data.
const PACKET_FIELDS: usize = 20;

/// An interface of the section that is being read.
#[derive(Clone, Copy)]
struct Interface {
    link: u16,
    snap: u32,
    ticks: u64,
    offset: i64,
}

/// State that blocks change.
pub struct Blocks {
    interfaces: Vec<Interface>,
    /// Number of the first interface of this section, so that numbers do not repeat.
    first: u32,
    big_endian: bool,
    frames: u64,
    /// Nanoseconds to a multiple of which times are cut.
    to: i64,
}

impl Blocks {
    /// The beginning of a file.
    pub fn new(to: i64) -> Self {
        Self { interfaces: Vec::new(), first: 0, big_endian: false, frames: 0, to }
    }

    /// Frames so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Takes in a block; true if it was a frame.
    pub fn take(&mut self, block: PcapBlockOwned<'_>, see: &mut impl FnMut(&Frame<'_>)) -> bool {
        match block {
            PcapBlockOwned::LegacyHeader(header) => {
                let ticks = if header.is_nanosecond_precision() { 1_000_000_000 } else { 1_000_000 };
                // The upper half of the link type says how long a frame check sequence is.
                let link = header.network.0 as u16;
                self.interfaces.push(Interface { link, snap: header.snaplen, ticks, offset: 0 });
            }
            PcapBlockOwned::Legacy(record) => {
                let ticks = self.interfaces.first().map_or(1_000_000, |interface| interface.ticks);
                let part = i64::from(record.ts_usec) * (1_000_000_000 / ticks) as i64;
                let time = i64::from(record.ts_sec) * 1_000_000_000 + part;
                let data = record.data.get(..record.caplen as usize).unwrap_or(record.data);
                self.frame(0, Some(time), data, record.origlen, see);
                return true;
            }
            PcapBlockOwned::NG(Block::SectionHeader(section)) => {
                self.big_endian = section.big_endian();
                self.first += self.interfaces.len() as u32;
                self.interfaces.clear();
            }
            PcapBlockOwned::NG(Block::InterfaceDescription(interface)) => {
                let offset = interface.if_tsoffset;
                self.interfaces.push(Interface {
                    link: interface.linktype.0 as u16,
                    snap: interface.snaplen,
                    ticks: ticks_of(interface.if_tsresol),
                    offset: if self.big_endian { offset.swap_bytes() } else { offset },
                });
            }
            PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
                let ticks = (packet.ts_high, packet.ts_low);
                self.timed(packet.if_id, ticks, packet.packet_data(), packet.origlen, see);
                return true;
            }
            PcapBlockOwned::NG(Block::SimplePacket(packet)) => {
                let snap = self.interfaces.first().map_or(0, |interface| interface.snap);
                let length = if snap == 0 { packet.origlen } else { packet.origlen.min(snap) };
                let data = packet.data.get(..length as usize).unwrap_or(packet.data);
                self.frame(0, None, data, packet.origlen, see);
                return true;
            }
            PcapBlockOwned::NG(Block::Unknown(block)) if PACKET_BLOCK.contains(&block.block_type) => {
                return self.packet_block(&block, see);
            }
            PcapBlockOwned::NG(_) => {}
        }
        false
    }

    /// A Packet Block (draft-ietf-opsawg-pcapng, appendix A): an Enhanced one with 16 bits for the interface, behind which
    /// drops are counted.
    fn packet_block(&mut self, block: &UnknownBlock<'_>, see: &mut impl FnMut(&Frame<'_>)) -> bool {
        let Some((fields, data)) = block.data.split_at_checked(PACKET_FIELDS) else { return false };
        let mut words = [0_u32; PACKET_FIELDS / 4];
        for (word, bytes) in words.iter_mut().zip(fields.chunks_exact(4)) {
            let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
            *word = if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
        }
        let [head, high, low, captured, wire] = words;
        let interface = if self.big_endian { head >> 16 } else { head & 0xffff };
        let data = data.get(..captured as usize).unwrap_or(data);
        self.timed(interface, (high, low), data, wire, see);
        true
    }

    fn timed(
        &mut self,
        interface: u32,
        (high, low): (u32, u32),
        data: &[u8],
        wire: u32,
        see: &mut impl FnMut(&Frame<'_>),
    ) {
        let ticks = u64::from(high) << 32 | u64::from(low);
        let time = self.interfaces.get(interface as usize).map_or(0, |interface| time_of(ticks, interface));
        self.frame(interface, Some(time), data, wire, see);
    }

    fn frame(
        &mut self,
        interface: u32,
        time: Option<i64>,
        data: &[u8],
        wire: u32,
        see: &mut impl FnMut(&Frame<'_>),
    ) {
        self.frames += 1;
        let of = self.interfaces.get(interface as usize);
        let lacks = match (of, time) {
            (None, _) => Some(Unread::NoInterface),
            (_, None) => Some(Unread::NoTime),
            _ => None,
        };
        see(&Frame {
            number: self.frames,
            time: time.unwrap_or(0).div_euclid(self.to) * self.to,
            interface: self.first.saturating_add(interface),
            link: of.map_or(0, |interface| interface.link),
            data,
            wire: wire.max(data.len() as u32),
            lacks,
        });
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
