//! Data that a flow's receiver got before the warm-up ended, which does not count as delivered after it.
//!
//! A gap that closes after the warm-up releases packets that crossed the network before it. Counting them would report
//! more than the links carried in the counted time.

use crate::flow::{Flow, ReceivingEnd};
use crate::transport::Intervals;

/// Packets of data that had arrived when the warm-up ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Early {
    /// Packets that were delivered.
    delivered: u64,
    /// Numbers of the packets beyond a gap of the connection.
    beyond: Intervals,
}

impl Early {
    /// Stores the state of the receiver after a packet that arrived before the end of the warm-up.
    #[inline]
    pub fn note(&mut self, flow: &Flow) {
        self.delivered = flow.delivered();
        if let ReceivingEnd::Tcp(tcp) = &flow.receiver {
            self.beyond.copy_from(tcp.beyond());
        }
    }

    /// Those packets that have been delivered by now.
    pub fn delivered(&self, flow: &Flow) -> u64 {
        self.delivered + self.released(flow)
    }

    /// The connection ends: what is still beyond a gap will never be delivered.
    pub fn end_connection(&mut self, flow: &Flow) {
        self.delivered += self.released(flow);
        self.beyond.clear();
    }

    /// Packets that were beyond a gap and have been delivered since.
    fn released(&self, flow: &Flow) -> u64 {
        match &flow.receiver {
            ReceivingEnd::Tcp(tcp) => self.beyond.count_within(0, i64::from(tcp.next())) as u64,
            ReceivingEnd::Udp(_) => 0,
        }
    }
}
