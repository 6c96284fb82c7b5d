//! Applications that hear back.

use crate::part::{parts, B, J, NONE, T};
use crate::takes::{Takes, COUNT, FLAG, SIZE, TEXT};

parts! {
    /// One transfer after the other over TCP, with time to think in between. A transfer that nobody asks
    /// for is complete when its last packet is acknowledged, one that is asked for when the destination has
    /// it.
    TRANSFER_SEQUENCE: "TransferSequence" as "transfer-sequence" {
        /// Packets of a transfer; a fraction counts as a whole packet, and there is at least one.
        packets: Takes::NumberLaw,
        /// Time between the end of one transfer and the start of the next.
        think: Takes::TimeLaw => J(r#"{"kind":"constant","value":0.0}"#),
        /// Number of them; none is as many as the run has time for.
        transfers_at_most: COUNT => NONE,
        /// Use of connections: a new one for each transfer, with handshake, initial window and all estimates
        /// anew, or one that all share.
        connection: Takes::Choice(&["new", "persistent"]) => T("new"),
        /// True if the destination, a client, asks the source, a server, for each. The client opens the
        /// connection, its request is a packet that crosses the network (and is sent again if it is lost),
        /// and the response follows on the same connection.
        requests: FLAG => B(false),
        /// Payload of a request; none is that of the flow's packets.
        request_bytes: SIZE => NONE,
    }

    /// Rounds of many transfers at once over TCP: a client asks all sources of a group for an answer of the
    /// same length, and asks again when it has all answers (a barrier: reads that are spread over servers,
    /// the workers of a computation). The flow's source is the server, its destination the client, whose
    /// request is a packet that crosses the network. All flows with the same `group` make a round together,
    /// and have the same fields here; the first round begins when the last of them has started. In the
    /// table of transfers the session is the number of the round.
    BARRIER: "Barrier" as "barrier" {
        /// Flows with the same text here wait for one another.
        group: TEXT => T(""),
        /// Packets of an answer.
        packets: COUNT,
        /// Number of them; none is as many as the run has time for.
        rounds: COUNT => NONE,
        /// Time between the end of one round and the start of the next.
        think: Takes::TimeLaw => J(r#"{"kind":"constant","value":0.0}"#),
        /// One connection for all answers of a flow, or one for each, with handshake, initial window and
        /// all estimates anew.
        connection: Takes::Choice(&["new", "persistent"]) => T("persistent"),
        /// Payload of a request; none is that of the flow's packets.
        request_bytes: SIZE => NONE,
    }

    /// Sessions in which a user types: single packets over TCP, written at random intervals whatever has
    /// become of those before. Each packet is a transfer of its own in the table of transfers. Intervals
    /// are exponential with a mean of 1 s as in ns-2's Application/Telnet (`interval_`), but the first
    /// packet of a session comes at once. Lengths and breaks of sessions are laws of ours, for ns-2's never
    /// ends. The table of intervals of tcplib (Danzig and Jamin 1991), which ns-2 takes for an `interval_`
    /// of 0, is not here.
    TELNET: "Telnet" as "telnet" {
        /// Packets of a session; with a mean of m, a share of `exp(-n / m)` of the sessions has more than
        /// n.
        packets: Takes::NumberLaw => J(r#"{"kind":"exponential","mean":20.0}"#),
        /// Time between the packets of a session, with a mean of at least 1 us.
        interval: Takes::TimeLaw => J(r#"{"kind":"exponential","mean":1.0}"#),
        /// Time from the acknowledgement of a session's last packet to the start of the next session.
        idle: Takes::TimeLaw => J(r#"{"kind":"exponential","mean":10.0}"#),
        /// Number of them; none is as many as the run has time for.
        sessions: COUNT => NONE,
        /// Use of connections: a new one for each session, or one that all share.
        connection: Takes::Choice(&["new", "persistent"]) => T("new"),
    }

    /// Sessions of a user of the Web over HTTP/1.0 (Feldmann, Gilbert, Huang and Willinger 1999), as ns-2's
    /// PagePool/WebTraf has them. The flow's source is the server, its destination the client. A session is
    /// pages, a page is objects, and each object has a connection of its own. Objects of a page start one
    /// after another whatever has become of those before; the time to the next page begins when all objects
    /// of this one are there. Defaults are the laws of ns-2's examples of large-scale Web traffic: 250
    /// pages of 1 object, 15 s and 10 ms between pages and objects (exponential), objects of 12 packets
    /// (Pareto of the second kind with shape 1.2). ns-2 starts a session each second on average
    /// (exponential): give each session a flow and a start, or use `start_spread`. What differs from ns-2:
    /// it also draws a server for each page. With `requests = "http"` the client opens a connection and the
    /// response follows on it; in ns-2 a request is a packet on a connection of its own, and when the
    /// client has its acknowledgement the server opens another connection, which `requests = "ns2"` does
    /// too. A page is complete when the client has all objects; in ns-2, and with `"ns2"`, when the server
    /// has the acknowledgements.
    WEB: "Web" as "web" {
        /// Pages of a session.
        pages: Takes::NumberLaw => J(r#"{"kind":"constant","value":250.0}"#),
        /// Time between the end of a page and the start of the next.
        inter_page: Takes::TimeLaw => J(r#"{"kind":"exponential","mean":15.0}"#),
        /// Objects of a page, at most 10000.
        objects: Takes::NumberLaw => J(r#"{"kind":"constant","value":1.0}"#),
        /// Time between the starts of two objects of a page.
        inter_object: Takes::TimeLaw => J(r#"{"kind":"exponential","mean":0.01}"#),
        /// Packets of an object; a fraction counts as a whole packet, and there is at least one.
        object_packets: Takes::NumberLaw => J(r#"{"kind":"lomax","mean":12.0,"shape":1.2}"#),
        /// Time between the end of a session and the start of the next; none has one session only.
        inter_session: Takes::TimeLaw => NONE,
        /// Most connections at once, up to 256; an object beyond that waits for one, and the wait counts.
        /// None is the most objects that a page can have, or ten times their mean where they have no bound.
        connections: COUNT => NONE,
        /// Form of the request for an object.
        requests: Takes::Choice(&["http", "ns2"]) => T("http"),
        /// Payload of a request, which is one packet; none is that of the flow's packets, as in ns-2.
        request_bytes: SIZE => NONE,
    }
}
