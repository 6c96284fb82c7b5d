//! A network in operation: datagrams in, events out.

use std::ffi::c_void;
use std::slice;

use parshall_sim::net::{Content, Datagram as Sent, DropCause, Ecn, EndpointId, Event as Happened};
use parshall_sim::units::Time;

use crate::border::{check_place, enter, write, Fault, Net, State};
use crate::layout::*;

/// Sends a datagram from an endpoint to the other one of its pair. It leaves at an instant, in picoseconds, or at once for PARSHALL_NOW.
/// Datagrams of one instant leave in the order of the calls. The bytes are copied.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_send(
    net: *mut Net,
    endpoint: u32,
    at: u64,
    datagram: *const Datagram,
) -> i32 {
    let work = |net: &mut Net| {
        // SAFETY: the caller says that the pointer is null or valid.
        let Some(datagram) = (unsafe { datagram.as_ref() }) else {
            return Err(Fault::argument("datagram: got NULL, expected a datagram"));
        };
        let network = net.running()?;
        // SAFETY: the caller says that the bytes are valid for their length.
        let datagram = unsafe { datagram.read() }?;
        let at = if at == PARSHALL_NOW { network.now() } else { Time::from_ps(at) };
        network.send(EndpointId::from_number(endpoint), at, datagram)?;
        Ok(PARSHALL_OK)
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_send", work) }
}

/// Asks for PARSHALL_WAKE at an instant, in picoseconds, in place of the one that was asked for before. For an instant that has passed it
/// comes at once, or, if the endpoint has been woken just now, a nanosecond later. PARSHALL_NEVER asks for none.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_wake(net: *mut Net, endpoint: u32, at: u64) -> i32 {
    let work = |net: &mut Net| {
        net.running()?.wake(EndpointId::from_number(endpoint), Time::from_ps(at))?;
        Ok(PARSHALL_OK)
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_wake", work) }
}

/// Takes back what was asked for by parshall_net_wake.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_cancel_wake(net: *mut Net, endpoint: u32) -> i32 {
    let work = |net: &mut Net| {
        net.running()?.cancel_wake(EndpointId::from_number(endpoint))?;
        Ok(PARSHALL_OK)
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_cancel_wake", work) }
}

/// Goes on to the next event, writes it, and returns its kind: PARSHALL_END, which is 0 and comes again when asked again, or a positive
/// one. After an error, which is negative, nothing has been written.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_next(net: *mut Net, event: *mut Event) -> i32 {
    let work = |net: &mut Net| {
        check_place("event", event)?;
        let happened = net.running()?.next()?;
        // SAFETY: the caller says that the place is null or valid.
        unsafe { net.tell(happened, event) }
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_next", work) }
}

/// Goes on to the next event before an instant, in picoseconds, and otherwise does as parshall_net_next. Returns PARSHALL_END if there
/// is none; then it is that instant, and what happens at it has not happened.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_next_before(net: *mut Net, limit: u64, event: *mut Event) -> i32 {
    let work = |net: &mut Net| {
        check_place("event", event)?;
        let happened = net.running()?.next_before(Time::from_ps(limit))?;
        // SAFETY: the caller says that the place is null or valid.
        unsafe { net.tell(happened.unwrap_or(Happened::End), event) }
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_next_before", work) }
}

/// Returns the earliest instant at which anything can happen, in the network or at an endpoint, in picoseconds; PARSHALL_NEVER if nothing
/// will, or after an error.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_next_at(net: *mut Net) -> u64 {
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_next_at", |net| Ok(net.running()?.next_at().ps())) }
}

/// Returns the simulated time, in picoseconds; PARSHALL_NEVER after an error.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_now(net: *mut Net) -> u64 {
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_now", |net| Ok(net.running()?.now().ps())) }
}

/// Returns the end of the scenario, in picoseconds; PARSHALL_NEVER after an error.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_end(net: *mut Net) -> u64 {
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_end", |net| Ok(net.running()?.end().ps())) }
}

/// Writes a hash of all that endpoints have sent and received: times, sizes, endpoints, ECN bits. Equal runs have equal ones. The network
/// is one with parshall_net_set_traced, in operation or finished.
#[no_mangle]
pub unsafe extern "C" fn parshall_net_trace_digest(net: *mut Net, digest: *mut u64) -> i32 {
    let work = |net: &mut Net| {
        let found = match &net.state {
            State::Running(network) => network.trace().map(|trace| trace.digest()),
            State::Finished(finished) => finished.trace_digest,
            other => return Err(other.unlike("one in operation or finished")),
        };
        let untraced = "got a network without a trace, expected one with parshall_net_set_traced";
        let found = found.ok_or_else(|| Fault { code: PARSHALL_ERROR_STATE, text: untraced.into() })?;
        // SAFETY: the caller says that the place is null or valid.
        unsafe { write("digest", digest, found) }?;
        Ok(PARSHALL_OK)
    };
    // SAFETY: as the caller says of the network.
    unsafe { enter(net, "parshall_net_trace_digest", work) }
}

