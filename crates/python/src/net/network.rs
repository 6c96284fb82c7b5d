//! A network as Python drives it.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::task::Poll;
use std::time::Instant;

use parshall_sim::internal::{Folding, Plan};
use parshall_sim::net::{Arrival, Builder, Dropped, EndpointId, Event, Network, NetworkError, Protocol};
use parshall_sim::units::Time;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arguments::{self, Headers};
use super::datagram::PyDatagram;
use super::endpoint::Endpoint;
use super::events::{PyArrival, PyDropped, PyWake};
use super::fault::{error_of, run_ended, run_error, wrong_type};
use super::kept::Kept;
use super::signals::{self, LOOKING};
use super::trace::PyTrace;
use crate::given::Given;
use crate::names::Names;
use crate::own::hand_over;
use crate::simulator::{scenario_error, to_python};

/// Number of the next network: endpoints know theirs.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The engine's side of `parshall.sim.Network`.
#[pyclass(subclass, frozen, module = "parshall._core")]
pub struct NetworkBase {
    number: u64,
    state: Mutex<State>,
}

struct State {
    stage: Stage,
    endpoints: Vec<Py<Endpoint>>,
    kept: Kept,
}

enum Stage {
    /// Endpoints are attached.
    Built(Box<Builder>),
    Running(Box<Network>),
    /// Its recording was taken, or it could not be built.
    Over {
        now: Time,
        trace: Option<parshall_sim::net::Trace>,
    },
}

#[pymethods]
impl NetworkBase {
    #[new]
    fn new(py: Python<'_>, scenario: Given<'_>, seed: u64, mtu: u16, trace: bool) -> PyResult<Self> {
        let mut scenario = scenario.read()?;
        hand_over(py, &mut scenario)?;
        // Without flows it is no scenario yet.
        if !scenario.flows.is_empty() {
            py.detach(|| Plan::new(&scenario, Folding::Off)).map_err(|fault| scenario_error(py, &fault))?;
        }
        let kept = Kept::new(!scenario.record.pcap.is_empty());
        let builder = Builder::new(scenario).seed(seed).mtu(mtu);
        let builder = if trace { builder.traced() } else { builder };
        let state = State { stage: Stage::Built(Box::new(builder)), endpoints: Vec::new(), kept };
        Ok(NetworkBase { number: NEXT.fetch_add(1, Ordering::Relaxed), state: Mutex::new(state) })
    }

    /// Attaches a pair of endpoints between two hosts.
    fn _attach(
        slf: &Bound<'_, Self>,
        name: &str,
        source: &str,
        destination: &str,
        tcp: bool,
        path_mtu: Option<u16>,
    ) -> PyResult<(Py<Endpoint>, Py<Endpoint>)> {
        let make = |builder: &mut Builder| builder.attach(name, source, destination);
        Self::add_pair(slf, ("attach", name), tcp, path_mtu, make)
    }

    /// Puts a pair of endpoints in the place of a flow.
    fn _replace(
        slf: &Bound<'_, Self>,
        flow: &str,
        tcp: bool,
        path_mtu: Option<u16>,
    ) -> PyResult<(Py<Endpoint>, Py<Endpoint>)> {
        Self::add_pair(slf, ("replace", flow), tcp, path_mtu, |builder| builder.replace(flow))
    }

