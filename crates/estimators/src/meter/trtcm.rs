//! The two rate three colour marker (RFC 2698): a peak and a committed rate, each with its burst.

use super::bucket::{size, MeterClock};
use super::config::TrtcmMeter;
use super::{counted, Bucket, Colour, Tokens};
use crate::seconds::Seconds;

/// A packet beyond the peak rate is red, one beyond the committed rate yellow.
#[derive(Clone, Debug)]
pub struct Trtcm {
    committed: Bucket,
    peak: Bucket,
    colour_aware: bool,
    clock: MeterClock,
}

impl Trtcm {
    /// A meter with full buckets.
    pub fn new(config: &TrtcmMeter, tokens: Tokens) -> Self {
        Trtcm {
            committed: Bucket::new(config.cir, config.cbs_bytes as f64, tokens),
            peak: Bucket::new(config.pir, config.pbs_bytes as f64, tokens),
            colour_aware: config.colour_aware,
            clock: MeterClock::default(),
        }
    }

    /// The colour of a packet (section 3).
    pub fn colour(&mut self, now: impl Into<Seconds>, bytes: f64, arriving: Colour) -> Colour {
        let (then_s, now_s) = self.clock.advance(now.into().get());
        self.committed.fill(self.committed.due(then_s, now_s));
        // [RFC 2698 3-a]
        self.peak.fill(self.peak.due(then_s, now_s));
        let (bytes, arriving) = (size(bytes), counted(arriving, self.colour_aware));
        // [RFC 2698 3-b] [RFC 2698 3-c]
        if arriving == Colour::Red || !self.peak.covers(bytes) {
            return Colour::Red;
        }
        self.peak.spend(bytes);
        if arriving == Colour::Yellow || !self.committed.covers(bytes) {
            return Colour::Yellow;
        }
        self.committed.spend(bytes);
        Colour::Green
    }

    /// Tokens in the committed bucket, in bytes.
    pub fn committed(&self) -> f64 {
        self.committed.level()
    }

    /// Tokens in the peak bucket, in bytes.
    pub fn peak(&self) -> f64 {
        self.peak.level()
    }
}
