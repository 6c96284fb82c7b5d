//! BBR's parameters.

use crate::Parameters;

/// Section 4.2.3.3 of the draft: the window in ProbeRTT, in packets, which is the least anywhere.
pub(super) const LEAST_WINDOW: f64 = 4.0;

/// BBR's parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Config {
    /// Lets losses and marks bound rate and window, as in version 3.
    pub bounds: bool,
    /// Author of version 1; `None` is [`Variant::Draft`], unless a profile of the caller's says otherwise.
    pub variant: Option<Variant>,
}

impl Config {
    /// These parameters with Linux's variant where nothing else is said. Linux has no version 3.
    pub fn linux(self) -> Self {
        let linux = (!self.bounds).then_some(Variant::Linux);
        Config { variant: self.variant.or(linux), ..self }
    }
}

/// The author of BBR's version 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Variant {
    /// The draft's of 2017, draft-cardwell-iccrg-bbr-congestion-control-00.
    #[default]
    Draft,
    /// Linux's, which also looks out for policers, and makes room in the window for ACKs that come together.
    Linux,
}

impl Parameters for Config {
    fn exact_echo(&self) -> bool {
        self.bounds
    }
}
