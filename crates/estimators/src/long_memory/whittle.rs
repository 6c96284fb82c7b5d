//! Whittle's likelihood of a process over all frequencies (Whittle 1953; Beran 1994, section 6.1). It is sharper than the local
//! estimators, and wrong where the series is of another kind: short memory and other families count as long memory.

use core::f64::consts::{PI, TAU};

use super::special::{hurwitz_zeta, ln_gamma};
use super::Hurst;
use crate::math::{sqrt, square};

/// A family of spectral densities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Fractional Gaussian noise.
    Fgn,
    /// FARIMA(0, H - 1/2, 0).
    Farima,
}

/// Step of the derivative that the standard error is made of.
const STEP: f64 = 1e-5;

impl Family {
    /// Where H is looked for.
    fn bounds(self) -> (f64, f64) {
        match self {
            Family::Fgn => (0.01, 0.9999),
            Family::Farima => (0.01, 1.49),
        }
    }

    /// The logarithm of the spectral density at a frequency in (0, pi), up to a constant.
    fn log_spectrum(self, h: f64, frequency: f64) -> f64 {
        match self {
            Family::Fgn => {
                let (s, a) = (2.0 * h + 1.0, frequency / TAU);
                let folded = hurwitz_zeta(s, a) + hurwitz_zeta(s, 1.0 - a);
                libm::log(2.0 * square(libm::sin(0.5 * frequency)) * folded)
            }
            Family::Farima => (1.0 - 2.0 * h) * libm::log(2.0 * libm::sin(0.5 * frequency)),
        }
    }

    /// The logarithm of the spectral density of the process with variance 1 (fGn) or with noise of variance 1 (FARIMA).
    pub fn log_density(self, h: f64, frequency: f64) -> f64 {
        let scale = match self {
            Family::Fgn => {
                libm::log(2.0 * libm::sin(PI * h)) + ln_gamma(2.0 * h + 1.0)
                    - (2.0 * h + 2.0) * libm::log(TAU)
            }
            Family::Farima => -libm::log(TAU),
        };
        scale + self.log_spectrum(h, frequency)
    }
}

/// The H that minimises `ln mean(I / f) + mean ln f`, the scale profiled out, over all Fourier frequencies of a series of `n`.
pub(super) fn estimate(family: Family, ordinates: &[f64], n: usize) -> Option<Hurst> {
    if !ordinates.iter().any(|&i| i > 1e-25) {
        return None;
    }
    let count = ordinates.len() as f64;
    let frequency = |j: usize| TAU * (j + 1) as f64 / n as f64;
    let objective = |h: f64| -> f64 {
        let term = |(j, i): (usize, &f64)| {
            let log = family.log_spectrum(h, frequency(j));
            (i * libm::exp(-log), log)
        };
        let terms = ordinates.iter().enumerate().map(term);
        let (ratios, logs) = terms.fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d));
        libm::log(ratios / count) + logs / count
    };
    let bounds = family.bounds();
    let h = minimise(objective, bounds);
    let (low, high) = ((h - STEP).max(bounds.0), (h + STEP).min(bounds.1));
    let slope = |j: usize| {
        (family.log_spectrum(high, frequency(j)) - family.log_spectrum(low, frequency(j))) / (high - low)
    };
    let sums = (0..ordinates.len()).map(slope).fold((0.0, 0.0), |(a, b), g| (a + g, b + g * g));
    let spread = sums.1 - sums.0 * sums.0 / count;
    Some(Hurst::found(h, bounds, sqrt(spread).recip(), ordinates.len()))
}

