//! Properties shared by ports of one kind: the rate of their links, and the transmission times of packets.

use std::cell::Cell;

use crate::units::Time;

/// Properties of a port that all ports of one kind share.
#[derive(Clone, Debug)]
pub struct PortKind {
    /// Transmission time of a byte, in picoseconds.
    pub ps_per_byte: f64,
    /// Transmission times calculated so far.
    pub transmissions: Transmissions,
    /// Most packets that a plain port holds.
    pub limit_packets: u32,
    /// Start of counting.
    pub count_from: Time,
    /// True if [`super::Port::pass`] is all that the port needs: it is plain, and not watched.
    pub simple: bool,
    /// True if the port is [`super::Port::serving`].
    pub serves: bool,
    /// True if packets meet a conditioner first.
    pub conditions: bool,
    /// True if something at the far end observes arrivals: the conditioner of the other direction, or a
    /// capture.
    pub overheard: bool,
    /// True if ties are decided by how long packets were on their way (see [`super::Lead`]). A plain port
    /// does not see one where the last packet that it holds leaves, others of another size come at that
    /// instant, and it is full.
    pub ties: bool,
}

impl PortKind {
    /// Tells if a tie decides whether a port of one packet has room. [`super::Port::pass`] does not look for that.
    pub fn holds_one_of_ties(&self) -> bool {
        self.ties && self.limit_packets == 1
    }

    /// Transmission time of a packet of this size.
    #[inline]
    pub fn transmission(&self, bytes: u16) -> Time {
        let known = self.transmissions.of(bytes);
        match known.get() {
            (size, time) if size == bytes => time,
            _ => {
                let time = self.calculate_transmission(bytes);
                known.set((bytes, time));
                time
            }
        }
    }

    #[cold]
    fn calculate_transmission(&self, bytes: u16) -> Time {
        // At least one picosecond, so that no two packets leave at one instant.
        Time::from_ps(((f64::from(bytes) * self.ps_per_byte + 0.5) as u64).max(1))
    }
}

#[cfg(test)]
impl PortKind {
    /// Plain ports before links of a byte a microsecond.
    pub(super) fn of_tests(limit_packets: Option<u32>, count_from: f64) -> PortKind {
        PortKind {
            ps_per_byte: crate::units::Rate::from_bps(8e6).ps_per_byte(),
            transmissions: Transmissions::default(),
            limit_packets: limit_packets.unwrap_or(u32::MAX),
            count_from: Time::from_secs(count_from),
            simple: true,
            serves: false,
            conditions: false,
            overheard: false,
            ties: true,
        }
    }
}

/// Transmission times of a few sizes, each known once it has been asked for: the steps from bytes to picoseconds wait
/// for one another, and packets have few sizes (docs/performance.md has what that gives).
#[derive(Clone, Debug)]
pub struct Transmissions([Cell<(u16, Time)>; Transmissions::PLACES]);

impl Transmissions {
    const PLACES: usize = 16;

    /// A factor with which ACKs of 40 bytes, with up to three SACK blocks, and common sizes of data all have places of
    /// their own: the least of twelve.
    const SPREAD: u16 = 3575;

    /// The place of a size, which shares it with others.
    #[inline]
    fn place(bytes: u16) -> usize {
        usize::from(bytes.wrapping_mul(Self::SPREAD)) / (0x1_0000 / Self::PLACES)
    }

    /// Cache entry for a size.
    #[inline]
    fn of(&self, bytes: u16) -> &Cell<(u16, Time)> {
        &self.0[Self::place(bytes)]
    }
}

impl Default for Transmissions {
    /// Nothing is known: no size is in place of another one.
    fn default() -> Self {
        let elsewhere = |place| if place == Self::place(0) { 40 } else { 0 };
        Transmissions(std::array::from_fn(|place| Cell::new((elsewhere(place), Time::ZERO))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_sizes_have_places_of_their_own() {
        let mut places =
            [40, 48, 56, 64, 500, 512, 536, 552, 576, 1000, 1040, 1448, 1460, 1500].map(Transmissions::place);
        places.sort_unstable();
        assert!(places.windows(2).all(|two| two[0] < two[1]), "{places:?}");
    }

    #[test]
    fn a_size_takes_its_place_from_another_one() {
        let kind = PortKind::of_tests(None, 0.0);
        for bytes in (0..=u16::MAX).chain([1500, 40, 0]) {
            let twice = [(); 2].map(|()| kind.transmission(bytes));
            assert_eq!(twice, [kind.calculate_transmission(bytes); 2], "{bytes}");
        }
    }

    #[test]
    fn transmission_times_are_those_of_their_sizes() {
        let kind = PortKind::of_tests(None, 0.0);
        let right = |bytes: u16| (u64::from(bytes) * 1_000_000).max(1);
        // Each is calculated, found again, and found anew after another size has taken its place.
        for bytes in 0..2000 {
            let asked = [bytes, bytes, bytes ^ 1, bytes];
            assert_eq!(asked.map(|bytes| kind.transmission(bytes).ps()), asked.map(right), "{bytes}");
        }
    }
}
