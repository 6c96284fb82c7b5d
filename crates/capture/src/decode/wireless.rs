//! Frames of IEEE 802.11, and the header that radiotap puts in front of them.

use super::bytes::{le16, le32};
use super::Walk;
use crate::packet::Decoded;
use crate::unread::Unread;

/// Bits of radiotap's first word of fields.
const HAS_TIME: u32 = 1;
const HAS_FLAGS: u32 = 2;
const MORE_WORDS: u32 = 1 << 31;

/// Flag of radiotap: the 802.11 header is padded to four bytes.
const PADDED: u8 = 0x20;

impl Walk<'_> {
    pub fn radiotap(&mut self, at: usize) -> Option<Decoded> {
        let data = self.frame.data;
        let length = usize::from(le16(data, at + 2)?);
        let first = le32(data, at + 4)?;
        let (mut word, mut fields) = (first, 8);
        while word & MORE_WORDS != 0 {
            word = le32(data, at + fields)?;
            fields += 4;
        }
        if first & HAS_TIME != 0 {
            fields = fields.next_multiple_of(8) + 8;
        }
        let flags = if first & HAS_FLAGS != 0 { *data.get(at + fields)? } else { 0 };
        self.wireless(at + length, flags & PADDED != 0)
    }

    /// A frame of 802.11. Data is behind LLC.
    pub fn wireless(&mut self, at: usize, padded: bool) -> Option<Decoded> {
        let unread = |text| Some(Decoded::Unread(Unread::Wireless(text)));
        let (control, flags) = (*self.frame.data.get(at)?, *self.frame.data.get(at.checked_add(1)?)?);
        match control & 0x0c {
            0x00 => return unread("management"),
            0x04 => return unread("control"),
            0x08 if control & 0x40 != 0 => return unread("without data"),
            0x08 if flags & 0x40 != 0 => return unread("encrypted"),
            0x08 => {}
            _ => return unread("extension"),
        }
        let mut header = if flags & 3 == 3 { 30 } else { 24 };
        if control & 0x80 != 0 {
            if *self.frame.data.get(at + header)? & 0x80 != 0 {
                return unread("aggregated");
            }
            header += if flags & 0x80 != 0 { 6 } else { 2 };
        }
        self.llc(at + if padded { header.next_multiple_of(4) } else { header })
    }
}
