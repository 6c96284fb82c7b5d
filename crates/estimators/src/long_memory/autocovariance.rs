//! Exact autocovariances of processes with long memory, of variance 1.

use alloc::boxed::Box;

use crate::error::ConfigError;

/// A stationary Gaussian process with long memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Process {
    /// Fractional Gaussian noise, the increments of fractional Brownian motion (Mandelbrot and Van Ness 1968).
    Fgn {
        /// H, in (0, 1).
        h: f64,
    },
    /// FARIMA(0, d, 0), `(1 - B)^d x = e` (Granger and Joyeux 1980, Hosking 1981); H is d + 1/2.
    Farima {
        /// d, in (-1/2, 1/2).
        d: f64,
    },
}

impl Process {
    /// Checks that such a process exists.
    ///
    /// # Errors
    /// H outside (0, 1), d outside (-1/2, 1/2).
    pub fn check(self) -> Result<(), ConfigError> {
        match self {
            Process::Fgn { h } => {
                ConfigError::unless(h > 0.0 && h < 1.0, "h", h, "a number between 0 and 1, both excluded")
            }
            Process::Farima { d } => ConfigError::unless(
                d > -0.5 && d < 0.5,
                "d",
                d,
                "a number between -0.5 and 0.5, both excluded",
            ),
        }
    }

    /// Autocovariances of lags 0, 1, 2 ..., without end.
    pub fn autocovariances(self) -> Box<dyn Iterator<Item = f64>> {
        match self {
            Process::Fgn { h } => Box::new((0_u32..).map(move |lag| fgn(h, f64::from(lag)))),
            Process::Farima { d } => {
                let mut gamma = 1.0;
                Box::new((1_u32..).map(move |lag| {
                    let now = gamma;
                    gamma *= (f64::from(lag) - 1.0 + d) / (f64::from(lag) - d);
                    now
                }))
            }
        }
    }
}

/// Half the second difference of `k^2H`. At great lags the powers cancel, and their series in 1/k is exact instead.
fn fgn(h: f64, k: f64) -> f64 {
    let a = 2.0 * h;
    if k < 50.0 {
        return 0.5 * (libm::pow(k + 1.0, a) - 2.0 * libm::pow(k, a) + libm::pow((k - 1.0).abs(), a));
    }
    let y = 1.0 / (k * k);
    let second = a * (a - 1.0) / 2.0;
    let fourth = second * (a - 2.0) * (a - 3.0) / 12.0;
    let sixth = fourth * (a - 4.0) * (a - 5.0) / 30.0;
    let eighth = sixth * (a - 6.0) * (a - 7.0) / 56.0;
    libm::pow(k, a - 2.0) * (second + y * (fourth + y * (sixth + y * eighth)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_noise_has_none() {
        for process in [Process::Fgn { h: 0.5 }, Process::Farima { d: 0.0 }] {
            let gammas: Vec<f64> = process.autocovariances().take(100).collect();
            assert_eq!(gammas[0], 1.0);
            assert!(gammas[1..].iter().all(|gamma| gamma.abs() < 1e-15), "{process:?}");
        }
    }

    #[test]
    fn the_series_continues_the_powers() {
        for h in [0.1, 0.6, 0.95] {
            let k: f64 = 50.0;
            let exact = 0.5
                * (libm::pow(k + 1.0, 2.0 * h) - 2.0 * libm::pow(k, 2.0 * h) + libm::pow(k - 1.0, 2.0 * h));
            assert!((fgn(h, k) - exact).abs() < 1e-12, "{h}");
        }
        // Hosking 1981: rho(1) = d / (1 - d).
        let rho = Process::Farima { d: 0.3 }.autocovariances().nth(1).unwrap();
        assert!((rho - 3.0 / 7.0).abs() < 1e-15);
    }

    #[test]
    fn impossible_processes_are_refused() {
        assert_eq!(
            Process::Fgn { h: 1.0 }.check().unwrap_err().to_string(),
            "h: got 1, expected a number between 0 and 1, both excluded"
        );
        assert!(Process::Fgn { h: f64::NAN }.check().is_err());
        assert!(Process::Farima { d: 0.5 }.check().is_err());
        assert!(Process::Farima { d: -0.49 }.check().is_ok());
    }
}
