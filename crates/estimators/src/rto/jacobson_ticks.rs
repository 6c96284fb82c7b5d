//! Jacobson and Karels' estimator in whole clock ticks, with the integer arithmetic that BSD and ns-2 share.

use super::RtoEstimator;
use crate::error::ConfigError;
use crate::math::round;
use crate::sample::is_rtt;

/// The estimator as the appendix of Jacobson's paper writes it for an integer machine, and ns-2.35 runs it.
///
/// srtt is kept times 8 and rttvar times 4, both in ticks and at least 1. A sample is a whole number of ticks, at
/// least 1: ns-2 counts the tick boundaries between sending and acknowledgement, and a caller that has done so
/// hands over the count times the tick. Any other time counts as the nearest whole number of ticks.
///
/// The granularity of the clock is inside, so `granular_rto` adds none.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JacobsonTicks {
    tick_s: f64,
    /// 0: the next sample is treated as the first.
    srtt8: i64,
    rttvar4: i64,
    /// -1 before the first sample.
    base_ticks: i64,
}

/// Samples count as no more ticks than this, so that no sum overflows: 35 years of microseconds.
const MAX_TICKS: i64 = 1 << 50;

/// Backoff beyond which the smoothed round-trip time is no longer believed.
const TRUSTED_BACKOFF: u32 = 8;

impl JacobsonTicks {
    /// A clock of ticks of `tick_s` seconds, above 0.
    pub fn new(tick_s: f64) -> Result<Self, ConfigError> {
        Self::check(tick_s)?;
        Ok(JacobsonTicks { tick_s, srtt8: 0, rttvar4: 0, base_ticks: -1 })
    }

    pub(super) fn check(tick_s: f64) -> Result<(), ConfigError> {
        let holds = tick_s > 0.0 && tick_s.is_finite();
        ConfigError::unless(holds, "tick", tick_s, "a finite number of seconds above 0")
    }

    /// Takes in a sample of whole ticks; less than 1 counts as 1.
    pub fn on_ticks(&mut self, ticks: i64) {
        let rtt = ticks.clamp(1, MAX_TICKS);
        if self.srtt8 == 0 {
            self.srtt8 = 8 * rtt;
            self.rttvar4 = 2 * rtt;
        } else {
            let delta = rtt - (self.srtt8 >> 3);
            // BSD bounds both by 1 here. They cannot get there: a sample is at least 1, and what is taken off is
            // less than what there is.
            self.srtt8 += delta;
            self.rttvar4 += delta.abs() - (self.rttvar4 >> 2);
            debug_assert!(self.srtt8 >= 1 && self.rttvar4 >= 1);
        }
        self.base_ticks = ((self.rttvar4 << 3) + self.srtt8) >> 3;
    }
}

impl RtoEstimator for JacobsonTicks {
    #[inline]
    fn on_sample(&mut self, rtt_s: f64) {
        if is_rtt(rtt_s) {
            // A conversion of a number beyond the range of i64 gives its greatest value.
            self.on_ticks(round(rtt_s / self.tick_s) as i64);
        }
    }

    /// `None` also after a long backoff has discarded it.
    #[inline]
    fn srtt(&self) -> Option<f64> {
        (self.srtt8 > 0).then_some(self.srtt8 as f64 / 8.0 * self.tick_s)
    }

    #[inline]
    fn rttvar(&self) -> Option<f64> {
        (self.base_ticks >= 0).then_some(self.rttvar4 as f64 / 4.0 * self.tick_s)
    }

    #[inline]
    fn base_rto(&self) -> Option<f64> {
        (self.base_ticks >= 0).then_some(self.base_ticks as f64 * self.tick_s)
    }

    #[inline]
    fn granular_rto(&self, _granularity_s: f64) -> Option<f64> {
        self.base_rto()
    }

    /// Beyond a factor of 8 srtt moves into rttvar and the next sample counts as a first one, while the base RTO
    /// stays as it is until then.
    fn on_backoff(&mut self, factor: u32) {
        if factor > TRUSTED_BACKOFF {
            self.rttvar4 += self.srtt8 >> 3;
            self.srtt8 = 0;
        }
    }

