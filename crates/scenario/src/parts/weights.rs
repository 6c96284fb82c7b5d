//! Weights of the current queue in its average.

use crate::part::{parts, Kinds};
use crate::takes::SHARE;

parts! {
    /// A given weight. In its place a number may stand.
    FIXED_WEIGHT: "FixedWeight" as "fixed" {
        /// Weight of the current queue in its average.
        value: SHARE,
    }

    /// A weight of `1 - exp(-1 / packets per second)`: the average has a time constant of one second.
    WEIGHT_FROM_RATE: "WeightFromRate" as "from-rate" {
    }
}

/// The kinds of weight.
pub static ANY_WEIGHT: Kinds =
    Kinds::new("AnyWeight", module_path!(), "kind of weight", &[&FIXED_WEIGHT, &WEIGHT_FROM_RATE]);
