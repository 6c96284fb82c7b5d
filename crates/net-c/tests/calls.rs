//! Whatever a caller does within the rules of C, it gets an answer: a value, or a negative number and one line of text.

use std::ffi::{c_char, c_void, CStr};
use std::mem::MaybeUninit;
use std::ptr::{self, null, null_mut};

use parshall_net::*;

const SCENARIO: &CStr = c"
duration = '1 s'
flows = []
hosts = ['a', 'b']
[[links]]
name = 'narrow'
between = ['a', 'b']
rate = '10 Mbit/s'
delay = '5 ms'
queue = { kind = 'red', min_threshold_packets = 1, max_threshold_packets = 1, limit_packets = 9, weight = 1, ecn = true, gentle = false, hard_drop = false }
[record]
pcap = 'narrow'
packets = 'narrow'
";

/// A network that is freed in the end.
struct Owned(*mut Net);

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: it is not used afterwards.
        unsafe { parshall_net_free(self.0) }
    }
}

impl Owned {
    fn new() -> Self {
        Owned(parshall_net_new())
    }

    /// A network that has been loaded, with the endpoints 0 and 1.
    fn loaded() -> Self {
        let net = Owned::new();
        // SAFETY: the texts end with a zero, and the array has two places.
        unsafe {
            let code = parshall_net_load_text(net.0, SCENARIO.as_ptr());
            assert_eq!(code, PARSHALL_OK, "{}", net.error());
            let mut ends = [7; 2];
            let names = [c"pair", c"a", c"b"].map(CStr::as_ptr);
            assert_eq!(parshall_net_attach(net.0, names[0], names[1], names[2], &mut ends), PARSHALL_OK);
            assert_eq!(ends, [0, 1]);
        }
        net
    }

    fn built() -> Self {
        let net = Owned::loaded();
        // SAFETY: the network was made above.
        assert_eq!(unsafe { parshall_net_build(net.0) }, PARSHALL_OK);
        net
    }

    fn error(&self) -> String {
        // SAFETY: the network was not freed.
        unsafe { CStr::from_ptr(parshall_net_error(self.0)) }.to_str().expect("UTF-8").to_string()
    }

    fn send(&self, datagram: &Datagram) -> i32 {
        // SAFETY: the network was not freed, and the caller's bytes are there.
        unsafe { parshall_net_send(self.0, 0, PARSHALL_NOW, datagram) }
    }

    fn next(&self) -> Event {
        let mut event = MaybeUninit::uninit();
        // SAFETY: the network was not freed, and the place is valid.
        assert!(unsafe { parshall_net_next(self.0, event.as_mut_ptr()) } >= 0, "{}", self.error());
        // SAFETY: what is not an error has been written.
        unsafe { event.assume_init() }
    }
}

fn datagram(bytes: &[u8]) -> Datagram {
    // SAFETY: all fields may be zero.
    let zero: Datagram = unsafe { MaybeUninit::zeroed().assume_init() };
    Datagram { bytes: bytes.as_ptr().cast::<c_void>(), length: bytes.len(), ..zero }
}

fn received(event: &Event) -> Vec<u8> {
    let Datagram { bytes, length, .. } = event.datagram;
    // SAFETY: the bytes stay until the next event is asked for.
    unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length) }.to_vec()
}

#[test]
fn a_datagram_arrives_as_it_was_sent_and_can_be_sent_back() {
    let net = Owned::built();
    let sent = Datagram { key: 5, tag: 9, ecn: PARSHALL_ECT1, dscp: 46, ..datagram(b"hello") };
    assert_eq!(net.send(&sent), PARSHALL_OK);
    let event = net.next();
    assert_eq!((event.kind, event.endpoint, event.sent_at), (PARSHALL_ARRIVAL, 1, 0));
    assert_eq!(event.at, 5 * PARSHALL_MS + 33 * 8 * PARSHALL_S / 10_000_000);
    let Datagram { key, tag, wire_bytes, payload_bytes, content, ecn, dscp, .. } = event.datagram;
    assert_eq!((key, tag, wire_bytes, payload_bytes), (5, 9, 33, 5));
    assert_eq!((content, ecn, dscp), (PARSHALL_UDP, PARSHALL_ECT1, 46));
    assert_eq!(received(&event), b"hello");
    // SAFETY: the bytes of the event are still there.
    assert_eq!(unsafe { parshall_net_send(net.0, 1, PARSHALL_NOW, &event.datagram) }, PARSHALL_OK);
    let back = net.next();
    assert_eq!((back.endpoint, back.sent_at, received(&back)), (0, event.at, b"hello".to_vec()));
    assert_eq!(net.next().kind, PARSHALL_END);
    assert_eq!(net.next().kind, PARSHALL_END);
}

