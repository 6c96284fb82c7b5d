//! Ready networks, each with the reason for its numbers.
//!
//! All are a line: `server` - `router` - `client`. The link between router and client is the bottleneck; its
//! forward direction is the download. Half of the propagation delay is before the router.

use std::sync::Arc;

use parshall_sim::scenario::{
    BernoulliLoss, CoDel, DelayChange, DropTail, FqCodel, Jitter, Link, LinkEvent, Loss, LossOf, Outage,
    Queue, RateChange, Reordering, Reverse, Scenario,
};
use parshall_sim::units::{Rate, Time};

use crate::cell;
use crate::kit::{Kit, BOTTLENECK, CLIENT, SERVER};

const ROUTER: &str = "router";

/// Start and end of the outage of [`handover`].
const DARK: (f64, f64) = (8.0, 8.3);

/// All networks, for tests that go from one to the next.
pub fn all() -> Vec<Kit> {
    vec![
        lan(),
        dsl(),
        lte(),
        satellite(),
        wifi_like(),
        one_percent_loss(),
        bufferbloat(),
        shallow_buffer(),
        codel(),
        fq_codel(),
        handover(),
        ecn_bleaching(),
        path_mtu_1280(),
    ]
}

/// A local network: 1 Gbit/s Ethernet, 0.1 ms, and 512 kB in front of the port.
///
/// 0.1 ms is what `ping` shows between two machines at one switch, most of it spent in the hosts. Small switches share between
/// 0.5 and 2 MB among their ports. The run lasts 1 s: at this rate that is 90,000 packets.
pub fn lan() -> Kit {
    let link = narrow(Rate::gbit(1.0), Time::ms(0.1)).with_queue(DropTail::bytes(512_000));
    network("lan", link, Time::ms(0.1), 1.0).described("gigabit Ethernet")
}

/// ADSL2+: 16 Mbit/s down, 1 Mbit/s up, 30 ms, and queues of 100 and 50 packets.
///
/// ITU-T G.992.5 has up to 24 and 1.4 Mbit/s; 16 and 1 are common contracts on lines of ordinary length. Interleaving adds
/// 10 to 20 ms to the round trip. 100 packets are 75 ms down; 50 are 600 ms up, the bufferbloat of home routers (Gettys and
/// Nichols, Communications of the ACM 55(1), 2012).
pub fn dsl() -> Kit {
    let link = narrow(Rate::mbit(16.0), Time::ms(30.0)).with_queue(DropTail::packets(100));
    let reverse = Reverse {
        rate: Some(Rate::mbit(1.0)),
        queue: Some(Arc::new(DropTail::packets(50).into())),
        ..Reverse::default()
    };
    network("dsl", link.with_reverse(reverse), Time::ms(30.0), 20.0).described("ADSL2+, 1 Mbit/s up")
}

/// A cell of LTE: a capacity that changes all the time, 10.4 Mbit/s in the mean, 50 ms, and a queue of 500 packets.
///
/// The capacity is a recording in form (packets that may leave, each millisecond) but made by a rule, so that it can be
/// given away: each 50 ms the rate takes a step of a random walk on multiples of 0.75 Mbit/s, from 0.75 to 24, drawn back to
/// 12; about every 8 s it fades to 0.75 Mbit/s for 400 ms. The numbers are drawn once, and are the same for every seed. Changes
/// by a factor of ten within seconds, and deep queues for each user, are what measurements show (Winstein et al., NSDI 2013;
/// Jiang et al., IMC 2012). For a recording of your own, set `links[1].capacity`.
pub fn lte() -> Kit {
    let mut link = narrow(cell::MIDDLE, Time::ms(50.0)).with_queue(DropTail::packets(500));
    link.capacity = Some(Arc::new(cell::capacity()));
    let up = Reverse { rate: Some(Rate::mbit(5.0)), ..Reverse::default() };
    network("lte", link.with_reverse(up), Time::ms(50.0), 20.0)
        .described("recorded capacity from 0.75 to 24 Mbit/s, 5 Mbit/s up")
}

