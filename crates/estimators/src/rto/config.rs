//! The estimators and their parameters as a plain value, as a scenario holds it.

use alloc::boxed::Box;

use super::{
    arima, AnyRto, ArimaRto, Jacobson, JacobsonTicks, LinuxRto, MedianMadRto, MedianRto, QuantileRto,
    RtoMaker, WeightedMedianRto,
};
use crate::error::ConfigError;
use crate::forecast::ForecasterConfig;
use crate::own;

/// Which estimator, and its parameters. Every parameter has a default, the value of its source.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
#[non_exhaustive]
pub enum RtoConfig {
    /// Exponentially weighted mean and mean deviation: see [`Jacobson`].
    Jacobson {
        /// Weight of a sample in srtt, in (0, 1].
        #[cfg_attr(feature = "serde", serde(default = "defaults::gain"))]
        gain: f64,
        /// Weight of a sample in rttvar, in (0, 1].
        #[cfg_attr(feature = "serde", serde(default = "defaults::deviation_gain"))]
        deviation_gain: f64,
        /// Factor of rttvar in the timeout; not negative.
        #[cfg_attr(feature = "serde", serde(default = "defaults::multiplier"))]
        multiplier: f64,
    },
    /// Jacobson's filter in whole clock ticks, as ns-2 and BSD run it: see [`JacobsonTicks`].
    JacobsonTicks {
        /// Length of a tick in seconds.
        #[cfg_attr(feature = "serde", serde(default = "defaults::tick"))]
        tick: f64,
    },
    /// Quick to rise and slow to fall, as Linux runs it: see [`LinuxRto`].
    Linux {
        /// Least that is added to srtt, in seconds; not negative.
        #[cfg_attr(feature = "serde", serde(default = "defaults::least_margin"))]
        least_margin: f64,
    },
    /// Median of the last samples: see [`MedianRto`] and [`MedianMadRto`].
    Median {
        /// Number of samples.
        #[cfg_attr(feature = "serde", serde(default = "defaults::window"))]
        window: u32,
        /// Kind of rttvar.
        #[cfg_attr(feature = "serde", serde(default))]
        deviation: Deviation,
        /// Weight of a sample in an exponentially weighted rttvar, in (0, 1]; unused with `mad`.
        #[cfg_attr(feature = "serde", serde(default = "defaults::deviation_gain"))]
        deviation_gain: f64,
        /// Factor of rttvar in the timeout; not negative.
        #[cfg_attr(feature = "serde", serde(default = "defaults::multiplier"))]
        multiplier: f64,
    },
    /// An upper quantile of the next sample: see [`QuantileRto`].
    Quantile {
        /// The share of timeouts that may be early, from 0.000001 to 0.2.
        #[cfg_attr(feature = "serde", serde(default = "defaults::risk"))]
        risk: f64,
    },
    /// Recursive weighted median: see [`WeightedMedianRto`].
    WeightedMedian {
        /// Number of samples that are weighed (the letter's M).
        #[cfg_attr(feature = "serde", serde(default = "defaults::window"))]
        window: u32,
        /// Weight of a sample relative to the one after it, in (0, 1] (the letter's alpha).
        #[cfg_attr(feature = "serde", serde(default = "defaults::decay"))]
        decay: f64,
        /// Weight of the last estimate, where the newest sample has 1 (the letter's beta).
        #[cfg_attr(feature = "serde", serde(default = "defaults::feedback"))]
        feedback: f64,
        /// Factor of the mean deviation in the timeout (the letter's mu); not negative.
        #[cfg_attr(feature = "serde", serde(default = "defaults::weighted_multiplier"))]
        multiplier: f64,
        /// Samples that the mean and the mean deviation look back on; none is all of them.
        #[cfg_attr(feature = "serde", serde(default))]
        memory: Option<u32>,
    },
    /// A forecast in place of srtt: see [`ArimaRto`].
    Arima {
        /// Forecaster of the next round trip.
        #[cfg_attr(feature = "serde", serde(default = "ForecasterConfig::jeyasekar_2014"))]
        forecaster: ForecasterConfig,
        /// Weight of an error in rttvar, in (0, 1].
        #[cfg_attr(feature = "serde", serde(default = "defaults::deviation_gain"))]
        deviation_gain: f64,
        /// Factor of rttvar in the timeout; not negative.
        #[cfg_attr(feature = "serde", serde(default = "defaults::multiplier"))]
        multiplier: f64,
    },
    /// One that somebody else wrote, and that the caller hands over.
    User(own::Config<dyn RtoMaker>),
}

