//! The options of TCP.

use super::bytes::{be16, be32};
use crate::packet::{flag, MarkedBytes, Tcp};

/// Reads the options of TCP as far as they were captured.
pub fn options(mut bytes: &[u8], tcp: &mut Tcp) {
    // What nearly every packet has: two fillers and time stamps.
    if let [1, 1, 8, 10, stamps @ ..] = bytes {
        if let (Some(value), Some(echo)) = (be32(stamps, 0), be32(stamps, 4)) {
            tcp.stamps = Some((value, echo));
            bytes = &stamps[8..];
        }
    }
    while let [kind, rest @ ..] = bytes {
        match kind {
            0 => return,
            1 => {
                bytes = rest;
                continue;
            }
            _ => {}
        }
        let Some(length) = rest.first().map(|length| usize::from(*length)).filter(|length| *length >= 2)
        else {
            return;
        };
        let Some(value) = bytes.get(2..length) else { return };
        match (kind, value.len()) {
            (2, 2) if tcp.flags & flag::SYN != 0 => tcp.mss = be16(value, 0),
            (3, 1) if tcp.flags & flag::SYN != 0 => tcp.scale = Some(value[0].min(14)),
            (4, 0) => tcp.sack_permitted = true,
            (5, size) => {
                for at in (0..size / 8 * 8).step_by(8).take(4) {
                    if let (Some(from), Some(to)) = (be32(value, at), be32(value, at + 4)) {
                        tcp.sack[usize::from(tcp.blocks)] = (from, to);
                        tcp.blocks += 1;
                    }
                    if tcp.blocks == 4 {
                        break;
                    }
                }
            }
            (8, 8) => tcp.stamps = be32(value, 0).zip(be32(value, 4)),
            (172 | 174, _) => tcp.marked_bytes = marked_bytes(value, *kind == 174),
            _ => {}
        }
        bytes = &bytes[length..];
    }
}

/// Reads the counters of an Accurate ECN option: of kind 172 ECT(0) comes first, of kind 174 ECT(1). An option may end
/// after any of its counters.
fn marked_bytes(value: &[u8], ect1_first: bool) -> MarkedBytes {
    let counter = |at: usize| match value.get(3 * at..3 * at + 3) {
        Some([high, middle, low]) => Some(u32::from_be_bytes([0, *high, *middle, *low])),
        _ => None,
    };
    let (first, ce, last) = (counter(0), counter(1), counter(2));
    if ect1_first {
        MarkedBytes { ect0: last, ce, ect1: first }
    } else {
        MarkedBytes { ect0: first, ce, ect1: last }
    }
}