/// A geostationary satellite: 20 Mbit/s down, 2 Mbit/s up, 600 ms, and a queue of one bandwidth-delay product.
///
/// Light takes 240 to 280 ms from the ground to the ground (RFC 2488), twice for a round trip; access and coding make it 600 ms.
/// 1000 packets are one bandwidth-delay product. The run lasts 60 s, which is 100 round trips.
pub fn satellite() -> Kit {
    let link = narrow(Rate::mbit(20.0), Time::ms(600.0)).with_queue(DropTail::packets(1000));
    let up = Reverse { rate: Some(Rate::mbit(2.0)), ..Reverse::default() };
    network("satellite", link.with_reverse(up), Time::ms(600.0), 60.0).described("geostationary, 2 Mbit/s up")
}

/// A radio link like Wi-Fi: 50 Mbit/s, 20 ms, jitter up to 4 ms in both directions, and one packet in 100 that others overtake.
///
/// Waiting for the medium, and frames that are gathered before they are sent, delay by some milliseconds and keep the order.
/// A packet that is repeated on the radio while others go on arrives late: here by 2 ms, which is eight packets at full rate, more
/// than the three after which transports take a packet for lost (RFC 5681, RFC 9002).
pub fn wifi_like() -> Kit {
    let mut link = narrow(Rate::mbit(50.0), Time::ms(20.0)).with_queue(DropTail::packets(200));
    let jitter = Jitter { most: Time::ms(4.0), reorder: false };
    link.jitter = Some(jitter);
    link.events = vec![LinkEvent::Reordering(Reordering {
        start: Time::ZERO,
        end: None,
        delay: Time::ms(2.0),
        every: None,
        probability: Some(0.01),
        packets: Vec::new(),
        of: LossOf::All,
    })];
    let reverse = Reverse { jitter: Some(jitter), ..Reverse::default() };
    network("wifi_like", link.with_reverse(reverse), Time::ms(20.0), 10.0)
        .described("jitter up to 4 ms, 1 % of packets overtaken")
}

/// 1 % of packets lost at random, whatever the queue does: 10 Mbit/s, 40 ms, and a queue of 50 packets.
///
/// By the law of Mathis et al. (1997) a Reno of 1500-byte packets gets 1.22 * 12,000 bit / (40 ms * sqrt(0.01)) = 3.7 Mbit/s of it. Losses
/// are in the direction of the download alone.
pub fn one_percent_loss() -> Kit {
    let mut link = narrow(Rate::mbit(10.0), Time::ms(40.0)).with_queue(DropTail::packets(50));
    let loss = BernoulliLoss { probability: 0.01, of: LossOf::All };
    link.loss = Some(Arc::new(Loss::Bernoulli(loss)));
    network("one_percent_loss", link, Time::ms(40.0), 20.0).described("random losses of 1 % down")
}

/// Far too much buffer: 10 Mbit/s, 40 ms, and a queue of 1000 packets, which is 1.2 s.
///
/// 1000 packets were the default of Linux's interfaces (`txqueuelen`) until queue disciplines of their own became common. A control that goes by losses
/// fills them.
pub fn bufferbloat() -> Kit {
    let link = narrow(Rate::mbit(10.0), Time::ms(40.0)).with_queue(DropTail::packets(1000));
    network("bufferbloat", link, Time::ms(40.0), 30.0).described("1.2 s of buffer")
}

/// Too little buffer: 20 Mbit/s, 40 ms, and a queue of 8 packets, an eighth of the bandwidth-delay product.
///
/// Bursts, of slow start or of a sender that does not pace, overflow it, as they do in routers with many flows to a link
/// (Appenzeller et al., SIGCOMM 2004).
pub fn shallow_buffer() -> Kit {
    let link = narrow(Rate::mbit(20.0), Time::ms(40.0)).with_queue(DropTail::packets(8));
    network("shallow_buffer", link, Time::ms(40.0), 20.0)
        .described("an eighth of the bandwidth-delay product")
}

/// CoDel with ECN: 20 Mbit/s, 40 ms, and the parameters of RFC 8289, a target of 5 ms and an interval of 100 ms.
pub fn codel() -> Kit {
    let link = narrow(Rate::mbit(20.0), Time::ms(40.0)).with_queue(marking());
    network("codel", link, Time::ms(40.0), 20.0).described("RFC 8289, marks with ECN")
}

