//! Settings of a meter, and their check.

use alloc::vec;
use alloc::vec::Vec;

use crate::ConfigError;

/// A meter and its parameters. Rates are bit/s, bursts bytes, windows seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum MeterConfig {
    /// One bucket.
    TokenBucket(TokenBucketMeter),
    /// RFC 2697.
    Srtcm(SrtcmMeter),
    /// RFC 2698.
    Trtcm(TrtcmMeter),
    /// RFC 4115.
    Rfc4115(Rfc4115Meter),
    /// Clark and Fang 1998.
    Tsw2cm(Tsw2cmMeter),
    /// RFC 2859.
    Tsw3cm(Tsw3cmMeter),
    /// Nandy et al. 2000.
    RttAware(RttAwareMeter),
    /// Habib, Bhargava and Fahmy 2002.
    RttRto(RttRtoMeter),
    /// The exact solution of what the former approximates.
    TcpModel(TcpModelMeter),
    /// Equal excess by feedback.
    FairExcess(FairExcessMeter),
}

/// See [`super::TokenBucket`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct TokenBucketMeter {
    /// Committed information rate, in bit/s.
    pub cir: f64,
    /// Committed burst size, in bytes.
    pub cbs_bytes: u64,
}

/// See [`super::Srtcm`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SrtcmMeter {
    /// Committed information rate, in bit/s.
    pub cir: f64,
    /// Committed burst size, in bytes.
    pub cbs_bytes: u64,
    /// Excess burst size, in bytes.
    pub ebs_bytes: u64,
    /// True if the colour that a packet brings counts: none leaves with a better one.
    #[cfg_attr(feature = "serde", serde(default))]
    pub colour_aware: bool,
}

/// See [`super::Trtcm`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct TrtcmMeter {
    /// Committed information rate, in bit/s.
    pub cir: f64,
    /// Committed burst size, in bytes.
    pub cbs_bytes: u64,
    /// Peak information rate, in bit/s.
    pub pir: f64,
    /// Peak burst size, in bytes.
    pub pbs_bytes: u64,
    /// True if the colour that a packet brings counts: none leaves with a better one.
    #[cfg_attr(feature = "serde", serde(default))]
    pub colour_aware: bool,
}

/// See [`super::InProfile`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Rfc4115Meter {
    /// Committed information rate, in bit/s.
    pub cir: f64,
    /// Committed burst size, in bytes.
    pub cbs_bytes: u64,
    /// Excess information rate, in bit/s.
    pub eir: f64,
    /// Excess burst size, in bytes.
    pub ebs_bytes: u64,
    /// True if the colour that a packet brings counts: none leaves with a better one.
    #[cfg_attr(feature = "serde", serde(default))]
    pub colour_aware: bool,
}

/// See [`super::Tsw2cm`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Tsw2cmMeter {
    /// Committed information rate, in bit/s.
    pub cir: f64,
    /// Averaging time of the rate, in seconds.
    #[cfg_attr(feature = "serde", serde(default = "one_second"))]
    pub window: f64,
    /// True if the colour that a packet brings counts: none leaves with a better one.
    #[cfg_attr(feature = "serde", serde(default))]
    pub colour_aware: bool,
}

/// See [`super::Tsw3cm`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Tsw3cmMeter {
    /// Committed information rate, in bit/s (CTR, committed target rate).
    pub cir: f64,
    /// Peak information rate, in bit/s (PTR, peak target rate).
    pub pir: f64,
    /// Averaging time of the rate, in seconds (`AVG_INTERVAL`).
    #[cfg_attr(feature = "serde", serde(default = "one_second"))]
    pub window: f64,
    /// True if the colour that a packet brings counts: none leaves with a better one.
    #[cfg_attr(feature = "serde", serde(default))]
    pub colour_aware: bool,
}

