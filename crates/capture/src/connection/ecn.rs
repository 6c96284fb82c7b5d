//! Congestion marks that a receiver reports: by the flag ECE (RFC 3168), or by the counters of Accurate ECN (RFC 9768).

use super::State;
use crate::packet::{flag, MarkedBytes, Packet, Tcp};
use crate::result::Way;

/// Value at which the counter ACE begins (RFC 9768, section 3.2.1).
const FIRST_ACE: u8 = 5;

/// Value of ACE that reports CE in the IP header of a SYN or of its answer (tables 2 and 3).
const HANDSHAKE_CE: u8 = 6;

/// Steps of ACE between duplicate ACKs that are taken for an ACK that was overtaken.
const OVERTAKEN: u8 = 6;

/// Byte counters at the start: ECT(0), CE and ECT(1) (section 3.2.1).
const FIRST_BYTES: [u32; 3] = [1, 0, 1];

/// Last counters that a side reported.
#[derive(Clone, Copy, Debug)]
struct Reported {
    ace: Option<u8>,
    bytes: [Option<u32>; 3],
    /// Marks that ACE reported since the last option: an option does not come with every ACK.
    marks: u64,
}

/// Accurate ECN of a connection, once its SYN has asked for it or its packets show it.
#[derive(Debug)]
pub struct AccurateEcn {
    /// Both sides have agreed.
    agreed: bool,
    /// ACE of the ACK that completed the handshake, and its acknowledgment number.
    completed: Option<(u8, u32)>,
    sides: [Reported; 2],
}

/// The flags AE, CWR and ECE as a number.
fn ace(tcp: &Tcp) -> u8 {
    u8::from(tcp.ae) << 2 | u8::from(tcp.flags & flag::CWR != 0) << 1 | u8::from(tcp.flags & flag::ECE != 0)
}

impl AccurateEcn {
    fn asked() -> Self {
        let first = Reported { ace: Some(FIRST_ACE), bytes: FIRST_BYTES.map(Some), marks: 0 };
        Self { agreed: false, completed: None, sides: [first; 2] }
    }

    /// Begins where the handshake did not pass: counters stand wherever they are.
    fn found() -> Self {
        let unknown = Reported { ace: None, bytes: [None; 3], marks: 0 };
        Self { agreed: true, completed: None, sides: [unknown; 2] }
    }
}

impl State {
    /// Takes in what a packet reports of congestion marks.
    pub(super) fn on_ecn(&mut self, packet: &Packet, tcp: &Tcp, way: Way) {
        let flags = ace(tcp);
        let bytes = tcp.marked_bytes != MarkedBytes::default();
        if flags == 0 && !bytes && self.ecn.is_none() {
            return;
        }
        if tcp.flags & flag::SYN != 0 {
            self.on_ecn_handshake(tcp, way, flags);
            return;
        }
        let opened = self.ways.iter().any(|way| way.first.is_some());
        if self.ecn.is_none() && !opened && (tcp.ae || bytes) {
            // What seemed to be echoes were digits of a counter.
            for way in &mut self.ways {
                way.count().mark_echoes = 0;
            }
            self.ecn = Some(Box::new(AccurateEcn::found()));
        }
        if self.ecn.as_ref().is_some_and(|ecn| ecn.agreed) {
            self.on_counters(packet, tcp, way, flags);
        } else if tcp.flags & flag::ECE != 0 {
            self.ways[way as usize].count().mark_echoes += 1;
        }
    }

