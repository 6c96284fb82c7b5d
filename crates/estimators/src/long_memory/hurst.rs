//! An estimate of the Hurst parameter.

use super::Flags;

/// An estimate of the Hurst parameter H, with what is known of its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hurst {
    /// The estimate. It is not forced into (0, 1); outside, it is flagged.
    pub h: f64,
    /// Its standard error if the series is what the estimator takes it for: Gaussian, stationary, and with the spectrum of long
    /// memory at the frequencies or scales that were used.
    pub standard_error: f64,
    /// Reasons to doubt it.
    pub flags: Flags,
    /// Number of Fourier frequencies, octaves or block sizes that it rests on.
    pub points: usize,
    /// Index of the first sample after the first level shift, if shifts were looked for and found.
    pub shift_at: Option<usize>,
}

impl Hurst {
    /// An estimate, flagged if it is not in (0, 1).
    pub(super) fn of(h: f64, standard_error: f64, flags: Flags, points: usize) -> Self {
        let flags = flags | Flags::OUT_OF_RANGE.when(h <= 0.0 || h >= 1.0);
        Hurst { h, standard_error, flags, points, shift_at: None }
    }

    /// An estimate from a search between two bounds.
    pub(super) fn found(h: f64, bounds: (f64, f64), standard_error: f64, points: usize) -> Self {
        let flags = Flags::AT_BOUND.when(h <= bounds.0 || h >= bounds.1);
        Hurst::of(h, standard_error, flags, points)
    }
}