/// See [`super::ExcessMarker::rtt_aware`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct RttAwareMeter {
    /// Committed information rate, in bit/s: the target.
    pub cir: f64,
    /// Averaging time of the rate, in seconds.
    #[cfg_attr(feature = "serde", serde(default = "one_second"))]
    pub window: f64,
    /// 3, or 2 without yellow.
    #[cfg_attr(feature = "serde", serde(default = "three"))]
    pub colours: u8,
    /// Exponent of the ratio of round-trip times.
    #[cfg_attr(feature = "serde", serde(default = "two"))]
    pub exponent: f64,
}

/// See [`super::ExcessMarker::rtt_rto`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct RttRtoMeter {
    /// Committed information rate, in bit/s: the target.
    pub cir: f64,
    /// Averaging time of the rate, in seconds.
    #[cfg_attr(feature = "serde", serde(default = "one_second"))]
    pub window: f64,
    /// 3, or 2 without yellow.
    #[cfg_attr(feature = "serde", serde(default = "three"))]
    pub colours: u8,
    /// Exponent of the ratio of round-trip times.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub rtt_exponent: f64,
    /// Exponent of the ratio of timeouts.
    #[cfg_attr(feature = "serde", serde(default = "half"))]
    pub rto_exponent: f64,
    /// True if the aggregate with the least round-trip time goes by its own round trip and timeout.
    #[cfg_attr(feature = "serde", serde(default = "yes"))]
    pub own_timeout: bool,
}

/// See [`super::ExcessMarker::tcp_model`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct TcpModelMeter {
    /// Committed information rate, in bit/s: the target.
    pub cir: f64,
    /// Averaging time of the rate, in seconds.
    #[cfg_attr(feature = "serde", serde(default = "one_second"))]
    pub window: f64,
    /// 3, or 2 without yellow.
    #[cfg_attr(feature = "serde", serde(default = "three"))]
    pub colours: u8,
    /// Takes the model of Padhye et al. with nothing left out.
    #[cfg_attr(feature = "serde", serde(default))]
    pub full: bool,
}

/// See [`super::ExcessMarker::fair_excess`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct FairExcessMeter {
    /// Committed information rate, in bit/s: the target.
    pub cir: f64,
    /// Averaging time of the rate, in seconds.
    #[cfg_attr(feature = "serde", serde(default = "one_second"))]
    pub window: f64,
}

#[cfg(feature = "serde")]
mod defaults {
    pub fn half() -> f64 {
        0.5
    }

    pub fn one() -> f64 {
        1.0
    }

    pub fn two() -> f64 {
        2.0
    }

    pub fn three() -> u8 {
        3
    }

    pub fn yes() -> bool {
        true
    }
}
#[cfg(feature = "serde")]
use defaults::{half, one, one as one_second, three, two, yes};

impl MeterConfig {
    /// Checks that an RFC allows every value and, if `strict`, that they fit one another.
    ///
    /// # Errors
    /// The first value that is not.
    pub fn validate(&self, strict: bool) -> Result<(), ConfigError> {
        self.check_numbers()?;
        if strict {
            self.check_relations()
        } else {
            Ok(())
        }
    }

    fn check_numbers(&self) -> Result<(), ConfigError> {
        let (cir, second) = self.rates();
        for (field, rate) in core::iter::once(("cir", cir)).chain(second) {
            let expected = "a rate of at least 0";
            ConfigError::unless(rate >= 0.0 && rate.is_finite(), field, rate, expected)?;
        }
        for (field, exponent) in self.exponents() {
            let expected = "a number of at least 0";
            ConfigError::unless(exponent >= 0.0 && exponent.is_finite(), field, exponent, expected)?;
        }
        let colours = self.colours();
        ConfigError::unless((2..=3).contains(&colours), "colours", colours, "2 or 3")?;
        let window = self.window();
        ConfigError::unless(window > 0.0 && window.is_finite(), "window", window, "a time above 0")
    }

    /// Committed information rate, in bit/s.
    pub fn cir(&self) -> f64 {
        self.rates().0
    }

