//! A part that is a class in Python: its methods are called with the GIL, which its run holds.

use std::sync::Arc;
use std::time::Duration;

use parshall_sim::control::user::{Code, Failure};
use parshall_sim::internal::Pulse;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use super::control::{Gathering, ReportFields};

/// Makes a part by calling `make`, once for each flow or port that asks for it.
#[pyclass(frozen, module = "parshall._core")]
#[derive(Debug)]
pub struct PythonParts(pub(super) Arc<Class>);

/// See [`PythonParts`].
#[derive(Debug)]
pub struct Class {
    name: String,
    make: Py<PyAny>,
    hung: Py<PyAny>,
    time_limit: Option<Duration>,
    /// Flag of a control: receivers report marks packet by packet.
    pub(super) exact_echo: bool,
    /// Flag of a source: its destination asks for each transfer.
    pub(super) requests: bool,
    /// Maker of a control's reports of their values, if reports are wanted in place of ACKs.
    pub(super) report: Option<(Gathering, Py<PyAny>)>,
}

#[pymethods]
impl PythonParts {
    /// `make` returns a new part; `hung` is the class of what is raised in a method that takes longer than
    /// `time_limit` seconds.
    #[new]
    #[allow(clippy::too_many_arguments)] // as keywords
    #[pyo3(signature = (name, make, hung, time_limit, exact_echo=false, report=None, requests=false))]
    fn new(
        name: String,
        make: Py<PyAny>,
        hung: Py<PyAny>,
        time_limit: Option<f64>,
        exact_echo: bool,
        report: Option<(ReportFields, Py<PyAny>)>,
        requests: bool,
    ) -> PyResult<Self> {
        let time_limit = time_limit.and_then(|limit| Duration::try_from_secs_f64(limit).ok());
        let gathering = |(asked, make)| Ok::<_, PyErr>((Gathering::new(asked)?, make));
        let report = report.map(gathering).transpose()?;
        Ok(PythonParts(Arc::new(Class { name, make, hung, time_limit, exact_echo, report, requests })))
    }
}

impl Class {
    /// A new object of the class.
    pub fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.make.bind(py).call0()
    }
}

impl Code for Class {
    fn name(&self) -> &str {
        &self.name
    }

    fn time_limit(&self) -> Option<Duration> {
        self.time_limit
    }

    /// The run holds the GIL. Where methods of several runs compete for it, Python itself sees to it that each gets its
    /// turn; to take it for each call would cost more than most calls do.
    fn around(&self, run: &mut dyn FnMut()) {
        Python::attach(|py| {
            let pulse = Pulse::own();
            pulse.on_interrupt(interrupt(py, &self.hung).ok());
            run();
            pulse.on_interrupt(None);
        });
    }
}

/// Function that raises an exception in this thread, from another one.
fn interrupt(py: Python<'_>, hung: &Py<PyAny>) -> PyResult<Arc<dyn Fn() + Send + Sync>> {
    let thread: u64 = py.import("threading")?.call_method0("get_ident")?.extract()?;
    let hung = hung.clone_ref(py);
    Ok(Arc::new(move || {
        Python::attach(|py| {
            let raise = || py.import("parshall.own.interrupt")?.call_method1("raise_in", (thread, &hung));
            // Nothing is left to report to; the thread will be given up.
            let _ = raise();
        });
    }))
}

/// An exception, with the line of the user's code that raised it.
pub fn failure(error: PyErr) -> Failure {
    Python::attach(|py| {
        let told = || -> PyResult<String> {
            // Until now it may be known beside the exception only.
            error.value(py).setattr(intern!(py, "__traceback__"), error.traceback(py))?;
            py.import("parshall.own.failure")?.call_method1("described", (error.value(py),))?.extract()
        };
        let message = told().unwrap_or_else(|_| error.to_string());
        Failure { message, cause: Some(Box::new(error)) }
    })
}

/// An object in the same state as another of its class; what the engine knows of it is its base's affair.
pub fn copied<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    object.py().import("copy")?.call_method1("deepcopy", (object,))
}

/// A number that a method returned. A truth value is none.
pub fn number(returned: Bound<'_, PyAny>, expected: &'static str) -> PyResult<f64> {
    let number = returned.extract().ok().filter(|_| !returned.is_instance_of::<PyBool>());
    number.ok_or_else(|| super::WrongAnswerError::new_err((returned.unbind(), expected)))
}

/// A whole number that a method returned, and `nothing`, if there is such a number, for None. A truth value is none.
pub fn whole(returned: Bound<'_, PyAny>, nothing: Option<i64>, expected: &'static str) -> PyResult<i64> {
    if let (true, Some(nothing)) = (returned.is_none(), nothing) {
        return Ok(nothing);
    }
    let number = returned.extract().ok().filter(|_| !returned.is_instance_of::<PyBool>());
    number.ok_or_else(|| super::WrongAnswerError::new_err((returned.unbind(), expected)))
}
