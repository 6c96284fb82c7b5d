//! The dumbbell: a preset that stands for a network.

use crate::part::{parts, EMPTY_LIST, F, I, J, NONE, T};
use crate::parts::{ANY_APP, ANY_EVENT, ANY_LOSS, ANY_QUEUE, ANY_TRANSPORT, JITTER, RECORD, REVERSE};
use crate::takes::{Takes, CODE_POINT, DURATION, DURATION_OR_LIST, FLOW_COUNT, NAME, PERIOD, RATE, TEXT};

parts! {
    /// A scenario with one bottleneck `r0->r1`, named `bottleneck`. Flow number i sends from host `s<i>` to
    /// `d<i>`. The round-trip time without queueing is twice the bottleneck's delay plus four times the
    /// access delay.
    DUMBBELL: "Dumbbell" {
        /// For people; leaves no trace in the hash.
        title: TEXT => T(""),
        /// Simulated time; the run covers `[0, duration)`.
        duration: PERIOD,
        /// Counters count from this instant on.
        warm_up: DURATION => F(0.0),
        /// Rate of the bottleneck.
        rate: RATE,
        /// Propagation delay of the bottleneck.
        delay: DURATION,
        /// Queue in front of the bottleneck, one in each direction.
        queue: Takes::OneOf(&ANY_QUEUE) => J(r#"{"kind":"droptail"}"#),
        /// Instants at which packets may leave the bottleneck, forward direction, in place of the rate,
        /// which then only tells RED, and the observers of `record.nonresponsive`, what to expect.
        capacity: Takes::Capacity => NONE,
        /// Random delay on top of the bottleneck's propagation delay, forward direction.
        jitter: Takes::Table(&JITTER) => NONE,
        /// Packets lost on arrival at the bottleneck, forward direction.
        loss: Takes::OneOf(&ANY_LOSS) => NONE,
        /// Events of the bottleneck at given times, forward direction: changes of rate, delay and losses,
        /// outages, stalls, reordering.
        events: Takes::EachOf(&ANY_EVENT) => EMPTY_LIST,
        /// Properties of the bottleneck's reverse direction that differ from the forward one.
        reverse: Takes::Table(&REVERSE) => J(r#"{}"#),
        /// Rate of the links between hosts and routers.
        access_rate: RATE,
        /// Propagation delay of the links between hosts and routers.
        access_delay: DURATION,
        /// Queues in front of the links between hosts and routers.
        access_queue: Takes::OneOf(&ANY_QUEUE) => J(r#"{"kind":"droptail"}"#),
        /// Groups of flows.
        flows: Takes::Tables(&FLOW_GROUP),
        /// Quantities to record besides the counters.
        record: Takes::Table(&RECORD) => J(r#"{}"#),
    }

    /// Flows of one kind through a dumbbell. Each has a host of its own on either side.
    FLOW_GROUP: "FlowGroup" {
        /// Flows are named this and a number, from 1; groups of the same name are counted on.
        name: NAME => T("f"),
        /// Number of flows.
        count: FLOW_COUNT => I(1),
        /// Transport of the data.
        transport: Takes::OneOf(&ANY_TRANSPORT),
        /// When there is data to send.
        app: Takes::OneOf(&ANY_APP),
        /// `forward` sends from the left, from `s1`, `s2` and so on; `reverse` from the right.
        direction: Takes::Choice(&["forward", "reverse"]) => T("forward"),
        /// Earliest start; a list gives one to each flow of the group.
        start: DURATION_OR_LIST => F(0.0),
        /// Each start is drawn uniformly from `[start, start + start_spread)`.
        start_spread: DURATION => F(0.0),
        /// From this instant on the applications hand nothing more to the transport.
        stop: DURATION => NONE,
        /// Code point of the packets that both ends of these flows send.
        dscp: CODE_POINT => I(0),
        /// Rate of these flows' access links where it differs from the dumbbell's.
        access_rate: RATE => NONE,
        /// Delay of each of these flows' access links where it differs; a list gives one to each flow of
        /// the group, so that their round-trip times differ.
        access_delay: DURATION_OR_LIST => NONE,
        /// Queue of these flows' access links where it differs.
        access_queue: Takes::OneOf(&ANY_QUEUE) => NONE,
        /// Random delay of what these flows send, on the sender's access link.
        access_jitter: Takes::Table(&JITTER) => NONE,
    }
}
