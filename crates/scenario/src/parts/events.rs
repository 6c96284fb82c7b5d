//! Events of links.

use crate::part::{parts, Kinds, EMPTY_LIST, F, NONE, T};
use crate::read as checks;
use crate::takes::{Takes, COUNT, COUNTS, DURATION, PERIOD, PROBABILITY, RATE_OR_ZERO};

parts! {
    /// From an instant on the link has another rate. A packet in transmission goes on at the new one. At 0
    /// the link stands: what waits goes on waiting, and what finds the queue full is dropped; a later
    /// change must let it go on. Changes come in order of time. Queues that compute with a rate keep the
    /// link's own.
    RATE_CHANGE: "RateChange" as "rate-change" {
        /// When the rate changes.
        at: DURATION,
        /// Bits per second from then on.
        rate: RATE_OR_ZERO,
    }

    /// From an instant on the link has another propagation delay. A packet has that of the instant at which
    /// its transmission ends, so what is under way arrives as if nothing had changed. No packet overtakes
    /// another: where the delay becomes shorter, those that would wait for the last one before them and
    /// arrive with it. Changes of the delay come in order of time. Paths go by the delays of the links
    /// themselves.
    DELAY_CHANGE: "DelayChange" as "delay-change" {
        /// When the delay changes.
        at: DURATION,
        /// Propagation delay from then on.
        delay: DURATION,
    }

    /// From an instant on each packet that arrives at the port is lost with this probability,
    /// independently, in place of the losses that the link had: its `loss`, or the change before. Changes
    /// of losses come in order of time.
    LOSS_CHANGE: "LossChange" as "loss-change" {
        /// When the losses change.
        at: DURATION,
        /// Between 0 and 1; 0 is no loss.
        probability: PROBABILITY,
        /// Which packets can be lost.
        of: Takes::Choice(&["all", "data", "acks"]) => T("all"),
    }

    /// Packets that arrive at the port for a while are lost, before the queue. What is in the queue leaves
    /// it as ever.
    OUTAGE: "Outage" as "outage", checked by checks::ends_later {
        /// Its first instant.
        start: DURATION,
        /// The first instant after it.
        end: PERIOD,
        /// Which packets are lost.
        of: Takes::Choice(&["all", "data", "acks"]) => T("all"),
    }

    /// Packets that would reach the far end during a while reach it together at its end, in the order in
    /// which they left. The queue goes on, and nothing is lost. Stalls come in order of time.
    STALL: "Stall" as "stall", checked by checks::ends_later {
        /// Its first instant.
        start: DURATION,
        /// When what was held is handed over.
        end: PERIOD,
    }

    /// Chosen packets take longer, and others overtake them. One of `every`, `probability` and `packets`
    /// chooses among those whose transmission ends in the span.
    REORDERING: "Reordering" as "reordering", checked by checks::chooses_one_way {
        /// Packets whose transmission ends from this instant on are counted.
        start: DURATION => F(0.0),
        /// The first instant at which none is any more; none is never.
        end: PERIOD => NONE,
        /// Additional delay of a chosen packet.
        delay: PERIOD,
        /// The last of so many is chosen.
        every: COUNT => NONE,
        /// Each is chosen with this probability, independently.
        probability: PROBABILITY => NONE,
        /// The packets with these numbers, counted from 1, are chosen.
        packets: COUNTS => EMPTY_LIST,
        /// Which packets are counted and chosen.
        of: Takes::Choice(&["all", "data", "acks"]) => T("all"),
    }
}

/// The kinds of event.
pub static ANY_EVENT: Kinds = Kinds::new(
    "AnyEvent",
    module_path!(),
    "event",
    &[&RATE_CHANGE, &DELAY_CHANGE, &LOSS_CHANGE, &OUTAGE, &STALL, &REORDERING],
);
