//! Loss recovery: what is sent after a loss. One file each; [`AnyRecovery`] is where a new one is registered.

mod newreno;
mod prr;
mod rack;
mod reno;
mod sack;
mod sack1;
mod tahoe;
mod vegas;
mod vegas_rule;

pub use newreno::NewReno;
pub use rack::Rack;
pub use reno::Reno;
pub use sack::Sack;
pub use sack1::Sack1;
pub use tahoe::Tahoe;
pub use vegas::VegasRecovery;

use super::ack_outcome::AckOutcome;
use super::profile::SackPipe;
use super::{Ack, Core, Intervals, Outbox, TcpOptions};
use crate::scenario::RecoveryName;
use crate::units::Time;

/// Why a sender looks whether it may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// An ACK came, new or not.
    Ack,
    /// The application handed over data.
    Data,
    /// The timer expired; the core has been reset.
    Timeout,
}

/// Why packets are being repaired, where SACK says what is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Nothing is known to be lost.
    #[default]
    Open,
    /// A loss has been found (RFC 6675, section 5; RFC 8985, section 6.2).
    Recovery,
    /// The timer expired: all that was in flight and has not been reported counts as lost (RFC 6675, section 5.1).
    AfterTimeout,
}

/// Reaction of a sender to ACKs and timeouts.
pub trait Recovery {
    /// An ACK of new data. Says what it was.
    fn on_new_ack(&mut self, core: &mut Core, ack: &Ack, now: Time, out: &mut Outbox) -> AckOutcome;
    /// An ACK of `core.high_ack` again. Counts it, or not.
    fn on_dupack(&mut self, core: &mut Core, ack: &Ack, now: Time, out: &mut Outbox);
    /// An ACK of less than `core.high_ack`.
    fn on_old_ack(&mut self, _: &mut Core) {}
    /// A timer of its own, which it has put in place of the retransmission timer, expires. Returns false if it has
    /// none, so that it is that timer which has expired.
    fn on_early_timer(&mut self, _: &mut Core, _: Time, _: &mut Outbox) -> bool {
        false
    }
    /// The timer expired.
    fn on_timeout(&mut self);
    /// Tells if a recovery goes on after an ACK of `high` that answers what was sent before it, since packets are under
    /// way that were sent again.
    fn awaits_repairs(&self, _: &Core, _: i64) -> bool {
        false
    }
    /// A packet has come twice, an ACK says.
    fn on_repeat(&mut self, _: &mut Core, _: &Ack) {}
    /// The last reduction, whose recovery may be under way, has proved needless, and the core's window is as before.
    fn on_undo(&mut self, _: &mut Core) {
        self.on_timeout();
    }
    /// Resets the core for a timeout.
    fn time_out(&mut self, core: &mut Core, now: Time) {
        // [RFC 5681 3.1-n] [RFC 8257 3.5-c]
        core.time_out(now, 1.0, true);
    }
    /// The timer expired with nothing in flight, and the window stays as it is.
    fn idle_out(&mut self, core: &mut Core) {
        self.on_timeout();
        core.idle_out();
    }
    /// Packets below this that were not reported are taken for lost.
    fn lost_below(&self, core: &Core) -> i64 {
        core.high_ack + 1 + i64::from(self.repairs())
    }
    /// Returns whether the recovery repairs losses now.
    fn repairs(&self) -> bool {
        false
    }
    /// Sends what may be sent now.
    fn send(&mut self, core: &mut Core, trigger: Trigger, now: Time, out: &mut Outbox);
}

/// Takes the blocks of an ACK into a scoreboard (RFC 6675, section 4, Update). Returns whether they tell anything new.
fn record_blocks(sacked: &mut Intervals, core: &Core, ack: &Ack) -> bool {
    // [RFC 6675 5-a] [RFC 6675 5-h] [RFC 6675 5.1-c] [RFC 6675 5.1-g]
    let mut news = false;
    for (low, high) in ack.blocks.iter() {
        let low = i64::from(low).max(core.high_ack + 1);
        if low < i64::from(high) {
            news |= sacked.insert(low, i64::from(high));
        }
    }
    // [RFC 6675 5-g]
    sacked.remove_below(core.high_ack + 1);
    news
}

/// Number of packets covered by an ACK of new data that are in the scoreboard already.
fn count_reported(sacked: &Intervals, core: &Core, ack: &Ack) -> i64 {
    if sacked.is_empty() {
        return 0;
    }
    sacked.count_within(core.high_ack + 1, ack.high + 1)
}

