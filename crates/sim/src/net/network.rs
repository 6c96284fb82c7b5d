//! A network in operation: datagrams in, events out.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;
use std::task::Poll;

use super::builder::{EndpointId, Pair};
use super::timers::Timers;
use super::{NetworkError, Trace, TraceEntry, TraceEvent};
use crate::compile::Plan;
use crate::control::user::Code;
use crate::engine::Simulation;
use crate::expect::Expected;
use crate::names::Names;
use crate::outside::{Datagram, DropCause, Ecn, Fate};
use crate::random::mix;
use crate::record::Recording;
use crate::run::{guarded, RunError};
use crate::units::Time;

/// The shortest time after which an endpoint is woken again.
const TICK: Time = Time::from_ps(1000);

/// Times that an endpoint may be woken in a row, each a tick after the last and without a datagram sent or received.
const MOST_IDLE_WAKES: u32 = 10_000;

/// A network in operation; see the [module](super).
#[derive(Debug)]
pub struct Network {
    engine: Simulation,
    names: Names,
    makers: Vec<Arc<dyn Code>>,
    mtu: u32,
    pairs: Vec<Pair>,
    /// By flow of the engine, the pair of endpoints that it carries.
    pair_of: Vec<u32>,
    endpoints: Vec<State>,
    timers: Timers,
    /// Datagrams that leave later.
    later: BinaryHeap<Later>,
    numbered: u64,
    events: VecDeque<Event>,
    trace: Option<Trace>,
    now: Time,
    end: Time,
    failed: bool,
}

/// State of an endpoint.
#[derive(Clone, Copy, Debug)]
struct State {
    /// When it was woken last.
    woken_at: Option<Time>,
    idle_wakes: u32,
}

/// Something that concerns the endpoints.
#[derive(Clone, Debug)]
#[must_use]
pub enum Event {
    /// A datagram has arrived.
    Arrival(Arrival),
    /// A datagram went no further. A real endpoint would not be told.
    Dropped(Dropped),
    /// The time that was asked for by [`Network::wake`] has come.
    Wake {
        /// The endpoint that asked.
        endpoint: EndpointId,
        /// Now.
        at: Time,
    },
    /// The end of the scenario.
    End,
}

/// A datagram that has arrived.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// Where.
    pub endpoint: EndpointId,
    /// Now.
    pub at: Time,
    /// When it was sent.
    pub sent_at: Time,
    /// The datagram, with the ECN code point and the code point of differentiated services with which it arrives.
    pub datagram: Datagram,
}

/// A datagram that went no further.
#[derive(Clone, Debug)]
pub struct Dropped {
    /// The endpoint that had sent it.
    pub endpoint: EndpointId,
    /// When it was dropped.
    pub at: Time,
    /// When it was sent.
    pub sent_at: Time,
    /// Where.
    pub cause: DropCause,
    /// The datagram as it was sent.
    pub datagram: Datagram,
}

/// A datagram that leaves later.
#[derive(Debug)]
struct Later {
    at: Time,
    number: u64,
    endpoint: EndpointId,
    datagram: Datagram,
}

impl Network {
    pub(super) fn new(
        plan: Plan,
        seed: u64,
        pairs: Vec<Pair>,
        mtu: u32,
        traced: bool,
    ) -> Result<Self, NetworkError> {
        Expected::of(&plan).out_of_reach().map_or(Ok(()), Err).map_err(RunError::from)?;
        let mut pair_of = vec![u32::MAX; plan.flows.len()];
        for (number, pair) in (0..).zip(&pairs) {
            pair.lanes.iter().for_each(|&lane| pair_of[lane as usize] = number);
        }
        let makers = plan.makers.clone();
        let engine = guarded(&makers, || Simulation::new(&plan, seed).with_pauses())?;
        let rest = State { woken_at: None, idle_wakes: 0 };
        Ok(Network {
            engine,
            names: plan.names,
            makers,
            mtu,
            timers: Timers::new(2 * pairs.len()),
            endpoints: vec![rest; 2 * pairs.len()],
            pairs,
            pair_of,
            later: BinaryHeap::new(),
            numbered: 0,
            events: VecDeque::new(),
            trace: traced.then(Trace::default),
            now: Time::ZERO,
            end: plan.duration,
            failed: false,
        })
    }

    /// The simulated time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The end of the scenario, at which nothing happens any more.
    pub fn end(&self) -> Time {
        self.end
    }

    /// The endpoints of the flow of this name, that at its source first.
    pub fn endpoints(&self, flow: &str) -> Option<[EndpointId; 2]> {
        let pair = self.pairs.iter().position(|pair| pair.name == flow)?;
        Some([false, true].map(|back| EndpointId::of(pair, back)))
    }

