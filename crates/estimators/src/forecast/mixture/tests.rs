use super::*;
use crate::forecast::ForecasterConfig;
use proptest::prelude::*;

/// Uniform numbers between -0.5 and 0.5 (xorshift64*, Vigna 2016).
fn noise(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let next = |_| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    (0..n).map(next).collect()
}

/// Mean loss of the mixture, and of the expert that lost least.
fn losses(xs: &[f64], loss: LossFunction, from: usize) -> (f64, f64) {
    let mut mixture = Mixture::new(loss);
    let mut lost = [0.0; EXPERTS];
    let mut own = 0.0;
    for (t, &x) in xs.iter().enumerate() {
        if t >= from {
            own += loss.of(mixture.forecast().unwrap() - x);
            lost.iter_mut().zip(mixture.expert_forecasts()).for_each(|(sum, f)| *sum += loss.of(f - x));
        }
        mixture.update(x);
    }
    (own, lost.into_iter().fold(f64::INFINITY, f64::min))
}

fn walk(n: usize) -> Vec<f64> {
    noise(n, 3)
        .iter()
        .scan(100.0, |x, e| {
            *x += e;
            Some(*x)
        })
        .collect()
}

fn autoregression(n: usize) -> Vec<f64> {
    noise(n, 4)
        .iter()
        .scan(0.0, |x, e| {
            *x = 0.8 * *x + e;
            Some(30.0 + *x)
        })
        .collect()
}

/// One sample in ten is far away.
fn heavy(n: usize) -> Vec<f64> {
    noise(n, 5).iter().map(|u| 20.0 + 0.2 / (u + 0.501)).collect()
}

fn quantised(n: usize) -> Vec<f64> {
    autoregression(n).iter().map(|x| (2.0 * x).round()).collect()
}

fn trend(n: usize) -> Vec<f64> {
    noise(n, 6).iter().enumerate().map(|(t, e)| 20.0 + 0.05 * t as f64 + e).collect()
}

fn cycle(n: usize) -> Vec<f64> {
    noise(n, 7).iter().enumerate().map(|(t, e)| 40.0 + 8.0 * libm::sin(t as f64 * 0.17) + e).collect()
}

fn routes(n: usize) -> Vec<f64> {
    noise(n, 8).iter().enumerate().map(|(t, e)| [30.0, 48.0, 34.0, 90.0][t / 700 % 4] + e).collect()
}

#[test]
fn loses_little_more_than_the_best_expert_on_series_of_every_kind() {
    // Squared errors at changes of route are so much larger than all others that only the first of them would count.
    for (name, xs) in [
        ("noise", noise(4000, 1)),
        ("walk", walk(4000)),
        ("autoregression", autoregression(4000)),
        ("heavy", heavy(4000)),
        ("quantised", quantised(4000)),
        ("trend", trend(4000)),
        ("cycle", cycle(4000)),
        ("routes", routes(4000)),
    ] {
        let (own, best) = losses(&xs, LossFunction::Absolute, 50);
        assert!(own < 1.01 * best, "{name}: {own} absolute, the best {best}");
        if name == "routes" {
            continue;
        }
        let (own, best) = losses(&xs, LossFunction::Squared, 50);
        assert!(own.sqrt() < 1.01 * best.sqrt(), "{name}: {own} squared, the best {best}");
    }
}

#[test]
fn units_do_not_matter() {
    for loss in [LossFunction::Absolute, LossFunction::Squared] {
        let (mut ms, mut s) = (Mixture::new(loss), Mixture::new(loss));
        for x in routes(3000) {
            ms.update(x);
            s.update(x / 1024.0);
            let (a, b) = (ms.forecast().unwrap(), 1024.0 * s.forecast().unwrap());
            assert!((a - b).abs() < 1e-6 * a.abs(), "{a} {b}");
        }
    }
}

#[test]
fn after_a_shift_the_old_samples_do_not_pull() {
    // The mean of the samples since the shift is the best that can be done; it is told where the shift was.
    let xs = routes(2100);
    for loss in [LossFunction::Absolute, LossFunction::Squared] {
        let mut mixture = Mixture::new(loss);
        let (mut own, mut told) = (0.0, 0.0);
        let mut since = Vec::new();
        for (t, &x) in xs.iter().enumerate() {
            if t % 700 == 0 {
                since.clear();
            }
            if t > 700 && (8..50).contains(&(t % 700)) {
                own += (mixture.forecast().unwrap() - x).abs();
                told += (since.iter().sum::<f64>() / since.len() as f64 - x).abs();
            }
            mixture.update(x);
            since.push(x);
        }
        assert!(own < 1.2 * told, "{loss:?}: {own} after shifts, {told} with knowledge of them");
    }
}

#[test]
fn weights_add_up_to_one_and_are_named() {
    let mut mixture = Mixture::new(LossFunction::Absolute);
    heavy(500).into_iter().for_each(|x| mixture.update(x));
    let sum: f64 = mixture.weights().map(|(_, weight)| weight).sum();
    assert!((sum - 1.0).abs() < 1e-9);
    let expected: f64 = mixture.weights().zip(mixture.expert_forecasts()).map(|((_, w), f)| w * f).sum();
    assert!((mixture.forecast().unwrap() - expected).abs() < 1e-9);
    assert!(mixture.weights().any(|(name, _)| name == "median of 21"));
}

#[test]
fn a_constant_series_is_known_from_its_second_sample() {
    let mut mixture = Mixture::new(LossFunction::Squared);
    assert_eq!(mixture.forecast(), None);
    for _ in 0..1000 {
        mixture.update(7.0);
        assert_eq!(mixture.forecast(), Some(7.0));
        assert_eq!(mixture.forecast_ahead(20), Some(7.0));
    }
}

#[test]
fn a_reset_mixture_is_a_fresh_one() {
    let config = ForecasterConfig::Mixture { loss: LossFunction::Absolute };
    let (mut used, mut fresh) = (config.build(), config.build());
    heavy(700).into_iter().for_each(|x| used.update(x));
    used.reset();
    for x in routes(900) {
        used.update(x);
        fresh.update(x);
        let (a, b) = (used.forecast().unwrap(), fresh.forecast().unwrap());
        // The order in which a ring adds up depends on where it stands.
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn finite_samples_give_finite_forecasts(
        xs in prop::collection::vec(prop_oneof![
            Just(0.0), Just(f64::MAX), Just(-f64::MAX), Just(f64::NAN), Just(1e-310), -1e3..1e3f64, -1e200..1e200f64,
        ], 1..300),
    ) {
        for loss in [LossFunction::Absolute, LossFunction::Squared] {
            let mut mixture = Mixture::new(loss);
            let mut any = false;
            for &x in &xs {
                mixture.update(x);
                any |= x.is_finite();
                prop_assert!(!any || mixture.forecast().unwrap().is_finite());
                prop_assert!(!any || mixture.forecast_ahead(7).unwrap().is_finite());
            }
        }
    }
}
