//! Filters of retransmission timeouts.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::sync::Arc;

use parshall_estimators::rto::{AnyRto, RtoMaker};
use parshall_sim::control::user::Failure;
use parshall_sim::own::{self, Beginning, RtoAnswer, UserRto, UserRtoMaker};
use parshall_sim::random::Stream;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::abi::{shared, Host, Interface};
use super::class::{copied, failure, number, Class};
use super::found::{either, outside, Parts};
use super::library::{answered, done, Instance, Library};

/// See [`Interface`].
pub const INTERFACE: Interface =
    Interface { kind: "rto", version: 1, structures: &[("filter", Head::STRUCTURE)] };

const EXPECTED: &str = "the timeout, in seconds";

shared! {
    "Shared state of a filter of timeouts and the engine. The state of every compiled filter begins with it; the engine sets it before each call and reads it afterwards.",
    struct Head {
        /// Smoothed round-trip time for recordings and the granularity of clocks, in seconds; NaN, as at first, for none.
        srtt: f64,
        /// Deviation of the round-trip time for recordings, in seconds; NaN, as at first, for none.
        rttvar: f64,
        /// Backoff factor, which the engine applies to the timeout: 1 after a sample, doubled by each timeout.
        backoff: f64,
        /// 1 if the sample is one of the same round trip as that before, else 0.
        amid_round: i64,
        /// Functions that the engine lends; see there.
        host: *const Host,
        /// The filter, for functions of the host that ask for it.
        flow: *mut c_void,
    }
}

/// Knowledge that the engine has of a filter in Python: the base of `parshall.RtoFilter`.
#[pyclass(subclass, module = "parshall._core")]
#[derive(Debug)]
pub struct RtoFilterBase {
    /// See [`Head`].
    #[pyo3(get, set)]
    srtt: f64,
    #[pyo3(get, set)]
    rttvar: f64,
    #[pyo3(get, set)]
    backoff: f64,
    #[pyo3(get, set)]
    amid_round: i64,
    stream: Option<Stream>,
}

#[pymethods]
impl RtoFilterBase {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        RtoFilterBase { srtt: f64::NAN, rttvar: f64::NAN, backoff: 1.0, amid_round: 0, stream: None }
    }

    /// A random number from 0 to below 1, of a stream of its own; NaN outside of what uses it.
    fn random(&mut self) -> f64 {
        self.stream.as_mut().map_or(f64::NAN, Stream::uniform)
    }
}

impl UserRtoMaker for Class {
    fn make(&self, beginning: Beginning) -> Result<Box<dyn UserRto>, Failure> {
        Python::attach(|py| {
            let object = self.object(py)?;
            object.cast::<RtoFilterBase>()?.borrow_mut().stream = Some(beginning.stream);
            object.call_method0(intern!(py, "on_start"))?;
            Ok(Box::new(PythonRto::new(&object)?) as Box<dyn UserRto>)
        })
        .map_err(failure)
    }
}

/// A filter that is a class in Python.
#[derive(Debug)]
struct PythonRto {
    base: Py<RtoFilterBase>,
    on_sample: Py<PyAny>,
    on_timeout: Py<PyAny>,
    on_early_timeout: Py<PyAny>,
    rto: Py<PyAny>,
}

impl PythonRto {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let method = |name| Ok::<_, PyErr>(object.getattr(name)?.unbind());
        Ok(PythonRto {
            base: object.cast::<RtoFilterBase>()?.clone().unbind(),
            on_sample: method(intern!(py, "on_sample"))?,
            on_timeout: method(intern!(py, "on_timeout"))?,
            on_early_timeout: method(intern!(py, "on_early_timeout"))?,
            rto: method(intern!(py, "rto"))?,
        })
    }
}

impl UserRto for PythonRto {
    fn on_sample(&mut self, rtt: f64, amid_round: bool) -> Result<(), Failure> {
        Python::attach(|py| {
            let mut base = self.base.borrow_mut(py);
            (base.backoff, base.amid_round) = (1.0, i64::from(amid_round));
            drop(base);
            self.on_sample.call1(py, (rtt,)).map(drop)
        })
        .map_err(failure)
    }

    fn on_timeout(&mut self, factor: u32) -> Result<(), Failure> {
        Python::attach(|py| {
            self.base.borrow_mut(py).backoff = factor.into();
            self.on_timeout.call0(py).map(drop)
        })
        .map_err(failure)
    }

    fn on_early_timeout(&mut self) -> Result<(), Failure> {
        Python::attach(|py| self.on_early_timeout.call0(py).map(drop)).map_err(failure)
    }

    fn rto(&mut self) -> Result<RtoAnswer, Failure> {
        Python::attach(|py| {
            let rto = number(self.rto.call0(py)?.into_bound(py), EXPECTED)?;
            let base = self.base.borrow(py);
            Ok(RtoAnswer { rto, srtt: base.srtt, rttvar: base.rttvar })
        })
        .map_err(failure)
    }

