//! Losses of a sender that ACKs have not judged yet. Most senders have none.

use crate::control::Window;
use crate::room::Room;
use crate::units::Time;

/// See the head of this file. Packets are numbered from 0.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    /// One more than the number of the packet that the last timeout sent again; 0 without one.
    timed_out: u32,
    /// A fast retransmit or a mark has reduced the window for packets with numbers below this; 0 if a timeout came since.
    reduced_below: u32,
    /// Times of the timeouts that are not judged yet, and the wait for each.
    unjudged: Vec<(Time, Time)>,
    undo: Option<Undo>,
}

/// Step of F-RTO (RFC 5682).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frto {
    /// There is nothing to judge.
    #[default]
    Done,
    /// It waits for an ACK of new data (step 2).
    FirstAck,
    /// The ACK has come, and new data goes (step 2b).
    NewData,
}

/// Values before a reduction, in case that it proves needless.
#[derive(Clone, Copy, Debug)]
struct Undo {
    before: Window,
    /// Time at which the first packet was sent again.
    at: Time,
    /// The first packet that was not acknowledged then.
    first: i64,
    /// Packets sent again since, and those that were under way, less those that are known to have come twice.
    sent_again: u32,
    /// Stage of the judgement of a timeout by new data.
    frto: Frto,
}

/// A packet's number without its sign: in the transport it is never negative, and fits.
fn number(seq: i64) -> u32 {
    u32::try_from(seq).unwrap_or(0)
}

impl Losses {
    /// The window has been reduced for what was sent up to packet `last`.
    pub fn on_reduction(&mut self, last: i64) {
        self.reduced_below = number(last + 1);
    }

    /// The timer has expired after `waited`, and packet `first` is sent again.
    pub fn on_timeout(&mut self, first: i64, now: Time, waited: Time) -> Timeout {
        let timed_out = number(first + 1);
        let again = std::mem::replace(&mut self.timed_out, timed_out) == timed_out;
        let reduced = number(first) < std::mem::take(&mut self.reduced_below);
        if self.unjudged.capacity() == 0 {
            self.unjudged.reserve_exact(1); // Most flows never have more at once.
        }
        self.unjudged.add((now, waited), "timeouts that no ACK has judged");
        Timeout { again, reduced }
    }

    /// The window is about to be reduced from this at `now`, and packets from `first` on will be sent again.
    pub fn keep(&mut self, before: Window, first: i64, now: Time) {
        self.undo = Some(Undo { before, at: now, first, sent_again: 0, frto: Frto::Done });
    }

    /// So many packets that had been sent again were under way when the window was reduced. They may come twice, too
    /// (Linux's tcp_init_undo()).
    pub fn count_repairs(&mut self, under_way: u32) {
        if let Some(undo) = &mut self.undo {
            undo.sent_again += under_way;
        }
    }

    /// A packet is sent again.
    pub fn on_repair(&mut self) {
        if let Some(undo) = &mut self.undo {
            undo.sent_again += 1;
        }
    }

    /// Stage of the judgement of the last timeout by new data.
    pub fn frto(&self) -> Frto {
        self.undo.map_or(Frto::Done, |undo| undo.frto)
    }

    /// It has come so far.
    pub fn set_frto(&mut self, frto: Frto) {
        if let Some(undo) = &mut self.undo {
            undo.frto = frto;
        }
    }

    /// Tells if the window was last reduced after `at`.
    pub fn reduced_after(&self, at: Time) -> bool {
        self.undo.is_some_and(|undo| at < undo.at)
    }

    /// The window to go back to, once.
    pub fn take(&mut self) -> Option<Window> {
        let undo = self.undo?;
        Some(self.undone(undo))
    }

    /// Packet `seq` has come twice. Returns the window to go back to if all have that were sent again.
    pub fn on_repeat(&mut self, seq: i64) -> Option<Window> {
        let undo = self.undo.as_mut().filter(|undo| undo.sent_again > 0 && seq >= undo.first)?;
        undo.sent_again -= 1;
        let undo = Some(*undo).filter(|undo| undo.sent_again == 0)?;
        Some(self.undone(undo))
    }

    fn undone(&mut self, undo: Undo) -> Window {
        (self.timed_out, self.reduced_below, self.undo) = (0, 0, None);
        undo.before
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

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: Window = Window { cwnd: 40.0, ssthresh: 30.0 };

    fn reduced() -> Losses {
        let mut losses = Losses::default();
        losses.keep(BEFORE, 5, Time::from_secs(2.0));
        losses
    }

    #[test]
    fn the_answer_to_an_earlier_packet_gives_the_window_back_once() {
        let mut losses = reduced();
        assert!(!losses.reduced_after(Time::from_secs(2.0)));
        assert!(losses.reduced_after(Time::from_secs(1.9)));
        assert_eq!(losses.take(), Some(BEFORE));
        assert!(!losses.reduced_after(Time::from_secs(1.9)));
        assert_eq!(losses.take(), None);
    }

    #[test]
    fn all_that_was_sent_again_has_to_come_twice() {
        let mut losses = reduced();
        assert_eq!(losses.on_repeat(5), None, "nothing has been sent again");
        losses.on_repair();
        losses.on_repair();
        assert_eq!(losses.on_repeat(4), None, "that was sent again before");
        assert_eq!(losses.on_repeat(5), None);
        assert_eq!(losses.on_repeat(6), Some(BEFORE));
        assert_eq!(losses.on_repeat(6), None);
    }

    #[test]
    fn what_was_under_way_has_to_come_twice_too() {
        let mut losses = reduced();
        losses.count_repairs(1);
        losses.on_repair();
        assert_eq!(losses.on_repeat(7), None);
        assert_eq!(losses.on_repeat(8), Some(BEFORE));
    }
}
