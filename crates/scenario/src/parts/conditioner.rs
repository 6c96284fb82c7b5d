//! Conditioners of a link.

use crate::part::{parts, B, EMPTY_LIST, F, J, NONE, T};
use crate::parts::ANY_METER;
use crate::read as checks;
use crate::takes::{Takes, CODE_POINTS, DURATION, FLAG, NAMES, PERIOD, POSITIVE, TREATMENT};

parts! {
    /// Rules for packets before they join the queue of a link. The first rule that a packet fits is followed;
    /// a packet that fits none passes as it is. A colour-aware meter takes a packet's colour from its code
    /// point: that of the treatment that gives this code point, or else the drop precedence if it is one of
    /// assured forwarding, or else green.
    CONDITIONER: "Conditioner", checked by checks::rules {
        /// In order.
        rules: Takes::Tables(&RULE),
        /// Source of the meters: the RFCs, or ns-2's module. With `ns2` tokens come in fractions of bytes,
        /// and neither `pir` nor bursts are checked.
        profile: Takes::Choice(&["rfc", "ns2"]) => T("rfc"),
        /// Where rules that go by round trips, timeouts or windows know them from.
        knowledge: Takes::Table(&KNOWLEDGE) => J(r#"{}"#),
    }

    /// An aggregate of packets, and what is done to them. All of an aggregate share its meter.
    RULE: "Rule" {
        /// Names of flows, in which `*` stands for any text; none is all.
        flows: NAMES => EMPTY_LIST,
        /// Hosts that a packet comes from; none is any. ACKs come from the host that receives the data.
        sources: NAMES => EMPTY_LIST,
        /// Hosts that a packet goes to; none is any.
        destinations: NAMES => EMPTY_LIST,
        /// Which packets belong to the aggregate.
        of: Takes::Choice(&["all", "data", "acks"]) => T("all"),
        /// Code points that a packet arrives with; none is any.
        dscp: CODE_POINTS => EMPTY_LIST,
        /// Meter that colours packets; without one all are green.
        meter: Takes::OneOf(&ANY_METER) => NONE,
        /// Which bytes of a packet are metered: all, or those behind the headers. An ACK is nothing but
        /// header.
        count: Takes::Choice(&["wire", "payload"]) => T("wire"),
        /// Flows with small windows, whose packets are green whatever the meter says.
        small_window: Takes::Table(&SMALL_WINDOW) => NONE,
        /// Treatment of green packets: a code point, or `drop`; none leaves them as they are.
        if_green: TREATMENT => NONE,
        /// Treatment of yellow packets.
        if_yellow: TREATMENT => NONE,
        /// Treatment of red packets.
        if_red: TREATMENT => NONE,
    }

    /// Packets of TCP connections with small windows are green, whatever the meter says (Feroz et al.
    /// 2000): there a loss costs a timeout.
    SMALL_WINDOW: "SmallWindow" {
        /// Windows below this are small.
        below_packets: POSITIVE => F(3.0),
        /// True if tokens at the committed rate pay for all green packets, so that the profile holds: later
        /// ones are yellow or red while there is debt, which may grow to a second of the committed rate.
        repay: FLAG => B(true),
    }

    /// Where a conditioner knows round-trip times, timeouts and windows from, and when it tells others.
    KNOWLEDGE: "Knowledge" {
        /// From the packets that pass, data one way and ACKs the other; or from what senders put into them,
        /// which no router can read but an experiment may want.
        source: Takes::Choice(&["packets", "senders"]) => T("packets"),
        /// Least timeout of the senders, of which packets tell nothing.
        min_rto: DURATION => F(1.0),
        /// Time between what it tells other conditioners of an aggregate.
        exchange_interval: PERIOD => F(0.1),
        /// Delay of these reports.
        exchange_delay: DURATION => F(0.05),
    }
}
