//! Use of a window in a round trip, by which Linux lets it grow (tcp_cwnd_validate(), tcp_is_cwnd_limited()): what
//! was in flight when a packet was sent tells that, not what is when its ACK comes.

use super::Core;

/// See the head of this file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// The window kept packets back.
    limited: bool,
    /// Most packets in flight, where it did not.
    most: i64,
    /// The round trip ends with the ACK of the packet before this.
    until: i64,
}

impl Usage {
    /// New data has been sent, or the window keeps it back, and `in_flight` packets are out there.
    fn update(&mut self, limited: bool, in_flight: i64, first: i64, next: i64) {
        if first >= self.until || limited || (!self.limited && in_flight > self.most) {
            *self = Usage { limited, most: in_flight, until: next };
        }
    }

    /// Tells if a window may grow: it was used up, or slow start has not reached twice of what was in flight.
    pub fn lets_grow(&self, cwnd: f64, slow_start: bool) -> bool {
        self.limited || (slow_start && cwnd < 2.0 * self.most as f64)
    }
}

impl Core {
    /// None where each ACK tells by itself whether the window was used up.
    pub(super) fn usage(&self) -> Option<&Usage> {
        self.extra.as_ref().and_then(|extra| extra.usage.as_ref())
    }

    /// Tells if an ACK of new data finds the window used up: what is out there fills the whole packets of cwnd, and one more would be
    /// more; or, up to the receiver's window, the last round trip says so.
    pub(super) fn window_limits(&self) -> bool {
        let cwnd = self.window.cwnd;
        let fills = (self.next_seq - self.high_ack) as f64 > cwnd;
        let by_usage = |usage: &Usage| {
            cwnd < self.options.max_window && usage.lets_grow(cwnd, self.window.in_slow_start())
        };
        fills || self.usage().is_some_and(by_usage)
    }

    /// The sender has tried to send; before, `next` was the first packet that it had not sent.
    pub fn note_usage(&mut self, next: i64) {
        let (in_flight, sent) = (self.in_flight(), self.max_seq >= next);
        let usage = self.extra.as_mut().and_then(|extra| extra.usage.as_mut());
        let Some(usage) = usage.filter(|_| next < self.limit) else {
            return;
        };
        let limited = in_flight >= self.window.cwnd as i64;
        if limited || sent {
            usage.update(limited, in_flight, self.high_ack + 1, self.max_seq + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_start_ends_at_twice_of_what_was_in_flight() {
        let mut usage = Usage::default();
        usage.update(false, 10, 0, 10);
        assert!(usage.lets_grow(19.0, true) && !usage.lets_grow(20.0, true) && !usage.lets_grow(19.0, false));
        // Less in the same round trip leaves that, and the next one counts anew.
        usage.update(false, 6, 5, 11);
        assert!(usage.lets_grow(19.0, true));
        usage.update(false, 6, 10, 17);
        assert!(!usage.lets_grow(12.0, true));
    }

    #[test]
    fn a_window_that_was_used_up_grows_for_a_round_trip() {
        let mut usage = Usage::default();
        usage.update(true, 20, 0, 20);
        usage.update(false, 4, 19, 23);
        assert!(usage.lets_grow(20.0, false));
        usage.update(false, 4, 20, 24);
        assert!(!usage.lets_grow(20.0, false));
    }
}
