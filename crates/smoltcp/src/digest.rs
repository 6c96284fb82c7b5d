//! A hash of packets and of the instants at which they were sent.

use parshall_sim::units::Time;

const START: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// Fowler, Noll and Vo's hash over words of 8 bytes in place of single ones, which costs a fraction of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Digest(START)
    }
}

impl Digest {
    pub fn value(self) -> u64 {
        self.0
    }

    pub fn add_packet(&mut self, at: Time, packet: &[u8]) {
        self.add(at.ps());
        self.add(packet.len() as u64);
        let (words, rest) = packet.as_chunks::<8>();
        words.iter().for_each(|word| self.add(u64::from_le_bytes(*word)));
        rest.iter().for_each(|&byte| self.add(u64::from(byte)));
    }

    /// Turns the bits besides, since a product moves them only upwards.
    pub fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(PRIME).rotate_left(29);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_and_the_time_count() {
        let packet: Vec<u8> = (0..61).collect();
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