    /// Sends a datagram from an endpoint to the other one of its pair.
    ///
    /// ``data`` is the payload of a UDP datagram, with 28 bytes of headers on the wire, or with ``ip`` a whole IPv4 or
    /// IPv6 packet, whose header then tells ``ecn``, ``dscp`` and ``key`` unless they are given. A number stands for
    /// a datagram of so many bytes on the wire of which nothing else matters. A :class:`Datagram` has all of that itself.
    ///
    /// It leaves now, or ``at`` a later instant; datagrams of one instant leave in the order of the calls. ``ecn`` is
    /// a member of :class:`Ecn`, or its name (``not-ect``, ``ect0``, ``ect1``, ``ce``), and not-ect unless given;
    /// ``dscp`` the code point of differentiated services, 0 unless given. By ``key``, a whole number, queues such as
    /// FQ-CoDel and routers with equal paths tell flows apart within the pair. ``tag`` is a whole number of yours,
    /// which the datagram has when it arrives or is dropped.
    ///
    /// Raises InputError for an instant that has passed, for a datagram that is empty or larger than the MTU, and for
    /// other arguments that cannot be used; RunError when the simulation has failed or the network has ended.
    #[pyo3(signature = (endpoint, data, *, at=None, ecn=None, dscp=None, key=None, tag=None, ip=false))]
    #[allow(clippy::too_many_arguments)] // as keywords
    fn send(
        slf: &Bound<'_, Self>,
        endpoint: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
        ecn: Option<&Bound<'_, PyAny>>,
        dscp: Option<&Bound<'_, PyAny>>,
        key: Option<&Bound<'_, PyAny>>,
        tag: Option<&Bound<'_, PyAny>>,
        ip: bool,
    ) -> PyResult<()> {
        let py = slf.py();
        let mut state = slf.get().lock(py)?;
        let endpoint = slf.get().known(endpoint, "send")?;
        let State { stage, kept, .. } = &mut *state;
        let network = stage.running(slf)?;
        let headers = Headers { ecn, dscp, key, tag, ip };
        let now = network.now();
        let place = &Place { endpoint, call: "send", now };
        let given = match data.cast::<PyDatagram>() {
            Ok(datagram) if headers.is_empty() => datagram.get().clone_ref(py),
            Ok(_) => {
                let expected = "bytes or a size, where ecn, dscp, key, tag or ip is given";
                return Err(wrong_type(&format_args!("{place}, data"), data, expected));
            }
            Err(_) => PyDatagram::of(place, data, &headers)?,
        };
        let at = at.map_or(Ok(now), |at| arguments::instant(&format_args!("{place}, at"), at, now))?;
        let datagram = kept.keep(py, given).map_err(|reason| run_error(py, &reason))?;
        let tag = datagram.tag();
        network.send(endpoint.id, at, datagram).map_err(|fault| {
            kept.take_back(tag);
            error_of(py, fault, || label(slf))
        })
    }

