//! Queues in front of links.

#![allow(unsafe_code)]

use std::ffi::c_void;

use parshall_sim::control::user::Failure;
use parshall_sim::random::Stream;
use parshall_sim::scenario::{self, QueueAnswer, QueueMaker, QueueStart, UserQueue};
use parshall_sim::units::Time;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::abi::{shared, Host, Interface, Structure};
use super::class::{failure, whole, Class};
use super::control::Moment;
use super::library::{done, returned, Instance, Library};

/// See [`Interface`].
pub const INTERFACE: Interface = Interface {
    kind: "queue",
    version: 1,
    structures: &[
        ("port", Head::STRUCTURE),
        ("queued_packet", QueuedPacket::STRUCTURE),
        ("instant", Structure { about: "An instant.", ..Moment::STRUCTURE }),
    ],
};

const EXPECTED: &str = "PASS, MARK, DROP or PUSH_OUT of parshall.own; None is PASS";
const CLASS: &str = "a class in which packets wait, or -1 for the first";

shared! {
    "Shared state of a queue and the engine. The state of every compiled queue begins with it; the engine sets it before each call and reads it afterwards.",
    struct Head {
        /// Class that an arriving packet joins, or that one is pushed out of, 0 to 1023; 0 unless it is set.
        into: i64,
        /// Rate of the link at first, in bit/s; nominal, where a recorded capacity takes its place.
        rate: f64,
        /// Functions that the engine lends; see there.
        host: *const Host,
        /// The queue, for functions of the host that ask for it.
        flow: *mut c_void,
    }
}

shared! {
    "A packet that arrives at a queue, or is about to leave it.",
    #[pyclass(get_all, module = "parshall._core")]
    struct QueuedPacket {
        /// Time at which the queue is asked, in seconds.
        now: f64,
        /// In picoseconds, without rounding.
        now_ps: i64,
        /// Seconds that it has waited.
        waited: f64,
        /// In picoseconds, without rounding.
        waited_ps: i64,
        /// Its bytes.
        size: i64,
        /// Number of its flow, not negative, with another one for the ACKs; the flow's name alone decides it.
        flow: i64,
        /// Its code point (RFC 2474).
        dscp: i64,
        /// Class in which it waits; 0 for one that arrives.
        class_id: i64,
        /// Other packets that wait, in all classes; the one in transmission does not.
        packets: i64,
        /// Bytes of these.
        bytes: i64,
        /// Bytes of the packet in transmission; 0 while the link is free, as it is at each departure.
        on_link: i64,
        /// True if it may be marked in place of a drop (RFC 3168).
        ecn_capable: bool,
        /// True if it carries a mark.
        marked: bool,
        /// True for an ACK.
        ack: bool,
    }
}

impl From<&scenario::QueuedPacket> for QueuedPacket {
    fn from(packet: &scenario::QueuedPacket) -> Self {
        let waited = packet.now.since(packet.arrived);
        QueuedPacket {
            now: packet.now.secs(),
            now_ps: packet.now.ps() as i64,
            waited: waited.secs(),
            waited_ps: waited.ps() as i64,
            size: packet.size.into(),
            flow: (packet.flow >> 1) as i64,
            dscp: packet.dscp.into(),
            class_id: packet.class.into(),
            packets: packet.packets as i64,
            bytes: packet.bytes as i64,
            on_link: packet.on_link.into(),
            ecn_capable: packet.ecn_capable,
            marked: packet.marked,
            ack: packet.is_ack,
        }
    }
}

fn answer(code: i64) -> Result<QueueAnswer, Failure> {
    match code {
        0 => Ok(QueueAnswer::Pass),
        1 => Ok(QueueAnswer::Mark),
        2 => Ok(QueueAnswer::Drop),
        3 => Ok(QueueAnswer::PushOut),
        code => Err(Failure::new(format!("returned {code}, expected {EXPECTED}"))),
    }
}

fn class(number: i64, expected: &str) -> Result<u16, Failure> {
    u16::try_from(number).map_err(|_| Failure::new(format!("class is {number}, expected {expected}")))
}

/// The class that a queue names; none for -1, which leaves it to the engine.
fn turn(number: i64) -> Result<Option<u16>, Failure> {
    if number == -1 {
        return Ok(None);
    }
    class(number, CLASS).map(Some)
}

/// Knowledge that the engine has of a queue in Python: the base of `parshall.Queue`.
#[pyclass(subclass, module = "parshall._core")]
#[derive(Debug)]
pub struct QueueBase {
    /// See [`Head`].
    #[pyo3(get, set)]
    into: i64,
    #[pyo3(get, set)]
    rate: f64,
    stream: Option<Stream>,
}

#[pymethods]
impl QueueBase {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        QueueBase { into: 0, rate: f64::NAN, stream: None }
    }

    /// A random number from 0 to below 1, of the port's own stream; NaN outside a run.
    fn random(&mut self) -> f64 {
        self.stream.as_mut().map_or(f64::NAN, Stream::uniform)
    }
}

impl QueueMaker for Class {
    fn make(&self, start: QueueStart) -> Result<Box<dyn UserQueue>, Failure> {
        Python::attach(|py| {
            let object = self.object(py)?;
            {
                let mut base = object.cast::<QueueBase>()?.borrow_mut();
                (base.rate, base.stream) = (start.rate.bps(), Some(start.stream));
            }
            object.call_method0(intern!(py, "on_start"))?;
            Ok(Box::new(PythonQueue::new(&object)?) as Box<dyn UserQueue>)
        })
        .map_err(failure)
    }
}