#[test]
fn marks_are_written_into_ip_packets_and_sizes_have_no_bytes() {
    let net = Owned::built();
    // IPv4, 28 bytes, ECT(0), UDP from 1.1.1.1 to 2.2.2.2; its checksum is not looked at.
    let mut packet = [0; 28];
    packet[..10].copy_from_slice(&[0x45, 2, 0, 28, 0, 0, 0, 0, 64, 17]);
    packet[12..20].copy_from_slice(&[1, 1, 1, 1, 2, 2, 2, 2]);
    for _ in 0..4 {
        assert_eq!(net.send(&Datagram { content: PARSHALL_IP, ..datagram(&packet) }), PARSHALL_OK);
    }
    let size = Datagram {
        content: PARSHALL_SIZE,
        bytes: null(),
        wire_bytes: 1500,
        ecn: PARSHALL_ECT0,
        ..datagram(b"")
    };
    assert_eq!(net.send(&size), PARSHALL_OK);
    let events: Vec<_> =
        (0..4).map(|_| net.next()).map(|event| (event.datagram.ecn, received(&event)[1])).collect();
    assert!(events.iter().all(|&(ecn, class)| ecn == class & 3), "{events:?}");
    assert!(events.iter().any(|&(ecn, _)| ecn == PARSHALL_CE), "{events:?}");
    let Datagram { content, bytes, length, wire_bytes, .. } = net.next().datagram;
    assert_eq!((content, bytes, length, wire_bytes), (PARSHALL_SIZE, null(), 0, 1500));
}

#[test]
fn wakes_come_in_time_and_can_be_taken_back() {
    let net = Owned::built();
    let mut event = MaybeUninit::<Event>::uninit();
    // SAFETY: the network was not freed, and the place is valid.
    unsafe {
        assert_eq!(parshall_net_end(net.0), PARSHALL_S);
        assert_eq!(parshall_net_wake(net.0, 1, 3 * PARSHALL_MS), PARSHALL_OK);
        assert_eq!(parshall_net_next_at(net.0), 3 * PARSHALL_MS);
        assert_eq!(parshall_net_next_before(net.0, 2 * PARSHALL_MS, event.as_mut_ptr()), PARSHALL_END);
        assert_eq!(parshall_net_now(net.0), 2 * PARSHALL_MS);
        assert_eq!(event.assume_init().at, 2 * PARSHALL_MS);
        assert_eq!(parshall_net_next(net.0, event.as_mut_ptr()), PARSHALL_WAKE);
        assert_eq!((event.assume_init().endpoint, event.assume_init().at), (1, 3 * PARSHALL_MS));
        for cancel in [true, false] {
            assert_eq!(parshall_net_wake(net.0, 1, 9 * PARSHALL_MS), PARSHALL_OK);
            match cancel {
                true => assert_eq!(parshall_net_cancel_wake(net.0, 1), PARSHALL_OK),
                false => assert_eq!(parshall_net_wake(net.0, 1, PARSHALL_NEVER), PARSHALL_OK),
            }
        }
        assert_eq!(parshall_net_next(net.0, event.as_mut_ptr()), PARSHALL_END);
    }
}

#[test]
fn what_is_dropped_says_why() {
    let net = Owned::loaded();
    // SAFETY: the network was not freed.
    unsafe {
        assert_eq!(parshall_net_set_path_mtu(net.0, 1, 1000), PARSHALL_OK);
        assert_eq!(parshall_net_build(net.0), PARSHALL_OK);
    }
    assert_eq!(net.send(&datagram(&[0; 1000])), PARSHALL_OK);
    let event = net.next();
    assert_eq!((event.kind, event.endpoint, event.cause), (PARSHALL_DROPPED, 0, PARSHALL_BY_PATH_MTU));
    for _ in 0..12 {
        assert_eq!(net.send(&datagram(&[0; 900])), PARSHALL_OK);
    }
    let event = net.next();
    assert_eq!(event.kind, PARSHALL_DROPPED);
    assert!([PARSHALL_BY_QUEUE, PARSHALL_BY_EARLY_DROP].contains(&event.cause), "{event:?}");
}

