//! What can be set of a meter, and whether it makes sense.

use crate::ConfigError;

/// A meter and its parameters. Rates are bit/s, bursts bytes, windows seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case"))]
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
    /// Whether the colour that a packet brings counts: none leaves with a better one.
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
    /// Whether the colour that a packet brings counts: none leaves with a better one.
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
    /// Whether the colour that a packet brings counts: none leaves with a better one.
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
    /// What the rate is averaged over, in seconds.
    #[cfg_attr(feature = "serde", serde(default = "one_second"))]
    pub window: f64,
    /// Whether the colour that a packet brings counts: none leaves with a better one.
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
    /// What the rate is averaged over, in seconds (`AVG_INTERVAL`).
    #[cfg_attr(feature = "serde", serde(default = "one_second"))]
    pub window: f64,
    /// Whether the colour that a packet brings counts: none leaves with a better one.
    #[cfg_attr(feature = "serde", serde(default))]
    pub colour_aware: bool,
}

#[cfg(feature = "serde")]
fn one_second() -> f64 {
    1.0
}

impl MeterConfig {
    /// Whether every value is one that an RFC allows, and if `strict`, whether they fit one another, too.
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
        for (field, rate) in std::iter::once(("cir", cir)).chain(second) {
            let expected = "a rate of at least 0";
            ConfigError::unless(rate >= 0.0 && rate.is_finite(), field, rate, expected)?;
        }
        let window = self.window();
        ConfigError::unless(window > 0.0 && window.is_finite(), "window", window, "a time above 0")
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
        }
    }

    fn window(&self) -> f64 {
        match self {
            MeterConfig::Tsw2cm(meter) => meter.window,
            MeterConfig::Tsw3cm(meter) => meter.window,
            _ => 1.0,
        }
    }

    fn check_relations(&self) -> Result<(), ConfigError> {
        match self {
            MeterConfig::Trtcm(TrtcmMeter { cir, pir, .. })
            | MeterConfig::Tsw3cm(Tsw3cmMeter { cir, pir, .. }) => {
                ConfigError::unless(pir >= cir, "pir", pir, "at least cir")?;
            }
            _ => {}
        }
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
            MeterConfig::Tsw2cm(_) | MeterConfig::Tsw3cm(_) => Vec::new(),
        }
    }
}
