//! The pcap format with nanoseconds, IPv4 without a link layer. It has no room for comments.

use super::headers::Frame;
use crate::units::Time;

const MAGIC_NANOSECONDS: u32 = 0xa1b2_3c4d;
pub const LINKTYPE_RAW: u16 = 101;
pub const SNAPLEN: u32 = 65_535;

/// Returns the header of the file.
pub fn begin() -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(MAGIC_NANOSECONDS.to_le_bytes());
    bytes.extend(2u16.to_le_bytes());
    bytes.extend(4u16.to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(SNAPLEN.to_le_bytes());
    bytes.extend(u32::from(LINKTYPE_RAW).to_le_bytes());
    bytes
}

/// Adds a packet.
pub fn add(bytes: &mut Vec<u8>, at: Time, frame: &Frame) {
    let seconds = at.ps() / 1_000_000_000_000;
    let nanoseconds = at.ps() % 1_000_000_000_000 / 1000;
    for field in [seconds as u32, nanoseconds as u32, frame.stored.len() as u32, frame.length] {
        bytes.extend(field.to_le_bytes());
    }
    bytes.extend(&frame.stored);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_follow_the_file_header() {
        let mut bytes = begin();
        let frame = Frame { stored: vec![7; 40], length: 1040 };
        add(&mut bytes, Time::from_secs(1.5), &frame);
        assert_eq!(bytes.len(), 24 + 16 + 40);
        let field = |i: usize| u32::from_le_bytes(bytes[i..i + 4].try_into().unwrap());
        assert_eq!((field(24), field(28)), (1, 500_000_000));
        assert_eq!((field(32), field(36)), (40, 1040));
    }
}