#[test]
fn results_are_found_by_name() {
    let net = Owned::built();
    assert_eq!(net.send(&datagram(b"in a capture")), PARSHALL_OK);
    let (mut count, mut kind) = (0, -1);
    let name = |text: &'static CStr| text.as_ptr();
    while net.next().kind != PARSHALL_END {}
    // SAFETY: the network was not freed, texts end with a zero, and places are valid.
    unsafe {
        assert_eq!(parshall_net_finish(net.0), PARSHALL_OK);
        let (flow, port) =
            (parshall_net_flow(net.0, name(c"pair")), parshall_net_port(net.0, name(c"narrow")));
        assert_eq!((flow, port), (0, 0));
        let packets = parshall_net_u64(net.0, name(c"ports"), name(c"packets_departed"), &mut count);
        assert_eq!(std::slice::from_raw_parts(packets, count), [1, 0]);
        let delay = parshall_net_f64(net.0, name(c"ports"), name(c"mean_delay"), &mut count);
        // Of the 40 bytes themselves.
        assert_eq!((*delay, count), (32e-6, 2));
        let times = parshall_net_column(net.0, name(c"packets"), name(c"time"), &mut count, &mut kind);
        // It arrives at the port, and it departs.
        assert_eq!((kind, count), (PARSHALL_F64, 2));
        assert!(*times.cast::<f64>() < 0.01);
        let capture = parshall_net_capture(net.0, name(c"narrow"), &mut count).cast::<u8>();
        let capture = std::slice::from_raw_parts(capture, count);
        assert!(capture.windows(12).any(|bytes| bytes == b"in a capture"));
        let fails = |failed: bool, line: &str| assert_eq!((failed, net.error().as_str()), (true, line));
        let table = parshall_net_u64(net.0, name(c"rtt"), name(c"x"), &mut count);
        let line = "parshall_net_u64: no table \"rtt\" was recorded, only flows, ports, packets; the scenario's record asks for more";
        fails(table.is_null(), line);
        let column = parshall_net_u64(net.0, name(c"ports"), name(c"mean_delay"), &mut count);
        fails(column.is_null(), "parshall_net_u64: ports.mean_delay holds f64, expected u64");
        let port = parshall_net_port(net.0, name(c"wide"));
        let line = "parshall_net_port: got port \"wide\", expected one of: narrow, b->a";
        fails(port == i64::from(PARSHALL_ERROR_LOOKUP), line);
        let capture = parshall_net_capture(net.0, name(c"b->a"), &mut count);
        fails(capture.is_null(), "parshall_net_capture: got capture \"b->a\", expected one of: narrow");
    }
}

