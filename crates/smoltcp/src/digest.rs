//! A hash of packets and of the instants at which they were sent.

use parshall_sim::units::Time;

const START: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// Words that are hashed side by side, since a processor multiplies several at once.
const LANES: usize = 4;

/// Fowler, Noll and Vo's hash over words of 8 bytes in place of single ones, several at a time, which costs a fraction of the
/// time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest([u64; LANES]);

impl Default for Digest {
    fn default() -> Self {
        Digest([START; LANES])
    }
}

impl Digest {
    pub fn value(self) -> u64 {
        self.0.into_iter().reduce(with).unwrap_or(START)
    }

    pub fn add_packet(&mut self, at: Time, packet: &[u8]) {
        self.0[0] = with(with(self.0[0], at.ps()), packet.len() as u64);
        let [mut a, mut b, mut c, mut d] = self.0;
        let (words, rest) = packet.as_chunks::<8>();
        let (groups, single) = words.as_chunks::<LANES>();
        for [first, second, third, fourth] in groups {
            a = with(a, u64::from_le_bytes(*first));
            b = with(b, u64::from_le_bytes(*second));
            c = with(c, u64::from_le_bytes(*third));
            d = with(d, u64::from_le_bytes(*fourth));
        }
        a = single.iter().fold(a, |lane, word| with(lane, u64::from_le_bytes(*word)));
        a = rest.iter().fold(a, |lane, &byte| with(lane, u64::from(byte)));
        self.0 = [a, b, c, d];
    }
}

/// A hash with one word more. The bits turn besides, since a product moves them only upwards.
#[inline]
fn with(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(PRIME).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_and_the_time_count() {
        let packet: Vec<u8> = (0..101).collect();
        let of = |at, packet: &[u8]| {
            let mut digest = Digest::default();
            digest.add_packet(Time::from_ps(at), packet);
            digest.value()
        };
        let mut seen = vec![of(1, &packet), of(2, &packet), of(1, &packet[1..])];
        for place in 0..packet.len() {
            let mut changed = packet.clone();
            changed[place] ^= 0x80;
            seen.push(of(1, &changed));
        }
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
    }
}
