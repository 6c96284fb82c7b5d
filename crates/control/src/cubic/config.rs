//! CUBIC's parameters.

use crate::hystart::HyStartRule;
use crate::parameters::{positive, require};
use crate::{InvalidParameter, Parameters};

/// CUBIC's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Config {
    /// Steepness of the curve, in packets per cubic second (RFC 9438, section 5.1).
    pub c: f64,
    /// Part of the window that is left after a loss (section 4.6); in (0, 1).
    pub beta: f64,
    /// Lets a flow that loses early make room (section 4.7).
    pub fast_convergence: bool,
    /// Rule that ends slow start before a loss does (section 4.10); `None` is [`HyStartRule::None`], unless a profile of the
    /// caller's says otherwise.
    pub hystart: Option<HyStartRule>,
    /// Author of the curve; `None` is [`Variant::Rfc`], unless a profile of the caller's says otherwise.
    pub variant: Option<Variant>,
}

/// The author of CUBIC's curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Variant {
    /// RFC 9438's, on real numbers.
    #[default]
    Rfc,
    /// Linux's: counted in whole packets, by the ticks of its clock.
    Linux,
}

impl Config {
    /// These parameters with Linux's curve and HyStart where nothing else is said.
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
