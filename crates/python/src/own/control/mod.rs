//! Congestion controls: what they and the engine tell each other.

mod compiled;
mod fold;
mod python;

use std::ffi::c_void;

pub use fold::{Gathering, ReportFields};
use parshall_sim::control::{AckKind, AckSample, Loss};
use parshall_sim::units::Time;
use pyo3::prelude::*;
pub use python::ControlBase;

use super::abi::{numbers, shared, Host, Interface};

/// See [`Interface`].
pub const INTERFACE: Interface = Interface {
    kind: "control",
    version: 1,
    structures: &[
        ("window", Window::STRUCTURE),
        ("ack", Ack::STRUCTURE),
        ("loss", Lost::STRUCTURE),
        ("moment", Moment::STRUCTURE),
    ],
};

shared! {
    "Answer of a control. The state of every compiled control begins with it; the engine sets it before each call and reads it afterwards.",
    struct Window {
        /// Congestion window, in packets.
        cwnd: f64,
        /// Slow start threshold, in packets.
        ssthresh: f64,
        /// Packets a second that may leave; 0 leaves that to the sender.
        pacing_rate: f64,
        /// When on_timer shall be called, in seconds; infinity for not at all. It is forgotten when it is.
        wake_at: f64,
        /// Functions that the engine lends; see there.
        host: *const Host,
        /// The flow, for functions of the host that ask for it.
        flow: *mut c_void,
    }
}

numbers! {
    "State of a connection that a control gets with an ACK. Packets are numbered from 0. What cannot be known yet is NaN.",
    #[pyclass(get_all, module = "parshall._core")]
    struct Ack {
        /// When it came, in seconds.
        now: f64,
        /// Time of the ACK in picoseconds, without rounding.
        now_ps: i64,
        /// Seconds since the last packet that it answers was sent.
        rtt: f64,
        /// Smoothed round-trip time, in seconds.
        srtt: f64,
        /// Least round-trip time so far, in seconds.
        min_rtt: f64,
        /// Packets a second that were delivered since the packet that it reports was sent.
        delivery_rate: f64,
        /// Packets that it acknowledges and that count for growth: all, or one an ACK.
        growth: f64,
        /// Packets that count for growth in slow start: growth, or less where packets beyond a gap were counted before.
        slow_start: f64,
        /// Highest packet acknowledged.
        high_ack: i64,
        /// Next packet to be sent.
        next_seq: i64,
        /// Packets sent that have neither left the network nor are thought to be lost.
        in_flight: i64,
        /// Packets delivered so far.
        delivered: i64,
        /// Packets that had been delivered when the packet that it reports was sent.
        prior_delivered: i64,
        /// Packets that it acknowledges for the first time, cumulatively.
        acked: i64,
        /// Packets that it reports for the first time, cumulatively or beyond a gap.
        newly_delivered: i64,
        /// Packets that it makes the sender think lost.
        newly_lost: i64,
        /// Kind of the ACK: 0 for new data, 1 for part of a repair, 2 for a duplicate, 3 for an old one.
        kind: i64,
        /// True if it reports a mark.
        ecn_echo: bool,
        /// True if cwnd limited the sender.
        window_limited: bool,
        /// True if the window may grow: new data outside recovery, no mark, and a window that is used.
        may_grow: bool,
        /// True if the application's data or the receiver's window limited delivery_rate.
        app_limited: bool,
        /// True if the sender repairs losses.
        in_recovery: bool,
    }
}

shared! {
    "State of a connection that a control gets at a loss, a mark or a timeout.",
    #[pyclass(get_all, name = "Loss", module = "parshall._core")]
    struct Lost {
        /// When it was noticed, in seconds.
        now: f64,
        /// Time in picoseconds, without rounding.
        now_ps: i64,
        /// Packets in use: in flight, or the window, as the options of the transport have it.
        in_use: f64,
    }
}

shared! {
    "An instant: of a start after silence, or of the control's own timer.",
    #[pyclass(get_all, module = "parshall._core")]
    struct Moment {
        /// In seconds.
        now: f64,
        /// In picoseconds, without rounding.
        now_ps: i64,
    }
}

impl Ack {
    /// Sample for a compiled control.
    #[inline]
    pub fn of(ack: &AckSample<'_>) -> Self {
        let kind = match ack.kind {
            AckKind::New => 0,
            AckKind::Partial => 1,
            AckKind::Duplicate => 2,
            AckKind::Old => 3,
        };
        let mut told = Ack {
            now: ack.now.secs(),
            now_ps: ack.now.ps() as i64,
            rtt: ack.rtt(),
            growth: ack.growth,
            slow_start: ack.slow_start,
            high_ack: ack.high_ack,
            next_seq: ack.next_seq,
            acked: i64::from(ack.acked),
            kind,
            ecn_echo: ack.ecn_echo,
            window_limited: ack.window_limited,
            may_grow: ack.may_grow,
            ..Ack::NOTHING
        };
        if let Some(path) = ack.path {
            told.srtt = path.srtt;
            told.min_rtt = path.min_rtt;
            told.delivery_rate = path.delivery_rate;
            told.in_flight = path.in_flight;
            told.delivered = path.delivered as i64;
            told.prior_delivered = path.prior_delivered as i64;
            told.newly_delivered = i64::from(path.newly_delivered);
            told.newly_lost = i64::from(path.newly_lost);
            told.app_limited = path.app_limited;
            told.in_recovery = path.in_recovery;
        }
        told
    }

    /// Sample before anything is known.
    pub const NOTHING: Ack = Ack {
        now: 0.0,
        now_ps: 0,
        rtt: f64::NAN,
        srtt: f64::NAN,
        min_rtt: f64::NAN,
        delivery_rate: f64::NAN,
        growth: 0.0,
        slow_start: 0.0,
        high_ack: -1,
        next_seq: 0,
        in_flight: 0,
        delivered: 0,
        prior_delivered: 0,
        acked: 0,
        newly_delivered: 0,
        newly_lost: 0,
        kind: 0,
        ecn_echo: false,
        window_limited: false,
        may_grow: false,
        app_limited: false,
        in_recovery: false,
    };
}

impl From<&Loss> for Lost {
    fn from(loss: &Loss) -> Self {
        Lost { now: loss.now.secs(), now_ps: loss.now.ps() as i64, in_use: loss.in_use }
    }
}

impl From<Time> for Moment {
    fn from(now: Time) -> Self {
        Moment { now: now.secs(), now_ps: now.ps() as i64 }
    }
}