/// The lowest point of a function with one minimum between two bounds, or the bound (Brent 1973, chapter 5).
fn minimise(f: impl Fn(f64) -> f64, bounds: (f64, f64)) -> f64 {
    const GOLDEN: f64 = 0.381_966_011_250_105_2;
    const TOLERANCE: f64 = 1e-9;
    let (mut low, mut high) = bounds;
    let mut best = low + GOLDEN * (high - low);
    let (mut second, mut third) = (best, best);
    let mut at_best = f(best);
    let (mut at_second, mut at_third) = (at_best, at_best);
    let (mut step, mut before) = (0.0_f64, 0.0_f64);
    for _ in 0..100 {
        let middle = low.midpoint(high);
        if (best - middle).abs() <= 2.0 * TOLERANCE - 0.5 * (high - low) {
            break;
        }
        let r = (best - second) * (at_best - at_third);
        let q = (best - third) * (at_best - at_second);
        let mut p = (best - third) * q - (best - second) * r;
        let q = 2.0 * (q - r);
        p = if q > 0.0 { -p } else { p };
        let q = q.abs();
        let parabolic = p.abs() < (0.5 * q * before).abs() && p > q * (low - best) && p < q * (high - best);
        if parabolic {
            (before, step) = (step, p / q);
        } else {
            before = if best < middle { high - best } else { low - best };
            step = GOLDEN * before;
        }
        let next = best + if step.abs() >= TOLERANCE { step } else { TOLERANCE.copysign(step) };
        let at_next = f(next);
        if at_next <= at_best {
            if next < best {
                high = best;
            } else {
                low = best;
            }
            (third, at_third) = (second, at_second);
            (second, at_second) = (best, at_best);
            (best, at_best) = (next, at_next);
        } else {
            if next < best {
                low = next;
            } else {
                high = next;
            }
            if at_next <= at_second || second == best {
                (third, at_third) = (second, at_second);
                (second, at_second) = (next, at_next);
            } else if at_next <= at_third || third == best || third == second {
                (third, at_third) = (next, at_next);
            }
        }
    }
    // A search that ran into a bound stops a tolerance beside it.
    [bounds.0, bounds.1].into_iter().find(|bound| (bound - best).abs() < 1e-7).unwrap_or(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spectra_integrate_to_the_variance() {
        let integral = |family: Family, h: f64| -> f64 {
            // The midpoints of x^4 crowd where the density has its pole.
            let n = 4000;
            let density = |i: usize| {
                let x = (i as f64 + 0.5) / n as f64;
                libm::exp(family.log_density(h, PI * x.powi(4))) * 4.0 * PI * x.powi(3)
            };
            2.0 * (0..n).map(density).sum::<f64>() / n as f64
        };
        for h in [0.3, 0.5, 0.7, 0.85] {
            assert!((integral(Family::Fgn, h) - 1.0).abs() < 1e-4, "{h}: {}", integral(Family::Fgn, h));
            // Hosking 1981: Gamma(1 - 2d) / Gamma(1 - d)^2.
            let d = h - 0.5;
            let variance = libm::exp(ln_gamma(1.0 - 2.0 * d) - 2.0 * ln_gamma(1.0 - d));
            assert!((integral(Family::Farima, h) / variance - 1.0).abs() < 1e-4, "{h}");
        }
    }

    #[test]
    fn minima_and_bounds_are_found() {
        for at in [0.02, 0.3, 0.77, 1.4] {
            let f = |h: f64| (h - at).powi(2) + 0.3 * (h - at).powi(4);
            assert!((minimise(f, (0.01, 1.49)) - at).abs() < 1e-7);
        }
        assert_eq!(minimise(|h| h, (0.01, 1.49)), 0.01);
        assert_eq!(minimise(|h| -h, (0.01, 1.49)), 1.49);
    }

    #[test]
    fn ordinates_that_are_the_spectrum_give_its_h() {
        for family in [Family::Fgn, Family::Farima] {
            let n = 301;
            let ordinates: Vec<f64> = (1..=150)
                .map(|j| libm::exp(family.log_density(0.8, TAU * f64::from(j) / f64::from(n))))
                .collect();
            let hurst = estimate(family, &ordinates, 301).unwrap();
            assert!((hurst.h - 0.8).abs() < 1e-6, "{hurst:?}");
        }
    }
}
