//! Markers at the edges of domains.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::mem::swap;

use parshall_estimators::meter::Colour;
use parshall_sim::control::user::Failure;
use parshall_sim::random::Stream;
use parshall_sim::scenario::{self, MarkerMaker, UserMarker};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::abi::{shared, Host, Interface};
use super::class::{failure, whole, Class};
use super::library::{done, returned, Instance, Library};

/// See [`Interface`].
pub const INTERFACE: Interface = Interface {
    kind: "marker",
    version: 1,
    structures: &[("edge", Head::STRUCTURE), ("metered_packet", MeteredPacket::STRUCTURE)],
};

const EXPECTED: &str = "GREEN, YELLOW or RED of parshall.own";

shared! {
    "Exchange between a marker and the engine. The state of every compiled marker begins with it; the engine sets it before each call.",
    struct Head {
        /// Functions that the engine lends; see there.
        host: *const Host,
        /// The marker, for functions of the host that ask for it.
        flow: *mut c_void,
    }
}

shared! {
    "A packet that arrives at an edge.",
    #[pyclass(get_all, module = "parshall._core")]
    struct MeteredPacket {
        /// Time at which it arrives, in seconds.
        now: f64,
        /// `now` in picoseconds, without rounding.
        now_ps: i64,
        /// Its bytes on the wire.
        size: i64,
        /// Bytes that count: all, or those behind the headers, as the rule has it.
        metered: i64,
        /// Number of its flow, not negative, with another one for the ACKs; it depends on the flow's name alone.
        flow: i64,
        /// Code point with which it arrives (RFC 2474).
        dscp: i64,
        /// Colour that this code point stands for: 0 for green, 1 for yellow, 2 for red.
        arriving: i64,
        /// True if it may be marked in place of a drop (RFC 3168).
        ecn_capable: bool,
        /// True for an ACK.
        ack: bool,
    }
}

impl From<&scenario::MeteredPacket> for MeteredPacket {
    fn from(packet: &scenario::MeteredPacket) -> Self {
        MeteredPacket {
            now: packet.now.secs(),
            now_ps: packet.now.ps() as i64,
            size: packet.size.into(),
            metered: packet.metered.into(),
            flow: (packet.flow >> 1) as i64,
            dscp: packet.dscp.into(),
            arriving: packet.arriving as i64,
            ecn_capable: packet.ecn_capable,
            ack: packet.is_ack,
        }
    }
}

fn colour(code: i64) -> Result<Colour, Failure> {
    let known = usize::try_from(code).ok().and_then(|index| Colour::ALL.get(index));
    known.copied().ok_or_else(|| Failure::new(format!("returned {code}, expected {EXPECTED}")))
}

/// Knowledge that the engine has of a marker in Python: the base of `parshall.Marker`.
#[pyclass(subclass, module = "parshall._core")]
#[derive(Debug)]
pub struct MarkerBase {
    /// Random stream of the conditioner, while a method is called.
    stream: Option<Stream>,
}

#[pymethods]
impl MarkerBase {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        MarkerBase { stream: None }
    }

    /// A random number from 0 to below 1, of the conditioner's stream; NaN outside a run.
    fn random(&mut self) -> f64 {
        self.stream.as_mut().map_or(f64::NAN, Stream::uniform)
    }
}

/// Calls with a stream lent.
fn lending<T>(
    base: &Bound<'_, MarkerBase>,
    stream: &mut Stream,
    call: impl FnOnce() -> PyResult<T>,
) -> PyResult<T> {
    base.borrow_mut().stream = Some(stream.clone());
    let called = call();
    if let Some(lent) = base.borrow_mut().stream.take() {
        *stream = lent;
    }
    called
}

impl MarkerMaker for Class {
    fn make(&self, stream: &mut Stream) -> Result<Box<dyn UserMarker>, Failure> {
        Python::attach(|py| {
            let object = self.object(py)?;
            lending(object.cast::<MarkerBase>()?, stream, || object.call_method0(intern!(py, "on_start")))?;
            Ok(Box::new(PythonMarker::new(&object)?) as Box<dyn UserMarker>)
        })
        .map_err(failure)
    }
}

/// A marker that is a class in Python.
#[derive(Debug)]
struct PythonMarker {
    base: Py<MarkerBase>,
    colour: Py<PyAny>,
}

impl PythonMarker {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let colour = object.getattr(intern!(object.py(), "colour"))?.unbind();
        Ok(PythonMarker { base: object.cast::<MarkerBase>()?.clone().unbind(), colour })
    }
}

impl UserMarker for PythonMarker {
    fn colour(&mut self, packet: &scenario::MeteredPacket, stream: &mut Stream) -> Result<Colour, Failure> {
        let asked = Python::attach(|py| {
            lending(self.base.bind(py), stream, || {
                let told = (MeteredPacket::from(packet),);
                whole(self.colour.call1(py, told)?.into_bound(py), None, EXPECTED)
            })
        });
        colour(asked.map_err(failure)?)
    }
}

/// The functions of a marker.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Functions {
    on_start: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    colour: Option<unsafe extern "C" fn(*mut c_void, *const MeteredPacket) -> i32>,
}

impl MarkerMaker for Library {
    fn make(&self, stream: &mut Stream) -> Result<Box<dyn UserMarker>, Failure> {
        // SAFETY: the table is that of markers, two functions in this order.
        let functions: Functions = unsafe { self.functions::<_, 2>()? };
        let mut marker = CompiledMarker { functions, instance: self.instance::<Head>(stream.clone())? };
        if let Some(on_start) = functions.on_start {
            // SAFETY: see below.
            marker.call(stream, |state| done(unsafe { on_start(state) }))?;
        }
        Ok(Box::new(marker))
    }
}

/// A marker that is compiled: a state that begins with a [`Head`].
#[derive(Debug)]
struct CompiledMarker {
    functions: Functions,
    instance: Instance,
}

impl CompiledMarker {
    #[inline]
    fn call<T>(
        &mut self,
        stream: &mut Stream,
        function: impl FnOnce(*mut c_void) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        swap(self.instance.stream(), stream);
        let (host, flow) = self.instance.lent();
        // SAFETY: the state was made for a head, and any bytes are pointers that are not followed.
        let called = unsafe { self.instance.call(Head { host, flow }, function) };
        swap(self.instance.stream(), stream);
        called.map(|(value, _)| value)
    }
}

// SAFETY of the call below: the function has the type that its place in the table says, its state is that of this marker, and
// what it is told outlives the call.
impl UserMarker for CompiledMarker {
    fn colour(&mut self, packet: &scenario::MeteredPacket, stream: &mut Stream) -> Result<Colour, Failure> {
        let Some(function) = self.functions.colour else {
            return Err(Failure::new("is missing, expected a function"));
        };
        let told = MeteredPacket::from(packet);
        colour(self.call(stream, |state| returned(unsafe { function(state, &told) }))?)
    }
}
