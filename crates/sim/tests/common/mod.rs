//! Random scenarios, and recordings compared bit for bit.

mod controls;
pub mod recorded;
pub mod restless;

use std::sync::Arc;

use controls::control;
use parshall_estimators::forecast::ForecasterConfig;
use parshall_estimators::rto::RtoConfig;
use parshall_sim::scenario::{
    App, BernoulliLoss, Capacity, CaptureFormat, Cbr, ConnectionUse, DitherLoss, DropTail, Flow, Jitter, Law,
    Link, Loss, LossOf, OnOff, ProfileName, Queue, QueueShareSeries, Record, RecoveryName, Reverse, Scenario,
    SelfSimilar, Series, ShareSeries, Signals, Tcp, Telnet, Transfer, TransferSequence, Transport, Udp,
    Variate, Vbr, Web, WebRequests,
};
use parshall_sim::units::{Rate, Time};
use proptest::prelude::*;
use proptest::sample::select;

fn seconds(s: f64) -> Time {
    Time::from_secs(s)
}

fn queue() -> impl Strategy<Value = Queue> {
    let red = r#"{"kind": "red", "min_threshold_packets": 2, "max_threshold_packets": 8, "limit_packets": 20,
                  "weight": {"kind": "fixed", "value": 0.05}, "ecn": true}"#;
    let red: Queue = serde_json::from_str(red).expect("a RED queue");
    let tuned = serde_json::json!({
        "kind": "red", "min_threshold_packets": 1, "max_threshold_packets": 4, "limit_packets": 9, "gentle": false,
        "weight": {"kind": "fixed", "value": 0.1}, "tune_by": "responsiveness", "tune_above": 0.2,
        "tune_interval": 0.1, "unit": "bytes", "mean_packet_bytes": 700,
    });
    let tuned: Queue = serde_json::from_value(tuned).expect("a RED queue");
    prop_oneof![6 => droptail(), 2 => select(vec![red, tuned]), 4 => delay_controlled(), 1 => classes()]
}

/// Queues for the classes that [`flow`] gives, with averages that move fast.
fn classes() -> impl Strategy<Value = Queue> {
    let precedence = |dscp: u8, low: u32| {
        serde_json::json!({"dscp": [dscp], "min_threshold_packets": low, "max_threshold_packets": 3 * low,
                           "weight": {"kind": "fixed", "value": 0.2}})
    };
    let queue = |profile: &str, dropper: &str, scheduler: serde_json::Value| {
        serde_json::from_value::<Queue>(serde_json::json!({
            "kind": "diffserv", "profile": profile, "scheduler": scheduler,
            "queues": [
                {"precedences": [precedence(46, 3), precedence(10, 1)], "limit_packets": 9, "dropper": dropper, "ecn": true},
                {"precedences": [precedence(0, 2)], "limit_packets": 9, "dropper": dropper},
            ],
        }))
        .expect("queues for classes")
    };
    let weights = |kind: &str| serde_json::json!({"kind": kind, "weights": [2, 1]});
    select(vec![
        queue("rfc", "rio-c", weights("drr")),
        queue("rfc", "wred", weights("wrr")),
        queue("rfc", "rio-d", serde_json::json!({"kind": "priority"})),
        queue("ns2", "rio-c", weights("wirr")),
        queue("ns2", "wred", weights("wrr")),
    ])
}

