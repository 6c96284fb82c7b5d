//! Recursive least squares beside the normal equations, and over a million samples that teach nothing.

use super::super::test_noise::noise;
use super::*;
use proptest::prelude::*;

/// The weighted sum of squares in the documentation, minimised through its normal equations, for two weights.
fn by_normal_equations(xs: &[f64], f: f64, prior: f64) -> [f64; 2] {
    let n = xs.len();
    let fade = f.powi((n - 2) as i32) * prior;
    let (mut a, mut b, mut d, mut r) = (fade, 0.0, fade, [0.0; 2]);
    for t in 2..n {
        let weight = f.powi((n - 1 - t) as i32);
        let u = [xs[t - 1], xs[t - 2]];
        a += weight * u[0] * u[0];
        b += weight * u[0] * u[1];
        d += weight * u[1] * u[1];
        (0..2).for_each(|i| r[i] += weight * u[i] * xs[t]);
    }
    let determinant = a * d - b * b;
    [(d * r[0] - b * r[1]) / determinant, (a * r[1] - b * r[0]) / determinant]
}

proptest! {
    #[test]
    fn equals_the_normal_equations_at_every_prefix(xs in prop::collection::vec((0.9..1.0f64, any::<bool>()), 20..100)) {
        // All of about one size, so that the limit of P is not reached.
        let xs: Vec<f64> = xs.into_iter().map(|(x, sign)| if sign { x } else { -x }).collect();
        let mut rls = Rls::new(2, 50, Some(0.0), 1e300).unwrap();
        let prior = (xs[0] * xs[0] + xs[1] * xs[1]) / 2.0;
        for n in 1..=xs.len() {
            rls.update(xs[n - 1]);
            if n > 2 {
                let expected = by_normal_equations(&xs[..n], 0.98, prior);
                for (w, expected) in rls.weights().iter().zip(expected) {
                    prop_assert!((w - expected).abs() < 1e-8, "after {}", n);
                }
            }
        }
    }
}

#[test]
fn a_million_samples_that_teach_nothing_leave_it_as_it_was() {
    let mut rls = Rls::new(8, 100, None, 6.0).unwrap();
    noise(1000).for_each(|x| rls.update(3.0 + x));
    for t in 0..1_000_000 {
        rls.update(if t % 3 == 0 { f64::NAN } else { 3.0 });
    }
    assert!((rls.forecast().unwrap() - 3.0).abs() < 1e-6);
    assert!(rls.root.iter().all(|s| s.is_finite()));
    // What it then sees, it learns at once.
    let mut x = 0.0;
    for e in noise(2000) {
        x = 0.9 * x + e;
        rls.update(x);
    }
    assert!((rls.weights()[0] - 0.9).abs() < 0.25, "{:?}", rls.weights());
}

#[test]
fn one_direction_alone_does_not_make_the_others_grow() {
    let mut rls = Rls::new(6, 20, Some(0.0), 6.0).unwrap();
    for t in 0..1_000_000 {
        rls.update(if t % 2 == 0 { 1.0 } else { -1.0 });
    }
    let squares: f64 = rls.root.iter().map(|s| s * s).sum();
    assert!(squares < 6.0 * UNCERTAIN * START / 0.95 + 1e-9, "{squares}");
    assert!((rls.forecast().unwrap() - 1.0).abs() < 1e-6);
}

#[test]
fn a_change_of_scale_is_followed_both_ways() {
    let mut rls = Rls::new(2, 100, Some(0.0), 6.0).unwrap();
    let mut x = 0.0;
    for (t, e) in noise(12_000).enumerate() {
        let (a, scale) = [(0.9, 1.0), (-0.5, 1e3), (0.7, 1.0)][t / 4000];
        if t % 4000 == 0 {
            x = 0.0;
        }
        x = a * x + e * scale;
        rls.update(x);
        if t % 4000 == 3999 {
            assert!((rls.weights()[0] - a).abs() < 0.15, "{t}: {:?}", rls.weights());
        }
    }
}

#[test]
fn finite_samples_give_finite_forecasts() {
    let mut rls = Rls::new(3, 10, None, 6.0).unwrap();
    for (t, x) in noise(3000).enumerate() {
        rls.update([f64::MAX, -f64::MAX, f64::NAN, 1e-300, 1e200, x, x][t % 7]);
        assert!(rls.forecast().unwrap().is_finite() && rls.forecast_ahead(40).unwrap().is_finite());
    }
    rls.reset();
    assert_eq!(rls.forecast(), None);
}

#[test]
fn what_cannot_be_is_named() {
    assert_eq!(Rls::new(101, 100, None, 6.0).unwrap_err().field, "order");
    assert_eq!(Rls::new(2, 9, None, 6.0).unwrap_err().field, "memory");
    assert_eq!(Rls::new(2, 10, None, 0.0).unwrap_err().field, "clip");
}
