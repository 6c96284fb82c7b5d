//! A small known dither: the router picks a few packets at random, where the queue itself drops and marks too little
//! to show who backs off, and as a part of what it drops and marks while its backlog is long.

use crate::random::Stream;
use crate::scenario::DitherLoss;

/// The queue's own rate is a mean over about so many of its signals.
const SIGNALS: f64 = 16.0;

/// No more than this part of the packets is picked: the queue must go on telling what it does.
const MOST: f64 = 0.5;

/// The queue's backlog is long from this part on of what it held at its own signals.
const LONG: f64 = 0.5;

/// Picks packets with the probability that the queue's own signals fall short of a floor, or, while the backlog is about
/// as long as when the queue itself signals, with a part of that of the queue's signals if that is more: a loss then
/// does not leave the link idle.
#[derive(Clone, Debug)]
pub(super) struct Dither {
    floor: f64,
    part: f64,
    /// The queue's own signals of all packets, and of those that met a long backlog.
    own: SignalRate,
    own_if_long: SignalRate,
    /// Mean of the backlog at the queue's own signals, in bytes, and over how many of them it goes.
    backlog: f64,
    signals: f64,
    stream: Stream,
}

/// Signals per packet: their mean over all packets at first, then fading.
#[derive(Clone, Copy, Debug)]
struct SignalRate {
    mean: f64,
    /// Packets that the queue decided about.
    seen: f64,
}

impl SignalRate {
    /// Nothing is known of the queue yet: it is taken to signal nothing.
    const NOTHING: SignalRate = SignalRate { mean: 0.0, seen: SIGNALS };

    fn update(&mut self, signal: f64, floor: f64) {
        self.seen += 1.0;
        let gain = (floor.max(self.mean) / SIGNALS).max(1.0 / self.seen);
        self.mean += (signal - self.mean) * gain;
    }
}

impl Dither {
    /// A dither at a queue that has not done anything yet.
    pub fn new(config: DitherLoss, stream: Stream) -> Self {
        let DitherLoss { floor, part, .. } = config;
        let own = SignalRate::NOTHING;
        Dither { floor, part, own, own_if_long: own, backlog: 0.0, signals: 0.0, stream }
    }

    /// The stream that it draws from.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// With which probability the packet that meets this backlog is picked, and whether it is.
    pub fn asks(&mut self, backlog: u64) -> (f64, bool) {
        let part = if self.is_long(backlog) { self.part * self.own_if_long.mean } else { 0.0 };
        let probability = (self.floor - self.own.mean).max(part).max(0.0);
        let probability = probability.min(MOST.max(self.floor));
        (probability, self.stream.chance(probability))
    }

    /// The queue dropped or marked a packet that met this backlog, or neither.
    pub fn update(&mut self, signalled: bool, backlog: u64) {
        let signal = f64::from(u8::from(signalled));
        self.own.update(signal, self.floor);
        if signalled {
            self.signals = (self.signals + 1.0).min(SIGNALS);
            self.backlog += (backlog as f64 - self.backlog) / self.signals;
        }
        if signalled || self.is_long(backlog) {
            self.own_if_long.update(signal, self.floor);
        }
    }

    fn is_long(&self, backlog: u64) -> bool {
        backlog as f64 >= LONG * self.backlog
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
                let (_, picked) = dither.asks(0);
                if !picked {
                    dither.update(i % period == 0, 0);
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
            if dither.asks(0).1 {
                picked += 1.0;
            } else {
                let drop = queue.chance(drops);
                dither.update(drop, 0);
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

    /// Every other packet meets 1000 bytes, and the queue drops one in ten of these and no others.
    #[test]
    fn a_part_is_picked_while_the_backlog_is_long() {
        let config = DitherLoss { floor: 0.0, part: 0.5, of: LossOf::All };
        let (mut dither, mut queue) =
            (Dither::new(config, Stream::new(5, "dither")), Stream::new(6, "queue"));
        let (mut of_short, mut of_long, mut dropped) = (0, 0.0, 0.0);
        for i in 0..200_000 {
            let backlog = if i % 2 == 0 { 400 } else { 1000 };
            let picked = dither.asks(backlog).1;
            if picked && backlog == 400 {
                of_short += 1;
            } else if picked {
                of_long += 1.0;
            } else {
                let drop = backlog == 1000 && queue.chance(0.1);
                dither.update(drop, backlog);
                dropped += f64::from(u8::from(drop));
            }
        }
        // Only as long as the queue has not signalled, any backlog is long; nothing is picked then.
        assert_eq!(of_short, 0);
        assert!((of_long / dropped / 0.5 - 1.0_f64).abs() < 0.15, "{of_long} {dropped}");
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
