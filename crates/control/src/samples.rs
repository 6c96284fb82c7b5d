//! ACKs for the tests of controls.

use crate::units::Time;
use crate::{AckKind, AckSample, Loss, Start};

/// An ACK of one new packet that may open the window. It comes `now` seconds after some time, `rtt` seconds after
/// that packet was sent.
pub fn ack(now: f64, rtt: f64) -> AckSample<'static> {
    let now = Time::from_secs(100.0 + now);
    AckSample {
        now,
        echo: now - Time::from_secs(rtt),
        sent: now - Time::from_secs(rtt),
        kind: AckKind::New,
        acked: 1,
        growth: 1.0,
        slow_start: 1.0,
        high_ack: 0,
        next_seq: 0,
        ecn_echo: false,
        window_limited: true,
        may_grow: true,
        path: None,
    }
}

/// The start of a flow.
pub fn start() -> Start<'static> {
    Start { initial_window: 10.0, seed: 1, flow: "f", packet_bytes: 1000 }
}

/// A loss that finds so many packets in use.
pub fn loss(in_use: f64) -> Loss {
    Loss { now: Time::ZERO, in_use }
}
