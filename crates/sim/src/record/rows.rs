//! The tables of a recording. Times are seconds; `flow` and `port` are indices.

use super::table::table;

table!(
    /// Counters of a flow.
    FlowRow, FlowTable, "flows" {
        /// Index of the flow.
        flow: i32,
        /// Packets that the application handed over (for an endless supply, those that were sent).
        packets_offered: u64,
        /// Packets sent, retransmissions and a SYN included.
        packets_sent: u64,
        /// Their bytes on the wire.
        bytes_sent: u64,
        /// Packets sent again.
        packets_retransmitted: u64,
        /// Packets of data that arrived for the first time after the warm-up and were handed to the receiving application, each
        /// once and in order.
        packets_delivered: u64,
        /// Their payload.
        bytes_delivered: u64,
        /// Packets that reached the receiver, copies and a SYN included.
        packets_received: u64,
        /// Packets dropped by queues or lost on links, ACKs not included.
        packets_dropped: u64,
        /// ACKs dropped by queues or lost on links.
        acks_dropped: u64,
        /// Packets under way at the end, ACKs not included.
        packets_in_flight: u64,
        /// ACKs that reached the sender.
        acks_received: u64,
        /// Expiries of the retransmission timer with packets in flight.
        timeouts: u64,
        /// Those that were needless: an ACK for what was sent before was under way.
        spurious_timeouts: u64,
        /// Seconds spent waiting for the others.
        timeout_wait: f64,
        /// Fast retransmits.
        fast_retransmits: u64,
        /// Reductions of the window that marks caused.
        mark_reductions: u64,
        /// RTT samples.
        rtt_samples: u64,
        /// Time at which a finite transfer was acknowledged, in seconds; NaN before and for other applications.
        completed_at: f64,
    }
);

table!(
    /// Counters of a port.
    PortRow, PortTable, "ports" {
        /// Index of the port.
        port: i32,
        /// Packets that arrived, whatever became of them.
        packets_arrived: u64,
        /// Packets that the queue dropped.
        packets_dropped: u64,
        /// Packets that the queue marked as having met congestion.
        packets_marked: u64,
        /// Packets that the link lost.
        packets_lost: u64,
        /// Packets transmitted.
        packets_departed: u64,
        /// Packets held at the end.
        packets_queued: u64,
        /// Bytes that arrived.
        bytes_arrived: u64,
        /// Bytes that the queue dropped.
        bytes_dropped: u64,
        /// Bytes transmitted.
        bytes_departed: u64,
        /// Mean time from arrival to the end of transmission in seconds, of packets that were accepted, or, where the
        /// queue decides at departure, transmitted.
        mean_delay: f64,
        /// Most packets held.
        max_backlog_packets: u64,
    }
);

table!(
    /// An RTT sample, and the estimates after it.
    RttRow, RttTable, "rtt" {
        /// Time, in seconds.
        time: f64,
        /// Index of the flow.
        flow: i32,
        /// The sample, as the sender's clock shows it.
        rtt: f64,
        /// Smoothed RTT.
        srtt: f64,
        /// Its deviation.
        rttvar: f64,
        /// The RTO now in force.
        rto: f64,
    }
);

table!(
    /// The variables of a sender after a change.
    WindowRow, WindowTable, "window" {
        /// Time, in seconds.
        time: f64,
        /// Index of the flow.
        flow: i32,
        /// Congestion window in packets, without inflation.
        cwnd: f64,
        /// Slow start threshold in packets.
        ssthresh: f64,
        /// Duplicate ACKs in a row.
        dupacks: u64,
        /// Backoff factor of the timer.
        backoff: u64,
        /// Next packet to send.
        next_seq: i64,
        /// Highest packet sent.
        max_seq: i64,
        /// Highest packet acknowledged.
        high_ack: i64,
        /// Smoothed RTT.
        srtt: f64,
        /// Its deviation.
        rttvar: f64,
        /// The RTO.
        rto: f64,
    }
);

table!(
    /// A port at a sampling instant. Counts start at the warm-up.
    PortSample, PortSeries, "port_series" {
        /// Time, in seconds.
        time: f64,
        /// Index of the port.
        port: i32,
        /// Packets held, the one in transmission included.
        backlog_packets: u64,
        /// Bytes held.
        backlog_bytes: u64,
        /// Packets arrived so far.
        packets_arrived: u64,
        /// Those of UDP flows, which do not answer to congestion.
        packets_arrived_udp: u64,
        /// Packets dropped or lost so far.
        packets_dropped: u64,
        /// Packets marked so far.
        packets_marked: u64,
        /// Packets transmitted so far.
        packets_departed: u64,
        /// Bytes arrived so far.
        bytes_arrived: u64,
        /// Bytes transmitted so far.
        bytes_departed: u64,
    }
);

