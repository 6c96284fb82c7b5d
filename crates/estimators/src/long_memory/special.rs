//! Special functions of the estimators, for positive arguments.

/// From here on the asymptotic series below have all digits.
const FAR: f64 = 12.0;

/// `ln Gamma(x)`, x > 0 (Abramowitz and Stegun 6.1.41).
pub(super) fn ln_gamma(mut x: f64) -> f64 {
    let mut product = 1.0;
    while x < FAR {
        product *= x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = 1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y / 1188.0)));
    (x - 0.5) * libm::log(x) - x + 0.5 * libm::log(core::f64::consts::TAU) + series / x - libm::log(product)
}

/// The derivative of `ln Gamma(x)`, x > 0 (6.3.18).
pub(super) fn digamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < FAR {
        sum += 1.0 / x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = y * (1.0 / 12.0 - y * (1.0 / 120.0 - y * (1.0 / 252.0 - y * (1.0 / 240.0 - y / 132.0))));
    libm::log(x) - 0.5 / x - series - sum
}

/// The second derivative of `ln Gamma(x)`, x > 0 (6.4.12).
pub(super) fn trigamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < FAR {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = 1.0 / 6.0 - y * (1.0 / 30.0 - y * (1.0 / 42.0 - y * (1.0 / 30.0 - 5.0 * y / 66.0)));
    sum + (1.0 + (0.5 + series / x) / x) / x
}

/// `sum over k >= 0 of (k + a)^-s`, s > 1, a > 0: the first terms, then Euler and Maclaurin's formula.
pub(super) fn hurwitz_zeta(s: f64, a: f64) -> f64 {
    const TERMS: u32 = 8;
    let near: f64 = (0..TERMS).map(|k| libm::pow(a + f64::from(k), -s)).sum();
    let x = a + f64::from(TERMS);
    let first = libm::pow(x, -s);
    let y = 1.0 / (x * x);
    let third = s * (s + 1.0) * (s + 2.0);
    let fifth = third * (s + 3.0) * (s + 4.0);
    let seventh = fifth * (s + 5.0) * (s + 6.0);
    let ninth = seventh * (s + 7.0) * (s + 8.0);
    let last = seventh / 1_209_600.0 - y * ninth / 47_900_160.0;
    let series = s / 12.0 - y * (third / 720.0 - y * (fifth / 30_240.0 - y * last));
    near + first * (x / (s - 1.0) + 0.5 + series / x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// Euler's constant.
    const EULER: f64 = 0.577_215_664_901_532_9;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12 * b.abs().max(1.0), "{a} {b}");
    }

    #[test]
    fn known_values() {
        close(ln_gamma(0.5), 0.5 * libm::log(PI));
        close(ln_gamma(11.0), libm::log(3_628_800.0));
        close(ln_gamma(100.5) - ln_gamma(99.5), libm::log(99.5));
        close(digamma(1.0), -EULER);
        close(digamma(0.5), -EULER - 2.0 * libm::log(2.0));
        close(trigamma(1.0), PI * PI / 6.0);
        close(trigamma(0.5), PI * PI / 2.0);
        close(hurwitz_zeta(2.0, 1.0), PI * PI / 6.0);
        close(hurwitz_zeta(2.0, 0.5), PI * PI / 2.0);
        close(hurwitz_zeta(4.0, 1.0), PI.powi(4) / 90.0);
        // Apery's constant.
        close(hurwitz_zeta(3.0, 1.0), 1.202_056_903_159_594_2);
    }

    #[test]
    fn hurwitz_zeta_obeys_its_recurrence() {
        for s in [1.02, 1.5, 2.4, 2.98] {
            for a in [1e-4, 0.3, 0.99] {
                close(hurwitz_zeta(s, a), libm::pow(a, -s) + hurwitz_zeta(s, a + 1.0));
            }
        }
    }
}