    /// Asks for a :class:`Wake` of an endpoint at an instant, in place of the one that was asked for before; with
    /// None there is none. For an instant that has passed it comes at once, or, if the endpoint has been woken just
    /// now, a nanosecond later. ``event.at`` is not before the number that was given.
    ///
    /// Raises InputError for what is no time, and RunError if an endpoint asks for one and the same instant for ever.
    #[pyo3(signature = (endpoint, at))]
    fn wake(
        slf: &Bound<'_, Self>,
        endpoint: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let py = slf.py();
        let mut state = slf.get().lock(py)?;
        let endpoint = slf.get().known(endpoint, "wake")?;
        let network = state.stage.running(slf)?;
        let now = network.now();
        let asked = match at {
            None => network.cancel_wake(endpoint.id),
            Some(at) => {
                let place = &Place { endpoint, call: "wake", now };
                let at = arguments::not_before(&format_args!("{place}, at"), at, now)?;
                network.wake(endpoint.id, at)
            }
        };
        asked.map_err(|fault| error_of(py, fault, || label(slf)))
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(slf: &Bound<'_, Self>) -> PyResult<Option<Py<PyAny>>> {
        Self::event_before(slf, Time::NEVER)
    }

    /// The next event before an instant; none if there is none.
    fn _next_before(slf: &Bound<'_, Self>, limit: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
        let limit = arguments::instant(&"until", limit, Time::ZERO)?;
        Self::event_before(slf, limit)
    }

    /// The simulated time, in seconds.
    #[getter]
    fn now(&self, py: Python<'_>) -> PyResult<f64> {
        self.time(py).map(Time::secs)
    }

    /// The simulated time, in picoseconds, without rounding.
    #[getter]
    fn now_ps(&self, py: Python<'_>) -> PyResult<u64> {
        self.time(py).map(Time::ps)
    }

    /// All that endpoints sent and received so far.
    fn _trace(&self, py: Python<'_>) -> PyResult<Option<PyTrace>> {
        let state = self.lock(py)?;
        let trace = match &state.stage {
            Stage::Built(_) => None,
            Stage::Running(network) => network.trace(),
            Stage::Over { trace, .. } => trace.as_ref(),
        };
        let endpoints = || state.endpoints.iter().map(|endpoint| endpoint.clone_ref(py)).collect();
        Ok(trace.map(|trace| PyTrace { trace: trace.clone(), endpoints: endpoints() }))
    }

    /// Ends it here. Returns what a run returns.
    fn _finish(slf: &Bound<'_, Self>) -> PyResult<Py<PyDict>> {
        let py = slf.py();
        let mut state = slf.get().lock(py)?;
        let network = state.stage.running(slf)?;
        let over = Stage::Over { now: network.now(), trace: network.trace().cloned() };
        let Stage::Running(network) = std::mem::replace(&mut state.stage, over) else {
            return Err(run_error(py, OVER));
        };
        let recording =
            py.detach(|| network.finish()).map_err(|ended| run_ended(py, ended, || label(slf)))?;
        let names = Py::new(py, Names::from(recording.names()))?;
        to_python(py, recording, names)
    }
}

/// For a network that is used when nothing is left of it.
const OVER: &str = "the network has ended, and its recording was taken";

impl NetworkBase {
    /// The state, for a moment.
    fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                let text = "the network is at work: another thread, or a part of one's own within it, \
                            cannot use it meanwhile";
                Err(run_error(py, text))
            }
        }
    }

    /// An endpoint of this network.
    fn known<'a>(&self, given: &'a Bound<'_, PyAny>, call: &str) -> PyResult<&'a Endpoint> {
        let endpoint = given.cast::<Endpoint>().ok().map(Bound::get);
        let own = endpoint.filter(|endpoint| endpoint.network == self.number);
        own.ok_or_else(|| {
            wrong_type(
                &format_args!("{call}, endpoint"),
                given,
                "an endpoint that this network's attach or replace returned",
            )
        })
    }

    fn time(&self, py: Python<'_>) -> PyResult<Time> {
        Ok(match &self.lock(py)?.stage {
            Stage::Built(_) => Time::ZERO,
            Stage::Running(network) => network.now(),
            Stage::Over { now, .. } => *now,
        })
    }

    fn add_pair(
        slf: &Bound<'_, Self>,
        (call, flow): (&str, &str),
        tcp: bool,
        path_mtu: Option<u16>,
        make: impl FnOnce(&mut Builder) -> Result<[EndpointId; 2], NetworkError>,
    ) -> PyResult<(Py<Endpoint>, Py<Endpoint>)> {
        let (py, number) = (slf.py(), slf.get().number);
        let mut state = slf.get().lock(py)?;
        let Stage::Built(builder) = &mut state.stage else {
            return Err(run_error(py, &format!("{call}: the network is in operation, expected it before")));
        };
        let ids = make(builder).map_err(|fault| error_of(py, fault, || label(slf)))?;
        builder.set_protocol(ids[0], if tcp { Protocol::Tcp } else { Protocol::Udp });
        if let Some(bytes) = path_mtu {
            builder.set_path_mtu(ids[0], bytes);
        }
        let taken = builder.scenario_mut().flows.iter().find(|other| other.name == flow);
        let hosts =
            taken.map_or([flow, flow], |flow| [&flow.source, &flow.destination].map(|host| &host[..]));
        let made = |index: usize| Py::new(py, Endpoint::new(number, ids[index], flow, hosts[index]));
        let (first, second) = (made(0)?, made(1)?);
        state.endpoints.extend([first.clone_ref(py), second.clone_ref(py)]);
        Ok((first, second))
    }

    /// Goes on to the next event before an instant. Where that takes long, other threads go on meanwhile, and signals are
    /// looked for.
    fn event_before(slf: &Bound<'_, Self>, limit: Time) -> PyResult<Option<Py<PyAny>>> {
        let py = slf.py();
        let mut state = slf.get().lock(py)?;
        let State { stage, endpoints, kept } = &mut *state;
        let network = stage.running(slf)?;
        signals::looked();
        // To let the GIL go and take it back would cost more than most events, and another thread may keep it for long.
        let mut polled = network.poll_before(limit);
        while let Ok(Poll::Pending) = polled {
            py.check_signals()?;
            signals::looked();
            polled = py.detach(|| poll_for(network, limit));
        }
        match polled {
            Ok(Poll::Ready(Some(event))) => to_event(py, event, endpoints, kept),
            Ok(_) => Ok(None),
            Err(fault) => Err(signals::raised().unwrap_or_else(|| error_of(py, fault, || label(slf)))),
        }
    }
}