impl Net {
    /// Writes an event, keeps its datagram, and returns its kind.
    ///
    /// # Safety
    /// The place is null or valid.
    unsafe fn tell(&mut self, happened: Happened, place: *mut Event) -> Result<i32, Fault> {
        let mut event = Event {
            kind: PARSHALL_END,
            endpoint: 0,
            at: 0,
            sent_at: 0,
            cause: 0,
            reserved: 0,
            datagram: Datagram::NONE,
        };
        self.held = None;
        match happened {
            Happened::Arrival(it) => {
                (event.kind, event.endpoint) = (PARSHALL_ARRIVAL, it.endpoint.number());
                (event.at, event.sent_at) = (it.at.ps(), it.sent_at.ps());
                event.datagram = Datagram::of(self.held.insert(it.datagram));
            }
            Happened::Dropped(it) => {
                (event.kind, event.endpoint) = (PARSHALL_DROPPED, it.endpoint.number());
                (event.at, event.sent_at, event.cause) = (it.at.ps(), it.sent_at.ps(), cause(it.cause));
                event.datagram = Datagram::of(self.held.insert(it.datagram));
            }
            Happened::Wake { endpoint, at } => {
                (event.kind, event.endpoint, event.at) = (PARSHALL_WAKE, endpoint.number(), at.ps());
            }
            Happened::End => event.at = self.running()?.now().ps(),
        }
        // SAFETY: as the caller says of the place.
        unsafe { write("event", place, event) }?;
        Ok(event.kind)
    }
}

impl Datagram {
    /// The datagram as C sees it. Its bytes are those of `datagram`.
    fn of(datagram: &Sent) -> Self {
        let (content, bytes) = match datagram.content() {
            Content::Udp(bytes) => (PARSHALL_UDP, bytes.as_slice()),
            Content::Ip(bytes) => (PARSHALL_IP, bytes.as_slice()),
            _ => return Datagram { content: PARSHALL_SIZE, ..Datagram::described(datagram) },
        };
        let address = bytes.as_ptr().cast::<c_void>();
        Datagram { bytes: address, length: bytes.len(), content, ..Datagram::described(datagram) }
    }

    /// All but the content.
    fn described(datagram: &Sent) -> Self {
        Datagram {
            key: datagram.key().unwrap_or(0),
            tag: datagram.tag(),
            wire_bytes: datagram.wire_bytes(),
            payload_bytes: datagram.payload_bytes(),
            ecn: datagram.ecn().bits(),
            dscp: datagram.dscp(),
            ..Datagram::NONE
        }
    }

    /// The datagram as the engine takes it.
    ///
    /// # Safety
    /// The bytes are null or valid for their length.
    unsafe fn read(&self) -> Result<Sent, Fault> {
        // SAFETY: as the caller says of the bytes.
        let bytes = unsafe { self.copied() };
        let mut datagram = match self.content {
            PARSHALL_UDP => self.with_header_fields(Sent::udp(bytes?))?,
            PARSHALL_IP => {
                Sent::ip(bytes?).map_err(|fault| Fault::argument(format!("datagram: got {fault}")))?
            }
            PARSHALL_SIZE if self.length == 0 && self.bytes.is_null() => {
                self.with_header_fields(Sent::sized(self.wire_bytes))?
            }
            PARSHALL_SIZE => {
                let fault = format!("datagram: got {} bytes, expected none with PARSHALL_SIZE", self.length);
                return Err(Fault::argument(fault));
            }
            other => return Err(Fault::argument(format!("content: got {other}, expected 0, 1 or 2"))),
        };
        if self.wire_bytes > 0 {
            datagram = datagram.with_wire_bytes(self.wire_bytes);
        }
        if self.payload_bytes > 0 {
            datagram = datagram.with_payload_bytes(self.payload_bytes);
        }
        Ok(datagram.with_tag(self.tag))
    }

    /// Adds the fields that an IP packet has in its header.
    fn with_header_fields(&self, datagram: Sent) -> Result<Sent, Fault> {
        for (name, value, most) in [("ecn", self.ecn, PARSHALL_CE), ("dscp", self.dscp, 63)] {
            if value > most {
                return Err(Fault::argument(format!("{name}: got {value}, expected 0 to {most}")));
            }
        }
        let datagram = datagram.with_ecn(Ecn::from_bits(self.ecn)).with_dscp(self.dscp);
        Ok(if self.key == 0 { datagram } else { datagram.with_key(self.key) })
    }

    /// A copy of the bytes.
    ///
    /// # Safety
    /// They are null or valid for their length.
    unsafe fn copied(&self) -> Result<Vec<u8>, Fault> {
        match (self.bytes.is_null(), self.length) {
            (_, 0) => Ok(Vec::new()),
            (true, length) => Err(Fault::argument(format!("bytes: got NULL, expected {length} bytes"))),
            (false, length) if length > usize::from(u16::MAX) => {
                Err(Fault::argument(format!("length: got {length}, expected 65535 or less")))
            }
            // SAFETY: they are not null, and the caller says that they are valid for their length.
            (false, length) => Ok(unsafe { slice::from_raw_parts(self.bytes.cast::<u8>(), length) }.to_vec()),
        }
    }
}

fn cause(cause: DropCause) -> i32 {
    match cause {
        DropCause::Queue => PARSHALL_BY_QUEUE,
        DropCause::Early => PARSHALL_BY_EARLY_DROP,
        DropCause::Conditioner => PARSHALL_BY_CONDITIONER,
        DropCause::Link => PARSHALL_BY_LINK,
        DropCause::PathMtu => PARSHALL_BY_PATH_MTU,
        _ => PARSHALL_BY_OTHER,
    }
}
