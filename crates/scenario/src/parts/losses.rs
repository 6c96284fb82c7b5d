//! Losses on links.

use crate::part::{parts, Kinds, B, EMPTY_LIST, F, T};
use crate::read as checks;
use crate::takes::{Takes, CODE_POINTS, COUNTS, FLAG, NAMES, NOT_NEGATIVE, PERIOD, PROBABILITY, SHARE};

parts! {
    /// Loses the packets with these arrival numbers at the port.
    LISTED_LOSS: "ListedLoss" as "listed" {
        /// Arrival numbers, counted from 1, lost packets included.
        arrivals: COUNTS,
        /// Which packets are counted and lost.
        of: Takes::Choice(&["all", "data", "acks"]) => T("all"),
    }

    /// Loses each packet with the same probability, independently.
    BERNOULLI_LOSS: "BernoulliLoss" as "bernoulli" {
        /// Between 0 and 1.
        probability: PROBABILITY,
        /// Which packets can be lost.
        of: Takes::Choice(&["all", "data", "acks"]) => T("all"),
    }

    /// Loses packets in bursts: two states with a loss probability each (Gilbert 1960, Elliott 1963). The
    /// state may change before each packet; it starts good.
    GILBERT_ELLIOTT_LOSS: "GilbertElliottLoss" as "gilbert-elliott" {
        /// Probability of a change from good to bad.
        good_to_bad: PROBABILITY,
        /// Probability of a change from bad to good; its inverse is the mean length of a burst in packets.
        bad_to_good: PROBABILITY,
        /// Loss probability in the good state.
        loss_good: PROBABILITY => F(0.0),
        /// Loss probability in the bad state.
        loss_bad: PROBABILITY => F(1.0),
        /// Which packets can be lost.
        of: Takes::Choice(&["all", "data", "acks"]) => T("all"),
    }

    /// Random extra drops (or marks) when the queue itself signals too rarely: a packet is lost with the
    /// probability by which the queue's own drops and marks lately fell short of `floor`, or with
    /// `part` of theirs if that is more and the backlog is at least half of what it is when the queue
    /// itself drops or marks. With `part` it takes one packet in two at most. One that may carry a mark
    /// (ECN) is marked instead. With `record.responsiveness.signals = "both"` it shows who responds.
    DITHER_LOSS: "DitherLoss" as "dither" {
        /// Least share of packets that are dropped or marked, between 0 and 1.
        floor: PROBABILITY => F(0.001),
        /// While the backlog is long, the dither's probability is at least this part of that of the queue's
        /// own drops and marks, between 0 and 1.
        part: PROBABILITY => F(0.0),
        /// Which packets can be lost, and are counted.
        of: Takes::Choice(&["all", "data", "acks"]) => T("all"),
    }

    /// An experiment that the router makes on demand: do groups of flows send less when they meet more
    /// loss? Time goes in pairs of blocks, and for each of 128 parts of a group's flows a coin decides in
    /// which of the two blocks it meets more: packets of data are lost, or marked where they may carry a
    /// mark (ECN), besides what the queue does. What came of it is in `port(...).treatment`: bounds of the
    /// part of their packets that flows give up, judged by the coins alone, and what that cost.
    TREATMENT_LOSS: "TreatmentLoss" as "treatment", checked by checks::groups {
        /// Groups, each with an experiment of its own; a flow belongs to the first that it fits.
        groups: Takes::Tables(&TREATED_GROUP),
        /// Length of a block, ten to twenty round trips.
        block: PERIOD => F(2.0),
        /// Probability of the treatment, as a multiple of the queue's own rate of drops and marks.
        times: NOT_NEGATIVE => F(2.0),
        /// Its least probability.
        floor: PROBABILITY => F(0.01),
        /// Part of a group that is asked at a time, at most; the budget may allow less.
        part: SHARE => F(1.0),
        /// Part of a group's packets that its experiment may cost: what it takes, and what flows send less
        /// while they are treated. The first never exceeds it. For the second, a pair of blocks asks no more
        /// flows than the budget pays for if they are as fast as in recent pairs and give up as much as
        /// the upper bound allows.
        budget: PROBABILITY => F(0.05),
        /// Effect that parts groups that respond from those that do not.
        limit: SHARE => F(0.1),
        /// True to go on with an experiment once its group has a label.
        goes_on: FLAG => B(false),
    }

    /// A group of flows that an experiment asks.
    TREATED_GROUP: "TreatedGroup" {
        /// Names of flows, in which `*` stands for any text; none is all.
        flows: NAMES => EMPTY_LIST,
        /// Code points that flows give their packets; none is any.
        dscp: CODE_POINTS => EMPTY_LIST,
    }
}

/// The kinds of loss.
pub static ANY_LOSS: Kinds = Kinds::new(
    "AnyLoss",
    module_path!(),
    "kind of loss",
    &[&LISTED_LOSS, &BERNOULLI_LOSS, &GILBERT_ELLIOTT_LOSS, &DITHER_LOSS, &TREATMENT_LOSS],
);