/// Queues that control the delay, with settings that make them act within two seconds of little traffic.
fn delay_controlled() -> impl Strategy<Value = Queue> {
    let codel = serde_json::json!({"kind": "codel", "target": 0.001, "interval": 0.01, "mtu_bytes": 500});
    let fq_codel = serde_json::json!({
        "kind": "fq-codel", "target": 0.001, "interval": 0.01, "mtu_bytes": 500, "queues": 4, "limit_packets": 8,
    });
    let pie = serde_json::json!({
        "kind": "pie", "target": 0.003, "update": 0.002, "max_burst": 0.01, "alpha": 50, "beta": 500,
        "mean_packet_bytes": 100, "limit_packets": 20,
    });
    let with = |base: &serde_json::Value, more: serde_json::Value| {
        let mut queue = base.clone();
        let fields = more.as_object().expect("fields").clone();
        queue.as_object_mut().expect("a queue").extend(fields);
        serde_json::from_value::<Queue>(queue).expect("a queue")
    };
    let none = serde_json::json!({});
    select(vec![
        with(&codel, none.clone()),
        with(&codel, serde_json::json!({"limit_packets": 5, "ecn": true, "ce_threshold": 0.0005})),
        with(&codel, serde_json::json!({"limit_bytes": 4000})),
        with(&fq_codel, serde_json::json!({"ecn": false})),
        with(&fq_codel, serde_json::json!({"limit_bytes": 3000, "quantum_bytes": 300, "drop_batch": 2})),
        with(&pie, none),
        with(&pie, serde_json::json!({"delay": "departure-rate", "ecn": true, "mark_below": 0.5})),
        with(&pie, serde_json::json!({"derandomize": true, "cap_increase": true, "limit_bytes": 9000})),
    ])
}

fn droptail() -> impl Strategy<Value = Queue> {
    (
        select(vec![None, Some(1), Some(2), Some(5), Some(20)]),
        select(vec![None, None, Some(3000), Some(20_000)]),
    )
        .prop_map(|(limit_packets, limit_bytes)| Queue::Droptail(DropTail { limit_packets, limit_bytes }))
}

fn loss() -> impl Strategy<Value = Option<Arc<Loss>>> {
    let bernoulli = |probability| Some(Loss::Bernoulli(BernoulliLoss { probability, of: LossOf::All }));
    let dither = |floor, of| Some(Loss::Dither(DitherLoss { floor, part: 0.3, of }));
    select(vec![
        None,
        None,
        None,
        bernoulli(0.02),
        bernoulli(0.2),
        dither(0.02, LossOf::Data),
        dither(0.1, LossOf::All),
    ])
    .prop_map(|loss: Option<Loss>| loss.map(Arc::new))
}

fn capacity() -> impl Strategy<Value = Option<Arc<Capacity>>> {
    let times = [0.0, 0.001, 0.001, 0.004, 0.009].map(seconds).to_vec();
    let capacity = Arc::new(Capacity { times, period: seconds(0.01), bytes: 1500 });
    select(vec![None, None, None, Some(capacity)])
}

fn jitter() -> impl Strategy<Value = Option<Jitter>> {
    let jitter = |reorder| Some(Jitter { most: seconds(0.005), reorder });
    select(vec![None, None, None, jitter(false), jitter(true)])
}

/// Round rates and delays, so that events often tie in time.
fn link(a: String, b: String) -> impl Strategy<Value = Link> {
    let rate = || select(vec![1e6, 2e6, 8e6, 10e6]).prop_map(Rate::from_bps);
    let delay = || select(vec![0.0, 0.001, 0.01, 0.02]).prop_map(seconds);
    let reverse = (proptest::option::of(rate()), proptest::option::of(delay()), loss())
        .prop_map(|(rate, delay, loss)| Reverse { rate, delay, loss, ..Reverse::default() });
    (rate(), delay(), queue(), (loss(), capacity(), jitter()), reverse).prop_map(
        move |(rate, delay, queue, (loss, capacity, jitter), reverse)| Link {
            between: (a.as_str().into(), b.as_str().into()),
            name: None,
            rate,
            delay,
            queue: queue.into(),
            loss,
            capacity,
            jitter,
            conditioner: None,
            events: Vec::new(),
            reverse: reverse.into(),
        },
    )
}

