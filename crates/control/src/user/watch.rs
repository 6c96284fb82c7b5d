//! The watch that is kept over the calls of a user's part.

use std::fmt::Debug;
use std::time::Duration;

use super::{Failure, Method};
use crate::units::Time;

/// A user's part, and what it belongs to.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// The part's class.
    pub class: String,
    /// The flow or the port that it belongs to, as `flow NAME`; empty for one that no run has made.
    pub owner: String,
    /// Time that one of its methods may take.
    pub time_limit: Option<Duration>,
}

impl Named {
    /// The place where something went wrong: one beginning of a line for all.
    pub fn place(&self, method: Method, now: Time) -> String {
        let call = format!("{}.{}", self.class, method.name());
        if self.owner.is_empty() {
            return call;
        }
        format!("{call}, {}, {} s", self.owner, now.secs())
    }
}

/// A watch over the calls of a user's part: it may notice one that does not return, and it ends what has failed.
pub trait Watch: Debug {
    /// The watch over a part that is about to be made.
    fn new(named: &Named) -> Self;

    /// A method is about to be called, at `now` of the transport's clock.
    fn enter(&self, method: Method, now: Time);

    /// The method has returned.
    fn leave(&self);

    /// Ends whatever needs the part, which has failed in `method` at `now`: it has no answer to offer any more.
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
