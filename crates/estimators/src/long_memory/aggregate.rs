//! The aggregated series: means of consecutive, disjoint blocks (He et al., eq. 1).

use crate::error::ConfigError;
use crate::sample::is_finite;

/// Means of blocks of `m` samples, one sample at a time.
///
/// ```
/// use parshall_estimators::long_memory::Aggregate;
///
/// let mut pairs = Aggregate::new(2)?;
/// let means: Vec<f64> = [1.0, 3.0, 5.0, 9.0, 2.0].into_iter().filter_map(|x| pairs.update(x)).collect();
/// assert_eq!(means, [2.0, 7.0]);
/// # Ok::<(), parshall_estimators::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Aggregate {
    m: u32,
    count: u32,
    mean: f64,
}

impl Aggregate {
    /// Blocks of `m` samples.
    ///
    /// # Errors
    /// Blocks of 0 samples.
    pub fn new(m: u32) -> Result<Self, ConfigError> {
        ConfigError::unless(m >= 1, "m", m, "at least 1 sample a block")?;
        Ok(Aggregate { m, count: 0, mean: 0.0 })
    }

    /// Takes in a sample; the mean of its block if it is the last of it. One that is not finite is left out.
    pub fn update(&mut self, x: f64) -> Option<f64> {
        if !is_finite(x) {
            return None;
        }
        self.count += 1;
        // A running mean does not overflow where a sum would.
        let weight = f64::from(self.count).recip();
        self.mean += weight * x - weight * self.mean;
        (self.count == self.m).then(|| {
            self.count = 0;
            core::mem::take(&mut self.mean)
        })
    }

    /// Forgets the block that is not complete.
    pub fn reset(&mut self) {
        (self.count, self.mean) = (0, 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn gives_the_mean_of_every_whole_block(m in 1u32..9, xs in prop::collection::vec(-1e3..1e3f64, 0..60)) {
            let mut aggregate = Aggregate::new(m).unwrap();
            let got: Vec<f64> = xs.iter().filter_map(|&x| aggregate.update(x)).collect();
            let blocks = xs.chunks_exact(m as usize);
            prop_assert_eq!(got.len(), blocks.len());
            for (mean, block) in got.iter().zip(blocks) {
                prop_assert!((mean - block.iter().sum::<f64>() / f64::from(m)).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn leaves_out_what_is_not_finite_and_forgets_on_reset() {
        let mut pairs = Aggregate::new(2).unwrap();
        assert_eq!([1.0, f64::NAN, 3.0].map(|x| pairs.update(x)), [None, None, Some(2.0)]);
        pairs.update(1e9);
        pairs.reset();
        assert_eq!([1.0, 2.0].map(|x| pairs.update(x)), [None, Some(1.5)]);
        let mut vast = Aggregate::new(3).unwrap();
        assert_eq!([1e308; 3].map(|x| vast.update(x))[2].map(|x| x / 1e308), Some(1.0));
        assert!(Aggregate::new(0).is_err());
    }
}
