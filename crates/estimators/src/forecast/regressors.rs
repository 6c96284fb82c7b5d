//! The last samples, the newest first and in one piece, less what the series lies around.

use alloc::boxed::Box;
use alloc::vec;

use super::sliding_mean::SlidingMean;
use super::young_mean::YoungMean;
use crate::error::ConfigError;

/// Largest order of a linear predictor.
pub(super) const MAX_LINEAR_ORDER: u32 = 100;

/// Level around which the series varies.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Centre {
    Given(f64),
    Running(YoungMean),
    Window(SlidingMean),
}

/// Regressors of a linear predictor of order n: the last n samples less the centre, as they were at the last
/// sample.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Regressors {
    centre: Centre,
    /// Samples twice over, so that the newest `order` lie in one piece from `front` on.
    samples: Box<[f64]>,
    front: usize,
    deviations: Box<[f64]>,
    seen: usize,
}

impl Regressors {
    /// Around `centre`, or else around a running mean over about `memory` samples.
    pub fn new(order: u32, centre: Option<f64>, memory: u32) -> Result<Self, ConfigError> {
        let given = centre.unwrap_or(0.0);
        ConfigError::unless(given.is_finite(), "centre", given, "a finite number")?;
        ConfigError::unless(memory >= 1, "memory", memory, "a whole number of at least 1")?;
        let running = || Centre::Running(YoungMean::new(1.0 / f64::from(memory)));
        Regressors::around_centre(order, centre.map_or_else(running, Centre::Given))
    }

    /// Around the mean of the last `window` samples, at least `order` and at most `most`.
    pub fn over_window(order: u32, window: u32, most: u32) -> Result<Self, ConfigError> {
        let fits = window >= order && window <= most;
        ConfigError::unless(fits, "window", window, "a whole number from the order to 1048576")?;
        Regressors::around_centre(order, Centre::Window(SlidingMean::new(window)))
    }

    fn around_centre(order: u32, centre: Centre) -> Result<Self, ConfigError> {
        let orders = 1..=MAX_LINEAR_ORDER;
        ConfigError::unless(orders.contains(&order), "order", order, "a whole number from 1 to 100")?;
        let zeros = |n: u32| vec![0.0; n as usize].into_boxed_slice();
        Ok(Regressors { centre, samples: zeros(2 * order), front: 0, deviations: zeros(order), seen: 0 })
    }

    /// Takes in a finite sample.
    #[inline]
    pub fn push(&mut self, x: f64) {
        let order = self.deviations.len();
        self.front = if self.front == 0 { order - 1 } else { self.front - 1 };
        self.samples[self.front] = x;
        self.samples[self.front + order] = x;
        self.seen = (self.seen + 1).min(order);
        match &mut self.centre {
            Centre::Given(_) => {}
            Centre::Running(mean) => mean.update(x),
            Centre::Window(mean) => mean.push(x),
        }
        let centre = self.centre();
        let samples = &self.samples[self.front..self.front + self.seen];
        self.deviations.iter_mut().zip(samples).for_each(|(deviation, x)| *deviation = x - centre);
    }

    /// Level around which the series varies.
    #[inline]
    pub fn centre(&self) -> f64 {
        match &self.centre {
            Centre::Given(centre) => *centre,
            Centre::Running(mean) => mean.value(),
            Centre::Window(mean) => mean.value(),
        }
    }

    /// The samples that the centre is the mean of, in two parts, the older ones first; none unless it is that of a window.
    pub fn window(&self) -> (&[f64], &[f64]) {
        match &self.centre {
            Centre::Window(mean) => mean.samples(),
            _ => (&[], &[]),
        }
    }

    /// The last samples less the centre, the newest first; 0 where there is none yet.
    #[inline]
    pub fn deviations(&self) -> &[f64] {
        &self.deviations
    }

    /// Returns whether there are as many samples as the order.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.seen == self.deviations.len()
    }

    /// Prediction with `weights` from the last samples; the centre before there are enough, or where samples
    /// near the limits of numbers overflow.
    #[inline]
    pub fn predict(&self, weights: &[f64]) -> f64 {
        self.around(if self.is_full() { dot(weights, &self.deviations) } else { 0.0 })
    }

    /// Prediction with `weights` `steps` samples ahead, with predictions for the samples between.
    pub fn predict_ahead(&self, weights: &[f64], steps: u32) -> f64 {
        if !self.is_full() {
            return self.centre();
        }
        let order = weights.len();
        let mut past = [0.0; MAX_LINEAR_ORDER as usize];
        past[..order].copy_from_slice(&self.deviations);
        let mut next = 0.0;
        for _ in 0..steps.max(1) {
            next = dot(weights, &past[..order]);
            past[..order].rotate_right(1);
            past[0] = next;
        }
        self.around(next)
    }

    #[inline]
    fn around(&self, deviation: f64) -> f64 {
        let centre = self.centre();
        let sum = centre + deviation;
        if sum.is_finite() {
            sum
        } else {
            centre
        }
    }

    pub fn reset(&mut self) {
        self.seen = 0;
        self.deviations.fill(0.0);
        match &mut self.centre {
            Centre::Given(_) => {}
            Centre::Running(mean) => mean.reset(),
            Centre::Window(mean) => mean.clear(),
        }
    }
}

#[inline]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Four sums at a time, which need not wait for each other.
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    sums.iter().sum::<f64>() + rest
}
