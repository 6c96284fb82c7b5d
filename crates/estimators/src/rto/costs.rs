//! The two costs of a retransmission timeout: fired too early, and waited for too long.
//!
//! After M. Allman and V. Paxson, "On estimating end-to-end network path properties", SIGCOMM 1999, who replay
//! recorded TCP connections and weigh the time spent waiting for timeouts (W) against the share of timeouts that
//! were not needed (B). Here there are no connections, only a series of round-trip times, and every
//! sample stands for both kinds of packet:
//!
//! - the packet that arrived: the timeout would have been spurious if the round trip took longer than the RTO in
//!   force when the packet was sent, that is the RTO after the sample before;
//! - the same packet, had it been lost: the sender would have waited for that RTO.

use super::{RtoEstimator, RtoTimer, MAX_BACKOFF};
use crate::sample::is_rtt;
use crate::seconds::Seconds;

/// Sums over the judged samples of a series. Each pair of estimators fed the same series is comparable.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RtoCosts {
    /// Samples judged.
    pub samples: u64,
    /// Samples that took longer than the RTO in force.
    pub spurious: u64,
    /// Sum of the RTOs in force: the wait if every packet had been lost. Seconds.
    pub total_wait_s: f64,
    /// Sum of the round-trip times. Seconds.
    pub total_rtt_s: f64,
}

impl RtoCosts {
    /// Share of packets that would be retransmitted needlessly (compare Allman and Paxson's B).
    pub fn spurious_share(&self) -> Option<f64> {
        (self.samples > 0).then(|| self.spurious as f64 / self.samples as f64)
    }

    /// Mean wait for a lost packet, in seconds (compare W).
    pub fn mean_wait_s(&self) -> Option<f64> {
        (self.samples > 0).then(|| self.total_wait_s / self.samples as f64)
    }

    /// Mean wait in units of the mean round-trip time (compare W normalised).
    pub fn normalized_wait(&self) -> Option<f64> {
        (self.total_rtt_s > 0.0).then(|| self.total_wait_s / self.total_rtt_s)
    }
}

/// Judges a timer on a series of round-trip times.
///
/// The first `warm_up` samples are fed to the timer and not judged. Without `karn` every sample is fed, also
/// after a spurious timeout, as a sender with timestamps would (RFC 7323), and no backoff is ever in force. With
/// `karn` a sample that outlasts its RTO backs the timer off once for each expiry before its ACK and is then
/// left out as ambiguous, so that the next RTOs are backed-off ones until a sample stays within its own. What is no
/// round-trip time, since it is negative, NaN or infinite, is left out and not judged.
///
/// ```
/// use parshall_estimators::rto::{evaluate, RtoConfig, RtoRules, RtoTimer};
/// let rules = RtoRules { min_s: 0.0, ..RtoRules::default() };
/// let mut timer = RtoTimer::new(RtoConfig::default().build(), rules);
/// // After 0.1 the RTO is 0.1 + 4 * 0.05 = 0.3, which 0.4 outlasts.
/// let costs = evaluate(&mut timer, &[0.1, 0.4], 1, false);
/// assert_eq!((costs.samples, costs.spurious), (1, 1));
/// assert!((costs.total_wait_s - 0.3).abs() < 1e-15);
/// ```
pub fn evaluate<E: RtoEstimator, T: Copy + Into<Seconds>>(
    timer: &mut RtoTimer<E>,
    rtts: &[T],
    warm_up: usize,
    karn: bool,
) -> RtoCosts {
    let (unjudged, judged) = rtts.split_at(warm_up.min(rtts.len()));
    unjudged.iter().for_each(|&rtt| timer.on_sample(rtt));
    let mut costs = RtoCosts::default();
    for rtt in judged.iter().map(|&rtt| rtt.into().get()).filter(|&rtt_s| is_rtt(rtt_s)) {
        let rto = timer.rto();
        let spurious = rtt > rto;
        costs.samples += 1;
        costs.spurious += u64::from(spurious);
        costs.total_wait_s += rto;
        costs.total_rtt_s += rtt;
        if spurious && karn {
            back_off(timer, rtt);
            timer.on_early_timeout();
        } else {
            timer.on_sample(rtt);
        }
    }
    costs
}

