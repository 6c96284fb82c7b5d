//! The rules around every estimator: initial value, minimum, maximum, clock granularity, backoff, Karn.

use core::borrow::Borrow;
use core::time::Duration;

use super::RtoEstimator;
use crate::error::ConfigError;
use crate::sample::is_rtt;
use crate::seconds::Seconds;

/// The rules that turn a base RTO into the time a timer is set to. All times are seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RtoRules {
    /// In place of the base RTO before the first sample.
    pub initial_s: f64,
    /// Least RTO, before backoff.
    pub min_s: f64,
    /// Greatest RTO, after backoff.
    pub max_s: f64,
    /// Granularity of the sender's clock: the deviation counts as at least this.
    pub granularity_s: f64,
}

/// Backoff factor from which on it doubles only while the timeout is below its maximum (ns-2.35).
pub const MAX_BACKOFF: u32 = 64;

impl Default for RtoRules {
    /// RFC 6298: initially 1 s (2.1), at least 1 s (2.4), at most 60 s (2.5), an exact clock.
    fn default() -> Self {
        // [RFC 6298 2.1-a] [RFC 6298 2.4-a]
        RtoRules { initial_s: 1.0, min_s: 1.0, max_s: 60.0, granularity_s: 0.0 }
    }
}

impl RtoRules {
    /// The defaults of ns-2.35: initially 3 s, at least 0.2 s, at most 60 s.
    pub fn ns2() -> Self {
        RtoRules { initial_s: 3.0, min_s: 0.2, max_s: 60.0, granularity_s: 0.0 }
    }

    /// Checks that the rules make sense together.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let time = |field, value: f64| {
            ConfigError::unless(
                value >= 0.0 && value.is_finite(),
                field,
                value,
                "a finite number of seconds, at least 0",
            )
        };
        ConfigError::unless(
            self.initial_s > 0.0 && self.initial_s.is_finite(),
            "initial_rto",
            self.initial_s,
            "a finite number of seconds above 0",
        )?;
        time("min_rto", self.min_s)?;
        time("granularity", self.granularity_s)?;
        ConfigError::unless(
            self.max_s > 0.0 && self.max_s.is_finite() && self.max_s >= self.min_s,
            "max_rto",
            self.max_s,
            "a finite number of seconds above 0, not less than min_rto",
        )
    }

    /// The timeout for a base RTO: the minimum goes before the backoff, the maximum after it.
    #[inline]
    pub fn apply(&self, base_s: f64, backoff: u32) -> f64 {
        (base_s.max(self.min_s) * f64::from(backoff)).min(self.max_s)
    }
}

/// An estimator, the rules, and the backoff they share: what a sender asks for its timeout.
///
/// # Examples
///
/// ```
/// use parshall_estimators::rto::{RtoConfig, RtoRules, RtoTimer};
/// let mut timer = RtoTimer::new(RtoConfig::default().build(), RtoRules { min_s: 0.2, ..RtoRules::default() });
/// assert_eq!(timer.rto(), 1.0);
/// timer.on_sample(0.5);
/// assert_eq!(timer.rto(), 1.5); // 0.5 + 4 * 0.25
/// timer.on_timeout();
/// timer.on_ack(0.7, true); // of a retransmitted packet: says nothing
/// assert_eq!(timer.rto(), 3.0);
/// ```
///
/// The rules may be shared: `R` is [`RtoRules`] or what points to some.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RtoTimer<E, R = RtoRules> {
    estimator: E,
    rules: R,
    backoff: u32,
}

impl<E: RtoEstimator, R: Borrow<RtoRules>> RtoTimer<E, R> {
    /// A timer that has seen nothing.
    pub fn new(estimator: E, rules: R) -> Self {
        RtoTimer { estimator, rules, backoff: 1 }
    }

