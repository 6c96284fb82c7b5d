//! Numbers and structs of the interface.

use std::ffi::c_void;
use std::ptr;

/// Version of this interface. It rises when a program has to be compiled again.
pub const PARSHALL_NET_VERSION: u32 = 1;

/// Picoseconds of a nanosecond. All instants are picoseconds since the start of the scenario.
pub const PARSHALL_NS: u64 = 1_000;
/// Picoseconds of a microsecond.
pub const PARSHALL_US: u64 = 1_000_000;
/// Picoseconds of a millisecond.
pub const PARSHALL_MS: u64 = 1_000_000_000;
/// Picoseconds of a second.
pub const PARSHALL_S: u64 = 1_000_000_000_000;
/// For parshall_net_send: at the present instant.
pub const PARSHALL_NOW: u64 = 0;
/// An instant that never comes.
pub const PARSHALL_NEVER: u64 = u64::MAX;

/// No error.
pub const PARSHALL_OK: i32 = 0;
/// An argument is NULL, not UTF-8, or out of its range.
pub const PARSHALL_ERROR_ARGUMENT: i32 = -1;
/// The call does not fit the state of the network: sent before it was built, for example, or after it was finished.
pub const PARSHALL_ERROR_STATE: i32 = -2;
/// The scenario cannot be read or cannot be run, or has no such host or flow.
pub const PARSHALL_ERROR_SCENARIO: i32 = -3;
/// An endpoint did what it may not do: sent more than the MTU or in the past, for example.
pub const PARSHALL_ERROR_ENDPOINT: i32 = -4;
/// The simulation ended before its end. What was recorded up to then can still be had.
pub const PARSHALL_ERROR_RUN: i32 = -5;
/// The recording has no such table, column, flow, port or capture.
pub const PARSHALL_ERROR_LOOKUP: i32 = -6;
/// A fault of this library.
pub const PARSHALL_ERROR_INTERNAL: i32 = -7;

/// Kind of an event: the end of the scenario. For parshall_net_next_before: no event before that instant.
pub const PARSHALL_END: i32 = 0;
/// Kind of an event: a datagram has arrived.
pub const PARSHALL_ARRIVAL: i32 = 1;
/// Kind of an event: the time that parshall_net_wake asked for has come.
pub const PARSHALL_WAKE: i32 = 2;
/// Kind of an event: a datagram went no further. A real endpoint would not be told.
pub const PARSHALL_DROPPED: i32 = 3;

/// Content of a datagram: the payload of UDP. 28 bytes of headers go with it.
pub const PARSHALL_UDP: u8 = 0;
/// Content of a datagram: a whole IPv4 or IPv6 packet.
pub const PARSHALL_IP: u8 = 1;
/// Content of a datagram: no bytes, nothing but a size.
pub const PARSHALL_SIZE: u8 = 2;

/// ECN: the transport does not use it.
pub const PARSHALL_NOT_ECT: u8 = 0;
/// ECN: ECT(1).
pub const PARSHALL_ECT1: u8 = 1;
/// ECN: ECT(0).
pub const PARSHALL_ECT0: u8 = 2;
/// ECN: congestion experienced.
pub const PARSHALL_CE: u8 = 3;

/// Cause of a drop: the queue of a port had no room, or its algorithm dropped the packet.
pub const PARSHALL_BY_QUEUE: i32 = 0;
/// Cause of a drop: the queue of a port dropped the packet at random before it was full.
pub const PARSHALL_BY_EARLY_DROP: i32 = 1;
/// Cause of a drop: the conditioner of a port discarded it.
pub const PARSHALL_BY_CONDITIONER: i32 = 2;
/// Cause of a drop: it was lost on a link.
pub const PARSHALL_BY_LINK: i32 = 3;
/// Cause of a drop: it was larger than the path MTU.
pub const PARSHALL_BY_PATH_MTU: i32 = 4;
/// Cause of a drop: another one.
pub const PARSHALL_BY_OTHER: i32 = 5;

/// Protocol of two endpoints: UDP.
pub const PARSHALL_AS_UDP: i32 = 0;
/// Protocol of two endpoints: TCP.
pub const PARSHALL_AS_TCP: i32 = 1;

/// Type of a column: double; NaN where there is no value.
pub const PARSHALL_F64: i32 = 0;
/// Type of a column: uint64_t.
pub const PARSHALL_U64: i32 = 1;
/// Type of a column: int64_t.
pub const PARSHALL_I64: i32 = 2;
/// Type of a column: int32_t.
pub const PARSHALL_I32: i32 = 3;
/// Type of a column: uint8_t.
pub const PARSHALL_U8: i32 = 4;
/// Type of a column: uint8_t, 0 or 1.
pub const PARSHALL_BOOL: i32 = 5;

/// A datagram. One whose bytes are all zero is an empty datagram of UDP, so that a designated initializer needs to name
/// only what is there. What an event has can be sent as it is.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Datagram {
    /// Payload or packet; NULL for PARSHALL_SIZE.
    pub bytes: *const c_void,
    /// Number of these bytes; 0 for PARSHALL_SIZE.
    pub length: usize,
    /// A number by which queues such as FQ-CoDel, and routers with equal paths, tell flows of two endpoints apart; 0 for none. An IP
    /// packet has that of its addresses, protocol and ports, whatever stands here.
    pub key: u64,
    /// A number of the caller's, which the datagram still has when it arrives.
    pub tag: u64,
    /// Bytes on the wire, headers included. 0 stands for the length and 28 bytes of headers of UDP, or the length of a packet.
    pub wire_bytes: u32,
    /// Bytes that count as delivered; 0 for all but the headers.
    pub payload_bytes: u32,
    /// PARSHALL_UDP, PARSHALL_IP or PARSHALL_SIZE.
    pub content: u8,
    /// The two bits of ECN. Those of an IP packet are in its header, whatever stands here.
    pub ecn: u8,
    /// Code point of differentiated services, 0 to 63 (RFC 2474). That of an IP packet is in its header, whatever stands here.
    pub dscp: u8,
    /// 0.
    pub reserved: [u8; 5],
}

/// Something that concerns the endpoints.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// PARSHALL_END, PARSHALL_ARRIVAL, PARSHALL_WAKE or PARSHALL_DROPPED.
    pub kind: i32,
    /// The endpoint that a datagram has reached, that is woken, or that had sent what was dropped.
    pub endpoint: u32,
    /// Now.
    pub at: u64,
    /// When the datagram was sent.
    pub sent_at: u64,
    /// Why it was dropped.
    pub cause: i32,
    /// 0.
    pub reserved: i32,
    /// The datagram, with ECN bits and code point as it arrives. Its bytes stay where they are until the next event is asked for,
    /// or the network is finished or freed.
    pub datagram: Datagram,
}

impl Datagram {
    pub(crate) const NONE: Datagram = Datagram {
        bytes: ptr::null(),
        length: 0,
        key: 0,
        tag: 0,
        wire_bytes: 0,
        payload_bytes: 0,
        content: PARSHALL_SIZE,
        ecn: 0,
        dscp: 0,
        reserved: [0; 5],
    };
}
