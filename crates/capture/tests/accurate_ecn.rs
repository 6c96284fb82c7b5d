//! Counters of Accurate ECN (RFC 9768), against a model receiver that counts its marks.

mod drawn;

use drawn::{Drawn, MS};
use parshall_capture::analysis::{Analysis, Settings};
use parshall_capture::counters::Counters;
use parshall_capture::decode::{decode, Frame};

const AE: u16 = 256;
const CWR: u16 = 128;
const ECE: u16 = 64;
const ACK: u16 = 16;
const SYN: u16 = 2;

struct Side {
    /// CE packets, and bytes with ECT(0), CE and ECT(1), as RFC 9768 counts them (section 3.2.1).
    packets: u64,
    bytes: [u32; 3],
}

struct Exchange {
    analysis: Analysis,
    frames: u64,
    time: i64,
}

impl Exchange {
    fn push(
        &mut self,
        forward: bool,
        numbers: (u32, u32),
        flags: u16,
        ecn: u8,
        options: &[u8],
        payload: u32,
    ) {
        self.frames += 1;
        self.time += MS;
        let mut tcp = if forward { vec![0x9c, 0x40, 0, 80] } else { vec![0, 80, 0x9c, 0x40] };
        tcp.extend(numbers.0.to_be_bytes());
        tcp.extend(numbers.1.to_be_bytes());
        let mut options = options.to_vec();
        options.resize(options.len().div_ceil(4) * 4, 1);
        tcp.extend((((20 + options.len()) as u16 / 4) << 12 | flags).to_be_bytes());
        tcp.extend([0xff, 0xff, 0, 0, 0, 0]);
        tcp.extend(options);
        let wire = 20 + tcp.len() as u32 + payload;
        let mut data = vec![0x45, ecn];
        data.extend((wire as u16).to_be_bytes());
        data.extend((self.frames as u16).to_be_bytes());
        let (from, to) = if forward { (1, 2) } else { (2, 1) };
        data.extend([0x40, 0, 64, 6, 0, 0, 10, 0, 0, from, 10, 0, 0, to]);
        data.extend(tcp);
        let (number, time) = (self.frames, self.time);
        self.analysis.push(&decode(&Frame {
            number,
            time,
            interface: 0,
            link: 101,
            data: &data,
            wire,
            lacks: None,
        }));
    }
}

/// An option with the first counters of a side.
fn option(side: &Side, ect1_first: bool, counters: usize) -> Vec<u8> {
    let [ect0, ce, ect1] = side.bytes;
    let ordered = if ect1_first { [ect1, ce, ect0] } else { [ect0, ce, ect1] };
    let mut bytes = vec![if ect1_first { 174 } else { 172 }, 2 + 3 * counters as u8];
    bytes.extend(ordered[..counters].iter().flat_map(|counter| counter.to_be_bytes()[1..].to_vec()));
    bytes
}

fn ace(side: &Side) -> u16 {
    let value = (5 + side.packets) as u16 & 7;
    [AE, CWR, ECE].iter().zip([4, 2, 1]).map(|(flag, bit)| if value & bit != 0 { *flag } else { 0 }).sum()
}

#[test]
fn marks_are_counted_as_the_receiver_counts_them() {
    let mut drawn = Drawn(1);
    for round in 0..300 {
        let mut pass = Exchange { analysis: Analysis::new(Settings::default()), frames: 0, time: 0 };
        // How the SYN arrived, in the flags of its answer (table 2), and the answer in those of the ACK (table 3).
        let codes = [(CWR, 0), (CWR | ECE, 1), (AE, 2), (AE | CWR, 3)];
        let ((syn_flags, syn_ecn), (answer_flags, answer_ecn)) =
            (codes[drawn.below(4) as usize], codes[drawn.below(4) as usize]);
        let begun = drawn.chance(80);
        let mut side = Side { packets: 0, bytes: [1, 0, 1] };
        let (options, long) = (drawn.chance(60), drawn.chance(30));
        if begun {
            pass.push(true, (0, 0), SYN | AE | CWR | ECE, syn_ecn, &[], 0);
            pass.push(false, (0, 1), SYN | ACK | syn_flags, answer_ecn, &[], 0);
            pass.push(true, (1, 1), ACK | answer_flags, 0, &[], 0);
        } else {
            // A counter that begins below four looks like flags of RFC 3168 until it has AE.
            side.packets = drawn.below(8);
        }
        let before = side.packets;
        let (mut seq, mut ect1, mut marks, mut ce_bytes) = (1_u32, 0, 0, 0);
        let mut told = 0;
        for at in 0..40 {
            let stretch = if options && long { 1 + drawn.below(20) } else { 1 + drawn.below(4) };
            for _ in 0..stretch {
                let ecn = [1, 3, 3][drawn.below(3) as usize];
                pass.push(true, (seq, 1), ACK | AE | ECE, ecn, &[], 1000);
                seq += 1000;
                side.packets += u64::from(ecn == 3);
                side.bytes[if ecn == 3 { 1 } else { 2 }] += 1000;
                (ect1, marks) = (ect1 + u64::from(ecn == 1), marks + u64::from(ecn == 3));
                ce_bytes += 1000 * u64::from(ecn == 3);
            }
            let counters =
                if options && (long || drawn.chance(60)) { 2 + drawn.below(2) as usize } else { 0 };
            let text = if counters > 0 { option(&side, drawn.chance(50), counters) } else { Vec::new() };
            if at == 0 {
                told = side.packets;
            }
            pass.push(false, (1, seq), ACK | ace(&side), 0, &text, 0);
        }
        let connection = &pass.analysis.finish().rows.connections[0];
        let [data, acks]: [Counters; 2] = connection.ways.each_ref().map(|way| way.tally.counters());
        let case = format!("{round}: {begun} {options} {long} {before} {syn_ecn} {answer_ecn}");
        assert_eq!(data.ect1, ect1 + u64::from(begun && syn_ecn == 1), "{case}");
        assert_eq!(data.marks, marks + u64::from(begun && syn_ecn == 3), "{case}");
        if begun {
            assert_eq!(acks.mark_echoes, marks + u64::from(syn_ecn == 3), "{case}");
            assert_eq!(data.mark_echoes, u64::from(answer_ecn == 3), "{case}");
            if options && long {
                assert_eq!(acks.echoed_ce_bytes, ce_bytes, "{case}");
            }
        } else if !long {
            // What the first counter says of the time before is not known.
            assert_eq!(acks.mark_echoes, side.packets - told, "{case}");
        }
    }
}