/// FQ-CoDel with ECN: 20 Mbit/s, 40 ms, and the parameters of RFC 8290.
///
/// Each flow has a queue of its own. Datagrams of the pair of endpoints are one flow in each direction unless they have keys
/// ([`Datagram::with_key`](parshall_sim::net::Datagram::with_key)).
pub fn fq_codel() -> Kit {
    let link = narrow(Rate::mbit(20.0), Time::ms(40.0)).with_queue(FqCodel::default());
    network("fq_codel", link, Time::ms(40.0), 20.0)
        .described("RFC 8290, a queue for each flow, marks with ECN")
}

/// A handover to a slower and longer way: 20 Mbit/s and 40 ms until 8 s, nothing for 300 ms, then 8 Mbit/s and 90 ms.
///
/// The interruption of a handover between LTE cells is some 50 ms; 300 ms are one between radio technologies, or
/// one that fails at first. The queue of 100 packets, 60 ms before, is 150 ms after. All that arrives at the link in the
/// outage is lost, in both directions.
pub fn handover() -> Kit {
    let mut link = narrow(Rate::mbit(20.0), Time::ms(40.0)).with_queue(DropTail::packets(100));
    let (start, end) = (Time::from_secs(DARK.0), Time::from_secs(DARK.1));
    link.events = vec![
        LinkEvent::Outage(Outage { start, end, of: LossOf::All }),
        LinkEvent::Rate(RateChange { at: end, rate: Rate::mbit(8.0) }),
        LinkEvent::Delay(DelayChange { at: end, delay: Time::ms(35.0) }),
    ];
    let reverse = Reverse { events: link.events.clone(), ..Reverse::default() };
    network("handover", link.with_reverse(reverse), Time::ms(40.0), 20.0)
        .described("dark from 8 s to 8.3 s, then 8 Mbit/s and 90 ms")
}

/// The network of [`codel`] behind a router that clears the bits of ECN, in both directions.
///
/// A few paths of the Internet do that, mostly where old equipment takes the field for the type of service (Kühlewind et al.,
/// IMC 2018). RFC 9000, section 13.4.2, has QUIC turn ECN off there; a stack must not wait for marks.
pub fn ecn_bleaching() -> Kit {
    let link = narrow(Rate::mbit(20.0), Time::ms(40.0)).with_queue(marking());
    network("ecn_bleaching", link, Time::ms(40.0), 20.0).with_ecn_bleached().described("ECN bits are cleared")
}

/// A path MTU of 1280 bytes, the least of IPv6 (RFC 8200): 20 Mbit/s, 40 ms, and a queue of 67 packets. Larger datagrams vanish, and
/// no message tells of it.
///
/// Tunnels and VPNs make such paths. A UDP payload of 1252 bytes just fits with headers of IPv4; RFC 9000 asks for 1200.
pub fn path_mtu_1280() -> Kit {
    let link = narrow(Rate::mbit(20.0), Time::ms(40.0)).with_queue(DropTail::packets(67));
    network("path_mtu_1280", link, Time::ms(40.0), 20.0)
        .with_path_mtu(1280)
        .described("datagrams above 1280 bytes vanish")
}

/// CoDel by RFC 8289, with room for 1000 packets.
fn marking() -> Queue {
    CoDel { ecn: true, limit_packets: Some(1000), ..CoDel::default() }.into()
}

/// The bottleneck of a network with this round-trip time.
fn narrow(rate: Rate, rtt: Time) -> Link {
    Link::new((ROUTER, CLIENT), rate, Time::from_ps(rtt.ps() / 4)).named(BOTTLENECK)
}

/// A network of this bottleneck that lasts so many seconds.
fn network(name: &str, narrow: Link, rtt: Time, seconds: f64) -> Kit {
    let fast = Rate::from_bps(10.0 * narrow.rate.bps().max(100e6));
    let before = Link::new((SERVER, ROUTER), fast, Time::from_ps(rtt.ps() / 4));
    let mut scenario = Scenario::new(Time::ZERO, [before, narrow], []);
    scenario.hosts = vec![SERVER.into(), CLIENT.into()];
    scenario.routers = vec![ROUTER.into()];
    Kit::new(name, scenario).lasting(Time::from_secs(seconds))
}
