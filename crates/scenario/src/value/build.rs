//! Constructors for programs in Rust. Everything that they are not told has the default that it has in a file; other
//! fields are set on the value.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use smol_str::SmolStr;

use super::{
    App, Cbr, CoDel, DropTail, Flow, FqCodel, Link, OnOff, Pie, Queue, Record, Red, Reverse, Routing,
    Scenario, Schedule, SelfSimilar, Series, Tcp, Transfer, Transport, Udp, Vbr,
};
use parshall_control::units::{Rate, Time};
use parshall_control::user::{Config, Found, Maker};
use parshall_control::Control;

impl Scenario {
    /// A network of these links, with these flows. The ends of flows are its hosts, and all other nodes are routers.
    /// There is no warm-up, and nothing is recorded but counters.
    ///
    /// ```
    /// use parshall_scenario::value::{Flow, Link, Scenario, Tcp};
    /// use parshall_scenario::units::{Rate, Time};
    ///
    /// let delay = Time::ms(10.0);
    /// let links = [
    ///     Link::new(("a", "r"), Rate::mbit(100.0), delay),
    ///     Link::new(("r", "b"), Rate::mbit(1.0), delay),
    /// ];
    /// let flows = [Flow::bulk("f", "a", "b", Tcp::default())];
    /// let scenario = Scenario::new(Time::from_secs(10.0), links, flows);
    /// assert_eq!((scenario.hosts.len(), scenario.routers.len()), (2, 1));
    /// ```
    pub fn new(
        duration: Time,
        links: impl IntoIterator<Item = Link>,
        flows: impl IntoIterator<Item = Flow>,
    ) -> Self {
        let (links, flows): (Vec<Link>, Vec<Flow>) =
            (links.into_iter().collect(), flows.into_iter().collect());
        let mut known = std::collections::HashSet::new();
        let ends = flows.iter().flat_map(|flow| [&flow.source, &flow.destination]);
        let hosts: Vec<SmolStr> = ends.filter(|&end| known.insert(end.clone())).cloned().collect();
        let nodes = links.iter().flat_map(|link| [&link.between.0, &link.between.1]);
        let routers: Vec<SmolStr> = nodes.filter(|&node| known.insert(node.clone())).cloned().collect();
        Scenario {
            duration,
            warm_up: Time::ZERO,
            hosts,
            routers,
            routing: Routing::default(),
            links,
            flows,
            record: Record::default(),
        }
    }
}

impl Link {
    /// A link between two nodes, the same in both directions, with an unlimited queue at each end.
    pub fn new(between: (impl Into<SmolStr>, impl Into<SmolStr>), rate: Rate, delay: Time) -> Self {
        Link {
            between: (between.0.into(), between.1.into()),
            name: None,
            rate,
            delay,
            queue: Arc::default(),
            capacity: None,
            jitter: None,
            loss: None,
            conditioner: None,
            events: Vec::new(),
            reverse: Arc::default(),
        }
    }

    /// The link with this queue in front of both directions.
    #[must_use]
    pub fn with_queue(mut self, queue: impl Into<Queue>) -> Self {
        self.queue = Arc::new(queue.into());
        self
    }

    /// The link with this short name for its forward direction.
    #[must_use]
    pub fn named(mut self, name: impl Into<SmolStr>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The link with what differs in the direction from the second node to the first.
    #[must_use]
    pub fn with_reverse(mut self, reverse: Reverse) -> Self {
        self.reverse = Arc::new(reverse);
        self
    }
}

impl Flow {
    /// A flow from one host to another that starts at once and goes on to the end.
    pub fn new(
        name: impl Into<SmolStr>,
        source: impl Into<SmolStr>,
        destination: impl Into<SmolStr>,
        transport: impl Into<Transport>,
        app: impl Into<App>,
    ) -> Self {
        Flow {
            name: name.into(),
            source: source.into(),
            destination: destination.into(),
            transport: transport.into(),
            app: app.into(),
            start: Time::ZERO,
            start_spread: Time::ZERO,
            stop: None,
            dscp: 0,
            via: Vec::new(),
        }
    }

    /// A TCP flow that always has data.
    pub fn bulk(
        name: impl Into<SmolStr>,
        source: impl Into<SmolStr>,
        destination: impl Into<SmolStr>,
        tcp: Tcp,
    ) -> Self {
        Flow::new(name, source, destination, tcp, App::Bulk {})
    }

    /// A UDP flow of so many bits of payload per second, in packets one constant interval apart.
    pub fn constant(
        name: impl Into<SmolStr>,
        source: impl Into<SmolStr>,
        destination: impl Into<SmolStr>,
        rate: Rate,
    ) -> Self {
        Flow::new(name, source, destination, Udp::default(), Cbr { rate: Some(rate), interval: None })
    }
}

impl Tcp {
    /// TCP with a congestion control of the caller's own. It is not part of the scenario's JSON: whoever reads that hands
    /// it over ([`Scenario::hand_over`]).
    pub fn with_control_of(maker: impl Maker + 'static) -> Self {
        let maker: Arc<dyn Maker> = Arc::new(maker);
        let config = Config {
            form: "rust".into(),
            source: maker.name().into(),
            // Flows share what is equal: two makers of one name are two.
            code: format!("{:p}", Arc::as_ptr(&maker)),
            values: Default::default(),
            maker: Found(Some(maker)),
        };
        Tcp { control: Some(Control::User(config)), ..Tcp::default() }
    }
}

impl DropTail {
    /// A queue that holds so many packets, the one in transmission among them.
    pub fn packets(limit: u32) -> Self {
        DropTail { limit_packets: Some(limit), ..DropTail::default() }
    }

