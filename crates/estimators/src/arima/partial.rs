//! Partial autocorrelations in place of coefficients: any numbers between -1 and 1 make a stationary model, and every
//! stationary model has them (Barndorff-Nielsen and Schou 1973; Monahan 1984). With the sign of theta turned they do the
//! same for invertibility. Free parameters are their inverse hyperbolic tangents (Jones 1980 for the idea).

use super::scalar::Scalar;
use super::MAX_ORDER;

/// Greatest size of a partial autocorrelation that a free parameter stands for. An autoregression at 1 has no variance.
pub const GREATEST_PARTIAL: f64 = 1.0 - 1e-9;

/// Coefficients of an autoregression from its partial autocorrelations (Durbin 1960).
pub fn step_up<S: Scalar>(partial: &[S]) -> [S; MAX_ORDER] {
    let mut a = [S::constant(0.0); MAX_ORDER];
    for (k, &last) in partial.iter().enumerate() {
        let below = a;
        for i in 0..k {
            a[i] = below[i] - last * below[k - 1 - i];
        }
        a[k] = last;
    }
    a
}

/// Partial autocorrelations of an autoregression from its coefficients; `None` if it is not stationary.
pub fn step_down<S: Scalar>(coefficients: &[S]) -> Option<[S; MAX_ORDER]> {
    let mut a = [S::constant(0.0); MAX_ORDER];
    a[..coefficients.len()].copy_from_slice(coefficients);
    let mut partial = [S::constant(0.0); MAX_ORDER];
    for degree in (1..=coefficients.len()).rev() {
        let last = a[degree - 1];
        if last.value().abs() >= 1.0 || last.value().is_nan() {
            return None;
        }
        partial[degree - 1] = last;
        let above = a;
        let inverse = (S::constant(1.0) - last * last).recip();
        for i in 0..degree - 1 {
            a[i] = (above[i] + last * above[degree - 2 - i]) * inverse;
        }
    }
    Some(partial)
}

/// The partial autocorrelation of a free parameter, and its derivative.
pub fn partial_of(free: f64) -> (f64, f64) {
    let tanh = libm::tanh(free);
    (GREATEST_PARTIAL * tanh, GREATEST_PARTIAL * (1.0 - tanh * tanh))
}

/// The free parameter of a partial autocorrelation, kept away from infinity.
pub fn free_of(partial: f64) -> f64 {
    libm::atanh((partial / GREATEST_PARTIAL).clamp(-1.0 + 1e-12, 1.0 - 1e-12))
}

#[cfg(test)]
mod tests {
    use super::super::ar_is_stationary;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn up_and_down_is_where_it_began(partial in prop::collection::vec(-0.95..0.95f64, 0..=5)) {
            let up = step_up(&partial);
            prop_assert!(ar_is_stationary(&up[..partial.len()]));
            let down = step_down(&up[..partial.len()]).unwrap();
            for (r, expected) in down.iter().zip(&partial) {
                prop_assert!((r - expected).abs() < 1e-6);
            }
        }

        #[test]
        fn any_free_parameters_are_stationary(free in prop::collection::vec(-30.0..30.0f64, 0..=5)) {
            let partial: Vec<f64> = free.iter().map(|&u| partial_of(u).0).collect();
            prop_assert!(partial.iter().all(|r| r.abs() < 1.0));
            prop_assert!(step_up(&partial).iter().all(|a| a.is_finite()));
        }
    }

    #[test]
    fn what_is_not_stationary_has_no_partial_autocorrelations() {
        assert!(step_down(&[1.2, 0.1]).is_none());
        assert!(step_down(&[f64::NAN]).is_none());
        assert!((partial_of(free_of(-0.7)).0 + 0.7).abs() < 1e-12);
    }
}
