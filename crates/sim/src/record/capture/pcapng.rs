//! The pcapng format: one section, one interface, comments (draft-ietf-opsawg-pcapng).

use super::headers::Frame;
use super::pcap::{LINKTYPE_RAW, SNAPLEN};
use crate::units::Time;

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const STATISTICS: u32 = 5;
const PACKET: u32 = 6;
const BYTE_ORDER: u32 = 0x1a2b_3c4d;

const OPT_COMMENT: u16 = 1;
const SHB_USERAPPL: u16 = 4;
const IF_NAME: u16 = 2;
const IF_TSRESOL: u16 = 9;
const EPB_FLAGS: u16 = 2;
const ISB_IFRECV: u16 = 4;
const ISB_IFDROP: u16 = 5;
/// Longest comment in bytes: its length has 16 bits.
const MOST_IN_OPTION: usize = u16::MAX as usize;

/// Returns the blocks before the first packet.
pub fn begin(interface: &str, comment: &str) -> Vec<u8> {
    let mut section = Vec::new();
    section.extend(BYTE_ORDER.to_le_bytes());
    section.extend(1u16.to_le_bytes());
    section.extend(0u16.to_le_bytes());
    // The length of the section is not said.
    section.extend(u64::MAX.to_le_bytes());
    option(&mut section, OPT_COMMENT, comment.as_bytes());
    option(&mut section, SHB_USERAPPL, b"Parshall");
    end_of_options(&mut section);
    let mut bytes = Vec::new();
    block(&mut bytes, SECTION, &section);

    let mut body = Vec::new();
    body.extend(LINKTYPE_RAW.to_le_bytes());
    body.extend(0u16.to_le_bytes());
    body.extend(SNAPLEN.to_le_bytes());
    option(&mut body, IF_NAME, interface.as_bytes());
    // Nanoseconds.
    option(&mut body, IF_TSRESOL, &[9]);
    end_of_options(&mut body);
    block(&mut bytes, INTERFACE, &body);
    bytes
}

/// Adds a packet that comes in, or goes out, with its comments.
pub fn add(bytes: &mut Vec<u8>, at: Time, frame: &Frame, inbound: bool, comments: &[String]) {
    let mut body = Vec::new();
    body.extend(0u32.to_le_bytes());
    stamp(&mut body, at);
    body.extend((frame.stored.len() as u32).to_le_bytes());
    body.extend(frame.length.to_le_bytes());
    body.extend(&frame.stored);
    pad(&mut body);
    comments.iter().for_each(|comment| option(&mut body, OPT_COMMENT, comment.as_bytes()));
    option(&mut body, EPB_FLAGS, &if inbound { 1u32 } else { 2 }.to_le_bytes());
    end_of_options(&mut body);
    block(bytes, PACKET, &body);
}

/// Adds how many packets came to the port, and how many of them were dropped.
pub fn finish(bytes: &mut Vec<u8>, at: Time, came: u64, dropped: u64) {
    let mut body = Vec::new();
    body.extend(0u32.to_le_bytes());
    stamp(&mut body, at);
    option(&mut body, ISB_IFRECV, &came.to_le_bytes());
    option(&mut body, ISB_IFDROP, &dropped.to_le_bytes());
    end_of_options(&mut body);
    block(bytes, STATISTICS, &body);
}

fn stamp(body: &mut Vec<u8>, at: Time) {
    let nanoseconds = at.ps() / 1000;
    body.extend(((nanoseconds >> 32) as u32).to_le_bytes());
    body.extend((nanoseconds as u32).to_le_bytes());
}

fn block(bytes: &mut Vec<u8>, kind: u32, body: &[u8]) {
    let length = (12 + body.len() as u32).to_le_bytes();
    bytes.extend(kind.to_le_bytes());
    bytes.extend(length);
    bytes.extend(body);
    bytes.extend(length);
}

fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    let value = &value[..value.len().min(MOST_IN_OPTION)];
    body.extend(code.to_le_bytes());
    body.extend((value.len() as u16).to_le_bytes());
    body.extend(value);
    pad(body);
}

fn end_of_options(body: &mut Vec<u8>) {
    body.extend([0; 4]);
}

/// Everything is a multiple of 32 bits long; what comes before each body and option is, too.
fn pad(body: &mut Vec<u8>) {
    body.resize(body.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kind and body of each block; both lengths of a block must agree.
    fn blocks(mut bytes: &[u8]) -> Vec<(u32, Vec<u8>)> {
        let mut all = Vec::new();
        while !bytes.is_empty() {
            let word = |i: usize| u32::from_le_bytes(bytes[i..i + 4].try_into().unwrap());
            let length = word(4) as usize;
            assert_eq!((length % 4, word(length - 4) as usize), (0, length));
            all.push((word(0), bytes[8..length - 4].to_vec()));
            bytes = &bytes[length..];
        }
        all
    }

    #[test]
    fn blocks_follow_one_another() {
        let mut bytes = begin("a->b", "made");
        let frame = Frame { stored: vec![7; 41], length: 1041 };
        add(&mut bytes, Time::from_secs(5.0), &frame, true, &["one".into(), "three".into()]);
        add(&mut bytes, Time::from_secs(5.0), &frame, false, &[]);
        finish(&mut bytes, Time::from_secs(6.0), 3, 1);
        let blocks = blocks(&bytes);
        assert_eq!(
            blocks.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(),
            [SECTION, INTERFACE, PACKET, PACKET, STATISTICS]
        );
        let body = &blocks[2].1;
        let word = |i: usize| u32::from_le_bytes(body[i..i + 4].try_into().unwrap());
        assert_eq!(u64::from(word(4)) << 32 | u64::from(word(8)), 5_000_000_000);
        assert_eq!((word(12), word(16)), (41, 1041));
        // 41 bytes take 44; then two comments, the direction, and the end.
        assert_eq!(&body[64..71], [1, 0, 3, 0, b'o', b'n', b'e']);
        assert_eq!(&body[72..81], [1, 0, 5, 0, b't', b'h', b'r', b'e', b'e']);
        assert_eq!(&body[84..], [2, 0, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    }
}