/// Polls until there is an event, or for some milliseconds.
fn poll_for(network: &mut Network, limit: Time) -> Result<Poll<Option<Event>>, NetworkError> {
    let began = Instant::now();
    loop {
        let polled = network.poll_before(limit)?;
        if polled.is_ready() || began.elapsed() >= LOOKING {
            return Ok(polled);
        }
    }
}

impl Stage {
    /// The network in operation, which it is from now on.
    fn running(&mut self, of: &Bound<'_, NetworkBase>) -> PyResult<&mut Network> {
        if let Stage::Built(_) = self {
            self.start(of)?;
        }
        match self {
            Stage::Running(network) => Ok(network),
            Stage::Built(_) | Stage::Over { .. } => Err(run_error(of.py(), OVER)),
        }
    }

    #[cold]
    fn start(&mut self, of: &Bound<'_, NetworkBase>) -> PyResult<()> {
        let py = of.py();
        let over = Stage::Over { now: Time::ZERO, trace: None };
        if let Stage::Built(builder) = std::mem::replace(self, over) {
            let built = py.detach(|| builder.build());
            *self = Stage::Running(Box::new(built.map_err(|fault| error_of(py, fault, || label(of)))?));
        }
        Ok(())
    }
}

/// Scenario and seed of a network, for a line about its run.
fn label(of: &Bound<'_, NetworkBase>) -> PyResult<String> {
    of.getattr("_label")?.extract()
}

/// Where and when a call was made, for a line about it.
struct Place<'a> {
    endpoint: &'a Endpoint,
    call: &'static str,
    now: Time,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "endpoint {}, {} at {} s", self.endpoint.name(), self.call, self.now.secs())
    }
}

fn to_event(
    py: Python<'_>,
    event: Event,
    endpoints: &[Py<Endpoint>],
    kept: &mut Kept,
) -> PyResult<Option<Py<PyAny>>> {
    let own = |id: EndpointId| endpoints[id.number() as usize].clone_ref(py);
    let lost = || run_error(py, "the network returned a datagram that nobody had sent");
    let event = match event {
        Event::Arrival(Arrival { endpoint, at, sent_at, datagram }) => {
            let content = kept.returned(py, datagram).ok_or_else(lost)?;
            Py::new(py, PyArrival { endpoint: own(endpoint), at, sent_at, content })?.into_any()
        }
        Event::Dropped(Dropped { endpoint, at, sent_at, cause: why, datagram }) => {
            let content = kept.returned(py, datagram).ok_or_else(lost)?;
            Py::new(py, PyDropped { endpoint: own(endpoint), at, sent_at, why, content })?.into_any()
        }
        Event::Wake { endpoint, at } => Py::new(py, PyWake { endpoint: own(endpoint), at })?.into_any(),
        Event::End => return Ok(None),
    };
    Ok(Some(event))
}
