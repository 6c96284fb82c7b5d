//! Sources: applications that say what is written and when.

#![allow(unsafe_code)]

use std::ffi::c_void;

use parshall_sim::control::user::Failure;
use parshall_sim::random::Stream;
use parshall_sim::scenario::{AppAnswer, AppBeginning, AppDone, AppMaker, UserApp};
use parshall_sim::units::Time;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::abi::{shared, Host, Interface};
use super::class::{failure, Class};
use super::library::{done, Instance, Library};

/// See [`Interface`].
pub const INTERFACE: Interface = Interface {
    kind: "source",
    version: 1,
    structures: &[("application", Head::STRUCTURE), ("done", Done::STRUCTURE)],
};

/// A time to come is no later than this, in seconds.
const LATEST: f64 = 1e7;

shared! {
    "Answers of a source, and what it is told. The state of every compiled source begins with them; the engine sets all before each call and reads them afterwards.",
    struct Head {
        /// Packets of a transfer that begins now; 0 unless it is set.
        packets_now: i64,
        /// 1 if that transfer has a new connection; 0 unless it is set.
        fresh_now: i64,
        /// Seconds until on_time shall be called; infinity, as before each call, leaves what was said before.
        wake_in: f64,
        /// Bytes of data in a packet.
        payload_bytes: i64,
        /// Functions that the engine lends.
        host: *const Host,
        /// The source, for functions of the host that ask for it.
        flow: *mut c_void,
    }
}

shared! {
    "A transfer that is complete, the one that began first of those under way.",
    #[pyclass(get_all, module = "parshall._core")]
    struct Done {
        /// When it was, in seconds.
        now: f64,
        /// Seconds since it was written.
        took: f64,
        /// Number of the transfer, from 0.
        number: i64,
        /// Packets that it had.
        packets: i64,
    }
}

impl Done {
    fn of(now: Time, done: &AppDone) -> Self {
        Done {
            now: now.secs(),
            took: now.since(done.began).secs(),
            number: done.number as i64,
            packets: done.packets.into(),
        }
    }
}

/// The answer of a source, which the engine checks further.
fn answer(packets: i64, fresh: i64, wake_in: f64) -> Result<AppAnswer, Failure> {
    let Ok(packets) = u32::try_from(packets) else {
        return Err(Failure::new(format!("it writes {packets} packets, expected 0 or more, below 2^30")));
    };
    if !(wake_in >= 0.0 && (wake_in <= LATEST || wake_in == f64::INFINITY)) {
        let expected = "seconds from 0 to 1e7, or infinity for no change";
        return Err(Failure::new(format!("wake_in is {wake_in}, expected {expected}")));
    }
    let wake_in = (wake_in < f64::INFINITY).then(|| Time::from_secs(wake_in));
    Ok(AppAnswer { packets, fresh: fresh != 0, wake_in })
}

/// Knowledge that the engine has of a source in Python: the base of `parshall.Source`.
#[pyclass(subclass, module = "parshall._core")]
#[derive(Debug)]
pub struct SourceBase {
    /// See [`Head`].
    #[pyo3(get, set)]
    packets_now: i64,
    #[pyo3(get, set)]
    fresh_now: i64,
    #[pyo3(get, set)]
    wake_in: f64,
    #[pyo3(get)]
    payload_bytes: i64,
    stream: Option<Stream>,
}

#[pymethods]
impl SourceBase {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        SourceBase { packets_now: 0, fresh_now: 0, wake_in: f64::INFINITY, payload_bytes: 0, stream: None }
    }

    /// A random number from 0 to below 1, of the flow's own stream; NaN outside of a run.
    fn random(&mut self) -> f64 {
        self.stream.as_mut().map_or(f64::NAN, Stream::uniform)
    }
}

impl AppMaker for Class {
    fn make(&self, beginning: AppBeginning) -> Result<Box<dyn UserApp>, Failure> {
        Python::attach(|py| {
            let object = self.object(py)?;
            let base = object.cast::<SourceBase>()?.clone();
            {
                let mut base = base.borrow_mut();
                base.payload_bytes = beginning.payload_bytes.into();
                base.stream = Some(beginning.stream);
            }
            object.call_method0(intern!(py, "on_start"))?;
            let method = |name| Ok::<_, PyErr>(object.getattr(name)?.unbind());
            Ok(Box::new(PythonApp {
                on_time: method(intern!(py, "on_time"))?,
                on_done: method(intern!(py, "on_done"))?,
                base: base.unbind(),
            }) as Box<dyn UserApp>)
        })
        .map_err(failure)
    }

