//! Forecasters.

#![allow(unsafe_code)]

use std::ffi::c_void;

use parshall_estimators::forecast::ForecasterConfig;
use parshall_estimators::own::Found;
use parshall_sim::control::user::Failure;
use parshall_sim::own::{self, Beginning, UserForecaster, UserForecasterMaker};
use parshall_sim::random::Stream;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::abi::{shared, Host, Interface};
use super::class::{copied, failure, number, Class};
use super::found::{either, find};
use super::library::{done, Instance, Library};

/// See [`Interface`].
pub const INTERFACE: Interface =
    Interface { kind: "forecaster", version: 1, structures: &[("series", Head::STRUCTURE)] };

const EXPECTED: &str = "the next sample as a number, or None before it can be told";

shared! {
    "Shared state of a forecaster and the engine. The state of every compiled forecaster begins with it; the engine sets it before each call.",
    struct Head {
        /// Functions that the engine lends; see there.
        host: *const Host,
        /// The forecaster, for functions of the host that ask for it.
        flow: *mut c_void,
    }
}

/// Knowledge that the engine has of a forecaster in Python: the base of `parshall.Forecaster`.
#[pyclass(subclass, module = "parshall._core")]
#[derive(Debug)]
pub struct ForecasterBase {
    stream: Option<Stream>,
}

#[pymethods]
impl ForecasterBase {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        ForecasterBase { stream: None }
    }

    /// A random number from 0 to below 1, of a stream of its own; NaN outside of what uses it.
    fn random(&mut self) -> f64 {
        self.stream.as_mut().map_or(f64::NAN, Stream::uniform)
    }
}

impl UserForecasterMaker for Class {
    fn make(&self, beginning: Beginning) -> Result<Box<dyn UserForecaster>, Failure> {
        Python::attach(|py| {
            let object = self.object(py)?;
            object.cast::<ForecasterBase>()?.borrow_mut().stream = Some(beginning.stream);
            object.call_method0(intern!(py, "on_start"))?;
            Ok(Box::new(PythonForecaster::new(&object)?) as Box<dyn UserForecaster>)
        })
        .map_err(failure)
    }
}

/// A forecaster that is a class in Python.
#[derive(Debug)]
struct PythonForecaster {
    base: Py<ForecasterBase>,
    update: Py<PyAny>,
    forecast: Py<PyAny>,
    forecast_ahead: Py<PyAny>,
}

impl PythonForecaster {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let method = |name| Ok::<_, PyErr>(object.getattr(name)?.unbind());
        Ok(PythonForecaster {
            base: object.cast::<ForecasterBase>()?.clone().unbind(),
            update: method(intern!(py, "update"))?,
            forecast: method(intern!(py, "forecast"))?,
            forecast_ahead: method(intern!(py, "forecast_ahead"))?,
        })
    }
}

impl UserForecaster for PythonForecaster {
    fn update(&mut self, x: f64) -> Result<(), Failure> {
        Python::attach(|py| self.update.call1(py, (x,)).map(drop)).map_err(failure)
    }

    fn forecast(&mut self, steps: u32) -> Result<Option<f64>, Failure> {
        Python::attach(|py| {
            let returned = match steps {
                1 => self.forecast.call0(py)?,
                steps => self.forecast_ahead.call1(py, (steps,))?,
            };
            if returned.is_none(py) {
                return Ok(None);
            }
            number(returned.into_bound(py), EXPECTED).map(Some)
        })
        .map_err(failure)
    }

    fn copy(&self) -> Result<Box<dyn UserForecaster>, Failure> {
        Python::attach(|py| {
            let object = copied(self.base.bind(py))?;
            object.cast::<ForecasterBase>()?.borrow_mut().stream = self.base.borrow(py).stream.clone();
            Ok(Box::new(PythonForecaster::new(&object)?) as Box<dyn UserForecaster>)
        })
        .map_err(failure)
    }
}

/// Sets a forecast and returns 0; returns 1 if there is none yet, or another number of what went wrong.
type Forecast = unsafe extern "C" fn(*mut c_void, *mut f64) -> i32;
type ForecastAhead = unsafe extern "C" fn(*mut c_void, i64, *mut f64) -> i32;

/// The functions of a forecaster.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Functions {
    on_start: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    update: Option<unsafe extern "C" fn(*mut c_void, f64) -> i32>,
    forecast: Option<Forecast>,
    forecast_ahead: Option<ForecastAhead>,
}

impl UserForecasterMaker for Library {
    fn make(&self, beginning: Beginning) -> Result<Box<dyn UserForecaster>, Failure> {
        // SAFETY: the table is that of forecasters, four functions in this order.
        let functions: Functions = unsafe { self.functions::<_, 4>()? };
        let mut forecaster =
            CompiledForecaster { functions, instance: self.instance::<Head>(beginning.stream)? };
        if let Some(on_start) = functions.on_start {
            // SAFETY: see below.
            forecaster.call(|state| done(unsafe { on_start(state) }))?;
        }
        Ok(Box::new(forecaster))
    }
}

/// A forecaster that is compiled: a state that begins with a [`Head`].
#[derive(Debug)]
struct CompiledForecaster {
    functions: Functions,
    instance: Instance,
}

impl CompiledForecaster {
    #[inline]
    fn call<T>(&mut self, function: impl FnOnce(*mut c_void) -> Result<T, Failure>) -> Result<T, Failure> {
        let (host, flow) = self.instance.lent();
        // SAFETY: the state was made for a head, and any bytes are pointers that are not followed.
        let (value, _) = unsafe { self.instance.call(Head { host, flow }, function)? };
        Ok(value)
    }
}

// SAFETY of all calls below: a function has the type that its place in the table says, its state is that of this forecaster, and
// where it sets a number outlives the call.
impl UserForecaster for CompiledForecaster {
    fn update(&mut self, x: f64) -> Result<(), Failure> {
        match self.functions.update {
            Some(update) => self.call(|state| done(unsafe { update(state, x) })),
            None => Ok(()),
        }
    }

    fn forecast(&mut self, steps: u32) -> Result<Option<f64>, Failure> {
        let Functions { forecast, forecast_ahead, .. } = self.functions;
        let mut told = f64::NAN;
        let code = match (forecast, forecast_ahead) {
            (_, Some(ahead)) if steps > 1 => {
                self.call(|state| Ok(unsafe { ahead(state, steps.into(), &raw mut told) }))?
            }
            (Some(forecast), _) => self.call(|state| Ok(unsafe { forecast(state, &raw mut told) }))?,
            _ => return Err(Failure::new("is missing, expected a function")),
        };
        match code {
            1 => Ok(None),
            code => done(code).map(|()| Some(told)),
        }
    }

    fn copy(&self) -> Result<Box<dyn UserForecaster>, Failure> {
        Ok(Box::new(CompiledForecaster { functions: self.functions, instance: self.instance.copy() }))
    }
}

/// The forecaster of a configuration in JSON, as a scenario holds it; the code of one of the user's own is found.
///
/// # Errors
/// If that is none, or is not found.
pub fn forecaster_of(py: Python<'_>, config: &str) -> PyResult<ForecasterConfig> {
    let mut config: ForecasterConfig =
        serde_json::from_str(config).map_err(|error| PyValueError::new_err(error.to_string()))?;
    if let ForecasterConfig::User(own) = &mut config {
        let parts = find(py, "forecaster", own)?;
        own.maker = Found(Some(own::forecaster(either!(parts))));
    }
    Ok(config)
}