/// Lets the timer expire until an ACK `rtt_s` after the first transmission arrives.
fn back_off<E: RtoEstimator>(timer: &mut RtoTimer<E>, rtt_s: f64) {
    let mut expiry = timer.rto();
    while expiry < rtt_s && timer.backoff() < MAX_BACKOFF {
        timer.on_timeout();
        expiry += timer.rto();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rto::{AnyRto, Deviation, RtoConfig, RtoRules};
    use proptest::prelude::*;

    fn timer(config: &RtoConfig, min_s: f64) -> RtoTimer<AnyRto> {
        RtoTimer::new(config.build(), RtoRules { min_s, ..RtoRules::default() })
    }

    proptest! {
        #[test]
        fn without_karn_it_compares_each_sample_with_the_rto_before_it(
            rtts in prop::collection::vec(0.001..3.0f64, 1..60),
            warm_up in 0usize..70,
            min_s in prop::sample::select(vec![0.0, 0.2, 1.0]),
        ) {
            for config in [RtoConfig::jacobson(), RtoConfig::median(5, Deviation::Mad)] {
                let costs = evaluate(&mut timer(&config, min_s), &rtts, warm_up, false);
                let after = crate::rto::run(&mut timer(&config, min_s), &rtts, None);
                let in_force: Vec<f64> = [1.0f64.max(min_s)].into_iter().chain(after).collect();
                let judged: Vec<(f64, f64)> =
                    rtts.iter().copied().zip(in_force).skip(warm_up).collect();
                prop_assert_eq!(costs.samples, judged.len() as u64);
                let spurious = judged.iter().filter(|(rtt, rto)| rtt > rto).count();
                prop_assert_eq!(costs.spurious, spurious as u64);
                prop_assert_eq!(costs.total_wait_s, judged.iter().fold(0.0, |sum, (_, rto)| sum + rto));
                prop_assert_eq!(costs.total_rtt_s, judged.iter().fold(0.0, |sum, (rtt, _)| sum + rtt));
            }
        }
    }

    #[test]
    fn karn_backs_off_and_leaves_the_ambiguous_sample_out() {
        let config = RtoConfig::jacobson();
        // RTO 0.3 after the first sample. An ACK after 1.0 outlasts it twice: at 0.3 and at 0.3 + 0.6. The next
        // packet is sent with 4 * 0.3; its sample of 0.1 ends the backoff: rttvar = 3/4 * 0.05.
        let mut with_karn = timer(&config, 0.0);
        let costs = evaluate(&mut with_karn, &[0.1, 1.0, 0.1, 0.1], 1, true);
        assert_eq!((costs.samples, costs.spurious), (3, 1));
        assert!((costs.total_wait_s - (0.3 + 1.2 + 0.25)).abs() < 1e-12);
        assert!((with_karn.estimator().srtt().unwrap() - 0.1).abs() < 1e-15);
        let without = evaluate(&mut timer(&config, 0.0), &[0.1, 1.0, 0.1, 0.1], 1, false);
        assert_eq!(without.spurious, 1);
    }

    #[test]
    fn an_ack_at_the_instant_of_the_expiry_is_in_time() {
        let costs = evaluate(&mut timer(&RtoConfig::jacobson(), 0.0), &[0.25, 0.75, 0.75], 1, false);
        assert_eq!((costs.samples, costs.spurious), (2, 0));
    }

    #[test]
    fn what_is_no_round_trip_time_is_not_judged() {
        let config = RtoConfig::jacobson();
        let with = [0.1, f64::NAN, 0.4, -0.1, f64::INFINITY, 0.2];
        let costs = evaluate(&mut timer(&config, 0.0), &with, 1, true);
        assert_eq!(costs, evaluate(&mut timer(&config, 0.0), &[0.1, 0.4, 0.2], 1, true));
        let durations = [100, 400, 200].map(core::time::Duration::from_millis);
        assert_eq!(costs, evaluate(&mut timer(&config, 0.0), &durations, 1, true));
    }

    #[test]
    fn an_rto_of_zero_ends() {
        // No sample and no minimum: a timer of 0 would expire for ever.
        let mut zero = timer(&RtoConfig::jacobson(), 0.0);
        let costs = evaluate(&mut zero, &[0.0, 1.0, 1.0], 1, true);
        assert_eq!((costs.spurious, costs.total_wait_s), (2, 0.0));
    }

    #[test]
    fn ratios_exist_only_when_something_was_judged() {
        let costs = evaluate(&mut timer(&RtoConfig::jacobson(), 0.0), &[0.1], 1, false);
        assert_eq!(costs, RtoCosts::default());
        let ratios = (costs.spurious_share(), costs.mean_wait_s(), costs.normalized_wait());
        assert_eq!(ratios, (None, None, None));
        let costs = RtoCosts { samples: 4, spurious: 1, total_wait_s: 2.0, total_rtt_s: 0.5 };
        let ratios = (costs.spurious_share(), costs.mean_wait_s(), costs.normalized_wait());
        assert_eq!(ratios, (Some(0.25), Some(0.5), Some(4.0)));
    }
}
