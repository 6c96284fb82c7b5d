//! The forecast of the next round trip in place of its mean: what Jeyasekar et al. 2014 leave to the future in their
//! conclusion ("SRTT ... may be updated using ARTT"). Any forecaster may stand in place of ARIMA.

use super::centred::{check, Centre, Centred};
use crate::error::ConfigError;
use crate::forecast::{AnyForecaster, Forecaster, ForecasterConfig};
use crate::sample::is_rtt;

/// srtt is the forecast of the next round-trip time; rttvar is an exponentially weighted mean of the errors of such
/// forecasts, `rttvar += deviation_gain (|R - srtt| - rttvar)` with the srtt that was forecast before `R` came.
///
/// The first sample `R` gives `rttvar = R / 2`, as in Jacobson's filter. A forecast that is no round-trip time, since it is
/// negative, is none, and the sample stands for it; so `srtt + multiplier rttvar` is neither below the forecast nor below 0.
///
/// Any [`Forecaster`] will do, also one of your own:
///
/// ```
/// use parshall_estimators::forecast::Holt;
/// use parshall_estimators::rto::{ForecastRto, RtoRules, RtoTimer};
///
/// let filter = ForecastRto::with_forecaster(Holt::new(0.5, 0.5)?, 0.25, 4.0)?;
/// let mut timer = RtoTimer::new(filter, RtoRules { min_s: 0.0, ..RtoRules::default() });
/// (0..200).for_each(|n| timer.on_sample(0.1 + 0.01 * f64::from(n)));
/// assert!((timer.rto() - 2.1).abs() < 1e-6); // the ramp goes on, and nothing deviates from it
/// # Ok::<(), parshall_estimators::ConfigError>(())
/// ```
pub type ForecastRto<F> = Centred<F>;

/// [`ForecastRto`] with a forecaster of [`ForecasterConfig`].
pub type ArimaRto = ForecastRto<AnyForecaster>;

impl<F: Forecaster> ForecastRto<F> {
    /// A forecaster that has seen nothing, a gain in (0, 1], a multiplier that is not negative.
    ///
    /// # Errors
    ///
    /// A gain or a multiplier out of its range.
    pub fn with_forecaster(forecaster: F, deviation_gain: f64, multiplier: f64) -> Result<Self, ConfigError> {
        Centred::around(forecaster, deviation_gain, multiplier)
    }
}

impl ArimaRto {
    /// A forecaster whose parameters are in their ranges, a gain in (0, 1], a multiplier that is not negative.
    pub fn new(
        forecaster: &ForecasterConfig,
        deviation_gain: f64,
        multiplier: f64,
    ) -> Result<Self, ConfigError> {
        check(deviation_gain, multiplier)?;
        Centred::around(forecaster.try_build().map_err(within)?, deviation_gain, multiplier)
    }
}

/// Checks what [`ArimaRto::new`] checks.
pub(super) fn check_all(
    forecaster: &ForecasterConfig,
    deviation_gain: f64,
    multiplier: f64,
) -> Result<(), ConfigError> {
    check(deviation_gain, multiplier)?;
    forecaster.validate().map_err(within)
}

fn within(e: ConfigError) -> ConfigError {
    ConfigError::new("forecaster", format_args!("{} = {}", e.field, e.value), e.expected)
}

impl<F: Forecaster> Centre for F {
    // What few flows have must not grow into the code of all.
    #[inline(never)]
    fn take(&mut self, rtt_s: f64) -> f64 {
        self.update(rtt_s);
        self.forecast().filter(|&artt| is_rtt(artt)).unwrap_or(rtt_s)
    }

