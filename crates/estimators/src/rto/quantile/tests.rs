//! Promises of the timeout, on series whose law is known.

use super::*;
use crate::rto::{evaluate, RtoConfig, RtoCosts, RtoRules, RtoTimer};
use proptest::prelude::*;

/// Uniform numbers in (0, 1) (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn exponential(&mut self) -> f64 {
        -libm::log(self.uniform())
    }
}

fn series(samples: usize, mut next: impl FnMut(usize, &mut Random) -> f64) -> Vec<f64> {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    (0..samples).map(|i| next(i, &mut random)).collect()
}

fn judged(risk: f64, rtts_s: &[f64], karn: bool) -> RtoCosts {
    let rules = RtoRules { min_s: 0.0, ..RtoRules::default() };
    evaluate(&mut RtoTimer::new(RtoConfig::quantile(risk).build(), rules), rtts_s, 10, karn)
}

/// The share of early timeouts over the risk.
fn ratio(risk: f64, rtts_s: &[f64]) -> f64 {
    judged(risk, rtts_s, false).spurious_share().unwrap() / risk
}

#[test]
fn independent_samples_get_the_share_and_wait_no_longer_than_their_own_quantile() {
    let rtts = series(100_000, |_, random| 0.05 + 0.01 * random.exponential());
    let mut sorted = rtts.clone();
    sorted.sort_by(f64::total_cmp);
    for risk in [0.001, 0.01, 0.1] {
        let costs = judged(risk, &rtts, false);
        assert!((costs.spurious_share().unwrap() / risk - 1.0).abs() < 0.2, "risk {risk}");
        // What a constant would have to be to have the share, known afterwards.
        let constant = sorted[sorted.len() - 1 - (risk * sorted.len() as f64) as usize];
        assert!((costs.mean_wait_s().unwrap() / constant - 1.0).abs() < 0.02, "risk {risk}");
    }
}

#[test]
fn level_shifts_leave_the_share_as_it_is() {
    let mut level = 0.1;
    let rtts = series(100_000, |i, random| {
        if i % 4000 == 3999 {
            level = 0.02 + 0.3 * random.uniform();
        }
        level + 0.005 * random.exponential()
    });
    for risk in [0.001, 0.01, 0.1] {
        let ratio = ratio(risk, &rtts);
        assert!((ratio - 1.0).abs() < 0.25, "{ratio} times a risk of {risk}");
    }
}

#[test]
fn a_shift_costs_a_few_early_timeouts_in_a_row() {
    for (risk, most) in [(0.001, 3), (0.01, 4), (0.1, 6)] {
        let mut rto = QuantileRto::new(risk).unwrap();
        let calm = series(20_000, |_, random| 0.05 + 0.002 * random.exponential());
        calm.iter().for_each(|&rtt| rto.on_sample(rtt));
        let (mut row, mut longest) = (0, 0);
        for rtt in calm.iter().take(2000).map(|rtt| rtt + 0.2) {
            row = if rtt > rto.base_rto().unwrap() { row + 1 } else { 0 };
            longest = longest.max(row);
            rto.on_sample(rtt);
        }
        assert!((1..=most).contains(&longest), "{longest} at a risk of {risk}");
    }
}

#[test]
fn what_is_withheld_by_karns_rule_is_counted_all_the_same() {
    let rtts = series(100_000, |_, random| 0.05 + 0.01 * random.exponential());
    for risk in [0.003, 0.03] {
        let share = judged(risk, &rtts, true).spurious_share().unwrap();
        assert!((share / risk - 1.0).abs() < 0.25, "{share} instead of {risk}");
    }
}

#[test]
fn equal_samples_are_the_timeout_and_none_is_early() {
    let costs = judged(0.01, &vec![0.125; 50_000], false);
    assert_eq!(costs.spurious, 0);
    let mut rto = QuantileRto::new(0.01).unwrap();
    (0..1000).for_each(|_| rto.on_sample(0.125));
    assert!((rto.base_rto().unwrap() - 0.125).abs() < 1e-6);
    assert_eq!(rto.risk_seen(), Some(0.0));
}

#[test]
fn whole_milliseconds_keep_the_share() {
    let rtts = series(100_000, |_, random| (20.0 + 1.5 * random.exponential()).floor() / 1e3);
    for risk in [0.001, 0.01, 0.1] {
        let ratio = ratio(risk, &rtts);
        assert!((ratio - 1.0).abs() < 0.25, "{ratio} times a risk of {risk}");
    }
}

#[test]
fn one_outlier_is_forgotten_at_once() {
    let rtts = series(5000, |_, random| 0.05 + 0.01 * random.exponential());
    let mut rto = QuantileRto::new(0.01).unwrap();
    rtts.iter().for_each(|&rtt| rto.on_sample(rtt));
    let before = rto.base_rto().unwrap();
    rto.on_sample(600.0);
    assert!(rto.base_rto().unwrap() < 2.0 * before, "{before} to {:?}", rto.base_rto());
}

#[test]
fn the_first_samples_follow_rfc_6298() {
    let mut rto = QuantileRto::new(0.01).unwrap();
    let mut standard = Jacobson::new(0.125, 0.25, 4.0).unwrap();
    assert_eq!((rto.base_rto(), rto.srtt(), rto.risk_seen()), (None, None, None));
    for rtt in series(WARM_UP as usize - 1, |_, random| random.uniform()) {
        rto.on_sample(rtt);
        standard.on_sample(rtt);
        assert_eq!((rto.base_rto(), rto.srtt()), (standard.base_rto(), standard.srtt()));
    }
}

#[test]
fn the_memory_fades_and_its_weights_stay_small() {
    // At a risk of 0.2 weights are brought back every 70,000 samples; half a million samples go through that often.
    let rtts =
        series(500_000, |i, random| 0.05 + if i < 250_000 { 0.1 } else { 0.01 } * random.exponential());
    let costs = judged(0.2, &rtts, false);
    assert!((costs.spurious_share().unwrap() / 0.2 - 1.0).abs() < 0.05);
    let late = judged(0.2, &rtts[250_000..], false).mean_wait_s().unwrap();
    let whole = costs.total_wait_s - judged(0.2, &rtts[..250_000], false).total_wait_s;
    assert!((whole / 250_000.0 / late - 1.0).abs() < 0.03);
}

#[test]
fn a_risk_out_of_range_is_refused() {
    for risk in [0.0, 1e-7, 0.21, -0.1, f64::NAN] {
        assert_eq!(QuantileRto::new(risk).unwrap_err().field, "risk");
    }
}

proptest! {
    #[test]
    fn finite_samples_give_finite_timeouts_and_reset_is_fresh(
        rtts in prop::collection::vec(prop_oneof![0.0..1.0f64, Just(0.0), 0.0..1e300f64, Just(1e-300)], 1..200),
        withheld in prop::collection::vec(any::<bool>(), 200),
        risk in prop::sample::select(vec![1e-6, 0.01, 0.2]),
    ) {
        let mut used = QuantileRto::new(risk).unwrap();
        let mut first = Vec::new();
        for pass in 0..2 {
            for (i, &rtt) in rtts.iter().enumerate() {
                used.on_sample(rtt);
                if withheld[i] {
                    used.on_early_timeout();
                }
                let base = used.base_rto().unwrap();
                prop_assert!(base.is_finite() && base >= 0.0, "{base} after {i}");
                match pass {
                    0 => first.push(base),
                    _ => prop_assert_eq!(first[i], base),
                }
            }
            used.reset();
            prop_assert_eq!((used.base_rto(), used.risk_seen()), (None, None));
        }
    }
}