/// Deviation around a median.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Deviation {
    /// Exponentially weighted mean of the distance of a sample from the median before it.
    #[default]
    Ewma,
    /// Median absolute deviation of the window.
    Mad,
}

/// The values of the sources.
mod defaults {
    /// RFC 6298, section 2.3: alpha.
    pub const fn gain() -> f64 {
        1.0 / 8.0
    }

    /// RFC 6298, section 2.3: beta.
    pub const fn deviation_gain() -> f64 {
        1.0 / 4.0
    }

    /// RFC 6298, section 2: K.
    pub const fn multiplier() -> f64 {
        4.0
    }

    /// ns-2.35: `tcpTick_`.
    #[cfg(feature = "serde")]
    pub const fn tick() -> f64 {
        0.01
    }

    /// Linux: TCP_RTO_MIN.
    #[cfg(feature = "serde")]
    pub const fn least_margin() -> f64 {
        0.2
    }

    /// The smallest window that Chan and Leis try; also M of Ma, Arce and Barner.
    pub const fn window() -> u32 {
        5
    }

    /// One timeout in a hundred.
    #[cfg(feature = "serde")]
    pub const fn risk() -> f64 {
        0.01
    }

    /// Ma, Arce and Barner 2004, section III.A: alpha.
    pub const fn decay() -> f64 {
        7.0 / 8.0
    }

    /// Ma, Arce and Barner 2004, section III.A: beta.
    pub const fn feedback() -> f64 {
        1.0 / 2.0
    }

    /// Ma, Arce and Barner 2004, section III.B: mu.
    pub const fn weighted_multiplier() -> f64 {
        4.5
    }
}

impl Default for RtoConfig {
    fn default() -> Self {
        RtoConfig::jacobson()
    }
}

impl RtoConfig {
    /// RFC 6298 as it stands.
    pub const fn jacobson() -> Self {
        RtoConfig::Jacobson {
            gain: defaults::gain(),
            deviation_gain: defaults::deviation_gain(),
            multiplier: defaults::multiplier(),
        }
    }

    /// Integer arithmetic on ticks of `tick` seconds.
    pub const fn jacobson_ticks(tick: f64) -> Self {
        RtoConfig::JacobsonTicks { tick }
    }

    /// Linux's filter, which adds at least so many seconds to srtt.
    pub const fn linux(least_margin: f64) -> Self {
        RtoConfig::Linux { least_margin }
    }

    /// Median of `window` samples with either deviation, other parameters at their defaults.
    pub const fn median(window: u32, deviation: Deviation) -> Self {
        RtoConfig::Median {
            window,
            deviation,
            deviation_gain: defaults::deviation_gain(),
            multiplier: defaults::multiplier(),
        }
    }

    /// The timeout that is early with the given share.
    pub const fn quantile(risk: f64) -> Self {
        RtoConfig::Quantile { risk }
    }

    /// The recursive weighted median of the letter.
    pub const fn weighted_median() -> Self {
        RtoConfig::WeightedMedian {
            window: defaults::window(),
            decay: defaults::decay(),
            feedback: defaults::feedback(),
            multiplier: defaults::weighted_multiplier(),
            memory: None,
        }
    }

    /// The forecast of this forecaster in place of srtt, other parameters at their defaults.
    pub const fn arima(forecaster: ForecasterConfig) -> Self {
        RtoConfig::Arima {
            forecaster,
            deviation_gain: defaults::deviation_gain(),
            multiplier: defaults::multiplier(),
        }
    }

