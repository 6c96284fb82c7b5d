//! The window that a control moves.

use crate::AckSample;

/// The congestion window and where slow start ends, in packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow start threshold.
    pub ssthresh: f64,
}

impl Window {
    /// Tells if the window is in slow start.
    #[inline]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Opens the window as slow start and congestion avoidance do (RFC 5681, section 3.1).
    #[inline]
    pub fn open_as_reno(&mut self, ack: &AckSample<'_>) {
        // [RFC 5681 3.1-a] [RFC 5681 3.1-h] [RFC 5681 3.1-i] [RFC 5681 3.1-j]
        if self.in_slow_start() {
            self.open(ack.slow_start);
        } else {
            self.cwnd += ack.growth / self.cwnd;
        }
    }

    /// Opens the window as slow start does: by so many packets, but beyond ssthresh by one at most.
    #[inline]
    pub fn open(&mut self, packets: f64) {
        self.cwnd = (self.cwnd + packets).min(self.ssthresh.max(self.cwnd + 1.0));
    }
}
