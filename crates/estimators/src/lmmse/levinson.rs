//! The Levinson-Durbin recursion (Durbin 1960): the equations of linear prediction in O(n^2).

/// Least part of the variance that a prediction may leave, so that series that determine themselves stay solvable.
const LEAST_REST: f64 = 1e-12;

/// Solves for the coefficients of the best linear predictor of order `a.len()` from autocovariances `r`, lag 0 first;
/// returns the error variance. `a[0]` weighs the newest value; `spare` is room for as many.
///
/// Without variance all coefficients are 0. Where the values before determine the next one, orders above that are 0.
///
/// # Panics
/// If `r` does not have one element more than `a`, or `spare` has fewer.
pub fn levinson(r: &[f64], a: &mut [f64], spare: &mut [f64]) -> f64 {
    assert!(r.len() == a.len() + 1 && spare.len() >= a.len(), "one autocovariance more than coefficients");
    a.fill(0.0);
    if !(r[0] > 0.0 && r[0].is_finite()) {
        return 0.0;
    }
    let mut rest = r[0];
    for k in 0..a.len() {
        let known: f64 = a[..k].iter().zip(r[1..=k].iter().rev()).map(|(a, r)| a * r).sum();
        let partial = (r[k + 1] - known) / rest;
        if partial.is_nan() || partial.abs() >= 1.0 {
            break;
        }
        spare[..k].copy_from_slice(&a[..k]);
        for i in 0..k {
            a[i] -= partial * spare[k - 1 - i];
        }
        a[k] = partial;
        rest *= 1.0 - partial * partial;
        if rest <= LEAST_REST * r[0] {
            break;
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_autoregression_is_found_again() {
        // x = 0.5 x(-1) + 0.3 x(-2) + e: rho1 = 0.5 / (1 - 0.3), rho2 = 0.5 rho1 + 0.3, and on.
        let mut r = [1.0, 0.5 / 0.7, 0.0, 0.0, 0.0];
        (2..5).for_each(|k| r[k] = 0.5 * r[k - 1] + 0.3 * r[k - 2]);
        let (mut a, mut spare) = ([9.0; 4], [9.0; 4]);
        let rest = levinson(&r, &mut a, &mut spare);
        for (a, expected) in a.into_iter().zip([0.5, 0.3, 0.0, 0.0]) {
            assert!((a - expected).abs() < 1e-12);
        }
        assert!((rest - (1.0 - 0.5 * r[1] - 0.3 * r[2])).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_predicted_or_is_no_autocovariance_gives_zeros() {
        for r in [[0.0, 0.0, 0.0], [f64::NAN, 1.0, 1.0], [1.0, 2.0, 1.0], [f64::INFINITY, 0.0, 0.0]] {
            let (mut a, mut spare) = ([9.0; 2], [9.0; 2]);
            levinson(&r, &mut a, &mut spare);
            assert_eq!(a, [0.0, 0.0], "{r:?}");
        }
    }
}
