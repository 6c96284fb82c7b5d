//! The periodogram at the Fourier frequencies.

use alloc::vec::Vec;

use super::fft::Fft;

/// Periodograms of series of every length up to a greatest one.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Periodogram {
    fft: Fft,
    ordinates: Vec<f64>,
}

impl Periodogram {
    pub(super) fn new(longest: usize) -> Self {
        Periodogram { fft: Fft::new(longest), ordinates: Vec::with_capacity(longest / 2 + 1) }
    }

    /// `|sum x[t] exp(-i w_j t)|^2 / (2 pi n)` of `w_j = 2 pi j / n`, from j = 1 to the last below the Nyquist frequency.
    pub(super) fn of(&mut self, xs: &[f64]) -> &[f64] {
        let count = frequencies(xs.len());
        let scale = 1.0 / (core::f64::consts::TAU * xs.len() as f64);
        self.ordinates.clear();
        self.ordinates.extend(self.fft.of(xs)[1..=count].iter().map(|x| scale * x.power()));
        &self.ordinates
    }
}

/// Number of Fourier frequencies between 0 and Nyquist's, both left out.
pub(super) fn frequencies(n: usize) -> usize {
    n.saturating_sub(1) / 2
}