table!(
    /// Share of a port's packets that an estimator takes for non-responsive, in an estimation interval, and
    /// the truth.
    ResponsivenessRow, ResponsivenessTable, "responsiveness" {
        /// End of the interval.
        time: f64,
        /// Index of the port.
        port: i32,
        /// Share of arriving packets of flows that do not respond; NaN when none arrived, and where it is unknown: when
        /// its bounds are further apart than 0.2.
        share: f64,
        /// Its standard error.
        share_se: f64,
        /// The share is at least this.
        share_lower: f64,
        /// And at most this.
        share_upper: f64,
        /// Doubt about flows, from 0 to 1; the bounds follow from it.
        doubt: f64,
        /// Part of the watched packets that belong to flows with a label.
        resolved: f64,
        /// Part of the packets that belong to watched flows.
        watched: f64,
        /// Packets that arrived at the queue.
        packets: u64,
        /// Packets of UDP flows: the ground truth by protocol, which the estimator does not see.
        packets_udp: u64,
        /// Packets of the flows listed in `deaf`: the ground truth by response.
        packets_deaf: u64,
        /// ACKs that arrived, which are a class of their own: none of the other columns counts them.
        acks: u64,
        /// Packets that were dropped or marked.
        signals: u64,
        /// Watched flows that sent a packet.
        flows: u64,
        /// Reasons to doubt: bits of `parshall_estimators::responsiveness::Flags`.
        flags: u64,
    }
);

table!(
    /// Estimate from the queue alone in an estimation interval, and the truth.
    NonresponsiveRow, NonresponsiveTable, "nonresponsive" {
        /// End of the interval.
        time: f64,
        /// Index of the port.
        port: i32,
        /// Share of arrivals that does not respond; NaN when there was none.
        share: f64,
        /// Its standard error; NaN for a method without a covariance.
        share_se: f64,
        /// Number of responsive flows.
        n_s: f64,
        /// Packets of responsive flows in a round trip.
        z0: f64,
        /// Round-trip time.
        rtt: f64,
        /// Distance of the regressor's columns lately, from 0 to 1.
        excitation: f64,
        /// Packets that arrived, as the estimator counts them.
        arrivals: f64,
        /// Reasons to doubt: bits of `parshall_estimators::nonresponsive::Flags`.
        flags: u64,
        /// Packets that arrived.
        packets: u64,
        /// Packets of UDP flows: the ground truth by protocol, which the estimator does not see.
        packets_udp: u64,
    }
);

table!(
    /// Positions of a tuned RED's thresholds, after each estimation interval.
    RedTuningRow, RedTuningTable, "red_tuning" {
        /// End of the interval.
        time: f64,
        /// Index of the port.
        port: i32,
        /// Share of arriving packets of flows that do not respond, as the queue estimates it; NaN when none arrived.
        share: f64,
        /// Lower threshold from here on, in packets.
        min_threshold_packets: f64,
        /// Upper threshold from here on, in packets.
        max_threshold_packets: f64,
    }
);

table!(
    /// State of an experiment of a port with a group of flows at the end of a pair of blocks.
    TreatmentRow, TreatmentTable, "treatment" {
        /// End of the pair.
        time: f64,
        /// Index of the port.
        port: i32,
        /// Number of the group.
        group: i32,
        /// Part of their packets that flows give up under treatment, at least.
        lower: f64,
        /// Estimate of it; NaN before a pair has told something.
        effect: f64,
        /// Its upper bound.
        upper: f64,
        /// Cost so far, as a part of the group's packets: those that the treatment took, and those that treated flows
        /// sent less.
        price: f64,
        /// Packets of the group so far.
        packets: u64,
        /// Packets that the treatment dropped or marked.
        signals: u64,
        /// Pairs that have told something.
        pairs: u64,
        /// -1 for a group that responds, 1 for one that does not, 0 while too little is known.
        label: i32,
    }
);

table!(
    /// Event of a packet at a port or a host.
    PacketRow, PacketTable, "packets" {
        /// Time, in seconds.
        time: f64,
        /// See [`PacketEvent`].
        event: u8,
        /// True for an ACK.
        ack: bool,
        /// Index of the flow.
        flow: i32,
        /// Number of the packet; for an ACK, the highest packet received in order (-1 for none).
        seq: i64,
        /// Bytes on the wire.
        size_bytes: u64,
        /// Index of the port; -1 at a host.
        port: i32,
        /// Its code point; the column is there if anything in the scenario gives one.
        dscp: u8,
        /// Reason of a drop, see [`crate::queue::Reason`]; the column is there under the same condition as
        /// `dscp`.
        reason: u8,
    }
);