/// Every function that takes a network, with arguments that are null or nonsense. Returns what each answers, and its name.
fn all_calls(net: *mut Net, text: *const c_char) -> Vec<(i64, &'static str)> {
    let (mut ends, mut event, mut digest, mut count, mut kind) = ([0; 2], MaybeUninit::uninit(), 0, 0, 0);
    let sent = datagram(b"x");
    let found = |pointer: *const c_void| if pointer.is_null() { -1 } else { 0 };
    let instant = |at: u64| if at == PARSHALL_NEVER { -1 } else { 0 };
    // SAFETY: the network is null or was not freed, texts are null or end with a zero, and all places are valid.
    unsafe {
        vec![
            (parshall_net_load(net, text).into(), "load"),
            (parshall_net_load_text(net, text).into(), "load_text"),
            (parshall_net_set_seed(net, 1).into(), "set_seed"),
            (parshall_net_set_mtu(net, 1500).into(), "set_mtu"),
            (parshall_net_set_traced(net).into(), "set_traced"),
            (parshall_net_attach(net, text, text, text, &mut ends).into(), "attach"),
            (parshall_net_replace(net, text, &mut ends).into(), "replace"),
            (parshall_net_set_path_mtu(net, 9, 1500).into(), "set_path_mtu"),
            (parshall_net_set_protocol(net, 9, PARSHALL_AS_TCP).into(), "set_protocol"),
            (parshall_net_build(net).into(), "build"),
            (parshall_net_send(net, 0, PARSHALL_NOW, &sent).into(), "send"),
            (parshall_net_wake(net, 0, 1).into(), "wake"),
            (parshall_net_cancel_wake(net, 0).into(), "cancel_wake"),
            (parshall_net_next(net, event.as_mut_ptr()).into(), "next"),
            (parshall_net_next_before(net, 1, event.as_mut_ptr()).into(), "next_before"),
            (instant(parshall_net_next_at(net)), "next_at"),
            (instant(parshall_net_now(net)), "now"),
            (instant(parshall_net_end(net)), "end"),
            (parshall_net_trace_digest(net, &mut digest).into(), "trace_digest"),
            (parshall_net_finish(net).into(), "finish"),
            (parshall_net_flow(net, text), "flow"),
            (parshall_net_port(net, text), "port"),
            (found(parshall_net_u64(net, text, text, &mut count).cast()), "u64"),
            (found(parshall_net_f64(net, text, text, &mut count).cast()), "f64"),
            (found(parshall_net_column(net, text, text, &mut count, &mut kind)), "column"),
            (found(parshall_net_capture(net, text, &mut count)), "capture"),
        ]
    }
}

#[test]
fn no_network_no_text_and_no_utf8_are_errors() {
    let invalid = [0xff_u8, 0];
    let texts: [*const c_char; 2] = [null(), invalid.as_ptr().cast()];
    for text in texts {
        for (answer, call) in all_calls(null_mut(), text) {
            assert!(answer < 0, "{call} of NULL");
        }
        let empty = Owned::new();
        for (answer, call) in all_calls(empty.0, text) {
            assert!(answer < 0, "{call} without a scenario");
        }
    }
    assert_eq!(all_calls(null_mut(), null()).len(), declared_functions() - 5, "a function is missing here");
    // SAFETY: NULL is allowed.
    unsafe {
        assert_eq!(CStr::from_ptr(parshall_net_error(ptr::null())), c"got NULL, expected a network");
        parshall_net_free(null_mut());
    }
}

/// Functions of the header. Five need no network, or take any: new, free, error, and two versions.
fn declared_functions() -> usize {
    let header =
        std::fs::read_to_string(crate::compiler::root().join("include/parshall_net.h")).expect("the header");
    let starts = |line: &&str| line.contains(" parshall_") || line.contains("*parshall_");
    header.lines().filter(|line| !line.starts_with([' ', '/', '}', 't'])).filter(starts).count()
}

#[test]
fn calls_out_of_order_are_errors() {
    // In operation: all that belongs to building or to results fails.
    let net = Owned::built();
    let building =
        ["load", "load_text", "set_seed", "set_mtu", "set_traced", "attach", "replace", "set_path_mtu"];
    let results = ["flow", "port", "u64", "f64", "column", "capture"];
    let fails = |call: &str| {
        [&building[..], &results, &["set_protocol", "build", "trace_digest"]].concat().contains(&call)
    };
    // `finish` works, and what comes after it is asked of a finished network, without such a table.
    for (answer, call) in all_calls(net.0, c"x".as_ptr()) {
        // Nothing is ahead at the end, which `next_at` says as it says errors.
        assert_eq!(answer < 0, fails(call) || call == "next_at", "{call}");
    }
    for (answer, call) in all_calls(net.0, c"x".as_ptr()) {
        assert!(answer < 0, "{call} of a finished network");
    }
    // SAFETY: the network was not freed.
    assert_eq!(unsafe { parshall_net_finish(net.0) }, PARSHALL_ERROR_STATE);
    assert_eq!(net.error(), "parshall_net_finish: got a network that is finished, expected one in operation");
}

