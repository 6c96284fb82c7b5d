//! The likelihood against a multivariate normal distribution, and its gradients against difference quotients.

use super::*;
use crate::arima::innovations::CONVERGED;
use proptest::prelude::*;

/// Autocovariances of an ARMA over the variance of its noise, from what 4000 impulses of the noise leave.
fn covariances(ar: &[f64], ma: &[f64], lags: usize) -> Vec<f64> {
    let mut responses = vec![0.0; 4000];
    for k in 0..responses.len() {
        let from_noise = if k == 0 { 1.0 } else { ma.get(k - 1).copied().unwrap_or(0.0) };
        let past = ar.iter().enumerate().filter(|(i, _)| *i < k);
        responses[k] = from_noise + past.map(|(i, phi)| phi * responses[k - 1 - i]).sum::<f64>();
    }
    let product = |lag: usize| responses[lag..].iter().zip(&responses).map(|(a, b)| a * b).sum();
    (0..lags).map(product).collect()
}

/// `m/2 ln S + 1/2 ln |V|` of the values as one draw of a multivariate normal distribution, by Cholesky's factor.
fn of_one_draw(values: &[f64], ar: &[f64], ma: &[f64], has_mean: bool) -> f64 {
    let n = values.len();
    let gamma = covariances(ar, ma, n);
    let mut factor = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
            let left = gamma[i - j] - sum;
            factor[i][j] = if i == j { left.sqrt() } else { left / factor[j][j] };
        }
    }
    let whitened = |column: &dyn Fn(usize) -> f64| {
        let mut z = vec![0.0; n];
        for i in 0..n {
            let sum: f64 = (0..i).map(|k| factor[i][k] * z[k]).sum();
            z[i] = (column(i) - sum) / factor[i][i];
        }
        z
    };
    let (z, ones) = (whitened(&|i| values[i]), whitened(&|_| 1.0));
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let explained = if has_mean { product(&z, &ones).powi(2) / product(&ones, &ones) } else { 0.0 };
    let log_determinant: f64 = (0..n).map(|i| 2.0 * libm::log(factor[i][i])).sum();
    0.5 * (n as f64 * libm::log(product(&z, &z) - explained) + log_determinant)
}

proptest! {
    #[test]
    fn equals_a_multivariate_normal(
        values in prop::collection::vec(-3.0..3.0f64, 20..40),
        free in prop::collection::vec(-0.6..0.6f64, 10),
        p in 0usize..=5,
        q in 0usize..=5,
        has_mean: bool,
    ) {
        let spread = values.iter().fold(0.0_f64, |most, value| most.max((value - values[0]).abs()));
        prop_assume!(spread > 0.5);
        let order = Order::new(p, u32::from(!has_mean), q);
        let likelihood = Likelihood { values: &values, order, method: Method::Ml, settles_at: CONVERGED };
        let mut point = [0.0; MAX_COEFFICIENTS];
        point[..p + q].copy_from_slice(&free[..p + q]);
        let partial = point.map(|u| partial_of(u).0);
        let ar = step_up(&partial[..p]);
        let ma = step_up(&partial[p..p + q]).map(|theta| -theta);
        let expected = of_one_draw(&values, &ar[..p], &ma[..q], has_mean);
        let found = likelihood.value(Space::Free, &point).objective;
        prop_assert!((found - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{found} {expected}");
    }

    #[test]
    fn gradients_are_those_of_the_values(
        values in prop::collection::vec(-3.0..3.0f64, 60),
        free in prop::collection::vec(-1.0..1.0f64, 10),
        p in 0usize..=5,
        q in 0usize..=5,
        has_mean: bool,
        css: bool,
    ) {
        prop_assume!(p + q > 0);
        let order = Order::new(p, u32::from(!has_mean), q);
        let method = if css { Method::Css } else { Method::Ml };
        let likelihood = Likelihood { values: &values, order, method, settles_at: CONVERGED };
        let mut point = [0.0; MAX_COEFFICIENTS];
        point[..p + q].copy_from_slice(&free[..p + q]);
        let value = likelihood.value(Space::Free, &point);
        let gradient = likelihood.gradient(Space::Free, &point, value.mean).unwrap();
        prop_assert!((gradient.objective - value.objective).abs() < 1e-8);
        for i in 0..p + q {
            let beside = |step: f64| {
                let mut point = point;
                point[i] += step;
                likelihood.value(Space::Free, &point).objective
            };
            let quotient = (beside(1e-5) - beside(-1e-5)) / 2e-5;
            prop_assert!((gradient.slope[i] - quotient).abs() < 1e-4 * (1.0 + quotient.abs()), "{i}");
        }
    }
}