    /// A queue that holds so many bytes, the packet in transmission among them.
    pub fn bytes(limit: u64) -> Self {
        DropTail { limit_bytes: Some(limit), ..DropTail::default() }
    }
}

impl Red {
    /// RED with these thresholds of the average queue and so much room, all in packets.
    pub fn new(min_threshold_packets: f64, max_threshold_packets: f64, limit_packets: u32) -> Self {
        // JSON has no NaN, which is refused where a scenario is checked.
        let others =
            serde_json::json!({"min_threshold_packets": 0, "max_threshold_packets": 0, "limit_packets": 0});
        Red { min_threshold_packets, max_threshold_packets, limit_packets, ..from_json(others) }
    }
}

impl Series {
    /// Samples of all flows or ports that have these names, `*` for all, one each `interval`.
    pub fn new(of: impl IntoIterator<Item = impl Into<String>>, interval: Time) -> Self {
        Series { of: of.into_iter().map(Into::into).collect(), interval }
    }
}

/// The value that a file without any other field gives, so that a default stands in one place.
fn from_json<T: DeserializeOwned>(fields: serde_json::Value) -> T {
    serde_json::from_value(fields).expect("all other fields have defaults")
}

macro_rules! default {
    ($($name:ident),*) => {
        $(impl Default for $name {
            /// The default of every field.
            fn default() -> Self {
                from_json(serde_json::json!({}))
            }
        })*
    };
}

default!(Tcp, Udp, CoDel, Pie, FqCodel);

macro_rules! into {
    ($($of:ident => $whole:ident::$variant:ident),* $(,)?) => {
        $(impl From<$of> for $whole {
            fn from(of: $of) -> Self {
                $whole::$variant(of)
            }
        })*
    };
}

into! {
    DropTail => Queue::Droptail, Red => Queue::Red, CoDel => Queue::Codel, Pie => Queue::Pie, FqCodel => Queue::FqCodel,
    Udp => Transport::Udp,
    Transfer => App::Transfer, Cbr => App::Cbr, Vbr => App::Vbr, OnOff => App::OnOff, SelfSimilar => App::SelfSimilar,
    Schedule => App::Schedule,
}

impl From<Tcp> for Transport {
    fn from(tcp: Tcp) -> Self {
        Transport::Tcp(Arc::new(tcp))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares values built in Rust with those of a file.
    #[test]
    fn what_is_not_said_is_as_in_a_file() {
        let queue = CoDel { ecn: true, ..CoDel::default() };
        let link = Link::new(("a", "r"), Rate::mbit(1.0), Time::ms(20.0));
        let links = [
            link.named("narrow").with_queue(queue),
            Link::new(("r", "b"), Rate::mbit(100.0), Time::ms(1.0)).with_queue(DropTail::packets(9)),
        ];
        let flows = [
            Flow::bulk("f", "a", "b", Tcp { ecn: true, ..Tcp::default() }),
            Flow::constant("u", "b", "a", Rate::kbit(100.0)),
            Flow::new("t", "a", "b", Tcp::default(), Transfer { packets: 3 }),
        ];
        let built = Scenario::new(Time::from_secs(2.0), links, flows);
        let text = r#"{"duration": 2.0, "hosts": ["a", "b"], "routers": ["r"],
            "links": [{"between": ["a", "r"], "name": "narrow", "rate": 1e6, "delay": 0.02, "queue": {"kind": "codel", "ecn": true}},
                      {"between": ["r", "b"], "rate": 1e8, "delay": 0.001, "queue": {"kind": "droptail", "limit_packets": 9}}],
            "flows": [{"name": "f", "source": "a", "destination": "b", "transport": {"kind": "tcp", "ecn": true}, "app": {"kind": "bulk"}},
                      {"name": "u", "source": "b", "destination": "a", "transport": {"kind": "udp"}, "app": {"kind": "cbr", "rate": 1e5}},
                      {"name": "t", "source": "a", "destination": "b", "transport": {"kind": "tcp"}, "app": {"kind": "transfer", "packets": 3}}]}"#;
        assert_eq!(built, serde_json::from_str(text).expect("a scenario"));
        let red = r#"{"kind": "red", "min_threshold_packets": 5, "max_threshold_packets": 15.5, "limit_packets": 60}"#;
        assert_eq!(Queue::from(Red::new(5.0, 15.5, 60)), serde_json::from_str(red).expect("a queue"));
        for (queue, kind) in [(Queue::from(Pie::default()), "pie"), (FqCodel::default().into(), "fq-codel")] {
            assert_eq!(queue, serde_json::from_value(serde_json::json!({"kind": kind})).expect("a queue"));
        }
    }
}
