//! Additive increase, multiplicative decrease (RFC 5681).

use crate::{AckSample, Congestion, Loss, Parameters, Start, Window};

/// AIMD has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Config {}

impl Parameters for Config {}

/// One packet a round trip up, half down.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Aimd;

impl Aimd {
    /// The control at the start of a connection, by parameters that were checked.
    pub fn new(_: &Config, _: &Start<'_>) -> Self {
        Aimd
    }
}

impl Congestion for Aimd {
    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample<'_>) {
        if ack.may_grow {
            window.open_as_reno(ack);
        }
    }

    fn after_loss(&mut self, _: &Window, loss: &Loss) -> f64 {
        loss.in_use / 2.0
    }
}
