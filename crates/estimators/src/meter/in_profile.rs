//! The two rate three colour marker with efficient handling of in-profile traffic (RFC 4115): a committed rate, and
//! an excess rate beside it instead of a peak rate above it.

use super::bucket::{size, MeterClock};
use super::config::Rfc4115Meter;
use super::{counted, Bucket, Colour, Tokens};
use crate::seconds::Seconds;

/// Two buckets with rates of their own; yellow packets take nothing from what green ones may use.
#[derive(Clone, Debug)]
pub struct InProfile {
    committed: Bucket,
    excess: Bucket,
    colour_aware: bool,
    clock: MeterClock,
}

impl InProfile {
    /// A meter with full buckets.
    pub fn new(config: &Rfc4115Meter, tokens: Tokens) -> Self {
        InProfile {
            committed: Bucket::new(config.cir, config.cbs_bytes as f64, tokens),
            excess: Bucket::new(config.eir, config.ebs_bytes as f64, tokens),
            colour_aware: config.colour_aware,
            clock: MeterClock::default(),
        }
    }

    /// The colour of a packet (section 3). A packet that takes all the tokens that there are is in profile, as in the
    /// other meters.
    pub fn colour(&mut self, now: impl Into<Seconds>, bytes: f64, arriving: Colour) -> Colour {
        let (then_s, now_s) = self.clock.advance(now.into().get());
        self.committed.fill(self.committed.due(then_s, now_s));
        // [RFC 4115 3-a]
        self.excess.fill(self.excess.due(then_s, now_s));
        let (bytes, arriving) = (size(bytes), counted(arriving, self.colour_aware));
        // [RFC 4115 3-b] [RFC 4115 3-c] [RFC 4115 3-d]
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