    /// The name of an endpoint in messages: `FLOW at HOST`.
    pub fn endpoint_name(&self, endpoint: EndpointId) -> String {
        match self.pairs.get(endpoint.pair()) {
            Some(pair) => format!("{} at {}", pair.name, pair.hosts[usize::from(endpoint.sends_back())]),
            None => format!("number {}", endpoint.number()),
        }
    }

    /// The datagrams that endpoints have sent and received so far; `None` unless [`Builder::traced`](super::Builder::traced) asked for it.
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// Sends a datagram from an endpoint to the other one of its pair. It leaves at `at`, which may be later than now.
    ///
    /// # Errors
    /// If `at` has passed, the datagram is larger than the MTU, the endpoint is unknown, or the simulation has failed.
    pub fn send(&mut self, from: EndpointId, at: Time, datagram: Datagram) -> Result<(), NetworkError> {
        self.check_known(from, at, "send")?;
        if at < self.now {
            let fault = format!("an instant that has passed, expected {} s or later", self.now.secs());
            return Err(self.failure(from, at, "send", fault));
        }
        let bytes = datagram.wire_bytes();
        if bytes == 0 || bytes > self.mtu {
            let fault = format!("{bytes} bytes, expected 1 to {}, the MTU", self.mtu);
            return Err(self.failure(from, at, "send", fault));
        }
        self.endpoints[from.number() as usize].idle_wakes = 0;
        if at > self.now {
            self.numbered += 1;
            self.later.push(Later { at, number: self.numbered, endpoint: from, datagram });
            return Ok(());
        }
        self.inject(from, datagram)
    }

    /// Asks for an [`Event::Wake`] at an instant, in place of the one that was asked for before. For an instant that has
    /// passed it comes at once, or, if the endpoint has been woken just now, a nanosecond later.
    ///
    /// # Errors
    /// If the endpoint is unknown, or asks for one and the same instant for ever: 10,000 times in a row, with nothing sent or
    /// received.
    pub fn wake(&mut self, endpoint: EndpointId, at: Time) -> Result<(), NetworkError> {
        self.check_known(endpoint, at, "wake")?;
        let now = self.now;
        let state = &mut self.endpoints[endpoint.number() as usize];
        let again = state.woken_at == Some(now) && at < now + TICK;
        state.idle_wakes = if again { state.idle_wakes + 1 } else { 0 };
        if state.idle_wakes > MOST_IDLE_WAKES {
            let fault = format!("asked for {} s again and again, expected a later timer", at.secs());
            return Err(self.failure(endpoint, now, "timer", fault));
        }
        let at = if again { now + TICK } else { at.max(now) };
        self.timers.set(endpoint, at);
        Ok(())
    }

    /// Takes back what was asked for by [`Network::wake`].
    ///
    /// # Errors
    /// If the endpoint is unknown.
    pub fn cancel_wake(&mut self, endpoint: EndpointId) -> Result<(), NetworkError> {
        self.check_known(endpoint, self.now, "wake")?;
        self.timers.set(endpoint, Time::NEVER);
        Ok(())
    }

