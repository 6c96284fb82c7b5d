//! A timer over a whole series of samples.

use alloc::vec::Vec;

use super::{RtoEstimator, RtoTimer};
use crate::seconds::Seconds;

/// Values of a timer after each sample of a series; NaN for those not known yet. All times are seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RtoTrace {
    /// Smoothed round-trip time.
    pub srtt: Vec<f64>,
    /// Its deviation.
    pub rttvar: Vec<f64>,
    /// The timeout.
    pub rto: Vec<f64>,
}

/// The RTO after each sample.
///
/// `retransmitted`, if given, has an entry for each sample and marks the ambiguous ones, which Karn's rule leaves
/// out: the RTO after such a sample is the one before it.
///
/// # Panics
///
/// If `retransmitted` has another length than `rtts`.
pub fn run<E: RtoEstimator, T: Copy + Into<Seconds>>(
    timer: &mut RtoTimer<E>,
    rtts: &[T],
    retransmitted: Option<&[bool]>,
) -> Vec<f64> {
    let mut rtos = Vec::with_capacity(rtts.len());
    each(timer, rtts, retransmitted, |timer| rtos.push(timer.rto()));
    rtos
}

/// srtt, rttvar and RTO after each sample; see [`run`].
///
/// # Panics
///
/// If `retransmitted` has another length than `rtts`.
pub fn trace<E: RtoEstimator, T: Copy + Into<Seconds>>(
    timer: &mut RtoTimer<E>,
    rtts: &[T],
    retransmitted: Option<&[bool]>,
) -> RtoTrace {
    let column = || Vec::with_capacity(rtts.len());
    let mut trace = RtoTrace { srtt: column(), rttvar: column(), rto: column() };
    each(timer, rtts, retransmitted, |timer| {
        trace.srtt.push(timer.estimator().srtt().unwrap_or(f64::NAN));
        trace.rttvar.push(timer.estimator().rttvar().unwrap_or(f64::NAN));
        trace.rto.push(timer.rto());
    });
    trace
}

/// Feeds the series to the timer and calls `after` behind each sample.
#[inline]
fn each<E: RtoEstimator, T: Copy + Into<Seconds>>(
    timer: &mut RtoTimer<E>,
    rtts: &[T],
    retransmitted: Option<&[bool]>,
    mut after: impl FnMut(&RtoTimer<E>),
) {
    let Some(flags) = retransmitted else {
        for &rtt in rtts {
            timer.on_sample(rtt);
            after(timer);
        }
        return;
    };
    assert_eq!(flags.len(), rtts.len(), "one flag for each sample");
    for (&rtt, &flag) in rtts.iter().zip(flags) {
        timer.on_ack(rtt, flag);
        after(timer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rto::{AnyRto, Deviation, RtoConfig, RtoRules};
    use core::time::Duration;
    use proptest::prelude::*;

    fn every_estimator() -> Vec<RtoConfig> {
        vec![
            RtoConfig::jacobson(),
            RtoConfig::jacobson_ticks(0.01),
            RtoConfig::linux(0.2),
            RtoConfig::median(5, Deviation::Ewma),
            RtoConfig::median(5, Deviation::Mad),
            RtoConfig::weighted_median(),
            RtoConfig::quantile(0.2),
        ]
    }

    fn timer(config: &RtoConfig) -> RtoTimer<AnyRto> {
        RtoTimer::new(config.build(), RtoRules { min_s: 0.2, ..RtoRules::default() })
    }

    proptest! {
        #[test]
        fn a_series_gives_what_single_samples_give(
            acks in prop::collection::vec((0.0..3.0f64, any::<bool>()), 0..50),
        ) {
            let (rtts, flags): (Vec<f64>, Vec<bool>) = acks.iter().copied().unzip();
            for config in every_estimator() {
                let (mut whole, mut single) = (timer(&config), timer(&config));
                whole.on_timeout();
                single.on_timeout();
                let mut traced = whole.clone();
                let rtos = run(&mut whole, &rtts, Some(&flags));
                let trace = trace(&mut traced, &rtts, Some(&flags));
                prop_assert_eq!(&rtos, &trace.rto);
                for (n, &(rtt, retransmitted)) in acks.iter().enumerate() {
                    single.on_ack(rtt, retransmitted);
                    prop_assert_eq!(rtos[n], single.rto());
                    let same = |column: f64, now: Option<f64>| now.map_or(column.is_nan(), |v| v == column);
                    prop_assert!(same(trace.srtt[n], single.estimator().srtt()));
                    prop_assert!(same(trace.rttvar[n], single.estimator().rttvar()));
                }
            }
        }

        #[test]
        fn reset_is_fresh_for_every_estimator(
            before in prop::collection::vec(0.0..3.0f64, 1..40),
            after in prop::collection::vec(0.0..3.0f64, 1..40),
        ) {
            for config in every_estimator() {
                let mut used = timer(&config);
                run(&mut used, &before, None);
                (0..6).for_each(|_| used.on_timeout());
                used.reset();
                prop_assert_eq!(used.rto(), 1.0);
                prop_assert_eq!(trace(&mut used, &after, None), trace(&mut timer(&config), &after, None));
            }
        }
    }

    #[test]
    fn durations_are_the_same_series() {
        let milliseconds = [100, 400, 1500, 0, 250];
        let durations = milliseconds.map(Duration::from_millis);
        let seconds = durations.map(|duration| duration.as_secs_f64());
        for config in every_estimator() {
            let by_number = trace(&mut timer(&config), &seconds, None);
            assert_eq!(trace(&mut timer(&config), &durations, None), by_number);
            assert_eq!(run(&mut timer(&config), &durations, None), by_number.rto);
        }
    }

    #[test]
    fn without_flags_every_sample_counts() {
        let rtts = [0.1, 0.4, 0.2];
        let config = RtoConfig::jacobson();
        let with = run(&mut timer(&config), &rtts, Some(&[false; 3]));
        assert_eq!(run(&mut timer(&config), &rtts, None), with);
        assert_eq!(run(&mut timer(&config), &[0.0; 0], None), Vec::<f64>::new());
    }

    #[test]
    #[should_panic(expected = "one flag for each sample")]
    fn flags_must_match_the_samples() {
        run(&mut timer(&RtoConfig::jacobson()), &[0.1], Some(&[]));
    }
}