table!(
    /// Contents of the conditioner and class queues of a port after an arrival.
    ClassStateRow, ClassStateTable, "class_state" {
        /// Time, in seconds.
        time: f64,
        /// Index of the port.
        port: i32,
        /// Index of the flow.
        flow: i32,
        /// True for an ACK.
        ack: bool,
        /// Number of the packet; for an ACK, the highest packet received in order (-1 for none).
        seq: i64,
        /// Code point that it leaves the conditioner with.
        dscp: u8,
        /// Index of the rule that it fits; -1 for none.
        rule: i32,
        /// Tokens in the committed bucket; NaN if there is none.
        committed_bytes: f64,
        /// Tokens in the excess bucket.
        excess_bytes: f64,
        /// Tokens in the peak bucket.
        peak_bytes: f64,
        /// Estimated rate of the aggregate in bit/s; NaN if none is estimated.
        rate: f64,
        /// Index of the physical queue; -1 where the queue does not tell classes apart.
        queue: i32,
        /// Index of the drop precedence in it.
        precedence: i32,
    }
);

table!(
    /// The averages of the physical queue that a packet of the table `class_state` joins, one row for each precedence.
    AverageRow, AverageTable, "averages" {
        /// Row in `class_state`.
        arrival: u64,
        /// Index of the drop precedence.
        precedence: i32,
        /// Packets.
        average: f64,
    }
);

table!(
    /// A transfer of an application that hears back. Of one that the run has cut short, what had not happened is NaN.
    TransferRow, TransferTable, "transfers" {
        /// Index of the flow.
        flow: i32,
        /// Its number among those of the flow, by the time at which they were wanted.
        number: u64,
        /// Number of its session; 0 for a sequence.
        session: u64,
        /// Number of its page in the session; 0 where there are no pages.
        page: u64,
        /// Time at which the user asked for it, or the application handed it over, in seconds.
        start: f64,
        /// Time at which its first packet was delivered, in order, to the receiving application.
        first_byte: f64,
        /// Time at which its last packet was.
        end: f64,
        /// Its packets.
        packets: u64,
        /// Their payload.
        bytes: u64,
        /// True for the last one of its session.
        last: bool,
    }
);

table!(
    /// Counters of an aggregate at its conditioner.
    AggregateRow, AggregateTable, "aggregates" {
        /// Index of the port.
        port: i32,
        /// Index of the rule.
        rule: i32,
        /// Packets that were found to be green.
        packets_green: u64,
        /// Yellow ones.
        packets_yellow: u64,
        /// Red ones.
        packets_red: u64,
        /// Bytes of green packets on the wire.
        bytes_green: u64,
        /// Bytes of yellow packets.
        bytes_yellow: u64,
        /// Bytes of red packets.
        bytes_red: u64,
        /// Packets that the conditioner dropped.
        packets_dropped: u64,
        /// Green packets that would not be green if the windows of their connections were not small.
        packets_protected: u64,
    }
);

table!(
    /// Knowledge of a conditioner about an aggregate of TCP connections: inferred by itself and reported by
    /// senders, each as a mean over connections.
    EdgeRow, EdgeTable, "edges" {
        /// Time, in seconds.
        time: f64,
        /// Index of the port.
        port: i32,
        /// Index of the rule.
        rule: i32,
        /// Estimated rate of the aggregate in bit/s; NaN if none is estimated.
        rate: f64,
        /// Part of what exceeds the committed rate that is red, or, below 0, green; NaN of meters that do not divide it so.
        red_part: f64,
        /// Rate at which data are acknowledged in bit/s.
        acked_rate: f64,
        /// Part of packets that pass again, a mean that fades.
        loss: f64,
        /// Smoothed round-trip time in seconds, found.
        rtt: f64,
        /// Retransmission timeout without backoff in seconds, found.
        rto: f64,
        /// Congestion window in packets, found.
        window: f64,
        /// Smoothed round-trip time that senders tell.
        rtt_told: f64,
        /// Retransmission timeout that senders tell.
        rto_told: f64,
        /// Congestion window that senders tell.
        window_told: f64,
    }
);

table!(
    /// Counters of the packets of a code point at a port whose queue tells classes apart.
    ClassRow, ClassTable, "classes" {
        /// Index of the port.
        port: i32,
        /// The code point.
        dscp: u8,
        /// Index of the physical queue.
        queue: i32,
        /// Index of the drop precedence in it.
        precedence: i32,
        /// Packets that reached the queue.
        packets_arrived: u64,
        /// Their bytes.
        bytes_arrived: u64,
        /// Packets whose transmission started.
        packets_sent: u64,
        /// Their bytes.
        bytes_sent: u64,
        /// Packets dropped at random, before all are.
        early_drops: u64,
        /// Packets dropped because the average, the precedence or the queue left no choice.
        forced_drops: u64,
        /// Packets marked as having met congestion.
        packets_marked: u64,
        /// Mean time from arrival to the start of transmission in seconds, of those that were sent.
        mean_wait: f64,
        /// Average queue at the end that the precedence goes by, in packets; NaN where there is none.
        average_packets: f64,
    }
);

/// Codes of packet events, in the order in which events at one instant are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PacketEvent {
    /// It arrived at a port.
    Arrival = 0,
    /// Its transmission started.
    Departure = 1,
    /// The queue dropped it.
    Drop = 2,
    /// The link lost it.
    Loss = 3,
    /// It reached a host.
    Received = 4,
}