    /// Goes on to the next event, and returns it. [`Event::End`] is returned again when asked again.
    ///
    /// # Errors
    /// If the simulation ends before its end. The recording up to then can still be had.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Event, NetworkError> {
        Ok(self.next_before(self.end)?.unwrap_or(Event::End))
    }

    /// Goes on to the next event before an instant, and returns it; `None` if there is none, and then it is that instant.
    /// What happens at the instant itself has not happened. The end of the scenario is no event here.
    ///
    /// # Errors
    /// As [`Network::next`].
    pub fn next_before(&mut self, limit: Time) -> Result<Option<Event>, NetworkError> {
        loop {
            if let Poll::Ready(event) = self.poll_before(limit)? {
                return Ok(event);
            }
        }
    }

    /// Goes on as [`Network::next_before`] does, but for some thousand events of the engine at most: pending then, and it is to
    /// be called again. In between a caller can look at the clock, or at signals.
    ///
    /// # Errors
    /// As [`Network::next`].
    pub fn poll_before(&mut self, limit: Time) -> Result<Poll<Option<Event>>, NetworkError> {
        let limit = limit.min(self.end);
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(Poll::Ready(Some(event)));
            }
            let leaves = self.later.peek().map_or(Time::NEVER, |later| later.at);
            let wakes = self.timers.first_at();
            let until = leaves.min(wakes).min(limit);
            self.advance(until)?;
            if !self.events.is_empty() {
                continue;
            }
            if self.engine.next_at() < until {
                self.now = self.now.max(self.engine.now());
                return Ok(Poll::Pending);
            }
            self.now = self.now.max(until);
            if until >= limit {
                return Ok(Poll::Ready(None));
            }
            if leaves == until {
                if let Some(Later { endpoint, datagram, .. }) = self.later.pop() {
                    self.inject(endpoint, datagram)?;
                }
            } else if let Some((at, endpoint)) = self.timers.take_first() {
                self.endpoints[endpoint.number() as usize].woken_at = Some(at);
                return Ok(Poll::Ready(Some(Event::Wake { endpoint, at })));
            }
        }
    }

    /// The earliest instant at which anything can happen, in the network or at an endpoint; [`Time::NEVER`] if nothing will.
    pub fn next_at(&mut self) -> Time {
        if !self.events.is_empty() {
            return self.now;
        }
        let leaves = self.later.peek().map_or(Time::NEVER, |later| later.at);
        let wakes = self.timers.first_at();
        leaves.min(wakes).min(self.engine.next_at()).max(self.now)
    }

    /// The recording of what happened before now; of the whole scenario if it has come to its end.
    ///
    /// # Errors
    /// If memory runs low.
    pub fn finish(mut self) -> Result<Recording, RunError> {
        if self.now < self.end {
            self.engine.end_at(self.now);
        }
        let Network { engine, names, makers, .. } = self;
        guarded(&makers, || engine.finish(&names))
    }

    fn check_known(&self, endpoint: EndpointId, at: Time, call: &'static str) -> Result<(), NetworkError> {
        let (number, count) = (endpoint.number(), self.endpoints.len());
        if (number as usize) < count {
            return Ok(());
        }
        Err(self.failure(endpoint, at, call, format!("it is unknown, expected one of {count}")))
    }

    /// A datagram leaves its host now.
    fn inject(&mut self, from: EndpointId, datagram: Datagram) -> Result<(), NetworkError> {
        self.check_running()?;
        let (now, back) = (self.now, from.sends_back());
        self.note(from, (now, now), TraceEvent::Sent, &datagram);
        let pair = &self.pairs[from.pair()];
        let lane = match datagram.key() {
            Some(key) if pair.lanes.len() > 1 => mix(key) % pair.lanes.len() as u64,
            _ => 0,
        };
        let flow = pair.lanes[lane as usize];
        let bleaches = pair.bleaches[usize::from(back)] && datagram.ecn() != Ecn::NotEct;
        let datagram = if bleaches { datagram.with_ecn(Ecn::NotEct) } else { datagram };
        let fits = datagram.wire_bytes() <= pair.path_mtu;
        let engine = &mut self.engine;
        let sent = guarded(&self.makers, || match fits {
            true => engine.inject(flow, back, datagram, now),
            false => engine.inject_too_large(flow, back, datagram, now),
        });
        self.failed = sent.is_err();
        sent?;
        self.collect();
        Ok(())
    }

    /// Executes events before an instant, or less if one concerns an endpoint.
    fn advance(&mut self, until: Time) -> Result<(), NetworkError> {
        self.check_running()?;
        let engine = &mut self.engine;
        let advanced = guarded(&self.makers, || engine.advance(until));
        self.failed = advanced.is_err();
        advanced?;
        self.collect();
        Ok(())
    }

    fn check_running(&self) -> Result<(), RunError> {
        if self.failed {
            return Err(RunError::Engine("the simulation has failed before".into()));
        }
        Ok(())
    }

    /// Takes over what became of datagrams.
    fn collect(&mut self) {
        while let Some(fate) = self.engine.next_fate() {
            self.tell(fate);
        }
    }

    fn tell(&mut self, fate: Fate) {
        let Fate { flow, back, sent: sent_at, at, datagram, dropped } = fate;
        let pair = self.pair_of[flow as usize] as usize;
        let (from, to) = (EndpointId::of(pair, back), EndpointId::of(pair, !back));
        self.now = self.now.max(at);
        match dropped {
            Some(cause) => {
                self.note(from, (sent_at, at), TraceEvent::Dropped(cause), &datagram);
                self.events.push_back(Event::Dropped(Dropped {
                    endpoint: from,
                    at,
                    sent_at,
                    cause,
                    datagram,
                }));
            }
            None => {
                self.note(to, (sent_at, at), TraceEvent::Received, &datagram);
                self.endpoints[to.number() as usize].idle_wakes = 0;
                self.events.push_back(Event::Arrival(Arrival { endpoint: to, at, sent_at, datagram }));
            }
        }
    }

    /// Adds to the trace what happens to a datagram, which was sent at the first of the two instants, at the second one.
    fn note(
        &mut self,
        endpoint: EndpointId,
        (sent_at, at): (Time, Time),
        event: TraceEvent,
        datagram: &Datagram,
    ) {
        if let Some(trace) = &mut self.trace {
            let (wire_bytes, payload_bytes) = (datagram.wire_bytes(), datagram.payload_bytes());
            let ecn = datagram.ecn();
            trace.add(TraceEntry { at, endpoint, event, sent_at, wire_bytes, payload_bytes, ecn });
        }
    }
}

impl Ord for Later {
    /// The earliest is the greatest, as the heap wants it.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

impl PartialOrd for Later {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Later {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Later {}
