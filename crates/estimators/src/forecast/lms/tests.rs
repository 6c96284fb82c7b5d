//! LMS beside its definition, and with input that would throw its weights away.

use super::super::test_noise::noise;
use super::*;
use proptest::prelude::*;

/// No error is clipped.
const NEVER: f64 = 1e300;

/// The definition, written out.
fn by_definition(xs: &[f64], n: usize, c: f64, step: f64, eps: Option<f64>) -> f64 {
    let mut w = vec![0.0; n];
    let u = |t: usize| (1..=n).map(|i| xs[t - i] - c).collect::<Vec<f64>>();
    let along = |w: &[f64], u: &[f64]| w.iter().zip(u).map(|(w, u)| w * u).sum::<f64>();
    for (t, x) in xs.iter().enumerate().skip(n) {
        let u = u(t);
        let e = x - (c + along(&w, &u));
        let divisor = eps.map_or(1.0, |eps| eps + along(&u, &u));
        w.iter_mut().zip(&u).for_each(|(w, u)| *w += step * e * u / divisor);
    }
    c + along(&w, &u(xs.len()))
}

proptest! {
    #[test]
    fn equals_its_definition_at_every_prefix(
        xs in prop::collection::vec(-1.0..1.0f64, 10..80), order in 1u32..9, normalised in any::<bool>(),
    ) {
        let mut lms = if normalised {
            Lms::normalised(order, 0.3, Some(0.01), Some(0.25), 1, NEVER).unwrap()
        } else {
            Lms::new(order, 0.05, Some(0.25), 1, NEVER).unwrap()
        };
        for n in 1..=xs.len() {
            lms.update(xs[n - 1]);
            if n >= order as usize {
                let (step, eps) = if normalised { (0.3, Some(0.01)) } else { (0.05, None) };
                let expected = by_definition(&xs[..n], order as usize, 0.25, step, eps);
                prop_assert!((lms.forecast().unwrap() - expected).abs() < 1e-9, "after {}", n);
            }
        }
    }
}

#[test]
fn learns_an_autoregression_around_a_running_mean() {
    for mut lms in
        [Lms::new(4, 0.01, None, 500, 6.0).unwrap(), Lms::normalised(4, 0.02, None, None, 500, 6.0).unwrap()]
    {
        let mut x = 0.0;
        for e in noise(30_000) {
            x = 0.8 * x + e;
            lms.update(1000.0 + x);
        }
        assert!((lms.weights()[0] - 0.8).abs() < 0.1, "{:?}", lms.weights());
        let centre = lms.regressors.centre();
        assert!((centre - 1000.0).abs() < 0.5);
        assert!((lms.forecast_ahead(1000).unwrap() - centre).abs() < 1e-6);
        assert_eq!(lms.forecast(), lms.forecast_ahead(1));
    }
}

#[test]
fn a_clipped_error_keeps_the_weights_where_they_were() {
    let after_an_outlier = |clip: f64| {
        let mut lms = Lms::normalised(20, 0.1, Some(1e-3), Some(0.0), 1, clip).unwrap();
        noise(2000).chain([1e6]).for_each(|x| lms.update(x));
        lms.weights().iter().fold(0.0f64, |most, w| most.max(w.abs()))
    };
    assert!(after_an_outlier(6.0) < 1.0);
    assert!(after_an_outlier(NEVER) > 1e3);
}

#[test]
fn a_constant_series_is_forecast_and_a_first_sample_too() {
    let mut lms = Lms::normalised(3, 0.5, None, None, 100, 6.0).unwrap();
    assert_eq!((lms.forecast(), lms.forecast_ahead(3)), (None, None));
    for _ in 0..100 {
        lms.update(5.0);
        assert_eq!((lms.forecast(), lms.forecast_ahead(3)), (Some(5.0), Some(5.0)));
    }
    lms.reset();
    assert_eq!((lms.forecast(), lms.weights()), (None, &[0.0; 3][..]));
}

#[test]
fn finite_samples_give_finite_forecasts_even_where_the_step_is_too_great() {
    let huge = [f64::MAX, -f64::MAX, f64::NAN, 1.0, 0.0, 1e300];
    let mut diverging = Lms::new(3, 1e3, None, 50, NEVER).unwrap();
    let mut normalised = Lms::normalised(3, 1.9, Some(0.0), None, 50, NEVER).unwrap();
    for (t, x) in noise(3000).enumerate() {
        for lms in [&mut diverging, &mut normalised] {
            lms.update(if t % 100 < 6 { huge[t % 100] } else { x });
            assert!(lms.forecast().unwrap().is_finite() && lms.forecast_ahead(40).unwrap().is_finite());
        }
    }
}

#[test]
fn what_cannot_be_is_named() {
    let refused = |order, step, clip| Lms::new(order, step, None, 100, clip).unwrap_err().field;
    assert_eq!([refused(0, 0.1, 6.0), refused(2, 0.0, 6.0), refused(2, 0.1, 0.0)], ["order", "step", "clip"]);
    assert_eq!(Lms::normalised(2, 2.0, None, None, 9, 6.0).unwrap_err().field, "step");
    assert_eq!(Lms::normalised(2, 0.1, Some(-1.0), None, 9, 6.0).unwrap_err().field, "eps");
    assert_eq!(Lms::new(2, 0.1, Some(f64::NAN), 9, 6.0).unwrap_err().field, "centre");
    assert_eq!(Lms::new(2, 0.1, None, 0, 6.0).unwrap_err().field, "memory");
}