/// A queue that is a class in Python.
#[derive(Debug)]
struct PythonQueue {
    base: Py<QueueBase>,
    on_arrival: Py<PyAny>,
    next_class: Py<PyAny>,
    on_departure: Py<PyAny>,
    on_idle: Py<PyAny>,
}

impl PythonQueue {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let method = |name| Ok::<_, PyErr>(object.getattr(name)?.unbind());
        Ok(PythonQueue {
            base: object.cast::<QueueBase>()?.clone().unbind(),
            on_arrival: method(intern!(py, "on_arrival"))?,
            next_class: method(intern!(py, "next_class"))?,
            on_departure: method(intern!(py, "on_departure"))?,
            on_idle: method(intern!(py, "on_idle"))?,
        })
    }
}

impl UserQueue for PythonQueue {
    fn on_arrival(&mut self, packet: &scenario::QueuedPacket) -> Result<(QueueAnswer, u16), Failure> {
        let asked = Python::attach(|py| {
            self.base.borrow_mut(py).into = 0;
            let returned = self.on_arrival.call1(py, (QueuedPacket::from(packet),))?;
            Ok((whole(returned.into_bound(py), Some(0), EXPECTED)?, self.base.borrow(py).into))
        });
        let (code, into) = asked.map_err(failure)?;
        Ok((answer(code)?, class(into, "0 to 1023")?))
    }

    fn next_class(&mut self, now: Time) -> Result<Option<u16>, Failure> {
        let asked = Python::attach(|py| {
            let returned = self.next_class.call1(py, (Moment::from(now),))?;
            whole(returned.into_bound(py), Some(-1), CLASS)
        });
        turn(asked.map_err(failure)?)
    }

    fn on_departure(&mut self, packet: &scenario::QueuedPacket) -> Result<QueueAnswer, Failure> {
        let asked = Python::attach(|py| {
            let returned = self.on_departure.call1(py, (QueuedPacket::from(packet),))?;
            whole(returned.into_bound(py), Some(0), EXPECTED)
        });
        answer(asked.map_err(failure)?)
    }

    fn on_idle(&mut self, now: Time) -> Result<(), Failure> {
        Python::attach(|py| self.on_idle.call1(py, (Moment::from(now),)).map(drop)).map_err(failure)
    }
}

/// Returns what becomes of a packet: 0 to 3; any other number is that of what went wrong.
type OnPacket = unsafe extern "C" fn(*mut c_void, *const QueuedPacket) -> i32;
type OnMoment = unsafe extern "C" fn(*mut c_void, *const Moment) -> i32;

/// The functions of a queue; where one is missing, packets pass.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Functions {
    on_start: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    on_arrival: Option<OnPacket>,
    next_class: Option<OnMoment>,
    on_departure: Option<OnPacket>,
    on_idle: Option<OnMoment>,
}

impl QueueMaker for Library {
    fn make(&self, start: QueueStart) -> Result<Box<dyn UserQueue>, Failure> {
        // SAFETY: the table is that of queues, five functions in this order.
        let functions: Functions = unsafe { self.functions::<_, 5>()? };
        let (rate, instance) = (start.rate.bps(), self.instance::<Head>(start.stream)?);
        let mut queue = CompiledQueue { functions, instance, rate };
        if let Some(on_start) = functions.on_start {
            // SAFETY: see below.
            queue.call(|state| done(unsafe { on_start(state) }))?;
        }
        Ok(Box::new(queue))
    }
}

/// A queue that is compiled: a state that begins with a [`Head`].
#[derive(Debug)]
struct CompiledQueue {
    functions: Functions,
    instance: Instance,
    rate: f64,
}

impl CompiledQueue {
    #[inline]
    fn call<T>(
        &mut self,
        function: impl FnOnce(*mut c_void) -> Result<T, Failure>,
    ) -> Result<(T, i64), Failure> {
        let (host, flow) = self.instance.lent();
        // SAFETY: the state was made for a head, and any bytes are numbers and pointers that are not followed.
        let (value, head) =
            unsafe { self.instance.call(Head { into: 0, rate: self.rate, host, flow }, function)? };
        Ok((value, head.into))
    }
}

// SAFETY of all calls below: a function has the type that its place in the table says, its state is that of this queue, and
// what it is told outlives the call.
impl UserQueue for CompiledQueue {
    fn on_arrival(&mut self, packet: &scenario::QueuedPacket) -> Result<(QueueAnswer, u16), Failure> {
        let Some(on_arrival) = self.functions.on_arrival else {
            return Ok((QueueAnswer::Pass, 0));
        };
        let told = QueuedPacket::from(packet);
        let (code, into) = self.call(|state| returned(unsafe { on_arrival(state, &told) }))?;
        Ok((answer(code)?, class(into, "0 to 1023")?))
    }

    fn next_class(&mut self, now: Time) -> Result<Option<u16>, Failure> {
        let Some(next_class) = self.functions.next_class else {
            return Ok(None);
        };
        let told = Moment::from(now);
        turn(self.call(|state| returned(unsafe { next_class(state, &told) }))?.0)
    }

    fn on_departure(&mut self, packet: &scenario::QueuedPacket) -> Result<QueueAnswer, Failure> {
        let Some(on_departure) = self.functions.on_departure else {
            return Ok(QueueAnswer::Pass);
        };
        let told = QueuedPacket::from(packet);
        answer(self.call(|state| returned(unsafe { on_departure(state, &told) }))?.0)
    }

    fn on_idle(&mut self, now: Time) -> Result<(), Failure> {
        let Some(on_idle) = self.functions.on_idle else {
            return Ok(());
        };
        let told = Moment::from(now);
        self.call(|state| done(unsafe { on_idle(state, &told) })).map(drop)
    }
}