    /// Takes in an unambiguous sample and ends the backoff (RFC 6298, section 5). A value that is no round-trip
    /// time is left out.
    #[inline]
    pub fn on_sample(&mut self, rtt: impl Into<Seconds>) {
        let rtt_s = rtt.into().get();
        if is_rtt(rtt_s) {
            self.estimator.on_sample(rtt_s);
            self.backoff = 1;
        }
    }

    /// Takes a sample amid a round trip; see [`RtoEstimator::on_sample_amid_round`].
    #[inline]
    pub fn on_sample_amid_round(&mut self, rtt: impl Into<Seconds>) {
        let rtt_s = rtt.into().get();
        if is_rtt(rtt_s) {
            self.estimator.on_sample_amid_round(rtt_s);
            self.backoff = 1;
        }
    }

    /// Takes in the round-trip time of an acknowledged packet by Karn's rule (RFC 6298, section 3): one that was
    /// retransmitted says nothing, since the ACK may belong to either copy, and the backoff stays.
    #[inline]
    pub fn on_ack(&mut self, rtt: impl Into<Seconds>, retransmitted: bool) {
        // [RFC 6298 3-a] [RFC 6298 3-b]
        if retransmitted {
            self.on_early_timeout();
        } else {
            self.on_sample(rtt);
        }
    }

    /// Tells the estimator of a timeout that was early, or may have been, and of which no sample comes.
    pub fn on_early_timeout(&mut self) {
        self.estimator.on_early_timeout();
    }

    /// Doubles the backoff (RFC 6298, section 5.5), beyond [`MAX_BACKOFF`] only while the timeout is below its
    /// maximum, and tells the estimator.
    pub fn on_timeout(&mut self) {
        if self.backoff < MAX_BACKOFF || self.rto() < self.rules().max_s {
            // [RFC 6298 5.5-a]
            self.backoff = self.backoff.saturating_mul(2);
        }
        self.estimator.on_backoff(self.backoff);
    }

    /// Ends the backoff without a sample, as some senders do on any ACK of new data.
    pub fn reset_backoff(&mut self) {
        self.backoff = 1;
    }

    /// The backoff factor: 1 after a sample, doubled by each timeout since.
    #[inline]
    pub fn backoff(&self) -> u32 {
        self.backoff
    }

    /// The timeout to set now, in seconds:
    /// `min(max, max(min, srtt + max(granularity, K rttvar)) * backoff)`.
    ///
    /// Before the first sample the initial RTO stands for the sum.
    #[inline]
    pub fn rto(&self) -> f64 {
        let rules = self.rules();
        // [RFC 6298 2.3-d] [RFC 6298 4-a]
        let base = self.estimator.granular_rto(rules.granularity_s);
        rules.apply(base.unwrap_or(rules.initial_s), self.backoff)
    }

    /// [`RtoTimer::rto`] as a duration, rounded to a nanosecond.
    #[inline]
    pub fn timeout(&self) -> Duration {
        Seconds::from(self.rto()).to_duration()
    }

    /// The estimator inside.
    #[inline]
    pub fn estimator(&self) -> &E {
        &self.estimator
    }

    /// The estimator inside, to tell it what a timer does not know. Samples go through the timer, which ends the backoff.
    #[inline]
    pub fn estimator_mut(&mut self) -> &mut E {
        &mut self.estimator
    }

    /// The rules.
    pub fn rules(&self) -> &RtoRules {
        self.rules.borrow()
    }

