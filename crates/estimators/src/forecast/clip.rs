//! A guard for what learns from errors: no error counts for more than several usual ones.

use super::young_mean::YoungMean;
use crate::error::ConfigError;

/// Weight of the newest error in the usual size.
const GAIN: f64 = 0.02;

/// Puts errors at a limit, in mean absolute errors.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Clip {
    times: f64,
    /// Mean size of errors, each at most at the limit, so that a single outlier moves it little.
    size: YoungMean,
}

impl Clip {
    pub fn new(times: f64) -> Result<Self, ConfigError> {
        ConfigError::unless(times >= 1.0 && times.is_finite(), "clip", times, "a number of at least 1")?;
        Ok(Clip { times, size: YoungMean::new(GAIN) })
    }

    /// The error, or the limit where that is closer to 0.
    #[inline]
    pub fn clip(&mut self, error: f64) -> f64 {
        let limit = self.times * self.size.value();
        // After a series that was forecast without any error, the first one sets the size.
        let clipped = if limit > 0.0 { error.clamp(-limit, limit) } else { error };
        self.size.update(clipped.abs());
        clipped
    }

    pub fn reset(&mut self) {
        self.size.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outlier_counts_for_several_usual_errors_and_a_new_size_is_learnt() {
        let mut clip = Clip::new(4.0).unwrap();
        assert_eq!(clip.clip(0.0), 0.0);
        assert!((0..200).all(|t| clip.clip(if t % 2 == 0 { 1.0 } else { -1.0 }).abs() == 1.0));
        assert!((clip.clip(-1e9) + 4.0).abs() < 0.1);
        assert!((0..500).any(|_| clip.clip(1e9) == 1e9));
        assert_eq!(Clip::new(0.5).unwrap_err().field, "clip");
    }
}