    fn reset(&mut self) {
        self.srtt8 = 0;
        self.rttvar4 = 0;
        self.base_ticks = -1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The rules in real numbers with explicit rounding down, instead of shifts of integers.
    #[derive(Default)]
    struct SlowTwin {
        srtt8: f64,
        rttvar4: f64,
        base: Option<f64>,
    }

    impl SlowTwin {
        fn on_ticks(&mut self, ticks: u32) {
            let rtt = f64::from(ticks.max(1));
            if self.srtt8 == 0.0 {
                (self.srtt8, self.rttvar4) = (rtt * 8.0, rtt * 2.0);
            } else {
                let error = rtt - (self.srtt8 / 8.0).floor();
                self.rttvar4 = (self.rttvar4 - (self.rttvar4 / 4.0).floor() + error.abs()).max(1.0);
                self.srtt8 = (self.srtt8 + error).max(1.0);
            }
            self.base = Some((self.srtt8 / 8.0 + self.rttvar4).floor());
        }

        fn on_backoff(&mut self, factor: u32) {
            if factor > 8 {
                self.rttvar4 += (self.srtt8 / 8.0).floor();
                self.srtt8 = 0.0;
            }
        }
    }

    /// A sample in ticks, or a backoff factor.
    #[derive(Clone, Debug)]
    enum Event {
        Sample(u32),
        Backoff(u32),
    }

    fn event() -> impl Strategy<Value = Event> {
        prop_oneof![
            4 => (0u32..2000).prop_map(Event::Sample),
            1 => prop::sample::select(vec![2u32, 4, 8, 16, 32, 64]).prop_map(Event::Backoff),
        ]
    }

    proptest! {
        #[test]
        fn equals_its_slow_twin_at_every_prefix(
            tick in prop::sample::select(vec![0.01, 0.02, 0.1, 0.3, 0.5]),
            events in prop::collection::vec(event(), 1..100),
        ) {
            let mut fast = JacobsonTicks::new(tick).unwrap();
            let mut slow = SlowTwin::default();
            for event in events {
                match event {
                    Event::Sample(ticks) => {
                        fast.on_sample(f64::from(ticks) * tick);
                        slow.on_ticks(ticks);
                    }
                    Event::Backoff(factor) => {
                        fast.on_backoff(factor);
                        slow.on_backoff(factor);
                    }
                }
                prop_assert_eq!(fast.srtt8 as f64, slow.srtt8);
                prop_assert_eq!(fast.rttvar4 as f64, slow.rttvar4);
                prop_assert_eq!(fast.base_rto(), slow.base.map(|ticks| ticks * tick));
            }
        }
    }

    #[test]
    fn worked_by_hand() {
        let mut filter = JacobsonTicks::new(0.01).unwrap();
        assert_eq!((filter.srtt(), filter.rttvar(), filter.base_rto()), (None, None, None));
        // 13 ticks: srtt8 = 104, rttvar4 = 26, RTO = (208 + 104) >> 3 = 39.
        filter.on_sample(0.13);
        assert_eq!((filter.srtt8, filter.rttvar4, filter.base_ticks), (104, 26, 39));
        assert_eq!((filter.srtt(), filter.rttvar()), (Some(0.13), Some(0.065)));
        // 20 ticks: delta = 7, srtt8 = 111, rttvar4 = 26 + 7 - 6 = 27, RTO = (216 + 111) >> 3 = 40.
        filter.on_sample(0.2);
        assert_eq!((filter.srtt8, filter.rttvar4, filter.base_ticks), (111, 27, 40));
        // A clock that did not tick counts as 1: delta = 1 - 13 = -12, srtt8 = 99, rttvar4 = 27 + 12 - 6 = 33.
        filter.on_sample(0.0);
        assert_eq!((filter.srtt8, filter.rttvar4, filter.base_ticks), (99, 33, 45));
    }

    #[test]
    fn a_long_backoff_discards_srtt_and_keeps_the_rto() {
        let mut filter = JacobsonTicks::new(0.01).unwrap();
        filter.on_sample(0.13);
        filter.on_backoff(8);
        assert_eq!(filter.srtt(), Some(0.13));
        filter.on_backoff(16);
        assert_eq!((filter.srtt8, filter.rttvar4), (0, 26 + 13));
        assert_eq!((filter.srtt(), filter.base_rto()), (None, Some(0.39)));
        filter.on_backoff(32);
        assert_eq!((filter.srtt8, filter.rttvar4), (0, 39));
        // The next sample counts as a first one.
        filter.on_sample(0.2);
        assert_eq!((filter.srtt8, filter.rttvar4, filter.base_ticks), (160, 40, 60));
    }

    #[test]
    fn settles_on_a_constant_from_above_and_below() {
        for start in [1, 10_000] {
            let mut filter = JacobsonTicks::new(0.01).unwrap();
            filter.on_ticks(start);
            (0..1000).for_each(|_| filter.on_ticks(50));
            // srtt moves while srtt8 >> 3 differs from the sample: it stops within a tick above it.
            assert_eq!(filter.srtt8 >> 3, 50, "from {start}");
            // rttvar4 shrinks by a quarter, rounded down, so it stops at 3.
            assert!((1..=3).contains(&filter.rttvar4), "from {start}");
            assert!((50..=53).contains(&filter.base_ticks), "from {start}");
        }
    }

    #[test]
    fn samples_without_end_do_not_overflow() {
        let mut filter = JacobsonTicks::new(f64::MIN_POSITIVE).unwrap();
        for rtt in [f64::MAX, 0.0, f64::MAX, f64::MAX] {
            filter.on_sample(rtt);
            filter.on_backoff(64);
            assert!(filter.base_rto().unwrap() > 0.0);
        }
    }

    #[test]
    fn refuses_a_tick_that_is_no_time() {
        for tick in [0.0, -0.01, f64::NAN, f64::INFINITY] {
            assert_eq!(JacobsonTicks::new(tick).unwrap_err().field, "tick");
        }
    }
}