    /// Forgets every sample and the backoff.
    pub fn reset(&mut self) {
        self.estimator.reset();
        self.backoff = 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rto::{AnyRto, RtoConfig};
    use proptest::prelude::*;

    /// A sender that remembers everything and computes the RTO of RFC 6298 from scratch.
    struct SlowTwin {
        rules: RtoRules,
        samples: Vec<f64>,
        timeouts: u32,
    }

    impl SlowTwin {
        fn rto(&self) -> f64 {
            let base = match self.samples.split_first() {
                None => self.rules.initial_s,
                Some((&first, rest)) => {
                    let (mut srtt, mut rttvar) = (first, first / 2.0);
                    for r in rest {
                        rttvar = 0.75 * rttvar + 0.25 * (srtt - r).abs();
                        srtt = 0.875 * srtt + 0.125 * r;
                    }
                    srtt + f64::max(self.rules.granularity_s, 4.0 * rttvar)
                }
            };
            let least = base.max(self.rules.min_s);
            let backoff = (0..self.timeouts).fold(1.0, |factor, _| {
                if factor < 64.0 || least * factor < self.rules.max_s {
                    2.0 * factor
                } else {
                    factor
                }
            });
            (least * backoff).min(self.rules.max_s)
        }
    }

    #[derive(Clone, Debug)]
    enum Event {
        Ack { rtt: f64, retransmitted: bool },
        Timeout,
        NewAckWithoutSample,
    }

    fn event() -> impl Strategy<Value = Event> {
        prop_oneof![
            4 => (0.0..2.0f64, prop::bool::weighted(0.3))
                .prop_map(|(rtt, retransmitted)| Event::Ack { rtt, retransmitted }),
            3 => Just(Event::Timeout),
            1 => Just(Event::NewAckWithoutSample),
        ]
    }

    proptest! {
        #[test]
        fn equals_its_slow_twin_after_every_event(
            initial_s in 0.1..5.0f64,
            min_s in 0.0..1.0f64,
            max_s in 1.0..60.0f64,
            granularity_s in prop::sample::select(vec![0.0, 0.01, 0.5]),
            events in prop::collection::vec(event(), 1..60),
        ) {
            let rules = RtoRules { initial_s, min_s, max_s, granularity_s };
            let mut timer = RtoTimer::new(RtoConfig::jacobson().build(), rules);
            let mut twin = SlowTwin { rules, samples: vec![], timeouts: 0 };
            prop_assert_eq!(timer.rto(), twin.rto());
            for event in events {
                match event {
                    Event::Ack { rtt, retransmitted } => {
                        timer.on_ack(rtt, retransmitted);
                        if !retransmitted {
                            twin.samples.push(rtt);
                            twin.timeouts = 0;
                        }
                    }
                    Event::Timeout => {
                        timer.on_timeout();
                        twin.timeouts += 1;
                    }
                    Event::NewAckWithoutSample => {
                        timer.reset_backoff();
                        twin.timeouts = 0;
                    }
                }
                let expected = twin.rto();
                prop_assert!((timer.rto() - expected).abs() <= 1e-9, "{} {}", timer.rto(), expected);
            }
        }
    }

    fn ns2(tick: f64) -> RtoTimer<AnyRto> {
        RtoTimer::new(RtoConfig::jacobson_ticks(tick).build(), RtoRules::ns2())
    }

    #[test]
    // [RFC 6298 5.5-a]
    fn the_initial_rto_backs_off_too() {
        let mut timer = ns2(0.01);
        let rtos = [(); 8].map(|()| {
            let rto = timer.rto();
            timer.on_timeout();
            rto
        });
        assert_eq!(rtos, [3.0, 6.0, 12.0, 24.0, 48.0, 60.0, 60.0, 60.0]);
        assert_eq!(timer.backoff(), 64);
        // An initial value below the minimum is raised to it.
        let rules = RtoRules { initial_s: 0.1, ..RtoRules::ns2() };
        assert_eq!(RtoTimer::new(RtoConfig::jacobson().build(), rules).rto(), 0.2);
    }

    #[test]
    fn the_backoff_goes_on_until_the_maximum_is_reached() {
        let mut timer = RtoTimer::new(RtoConfig::jacobson().build(), RtoRules::ns2());
        timer.on_sample(0.05);
        let rtos = [(); 11].map(|()| {
            timer.on_timeout();
            timer.rto()
        });
        assert_eq!(rtos, [0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 60.0, 60.0, 60.0]);
        assert_eq!(timer.backoff(), 512);
    }

    #[test]
    // [RFC 6298 2.4-a]
    fn the_minimum_goes_before_the_backoff_and_the_maximum_after() {
        let rules = RtoRules { min_s: 1.0, max_s: 5.0, ..RtoRules::default() };
        let mut timer = RtoTimer::new(RtoConfig::jacobson().build(), rules);
        timer.on_sample(0.1);
        let rtos = [(); 4].map(|()| {
            let rto = timer.rto();
            timer.on_timeout();
            rto
        });
        assert_eq!(rtos, [1.0, 2.0, 4.0, 5.0]);
    }

    #[test]
    fn a_tick_clock_keeps_its_rto_through_a_long_backoff() {
        let mut timer = ns2(0.01);
        timer.on_sample(0.13); // base RTO 39 ticks
        let rtos = [(); 6].map(|()| {
            timer.on_timeout();
            timer.rto()
        });
        assert_eq!(rtos, [2.0, 4.0, 8.0, 16.0, 32.0, 64.0].map(|factor: f64| (0.39 * factor).min(60.0)));
        assert_eq!((timer.estimator().srtt(), timer.estimator().base_rto()), (None, Some(0.39)));
        timer.on_sample(0.2);
        assert_eq!((timer.backoff(), timer.rto()), (1, 0.6));
    }

    #[test]
    // [RFC 6298 4-a]
    fn granularity_bounds_the_deviation_but_is_inside_ticks_already() {
        let rules = RtoRules { min_s: 0.0, granularity_s: 0.5, ..RtoRules::default() };
        let after_a_long_constant = |config: RtoConfig| {
            let mut timer = RtoTimer::new(config.build(), rules);
            (0..10_000).for_each(|_| timer.on_sample(0.25));
            timer.rto()
        };
        assert_eq!(after_a_long_constant(RtoConfig::jacobson()), 0.75);
        assert_eq!(after_a_long_constant(RtoConfig::weighted_median()), 0.75);
        assert!(after_a_long_constant(RtoConfig::jacobson_ticks(0.01)) < 0.3);
    }

    #[test]
    // [RFC 6298 3-a] [RFC 6298 3-b]
    fn what_is_no_round_trip_time_does_not_end_a_backoff() {
        let mut timer = RtoTimer::new(RtoConfig::jacobson().build(), RtoRules::default());
        timer.on_timeout();
        for rtt in [f64::NAN, f64::INFINITY, -1.0] {
            timer.on_ack(rtt, false);
            assert_eq!((timer.backoff(), timer.estimator().srtt()), (2, None));
        }
        timer.on_ack(0.5, true);
        assert_eq!((timer.backoff(), timer.estimator().srtt()), (2, None));
        timer.on_ack(0.5, false);
        assert_eq!((timer.backoff(), timer.estimator().srtt()), (1, Some(0.5)));
        timer.on_timeout();
        timer.reset();
        assert_eq!((timer.backoff(), timer.rto()), (1, 1.0));
    }

    #[test]
    fn refuses_rules_that_contradict_each_other() {
        let good = RtoRules::default();
        assert_eq!(good.validate(), Ok(()));
        assert_eq!(RtoRules::ns2().validate(), Ok(()));
        let field = |rules: RtoRules| rules.validate().unwrap_err().field;
        assert_eq!(field(RtoRules { initial_s: 0.0, ..good }), "initial_rto");
        assert_eq!(field(RtoRules { initial_s: f64::NAN, ..good }), "initial_rto");
        assert_eq!(field(RtoRules { min_s: -1.0, ..good }), "min_rto");
        assert_eq!(field(RtoRules { min_s: f64::INFINITY, ..good }), "min_rto");
        assert_eq!(field(RtoRules { max_s: 0.5, ..good }), "max_rto");
        assert_eq!(field(RtoRules { min_s: 0.0, max_s: 0.0, ..good }), "max_rto");
        assert_eq!(field(RtoRules { granularity_s: -0.1, ..good }), "granularity");
    }
}
