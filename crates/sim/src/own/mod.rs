//! Parts of the caller's own besides congestion controls: filters of timeouts and forecasters that are given to a program when
//! it runs. Their answers are checked and their calls are watched, as those of [`control::user`](crate::control::user) are.
//!
//! A maker here may fail, and so may each call of what it makes; [`rto`] and [`forecaster`] turn it into what a scenario takes
//! ([`Scenario::hand_over`](crate::scenario::Scenario::hand_over)). Queues are handed over as they are
//! ([`QueueMaker`](crate::scenario::QueueMaker)). A program in Rust whose parts cannot fail implements
//! [`RtoMaker`](parshall_estimators::rto::RtoMaker) or [`ForecasterMaker`](parshall_estimators::forecast::ForecasterMaker) itself.
//!
//! An application, [`App::User`](crate::scenario::App::User), needs no such maker: [`UserApp`](crate::scenario::UserApp) may fail itself.

mod forecaster;
mod owner;
mod rto;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use forecaster::{forecaster, UserForecaster, UserForecasterMaker};
pub(crate) use owner::owned_by;
pub use rto::{rto, RtoAnswer, UserRto, UserRtoMaker};

use crate::control::user::{Code, Failure, Method, Named, Watch};
use crate::pulse::{Pulse, Watched};
use crate::random::Stream;
use crate::units::Time;

/// The beginning of a part: what its maker may give it.
#[derive(Clone, Debug)]
pub struct Beginning {
    /// Random numbers of its own, the same in each run with the same seed.
    pub stream: Stream,
}

/// Maker of parts, as a scenario takes it.
#[derive(Debug)]
struct Makes<M: ?Sized>(Arc<M>);

impl<M: Code + ?Sized> Code for Makes<M> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn time_limit(&self) -> Option<Duration> {
        self.0.time_limit()
    }

    fn around(&self, run: &mut dyn FnMut()) {
        self.0.around(run);
    }
}

/// The calls of one part, which are watched over. A failure ends the run of this thread, or, outside of one, what waits in
/// [`caught`](crate::internal::caught).
#[derive(Debug)]
pub(crate) struct Calls {
    named: Named,
    watch: Watched,
}

impl Calls {
    /// For a part of this code that is about to be made, on this thread, and what it begins with.
    pub(crate) fn of(code: &(impl Code + ?Sized)) -> (Self, Beginning) {
        let (owner, stream) = owner::current(code.name());
        let is_outside = owner.is_empty();
        let named = Named { class: code.name().into(), owner, time_limit: code.time_limit() };
        let watch = if is_outside { Watched::outside() } else { Watched::new(&named) };
        (Calls { named, watch }, Beginning { stream })
    }

    /// Does a call.
    #[inline]
    pub(crate) fn call<T>(&self, method: Method, call: impl FnOnce() -> Result<T, Failure>) -> T {
        self.watch.enter_now(method);
        let called = call();
        self.watch.leave();
        called.unwrap_or_else(|failure| self.fail(method, failure))
    }

    /// Does a call of a part that knows the time.
    #[inline]
    pub(crate) fn call_at<T>(
        &self,
        method: Method,
        now: Time,
        call: impl FnOnce() -> Result<T, Failure>,
    ) -> T {
        self.watch.enter(method, now);
        let called = call();
        self.watch.leave();
        called.unwrap_or_else(|failure| self.fail(method, failure))
    }

    /// Ends the run because of a method that was called last.
    #[cold]
    pub(crate) fn fail(&self, method: Method, failure: Failure) -> ! {
        Watched::fail(&self.named, method, Pulse::own().told_time(), failure)
    }
}

impl Clone for Calls {
    fn clone(&self) -> Self {
        Calls { named: self.named.clone(), watch: self.watch.again(&self.named) }
    }
}

/// Refuses an answer that is none.
fn expect(what: &str, value: f64, holds: bool, expected: impl fmt::Display) -> Result<(), Failure> {
    if holds {
        return Ok(());
    }
    Err(Failure::new(format!("{what} is {value}, expected {expected}")))
}
