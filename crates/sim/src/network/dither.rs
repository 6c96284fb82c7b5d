//! A small known dither: where the queue itself drops and marks too little to show who backs off, the router picks a few
//! packets at random.

use crate::random::Stream;
use crate::scenario::DitherLoss;

/// The queue's own rate is a mean over about so many signals at the floor.
const SIGNALS: f64 = 16.0;

/// Picks packets with the probability that the queue's own signals fall short of a floor.
///
/// There is nothing to choose but the floor: at a port whose queue signals more than that, no packet is picked.
#[derive(Clone, Debug)]
pub(super) struct Dither {
    floor: f64,
    part: f64,
    /// Exponential mean of the queue's own signals per packet.
    own: f64,
    /// Packets that the queue decided about.
    seen: f64,
    stream: Stream,
}

impl Dither {
    /// Nothing is known of the queue yet: it is taken to signal nothing.
    pub fn new(config: DitherLoss, stream: Stream) -> Self {
        Dither { floor: config.floor, part: config.part, own: 0.0, seen: 0.0, stream }
    }

    /// With which probability the packet that arrives now is picked, and whether it is.
    pub fn asks(&mut self) -> (f64, bool) {
        let probability = (self.floor - self.own).max(self.part * self.own).max(0.0);
        (probability, self.stream.chance(probability))
    }

    /// The queue dropped or marked a packet, or neither.
    pub fn note(&mut self, signalled: bool) {
        let signal = f64::from(u8::from(signalled));
        self.seen += 1.0;
        // Without a floor the mean goes by its own size, and begins as that of all packets.
        let gain =
            if self.floor > 0.0 { self.floor / SIGNALS } else { (self.own / SIGNALS).max(1.0 / self.seen) };
        self.own += (signal - self.own) * gain;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::LossOf;

    /// Packets picked of `n` at a queue that signals every `period`-th one.
    fn picked(floor: f64, period: u32, n: u32) -> u32 {
        let config = DitherLoss { floor, part: 0.0, of: LossOf::All };
        let mut dither = Dither::new(config, Stream::new(3, "dither"));
        (0..n)
            .filter(|i| {
                let (_, picked) = dither.asks();
                if !picked {
                    dither.note(i % period == 0);
                }
                picked
            })
            .count() as u32
    }

    #[test]
    fn a_silent_queue_is_topped_up_to_the_floor() {
        let n = 1_000_000;
        let found = f64::from(picked(0.001, u32::MAX, n));
        // A binomial with a deviation of 32.
        assert!((found - 1000.0).abs() < 4.0 * 32.0, "{found}");
    }

    #[test]
    fn a_queue_that_signals_half_of_it_is_topped_up_by_half() {
        let found = f64::from(picked(0.002, 1000, 1_000_000));
        assert!((found - 1000.0).abs() < 4.0 * 32.0, "{found}");
    }

    #[test]
    fn a_queue_that_signals_more_is_left_alone() {
        let (warm_up, n) = (100_000, 1_000_000);
        assert_eq!(picked(0.001, 200, n), picked(0.001, 200, warm_up));
    }

    #[test]
    fn no_floor_is_no_dither() {
        assert_eq!(picked(0.0, u32::MAX, 10_000), 0);
    }
}
