//! CUBIC's parameters.

use crate::hystart::HyStartRule;
use crate::parameters::{positive, require};
use crate::{InvalidParameter, Parameters};

/// CUBIC's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Config {
    /// How steep the curve is (RFC 9438, section 5.1).
    pub c: f64,
    /// What is left of the window after a loss (section 4.6).
    pub beta: f64,
    /// Whether a flow that loses early makes room (section 4.7).
    pub fast_convergence: bool,
    /// Other end of slow start than a loss (section 4.10); none is that of the flow's profile.
    pub hystart: Option<HyStartRule>,
    /// Author of the curve; none is that of the flow's profile.
    pub variant: Option<Variant>,
}

/// See [`Config::variant`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Variant {
    /// The RFC's.
    #[default]
    Rfc,
    /// Linux's: see `linux.rs`.
    Linux,
}

impl Config {
    /// CUBIC as Linux has it, where nothing else is said.
    pub fn linux(self) -> Self {
        Config {
            hystart: self.hystart.or(Some(HyStartRule::Classic)),
            variant: self.variant.or(Some(Variant::Linux)),
            ..self
        }
    }
}

impl Parameters for Config {
    fn timed(&self) -> bool {
        true
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        positive("c", self.c)?;
        let beta = self.beta;
        require("beta", beta, beta > 0.0 && beta < 1.0, "a number between 0 and 1")
    }
}

impl Default for Config {
    fn default() -> Self {
        Config {
            // [RFC 9438 5.1-a] [RFC 9438 5.1-b]
            c: 0.4,
            // [RFC 9438 4.6-b]
            beta: 0.7,
            fast_convergence: true,
            hystart: None,
            variant: None,
        }
    }
}
