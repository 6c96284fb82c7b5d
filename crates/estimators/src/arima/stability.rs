//! Where a model is stationary and invertible: the roots of its polynomials lie outside the unit circle.
//!
//! The step-down recursion answers without roots: the polynomial `1 - a1 z - ... - ap z^p` has them all outside
//! exactly if every partial autocorrelation that it leads to lies between -1 and 1 (Barndorff-Nielsen and Schou 1973).

use super::MAX_ORDER;

/// Returns whether `1 - ar1 z - ... - arp z^p` has all of its roots outside the unit circle.
pub fn ar_is_stationary(ar: &[f64]) -> bool {
    steps_down(ar.iter().copied())
}

/// Returns whether `1 + ma1 z + ... + maq z^q` has all of its roots outside the unit circle.
pub fn ma_is_invertible(ma: &[f64]) -> bool {
    steps_down(ma.iter().map(|theta| -theta))
}

/// Takes the polynomial down one degree at a time. At most [`MAX_ORDER`] coefficients are looked at.
fn steps_down(coefficients: impl Iterator<Item = f64>) -> bool {
    let mut a = [0.0; MAX_ORDER];
    let mut degree = 0;
    for (place, coefficient) in a.iter_mut().zip(coefficients) {
        *place = coefficient;
        degree += 1;
    }
    while degree > 0 {
        let last = a[degree - 1];
        if last.abs() >= 1.0 || last.is_nan() {
            return false;
        }
        let above = a;
        for i in 0..degree - 1 {
            a[i] = (above[i] + last * above[degree - 2 - i]) / (1.0 - last * last);
        }
        degree -= 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Stationary region at degree two, a triangle: a2 < 1 + a1, a2 < 1 - a1, a2 > -1.
        #[test]
        fn two_coefficients_lie_in_the_triangle(a1 in -2.5..2.5f64, a2 in -1.5..1.5f64) {
            let inside = a2 < 1.0 + a1 && a2 < 1.0 - a1 && a2 > -1.0;
            prop_assert_eq!(ar_is_stationary(&[a1, a2]), inside);
            prop_assert_eq!(ma_is_invertible(&[-a1, -a2]), inside);
        }

        /// A product of factors 1 - r z is stationary exactly if each of them is.
        #[test]
        fn a_product_is_judged_by_its_factors(roots in prop::collection::vec(-1.3..1.3f64, 1..=5)) {
            prop_assume!(roots.iter().all(|r| (r.abs() - 1.0).abs() > 1e-3));
            let mut polynomial = vec![1.0];
            for r in &roots {
                polynomial.push(0.0);
                for i in (1..polynomial.len()).rev() {
                    polynomial[i] -= r * polynomial[i - 1];
                }
            }
            let ar: Vec<f64> = polynomial[1..].iter().map(|c| -c).collect();
            prop_assert_eq!(ar_is_stationary(&ar), roots.iter().all(|r| r.abs() < 1.0));
        }
    }

    #[test]
    fn no_coefficients_are_stationary_and_nan_is_not() {
        assert!(ar_is_stationary(&[]));
        assert!(!ar_is_stationary(&[f64::NAN]));
        assert!(!ar_is_stationary(&[1.0]));
        assert!(ma_is_invertible(&[-0.95108]));
    }
}
