//! A token bucket: packets are in profile while there are tokens for them.

use super::bucket::{size, MeterClock};
use super::config::TokenBucketMeter;
use super::{Bucket, Colour, Tokens};
use crate::seconds::Seconds;

/// One bucket. A packet that it does not cover takes nothing, so a smaller one behind it may be in profile.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    bucket: Bucket,
    clock: MeterClock,
}

impl TokenBucket {
    /// A meter with a full bucket.
    pub fn new(config: &TokenBucketMeter, tokens: Tokens) -> Self {
        let bucket = Bucket::new(config.cir, config.cbs_bytes as f64, tokens);
        TokenBucket { bucket, clock: MeterClock::default() }
    }

    /// Green for a packet in profile, red for another one.
    pub fn colour(&mut self, now: impl Into<Seconds>, bytes: f64) -> Colour {
        let (then_s, now_s) = self.clock.advance(now.into().get());
        self.bucket.fill(self.bucket.due(then_s, now_s));
        let bytes = size(bytes);
        if !self.bucket.covers(bytes) {
            return Colour::Red;
        }
        self.bucket.spend(bytes);
        Colour::Green
    }

    /// Tokens in the bucket, in bytes.
    pub fn committed(&self) -> f64 {
        self.bucket.level()
    }
}
