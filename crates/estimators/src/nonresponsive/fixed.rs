//! Numbers scaled by 2^14 in 64-bit integers, as the Linux implementation has them (Zhao 2004, III.A.2).
//!
//! Where a product or a scaled dividend would overflow, a smaller scale is used for that operation and the result
//! is brought back to 2^14 ("dynamic scale"): it loses digits, not its magnitude. What does not fit even so is
//! put at the limit, and remembered. Results are rounded to the nearest number: a filter that rounds down settles
//! below its input.
#![deny(clippy::float_arithmetic)]

/// Bits after the binary point.
pub(super) const SCALE: u32 = 14;

/// The number 1.
pub(super) const ONE: i64 = 1 << SCALE;

/// Arithmetic that remembers whether a result did not fit.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Fixed {
    pub saturated: bool,
    /// The last root, from which the next one starts.
    root: u64,
}

impl Fixed {
    /// `a b`.
    #[inline]
    pub fn mul(&mut self, a: i64, b: i64) -> i64 {
        match a.checked_mul(b) {
            Some(product) => round_shift(product, SCALE),
            None => self.mul_large(a, b),
        }
    }

    #[cold]
    fn mul_large(&mut self, a: i64, b: i64) -> i64 {
        let (larger, smaller) = if a.unsigned_abs() > b.unsigned_abs() { (a, b) } else { (b, a) };
        let excess = (bits(larger) + bits(smaller)).saturating_sub(62);
        if excess > SCALE + 2 {
            return self.keep(None, a.signum() * b.signum());
        }
        let product = round_shift(larger, excess).saturating_mul(smaller);
        if excess <= SCALE {
            round_shift(product, SCALE - excess)
        } else {
            self.grow(product, excess - SCALE)
        }
    }

    /// `a / b`; a division by 0 gives the limit of a's sign.
    #[inline]
    pub fn div(&mut self, a: i64, b: i64) -> i64 {
        if b == 0 {
            self.saturated = true;
            return i64::MAX * a.signum();
        }
        let scale = SCALE.min(62 - bits(a).min(62));
        let quotient = div_round(a << scale, b);
        if scale == SCALE {
            quotient
        } else {
            self.grow(quotient, SCALE - scale)
        }
    }

    /// `a n / d` with plain whole numbers n and d > 0.
    #[inline]
    pub fn scale(&mut self, a: i64, n: i64, d: i64) -> i64 {
        match a.checked_mul(n) {
            Some(product) => div_round(product, d),
            None => {
                let quotient = div_round(a, d);
                self.keep(quotient.checked_mul(n), a.signum() * n.signum())
            }
        }
    }

    /// `a + b`.
    #[inline]
    pub fn add(&mut self, a: i64, b: i64) -> i64 {
        self.keep(a.checked_add(b), a.signum())
    }

    /// `a - b`.
    #[inline]
    pub fn sub(&mut self, a: i64, b: i64) -> i64 {
        self.keep(a.checked_sub(b), a.signum())
    }

    /// `alpha v + (1 - alpha) x`, for alpha between 0 and 1.
    #[inline]
    pub fn blend(&mut self, alpha: i64, v: i64, x: i64) -> i64 {
        let toward = self.sub(v, x);
        let kept = self.mul(alpha, toward);
        self.add(x, kept)
    }

    /// `sqrt(a b)` of two numbers that are not negative.
    #[inline]
    pub fn geometric_mean(&mut self, a: i64, b: i64) -> i64 {
        let root = match a.checked_mul(b) {
            Some(product) => square_root(product.unsigned_abs(), self.root),
            None => square_root(a.unsigned_abs(), 0) * square_root(b.unsigned_abs(), 0),
        };
        self.root = root;
        root.min(i64::MAX as u64) as i64
    }

    #[cold]
    fn grow(&mut self, x: i64, by: u32) -> i64 {
        let fits = bits(x) + by <= 63;
        self.keep(fits.then(|| x << by), x.signum())
    }

    #[inline]
    fn keep(&mut self, result: Option<i64>, sign: i64) -> i64 {
        result.unwrap_or_else(|| {
            self.saturated = true;
            i64::MAX * sign.signum()
        })
    }
}

/// Number of bits of the magnitude.
#[inline]
fn bits(x: i64) -> u32 {
    64 - x.unsigned_abs().leading_zeros()
}

/// `x / 2^by`, to the nearest.
#[inline]
pub(super) fn round_shift(x: i64, by: u32) -> i64 {
    if by == 0 {
        x
    } else {
        x.saturating_add(1 << (by - 1)) >> by
    }
}

/// `a / b`, to the nearest; b is not 0.
#[inline]
pub(super) fn div_round(a: i64, b: i64) -> i64 {
    let half = b.abs() / 2;
    a.saturating_add(if a < 0 { -half } else { half }).wrapping_div(b)
}