    /// A SYN asks for Accurate ECN by all three flags; its answer agrees, and says how the SYN arrived (table 2).
    fn on_ecn_handshake(&mut self, tcp: &Tcp, way: Way, flags: u8) {
        if tcp.flags & flag::ACK == 0 {
            if flags == 7 {
                self.ecn = Some(Box::new(AccurateEcn::asked()));
            }
            return;
        }
        let missed = self.ecn.is_none() && self.ways[1 - way as usize].first.is_none();
        let agrees = match flags {
            2 | 4 | HANDSHAKE_CE => self.ecn.is_some() || missed,
            3 => self.ecn.is_some(),
            _ => false,
        };
        if !agrees {
            self.ecn = None;
            return;
        }
        let again = self.ecn.as_ref().is_some_and(|ecn| ecn.agreed);
        self.ecn.get_or_insert_with(|| Box::new(AccurateEcn::asked())).agreed = true;
        if flags == HANDSHAKE_CE && !again {
            self.ways[way as usize].count().mark_echoes += 1;
        }
        self.on_marked_bytes(tcp, way);
    }

    fn on_counters(&mut self, packet: &Packet, tcp: &Tcp, way: Way, flags: u8) {
        let data = &self.ways[1 - way as usize];
        let (Some(ack), acked) = (data.place(tcp.ack), data.acked.get()) else { return };
        if tcp.flags & flag::ACK == 0 || acked.is_some_and(|acked| ack < acked) {
            return;
        }
        let size = u64::from(data.largest.max(1));
        let new_data = acked.is_none_or(|acked| ack > acked);
        let ce_bytes = self.on_marked_bytes(tcp, way);
        let Some(ecn) = self.ecn.as_deref_mut() else { return };
        let side = &mut ecn.sides[way as usize];
        let last = &mut side.ace;
        let pure = packet.payload == 0 && tcp.blocks == 0;
        let completes = way == Way::Forward && self.ways[0].first.is_some() && pure;
        let mut marks = 0;
        if completes && ecn.completed.is_none_or(|completed| completed == (flags, tcp.ack)) {
            // This ACK alone says in ACE how the answer to the SYN arrived (table 3).
            if flags == HANDSHAKE_CE && ecn.completed.is_none() {
                *last = Some(HANDSHAKE_CE);
                marks = 1;
            }
            ecn.completed = Some((flags, tcp.ack));
        } else {
            let step = last.map_or(0, |last| flags.wrapping_sub(last) & 7);
            if !new_data && step >= OVERTAKEN {
                return;
            }
            *last = Some(flags);
            marks = u64::from(step);
            // ACE comes round after eight marks; the bytes tell how often it did.
            while ce_bytes > (side.marks + marks) * size {
                marks += 8;
            }
            side.marks = if tcp.marked_bytes.ce.is_some() { 0 } else { side.marks + marks };
            if way == Way::Forward && ecn.completed.is_none() {
                ecn.completed = Some((flags, tcp.ack.wrapping_sub(1)));
            }
        }
        if marks > 0 {
            self.ways[way as usize].count().mark_echoes += marks;
        }
    }

    /// Takes in the counters of an option. Returns the bytes with CE since the last one.
    fn on_marked_bytes(&mut self, tcp: &Tcp, way: Way) -> u64 {
        let MarkedBytes { ect0, ce, ect1 } = tcp.marked_bytes;
        let mut steps = [0; 3];
        let Some(ecn) = self.ecn.as_deref_mut() else { return 0 };
        let known = &mut ecn.sides[way as usize].bytes;
        for ((step, last), counter) in steps.iter_mut().zip(known).zip([ect0, ce, ect1]) {
            let Some(counter) = counter else { continue };
            let ahead = last.map_or(0, |last| counter.wrapping_sub(last) & 0xff_ffff);
            // More than half of the range is an option that was overtaken.
            if ahead < 1 << 23 {
                *last = Some(counter);
                *step = u64::from(ahead);
            }
        }
        let [ect0, ce, ect1] = steps;
        if ect0 + ce + ect1 > 0 {
            let counts = self.ways[way as usize].count();
            counts.echoed_ect0_bytes += ect0;
            counts.echoed_ce_bytes += ce;
            counts.echoed_ect1_bytes += ect1;
        }
        ce
    }
}
