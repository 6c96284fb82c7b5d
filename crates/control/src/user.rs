//! A control that this crate does not have: somebody else wrote it, and the caller hands it over. Its answers are checked,
//! and what is no answer is a [`Failure`].
//!
//! A Rust program that has a control of its own implements [`Congestion`] and needs none of this. It is for programs that
//! are given code at run time: a class of a scripting language, a shared library. What other parts that are handed over need as
//! well is here too: [`Failure`], [`Method`] and [`Watch`].

mod config;
mod contract;
mod watch;

use std::fmt::Arguments;

pub use config::Config;
pub use contract::{Answer, Failure, Maker, Method, UserControl};
pub use parshall_estimators::own::{Code, Found, Value};
pub use watch::{Named, Unwatched, Watch};

use crate::units::Time;
use crate::{AckSample, Congestion, Loss, Silence, Start, Window};

/// No window is larger: a packet of 1500 bytes each makes 25 GB.
pub const MOST_PACKETS: f64 = 16_777_216.0;

/// No rate is lower: a packet in an hour. A flow that is slower has stopped.
const LEAST_RATE: f64 = 1.0 / 3600.0;

/// No rate is higher: a packet in a picosecond.
const MOST_RATE: f64 = 1e12;

/// A user's control, watched over.
#[derive(Debug)]
pub struct User<W = Unwatched> {
    control: Box<dyn UserControl>,
    answer: Answer,
    wake_at: Time,
    begun: bool,
    named: Named,
    watch: W,
}

impl<W: Watch> User<W> {
    /// The control that a configuration asks for; it may change the window with which its flow begins. Where there is
    /// none, as its maker is missing or fails, [`Watch::fail`] is called.
    pub fn new(config: &Config, start: &Start<'_>, window: &mut Window) -> Self {
        let owner = format!("flow {}", start.flow);
        let Some(maker) = &config.maker.0 else {
            let named = Named { class: config.source.clone(), owner, time_limit: None };
            W::fail(&named, Method::Start, Time::ZERO, Failure::new("its code was not handed over"));
        };
        let named = Named { class: maker.name().into(), owner, time_limit: maker.time_limit() };
        let watch = W::new(&named);
        watch.enter(Method::Start, Time::ZERO);
        let before = Answer { window: *window, pacing_rate: 0.0, wake_at: f64::INFINITY };
        let mut answer = before;
        let made = maker.make(start, &mut answer);
        watch.leave();
        let checked = made.and_then(|control| Ok((control, check(&before, &answer, Time::ZERO)?)));
        let fail = |failure| W::fail(&named, Method::Start, Time::ZERO, failure);
        let (control, wake_at) = checked.unwrap_or_else(fail);
        *window = answer.window;
        User { control, answer, wake_at, begun: false, named, watch }
    }

    /// Calls a method, and checks what it leaves behind.
    #[inline]
    fn call<T>(
        &mut self,
        window: &Window,
        method: Method,
        now: Time,
        f: impl FnOnce(&mut dyn UserControl, &mut Answer) -> Result<T, Failure>,
    ) -> T {
        self.answer.window = *window;
        let before = self.answer;
        self.watch.enter(method, now);
        let called = f(self.control.as_mut(), &mut self.answer);
        self.watch.leave();
        let checked = called.and_then(|value| {
            if self.answer != before {
                self.wake_at = check(&before, &self.answer, now)?;
            }
            Ok(value)
        });
        match checked {
            Ok(value) => value,
            Err(failure) => W::fail(&self.named, method, now, failure),
        }
    }

    fn shrunk(&mut self, window: &Window, loss: &Loss, method: Method) -> f64 {
        self.call(window, method, loss.now, |control, answer| {
            let after = control.after_loss(answer, loss, method)?;
            bounded(
                "window after it",
                after,
                (0.0..=MOST_PACKETS).contains(&after),
                format_args!("0 to {MOST_PACKETS} packets"),
            )?;
            Ok(after)
        })
    }
}

fn bounded(what: &str, value: f64, holds: bool, expected: Arguments<'_>) -> Result<(), Failure> {
    if holds {
        return Ok(());
    }
    Err(Failure::new(format!("{what} is {value}, expected {expected}")))
}

/// When the control wants to be woken, if its answer is one. What it has not touched need not be checked.
fn check(before: &Answer, after: &Answer, now: Time) -> Result<Time, Failure> {
    let Window { cwnd, ssthresh } = after.window;
    let rate = after.pacing_rate;
    let in_bounds = cwnd == before.window.cwnd || (1.0..=MOST_PACKETS).contains(&cwnd);
    bounded("cwnd", cwnd, in_bounds, format_args!("1 to {MOST_PACKETS} packets"))?;
    bounded("ssthresh", ssthresh, ssthresh >= 0.0, format_args!("0 packets or more"))?;
    let in_bounds = rate == 0.0 || (LEAST_RATE..=MOST_RATE).contains(&rate);
    let expected = format_args!("a packet an hour to {MOST_RATE:e} a second, or 0 for none");
    bounded("pacing_rate", rate, in_bounds, expected)?;
    let wake_at = if after.wake_at == f64::INFINITY { Time::NEVER } else { Time::from_secs(after.wake_at) };
    let is_new = after.wake_at != before.wake_at;
    let expected = format_args!("a time to come, in seconds, or infinity");
    bounded("wake_at", after.wake_at, !is_new || wake_at > now, expected)?;
    Ok(wake_at)
}

impl<W: Watch> Congestion for User<W> {
    const PACED: bool = true;

    #[inline(never)]
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample<'_>) {
        self.call(window, Method::Ack, ack.now, |control, answer| control.on_ack(answer, ack));
        *window = self.answer.window;
    }

    #[inline(never)]
    fn after_loss(&mut self, window: &Window, loss: &Loss) -> f64 {
        self.shrunk(window, loss, Method::Loss)
    }

    #[inline(never)]
    fn after_mark(&mut self, window: &Window, loss: &Loss) -> f64 {
        self.shrunk(window, loss, Method::Mark)
    }

    #[inline(never)]
    fn after_timeout(&mut self, window: &Window, loss: &Loss) -> f64 {
        self.shrunk(window, loss, Method::Timeout)
    }

    /// A timer that it has set before counts from here.
    fn on_begin(&mut self, _: &Window, now: Time, _: Option<f64>) {
        if !std::mem::replace(&mut self.begun, true) && self.wake_at < Time::NEVER {
            self.answer.wake_at += now.secs();
            self.wake_at += now;
        }
    }

    #[inline(never)]
    fn on_restart(&mut self, window: &mut Window, silence: &Silence) {
        let now = silence.now;
        self.call(window, Method::Restart, now, |control, answer| control.on_restart(answer, now));
        *window = self.answer.window;
    }

    #[inline(never)]
    fn on_timer(&mut self, window: &mut Window, now: Time) {
        (self.answer.wake_at, self.wake_at) = (f64::INFINITY, Time::NEVER);
        self.call(window, Method::Timer, now, |control, answer| control.on_timer(answer, now));
        *window = self.answer.window;
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.answer.pacing_rate).filter(|&rate| rate > 0.0)
    }

    fn wake_at(&self) -> Time {
        self.wake_at
    }
}

#[cfg(test)]
mod tests;
