//! BBR's parameters.

use crate::Parameters;

/// Section 4.2.3.3 of the draft: the window in ProbeRTT, in packets, which is the least anywhere.
pub(super) const LEAST_WINDOW: f64 = 4.0;

/// BBR's parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Config {
    /// Whether losses and marks bound rate and window, as in version 3.
    pub bounds: bool,
    /// Author of version 1; none is that of the flow's profile.
    pub variant: Option<Variant>,
}

impl Config {
    /// BBR as Linux has it, where nothing else is said. Linux has no version 3.
    pub fn linux(self) -> Self {
        let linux = (!self.bounds).then_some(Variant::Linux);
        Config { variant: self.variant.or(linux), ..self }
    }
}

/// See [`Config::variant`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Variant {
    /// The draft's.
    #[default]
    Draft,
    /// Linux's, which has more: see `linux.rs`.
    Linux,
}

impl Parameters for Config {
    fn exact_echo(&self) -> bool {
        self.bounds
    }
}
