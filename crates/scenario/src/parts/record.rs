//! Records of a run.

use crate::part::{parts, B, EMPTY_LIST, NONE, T};
use crate::parts::QUEUE_SHARE_SERIES;
use crate::takes::{Takes, COUNT, FLAG, NAMES, PERIOD};

parts! {
    /// Quantities to record besides the counters. Flows are named, or `*` for all; ports are named `a->b`, or
    /// by the name of their link (its forward direction), or `*` for all. A single name may stand without
    /// brackets.
    RECORD: "Record" {
        /// Flows of which every RTT sample is kept, with srtt, rttvar and RTO.
        rtt: NAMES => EMPTY_LIST,
        /// Flows of which every change of the sender's variables is kept.
        window: NAMES => EMPTY_LIST,
        /// Flows of which the state is sampled at intervals.
        flow_series: Takes::Table(&SERIES) => NONE,
        /// Ports of which the state is sampled at intervals.
        port_series: Takes::Table(&SERIES) => NONE,
        /// Ports of which the share of non-responsive traffic is estimated at intervals.
        responsiveness: Takes::Table(&SHARE_SERIES) => NONE,
        /// Ports of which that share is estimated from what the queue alone shows.
        nonresponsive: Takes::Table(&QUEUE_SHARE_SERIES) => NONE,
        /// Ports of which every packet event is kept.
        packets: NAMES => EMPTY_LIST,
        /// Flows of which every packet that reaches a host is kept.
        deliveries: NAMES => EMPTY_LIST,
        /// Ports of which a packet capture is written; docs/guide/captures.md says how to read it.
        pcap: NAMES => EMPTY_LIST,
        /// The format of captures. `pcapng` has room for comments: which packets the queue marked, and what
        /// it dropped before which packet.
        pcap_format: Takes::Choice(&["pcap", "pcapng"]) => T("pcap"),
        /// True if a port's capture also has the packets of the link's other direction, like a capture that
        /// is taken at the node in front of the port.
        pcap_both_directions: FLAG => B(false),
        /// Which handshakes captures have. With `all` a connection that was simulated without one gets a
        /// SYN and its answer, without which Wireshark knows neither the scale of windows nor the options.
        pcap_handshakes: Takes::Choice(&["all", "simulated"]) => T("all"),
        /// Ports of which the state of conditioner and class queues is kept after each arrival: buckets,
        /// rates, averages.
        class_state: NAMES => EMPTY_LIST,
        /// Ports of whose conditioners what they know of TCP connections is kept at intervals: round-trip
        /// times, timeouts and windows, beside what the senders know.
        edges: Takes::Table(&SERIES) => NONE,
        /// Flows of which every transfer is kept: when it was wanted, when its first and its last packet
        /// were delivered. Their applications are transfer sequences, Telnet or the Web; `*` leaves others
        /// out.
        transfers: NAMES => EMPTY_LIST,
    }

    /// Flows or ports to sample, and the interval.
    SERIES: "Series" {
        /// Names of flows or ports; `*` for all.
        of: NAMES,
        /// Time between samples.
        interval: PERIOD,
    }

    /// Estimates of the share of non-responsive traffic: of which ports, how often, and what counts as a
    /// signal to flows.
    SHARE_SERIES: "ShareSeries" {
        /// Names of ports; `*` for all.
        of: NAMES,
        /// Time between estimates.
        interval: PERIOD,
        /// Events that flows are expected to respond to: the queue's drops and marks, losses before the
        /// queue, or both, each judged by itself. Losses before the queue are then a dither: packets that the
        /// router drops at random to see who responds (`DitherLoss` or `BernoulliLoss`). With `losses` the
        /// queue's drops are no signal.
        signals: Takes::Choice(&["queue", "losses", "both"]) => T("queue"),
        /// Flows whose packets are counted apart, in the column `packets_deaf`: those that are known not to
        /// respond, whatever their protocol is.
        deaf: NAMES => EMPTY_LIST,
        /// Estimates from one row of a flow in the table `evidence` to the next; without it there is no
        /// such table.
        evidence_every: COUNT => NONE,
    }
}
