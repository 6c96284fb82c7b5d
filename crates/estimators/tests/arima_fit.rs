//! Fits against what is known otherwise: simulated coefficients, ordinary least squares, other units.

use parshall_estimators::arima::{Coefficients, FitError, Fitter, Method, Order};
use parshall_estimators::forecast::{ExactArima, Forecaster};

/// Gaussian numbers (Box and Muller 1958, on xorshift64*).
fn noise(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut uniform = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        ((state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    (0..n)
        .map(|_| (-2.0 * libm::log(uniform())).sqrt() * libm::cos(std::f64::consts::TAU * uniform()))
        .collect()
}

/// A path of the model, begun 500 steps before.
fn path(model: &Coefficients, n: usize, seed: u64) -> Vec<f64> {
    let e = noise(n + 500, seed);
    let mut w = vec![0.0; e.len()];
    for t in 5..e.len() {
        let past = model.ar.iter().enumerate().map(|(i, phi)| phi * w[t - 1 - i]).sum::<f64>();
        let errors = model.ma.iter().enumerate().map(|(j, theta)| theta * e[t - 1 - j]).sum::<f64>();
        w[t] = past + errors + e[t];
    }
    let mut x = w[500..].to_vec();
    for _ in 0..model.d {
        let mut sum = 0.0;
        x.iter_mut().for_each(|value| {
            sum += *value;
            *value = sum;
        });
    }
    x.iter_mut().for_each(|value| *value += model.mean);
    x
}

fn order_of(model: &Coefficients) -> Order {
    Order::new(model.ar.len(), model.d, model.ma.len())
}

#[test]
fn both_methods_find_the_coefficients_of_a_path() {
    let models = [
        Coefficients { ar: vec![0.6, 0.2], d: 0, ma: vec![0.7], mean: 7.0 },
        Coefficients { ar: vec![-0.36251, 0.17573], d: 1, ma: vec![-0.6], mean: 0.0 },
        Coefficients { ar: vec![], d: 2, ma: vec![-0.5, 0.3], mean: 0.0 },
        Coefficients { ar: vec![0.4, 0.0, -0.2, 0.1, 0.3], d: 1, ma: vec![], mean: 0.0 },
    ];
    for (seed, model) in models.iter().enumerate() {
        let xs = path(model, 20_000, seed as u64 + 1);
        let mut fitter = Fitter::new(order_of(model), xs.len()).unwrap();
        for method in [Method::Css, Method::Ml] {
            let fit = fitter.fit(&xs, method, None).unwrap();
            let errors = fitter.standard_errors(&fit).unwrap();
            let found = fit.ar().iter().chain(fit.ma()).zip(model.ar.iter().chain(&model.ma));
            for ((value, truth), error) in found.zip(errors.ar().iter().chain(errors.ma())) {
                assert!(
                    (value - truth).abs() < 4.0 * error && *error < 0.05,
                    "{model:?}: {value} +- {error}"
                );
            }
            assert!(fit.converged && (fit.sigma2 - 1.0).abs() < 0.05, "{fit:?}");
            if let Some(error) = errors.mean {
                assert!((fit.mean - model.mean).abs() < 4.0 * error, "{fit:?}");
            }
        }
    }
}

/// Conditional least squares of an autoregression are ordinary least squares, with a closed form for one coefficient.
#[test]
fn an_autoregression_by_least_squares() {
    let xs = path(&Coefficients { ar: vec![0.6], d: 1, ..Coefficients::default() }, 300, 5);
    let w: Vec<f64> = xs.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let product: f64 = w.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let square: f64 = w[..w.len() - 1].iter().map(|value| value * value).sum();
    let fit = Fitter::new(Order::new(1, 1, 0), 300).unwrap().fit(&xs, Method::Css, None).unwrap();
    assert!((fit.ar()[0] - product / square).abs() < 1e-5);
    let rest: f64 = w.windows(2).map(|pair| (pair[1] - product / square * pair[0]).powi(2)).sum();
    assert!((fit.sigma2 - rest / (w.len() - 1) as f64).abs() < 1e-8);
}

#[test]
fn units_change_nothing_but_units() {
    let model = Coefficients { ar: vec![0.7], d: 0, ma: vec![0.2], mean: 3.0 };
    let xs = path(&model, 400, 9);
    let mut fitter = Fitter::new(order_of(&model), xs.len()).unwrap();
    let fit = fitter.fit(&xs, Method::Ml, None).unwrap();
    for scale in [1e-90, 1e-6, 1e90] {
        let scaled: Vec<f64> = xs.iter().map(|x| x * scale).collect();
        let same = fitter.fit(&scaled, Method::Ml, None).unwrap();
        assert!((same.ar()[0] - fit.ar()[0]).abs() < 1e-6);
        assert!((same.mean / scale - fit.mean).abs() < 1e-6);
        assert!((same.loglik + xs.len() as f64 * libm::log(scale) - fit.loglik).abs() < 1e-5);
    }
}

#[test]
fn a_warm_start_ends_where_a_cold_one_does() {
    let model = Coefficients { ar: vec![0.5], d: 1, ma: vec![-0.8], mean: 0.0 };
    let xs = path(&model, 700, 3);
    let mut fitter = Fitter::new(order_of(&model), 600).unwrap();
    for method in [Method::Css, Method::Ml] {
        let before = fitter.fit(&xs[..600], method, None).unwrap().coefficients();
        let cold = fitter.fit(&xs[100..], method, None).unwrap();
        let warm = fitter.fit(&xs[100..], method, Some(&before)).unwrap();
        assert!(warm.loglik > cold.loglik - 5e-3 && warm.loglik < cold.loglik + 1e-6);
        assert!((cold.ma()[0] - warm.ma()[0]).abs() < 5e-3);
        assert!(warm.evaluations * 5 < cold.evaluations);
    }
}

/// The residuals of a fit are the errors of the exact forecaster with its coefficients.
#[test]
fn residuals_are_errors_of_forecasts() {
    let model = Coefficients { ar: vec![0.5], d: 1, ma: vec![-0.9], mean: 0.0 };
    let xs = path(&model, 200, 4);
    let mut fitter = Fitter::new(order_of(&model), xs.len()).unwrap();
    let fit = fitter.fit(&xs, Method::Ml, None).unwrap();
    let residuals = fitter.residuals(&fit);
    let mut exact = ExactArima::new(&fit.coefficients()).unwrap();
    exact.update(xs[0]);
    assert_eq!(residuals.len(), xs.len() - 1);
    for (x, residual) in xs[1..].iter().zip(residuals) {
        assert!((x - exact.forecast().unwrap() - residual).abs() < 1e-9);
        exact.update(*x);
    }
}

#[test]
fn what_cannot_be_fitted_is_named() {
    let mut fitter = Fitter::new(Order::new(2, 1, 1), 100).unwrap();
    let mut refusal = |xs: &[f64]| fitter.fit(xs, Method::Ml, None).unwrap_err();
    assert_eq!(
        refusal(&[1.0; 15]).to_string(),
        "series: got 15 samples, expected at least 16 to fit ARIMA(2,1,1)"
    );
    assert_eq!(refusal(&[0.3; 50]), FitError::Constant);
    assert_eq!(refusal(&[1.0; 101]), FitError::TooMany { samples: 101, longest: 100 });
    let mut gap: Vec<f64> = (0..50).map(f64::from).collect();
    gap[7] = f64::NAN;
    assert!(refusal(&gap).to_string().starts_with("series[7]: got NaN, expected a finite number"));
    assert!(Fitter::new(Order::new(6, 1, 1), 100).is_err());
    assert!(Fitter::new(Order::new(2, 1, 1), 10).is_err());
}

/// A straight line, an alternation, a single jump: whatever is found, it is finite.
#[test]
fn finite_series_give_finite_fits() {
    let shapes: [fn(usize) -> f64; 5] = [
        |t| t as f64,
        |t| (t % 2) as f64,
        |t| if t < 30 { 0.0 } else { 1e6 },
        |t| if t == 59 { 1.0 } else { 0.0 },
        |t| (t * t) as f64,
    ];
    for shape in shapes {
        let xs: Vec<f64> = (0..60).map(shape).collect();
        for (p, d, q) in [(0, 0, 0), (1, 0, 0), (2, 1, 1), (0, 2, 2), (5, 0, 5), (0, 1, 5)] {
            let order = Order::new(p, d, q);
            let mut fitter = Fitter::new(order, 60).unwrap();
            for method in [Method::Css, Method::Ml] {
                let Ok(fit) = fitter.fit(&xs, method, None) else { continue };
                let numbers = [
                    fit.mean,
                    fit.sigma2,
                    fit.loglik,
                    fit.aic(),
                    fit.bic(),
                    fitter.exact_log_likelihood(&fit),
                ];
                let all = fit.ar().iter().chain(fit.ma()).chain(&numbers);
                assert!(all.into_iter().all(|number| number.is_finite()), "{order} {fit:?}");
                assert!(fit.coefficients().check().is_ok(), "{order} {fit:?}");
                assert!(fitter.residuals(&fit).iter().all(|error| error.is_finite()));
            }
        }
    }
}
