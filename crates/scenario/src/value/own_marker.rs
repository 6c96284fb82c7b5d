//! Markers of the caller's own at the edge of a domain: the packets they see, their answers, and their makers.

use std::fmt::Debug;

use parshall_control::random::Stream;
use parshall_control::units::Time;
use parshall_control::user::{Code, Failure};
use parshall_estimators::meter::{Colour, MeterConfig};
use parshall_estimators::own;
use serde::{Deserialize, Serialize};

/// A packet at a conditioner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeteredPacket {
    /// Time at which it arrives.
    pub now: Time,
    /// Its bytes on the wire.
    pub size: u16,
    /// Bytes that count (see [`super::Rule::count`]).
    pub metered: u16,
    /// Number of its flow, with another one for the ACKs; it depends on the flow's name alone.
    pub flow: u64,
    /// Code point with which it arrives (RFC 2474).
    pub dscp: u8,
    /// Colour that this code point stands for.
    pub arriving: Colour,
    /// True if it may be marked in place of a drop (RFC 3168).
    pub ecn_capable: bool,
    /// True for an ACK.
    pub is_ack: bool,
}

/// A marker as somebody else writes it, which colours the packets of one rule.
///
/// # Errors
/// Its method may return a [`Failure`], which ends what its caller is doing.
pub trait UserMarker: Debug + Send + Sync {
    /// Colours a packet. `stream` is that of the conditioner, of which all its meters draw.
    fn colour(&mut self, packet: &MeteredPacket, stream: &mut Stream) -> Result<Colour, Failure>;
}

/// Makes a marker for each rule that asks for it.
pub trait MarkerMaker: Code {
    /// A marker that has seen nothing; `stream` is that of the conditioner.
    ///
    /// # Errors
    /// If there is none.
    fn make(&self, stream: &mut Stream) -> Result<Box<dyn UserMarker>, Failure>;
}

/// Meter or marker that colours the packets of a rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Meter {
    /// One that the caller hands over.
    Own(OwnMeter),
    /// One of the library's.
    Native(MeterConfig),
}

/// See [`Meter::Own`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum OwnMeter {
    /// By name.
    User(own::Config<dyn MarkerMaker>),
}

impl Meter {
    /// The meter, if it is one of the library's.
    pub fn native(&self) -> Option<&MeterConfig> {
        match self {
            Meter::Native(meter) => Some(meter),
            Meter::Own(_) => None,
        }
    }

    /// The meter, if it is one that the caller hands over.
    pub fn own(&self) -> Option<&own::Config<dyn MarkerMaker>> {
        match self {
            Meter::Own(OwnMeter::User(config)) => Some(config),
            Meter::Native(_) => None,
        }
    }
}

impl From<MeterConfig> for Meter {
    fn from(meter: MeterConfig) -> Self {
        Meter::Native(meter)
    }
}