/// Defines [`AnyRecovery`] and hands each call on to the recovery inside.
macro_rules! any_recovery {
    ($($(#[$doc:meta])* $name:ident($state:ty),)*) => {
        /// The recoveries a sender can have.
        #[derive(Clone, Debug)]
        pub enum AnyRecovery {
            $($(#[$doc])* $name($state),)*
        }

        impl Recovery for AnyRecovery {
            #[inline(always)]
            fn on_new_ack(&mut self, core: &mut Core, ack: &Ack, now: Time, out: &mut Outbox) -> AckOutcome {
                match self { $(AnyRecovery::$name(r) => r.on_new_ack(core, ack, now, out),)* }
            }

            fn on_dupack(&mut self, core: &mut Core, ack: &Ack, now: Time, out: &mut Outbox) {
                match self { $(AnyRecovery::$name(r) => r.on_dupack(core, ack, now, out),)* }
            }

            fn on_old_ack(&mut self, core: &mut Core) {
                match self { $(AnyRecovery::$name(r) => r.on_old_ack(core),)* }
            }

            fn on_early_timer(&mut self, core: &mut Core, now: Time, out: &mut Outbox) -> bool {
                match self { $(AnyRecovery::$name(r) => r.on_early_timer(core, now, out),)* }
            }

            fn on_timeout(&mut self) {
                match self { $(AnyRecovery::$name(r) => r.on_timeout(),)* }
            }

            fn on_repeat(&mut self, core: &mut Core, ack: &Ack) {
                match self { $(AnyRecovery::$name(r) => r.on_repeat(core, ack),)* }
            }

            fn awaits_repairs(&self, core: &Core, high: i64) -> bool {
                match self { $(AnyRecovery::$name(r) => r.awaits_repairs(core, high),)* }
            }

            fn on_undo(&mut self, core: &mut Core) {
                match self { $(AnyRecovery::$name(r) => r.on_undo(core),)* }
            }

            fn time_out(&mut self, core: &mut Core, now: Time) {
                match self { $(AnyRecovery::$name(r) => r.time_out(core, now),)* }
            }

            fn idle_out(&mut self, core: &mut Core) {
                match self { $(AnyRecovery::$name(r) => r.idle_out(core),)* }
            }

            fn lost_below(&self, core: &Core) -> i64 {
                match self { $(AnyRecovery::$name(r) => r.lost_below(core),)* }
            }

            fn repairs(&self) -> bool {
                match self { $(AnyRecovery::$name(r) => r.repairs(),)* }
            }

            #[inline(always)]
            fn send(&mut self, core: &mut Core, trigger: Trigger, now: Time, out: &mut Outbox) {
                match self { $(AnyRecovery::$name(r) => r.send(core, trigger, now, out),)* }
            }
        }
    };
}

any_recovery! {
    /// Slow start after every loss.
    Tahoe(Tahoe),
    /// Fast recovery that the first new ACK ends.
    Reno(Reno),
    /// Fast recovery that lasts until all is repaired.
    NewReno(NewReno),
    /// Selective acknowledgements by RFC 6675.
    Sack(Sack),
    /// Selective acknowledgements, losses told by time.
    Rack(Box<Rack>),
    /// Selective acknowledgements as in ns-2.
    Sack1(Sack1),
    /// Vegas, window and retransmission.
    Vegas(Box<VegasRecovery>),
}

impl AnyRecovery {
    /// The recovery that the options ask for.
    pub fn new(options: &TcpOptions) -> Self {
        match (options.recovery, options.sack_pipe) {
            (RecoveryName::Tahoe, _) => AnyRecovery::Tahoe(Tahoe),
            (RecoveryName::Reno, _) => AnyRecovery::Reno(Reno::default()),
            (RecoveryName::Newreno, _) => AnyRecovery::NewReno(NewReno::default()),
            // [RFC 8985 4-a] [RFC 8985 9.2-a]
            (RecoveryName::Sack, _) if options.rack => AnyRecovery::Rack(Box::new(Rack::new(options))),
            (RecoveryName::Sack, SackPipe::Rfc6675) => AnyRecovery::Sack(Sack::new(options)),
            (RecoveryName::Vegas, _) => AnyRecovery::Vegas(Box::new(VegasRecovery::new(options))),
            (RecoveryName::Sack, SackPipe::Sack1) => AnyRecovery::Sack1(Sack1::default()),
        }
    }
}

#[cfg(test)]
mod tests;
