//! Integrals over [0, 1]: with powers of x at the ends, and of smooth functions.

/// Nodes of [`ends`].
pub(super) const END_NODES: usize = 87;

/// Nodes of [`smooth`].
pub(super) const SMOOTH_NODES: usize = 12;

/// Nodes and weights of the double exponential formula (Takahasi and Mori 1974), which does not mind that the integrand or
/// its slope is infinite at an end. Nodes near 0 are exact to their last digit.
pub(super) fn ends() -> [(f64, f64); END_NODES] {
    use core::f64::consts::FRAC_PI_2;
    const STEP: f64 = 0.1;
    core::array::from_fn(|i| {
        let s = STEP * (i as f64 - (END_NODES / 2) as f64);
        let t = FRAC_PI_2 * libm::sinh(s);
        // x = (1 + tanh t) / 2, and dx = (pi/4) cosh s / cosh^2 t ds.
        let x = 1.0 / (1.0 + libm::exp(-2.0 * t));
        let rest = 1.0 / (1.0 + libm::exp(2.0 * t));
        (x, 2.0 * FRAC_PI_2 * libm::cosh(s) * x * rest * STEP)
    })
}

/// Nodes and weights of Gauss and Legendre.
pub(super) fn smooth() -> [(f64, f64); SMOOTH_NODES] {
    let n = SMOOTH_NODES as f64;
    core::array::from_fn(|i| {
        let mut x = libm::cos(core::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5));
        let mut slope = 1.0;
        // Newton's method from a start that is right to three digits.
        for _ in 0..6 {
            let (value, by) = legendre(x);
            slope = by;
            x -= value / slope;
        }
        ((1.0 + x) / 2.0, 1.0 / ((1.0 - x * x) * slope * slope))
    })
}

/// The Legendre polynomial of that degree, and its slope.
fn legendre(x: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, x);
    for k in 2..=SMOOTH_NODES {
        let k = k as f64;
        (before, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k);
    }
    let n = SMOOTH_NODES as f64;
    (value, n * (x * value - before) / (x * x - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_integrated_to_fifteen_digits() {
        let sum =
            |nodes: &[(f64, f64)], f: &dyn Fn(f64) -> f64| nodes.iter().map(|&(x, w)| w * f(x)).sum::<f64>();
        for power in [0.0, 1.0, 5.0, 22.0] {
            assert!(
                (sum(&smooth(), &|x| libm::pow(x, power)) - 1.0 / (power + 1.0)).abs() < 1e-14,
                "{power}"
            );
        }
        for power in [-0.5, -0.45, -0.01, 0.0, 0.01, 0.49, 3.0] {
            assert!((sum(&ends(), &|x| libm::pow(x, power)) - 1.0 / (power + 1.0)).abs() < 1e-13, "{power}");
        }
    }
}
