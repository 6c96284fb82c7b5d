//! The single rate three colour marker (RFC 2697): one rate, a committed and an excess burst.

use super::bucket::{size, MeterClock};
use super::config::SrtcmMeter;
use super::{counted, Bucket, Colour, Tokens};
use crate::seconds::Seconds;

/// Tokens come at CIR. Those that the committed bucket has no room for go to the excess bucket.
#[derive(Clone, Debug)]
pub struct Srtcm {
    committed: Bucket,
    excess: Bucket,
    colour_aware: bool,
    clock: MeterClock,
}

impl Srtcm {
    /// A meter with full buckets.
    pub fn new(config: &SrtcmMeter, tokens: Tokens) -> Self {
        Srtcm {
            committed: Bucket::new(config.cir, config.cbs_bytes as f64, tokens),
            excess: Bucket::new(config.cir, config.ebs_bytes as f64, tokens),
            colour_aware: config.colour_aware,
            clock: MeterClock::default(),
        }
    }

    /// The colour of a packet (section 3).
    pub fn colour(&mut self, now: impl Into<Seconds>, bytes: f64, arriving: Colour) -> Colour {
        let (then_s, now_s) = self.clock.advance(now.into().get());
        // [RFC 2697 3-a]
        let over = self.committed.fill(self.committed.due(then_s, now_s));
        self.excess.fill(over);
        let (bytes, arriving) = (size(bytes), counted(arriving, self.colour_aware));
        // [RFC 2697 3-b] [RFC 2697 3-c]
        if arriving == Colour::Green && self.committed.covers(bytes) {
            self.committed.spend(bytes);
            Colour::Green
        } else if arriving <= Colour::Yellow && self.excess.covers(bytes) {
            self.excess.spend(bytes);
            Colour::Yellow
        } else {
            Colour::Red
        }
    }

    /// Tokens in the committed bucket, in bytes.
    pub fn committed(&self) -> f64 {
        self.committed.level()
    }

    /// Tokens in the excess bucket, in bytes.
    pub fn excess(&self) -> f64 {
        self.excess.level()
    }
}