    /// Checks that every parameter is in its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        match *self {
            RtoConfig::Jacobson { gain, deviation_gain, multiplier } => {
                Jacobson::check(gain, deviation_gain, multiplier)
            }
            RtoConfig::JacobsonTicks { tick } => JacobsonTicks::check(tick),
            RtoConfig::Linux { least_margin } => LinuxRto::check(least_margin),
            RtoConfig::Median { window, deviation_gain, multiplier, .. } => {
                MedianRto::check(window, deviation_gain, multiplier)
            }
            RtoConfig::Quantile { risk } => QuantileRto::check(risk),
            RtoConfig::WeightedMedian { window, decay, feedback, multiplier, memory } => {
                WeightedMedianRto::check(window, decay, feedback, multiplier, memory)
            }
            RtoConfig::Arima { ref forecaster, deviation_gain, multiplier } => {
                arima::check_all(forecaster, deviation_gain, multiplier)
            }
            RtoConfig::User(ref own) => own.found().map(drop),
        }
    }

    /// The estimator, before its first sample.
    ///
    /// # Panics
    ///
    /// If [`RtoConfig::validate`] refuses the parameters.
    pub fn build(&self) -> AnyRto {
        self.try_build().unwrap_or_else(|error| panic!("an RTO estimator was not validated: {error}"))
    }

    /// The estimator, or what is wrong with its parameters.
    pub fn try_build(&self) -> Result<AnyRto, ConfigError> {
        self.validate()?;
        Ok(match *self {
            RtoConfig::Jacobson { gain, deviation_gain, multiplier } => {
                AnyRto::Jacobson(Jacobson::new(gain, deviation_gain, multiplier)?)
            }
            RtoConfig::JacobsonTicks { tick } => AnyRto::JacobsonTicks(JacobsonTicks::new(tick)?),
            RtoConfig::Linux { least_margin } => AnyRto::Linux(LinuxRto::new(least_margin)?),
            RtoConfig::Median { window, deviation: Deviation::Ewma, deviation_gain, multiplier } => {
                AnyRto::Median(Box::new(MedianRto::new(window, deviation_gain, multiplier)?))
            }
            RtoConfig::Median { window, deviation: Deviation::Mad, multiplier, .. } => {
                AnyRto::MedianMad(Box::new(MedianMadRto::new(window, multiplier)?))
            }
            RtoConfig::Quantile { risk } => AnyRto::Quantile(Box::new(QuantileRto::new(risk)?)),
            RtoConfig::WeightedMedian { window, decay, feedback, multiplier, memory } => {
                let filter = WeightedMedianRto::new(window, decay, feedback, multiplier, memory)?;
                AnyRto::WeightedMedian(Box::new(filter))
            }
            RtoConfig::Arima { ref forecaster, deviation_gain, multiplier } => {
                AnyRto::Arima(Box::new(ArimaRto::new(forecaster, deviation_gain, multiplier)?))
            }
            RtoConfig::User(ref own) => AnyRto::User(own.found()?.make()),
        })
    }
}

