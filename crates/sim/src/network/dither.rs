//! A small known dither: the router picks a few packets at random, where the queue itself drops and marks too little
//! to show who backs off, and as a part of what it drops and marks.

use crate::random::Stream;
use crate::scenario::DitherLoss;

/// The queue's own rate is a mean over about so many of its signals.
const SIGNALS: f64 = 16.0;

/// No more than this part of the packets is picked: the queue must go on telling what it does.
const MOST: f64 = 0.5;

/// Picks packets with the probability that the queue's own signals fall short of a floor, or with a part of that of the
/// queue's signals if that is more.
#[derive(Clone, Debug)]
pub(super) struct Dither {
    floor: f64,
    part: f64,
    /// Mean of the queue's own signals per packet: of all packets at first, then fading.
    own: f64,
    /// Packets that the queue decided about.
    seen: f64,
    stream: Stream,
}

impl Dither {
    /// Nothing is known of the queue yet: it is taken to signal nothing.
    pub fn new(config: DitherLoss, stream: Stream) -> Self {
        Dither { floor: config.floor, part: config.part, own: 0.0, seen: SIGNALS, stream }
    }

    /// With which probability the packet that arrives now is picked, and whether it is.
    pub fn asks(&mut self) -> (f64, bool) {
        let probability = (self.floor - self.own).max(self.part * self.own).max(0.0);
        let probability = probability.min(MOST.max(self.floor));
        (probability, self.stream.chance(probability))
    }

    /// The queue dropped or marked a packet, or neither.
    pub fn note(&mut self, signalled: bool) {
        let signal = f64::from(u8::from(signalled));
        self.seen += 1.0;
        let gain = (self.floor.max(self.own) / SIGNALS).max(1.0 / self.seen);
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

    /// Parts of packets that the queue drops and that are picked, at a queue that drops each packet it gets with this
    /// probability.
    fn parts(floor: f64, part: f64, drops: f64) -> (f64, f64) {
        let config = DitherLoss { floor, part, of: LossOf::All };
        let (mut dither, mut queue) =
            (Dither::new(config, Stream::new(5, "dither")), Stream::new(6, "queue"));
        let (mut picked, mut dropped) = (0.0, 0.0);
        let n = 400_000;
        for _ in 0..n {
            if dither.asks().1 {
                picked += 1.0;
            } else {
                let drop = queue.chance(drops);
                dither.note(drop);
                dropped += f64::from(u8::from(drop));
            }
        }
        (dropped / f64::from(n), picked / f64::from(n))
    }

    #[test]
    fn a_part_is_that_of_the_queues_signals() {
        for (floor, part) in [(0.0, 0.25), (0.001, 1.0)] {
            let (dropped, picked) = parts(floor, part, 0.02);
            assert!((picked / dropped / part - 1.0).abs() < 0.15, "{floor}: {picked} {dropped}");
        }
    }

    #[test]
    fn a_queue_that_drops_all_goes_on_being_asked() {
        let (dropped, picked) = parts(0.0, 1.0, 1.0);
        assert!((picked - MOST).abs() < 0.01 && (dropped - MOST).abs() < 0.01, "{picked} {dropped}");
    }

    #[test]
    fn no_floor_is_no_dither() {
        assert_eq!(picked(0.0, u32::MAX, 10_000), 0);
    }
}
