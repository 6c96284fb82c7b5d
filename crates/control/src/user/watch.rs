//! The watch that a transport keeps over the calls of a user's control.

use std::fmt::Debug;
use std::time::Duration;

use super::{Failure, Method};
use crate::units::Time;

/// A user's control, and the flow that it belongs to.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// The control's class.
    pub class: String,
    /// The name of its connection.
    pub flow: String,
    /// Time that one of its methods may take.
    pub time_limit: Option<Duration>,
}

impl Named {
    /// The place where something went wrong: one beginning of a line for all.
    pub fn place(&self, method: Method, now: Time) -> String {
        format!("{}.{}, flow {}, {} s", self.class, method.name(), self.flow, now.secs())
    }
}

/// A watch over the calls of a user's control: it may notice one that does not return, and it ends what has failed.
pub trait Watch: Debug {
    /// The watch over a control that is about to be made.
    fn new(named: &Named) -> Self;

    /// A method is about to be called, at `now` of the transport's clock.
    fn enter(&self, method: Method, now: Time);

    /// The method has returned.
    fn leave(&self);

    /// Ends whatever needs the control, which has failed in `method` at `now`: it has no window to offer any more.
    fn fail(named: &Named, method: Method, now: Time, failure: Failure) -> !;
}

/// No watch: a method may take as long as it likes, and a failure is a panic.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn new(_: &Named) -> Self {
        Unwatched
    }

    fn enter(&self, _: Method, _: Time) {}

    fn leave(&self) {}

    /// # Panics
    /// Always, with the place and the failure's message.
    fn fail(named: &Named, method: Method, now: Time, failure: Failure) -> ! {
        panic!("{}: {failure}", named.place(method, now))
    }
}