fn rto() -> impl Strategy<Value = Option<RtoConfig>> {
    let median: RtoConfig = serde_json::from_str(r#"{"kind": "median", "window": 5}"#).expect("a median");
    let mad: RtoConfig =
        serde_json::from_str(r#"{"kind": "median", "window": 7, "deviation": "mad"}"#).expect("a median");
    let forecast = RtoConfig::arima(ForecasterConfig::jeyasekar_2014());
    select(vec![None, Some(median), Some(mad), Some(forecast)])
}

fn tcp() -> impl Strategy<Value = Transport> {
    (
        select(vec![ProfileName::Rfc, ProfileName::Linux, ProfileName::Ns2]),
        select(vec![
            None,
            Some(RecoveryName::Tahoe),
            Some(RecoveryName::Reno),
            Some(RecoveryName::Newreno),
            Some(RecoveryName::Sack),
            Some(RecoveryName::Vegas),
        ]),
        control(),
        (any::<bool>(), any::<bool>()),
        (proptest::option::of(any::<bool>()), proptest::option::of(select(vec![0u32, 3]))),
        proptest::option::of(any::<bool>()),
        proptest::option::of(select(vec![1u32, 4, 30])),
        rto(),
        (proptest::option::of(any::<bool>()), proptest::option::of(any::<bool>())),
        prop::array::uniform3(proptest::option::of(any::<bool>())),
    )
        .prop_map(
            |(
                profile,
                recovery,
                control,
                (ecn, pacing),
                acks,
                handshake,
                max_window_packets,
                rto,
                repair,
                [eifel, dsack, frto],
            )| {
                let (delayed_ack, quick_acks) = acks;
                let sack = matches!(recovery, None | Some(RecoveryName::Sack));
                let modern = sack && profile != ProfileName::Ns2;
                let (prr, rack) = if modern { repair } else { (None, None) };
                let dsack = dsack.filter(|_| modern);
                Transport::Tcp(Arc::new(Tcp {
                    profile,
                    recovery,
                    control: Some(control.clone()),
                    ecn: ecn || control.needs_marks(),
                    pacing,
                    delayed_ack,
                    quick_acks,
                    handshake,
                    prr,
                    rack,
                    eifel,
                    frto: frto.filter(|_| modern),
                    dsack,
                    max_window_packets,
                    rto,
                    payload_bytes: 1000,
                    header_bytes: 40,
                    ack_bytes: 40,
                    ..Tcp::default()
                }))
            },
        )
}

fn udp() -> impl Strategy<Value = Transport> {
    select(vec![100u32, 1000])
        .prop_map(|payload_bytes| Transport::Udp(Udp { payload_bytes, header_bytes: 0 }))
}

fn rated_app() -> impl Strategy<Value = App> {
    let rate = || select(vec![1e5, 5e5, 1e6]).prop_map(Rate::from_bps);
    let law = || select(vec![Law::Exponential, Law::Pareto { shape: 1.5 }]);
    prop_oneof![
        rate().prop_map(|rate| App::Cbr(Cbr { rate: Some(rate), interval: None })),
        (rate(), law()).prop_map(|(rate, law)| App::OnOff(OnOff {
            law,
            rate,
            on: seconds(0.2),
            off: seconds(0.3)
        })),
        rate().prop_map(|rate| App::SelfSimilar(SelfSimilar {
            rate,
            h: 0.8,
            sd: Rate::from_bps(0.5 * rate.bps()),
            interval: seconds(0.05),
        })),
        rate().prop_map(|rate| App::Vbr(Vbr {
            rates: (rate, Rate::from_bps(2.0 * rate.bps())),
            intervals: (seconds(0.1), seconds(0.4)),
        })),
    ]
}

/// Laws of times around this many seconds, and of numbers around as many.
fn law(mean: f64) -> impl Strategy<Value = Variate> {
    select(vec![
        Variate::Constant { value: mean },
        Variate::Constant { value: 0.0 },
        Variate::Exponential { mean },
        Variate::Pareto { mean, shape: 1.5 },
        Variate::Lomax { mean, shape: 1.2 },
        Variate::Uniform { low: 0.0, high: 2.0 * mean },
        Variate::Lognormal { mean, sigma: 1.0 },
    ])
}

fn hearing_app() -> impl Strategy<Value = App> {
    let connection = || select(vec![ConnectionUse::New, ConnectionUse::Persistent]);
    let sequence = (law(6.0), law(0.02), connection(), any::<bool>()).prop_map(
        |(packets, think, connection, requests)| {
            App::TransferSequence(Box::new(TransferSequence {
                packets,
                think,
                transfers_at_most: None,
                connection,
                requests,
                request_bytes: requests.then_some(100),
            }))
        },
    );
    let interval = law(0.02).prop_filter("telnet takes time", |law| *law != Variate::Constant { value: 0.0 });
    let telnet =
        (law(6.0), interval, law(0.05), connection()).prop_map(|(packets, interval, idle, connection)| {
            App::Telnet(Box::new(Telnet { packets, interval, idle, sessions: None, connection }))
        });
    let requests = select(vec![WebRequests::Http, WebRequests::Ns2]);
    let slots = select(vec![None, Some(1), Some(2)]);
    let pause = proptest::option::of(law(0.05));
    let web = ((law(2.0), law(0.05), law(2.0), law(0.005), law(4.0)), pause, slots, requests).prop_map(
        |(
            (pages, inter_page, objects, inter_object, object_packets),
            inter_session,
            connections,
            requests,
        )| {
            App::Web(Box::new(Web {
                pages,
                inter_page,
                objects,
                inter_object,
                object_packets,
                inter_session,
                connections,
                requests,
                request_bytes: None,
            }))
        },
    );
    prop_oneof![2 => sequence, 1 => telnet, 2 => web]
}

/// Random networks in which most flows have applications that hear back, and all transfers are kept.
#[allow(dead_code)]
pub fn hearing() -> impl Strategy<Value = Scenario> {
    let apps = prop::collection::vec(proptest::option::weighted(0.8, (tcp(), hearing_app())), 6);
    let timeouts = select(vec![None, Some(0.02), Some(0.2)]);
    let networks = prop_oneof![2 => scenario(), 1 => scenario().prop_map(apart), 1 => scenario().prop_map(|scenario| direct(Scenario { record: Record::default(), ..scenario }))];
    (networks, apps, timeouts).prop_map(|(mut scenario, apps, timeout)| {
        for (flow, change) in scenario.flows.iter_mut().zip(apps) {
            if let Some((transport, app)) = change {
                (flow.transport, flow.app) = (transport, app);
            }
            if let (Transport::Tcp(tcp), Some(timeout)) = (&mut flow.transport, timeout) {
                // Timers that expire early make late copies.
                let tcp = Arc::make_mut(tcp);
                (tcp.initial_rto, tcp.min_rto) = (Some(seconds(timeout)), Some(seconds(timeout)));
            }
        }
        scenario.record.transfers = vec!["*".into()];
        scenario
    })
}

fn traffic() -> impl Strategy<Value = (Transport, App)> {
    prop_oneof![
        (udp(), rated_app()),
        (tcp(), rated_app()),
        (tcp(), Just(App::Bulk {})),
        (tcp(), (1u32..60).prop_map(|packets| App::Transfer(Transfer { packets }))),
    ]
}

fn flow(index: usize, hosts: usize) -> impl Strategy<Value = Flow> {
    (traffic(), 0..hosts, 1..hosts, select(vec![0.0, 0.1]), select(vec![0.0, 0.5])).prop_map(
        move |((transport, app), source, step, start, spread)| Flow {
            name: format!("f{index}").into(),
            source: format!("h{source}").into(),
            destination: format!("h{}", (source + step) % hosts).into(),
            transport,
            app,
            start: seconds(start),
            start_spread: seconds(spread),
            stop: None,
            dscp: [0, 46, 10][step % 3],
            via: Vec::new(),
        },
    )
}

/// Ports that estimators watch, by what flows do and by what the queue shows.
fn estimated() -> impl Strategy<Value = Record> {
    let methods = select(vec!["kaczmarz", "rls", "kalman", "fixed-point"]);
    let ports = select(vec![vec!["*"], vec!["r0->r1"], vec!["r1->r0", "r0->r1"]]);
    (methods, ports, select(vec![Signals::Queue, Signals::Losses, Signals::Both])).prop_map(
        |(method, of, signals)| {
            let of: Vec<String> = of.into_iter().map(String::from).collect();
            let queues = serde_json::json!({
                "of": of, "sampling": 0.01, "propagation": 0.03, "estimation_samples": 4, "count_drops":
                method != "fixed-point", "zero_drops_after": 10, "method": {"kind": method},
            });
            let nonresponsive: QueueShareSeries = serde_json::from_value(queues).expect("a series");
            Record {
                responsiveness: Some(ShareSeries {
                    of,
                    interval: seconds(0.1),
                    signals,
                    deaf: Vec::new(),
                    evidence_every: Some(2),
                }),
                nonresponsive: Some(nonresponsive),
                ..Record::default()
            }
        },
    )
}

/// Flows that are sampled, alone or with all else that can be known of them. Most intervals are those at which things
/// happen in networks with round rates and delays; some are longer than the run.
#[allow(dead_code)]
pub fn sampled() -> impl Strategy<Value = Record> {
    let interval = select(vec![0.001, 0.008, 0.01, 0.05, 0.07, 1.0, 2.0, 3.0, 0.012_345_678_901]);
    let of = select(vec![vec!["*"], vec!["f0"]]);
    let names = |of: &[&str]| of.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let watched = select(vec![vec![], vec!["f0"], vec!["*"]]);
    (interval, of, watched).prop_map(move |(interval, of, watched)| Record {
        flow_series: Some(Series { of: names(&of), interval: seconds(interval) }),
        rtt: names(&watched),
        window: names(&watched),
        deliveries: names(&watched),
        ..Record::default()
    })
}

fn record() -> impl Strategy<Value = Record> {
    let everything = || vec!["*".to_string()];
    let series = |of: Vec<String>| Series { of, interval: Time::from_secs(0.05) };
    prop_oneof![
        Just(Record::default()),
        Just(Record {
            rtt: everything(),
            window: everything(),
            deliveries: everything(),
            ..Record::default()
        }),
        sampled(),
        Just(Record {
            port_series: Some(series(vec!["r0->r1".into()])),
            packets: vec!["r0->r1".into()],
            pcap: vec!["r1->r0".into()],
            pcap_format: CaptureFormat::Pcapng,
            pcap_both_directions: true,
            ..Record::default()
        }),
        estimated(),
    ]
}

/// Two to four routers in a row, hosts anywhere on it, any traffic.
pub fn scenario() -> impl Strategy<Value = Scenario> {
    (2usize..5, 2usize..7, 1usize..7).prop_flat_map(|(routers, hosts, flows)| {
        let trunk: Vec<_> = (1..routers).map(|r| link(format!("r{}", r - 1), format!("r{r}"))).collect();
        let access: Vec<_> = (0..hosts)
            .map(|h| (0..routers).prop_flat_map(move |r| link(format!("h{h}"), format!("r{r}"))))
            .collect();
        let flows: Vec<_> = (0..flows).map(|f| flow(f, hosts)).collect();
        let warm_up = select(vec![0.0, 0.0, 0.7]);
        (trunk, access, flows, record(), warm_up).prop_map(move |(trunk, access, flows, record, warm_up)| {
            Scenario {
                duration: seconds(2.0),
                warm_up: seconds(warm_up),
                hosts: (0..hosts).map(|h| format!("h{h}").into()).collect(),
                routers: (0..routers).map(|r| format!("r{r}").into()).collect(),
                routing: Default::default(),
                links: trunk.into_iter().chain(access).collect(),
                flows,
                record,
            }
        })
    })
}

/// A network with hosts for each flow that no other flow has, so that more can be folded.
pub fn apart(mut scenario: Scenario) -> Scenario {
    let (mut hosts, mut links) = (Vec::new(), Vec::new());
    for (index, flow) in scenario.flows.iter_mut().enumerate() {
        for (end, new) in
            [(&mut flow.source, format!("s{index}")), (&mut flow.destination, format!("d{index}"))]
        {
            let old = scenario.links.iter().find(|link| link.between.0 == *end).expect("a host's link");
            *end = new.into();
            links.push(Link { between: (end.clone(), old.between.1.clone()), ..old.clone() });
            hosts.push(end.clone());
        }
    }
    scenario.links.retain(|link| scenario.routers.contains(&link.between.0));
    scenario.links.extend(links);
    scenario.hosts = hosts;
    scenario
}

/// Both ends of all flows at two hosts with one link.
fn direct(mut scenario: Scenario) -> Scenario {
    let link = scenario.links.last().expect("hosts have links").clone();
    scenario.links = vec![Link { between: ("h0".into(), "h1".into()), ..link }];
    scenario.hosts.truncate(2);
    scenario.routers = Vec::new();
    for (index, flow) in scenario.flows.iter_mut().enumerate() {
        let ends = ["h0", "h1"];
        let [source, destination] = [index % 2, 1 - index % 2].map(|end| ends[end].into());
        (flow.source, flow.destination) = (source, destination);
    }
    scenario
}
