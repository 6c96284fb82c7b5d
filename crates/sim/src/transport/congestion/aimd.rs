//! Additive increase, multiplicative decrease (RFC 5681).

use super::{Congestion, Feedback, Window};
use crate::units::Time;

/// One packet a round trip up, half down.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Aimd;

impl Congestion for Aimd {
    #[inline]
    fn on_ack(&mut self, window: &mut Window, feedback: &Feedback) {
        if window.in_slow_start() {
            window.cwnd += 1.0;
        } else {
            window.cwnd += feedback.acked / window.cwnd;
        }
    }

    fn after_loss(&mut self, _: &Window, in_use: f64, _: Time) -> f64 {
        in_use / 2.0
    }
}
