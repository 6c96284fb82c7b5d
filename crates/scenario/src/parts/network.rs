//! The network: nodes, links, recorded capacities, routing, flows.

use crate::part::{parts, Kinds, B, EMPTY_LIST, F, I, J, NONE, T};
use crate::parts::{ANY_APP, ANY_EVENT, ANY_LOSS, ANY_QUEUE, ANY_TRANSPORT, CONDITIONER, RECORD};
use crate::read as checks;
use crate::takes::{
    Takes, BURST_SIZE, CODE_POINT, COUNT_OR_NONE, DURATION, FLAG, INSTANTS, NAME, NAMES, NAME_PAIR, PERIOD,
    RATE, TEXT,
};

parts! {
    /// Simulation to run: a plain value. Equal scenario and seed give an equal recording, bit for bit.
    SCENARIO: "Scenario" {
        /// For people; leaves no trace in the hash.
        title: TEXT => T(""),
        /// Simulated time; the run covers `[0, duration)`.
        duration: PERIOD,
        /// Counters count from this instant on.
        warm_up: DURATION => F(0.0),
        /// Nodes where flows start and end. A host forwards nothing.
        hosts: NAMES,
        /// Nodes that forward.
        routers: NAMES => EMPTY_LIST,
        /// Which of several paths with the fewest links a flow takes.
        routing: Takes::OneOf(&ANY_ROUTING) => J(r#"{"kind":"shortest"}"#),
        /// Full-duplex links; at most one between two nodes.
        links: Takes::Tables(&LINK),
        /// Traffic.
        flows: Takes::Tables(&FLOW),
        /// Quantities to record besides the counters.
        record: Takes::Table(&RECORD) => J(r#"{}"#),
    }

    /// The path with the fewest links for all flows; of several the one with the least propagation delay,
    /// and of equal ones the one whose links come first in the scenario.
    SHORTEST_PATHS: "ShortestPaths" as "shortest" {
    }

    /// Equal-cost multipath: at each node a hash of the connection chooses one of the next hops that are on
    /// paths with the fewest links, whatever their delays, and a connection stays with it. Data and ACKs of
    /// a flow are hashed apart, so they may go different ways. The choice is that of the highest random
    /// weight (RFC 2991, section 4): each next hop is as likely as the others, choices at two nodes are
    /// independent, the order of links does not matter, and where a next hop is taken away only its flows
    /// move. What is hashed are `hash_seed`, the hosts from which and to which a packet goes, the name of
    /// the flow, and the two ends of the link (FNV-1a of 64 bits, finished as in SplitMix64). Each of the
    /// connections that `web` has at once is hashed by itself. Between the routers of `via` paths are
    /// chosen likewise.
    ECMP: "Ecmp" as "ecmp" {
        /// Another seed, other paths. That of the run changes none.
        hash_seed: COUNT_OR_NONE => I(0),
    }

    /// A full-duplex link. With `between = ["a", "b"]` its ports are `a->b` and `b->a`.
    LINK: "Link" {
        /// The two nodes; the first is where the forward direction starts.
        between: NAME_PAIR,
        /// A short name for the forward direction, for recordings and figures.
        name: NAME => NONE,
        /// Bits per second, in each direction.
        rate: RATE,
        /// Propagation delay, in each direction.
        delay: DURATION,
        /// Queue in front of the link, one in each direction.
        queue: Takes::OneOf(&ANY_QUEUE) => J(r#"{"kind":"droptail"}"#),
        /// Instants at which packets may leave in the forward direction, in place of the rate, which then
        /// only tells RED, and the observers of `record.nonresponsive`, what to expect.
        capacity: Takes::Capacity => NONE,
        /// Random delay on top of the propagation delay, in the forward direction.
        jitter: Takes::Table(&JITTER) => NONE,
        /// Packets lost on arrival at the forward port, before the queue.
        loss: Takes::OneOf(&ANY_LOSS) => NONE,
        /// Conditioner of packets that arrive at the forward port, before all else: classes are metered,
        /// marked and dropped.
        conditioner: Takes::Table(&CONDITIONER) => NONE,
        /// Events in the forward direction at given times: changes of rate, delay and losses, outages,
        /// stalls, reordering.
        events: Takes::EachOf(&ANY_EVENT) => EMPTY_LIST,
        /// Properties of the direction from the second node to the first that differ.
        reverse: Takes::Table(&REVERSE) => J(r#"{}"#),
    }

    /// A recorded capacity: at each of `times` a number of bytes may leave; what is not used then is gone.
    /// After `period` all repeats. In its place `{ mahimahi = "FILE" }` may stand: FILE, which is looked
    /// for beside the scenario's own file, has on each line a time in milliseconds at which 1500 bytes may
    /// leave, and repeats from its last time.
    CAPACITY: "Capacity", checked by checks::repeats_after_the_last {
        /// When packets may leave, in ascending order; equal times are allowed, and add up.
        times: INSTANTS,
        /// After which all repeats; at least the last of the times.
        period: PERIOD,
        /// Bytes that may leave at one of the times.
        bytes: BURST_SIZE => I(1500),
    }

    /// Random delay on a link, on top of its propagation delay, drawn uniformly from 0 to `most`.
    JITTER: "Jitter" {
        /// Longest delay.
        most: PERIOD,
        /// True if a packet may overtake another; otherwise it waits for it.
        reorder: FLAG => B(false),
    }

    /// The reverse direction of a link, where it differs. A field left out is as in the forward direction,
    /// except `loss`, `jitter`, `capacity`, `conditioner` and `events`, which are none.
    REVERSE: "Reverse" {
        /// Bits per second.
        rate: RATE => NONE,
        /// Propagation delay.
        delay: DURATION => NONE,
        /// Queue in front of the link.
        queue: Takes::OneOf(&ANY_QUEUE) => NONE,
        /// Instants at which packets may leave, in place of the rate.
        capacity: Takes::Capacity => NONE,
        /// Random delay on top of the propagation delay.
        jitter: Takes::Table(&JITTER) => NONE,
        /// Packets lost on arrival at the port, before the queue.
        loss: Takes::OneOf(&ANY_LOSS) => NONE,
        /// Conditioner of arriving packets, before all else: classes are metered, marked and dropped.
        conditioner: Takes::Table(&CONDITIONER) => NONE,
        /// Events at given times: changes of rate, delay and losses, outages, stalls, reordering.
        events: Takes::EachOf(&ANY_EVENT) => EMPTY_LIST,
    }

    /// An application over a transport between two hosts.
    FLOW: "Flow" {
        /// Unique. Random draws of the flow depend on the seed and on this name only.
        name: NAME,
        /// Host that sends data.
        source: NAME,
        /// Host that receives it.
        destination: NAME,
        /// Transport of the data.
        transport: Takes::OneOf(&ANY_TRANSPORT),
        /// When there is data to send.
        app: Takes::OneOf(&ANY_APP),
        /// Earliest start.
        start: DURATION => F(0.0),
        /// The start is drawn uniformly from `[start, start + start_spread)`.
        start_spread: DURATION => F(0.0),
        /// From this instant on the application hands nothing more to the transport.
        stop: DURATION => NONE,
        /// Code point of the packets that both ends send.
        dscp: CODE_POINT => I(0),
        /// Routers that data passes, in this order; ACKs pass the same links in the opposite direction.
        /// Between them, and without any, paths have the fewest links.
        via: NAMES => EMPTY_LIST,
    }
}

/// The kinds of routing.
pub static ANY_ROUTING: Kinds =
    Kinds::new("AnyRouting", module_path!(), "routing", &[&SHORTEST_PATHS, &ECMP]);
