//! A control that is compiled.

#![allow(unsafe_code)]

use std::ffi::c_void;

use parshall_sim::control::user::{Answer, Failure, Maker, Method, UserControl};
use parshall_sim::control::{self, AckSample, Loss, Start};
use parshall_sim::units::Time;

use super::fold::{Reported, Reporting};
use super::{Ack, Lost, Moment, Window};
use crate::own::library::{answered, done, Instance, Library};

/// Returns 0, or the number of what went wrong.
type OnStart = unsafe extern "C" fn(state: *mut c_void) -> i32;
type OnAck = unsafe extern "C" fn(state: *mut c_void, ack: *const Ack) -> i32;
type OnReport = unsafe extern "C" fn(state: *mut c_void, values: *const f64) -> i32;
type OnMoment = unsafe extern "C" fn(state: *mut c_void, moment: *const Moment) -> i32;
/// Returns the window after it; NaN if something went wrong.
type OnLoss = unsafe extern "C" fn(state: *mut c_void, loss: *const Lost) -> f64;

/// The functions of a control; where one is missing, nothing is done, or what RFC 5681 asks for.
#[derive(Clone, Copy, Debug, Default)]
struct Functions {
    on_start: Option<OnStart>,
    on_ack: Option<OnAck>,
    on_loss: Option<OnLoss>,
    on_mark: Option<OnLoss>,
    on_timeout: Option<OnLoss>,
    on_restart: Option<OnMoment>,
    on_timer: Option<OnMoment>,
    on_report: Option<OnReport>,
}

impl Maker for Library {
    fn make(&self, start: &Start<'_>, answer: &mut Answer) -> Result<Box<dyn UserControl>, Failure> {
        // SAFETY: the table is that of controls, eight functions in this order.
        let functions: Functions = unsafe { self.functions::<_, 8>()? };
        let mut control = CompiledControl { functions, instance: self.instance::<Window>(start.stream())? };
        if let Some(on_start) = functions.on_start {
            // SAFETY: see `call`.
            control.call(answer, |state| done(unsafe { on_start(state) }))?;
        }
        Ok(match &self.report {
            Some(gathering) => Box::new(Reporting::new(control, gathering.clone())),
            None => Box::new(control),
        })
    }

    fn exact_echo(&self) -> bool {
        self.exact_echo
    }
}

/// The control of a flow: a state that begins with a [`Window`].
#[derive(Debug)]
struct CompiledControl {
    functions: Functions,
    instance: Instance,
}

fn window(after: f64) -> Result<f64, Failure> {
    answered(after, "the window after it, in packets")
}

impl CompiledControl {
    /// Calls a function with the state, whose window is that of `answer` before and after.
    #[inline]
    fn call<T>(
        &mut self,
        answer: &mut Answer,
        function: impl FnOnce(*mut c_void) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let (host, flow) = self.instance.lent();
        let before = Window {
            cwnd: answer.window.cwnd,
            ssthresh: answer.window.ssthresh,
            pacing_rate: answer.pacing_rate,
            wake_at: answer.wake_at,
            host,
            flow,
        };
        // SAFETY: the state was made for a window, and any bytes are numbers.
        let (value, after) = unsafe { self.instance.call(before, function)? };
        let Window { cwnd, ssthresh, pacing_rate, wake_at, .. } = after;
        *answer = Answer { window: control::Window { cwnd, ssthresh }, pacing_rate, wake_at };
        Ok(value)
    }
}

// SAFETY of all calls below: a function has the type that its place in the table says, its state is that of this flow,
// and what it is told outlives the call.
impl UserControl for CompiledControl {
    #[inline]
    fn on_ack(&mut self, answer: &mut Answer, ack: &AckSample<'_>) -> Result<(), Failure> {
        let Some(on_ack) = self.functions.on_ack else {
            return Ok(());
        };
        let told = Ack::of(ack);
        self.call(answer, |state| done(unsafe { on_ack(state, &told) }))
    }

    fn after_loss(&mut self, answer: &mut Answer, loss: &Loss, method: Method) -> Result<f64, Failure> {
        let Functions { on_loss, on_mark, on_timeout, .. } = self.functions;
        let function = match method {
            Method::Mark => on_mark.or(on_loss),
            Method::Timeout => on_timeout.or(on_loss),
            _ => on_loss,
        };
        let told = Lost::from(loss);
        match function {
            Some(function) => self.call(answer, |state| window(unsafe { function(state, &told) })),
            None => Ok(loss.in_use / 2.0),
        }
    }

    fn on_restart(&mut self, answer: &mut Answer, now: Time) -> Result<(), Failure> {
        let Some(on_restart) = self.functions.on_restart else {
            return Ok(());
        };
        let told = Moment::from(now);
        self.call(answer, |state| done(unsafe { on_restart(state, &told) }))
    }

    fn on_timer(&mut self, answer: &mut Answer, now: Time) -> Result<(), Failure> {
        let Some(on_timer) = self.functions.on_timer else {
            return Ok(());
        };
        let told = Moment::from(now);
        self.call(answer, |state| done(unsafe { on_timer(state, &told) }))
    }
}

impl Reported for CompiledControl {
    fn on_report(&mut self, answer: &mut Answer, values: &[f64]) -> Result<(), Failure> {
        let Some(on_report) = self.functions.on_report else {
            return Ok(());
        };
        self.call(answer, |state| done(unsafe { on_report(state, values.as_ptr()) }))
    }
}