/// The greatest whole number whose square is at most `n`: Newton's steps from a guess, which is first put between
/// the powers of two around the root. After the first step they go down until they no longer do; from that start
/// fewer than ten are needed, and two or three from a root that is nearly right.
pub(super) fn square_root(n: u64, guess: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let above = 1u64 << (64 - n.leading_zeros()).div_ceil(2);
    let mut root = newton(n, guess.clamp(above / 2, above));
    loop {
        let next = newton(n, root);
        if next >= root {
            return root;
        }
        root = next;
    }
}

/// The mean of `root` and `n / root`, never below the root of `n` rounded down.
#[inline]
fn newton(n: u64, root: u64) -> u64 {
    (root + n / root) / 2
}

#[cfg(test)]
#[allow(clippy::float_arithmetic)] // The slow twins of these functions work on floating-point numbers.
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn real(x: i64) -> f64 {
        x as f64 / ONE as f64
    }

    /// Numbers of every magnitude.
    fn numbers() -> impl Strategy<Value = i64> {
        (any::<i64>(), 0u32..63).prop_map(|(x, by)| (x >> by).max(-i64::MAX))
    }

    fn steps_of_root(n: u64, guess: u64) -> u32 {
        let above = 1u64 << (64 - n.leading_zeros()).div_ceil(2);
        let mut root = newton(n, guess.clamp(above / 2, above));
        let mut steps = 2;
        while newton(n, root) < root {
            root = newton(n, root);
            steps += 1;
        }
        steps
    }

    proptest! {
        #[test]
        fn a_product_is_right_or_at_its_limit(a in numbers(), b in numbers()) {
            let mut fixed = Fixed::default();
            let exact = real(a) * real(b);
            let product = fixed.mul(a, b);
            if fixed.saturated {
                prop_assert!(exact.abs() > real(i64::MAX) * 0.99);
                prop_assert_eq!(product, i64::MAX * a.signum() * b.signum());
            } else {
                prop_assert!((real(product) - exact).abs() <= 0.51 / ONE as f64 + exact.abs() * 1.2e-7, "{} {exact}", real(product));
            }
        }

        #[test]
        fn a_quotient_is_right_or_at_its_limit(a in numbers(), b in numbers()) {
            let mut fixed = Fixed::default();
            let quotient = fixed.div(a, b);
            if b == 0 {
                prop_assert!(fixed.saturated);
                return Ok(());
            }
            let exact = real(a) / real(b);
            if fixed.saturated {
                prop_assert!(exact.abs() > real(i64::MAX) * 0.49);
            } else {
                // With the smaller scale, half a unit of that scale.
                let unit = libm::exp2((bits(a) as f64 - 62.0 + 14.0).max(0.0));
                prop_assert!((real(quotient) - exact).abs() <= 0.51 * unit.max(1.0) / ONE as f64 + exact.abs() * 1e-9);
            }
        }

        #[test]
        fn a_number_scaled_by_a_fraction_is_right(a in numbers(), n in -2000i64..2000, d in 1i64..100_000) {
            let mut fixed = Fixed::default();
            let scaled = fixed.scale(a, n, d);
            let exact = real(a) * n as f64 / d as f64;
            prop_assert!(fixed.saturated || (real(scaled) - exact).abs() <= 0.51 / ONE as f64 + exact.abs() * 1e-8);
        }

        #[test]
        fn a_root_is_the_whole_part(n in any::<u64>(), by in 0u32..64, guess in any::<u64>(), g in 0u32..64) {
            let (n, guess) = (n >> by, guess >> g);
            prop_assert_eq!(square_root(n, guess), n.isqrt());
            prop_assert!(n < 2 || steps_of_root(n, guess) < 10);
            prop_assert!(n < 2 || steps_of_root(n, n.isqrt() + 1) <= 3);
        }

        #[test]
        fn a_geometric_mean_lies_between(a in 0..i64::MAX, b in 0..i64::MAX, by in 0u32..60) {
            let (a, b) = (a >> by, b >> (by / 2));
            let mean = Fixed::default().geometric_mean(a, b);
            let exact = (a as f64).sqrt() * (b as f64).sqrt();
            let coarse = (a as f64).sqrt() + (b as f64).sqrt();
            let bound = if a.checked_mul(b).is_some() { 1.0 + exact * 1e-9 } else { coarse * 1.01 };
            prop_assert!((mean as f64 - exact).abs() <= bound);
        }
    }

    #[test]
    fn a_filter_settles_on_its_input_from_above_and_below() {
        let mut fixed = Fixed::default();
        for alpha in [0, 3769, 6554, 9830, 16_000] {
            for start in [0, 100 * ONE] {
                let mut v = start;
                (0..5000).for_each(|_| v = fixed.blend(alpha, v, 7 * ONE));
                // A step is lost when (1 - alpha) |v - x| is below half a unit.
                let bound = ONE / (ONE - alpha) / 2 + 1;
                assert!((v - 7 * ONE).abs() <= bound, "alpha {alpha}: {v}");
            }
        }
    }

    #[test]
    fn roots_at_the_ends() {
        for n in (0..1000).chain([u64::MAX, u64::MAX - 1, 1 << 62, (1 << 62) - 1, 1 << 63]) {
            assert_eq!(square_root(n, 0), n.isqrt(), "{n}");
        }
    }
}