#[test]
fn a_fault_is_told_in_one_line() {
    let at_rest = Owned::loaded();
    let ran = Owned::built();
    // SAFETY: networks were not freed, texts end with a zero, and places are valid.
    unsafe {
        let mut ends = [0; 2];
        let name = |text: &'static CStr| text.as_ptr();
        let fails = |net: &Owned, code: i32, expected: i32, line: &str| {
            assert_eq!((code, net.error().as_str()), (expected, line));
        };
        let code = parshall_net_load_text(Owned::new().0, name(c"duration = 5"));
        assert_eq!(code, PARSHALL_ERROR_SCENARIO);
        let code = parshall_net_attach(at_rest.0, name(c"other"), name(c"a"), name(c"c"), &mut ends);
        let line = "parshall_net_attach: endpoints other: got \"c\", expected a host: a, b";
        fails(&at_rest, code, PARSHALL_ERROR_SCENARIO, line);
        let code = parshall_net_attach(at_rest.0, name(c"other"), name(c"a"), name(c"b"), null_mut());
        let line = "parshall_net_attach: endpoints: got NULL, expected a place for the result";
        fails(&at_rest, code, PARSHALL_ERROR_ARGUMENT, line);
        let code = parshall_net_set_mtu(at_rest.0, 65_536);
        fails(
            &at_rest,
            code,
            PARSHALL_ERROR_ARGUMENT,
            "parshall_net_set_mtu: bytes: got 65536, expected 1 to 65535",
        );
        let code = parshall_net_set_path_mtu(at_rest.0, 2, 1500);
        fails(
            &at_rest,
            code,
            PARSHALL_ERROR_ARGUMENT,
            "parshall_net_set_path_mtu: endpoint: got 2, expected one of 2",
        );
        let code = parshall_net_set_protocol(at_rest.0, 0, 6);
        fails(
            &at_rest,
            code,
            PARSHALL_ERROR_ARGUMENT,
            "parshall_net_set_protocol: protocol: got 6, expected 0 or 1",
        );

        let code = parshall_net_next(ran.0, null_mut());
        fails(
            &ran,
            code,
            PARSHALL_ERROR_ARGUMENT,
            "parshall_net_next: event: got NULL, expected a place for the result",
        );
        let code = parshall_net_send(ran.0, 0, PARSHALL_NOW, null());
        fails(
            &ran,
            code,
            PARSHALL_ERROR_ARGUMENT,
            "parshall_net_send: datagram: got NULL, expected a datagram",
        );
        let code = parshall_net_send(ran.0, 5, PARSHALL_NOW, &datagram(b"x"));
        let line = "parshall_net_send: endpoint number 5, send at 0 s: it is unknown, expected one of 2";
        fails(&ran, code, PARSHALL_ERROR_ENDPOINT, line);
        let mut event = MaybeUninit::uninit();
        assert_eq!(parshall_net_next_before(ran.0, PARSHALL_MS, event.as_mut_ptr()), PARSHALL_END);
        let code = parshall_net_send(ran.0, 0, PARSHALL_US, &datagram(b"x"));
        let line = "parshall_net_send: endpoint pair at a, send at 0.000001 s: an instant that has passed, expected 0.001 s or later";
        fails(&ran, code, PARSHALL_ERROR_ENDPOINT, line);
    }
    let x = datagram(b"x");
    for (wrong, line) in [
        (Datagram { bytes: null(), ..x }, "bytes: got NULL, expected 1 bytes"),
        (Datagram { content: 3, ..x }, "content: got 3, expected 0, 1 or 2"),
        (Datagram { ecn: 4, ..x }, "ecn: got 4, expected 0 to 3"),
        (Datagram { dscp: 64, ..x }, "dscp: got 64, expected 0 to 63"),
        (Datagram { content: PARSHALL_SIZE, ..x }, "datagram: got 1 bytes, expected none with PARSHALL_SIZE"),
        (Datagram { content: PARSHALL_IP, ..x }, "datagram: got IP version 7, expected 4 or 6"),
        (Datagram { length: 70_000, ..datagram(&[0; 70_000]) }, "length: got 70000, expected 65535 or less"),
    ] {
        assert_eq!(ran.send(&wrong), PARSHALL_ERROR_ARGUMENT);
        assert_eq!(ran.error(), format!("parshall_net_send: {line}"));
    }
}
