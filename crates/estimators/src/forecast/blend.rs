//! A mixture of forecasters of one's own, by what each has lost so far (ML-Poly: Gaillard, Stoltz and van Erven 2014).

use core::array;

use super::mixture::Polynomial;
use super::{Forecaster, LossFunction};
use crate::sample::is_finite;

/// The weighted mean of what `N` forecasters say, with weights that follow how much less each lost than the mean.
///
/// In the long run it loses about as much as the best of them by the given [`LossFunction`], without a rate to set. Until one of
/// them is better than the mean, the first has all the weight. [`super::Mixture`] has forecasters of its own, and more rules.
///
/// Forecasters of several types are boxed:
///
/// ```
/// use parshall_estimators::forecast::{Blend, Forecaster, Holt, LastValue, LossFunction};
///
/// let experts: [Box<dyn Forecaster>; 2] = [Box::new(LastValue::default()), Box::new(Holt::new(0.5, 0.5)?)];
/// let mut blend = Blend::new(LossFunction::Absolute, experts);
/// (0..500).for_each(|t| blend.update(f64::from(t)));
/// assert!((blend.forecast().unwrap() - 500.0).abs() < 0.01); // the line goes on
/// assert!(blend.weights()[1] > 0.99);
/// # Ok::<(), parshall_estimators::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Blend<F, const N: usize> {
    loss: LossFunction,
    experts: [F; N],
    /// Their forecasts of the next sample.
    forecasts: [f64; N],
    rule: Polynomial<N>,
    weights: [f64; N],
    next: Option<f64>,
}

impl<F: Forecaster, const N: usize> Blend<F, N> {
    /// A mixture that is to lose little by `loss`. There is at least one expert.
    pub fn new(loss: LossFunction, experts: [F; N]) -> Self {
        const { assert!(N > 0, "a mixture has at least one expert") };
        Blend {
            loss,
            experts,
            forecasts: [0.0; N],
            rule: Polynomial::new(1.0, 1.0),
            weights: [0.0; N],
            next: None,
        }
    }

    /// The share of each expert in the next forecast: they add up to 1 once there is one, and are 0 before.
    pub fn weights(&self) -> &[f64; N] {
        &self.weights
    }

    /// The forecasters inside.
    pub fn experts(&self) -> &[F; N] {
        &self.experts
    }

    fn learn(&mut self, x: f64, blended: f64) {
        let lost = self.loss.of(blended - x);
        self.rule.learn(&self.forecasts.map(|forecast| lost - self.loss.of(forecast - x)));
    }

    fn mean(&self, forecasts: &[f64; N]) -> Option<f64> {
        let mean: f64 = self.weights.iter().zip(forecasts).map(|(weight, forecast)| weight * forecast).sum();
        Some(mean).filter(|mean| mean.is_finite())
    }
}

impl<F: Forecaster, const N: usize> Forecaster for Blend<F, N> {
    /// Takes in a sample; one that is not finite is left out. An expert that forecasts nothing yet, or nothing finite, counts as
    /// the last value.
    fn update(&mut self, x: f64) {
        if !is_finite(x) {
            return;
        }
        if let Some(blended) = self.next {
            self.learn(x, blended);
        }
        self.experts.iter_mut().for_each(|expert| expert.update(x));
        self.forecasts =
            array::from_fn(|i| self.experts[i].forecast().filter(|&f| is_finite(f)).unwrap_or(x));
        self.rule.weigh(&mut self.weights);
        self.next = self.mean(&self.forecasts).or(Some(x));
    }

    fn forecast(&self) -> Option<f64> {
        self.next
    }

    /// The experts look further ahead, and count for as much as they do for the next sample.
    fn forecast_ahead(&self, steps: u32) -> Option<f64> {
        let next = self.next?;
        let ahead = array::from_fn(|i| {
            let ahead = self.experts[i].forecast_ahead(steps).filter(|&f| is_finite(f));
            ahead.unwrap_or(self.forecasts[i])
        });
        self.mean(&ahead).or(Some(next))
    }

    fn reset(&mut self) {
        self.experts.iter_mut().for_each(F::reset);
        self.rule.reset();
        (self.weights, self.next) = ([0.0; N], None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::{AnyForecaster, ForecasterConfig};
    use proptest::prelude::*;

    fn experts() -> [AnyForecaster; 4] {
        [
            ForecasterConfig::LastValue {},
            ForecasterConfig::Ewma { gain: 0.1 },
            ForecasterConfig::Holt { gain: 0.5, trend_gain: 0.2 },
            ForecasterConfig::Median { window: 5 },
        ]
        .map(|config| config.build())
    }

    fn lost(forecaster: &mut dyn Forecaster, xs: &[f64], loss: LossFunction) -> f64 {
        let step = |sum: f64, &x: &f64| {
            let error = forecaster.forecast().map_or(0.0, |forecast| forecast - x);
            forecaster.update(x);
            sum + loss.of(error)
        };
        xs.iter().fold(0.0, step)
    }

    proptest! {
        #[test]
        fn it_is_within_its_experts_and_weights_add_up_to_one(xs in prop::collection::vec(-1e3..1e3f64, 1..100)) {
            let mut blend = Blend::new(LossFunction::Absolute, experts());
            for x in xs {
                blend.update(x);
                let all = blend.experts().each_ref().map(|expert| expert.forecast().unwrap());
                let least = all.iter().copied().fold(f64::INFINITY, f64::min);
                let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let next = blend.forecast().unwrap();
                prop_assert!(least - 1e-9 <= next && next <= most + 1e-9, "{least} {next} {most}");
                prop_assert!((blend.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn it_loses_about_as_much_as_the_best_whichever_that_is() {
        let line: Vec<f64> = (0..3000).map(f64::from).collect();
        let mut state = 1u64;
        let noise: Vec<f64> = (0..3000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 11) as f64 / (1u64 << 53) as f64
            })
            .collect();
        let walk: Vec<f64> = noise
            .iter()
            .scan(0.0, |x, u| {
                *x += u - 0.5;
                Some(*x)
            })
            .collect();
        for (name, xs) in [("line", line), ("noise", noise), ("walk", walk)] {
            for loss in [LossFunction::Absolute, LossFunction::Squared] {
                let best = experts().iter_mut().map(|e| lost(e, &xs, loss)).fold(f64::INFINITY, f64::min);
                let blended = lost(&mut Blend::new(loss, experts()), &xs, loss);
                assert!(blended <= 1.03 * best + 10.0, "{name}: {blended} {best}");
            }
        }
    }

    #[test]
    fn an_expert_that_says_nothing_or_nonsense_counts_as_the_last_value() {
        struct Silent(Option<f64>);
        impl Forecaster for Silent {
            fn update(&mut self, _: f64) {}
            fn forecast(&self) -> Option<f64> {
                self.0
            }
            fn reset(&mut self) {}
        }
        let mut blend = Blend::new(LossFunction::Squared, [Silent(None), Silent(Some(f64::NAN))]);
        assert_eq!((blend.forecast(), blend.weights()), (None, &[0.0; 2]));
        for x in [2.0, f64::NAN, 3.0, f64::MAX, -f64::MAX] {
            blend.update(x);
            assert_eq!(blend.forecast_ahead(3), if x.is_nan() { Some(2.0) } else { Some(x) });
        }
        blend.reset();
        assert_eq!(blend.forecast(), None);
    }
}
