//! Exact paths of processes with long memory, by circulant embedding (Davies and Harte 1987, Wood and Chan 1994).

use alloc::vec;
use alloc::vec::Vec;

use super::autocovariance::Process;
use super::fft::{Complex, PowerOfTwo};
use crate::error::ConfigError;
use crate::math::sqrt;

/// Longest path.
const LONGEST: usize = 1 << 24;

/// Makes paths of one process and length from standard normal variates that the caller draws.
///
/// The autocovariances up to the last lag are those of the process, not nearly so: all eigenvalues of the circulant matrix that
/// they are embedded in are positive for both families (Craigmile 2003).
///
/// ```
/// use parshall_estimators::long_memory::{Generator, Process};
///
/// let mut generator = Generator::new(Process::Fgn { h: 0.8 }, 100)?;
/// let normals = vec![0.5; generator.normals()];
/// assert_eq!(generator.path(&normals).len(), 100);
/// # Ok::<(), parshall_estimators::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Generator {
    length: usize,
    powers: PowerOfTwo,
    /// Square roots of the eigenvalues over their number, from frequency 0 to Nyquist's.
    amplitudes: Vec<f64>,
    work: Vec<Complex>,
    path: Vec<f64>,
}

impl Generator {
    /// For paths of `length` samples with mean 0 and variance 1.
    ///
    /// # Errors
    /// A process that does not exist, or a length outside [1, 2^24].
    pub fn new(process: Process, length: usize) -> Result<Self, ConfigError> {
        process.check()?;
        ConfigError::unless((1..=LONGEST).contains(&length), "n", length, "1 to 16777216 samples")?;
        let half = length.saturating_sub(1).max(1).next_power_of_two();
        let size = 2 * half;
        let mut work = vec![Complex::default(); size];
        for (lag, gamma) in process.autocovariances().take(half + 1).enumerate() {
            work[lag].re = gamma;
            work[(size - lag) % size].re = gamma;
        }
        let powers = PowerOfTwo::new(size);
        powers.transform(&mut work);
        let amplitude = |x: &Complex| sqrt(x.re.max(0.0) / size as f64);
        let amplitudes = work[..=half].iter().map(amplitude).collect();
        Ok(Generator { length, powers, amplitudes, work, path: Vec::with_capacity(length) })
    }

    /// Number of independent standard normal variates that a path is made of: a power of 2.
    pub fn normals(&self) -> usize {
        self.work.len()
    }

    /// The path that these variates make. Independent variates make independent paths.
    ///
    /// # Panics
    /// If there are not [`normals`](Self::normals) of them.
    pub fn path(&mut self, normals: &[f64]) -> &[f64] {
        assert_eq!(
            normals.len(),
            self.normals(),
            "a path is made of as many normal variates as normals() says"
        );
        let size = self.work.len();
        let half = size / 2;
        self.work[0] = Complex { re: self.amplitudes[0] * normals[0], im: 0.0 };
        self.work[half] = Complex { re: self.amplitudes[half] * normals[1], im: 0.0 };
        for k in 1..half {
            let scale = self.amplitudes[k] * core::f64::consts::FRAC_1_SQRT_2;
            let (re, im) = (scale * normals[2 * k], scale * normals[2 * k + 1]);
            self.work[k] = Complex { re, im };
            self.work[size - k] = Complex { re, im: -im };
        }
        self.powers.transform(&mut self.work);
        self.path.clear();
        self.path.extend(self.work[..self.length].iter().map(|x| x.re));
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path is linear in the variates, so that the columns of that map give the exact covariance of the path.
    #[test]
    fn the_covariance_of_a_path_is_exactly_that_of_the_process() {
        let processes = [0.05, 0.3, 0.5, 0.7, 0.95, 0.99].map(|h| Process::Fgn { h });
        let others = [-0.45, -0.2, 0.3, 0.49].map(|d| Process::Farima { d });
        for process in processes.into_iter().chain(others) {
            for n in [1, 2, 3, 17, 32, 33] {
                let mut generator = Generator::new(process, n).unwrap();
                let columns: Vec<Vec<f64>> = (0..generator.normals())
                    .map(|i| {
                        let mut normals = vec![0.0; generator.normals()];
                        normals[i] = 1.0;
                        generator.path(&normals).to_vec()
                    })
                    .collect();
                let gammas: Vec<f64> = process.autocovariances().take(n).collect();
                for s in 0..n {
                    for t in s..n {
                        let covariance: f64 = columns.iter().map(|c| c[s] * c[t]).sum();
                        assert!((covariance - gammas[t - s]).abs() < 1e-10, "{process:?} {n} {s} {t}");
                    }
                }
            }
        }
    }

    #[test]
    fn impossible_paths_are_refused() {
        assert!(Generator::new(Process::Fgn { h: 0.0 }, 10).is_err());
        assert!(Generator::new(Process::Fgn { h: 0.7 }, 0).is_err());
        assert!(Generator::new(Process::Farima { d: 0.1 }, LONGEST + 1).is_err());
    }
}
