//! Queues in front of links.

use crate::part::{parts, Kinds, B, F, I, J, NONE, T};
use crate::parts::{DIFF_SERV, USER_QUEUE};
use crate::read as checks;
use crate::takes::{
    Takes, BURST_SIZE, COUNT, DURATION, FLAG, PACKET_SIZE, PERIOD, POSITIVE, PROBABILITY, QUEUE_COUNT, SHARE,
    SIZE,
};

parts! {
    /// First in, first out; an arriving packet is dropped when the queue is full. Both limits count the
    /// packet in transmission. With neither the queue is unlimited.
    DROP_TAIL: "DropTail" as "droptail" {
        /// Most packets held.
        limit_packets: COUNT => NONE,
        /// Most bytes held.
        limit_bytes: SIZE => NONE,
    }

    /// Random early detection (Floyd and Jacobson 1993) with the options of ns-2: packets are dropped, or
    /// marked, with a probability that grows with the average queue. Lengths do not count the packet in
    /// transmission.
    RED: "Red" as "red", checked by checks::red {
        /// Average queue below which nothing is dropped.
        min_threshold_packets: POSITIVE,
        /// Average queue at which the drop probability is `max_probability`; at least the lower threshold.
        max_threshold_packets: POSITIVE,
        /// Most packets that wait.
        limit_packets: COUNT,
        /// Drop probability at the upper threshold.
        max_probability: SHARE => F(0.1),
        /// Weight of the current queue in its average: a number, or `from-rate`.
        weight: Takes::Weight => J(r#"{"kind":"fixed","value":0.002}"#),
        /// Unit of the queue's length; thresholds and limit are then so many packets, or so many mean
        /// packets' bytes.
        unit: Takes::Choice(&["packets", "bytes"]) => T("packets"),
        /// Size of a mean packet.
        mean_packet_bytes: PACKET_SIZE => I(1000),
        /// True if a queue that is counted in bytes drops large packets more often, in proportion, as ns-2
        /// does; Linux drops all alike, as RFC 7141 asks.
        by_size: FLAG => B(true),
        /// True if the probability rises on to 1 at twice the upper threshold; false if it jumps to 1 at the
        /// threshold.
        gentle: FLAG => B(true),
        /// True if drops are at least the inverse of the probability apart.
        wait: FLAG => B(true),
        /// True if packets that can be marked are marked instead of dropped (RFC 3168).
        ecn: FLAG => B(false),
        /// True if packets that can be marked are dropped, too, where the average is so high that the
        /// probability is 1 (RFC 3168, section 7). Without it they are marked there. DCTCP's queue marks each
        /// packet that finds K or more waiting (RFC 8257, section 3.1): both thresholds K, `weight = 1`, `ecn
        /// = true`, `gentle = false`, `hard_drop = false`.
        hard_drop: FLAG => B(true),
        /// True if `max_probability` adapts itself (Floyd, Gummadi and Shenker 2001).
        adaptive: FLAG => B(false),
        /// Estimator of the share of the load that does not respond: that of `record.responsiveness`, which
        /// looks at flows, fed with this queue's drops and marks; or the modified algorithm of Zhao (2004)
        /// with its printed gains, as in `record.nonresponsive`, which looks at the queue alone. Both
        /// thresholds then move towards `limit_packets` as that share grows beyond `tune_above`: the queue
        /// becomes drop-tail. While the share is unknown they stay. Its moves are in `port(...).red_tuning`
        /// where `record.port_series` names the port.
        tune_by: Takes::Choice(&["responsiveness", "nonresponsive"]) => NONE,
        /// Share of packets of flows that do not respond up to which the thresholds stay.
        tune_above: PROBABILITY => F(0.5),
        /// Excess of the share over `tune_above` at which the thresholds have reached the limit. They move
        /// in proportion; with 0 they jump.
        tune_band: PROBABILITY => F(0.1),
        /// Time between two estimates of the share.
        tune_interval: PERIOD => F(1.0),
        /// Round-trip time of responsive flows without the queue, which `tune_by = "nonresponsive"` has to
        /// be told; it looks at the queue three times in it.
        tune_rtt: PERIOD => NONE,
    }

    /// CoDel, controlled delay (RFC 8289): when packets have waited longer than `target` for `interval`,
    /// one is dropped as it is about to leave, then more and more often until the wait falls below the
    /// target. The defaults are the RFC's. Limits do not count the packet in transmission; with neither the
    /// queue is unlimited.
    CO_DEL: "CoDel" as "codel" {
        /// Acceptable time in the queue.
        target: PERIOD => F(0.005),
        /// Time for which packets may wait longer before one is dropped: about the longest round trip.
        interval: PERIOD => F(0.1),
        /// Most packets that wait.
        limit_packets: COUNT => NONE,
        /// Most bytes that wait.
        limit_bytes: SIZE => NONE,
        /// Nothing is dropped while no more than this waits.
        mtu_bytes: BURST_SIZE => I(1500),
        /// True if packets that can be marked are marked instead of dropped (RFC 3168).
        ecn: FLAG => B(false),
        /// Packets that can be marked are marked if they waited longer than this, whatever else is done;
        /// needs `ecn`.
        ce_threshold: DURATION => NONE,
        /// Square root that spaces the drops: that of Linux is one step of Newton's method from the value
        /// before, so that the third drop comes after half of `interval` and not after 0.71 of it.
        variant: Takes::Choice(&["rfc", "linux"]) => T("rfc"),
    }

    /// PIE, proportional integral controller enhanced (RFC 8033): arriving packets are dropped with a
    /// probability that is set anew at every `update` from the queueing delay's distance from its target
    /// and from its change. The defaults are those of the RFC's basic scheme. Limits do not count the
    /// packet in transmission; with neither the queue is unlimited.
    PIE: "Pie" as "pie" {
        /// Queueing delay to hold (`QDELAY_REF`).
        target: PERIOD => F(0.015),
        /// Time between updates of the probability (`T_UPDATE`).
        update: PERIOD => F(0.015),
        /// Weight of the delay's distance from the target, in 1/s.
        alpha: POSITIVE => F(0.125),
        /// Weight of the delay's change, in 1/s.
        beta: POSITIVE => F(1.25),
        /// Time for which a burst is let through after a time without congestion (`MAX_BURST`).
        max_burst: DURATION => F(0.15),
        /// Most packets that wait.
        limit_packets: COUNT => NONE,
        /// Most bytes that wait.
        limit_bytes: SIZE => NONE,
        /// Size of a mean packet: nothing is dropped while two of them wait, or less.
        mean_packet_bytes: PACKET_SIZE => I(1000),
        /// Where the queueing delay comes from: the time that the packet waited which left last, or what
        /// waits, by an estimate of the rate at which it leaves (section 5.2).
        delay: Takes::Choice(&["timestamps", "departure-rate"]) => T("timestamps"),
        /// True if packets that can be marked are marked instead of dropped (section 5.1).
        ecn: FLAG => B(false),
        /// From this probability on packets are dropped even if they can be marked.
        mark_below: PROBABILITY => F(0.1),
        /// True if drops are kept from coming in clusters (section 5.4).
        derandomize: FLAG => B(false),
        /// True if an update raises a probability of 0.1 or more by 0.02 at most (section 5.5).
        cap_increase: FLAG => B(false),
        /// Behaviour where Linux differs from the RFC. Linux spares packets by the delay of the one that left
        /// last, and not by that at the last update; may drop the third of three packets of mean size; and
        /// from a delay of 250 ms on adds 0.02 to the probability at each update. Of section 5 it has
        /// `derandomize` and `cap_increase`.
        variant: Takes::Choice(&["rfc", "linux"]) => T("rfc"),
    }

    /// FQ-CoDel (RFC 8290): flows are hashed into queues that take turns, those that have just become
    /// active first, and each queue is a CoDel queue. The data of a flow and its ACKs are two flows. The
    /// defaults are the RFC's. Limits do not count the packet in transmission.
    FQ_CODEL: "FqCodel" as "fq-codel" {
        /// Acceptable time in a queue.
        target: PERIOD => F(0.005),
        /// Time for which packets may wait longer before one is dropped.
        interval: PERIOD => F(0.1),
        /// Number of queues. Which one a flow is hashed into depends on its name, the port's name
        /// and the seed.
        queues: QUEUE_COUNT => I(1024),
        /// Bytes that a queue may send in its turn.
        quantum_bytes: BURST_SIZE => I(1514),
        /// Most packets that wait in all queues.
        limit_packets: COUNT => I(10240),
        /// Most bytes that wait in all queues.
        limit_bytes: SIZE => NONE,
        /// Most packets that are dropped at once from the longest queue when a limit is passed; no more
        /// than half of that queue.
        drop_batch: COUNT => I(64),
        /// Nothing is dropped by CoDel while no more than this waits in a queue.
        mtu_bytes: BURST_SIZE => I(1500),
        /// True if packets that can be marked are marked instead of dropped (RFC 3168).
        ecn: FLAG => B(true),
        /// Packets that can be marked are marked if they waited longer than this, whatever else is done;
        /// needs `ecn`.
        ce_threshold: DURATION => NONE,
        /// Behaviour where Linux differs from the RFC. Linux compares `mtu_bytes` with the bytes in all
        /// queues, so that flows whose packets wait alone in their queues lose some, too; a limit that is
        /// passed costs the longest queue half of its bytes, and not of its packets; and CoDel's square root
        /// is that of its variant.
        variant: Takes::Choice(&["rfc", "linux"]) => T("rfc"),
    }
}

/// The kinds of queue.
pub static ANY_QUEUE: Kinds = Kinds::new(
    "AnyQueue",
    module_path!(),
    "queue discipline",
    &[&DROP_TAIL, &RED, &CO_DEL, &PIE, &FQ_CODEL, &DIFF_SERV, &USER_QUEUE],
);
