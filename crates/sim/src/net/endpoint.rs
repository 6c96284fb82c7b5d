//! A transport as the network's loop drives it.

use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};

use super::{EndpointFailure, EndpointId, Event, Network, NetworkError};
use crate::outside::Datagram;
use crate::units::Time;

/// Most datagrams that an endpoint may send at one instant.
const MOST_AT_ONCE: usize = 1 << 20;

/// A transport without sockets and without a clock.
///
/// ```
/// use parshall_sim::net::{Builder, Datagram, Endpoint};
/// use parshall_sim::scenario::{Link, Scenario};
/// use parshall_sim::units::{Rate, Time};
///
/// /// Sends a datagram every millisecond.
/// #[derive(Default)]
/// struct Ticker {
///     next: Time,
///     received: usize,
/// }
///
/// impl Endpoint for Ticker {
///     fn receive(&mut self, _: Time, _: Datagram) {
///         self.received += 1;
///     }
///     fn expire(&mut self, _: Time) {}
///     fn transmit(&mut self, now: Time) -> Option<Datagram> {
///         (now >= self.next).then(|| {
///             self.next = self.next + Time::ms(1.0);
///             Datagram::sized(100)
///         })
///     }
///     fn timer(&mut self) -> Option<Time> {
///         Some(self.next)
///     }
/// }
///
/// let link = Link::new(("a", "b"), Rate::mbit(10.0), Time::ms(5.0));
/// let mut builder = Builder::new(Scenario::new(Time::from_secs(1.0), [link], []));
/// let [a, b] = builder.attach("ticks", "a", "b")?;
/// let (mut sender, mut receiver) = (Ticker::default(), Ticker { next: Time::NEVER, received: 0 });
/// builder.build()?.run(&mut [(a, &mut sender), (b, &mut receiver)])?;
/// assert_eq!(receiver.received, 995);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Endpoint {
    /// A datagram arrives.
    fn receive(&mut self, now: Time, datagram: Datagram);

    /// The timer expires; see [`Endpoint::timer`].
    fn expire(&mut self, now: Time);

    /// The next datagram to send at this instant. It is asked at the start, and after each of the other calls, until it
    /// returns `None`.
    fn transmit(&mut self, now: Time) -> Option<Datagram>;

    /// The instant at which [`Endpoint::expire`] is to be called next, asked after [`Endpoint::transmit`]. One that has
    /// passed means as soon as possible.
    fn timer(&mut self) -> Option<Time>;

    /// True once the endpoint has no more to do. A run ends when all endpoints say so.
    fn is_done(&self) -> bool {
        false
    }

    /// The reason why the endpoint cannot go on, such as a connection that was lost. It is asked after each of the calls in
    /// which something happens to the endpoint, and ends the run with an error that names the endpoint and the time.
    fn failure(&self) -> Option<String> {
        None
    }
}

impl Network {
    /// Drives these endpoints until all are done, or to the end of the scenario. Endpoints that are not among them are
    /// silent, and what reaches them is discarded.
    ///
    /// # Errors
    /// As [`Network::next`], and if an endpoint panics, does not stop sending at one instant, or asks for one and the same
    /// timer for ever. The recording up to then can still be had by [`Network::finish`].
    pub fn run(&mut self, endpoints: &mut [(EndpointId, &mut dyn Endpoint)]) -> Result<(), NetworkError> {
        self.run_until(Time::NEVER, endpoints)
    }

    /// Drives these endpoints as [`Network::run`] does, but no further than to an instant. What happens at the instant itself
    /// has not happened then, and the run can go on from there.
    ///
    /// # Errors
    /// As [`Network::run`].
    pub fn run_until(
        &mut self,
        limit: Time,
        endpoints: &mut [(EndpointId, &mut dyn Endpoint)],
    ) -> Result<(), NetworkError> {
        for (id, endpoint) in endpoints.iter_mut() {
            self.serve(*id, *endpoint)?;
        }
        while !endpoints.iter().all(|(_, endpoint)| endpoint.is_done()) || endpoints.is_empty() {
            let Some(event) = self.next_before(limit)? else { break };
            let (id, at, datagram) = match event {
                Event::Arrival(arrival) => (arrival.endpoint, arrival.at, Some(arrival.datagram)),
                Event::Wake { endpoint, at } => (endpoint, at, None),
                Event::Dropped(_) => continue,
                Event::End => break,
            };
            let Some((_, endpoint)) = endpoints.iter_mut().find(|(own, _)| *own == id) else { continue };
            let (call, ()) = match datagram {
                Some(datagram) => {
                    ("receive", self.call(id, at, "receive", || endpoint.receive(at, datagram))?)
                }
                None => ("expire", self.call(id, at, "expire", || endpoint.expire(at))?),
            };
            self.check_failure(id, call, *endpoint)?;
            self.serve(id, *endpoint)?;
        }
        Ok(())
    }

    /// Sends what an endpoint has to send, and looks after its timer.
    fn serve(&mut self, id: EndpointId, endpoint: &mut dyn Endpoint) -> Result<(), NetworkError> {
        let now = self.now();
        let mut sent = 0;
        while let Some(datagram) = self.call(id, now, "transmit", || endpoint.transmit(now))? {
            self.send(id, now, datagram)?;
            sent += 1;
            if sent > MOST_AT_ONCE {
                let fault = format!("datagram {sent} of one instant, expected at most {MOST_AT_ONCE}");
                return Err(self.failure(id, now, "transmit", fault));
            }
        }
        self.check_failure(id, "transmit", endpoint)?;
        match self.call(id, now, "timer", || endpoint.timer())? {
            Some(at) => self.wake(id, at),
            None => self.cancel_wake(id),
        }
    }

    /// Ends the run if the endpoint cannot go on after a call.
    fn check_failure(
        &mut self,
        id: EndpointId,
        call: &'static str,
        endpoint: &dyn Endpoint,
    ) -> Result<(), NetworkError> {
        let now = self.now();
        match self.call(id, now, "failure", || endpoint.failure())? {
            Some(fault) => Err(self.failure(id, now, call, fault)),
            None => Ok(()),
        }
    }

    /// Calls an endpoint, whose panic becomes an error.
    fn call<T>(
        &mut self,
        id: EndpointId,
        at: Time,
        call: &'static str,
        work: impl FnOnce() -> T,
    ) -> Result<T, NetworkError> {
        catch_unwind(AssertUnwindSafe(work))
            .map_err(|panic| self.failure(id, at, call, format!("panicked: {}", message(&*panic))))
    }

    pub(super) fn failure(
        &self,
        id: EndpointId,
        at: Time,
        call: &'static str,
        fault: String,
    ) -> NetworkError {
        EndpointFailure { endpoint: self.endpoint_name(id), at, call, fault }.into()
    }
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}
