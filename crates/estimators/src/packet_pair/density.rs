//! Kernel density of the samples at each sample, kept up as they come and go.
//!
//! With K the triangle `1 - |u|` on [-1, 1] and c the relative width, the density at x is the sum of `K((x - xi) / (c x))`
//! over all samples xi (Lai and Baker 1999, section 3). A new sample adds to the density at each other one and the oldest
//! is taken off, so that a sample costs O(n) instead of O(n^2).

use alloc::boxed::Box;
use alloc::vec;

use super::Mode;

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Density {
    width: f64,
    rates: Box<[f64]>,
    /// 1 / (c x) for each sample.
    scales: Box<[f64]>,
    densities: Box<[f64]>,
}

impl Density {
    pub fn new(width: f64, window: u32) -> Self {
        let zeros = || vec![0.0; window as usize].into_boxed_slice();
        Density { width, rates: zeros(), scales: zeros(), densities: zeros() }
    }

    /// Puts a sample into `slot` of `len`, where the sample `leaving` was before if there was one.
    #[inline]
    pub fn put(&mut self, slot: usize, len: usize, rate: f64, leaving: Option<f64>) {
        let scale = 1.0 / (self.width * rate);
        self.rates[slot] = rate;
        self.scales[slot] = scale;
        // A sample that lies infinitely far away is in nobody's density.
        let leaving = leaving.unwrap_or(f64::INFINITY);
        let rates = &self.rates[..len];
        let mut own = 0.0;
        for ((density, &x), &by) in self.densities[..len].iter_mut().zip(rates).zip(&self.scales[..len]) {
            *density += kernel((x - rate) * by) - kernel((x - leaving) * by);
            own += kernel((x - rate) * scale);
        }
        self.densities[slot] = own;
    }

    /// The sample with the greatest density; `None` without samples.
    pub fn mode(&self, len: usize) -> Option<Mode> {
        let samples = || self.rates[..len].iter().zip(&self.densities[..len]);
        let (&rate, &height) = samples().max_by(|a, b| a.1.total_cmp(b.1))?;
        // What lies within two widths is the same mode.
        let apart = 2.0 * self.width * rate;
        let rival = samples().filter(|(x, _)| (*x - rate).abs() > apart).map(|(_, &d)| d).fold(0.0, f64::max);
        Some(Mode { rate, height, rival })
    }
}

#[inline]
fn kernel(u: f64) -> f64 {
    let k = 1.0 - u.abs();
    if k > 0.0 {
        k
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_its_definition_at_every_prefix(rates in prop::collection::vec(50.0..80.0f64, 1..60)) {
            let mut density = Density::new(0.1, 16);
            for n in 1..=rates.len() {
                let leaving = n.checked_sub(17).map(|i| rates[i]);
                density.put((n - 1) % 16, n.min(16), rates[n - 1], leaving);
                let window = &rates[n.saturating_sub(16)..n];
                let at = |x: f64| window.iter().map(|xi| (1.0 - ((x - xi) / (0.1 * x)).abs()).max(0.0)).sum::<f64>();
                let greatest = window.iter().map(|&x| at(x)).fold(0.0, f64::max);
                let mode = density.mode(n.min(16)).unwrap();
                prop_assert!((mode.height - greatest).abs() < 1e-9);
                prop_assert!((at(mode.rate) - greatest).abs() < 1e-9);
            }
        }
    }
}
