//! A control that this crate does not have: the caller hands it over with the scenario. What it answers is checked, and
//! what is no answer ends its run.

use std::collections::BTreeMap;
use std::fmt::{Arguments, Debug};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::{AckSample, Congestion, Loss, Parameters, Silence, Start, Window};
use crate::pulse::{Failure, Method, Named, Pulse};
use crate::units::Time;

/// No window is larger: a packet of 1500 bytes each makes 25 GB.
pub const MOST_PACKETS: f64 = 16_777_216.0;

/// No rate is lower: a packet in an hour. A flow that is slower has stopped.
const LEAST_RATE: f64 = 1.0 / 3600.0;

/// No rate is higher: a packet in a picosecond.
const MOST_RATE: f64 = 1e12;

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// Text.
    Text(SmolStr),
    /// Several.
    List(Vec<Value>),
}

/// What a scenario says of such a control: enough to know it again, and to find it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// In what form its code comes.
    pub form: SmolStr,
    /// Where it is found: a class as `module:Name`, a library as a path.
    pub source: SmolStr,
    /// What its code is, as a hash.
    pub code: SmolStr,
    /// Its parameters, where they are not at their defaults.
    #[serde(default)]
    pub values: BTreeMap<SmolStr, Value>,
    /// What makes one, once it has been found.
    #[serde(skip)]
    pub maker: Found,
}

impl Parameters for Config {
    fn timed(&self) -> bool {
        true
    }

    fn exact_echo(&self) -> bool {
        self.maker.0.as_ref().is_some_and(|maker| maker.exact_echo())
    }
}

/// What makes controls, if it has been found. It does not take part in comparisons: the code's hash does.
#[derive(Clone, Debug, Default)]
pub struct Found(pub Option<Arc<dyn Maker>>);

impl PartialEq for Found {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Makes a control for each flow that asks for it.
pub trait Maker: Debug + Send + Sync {
    /// What to call it in a message: the name of its class.
    fn name(&self) -> &str;

    /// A control for a flow that begins, which may change what it begins with.
    ///
    /// # Errors
    /// If there is none.
    fn make(&self, start: &Start<'_>, answer: &mut Answer) -> Result<Box<dyn UserControl>, Failure>;

    /// Whether its receivers report marks packet by packet; see [`super::Parameters::exact_echo`].
    fn exact_echo(&self) -> bool;

    /// How long one of its methods may take.
    fn time_limit(&self) -> Option<Duration>;

    /// Does a whole run; a place to take and give back what all calls of a run need.
    fn around(&self, run: &mut dyn FnMut()) {
        run();
    }
}

/// What a control answers with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Packets that may be in flight, and where slow start ends.
    pub window: Window,
    /// Packets a second that may leave; 0 leaves that to the sender.
    pub pacing_rate: f64,
    /// When it wants to be woken, in seconds; infinity for not at all.
    pub wake_at: f64,
}

/// Such a control. Each method is told of the window in `answer`, and may change it and the rest.
#[allow(missing_docs)] // See Congestion.
pub trait UserControl: Debug + Send {
    fn on_ack(&mut self, answer: &mut Answer, ack: &AckSample<'_>) -> Result<(), Failure>;
    fn after_loss(&mut self, answer: &mut Answer, loss: &Loss, method: Method) -> Result<f64, Failure>;
    fn on_restart(&mut self, answer: &mut Answer, now: Time) -> Result<(), Failure>;
    fn on_timer(&mut self, answer: &mut Answer, now: Time) -> Result<(), Failure>;
}

/// A user's control, watched over.
#[derive(Debug)]
pub struct User {
    control: Box<dyn UserControl>,
    answer: Answer,
    wake_at: Time,
    begun: bool,
    named: Named,
    number: u32,
    pulse: Arc<Pulse>,
}

impl User {
    /// The control that a scenario asks for; it may change the window with which its flow begins.
    pub fn new(config: &Config, start: &Start<'_>, window: &mut Window) -> Self {
        let Some(maker) = &config.maker.0 else {
            Failure::new(format!("control {}: its code was not handed over", config.source)).end_run();
        };
        let named =
            Named { class: maker.name().into(), flow: start.flow.into(), time_limit: maker.time_limit() };
        let pulse = Pulse::own();
        let number = pulse.name(named.clone());
        pulse.enter(number, Method::Start, Time::ZERO);
        let before = Answer { window: *window, pacing_rate: 0.0, wake_at: f64::INFINITY };
        let mut answer = before;
        let made = maker.make(start, &mut answer);
        pulse.leave();
        let checked = made.and_then(|control| Ok((control, check(&before, &answer, Time::ZERO)?)));
        let fail = |failure| at(&named, Method::Start, Time::ZERO, failure).end_run();
        let (control, wake_at) = checked.unwrap_or_else(fail);
        *window = answer.window;
        User { control, answer, wake_at, begun: false, named, number, pulse }
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
        self.pulse.heed();
        self.answer.window = *window;
        let before = self.answer;
        self.pulse.enter(self.number, method, now);
        let called = f(self.control.as_mut(), &mut self.answer);
        self.pulse.leave();
        let checked = called.and_then(|value| {
            if self.answer != before {
                self.wake_at = check(&before, &self.answer, now)?;
            }
            Ok(value)
        });
        match checked {
            Ok(value) => value,
            Err(failure) => at(&self.named, method, now, failure).end_run(),
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

/// A failure with its place in front.
fn at(named: &Named, method: Method, now: Time, failure: Failure) -> Failure {
    let message = format!("{}: {}", named.place(method, now), failure.message);
    Failure { message, ..failure }
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

impl Congestion for User {
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