    fn requests(&self) -> bool {
        self.requests
    }
}

/// A source that is a class in Python.
#[derive(Debug)]
struct PythonApp {
    base: Py<SourceBase>,
    on_time: Py<PyAny>,
    on_done: Py<PyAny>,
}

impl PythonApp {
    fn ask(&self, call: impl FnOnce(&Self, Python<'_>) -> PyResult<Py<PyAny>>) -> Result<AppAnswer, Failure> {
        let asked = Python::attach(|py| {
            {
                let mut base = self.base.borrow_mut(py);
                (base.packets_now, base.fresh_now, base.wake_in) = (0, 0, f64::INFINITY);
            }
            call(self, py)?;
            let base = self.base.borrow(py);
            Ok((base.packets_now, base.fresh_now, base.wake_in))
        });
        let (packets, fresh, wake_in) = asked.map_err(failure)?;
        answer(packets, fresh, wake_in)
    }
}

impl UserApp for PythonApp {
    fn on_time(&mut self, now: Time) -> Result<AppAnswer, Failure> {
        self.ask(|app, py| app.on_time.call1(py, (now.secs(),)))
    }

    fn on_done(&mut self, now: Time, done: &AppDone) -> Result<AppAnswer, Failure> {
        self.ask(|app, py| app.on_done.call1(py, (Done::of(now, done),)))
    }
}

/// The functions of a source; where one is missing, nothing is done.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Functions {
    on_start: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    on_time: Option<unsafe extern "C" fn(*mut c_void, f64) -> i32>,
    on_done: Option<unsafe extern "C" fn(*mut c_void, *const Done) -> i32>,
}

impl AppMaker for Library {
    fn make(&self, beginning: AppBeginning) -> Result<Box<dyn UserApp>, Failure> {
        // SAFETY: the table is that of sources, three functions in this order.
        let functions: Functions = unsafe { self.functions::<_, 3>()? };
        let instance = self.instance::<Head>(beginning.stream)?;
        let mut app = CompiledApp { functions, instance, payload_bytes: beginning.payload_bytes.into() };
        if let Some(on_start) = functions.on_start {
            // SAFETY: see below.
            app.call(|state| done(unsafe { on_start(state) }))?;
        }
        Ok(Box::new(app))
    }

    fn requests(&self) -> bool {
        self.requests
    }
}

/// A source that is compiled: a state that begins with a [`Head`].
#[derive(Debug)]
struct CompiledApp {
    functions: Functions,
    instance: Instance,
    payload_bytes: i64,
}

impl CompiledApp {
    #[inline]
    fn call(
        &mut self,
        function: impl FnOnce(*mut c_void) -> Result<(), Failure>,
    ) -> Result<AppAnswer, Failure> {
        let (host, flow) = self.instance.lent();
        let payload_bytes = self.payload_bytes;
        let head = Head { packets_now: 0, fresh_now: 0, wake_in: f64::INFINITY, payload_bytes, host, flow };
        // SAFETY: the state was made for a head, and any bytes are numbers and pointers that are not followed.
        let ((), head) = unsafe { self.instance.call(head, function)? };
        answer(head.packets_now, head.fresh_now, head.wake_in)
    }
}

// SAFETY of all calls below: a function has the type that its place in the table says, its state is that of this source, and
// what it is told outlives the call.
impl UserApp for CompiledApp {
    fn on_time(&mut self, now: Time) -> Result<AppAnswer, Failure> {
        match self.functions.on_time {
            Some(on_time) => self.call(|state| done(unsafe { on_time(state, now.secs()) })),
            None => Ok(AppAnswer::default()),
        }
    }

    fn on_done(&mut self, now: Time, told: &AppDone) -> Result<AppAnswer, Failure> {
        let told = Done::of(now, told);
        match self.functions.on_done {
            Some(on_done) => self.call(|state| done(unsafe { on_done(state, &told) })),
            None => Ok(AppAnswer::default()),
        }
    }
}
