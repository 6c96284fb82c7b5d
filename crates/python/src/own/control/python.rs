//! A control that is a class in Python.

use parshall_sim::control::user::{Answer, Failure, Maker, Method, UserControl};
use parshall_sim::control::{AckSample, Loss, Start, Window};
use parshall_sim::random::Stream;
use parshall_sim::units::Time;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::fold::{Reported, Reporting};
use super::{Ack, Lost, Moment};
use crate::own::class::{failure, number, Class};

/// Knowledge that the engine has of a control in Python: the base of `parshall.Control`.
#[pyclass(subclass, name = "ControlBase", module = "parshall._core")]
#[derive(Debug)]
pub struct ControlBase {
    /// See `control::Window`.
    #[pyo3(get, set)]
    cwnd: f64,
    #[pyo3(get, set)]
    ssthresh: f64,
    #[pyo3(get, set)]
    pacing_rate: f64,
    #[pyo3(get, set)]
    wake_at: f64,
    stream: Option<Stream>,
}

#[pymethods]
impl ControlBase {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        ControlBase {
            cwnd: f64::NAN,
            ssthresh: f64::INFINITY,
            pacing_rate: 0.0,
            wake_at: f64::INFINITY,
            stream: None,
        }
    }

    /// A random number from 0 to below 1, of the flow's own stream; NaN outside a run.
    fn random(&mut self) -> f64 {
        self.stream.as_mut().map_or(f64::NAN, Stream::uniform)
    }
}

impl ControlBase {
    /// Before a call.
    fn tell(&mut self, answer: &Answer) {
        self.cwnd = answer.window.cwnd;
        self.ssthresh = answer.window.ssthresh;
        self.pacing_rate = answer.pacing_rate;
        self.wake_at = answer.wake_at;
    }

    /// After it.
    fn answer(&self, answer: &mut Answer) {
        answer.window = Window { cwnd: self.cwnd, ssthresh: self.ssthresh };
        (answer.pacing_rate, answer.wake_at) = (self.pacing_rate, self.wake_at);
    }
}

impl Maker for Class {
    fn make(&self, start: &Start<'_>, answer: &mut Answer) -> Result<Box<dyn UserControl>, Failure> {
        Python::attach(|py| {
            let object = self.object(py)?;
            let base = object.cast::<ControlBase>()?.clone();
            base.borrow_mut().stream = Some(start.stream());
            let method = |name| Ok::<_, PyErr>(object.getattr(name)?.unbind());
            base.borrow_mut().tell(answer);
            object.call_method0(intern!(py, "on_start"))?;
            base.borrow().answer(answer);
            let (gathering, make_report) = match &self.report {
                Some((gathering, make)) => (Some(gathering.clone()), Some(make.clone_ref(py))),
                None => (None, None),
            };
            let on_report = make_report.map(|make| Ok::<_, PyErr>((method(intern!(py, "on_report"))?, make)));
            let control = PythonControl {
                base: base.unbind(),
                on_ack: method(intern!(py, "on_ack"))?,
                on_loss: method(intern!(py, "on_loss"))?,
                on_mark: method(intern!(py, "on_mark"))?,
                on_timeout: method(intern!(py, "on_timeout"))?,
                on_restart: method(intern!(py, "on_restart"))?,
                on_timer: method(intern!(py, "on_timer"))?,
                on_report: on_report.transpose()?,
                ack: Arguments::new(py)?,
            };
            Ok(match gathering {
                Some(gathering) => Box::new(Reporting::new(control, gathering)) as Box<dyn UserControl>,
                None => Box::new(control),
            })
        })
        .map_err(failure)
    }

    fn exact_echo(&self) -> bool {
        self.exact_echo
    }
}

/// Arguments of `on_ack`: an ACK, made anew only if the control has kept it.
#[derive(Debug)]
struct Arguments {
    ack: Py<Ack>,
    arguments: Py<PyTuple>,
}

impl Arguments {
    fn new(py: Python<'_>) -> PyResult<Self> {
        let ack = Py::new(py, Ack::NOTHING)?;
        let arguments = PyTuple::new(py, [&ack])?.unbind();
        Ok(Arguments { ack, arguments })
    }

    /// Sets it.
    fn tell(&mut self, py: Python<'_>, sample: &AckSample<'_>) -> PyResult<()> {
        const OWN: isize = 2; // the field `ack`, and the tuple
        if references(&self.ack) > OWN {
            *self = Arguments::new(py)?;
        }
        *self.ack.borrow_mut(py) = Ack::of(sample);
        Ok(())
    }
}

/// Number of references to an object.
#[allow(unsafe_code)]
fn references(object: &Py<Ack>) -> isize {
    // SAFETY: the object is alive, and who calls this holds the GIL.
    unsafe { pyo3::ffi::Py_REFCNT(object.as_ptr()) }
}

/// The control of a flow.
#[derive(Debug)]
struct PythonControl {
    base: Py<ControlBase>,
    on_ack: Py<PyAny>,
    on_loss: Py<PyAny>,
    on_mark: Py<PyAny>,
    on_timeout: Py<PyAny>,
    on_restart: Py<PyAny>,
    on_timer: Py<PyAny>,
    /// The method, and what makes a report of its values.
    on_report: Option<(Py<PyAny>, Py<PyAny>)>,
    ack: Arguments,
}

/// Calls a method with what the control has to know, and takes in what it answers.
fn call<T>(
    base: &Py<ControlBase>,
    answer: &mut Answer,
    method: impl FnOnce(Python<'_>) -> PyResult<T>,
) -> Result<T, Failure> {
    Python::attach(|py| {
        base.borrow_mut(py).tell(answer);
        let value = method(py)?;
        base.borrow(py).answer(answer);
        Ok(value)
    })
    .map_err(failure)
}

impl UserControl for PythonControl {
    fn on_ack(&mut self, answer: &mut Answer, ack: &AckSample<'_>) -> Result<(), Failure> {
        let (method, told) = (&self.on_ack, &mut self.ack);
        call(&self.base, answer, |py| {
            told.tell(py, ack)?;
            method.call1(py, told.arguments.bind(py)).map(drop)
        })
    }

    fn after_loss(&mut self, answer: &mut Answer, loss: &Loss, method: Method) -> Result<f64, Failure> {
        let method = match method {
            Method::Mark => &self.on_mark,
            Method::Timeout => &self.on_timeout,
            _ => &self.on_loss,
        };
        call(&self.base, answer, |py| {
            let after = method.call1(py, (Lost::from(loss),))?;
            number(after.into_bound(py), "the window after it, in packets")
        })
    }

    fn on_restart(&mut self, answer: &mut Answer, now: Time) -> Result<(), Failure> {
        call(&self.base, answer, |py| self.on_restart.call1(py, (Moment::from(now),)).map(drop))
    }

    fn on_timer(&mut self, answer: &mut Answer, now: Time) -> Result<(), Failure> {
        call(&self.base, answer, |py| self.on_timer.call1(py, (Moment::from(now),)).map(drop))
    }
}

impl Reported for PythonControl {
    fn on_report(&mut self, answer: &mut Answer, values: &[f64]) -> Result<(), Failure> {
        let Some((method, make)) = &self.on_report else {
            return Ok(());
        };
        call(&self.base, answer, |py| {
            let report = make.call1(py, PyTuple::new(py, values)?)?;
            method.call1(py, (report,)).map(drop)
        })
    }
}
