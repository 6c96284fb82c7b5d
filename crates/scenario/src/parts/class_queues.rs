//! Queues for classes and their schedulers.

use crate::part::{parts, Kinds, B, EMPTY_LIST, F, I, J, NONE, T};
use crate::read as checks;
use crate::takes::{
    Takes, BURST_SIZE, CODE_POINTS, COUNT, FLAG, NOT_NEGATIVE, PACKET_SIZE, POSITIVE, RATES_OR_ZERO,
    TURN_WEIGHTS,
};

parts! {
    /// Queues for classes, each with drop precedences (RFC 2597), and a scheduler between them. Lengths and
    /// limits do not count the packet in transmission. A code point that no precedence names goes where 0
    /// does, and that, unless it is named, to the first precedence of the last queue.
    DIFF_SERV: "DiffServ" as "diffserv", checked by checks::weights_and_probabilities {
        /// In the order of their priority, where that matters.
        queues: Takes::Tables(&CLASS_QUEUE),
        /// Which queue the link serves next.
        scheduler: Takes::OneOf(&ANY_SCHEDULER) => J(r#"{"kind":"priority"}"#),
        /// Size of a mean packet: idle times are counted in these.
        mean_packet_bytes: PACKET_SIZE => I(1000),
        /// Source of the averages, drops and schedulers: those of `red`, or of ns-2's module, departures from
        /// the RFCs included.
        profile: Takes::Choice(&["rfc", "ns2"]) => T("rfc"),
    }

    /// One queue, first in, first out. Its precedences differ in when their packets are dropped.
    CLASS_QUEUE: "ClassQueue", checked by checks::thresholds {
        /// From the one that is dropped last to the one that is dropped first.
        precedences: Takes::Tables(&PRECEDENCE),
        /// Most packets that wait in this queue.
        limit_packets: COUNT,
        /// Average that early drops go by: none; that of the packets of a precedence and of those before it
        /// (`rio-c`, Clark and Fang 1998); that of the packets of the precedence alone; or one of all.
        dropper: Takes::Choice(&["drop-tail", "rio-c", "rio-d", "wred"]) => T("drop-tail"),
        /// True if the drop probability rises on to 1 at twice the upper threshold; false if it jumps to 1 at
        /// the threshold.
        gentle: FLAG => B(false),
        /// True if drops are at least the inverse of the probability apart.
        wait: FLAG => B(true),
        /// True if packets that can be marked are marked instead of dropped early (RFC 3168).
        ecn: FLAG => B(false),
    }

    /// The packets of one drop precedence in a queue.
    PRECEDENCE: "Precedence" {
        /// Its code points.
        dscp: CODE_POINTS,
        /// Average below which none is dropped early; for `drop-tail` the number of packets of this
        /// precedence that wait at most.
        min_threshold_packets: NOT_NEGATIVE => NONE,
        /// Average at which the drop probability is `max_probability`; at least the lower threshold.
        max_threshold_packets: NOT_NEGATIVE => NONE,
        /// Drop probability at the upper threshold; at most 1.
        max_probability: POSITIVE => F(0.1),
        /// Weight of the current queue in its average: a number, or `from-rate`.
        weight: Takes::Weight => J(r#"{"kind":"fixed","value":0.002}"#),
    }

    /// Serves the first queue that is not empty.
    PRIORITY: "Priority" as "priority" {
        /// With the profile `ns2`: rates beyond which a queue gives way to those after it, one for each
        /// queue; 0 for none.
        max_rates: RATES_OR_ZERO => EMPTY_LIST,
    }

    /// Serves queues in turn, one packet each.
    ROUND_ROBIN: "RoundRobin" as "round-robin" {
    }

    /// Weighted round robin: a queue sends its weight in packets when its turn comes, or all that it has.
    WRR: "Wrr" as "wrr" {
        /// Weight of each queue, in packets.
        weights: TURN_WEIGHTS,
    }

    /// Deficit round robin (Shreedhar and Varghese 1996): queues share the link by their weights, in bytes,
    /// whatever the sizes of their packets.
    DRR: "Drr" as "drr" {
        /// Weight of each queue.
        weights: TURN_WEIGHTS,
        /// Bytes that a queue of weight 1 gains in its turn.
        quantum_bytes: BURST_SIZE => I(1500),
    }

    /// Weighted interleaved round robin as ns-2 has it, for the profile `ns2`: in a round each queue sends
    /// its weight in packets, one at a time.
    WIRR: "Wirr" as "wirr" {
        /// Weight of each queue, in packets.
        weights: TURN_WEIGHTS,
    }
}

/// The kinds of scheduler.
pub static ANY_SCHEDULER: Kinds =
    Kinds::new("AnyScheduler", module_path!(), "scheduler", &[&PRIORITY, &ROUND_ROBIN, &WRR, &DRR, &WIRR]);