    fn copy(&self) -> Result<Box<dyn UserRto>, Failure> {
        Python::attach(|py| {
            let object = copied(self.base.bind(py))?;
            {
                let (before, mut after) =
                    (self.base.borrow(py), object.cast::<RtoFilterBase>()?.borrow_mut());
                (after.srtt, after.rttvar, after.backoff) = (before.srtt, before.rttvar, before.backoff);
                (after.amid_round, after.stream) = (before.amid_round, before.stream.clone());
            }
            Ok(Box::new(PythonRto::new(&object)?) as Box<dyn UserRto>)
        })
        .map_err(failure)
    }
}

/// The functions of a filter; where one but `rto` is missing, nothing is done.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Functions {
    on_start: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    on_sample: Option<unsafe extern "C" fn(*mut c_void, f64) -> i32>,
    on_timeout: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    on_early_timeout: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    rto: Option<unsafe extern "C" fn(*mut c_void) -> f64>,
}

impl UserRtoMaker for Library {
    fn make(&self, beginning: Beginning) -> Result<Box<dyn UserRto>, Failure> {
        // SAFETY: the table is that of filters, five functions in this order.
        let functions: Functions = unsafe { self.functions::<_, 5>()? };
        let mut instance = self.instance::<Head>(beginning.stream)?;
        let (host, flow) = instance.lent();
        let head = Head { srtt: f64::NAN, rttvar: f64::NAN, backoff: 1.0, amid_round: 0, host, flow };
        let mut filter = CompiledRto { functions, instance, head };
        if let Some(on_start) = functions.on_start {
            // SAFETY: see below.
            filter.call(|state| done(unsafe { on_start(state) }))?;
        }
        Ok(Box::new(filter))
    }
}

/// A filter that is compiled: a state that begins with a [`Head`].
#[derive(Debug)]
struct CompiledRto {
    functions: Functions,
    instance: Instance,
    head: Head,
}

// SAFETY: as that of the state; the pointers of the head are its own.
unsafe impl Send for CompiledRto {}
// SAFETY: as above.
unsafe impl Sync for CompiledRto {}

impl CompiledRto {
    #[inline]
    fn call<T>(&mut self, function: impl FnOnce(*mut c_void) -> Result<T, Failure>) -> Result<T, Failure> {
        // SAFETY: the state was made for a head, and any bytes are numbers.
        let (value, head) = unsafe { self.instance.call(self.head, function)? };
        (self.head.srtt, self.head.rttvar) = (head.srtt, head.rttvar);
        Ok(value)
    }
}

// SAFETY of all calls below: a function has the type that its place in the table says, and its state is that of this filter.
impl UserRto for CompiledRto {
    fn on_sample(&mut self, rtt: f64, amid_round: bool) -> Result<(), Failure> {
        (self.head.backoff, self.head.amid_round) = (1.0, i64::from(amid_round));
        match self.functions.on_sample {
            Some(on_sample) => self.call(|state| done(unsafe { on_sample(state, rtt) })),
            None => Ok(()),
        }
    }

    fn on_timeout(&mut self, factor: u32) -> Result<(), Failure> {
        self.head.backoff = factor.into();
        match self.functions.on_timeout {
            Some(on_timeout) => self.call(|state| done(unsafe { on_timeout(state) })),
            None => Ok(()),
        }
    }

    fn on_early_timeout(&mut self) -> Result<(), Failure> {
        match self.functions.on_early_timeout {
            Some(on_early_timeout) => self.call(|state| done(unsafe { on_early_timeout(state) })),
            None => Ok(()),
        }
    }

    fn rto(&mut self) -> Result<RtoAnswer, Failure> {
        let Some(rto) = self.functions.rto else {
            return Err(Failure::new("is missing, expected a function"));
        };
        let rto = self.call(|state| answered(unsafe { rto(state) }, EXPECTED))?;
        Ok(RtoAnswer { rto, srtt: self.head.srtt, rttvar: self.head.rttvar })
    }

    fn copy(&self) -> Result<Box<dyn UserRto>, Failure> {
        let mut instance = self.instance.copy();
        let (host, flow) = instance.lent();
        let head = Head { host, flow, ..self.head };
        Ok(Box::new(CompiledRto { functions: self.functions, instance, head }))
    }
}

/// A filter outside of a scenario.
///
/// # Errors
/// If its code fails.
pub fn own_rto(py: Python<'_>, parts: Parts) -> PyResult<AnyRto> {
    let maker: Arc<dyn RtoMaker> = own::rto(either!(parts));
    outside(py, || AnyRto::User(maker.make()))
}
