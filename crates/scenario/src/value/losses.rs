//! Packets that are lost on their way, whatever the queue.

use parshall_control::units::Time;
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
    /// The router drops, or marks, packets of groups of flows by the toss of a coin, to see who sends less for it.
    Treatment(TreatmentLoss),
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

/// See [`Loss::Treatment`]. Each group has an experiment of its own
/// ([`Treatment`](parshall_estimators::treatment::Treatment)), and a flow belongs to the first that it fits. Packets of
/// data alone are asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreatmentLoss {
    /// Groups.
    pub groups: Vec<TreatedGroup>,
    /// Length of a block.
    #[serde(default = "default_block")]
    pub block: Time,
    /// Probability of the treatment, as a multiple of the queue's own rate of drops and marks.
    #[serde(default = "two")]
    pub times: f64,
    /// Its least probability.
    #[serde(default = "default_dose")]
    pub floor: f64,
    /// Part of a group that is asked at a time, at most; the budget may allow less.
    #[serde(default = "one")]
    pub part: f64,
    /// Part of a group's packets that its experiment may cost
    /// ([`Settings::budget`](parshall_estimators::treatment::Settings::budget)).
    #[serde(default = "default_budget")]
    pub budget: f64,
    /// Effect that parts groups that respond from those that do not.
    #[serde(default = "default_limit")]
    pub limit: f64,
    /// True to go on once a group has a label.
    #[serde(default)]
    pub goes_on: bool,
}

/// A group of flows that an experiment asks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreatedGroup {
    /// Names of flows, in which `*` stands for any text; none is all.
    #[serde(default)]
    pub flows: Vec<String>,
    /// Code points that flows give their packets; none is any.
    #[serde(default)]
    pub dscp: Vec<u8>,
}

fn default_block() -> Time {
    Time::from_secs(2.0)
}

fn two() -> f64 {
    2.0
}

fn default_dose() -> f64 {
    0.01
}

fn default_budget() -> f64 {
    0.05
}

fn default_limit() -> f64 {
    0.1
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