    fn reset(&mut self) {
        Forecaster::reset(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rto::{Jacobson, MedianRto, RtoEstimator};
    use proptest::prelude::*;

    fn forecasters() -> Vec<ForecasterConfig> {
        vec![
            ForecasterConfig::Constant { value: -1.0 },
            ForecasterConfig::LastValue {},
            ForecasterConfig::Holt { gain: 0.5, trend_gain: 0.9 },
            ForecasterConfig::jeyasekar_2014(),
        ]
    }

    fn with(forecaster: &ForecasterConfig) -> ArimaRto {
        ArimaRto::new(forecaster, 0.25, 4.0).unwrap()
    }

    proptest! {
        #[test]
        fn with_a_mean_it_is_jacobsons_and_with_a_median_the_medians(
            rtts in prop::collection::vec(0.0..10.0f64, 1..80),
        ) {
            let mut mean = with(&ForecasterConfig::Ewma { gain: 0.125 });
            let mut jacobson = Jacobson::new(0.125, 0.25, 4.0).unwrap();
            let mut median = with(&ForecasterConfig::Median { window: 5 });
            let mut chan_and_leis = MedianRto::new(5, 0.25, 4.0).unwrap();
            for rtt in rtts {
                mean.on_sample(rtt);
                jacobson.on_sample(rtt);
                prop_assert!((mean.base_rto().unwrap() - jacobson.base_rto().unwrap()).abs() < 1e-12);
                median.on_sample(rtt);
                chan_and_leis.on_sample(rtt);
                prop_assert_eq!(median.base_rto(), chan_and_leis.base_rto());
            }
        }

        #[test]
        fn it_is_never_below_its_forecast_or_below_0(
            which in 0..4usize,
            rtts in prop::collection::vec(prop_oneof![0.0..1.0f64, Just(1e300), Just(0.0)], 1..80),
        ) {
            let mut rto = with(&forecasters()[which]);
            for rtt in rtts {
                rto.on_sample(rtt);
                let (srtt, base) = (rto.srtt().unwrap(), rto.base_rto().unwrap());
                prop_assert!(srtt >= 0.0 && base >= srtt, "{srtt} {base}");
                prop_assert!(rto.granular_rto(0.5).unwrap() >= srtt + 0.5);
            }
        }
    }

    #[test]
    fn a_forecast_that_follows_a_ramp_needs_no_deviation() {
        let mut holt = with(&ForecasterConfig::Holt { gain: 0.5, trend_gain: 0.5 });
        let mut jacobson = Jacobson::new(0.125, 0.25, 4.0).unwrap();
        for t in 0..400 {
            let rtt = 0.1 + 0.001 * f64::from(t);
            holt.on_sample(rtt);
            jacobson.on_sample(rtt);
        }
        assert!((holt.srtt().unwrap() - 0.5).abs() < 1e-9 && holt.rttvar().unwrap() < 1e-9);
        assert!(jacobson.srtt().unwrap() < 0.494 && jacobson.rttvar().unwrap() > 0.007);
    }

    #[test]
    fn a_negative_forecast_is_replaced_by_the_sample() {
        let mut rto = with(&ForecasterConfig::Holt { gain: 0.5, trend_gain: 1.0 });
        [1.0, 0.4, 0.0].into_iter().for_each(|rtt| rto.on_sample(rtt));
        assert!(rto.centre.forecast().unwrap() < 0.0);
        assert_eq!(rto.srtt(), Some(0.0));
        rto.reset();
        assert_eq!((rto.srtt(), rto.rttvar(), rto.base_rto()), (None, None, None));
    }

    #[test]
    fn what_cannot_be_is_named() {
        let refusal = |forecaster, gain, multiplier| {
            ArimaRto::new(&forecaster, gain, multiplier).unwrap_err().to_string()
        };
        assert_eq!(
            refusal(ForecasterConfig::Ewma { gain: 2.0 }, 0.25, 4.0),
            "forecaster: got gain = 2, expected a number above 0 and at most 1",
        );
        let last = ForecasterConfig::LastValue {};
        assert!(refusal(last.clone(), 0.0, 4.0).starts_with("deviation_gain: got 0, "));
        assert!(refusal(last, 0.25, -1.0).starts_with("multiplier: got -1, "));
    }
}
