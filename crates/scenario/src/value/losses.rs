//! Packets that are lost on their way, whatever the queue.

use serde::{Deserialize, Serialize};

use super::defaults::one;

/// Losses that are not the queue's doing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Loss {
    /// The packets with these arrival numbers at the port (counted from 1, lost packets included) are lost.
    Listed(ListedLoss),
    /// Each packet is lost with the same probability, independently.
    Bernoulli(BernoulliLoss),
    /// Losses come in bursts: two states with a loss probability each (Gilbert 1960, Elliott 1963).
    GilbertElliott(GilbertElliottLoss),
    /// The router drops, or marks, a few packets itself where its queue drops and marks nothing.
    Dither(DitherLoss),
}

/// See [`Loss::Listed`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedLoss {
    /// Arrival numbers, counted from 1.
    pub arrivals: Vec<u64>,
    /// Which packets are counted and lost.
    #[serde(default)]
    pub of: LossOf,
}

/// See [`Loss::Bernoulli`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BernoulliLoss {
    /// Between 0 and 1.
    pub probability: f64,
    /// Which packets can be lost.
    #[serde(default)]
    pub of: LossOf,
}

/// See [`Loss::GilbertElliott`]. The state may change before each packet; it starts good.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliottLoss {
    /// Probability of a change from good to bad.
    pub good_to_bad: f64,
    /// Probability of a change from bad to good.
    pub bad_to_good: f64,
    /// Loss probability in the good state.
    #[serde(default)]
    pub loss_good: f64,
    /// Loss probability in the bad state.
    #[serde(default = "one")]
    pub loss_bad: f64,
    /// Which packets can be lost.
    #[serde(default)]
    pub of: LossOf,
}

/// See [`Loss::Dither`]. A packet is lost with the probability that the queue's own drops and marks lately fell short of
/// `floor`, or with `part` of theirs if that is more and the backlog is at least half of what it is when the queue
/// itself drops or marks; one that may carry a mark (ECN) is marked instead.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DitherLoss {
    /// Least share of packets that are dropped or marked, between 0 and 1.
    #[serde(default = "default_floor")]
    pub floor: f64,
    /// While the backlog is long, the dither's probability is at least this part of that of the queue's own drops and
    /// marks, between 0 and 1.
    #[serde(default)]
    pub part: f64,
    /// Which packets can be lost, and are counted.
    #[serde(default)]
    pub of: LossOf,
}

fn default_floor() -> f64 {
    0.001
}

/// Which packets a loss concerns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossOf {
    /// All.
    #[default]
    All,
    /// All but ACKs.
    Data,
    /// ACKs.
    Acks,
}
