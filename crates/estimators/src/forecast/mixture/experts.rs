//! Experts of the mixture, of every kind, from the last sample to models of the whole past.

use alloc::vec::Vec;

use super::Weights;
use crate::forecast::young_mean::YoungMean;
use crate::forecast::{AnyForecaster, Forecaster, ForecasterConfig};

/// Means with fading memory, by how many samples they remember.
const MEMORIES: [f64; 9] = [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 2048.0];
/// Memories of the experts that begin anew after a change of level.
const RESTARTED_MEMORIES: [f64; 3] = [16.0, 64.0, 512.0];
const MEANS: usize = MEMORIES.len() + RESTARTED_MEMORIES.len();

const NAMES: [&str; EXPERTS] = [
    "last value",
    "mean of 2",
    "mean of 4",
    "mean of 8",
    "mean of 16",
    "mean of 32",
    "mean of 64",
    "mean of 128",
    "mean of 256",
    "mean of 2048",
    "mean of 16, restarted",
    "mean of 64, restarted",
    "mean of 512, restarted",
    "median of 3",
    "median of 5",
    "median of 9",
    "median of 21",
    "median of 51",
    "median of 101",
    "median of 201",
    "Holt",
    "LMMSE(20)",
    "LMMSE(10) of changes",
    "LMMSE(3)",
    "adaptive EWMA",
    "ARIMA(2,1,1) of 2014",
    "recursive ARIMA(2,1,1)",
    "LMMSE(3), restarted",
    "median of 64, restarted",
];

/// Number of experts.
pub(super) const EXPERTS: usize = 29;

/// The experts and what they forecast.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Experts {
    last: f64,
    means: [YoungMean; MEANS],
    models: Vec<AnyForecaster>,
    /// The first model that begins anew after a change of level; all behind it do, too.
    restarted: usize,
    forecasts: Weights,
}

impl Experts {
    pub fn new() -> Self {
        let memories: [f64; MEANS] = core::array::from_fn(|i| {
            MEMORIES.get(i).copied().unwrap_or_else(|| RESTARTED_MEMORIES[i - MEMORIES.len()])
        });
        let models = models();
        debug_assert_eq!(1 + MEANS + models.len() + 1, EXPERTS);
        Experts {
            last: 0.0,
            means: memories.map(|memory| YoungMean::new(1.0 / memory)),
            restarted: models.len() - 1,
            models,
            forecasts: [0.0; EXPERTS],
        }
    }

    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        NAMES.into_iter()
    }

    /// Takes in a finite sample.
    #[inline]
    pub fn update(&mut self, x: f64) {
        self.last = x;
        self.means.iter_mut().for_each(|mean| mean.update(x));
        self.models.iter_mut().for_each(|model| model.update(x));
    }

    /// Those that begin anew do so on `since`, the samples of the new level.
    pub fn restart(&mut self, since: &[f64]) {
        for mean in &mut self.means[MEMORIES.len()..] {
            mean.reset();
            since.iter().for_each(|&x| mean.update(x));
        }
        for model in &mut self.models[self.restarted..] {
            model.reset();
            since.iter().for_each(|&x| model.update(x));
        }
    }

    /// Asks everybody about the next sample; `level` is the median since the last change of level.
    #[inline]
    pub fn forecast(&mut self, level: f64) {
        let (means, models) = self.forecasts[1..].split_at_mut(MEANS);
        means.iter_mut().zip(&self.means).for_each(|(place, mean)| *place = mean.value());
        models
            .iter_mut()
            .zip(&self.models)
            .for_each(|(place, model)| *place = model.forecast().unwrap_or(self.last));
        self.forecasts[0] = self.last;
        self.forecasts[EXPERTS - 1] = level;
    }

    #[inline]
    pub fn forecasts(&self) -> &Weights {
        &self.forecasts
    }

    /// The mean of what they forecast `steps` ahead. Means expect the same of every sample to come.
    pub fn ahead(&self, weights: &Weights, steps: u32) -> f64 {
        let (flat, models) = weights.split_at(1 + MEANS);
        let flat: f64 = flat.iter().zip(&self.forecasts).map(|(weight, forecast)| weight * forecast).sum();
        let level = weights[EXPERTS - 1] * self.forecasts[EXPERTS - 1];
        let asked = models.iter().zip(&self.models).filter(|(&weight, _)| weight > 0.0);
        let ahead = asked.map(|(weight, model)| weight * model.forecast_ahead(steps).unwrap_or(self.last));
        flat + level + ahead.sum::<f64>()
    }

    pub fn reset(&mut self) {
        self.means.iter_mut().for_each(YoungMean::reset);
        self.models.iter_mut().for_each(AnyForecaster::reset);
    }
}

/// Everybody who is neither a mean nor the last sample; those that begin anew are behind the others.
fn models() -> Vec<AnyForecaster> {
    let median = |window| ForecasterConfig::Median { window };
    let lmmse =
        |order, window, every, differenced| ForecasterConfig::Lmmse { order, window, every, differenced };
    let medians = [3, 5, 9, 21, 51, 101, 201].map(median);
    let others = [
        ForecasterConfig::Holt { gain: 1.0 / 8.0, trend_gain: 1.0 / 64.0 },
        lmmse(20, 500, 25, false),
        lmmse(10, 500, 20, true),
        lmmse(3, 200, 8, false),
        ForecasterConfig::AdaptiveEwma { smoothing: 0.1 },
        ForecasterConfig::jeyasekar_2014(),
        ForecasterConfig::ArimaRecursive { p: 2, d: 1, q: 1, memory: 1000 },
        lmmse(3, 200, 8, false),
    ];
    medians.iter().chain(&others).map(ForecasterConfig::build).collect()
}
