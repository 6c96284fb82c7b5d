//! What a sender remembers of its losses until ACKs have judged them. Most senders have none.

use crate::units::Time;

/// See the head of this file. Packets are numbered from 0.
#[derive(Clone, Debug)]
pub struct Losses {
    /// The packet that the last timeout sent again.
    timed_out: i64,
    /// A fast retransmit or a mark has reduced the window for what was sent up to this packet; no timeout since.
    reduced_for: i64,
    /// When timeouts happened that are not judged yet, and how long was waited for each.
    unjudged: Vec<(Time, Time)>,
}

impl Default for Losses {
    fn default() -> Self {
        Losses { timed_out: -1, reduced_for: -2, unjudged: Vec::new() }
    }
}

impl Losses {
    /// The window has been reduced for what was sent up to packet `last`.
    pub fn on_reduction(&mut self, last: i64) {
        self.reduced_for = last;
    }

    /// The timer has expired after `waited`, and packet `first` is sent again.
    pub fn on_timeout(&mut self, first: i64, now: Time, waited: Time) -> Timeout {
        let again = std::mem::replace(&mut self.timed_out, first) == first;
        let reduced = first <= std::mem::replace(&mut self.reduced_for, -2);
        self.unjudged.push((now, waited));
        Timeout { again, reduced }
    }

    /// Judges the timeouts so far by an ACK of new data that answers a packet sent at `echo`: those after that were
    /// needless. Returns how many these are, and how long was waited for them.
    pub fn judge(&mut self, echo: Time) -> (u32, Time) {
        let needless = self.unjudged.drain(..).filter(|&(at, _)| echo < at);
        needless.fold((0, Time::ZERO), |(count, sum), (_, waited)| (count + 1, sum + waited))
    }
}

/// A timeout beside what went before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeout {
    /// The one before was of the same packet.
    pub again: bool,
    /// The window has been reduced already for what is lost.
    pub reduced: bool,
}
