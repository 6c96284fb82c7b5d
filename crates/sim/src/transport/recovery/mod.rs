//! Loss recovery: what is sent after a loss. One file each; [`AnyRecovery`] is where a new one is registered.

mod newreno;
mod reno;
mod tahoe;

pub use newreno::NewReno;
pub use reno::Reno;
pub use tahoe::Tahoe;

use super::{Core, Outbox};
use crate::scenario::RecoveryName;
use crate::units::Time;

/// How a sender reacts to ACKs. The sender calls `send` afterwards for what the window allows.
pub trait Recovery {
    /// An ACK of everything up to `ack`, above `core.high_ack`; it carries the stamp `echo`.
    fn on_new_ack(&mut self, core: &mut Core, ack: i64, echo: Time, now: Time, out: &mut Outbox);
    /// A duplicate ACK; `core.dupacks` counts it already.
    fn on_dupack(&mut self, core: &mut Core, now: Time, out: &mut Outbox);
    /// The timer expired.
    fn on_timeout(&mut self);
    /// Packets added to the window for those that duplicate ACKs have shown to be gone.
    fn inflation(&self) -> i64;
    /// Most packets that may be sent on this ACK.
    fn burst(&self, core: &Core) -> u32;
}

/// The recoveries a sender can have.
#[derive(Clone, Debug)]
pub enum AnyRecovery {
    /// See [`Tahoe`].
    Tahoe(Tahoe),
    /// See [`Reno`].
    Reno(Reno),
    /// See [`NewReno`].
    NewReno(NewReno),
}

impl AnyRecovery {
    /// The recovery of this name.
    pub fn new(name: RecoveryName) -> Self {
        match name {
            RecoveryName::Tahoe => AnyRecovery::Tahoe(Tahoe),
            RecoveryName::Reno => AnyRecovery::Reno(Reno::default()),
            RecoveryName::Newreno => AnyRecovery::NewReno(NewReno::default()),
        }
    }
}

macro_rules! dispatch {
    ($self:ident, $recovery:ident => $call:expr) => {
        match $self {
            AnyRecovery::Tahoe($recovery) => $call,
            AnyRecovery::Reno($recovery) => $call,
            AnyRecovery::NewReno($recovery) => $call,
        }
    };
}

impl Recovery for AnyRecovery {
    fn on_new_ack(&mut self, core: &mut Core, ack: i64, echo: Time, now: Time, out: &mut Outbox) {
        dispatch!(self, r => r.on_new_ack(core, ack, echo, now, out))
    }

    fn on_dupack(&mut self, core: &mut Core, now: Time, out: &mut Outbox) {
        dispatch!(self, r => r.on_dupack(core, now, out))
    }

    fn on_timeout(&mut self) {
        dispatch!(self, r => r.on_timeout())
    }

    fn inflation(&self) -> i64 {
        dispatch!(self, r => r.inflation())
    }

    fn burst(&self, core: &Core) -> u32 {
        dispatch!(self, r => r.burst(core))
    }
}
