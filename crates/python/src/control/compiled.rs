//! A control that is compiled: by Numba, or into a shared library. Its functions are called without the GIL.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use parshall_sim::control::user::{Answer, Failure, Maker, Method, UserControl};
use parshall_sim::control::{self, AckSample, Loss, Start};
use parshall_sim::units::Time;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::estimators::filter_of;

use super::abi::{Ack, Lost, Moment, Window, HOST};
use super::fold::{Asked, Gathering, Reported, Reporting};
use super::lent::LentFlow;
use crate::filter::Filter;

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

impl Functions {
    /// From addresses in the order of the fields, 0 for none.
    ///
    /// # Safety
    /// Each is that of a function of the type of its field.
    unsafe fn at(addresses: [usize; 8]) -> Self {
        // SAFETY: null is how an Option of a function says none; what is not null is as the caller promises.
        unsafe { std::mem::transmute(addresses) }
    }
}

/// Makes a control for each flow from a table of functions.
#[pyclass(frozen, module = "parshall._core")]
#[derive(Debug)]
pub struct CompiledControls(pub(super) Arc<dyn Maker>);

/// An estimator that each flow gets a copy of.
struct Lendable(Mutex<Box<dyn Filter>>);

impl fmt::Debug for Lendable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lendable")
    }
}

#[derive(Debug)]
struct Library {
    name: String,
    functions: Functions,
    /// A new state, from its first byte on.
    state: Vec<u8>,
    exact_echo: bool,
    time_limit: Option<Duration>,
    report: Option<Gathering>,
    /// Estimators in the state, by the place of the pointer to each.
    estimators: Vec<(usize, Lendable)>,
    /// Keeps the code where it is.
    _code: Py<PyAny>,
}

#[pymethods]
impl CompiledControls {
    /// `functions` are addresses, `state` what a state is at first; `code` lives as long as the functions may be called.
    #[new]
    #[allow(clippy::too_many_arguments)] // as keywords
    #[pyo3(signature = (name, functions, state, exact_echo, time_limit, code, report=None, estimators=Vec::new()))]
    fn new(
        name: String,
        functions: [usize; 8],
        state: Vec<u8>,
        exact_echo: bool,
        time_limit: Option<f64>,
        code: Py<PyAny>,
        report: Option<Asked>,
        estimators: Vec<(usize, Bound<'_, PyAny>)>,
    ) -> PyResult<Self> {
        if state.len() < size_of::<Window>() {
            let (got, least) = (state.len(), size_of::<Window>());
            return Err(PyValueError::new_err(format!("a state of {got} bytes, expected at least {least}")));
        }
        // SAFETY: the caller, `parshall.control`, made them to this interface or checked that they were.
        let functions = unsafe { Functions::at(functions) };
        let time_limit = time_limit.and_then(|limit| Duration::try_from_secs_f64(limit).ok());
        let report = report.map(Gathering::new).transpose()?;
        let lendable = |(place, object): (usize, Bound<'_, PyAny>)| {
            if place % 8 != 0 || place + 8 > state.len() {
                return Err(PyValueError::new_err(format!(
                    "an estimator at {place}, expected a word of the state"
                )));
            }
            Ok((place, Lendable(Mutex::new(filter_of(&object)?))))
        };
        let estimators = estimators.into_iter().map(lendable).collect::<PyResult<_>>()?;
        let library =
            Library { name, functions, state, exact_echo, time_limit, report, estimators, _code: code };
        Ok(CompiledControls(Arc::new(library)))
    }
}

impl Maker for Library {
    fn name(&self) -> &str {
        &self.name
    }

    fn make(&self, start: &Start<'_>, answer: &mut Answer) -> Result<Box<dyn UserControl>, Failure> {
        let mut state = vec![0u64; self.state.len().div_ceil(8)];
        for (word, bytes) in state.iter_mut().zip(self.state.chunks(8)) {
            let mut filled = [0; 8];
            filled[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_ne_bytes(filled);
        }
        let mut flow = Box::new(LentFlow::new(start.stream()));
        for (place, Lendable(filter)) in &self.estimators {
            let copy = filter.lock().unwrap_or_else(PoisonError::into_inner).copy();
            state[place / 8] = flow.keep(copy) as u64;
        }
        let mut control = CompiledControl { functions: self.functions, state, flow };
        if let Some(on_start) = self.functions.on_start {
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

    fn time_limit(&self) -> Option<Duration> {
        self.time_limit
    }
}

/// The control of a flow: a state that begins with a [`Window`].
#[derive(Debug)]
struct CompiledControl {
    functions: Functions,
    /// In words, so that it lies as any of its fields may have to.
    state: Vec<u64>,
    flow: Box<LentFlow>,
}

// SAFETY: the state is plain memory of this control alone, and the functions are code. What a control keeps in its state
// besides is its author's; the header says that a flow may be run on any thread, by one at a time.
unsafe impl Send for CompiledControl {}

/// What functions that Numba made return after an exception.
const RAISED: i32 = i32::MIN;

fn done(code: i32) -> Result<(), Failure> {
    match code {
        0 => Ok(()),
        RAISED => Err(Failure::new("raised an exception; without @parshall.native it is told in full")),
        code => Err(Failure::new(format!("returned {code}, expected 0"))),
    }
}

fn window(after: f64) -> Result<f64, Failure> {
    if after.is_nan() {
        return Err(Failure::new(
            "raised an exception, or returned NaN, expected the window after it, in packets",
        ));
    }
    Ok(after)
}

impl CompiledControl {
    /// Calls a function with the state, whose window is that of `answer` before and after.
    #[inline]
    fn call<T>(
        &mut self,
        answer: &mut Answer,
        function: impl FnOnce(*mut c_void) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let flow: *mut LentFlow = &mut *self.flow;
        let state = self.state.as_mut_ptr();
        let window = Window {
            cwnd: answer.window.cwnd,
            ssthresh: answer.window.ssthresh,
            pacing_rate: answer.pacing_rate,
            wake_at: answer.wake_at,
            host: &HOST,
            flow: flow.cast(),
        };
        // SAFETY: `CompiledControls::new` has seen to it that a window fits, and words are aligned as it is.
        unsafe { state.cast::<Window>().write(window) };
        let value = function(state.cast())?;
        // SAFETY: as above; any bytes are numbers.
        let Window { cwnd, ssthresh, pacing_rate, wake_at, .. } = unsafe { state.cast::<Window>().read() };
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
