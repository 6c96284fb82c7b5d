//! Allocations of the engine, counted by the allocator: nothing for a packet once a run is under way, nothing
//! that grows with simulated time, and less than a kibibyte for a flow.

// An allocator cannot be written without.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use parshall_sim::internal::{Folding, Plan, Simulation};
use parshall_sim::scenario::Scenario;
use serde_json::{json, Value};

struct Counting;

// Of each thread, so that tests beside it do not count.
thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

// SAFETY: every call goes on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.set(CALLS.get() + 1);
        LIVE.set(LIVE.get() + layout.size() as isize);
        PEAK.set(PEAK.get().max(LIVE.get()));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get() - layout.size() as isize);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(Debug)]
struct Usage {
    calls: usize,
    /// Most bytes at once, the recording not included, though what counts packets in flight for it is.
    peak_bytes: usize,
    events: u64,
}

/// Many TCP flows, and a constant one, over one link.
struct Dumbbell {
    flows: usize,
    rate: f64,
    limit_packets: u32,
    recovery: &'static str,
    queue: &'static str,
}

impl Dumbbell {
    fn plan(&self, duration: f64) -> Plan {
        let mut hosts = Vec::new();
        let mut flows = Vec::new();
        let queue = match self.queue {
            "red" => json!({"kind": "red", "min_threshold_packets": 15.0, "max_threshold_packets": 45.0,
                "limit_packets": self.limit_packets, "weight": {"kind": "fixed", "value": 0.002}}),
            "droptail" => json!({"kind": "droptail", "limit_packets": self.limit_packets}),
            kind => json!({"kind": kind, "limit_packets": self.limit_packets}),
        };
        let mut links = vec![json!({"between": ["r1", "r2"], "rate": self.rate, "delay": 0.01,
            "queue": queue, "reverse": {"queue": {"kind": "droptail"}}})];
        for i in 0..self.flows {
            let (source, sink) = (format!("s{i}"), format!("d{i}"));
            let access = |a: &str, b: &str| json!({"between": [a, b], "rate": 1e10, "delay": 0.005});
            links.extend([access(&source, "r1"), access("r2", &sink)]);
            let (transport, app) = if i == 0 {
                (json!({"kind": "udp", "payload_bytes": 1000}), json!({"kind": "cbr", "rate": 1e6}))
            } else {
                (json!({"kind": "tcp", "profile": "ns2", "recovery": self.recovery}), json!({"kind": "bulk"}))
            };
            flows.push(json!({"name": format!("f{i}"), "source": source, "destination": sink,
                "start_spread": 0.1, "transport": transport, "app": app}));
            hosts.extend([source, sink]);
        }
        let scenario: Value = json!({"duration": duration, "hosts": hosts, "routers": ["r1", "r2"],
            "links": links, "flows": flows});
        let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
        Plan::new(&scenario, Folding::On).expect("a plan")
    }

    fn usage(&self, duration: f64) -> Usage {
        let plan = self.plan(duration);
        let (calls, live) = (CALLS.get(), LIVE.get());
        PEAK.set(live);
        let recording = Simulation::new(&plan, 1).run(&plan);
        // The peak comes when the flows' table has been written and the network is still there.
        let written = recording.table("flows").expect("the table").bytes();
        Usage {
            calls: CALLS.get() - calls,
            peak_bytes: (PEAK.get() - live) as usize - written,
            events: recording.events(),
        }
    }
}

#[test]
fn a_run_that_goes_on_allocates_nothing() {
    for recovery in ["newreno", "sack", "vegas"] {
        for queue in ["droptail", "red", "codel", "pie", "fq-codel"] {
            let dumbbell = Dumbbell { flows: 30, rate: 5e7, limit_packets: 60, recovery, queue };
            let (short, long) = (dumbbell.usage(60.0), dumbbell.usage(240.0));
            assert!(long.events > 3 * short.events, "{short:?} {long:?}");
            // Rings double when a queue, a gap or a window is larger than ever before: rare, and ever rarer.
            let more = long.calls.saturating_sub(short.calls);
            assert!(more <= 60, "{recovery} {queue}: {more} more allocations, {short:?} {long:?}");
            let growth = long.peak_bytes as f64 / short.peak_bytes as f64;
            assert!(growth < 1.02, "{recovery} {queue}: {short:?} {long:?}");
        }
    }
}

#[test]
fn a_flow_takes_less_than_a_kibibyte() {
    // Packets in flight are bounded by the rate: they do not grow with the number of flows.
    let dumbbell =
        |flows| Dumbbell { flows, rate: 1e9, limit_packets: 1000, recovery: "sack", queue: "droptail" };
    let (few, many) = (dumbbell(1000).usage(2.0), dumbbell(9000).usage(2.0));
    let flow = (many.peak_bytes - few.peak_bytes) as f64 / 8000.0;
    println!("{flow} bytes a flow, {few:?} {many:?}");
    assert!(flow <= 1024.0, "{flow} bytes a flow");
}