    /// CIR, and PIR or EIR by its name.
    fn rates(&self) -> (f64, Option<(&'static str, f64)>) {
        match self {
            MeterConfig::TokenBucket(meter) => (meter.cir, None),
            MeterConfig::Srtcm(meter) => (meter.cir, None),
            MeterConfig::Trtcm(meter) => (meter.cir, Some(("pir", meter.pir))),
            MeterConfig::Rfc4115(meter) => (meter.cir, Some(("eir", meter.eir))),
            MeterConfig::Tsw2cm(meter) => (meter.cir, None),
            MeterConfig::Tsw3cm(meter) => (meter.cir, Some(("pir", meter.pir))),
            MeterConfig::RttAware(meter) => (meter.cir, None),
            MeterConfig::RttRto(meter) => (meter.cir, None),
            MeterConfig::TcpModel(meter) => (meter.cir, None),
            MeterConfig::FairExcess(meter) => (meter.cir, None),
        }
    }

    fn window(&self) -> f64 {
        match self {
            MeterConfig::Tsw2cm(meter) => meter.window,
            MeterConfig::Tsw3cm(meter) => meter.window,
            MeterConfig::RttAware(meter) => meter.window,
            MeterConfig::RttRto(meter) => meter.window,
            MeterConfig::TcpModel(meter) => meter.window,
            MeterConfig::FairExcess(meter) => meter.window,
            _ => 1.0,
        }
    }

    /// Returns whether the meter goes by more than the sizes and times of packets; see
    /// [`super::Surroundings`].
    pub fn asks_around(&self) -> bool {
        use MeterConfig::{FairExcess, RttAware, RttRto, TcpModel};
        matches!(self, RttAware(_) | RttRto(_) | TcpModel(_) | FairExcess(_))
    }

    fn colours(&self) -> u8 {
        match self {
            MeterConfig::RttAware(meter) => meter.colours,
            MeterConfig::RttRto(meter) => meter.colours,
            MeterConfig::TcpModel(meter) => meter.colours,
            _ => 3,
        }
    }

    /// Exponents by their names.
    fn exponents(&self) -> Vec<(&'static str, f64)> {
        match self {
            MeterConfig::RttAware(meter) => vec![("exponent", meter.exponent)],
            MeterConfig::RttRto(meter) => {
                vec![("rtt_exponent", meter.rtt_exponent), ("rto_exponent", meter.rto_exponent)]
            }
            _ => Vec::new(),
        }
    }

    fn check_relations(&self) -> Result<(), ConfigError> {
        match self {
            MeterConfig::Trtcm(TrtcmMeter { cir, pir, .. })
            | MeterConfig::Tsw3cm(Tsw3cmMeter { cir, pir, .. }) => {
                // [RFC 2698 2-a]
                ConfigError::unless(pir >= cir, "pir", pir, "at least cir")?;
            }
            _ => {}
        }
        // [RFC 2697 2-a]
        let one = self.bursts().iter().any(|&(_, bytes)| bytes > 0) || self.bursts().is_empty();
        ConfigError::unless(one, "cbs_bytes", 0, "at least 1 byte, or an excess burst above 0")
    }

    /// The bursts that it has, by the names of their fields.
    pub fn bursts(&self) -> Vec<(&'static str, u64)> {
        match self {
            MeterConfig::TokenBucket(meter) => vec![("cbs_bytes", meter.cbs_bytes)],
            MeterConfig::Srtcm(meter) => vec![("cbs_bytes", meter.cbs_bytes), ("ebs_bytes", meter.ebs_bytes)],
            MeterConfig::Trtcm(meter) => vec![("cbs_bytes", meter.cbs_bytes), ("pbs_bytes", meter.pbs_bytes)],
            MeterConfig::Rfc4115(meter) => {
                vec![("cbs_bytes", meter.cbs_bytes), ("ebs_bytes", meter.ebs_bytes)]
            }
            _ => Vec::new(),
        }
    }
}