/// A multiplier of the deviation is finite and not negative.
pub(super) fn check_multiplier(multiplier: f64) -> Result<(), ConfigError> {
    ConfigError::unless(
        multiplier >= 0.0 && multiplier.is_finite(),
        "multiplier",
        multiplier,
        "a finite number of at least 0",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rto::RtoTimer;

    #[test]
    fn validation_names_the_field_its_value_and_what_was_expected() {
        let message = |config: RtoConfig| config.validate().unwrap_err().to_string();
        assert_eq!(
            message(RtoConfig::median(0, Deviation::Mad)),
            "window: got 0, expected a whole number from 1 to 16777216",
        );
        assert_eq!(
            message(RtoConfig::jacobson_ticks(-0.5)),
            "tick: got -0.5, expected a finite number of seconds above 0",
        );
        let config = RtoConfig::Jacobson { gain: 2.0, deviation_gain: 0.25, multiplier: 4.0 };
        assert_eq!(message(config), "gain: got 2, expected a number above 0 and at most 1");
        let config = RtoConfig::Jacobson { gain: 0.125, deviation_gain: 0.25, multiplier: f64::NAN };
        assert_eq!(message(config), "multiplier: got NaN, expected a finite number of at least 0");
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_kind_alone_has_the_defaults_of_its_source() {
        let of = |text: &str| serde_json::from_str::<RtoConfig>(text).expect("a kind").to_owned();
        assert_eq!(of(r#"{"kind": "quantile"}"#), RtoConfig::Quantile { risk: 0.01 });
        assert_eq!(
            of(r#"{"kind": "jacobson"}"#),
            RtoConfig::Jacobson { gain: 0.125, deviation_gain: 0.25, multiplier: 4.0 }
        );
    }

    #[test]
    fn builds_exactly_what_validates() {
        let bad = RtoConfig::median(0, Deviation::Ewma);
        assert_eq!(bad.try_build().unwrap_err(), bad.validate().unwrap_err());
        for deviation in [Deviation::Ewma, Deviation::Mad] {
            let unused = RtoConfig::Median { window: 5, deviation, deviation_gain: 2.0, multiplier: 4.0 };
            assert_eq!(unused.validate().unwrap_err().field, "deviation_gain");
        }
    }

    #[test]
    #[should_panic(expected = "window: got 0")]
    fn building_what_was_not_validated_panics() {
        RtoConfig::median(0, Deviation::Ewma).build();
    }

    #[test]
    fn jacobson_stays_small_in_the_state_of_a_flow() {
        assert!(std::mem::size_of::<AnyRto>() <= 56);
        assert!(std::mem::size_of::<RtoTimer<AnyRto>>() <= 96);
    }

    #[cfg(feature = "serde")]
    mod json {
        use super::*;

        fn read(json: &str) -> Result<RtoConfig, String> {
            serde_json::from_str(json).map_err(|error| error.to_string())
        }

        #[test]
        fn parameters_left_out_take_their_defaults() {
            assert_eq!(read(r#"{"kind": "jacobson"}"#), Ok(RtoConfig::jacobson()));
            assert_eq!(read(r#"{"kind": "jacobson-ticks"}"#), Ok(RtoConfig::jacobson_ticks(0.01)));
            assert_eq!(read(r#"{"kind": "linux"}"#), Ok(RtoConfig::linux(0.2)));
            assert_eq!(read(r#"{"kind": "median"}"#), Ok(RtoConfig::median(5, Deviation::Ewma)));
            let mad = r#"{"kind": "median", "window": 9, "deviation": "mad"}"#;
            assert_eq!(read(mad), Ok(RtoConfig::median(9, Deviation::Mad)));
            assert_eq!(read(r#"{"kind": "weighted-median"}"#), Ok(RtoConfig::weighted_median()));
            let documents = RtoConfig::arima(ForecasterConfig::jeyasekar_2014());
            assert_eq!(read(r#"{"kind": "arima"}"#), Ok(documents));
        }

        #[test]
        fn writing_and_reading_gives_the_same() {
            let mut weighted = RtoConfig::weighted_median();
            if let RtoConfig::WeightedMedian { memory, .. } = &mut weighted {
                *memory = Some(100);
            }
            let last = RtoConfig::arima(ForecasterConfig::LastValue {});
            for config in [weighted, RtoConfig::jacobson(), RtoConfig::median(7, Deviation::Mad), last] {
                let json = serde_json::to_string(&config).unwrap();
                assert_eq!(read(&json), Ok(config), "{json}");
            }
        }

        #[test]
        fn what_is_unknown_is_refused() {
            let refusal = |json| read(json).unwrap_err();
            assert!(refusal(r#"{"kind": "jacobson", "gian": 0.1}"#).contains("unknown field `gian`"));
            assert!(refusal(r#"{"kind": "jacobson", "window": 5}"#).contains("unknown field `window`"));
            assert!(refusal(r#"{"kind": "mean"}"#).contains("unknown variant `mean`"));
            assert!(refusal(r#"{"kind": "median", "deviation": "sd"}"#).contains("unknown variant `sd`"));
            assert!(refusal(r#"{"kind": "median", "window": -1}"#).contains("-1"));
        }
    }
}
