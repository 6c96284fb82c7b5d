//! Losses on links.

use crate::part::{parts, Kinds, F, T};
use crate::takes::{Takes, COUNTS, PROBABILITY};

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
}

/// The kinds of loss.
pub static ANY_LOSS: Kinds = Kinds::new(
    "AnyLoss",
    module_path!(),
    "kind of loss",
    &[&LISTED_LOSS, &BERNOULLI_LOSS, &GILBERT_ELLIOTT_LOSS, &DITHER_LOSS],
);
