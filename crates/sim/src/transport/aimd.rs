//! Additive increase, multiplicative decrease: the window of RFC 5681.

/// The congestion window and where slow start ends, in packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow start threshold.
    pub ssthresh: f64,
}

/// How a window grows and shrinks. Recovery decides when; this decides by how much.
pub trait Congestion {
    /// An ACK of new data arrived; `acked` packets count for congestion avoidance.
    fn on_ack(&mut self, window: &mut Window, acked: f64);
    /// The window after a loss that found `in_use` packets in use.
    fn after_loss(&mut self, in_use: f64) -> f64;
}

/// One packet a round trip up, half down.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Aimd;

impl Congestion for Aimd {
    #[inline]
    fn on_ack(&mut self, window: &mut Window, acked: f64) {
        if window.cwnd < window.ssthresh {
            window.cwnd += 1.0;
        } else {
            window.cwnd += acked / window.cwnd;
        }
    }

    fn after_loss(&mut self, in_use: f64) -> f64 {
        in_use / 2.0
    }
}
