//! Applications that hear back: what they do next depends on when the network has done what they asked for.

use serde::{Deserialize, Serialize};

use parshall_control::units::Time;

/// Law of a random time in seconds, or of a random number of packets or other things.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Variate {
    /// Always the same.
    Constant {
        /// It.
        value: f64,
    },
    /// Exponential.
    Exponential {
        /// Its mean.
        mean: f64,
    },
    /// Pareto: P(X > x) = (scale / x)^shape from scale = mean (shape - 1) / shape on.
    Pareto {
        /// Its mean.
        mean: f64,
        /// Tail exponent, above 1.
        shape: f64,
    },
    /// Pareto of the second kind: P(X > x) = (1 + x / scale)^-shape with scale = mean (shape - 1).
    Lomax {
        /// Its mean.
        mean: f64,
        /// Tail exponent, above 1.
        shape: f64,
    },
    /// Uniform.
    Uniform {
        /// From here.
        low: f64,
        /// To there.
        high: f64,
    },
    /// Lognormal.
    Lognormal {
        /// Its mean.
        mean: f64,
        /// Standard deviation of its logarithm.
        sigma: f64,
    },
    /// One of a list, each as often as its weight says.
    Choice {
        /// The list.
        values: Vec<f64>,
        /// As many weights, whose sum need not be 1.
        weights: Vec<f64>,
    },
}

impl Variate {
    fn none() -> Self {
        Variate::Constant { value: 0.0 }
    }

    fn one() -> Self {
        Variate::Constant { value: 1.0 }
    }
}

/// Which transfers share a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConnectionUse {
    /// Each transfer, or each session, has one of its own.
    #[default]
    New,
    /// All have one.
    Persistent,
}

/// See [`super::App::TransferSequence`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransferSequence {
    /// Packets of a transfer, a fraction counting as a whole one.
    pub packets: Variate,
    /// Time between the end of one transfer and the start of the next.
    #[serde(default = "Variate::none")]
    pub think: Variate,
    /// Number of them; none is as many as the run has time for.
    #[serde(default)]
    pub transfers_at_most: Option<u32>,
    /// Use of connections by transfers.
    #[serde(default)]
    pub connection: ConnectionUse,
    /// True if the destination asks for each.
    #[serde(default)]
    pub requests: bool,
    /// Payload of a request, one packet; none is that of the flow's packets.
    #[serde(default)]
    pub request_bytes: Option<u32>,
}

fn persistent() -> ConnectionUse {
    ConnectionUse::Persistent
}

/// See [`super::App::Barrier`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Barrier {
    /// Flows with this name in this field wait for one another.
    #[serde(default)]
    pub group: String,
    /// Packets of an answer.
    pub packets: u32,
    /// Number of rounds; none is as many as the run has time for.
    #[serde(default)]
    pub rounds: Option<u32>,
    /// Time between the end of one round and the start of the next.
    #[serde(default = "Variate::none")]
    pub think: Variate,
    /// One connection for all answers of a flow, or one for each.
    #[serde(default = "persistent")]
    pub connection: ConnectionUse,
    /// Payload of a request, one packet; none is that of the flow's packets.
    #[serde(default)]
    pub request_bytes: Option<u32>,
}

fn telnet_packets() -> Variate {
    Variate::Exponential { mean: 20.0 }
}

fn telnet_interval() -> Variate {
    Variate::Exponential { mean: 1.0 }
}

fn telnet_idle() -> Variate {
    Variate::Exponential { mean: 10.0 }
}

/// See [`super::App::Telnet`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Telnet {
    /// Packets of a session.
    #[serde(default = "telnet_packets")]
    pub packets: Variate,
    /// Time between the packets of a session.
    #[serde(default = "telnet_interval")]
    pub interval: Variate,
    /// Time between the end of one session and the start of the next.
    #[serde(default = "telnet_idle")]
    pub idle: Variate,
    /// Number of sessions; none is as many as the run has time for.
    #[serde(default)]
    pub sessions: Option<u32>,
    /// Use of connections by sessions.
    #[serde(default)]
    pub connection: ConnectionUse,
}

/// Form of the request for an object of the Web.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WebRequests {
    /// The client opens the connection, and the response follows on it (RFC 1945).
    #[default]
    Http,
    /// A packet on a connection of its own, whose ACK starts another connection, as in ns-2.
    Ns2,
}

fn web_pages() -> Variate {
    Variate::Constant { value: 250.0 }
}

fn web_inter_page() -> Variate {
    Variate::Exponential { mean: 15.0 }
}

fn web_inter_object() -> Variate {
    Variate::Exponential { mean: 0.01 }
}

fn web_object_packets() -> Variate {
    Variate::Lomax { mean: 12.0, shape: 1.2 }
}

/// See [`super::App::Web`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Web {
    /// Pages of a session.
    #[serde(default = "web_pages")]
    pub pages: Variate,
    /// Time between the end of a page and the start of the next.
    #[serde(default = "web_inter_page")]
    pub inter_page: Variate,
    /// Objects of a page.
    #[serde(default = "Variate::one")]
    pub objects: Variate,
    /// Time between the starts of two objects of a page.
    #[serde(default = "web_inter_object")]
    pub inter_object: Variate,
    /// Packets of an object.
    #[serde(default = "web_object_packets")]
    pub object_packets: Variate,
    /// Time between the end of a session and the start of the next; none has one session only.
    #[serde(default)]
    pub inter_session: Option<Variate>,
    /// Most connections at once; none is as many as the objects of a page are expected to take.
    #[serde(default)]
    pub connections: Option<u32>,
    /// Form of the request for an object.
    #[serde(default)]
    pub requests: WebRequests,
    /// Payload of a request, one packet; none is that of the flow's packets.
    #[serde(default)]
    pub request_bytes: Option<u32>,
}

/// The shortest mean time between the packets of a Telnet session: a session of 1 ps a packet would take all day.
pub const LEAST_INTERVAL: Time = Time::from_ps(1_000_000);
