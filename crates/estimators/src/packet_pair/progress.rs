//! The throughput that was seen, which no capacity lies below.

/// The greater throughput of the last two spans of a fixed number of packets each.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Progress {
    span: f64,
    since_s: Option<f64>,
    packets: f64,
    latest: f64,
    before: f64,
}

impl Progress {
    pub fn new(span: u32) -> Self {
        // ACKs that were held up come in bursts, which short spans would take for throughput.
        Progress { span: f64::from(span.max(64)), since_s: None, packets: 0.0, latest: 0.0, before: 0.0 }
    }

    #[inline]
    pub fn on_ack(&mut self, now_s: f64, packets: u32) {
        let Some(since_s) = self.since_s else {
            self.since_s = Some(now_s);
            return;
        };
        self.packets += f64::from(packets);
        if self.packets >= self.span && now_s > since_s {
            self.before = self.latest;
            self.latest = self.packets / (now_s - since_s);
            self.since_s = Some(now_s);
            self.packets = 0.0;
        }
    }

    /// Begins a span anew with the next ACK.
    #[inline]
    pub fn restart(&mut self) {
        self.since_s = None;
        self.packets = 0.0;
    }

    /// Packets a second; 0 before the first span is complete.
    pub fn throughput(&self) -> f64 {
        self.latest.max(self.before)
    }
}
