//! Meters of traffic conditioners: which colour a packet gets, from its size and the packets before it.
//!
//! A meter measures one aggregate. It takes packets in the order of their arrival, each with its time, and has no
//! clock of its own: tokens and rates are brought up to date when a packet comes. Packets that no packet follows
//! change nothing, so that is all that ever shows.
//!
//! | file | what it holds |
//! |---|---|
//! | `bucket` | tokens that come at a rate, up to a burst |
//! | `token_bucket` | one bucket: in or out of profile |
//! | `srtcm` | single rate three colour marker (RFC 2697) |
//! | `trtcm` | two rate three colour marker (RFC 2698) |
//! | `in_profile` | two rate three colour marker with efficient handling of in-profile traffic (RFC 4115) |
//! | `tsw` | time sliding window, two and three colours (RFC 2859) |
//! | `excess` | markers for TCP that go by round trips, timeouts and losses |
//! | `config` | what can be set |
//!
//! Two-colour meters say green and red, as a three-colour one with an excess burst of zero does.

mod bucket;
mod config;
mod excess;
mod in_profile;
mod srtcm;
mod token_bucket;
mod trtcm;
mod tsw;

use bucket::Bucket;
pub use bucket::Tokens;
pub use config::{
    FairExcessMeter, MeterConfig, Rfc4115Meter, RttAwareMeter, RttRtoMeter, SrtcmMeter, TcpModelMeter,
    TokenBucketMeter, TrtcmMeter, Tsw2cmMeter, Tsw3cmMeter,
};
pub use excess::{drop_ratio, AggregateView, ExcessMarker, Surroundings};
pub use in_profile::InProfile;
pub use srtcm::Srtcm;
pub use token_bucket::TokenBucket;
pub use trtcm::Trtcm;
pub use tsw::{Tsw2cm, Tsw3cm};

use crate::seconds::Seconds;

/// Conformance of a packet to its aggregate's profile, best first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Colour {
    /// It keeps to the profile.
    #[default]
    Green,
    /// It exceeds the committed rate or burst.
    Yellow,
    /// It exceeds what may be exceeded.
    Red,
}

impl Colour {
    /// All, best first.
    pub const ALL: [Colour; 3] = [Colour::Green, Colour::Yellow, Colour::Red];
}

/// State of a meter; `None` for values that it does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeterState {
    /// Tokens in the committed bucket, in bytes.
    pub committed: Option<f64>,
    /// Tokens in the excess bucket, in bytes.
    pub excess: Option<f64>,
    /// Tokens in the peak bucket, in bytes.
    pub peak: Option<f64>,
    /// Estimated rate, in bytes/s.
    pub rate: Option<f64>,
}

/// Any of the meters.
#[derive(Clone, Debug)]
pub enum AnyMeter {
    /// See [`TokenBucket`].
    TokenBucket(TokenBucket),
    /// See [`Srtcm`].
    Srtcm(Srtcm),
    /// See [`Trtcm`].
    Trtcm(Trtcm),
    /// See [`InProfile`].
    InProfile(InProfile),
    /// See [`Tsw2cm`].
    Tsw2cm(Tsw2cm),
    /// See [`Tsw3cm`].
    Tsw3cm(Tsw3cm),
    /// See [`ExcessMarker`].
    Excess(ExcessMarker),
}

impl AnyMeter {
    /// The meter that a configuration describes, at time zero and with full buckets. Values are not checked; see
    /// [`MeterConfig::validate`].
    pub fn new(config: &MeterConfig, tokens: Tokens) -> Self {
        match *config {
            MeterConfig::TokenBucket(config) => AnyMeter::TokenBucket(TokenBucket::new(&config, tokens)),
            MeterConfig::Srtcm(config) => AnyMeter::Srtcm(Srtcm::new(&config, tokens)),
            MeterConfig::Trtcm(config) => AnyMeter::Trtcm(Trtcm::new(&config, tokens)),
            MeterConfig::Rfc4115(config) => AnyMeter::InProfile(InProfile::new(&config, tokens)),
            MeterConfig::Tsw2cm(config) => AnyMeter::Tsw2cm(Tsw2cm::new(&config)),
            MeterConfig::Tsw3cm(config) => AnyMeter::Tsw3cm(Tsw3cm::new(&config)),
            MeterConfig::RttAware(config) => AnyMeter::Excess(ExcessMarker::rtt_aware(&config)),
            MeterConfig::RttRto(config) => AnyMeter::Excess(ExcessMarker::rtt_rto(&config)),
            MeterConfig::TcpModel(config) => AnyMeter::Excess(ExcessMarker::tcp_model(&config)),
            MeterConfig::FairExcess(config) => AnyMeter::Excess(ExcessMarker::fair_excess(&config)),
        }
    }

    /// The colour of a packet of so many `bytes` that arrives at `now`, a time from the start, no earlier than the
    /// one before. `arriving` is the colour that it brings, which counts in colour-aware mode. `around` is what a marker
    /// of [excess](ExcessMarker) goes by. `uniform` draws from `[0, 1)` where a marker draws.
    pub fn colour(
        &mut self,
        now: impl Into<Seconds>,
        bytes: f64,
        arriving: Colour,
        around: &Surroundings,
        uniform: impl FnOnce() -> f64,
    ) -> Colour {
        let now_s = now.into().get();
        match self {
            AnyMeter::TokenBucket(meter) => meter.colour(now_s, bytes),
            AnyMeter::Srtcm(meter) => meter.colour(now_s, bytes, arriving),
            AnyMeter::Trtcm(meter) => meter.colour(now_s, bytes, arriving),
            AnyMeter::InProfile(meter) => meter.colour(now_s, bytes, arriving),
            AnyMeter::Tsw2cm(meter) => meter.colour(now_s, bytes, arriving, uniform),
            AnyMeter::Tsw3cm(meter) => meter.colour(now_s, bytes, arriving, uniform),
            AnyMeter::Excess(meter) => meter.colour(now_s, bytes, around, uniform),
        }
    }

    /// The part of what exceeds the committed rate that is red, for a marker of [excess](ExcessMarker).
    pub fn red_part(&self, around: &Surroundings) -> Option<f64> {
        match self {
            AnyMeter::Excess(meter) => Some(meter.red_part(around)),
            _ => None,
        }
    }

    /// State of the meter now.
    pub fn state(&self) -> MeterState {
        let none = MeterState::default();
        match self {
            AnyMeter::TokenBucket(meter) => MeterState { committed: Some(meter.committed()), ..none },
            AnyMeter::Srtcm(meter) => {
                MeterState { committed: Some(meter.committed()), excess: Some(meter.excess()), ..none }
            }
            AnyMeter::Trtcm(meter) => {
                MeterState { committed: Some(meter.committed()), peak: Some(meter.peak()), ..none }
            }
            AnyMeter::InProfile(meter) => {
                MeterState { committed: Some(meter.committed()), excess: Some(meter.excess()), ..none }
            }
            AnyMeter::Tsw2cm(meter) => MeterState { rate: Some(meter.rate()), ..none },
            AnyMeter::Tsw3cm(meter) => MeterState { rate: Some(meter.rate()), ..none },
            AnyMeter::Excess(meter) => MeterState { rate: Some(meter.rate()), ..none },
        }
    }
}

/// The colour that counts for a meter: the one that a packet brings, if the meter is aware of colours.
fn counted(arriving: Colour, colour_aware: bool) -> Colour {
    if colour_aware {
        arriving
    } else {
        Colour::Green
    }
}

#[cfg(test)]
mod tests;
