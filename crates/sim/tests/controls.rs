//! What congestion controls are said to do by those who made them, at one bottleneck.
//!
//! The link is 20 Mbit/s with 20 ms each way: packets of 1000 bytes, 100 of which fill it.

use parshall_sim::record::{Column, Recording};
use parshall_sim::run;
use parshall_sim::scenario::Scenario;
use serde_json::{json, Value};

const FILL: u32 = 100;
const SECONDS: f64 = 40.0;
/// From here on something is counted.
const SETTLED: f64 = 15.0;
/// Time between two looks at the queue.
const SAMPLE: f64 = 0.0037;

/// A flow and where it differs from the others.
#[derive(Clone)]
struct Sender {
    options: Value,
    start: f64,
    stop: f64,
    /// How far its host is from the router.
    delay: f64,
}

/// Flows with these options from 0 s on, a second apart, over one link with this queue.
fn record(flows: &[Value], queue: Value) -> Recording {
    let sender = |(index, options): (usize, &Value)| Sender { start: index as f64, ..sender(options) };
    record_from(&flows.iter().enumerate().map(sender).collect::<Vec<_>>(), queue)
}

/// A flow that lasts as long as the run.
fn sender(options: &Value) -> Sender {
    Sender { options: options.clone(), start: 0.0, stop: SECONDS, delay: 0.0 }
}

fn record_from(senders: &[Sender], queue: Value) -> Recording {
    let access = |(index, sender): (usize, &Sender)| json!({"between": [format!("a{index}"), "r"], "rate": 1e9, "delay": sender.delay});
    let flow = |(index, sender): (usize, &Sender)| {
        let mut transport = json!({"kind": "tcp", "payload_bytes": 960, "recovery": "sack"});
        for (key, value) in sender.options.as_object().expect("options") {
            transport[key] = value.clone();
        }
        json!({"name": format!("f{index}"), "source": format!("a{index}"), "destination": "b",
               "start": sender.start, "stop": sender.stop, "transport": transport, "app": {"kind": "bulk"}})
    };
    let mut hosts: Vec<String> = (0..senders.len()).map(|index| format!("a{index}")).collect();
    hosts.push("b".into());
    let mut links: Vec<Value> = senders.iter().enumerate().map(access).collect();
    links.push(
        json!({"name": "bottleneck", "between": ["r", "b"], "rate": 20e6, "delay": 0.02, "queue": queue,
                      "reverse": {"rate": 1e9, "queue": {"kind": "droptail"}}}),
    );
    let scenario = json!({
        "duration": SECONDS,
        "warm_up": SETTLED,
        "hosts": hosts,
        "routers": ["r"],
        "links": links,
        "flows": senders.iter().enumerate().map(flow).collect::<Vec<_>>(),
        "record": {"port_series": {"of": ["bottleneck"], "interval": SAMPLE},
                   "flow_series": {"of": ["*"], "interval": 0.25}},
    });
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    run(&scenario, 1).expect("a recording")
}

fn droptail(packets: u32) -> Value {
    json!({"kind": "droptail", "limit_packets": packets})
}

/// RED as DCTCP wants it (RFC 8257, section 3.1): whatever finds more than `threshold` packets is marked.
fn marks_above(threshold: f64) -> Value {
    json!({"kind": "red", "min_threshold_packets": threshold, "max_threshold_packets": threshold,
           "max_probability": 1.0, "weight": {"kind": "fixed", "value": 1.0}, "limit_packets": 1000,
           "wait": false, "ecn": true})
}

fn reals(recording: &Recording, table: &str, name: &str) -> Vec<f64> {
    let table = recording.tables.iter().find(|t| t.name == table).expect("a table");
    match table.columns.iter().find(|(n, _)| *n == name).expect("a column").1.clone().expanded() {
        Column::F64(values) => values,
        Column::U64(values) => values.iter().map(|&v| v as f64).collect(),
        Column::I64(values) => values.iter().map(|&v| v as f64).collect(),
        Column::I32(values) => values.iter().map(|&v| f64::from(v)).collect(),
        other => panic!("{other:?}"),
    }
}

/// Shares of the link that flows have had.
fn shares(recording: &Recording) -> Vec<f64> {
    let whole = (SECONDS - SETTLED) * 2500.0;
    reals(recording, "flows", "packets_delivered").iter().map(|packets| packets / whole).collect()
}

/// Packets at the bottleneck, over time.
fn backlog(recording: &Recording) -> Vec<f64> {
    let times = reals(recording, "port_series", "time");
    let backlog = reals(recording, "port_series", "backlog_packets");
    times.iter().zip(backlog).filter(|(&time, _)| time >= SETTLED).map(|(_, backlog)| backlog).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn bbr() -> Value {
    json!({"control": {"kind": "bbr"}})
}

fn dctcp() -> Value {
    json!({"control": {"kind": "dctcp"}, "ecn": true})
}

/// Cardwell et al. 2016: full throughput at the least delay, whatever the buffer.
#[test]
fn bbr_fills_the_link_without_filling_the_buffer() {
    for buffer in [FILL / 2, FILL, 4 * FILL] {
        let recording = record(&[bbr()], droptail(buffer));
        let (share, queue) = (shares(&recording)[0], mean(&backlog(&recording)));
        assert!(share > 0.95, "buffer {buffer}: {share}");
        assert!(queue < 0.15 * f64::from(FILL), "buffer {buffer}: {queue}");
        assert_eq!(reals(&recording, "flows", "packets_dropped"), [0.0], "buffer {buffer}");
    }
}

/// Section 4.3.5 of the draft: every ten seconds next to nothing is in flight for 200 ms.
#[test]
fn bbr_empties_the_path_every_ten_seconds() {
    let recording = record(&[bbr()], droptail(4 * FILL));
    let times = reals(&recording, "port_series", "time");
    let departed = reals(&recording, "port_series", "packets_departed");
    let rate = |at: f64| {
        let place = |t: f64| times.iter().position(|&time| time >= t).expect("within the run");
        (departed[place(at + 0.1)] - departed[place(at)]) / 0.1
    };
    let instants = (0..240).map(|step| SETTLED + 0.5 + f64::from(step) / 10.0);
    let slow: Vec<f64> = instants.filter(|&t| rate(t) < 500.0).collect();
    let begins = |&t: &f64| !slow.iter().any(|s| *s < t && t - s < 1.0);
    let begun: Vec<f64> = slow.iter().copied().filter(begins).collect();
    assert_eq!(begun.len(), 2, "{slow:?}");
    assert!((begun[1] - begun[0] - 10.2).abs() < 0.3, "{slow:?}");
}

/// Cardwell et al. 2016: flows of BBR converge to fair shares of a deep buffer's link.
#[test]
fn two_flows_of_bbr_share_a_deep_buffer() {
    let recording = record(&[bbr(), bbr()], droptail(4 * FILL));
    let shares = shares(&recording);
    assert!(shares.iter().sum::<f64>() > 0.95, "{shares:?}");
    assert!(shares.iter().all(|share| (0.3..0.7).contains(share)), "{shares:?}");
}

/// What share of a link that loses packets at random a flow with this control delivers.
fn lossy(control: &Value, probability: f64) -> f64 {
    let options = json!({"kind": "tcp", "payload_bytes": 960, "recovery": "sack", "control": control});
    let scenario = json!({
        "duration": SECONDS, "hosts": ["a", "b"],
        "links": [{"between": ["a", "b"], "rate": 20e6, "delay": 0.02, "queue": droptail(FILL),
                   "loss": {"kind": "bernoulli", "probability": probability},
                   "reverse": {"queue": {"kind": "droptail"}}}],
        "flows": [{"name": "f", "source": "a", "destination": "b", "transport": options, "app": {"kind": "bulk"}}],
    });
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    reals(&run(&scenario, 1).expect("a recording"), "flows", "packets_delivered")[0] / (SECONDS * 2500.0)
}

/// Losses that are no congestion do not slow BBR, up to 15 % or so; they stop CUBIC.
#[test]
fn bbr_does_not_take_a_loss_for_congestion() {
    let (bbr, cubic) = (lossy(&json!({"kind": "bbr"}), 0.02), lossy(&json!({"kind": "cubic"}), 0.02));
    assert!(bbr > 0.85, "{bbr}");
    assert!(cubic < 0.3, "{cubic}");
}

/// Alizadeh et al. 2010: full throughput with a threshold of a seventh of the path's product, and a queue that
/// stays near the threshold.
#[test]
fn dctcp_fills_the_link_with_a_queue_at_the_threshold() {
    let threshold = 20.0;
    for count in [1, 2, 8] {
        let recording = record(&vec![dctcp(); count], marks_above(threshold));
        let total: f64 = shares(&recording).iter().sum();
        let queue = backlog(&recording);
        assert!(total > 0.97, "{count}: {total}");
        assert!((0.3 * threshold..1.6 * threshold).contains(&mean(&queue)), "{count}: {}", mean(&queue));
        assert!(queue.iter().all(|&packets| packets < 4.0 * threshold), "{count}");
        assert_eq!(reals(&recording, "flows", "packets_dropped").iter().sum::<f64>(), 0.0);
    }
}

/// The same network with RFC 3168's answer to a mark, a halving: the link is not full.
#[test]
fn halving_at_that_threshold_wastes_the_link() {
    let reno = json!({"ecn": true});
    let (halved, dctcp) = (record(&[reno], marks_above(5.0)), record(&[dctcp()], marks_above(5.0)));
    assert!(shares(&halved)[0] < 0.9, "{:?}", shares(&halved));
    assert!(shares(&dctcp)[0] > shares(&halved)[0] + 0.05, "{:?}", shares(&dctcp));
}

#[test]
fn flows_of_dctcp_share_fairly() {
    let shares = shares(&record(&vec![dctcp(); 4], marks_above(20.0)));
    assert!(shares.iter().all(|share| (0.2..0.3).contains(share)), "{shares:?}");
}

/// DCTCP has nothing to go by without marks.
#[test]
fn dctcp_without_ecn_is_refused() {
    let mut scenario = json!({
        "duration": 1.0, "hosts": ["a", "b"], "links": [{"between": ["a", "b"], "rate": 1e6, "delay": 0.0}],
        "flows": [{"name": "f", "source": "a", "destination": "b", "app": {"kind": "bulk"},
                   "transport": {"kind": "tcp", "control": {"kind": "dctcp"}}}],
    });
    let mut refused = |gain: f64, ecn: bool| {
        let transport = &mut scenario["flows"][0]["transport"];
        (transport["control"]["gain"], transport["ecn"]) = (json!(gain), json!(ecn));
        let scenario: Scenario = serde_json::from_value(scenario.clone()).expect("a scenario");
        run(&scenario, 1).err().map(|error| error.to_string())
    };
    assert_eq!(refused(0.0625, true), None);
    assert!(
        refused(0.0625, false).expect("no marks").contains("flows[0].transport.ecn"),
        "{:?}",
        refused(0.1, false)
    );
    assert!(refused(1.5, true).expect("too much").contains("control.gain"), "{:?}", refused(1.5, true));
}

/// Copa, with or without the mode in which it competes.
fn copa(delta: f64, competitive: bool) -> Value {
    json!({"control": {"kind": "copa", "delta": delta, "competitive": competitive}})
}

/// Jain's index: 1 if all are equal, 1/n if one has everything.
fn jain(shares: &[f64]) -> f64 {
    shares.iter().sum::<f64>().powi(2)
        / shares.len() as f64
        / shares.iter().map(|share| share * share).sum::<f64>()
}

/// Packets that wait at the bottleneck, without the one that is on its way.
fn waiting(recording: &Recording) -> Vec<f64> {
    backlog(recording).iter().map(|packets| (packets - 1.0).max(0.0)).collect()
}

/// Section 3 of Arun and Balakrishnan 2018: the queue of a flow alone goes from 0 to 2.5/delta packets and back in
/// five round trips, at an even pace. Packets are whole, so a cycle of few of them may be shorter.
#[test]
fn copa_keeps_the_queue_between_nothing_and_two_and_a_half_over_delta() {
    for delta in [0.5, 0.2, 0.1] {
        let recording = record(&[copa(delta, false)], droptail(4 * FILL));
        let queue = waiting(&recording);
        let (share, peak) = (shares(&recording)[0], queue.iter().copied().fold(0.0, f64::max));
        assert!(share > 0.99, "{delta}: {share}");
        assert!((mean(&queue) * delta - 1.25).abs() < 0.2, "{delta}: {}", mean(&queue));
        assert!((peak * delta - 2.5).abs() < 0.35, "{delta}: {peak}");
        let period = (SECONDS - SETTLED) / cycles(&queue, 0.5 / delta, 2.0 / delta);
        let round_trip = 0.04 + (1.0 + mean(&queue)) / 2500.0;
        let round_trips = period / round_trip;
        assert!((3.9..5.2).contains(&round_trips), "{delta}: {round_trips}");
    }
}

/// How often something goes from `low` or less to `high` or more.
fn cycles(values: &[f64], low: f64, high: f64) -> f64 {
    let (mut risen, mut count) = (false, 0.0);
    for &value in values {
        if value <= low {
            risen = false;
        } else if value >= high && !risen {
            (risen, count) = (true, count + 1.0);
        }
    }
    count
}

/// Section 2.2: it stays in the default mode if there are only flows of Copa. Here two do; four no longer do.
#[test]
fn copa_alone_does_not_compete() {
    for count in [1, 2] {
        let recording = record(&vec![copa(0.5, true); count], droptail(4 * FILL));
        let queue = mean(&waiting(&recording));
        assert!(shares(&recording).iter().sum::<f64>() > 0.99, "{:?}", shares(&recording));
        assert!(queue < 3.0 * count as f64, "{count}: {queue}");
    }
}

/// Section 3: all flows have the same rate, and each keeps 1/delta packets in the queue.
#[test]
fn flows_of_copa_share_equally_and_add_up_in_the_queue() {
    for count in [2, 4, 8] {
        let recording = record(&vec![copa(0.5, false); count], droptail(4 * FILL));
        let (shares, queue) = (shares(&recording), mean(&waiting(&recording)) / count as f64);
        assert!(shares.iter().sum::<f64>() > 0.99, "{count}: {shares:?}");
        assert!(jain(&shares) > 0.99, "{count}: {shares:?}");
        assert!((2.0..3.0).contains(&queue), "{count}: {queue}");
    }
}

/// Section 1: fairer to flows with different round-trip times than CUBIC.
#[test]
fn copa_is_fairer_than_cubic_to_flows_with_different_round_trips() {
    let shared = |options: &Value| {
        let far = Sender { delay: 0.02, ..sender(options) };
        shares(&record_from(&[sender(options), far], droptail(FILL)))
    };
    let (copa, cubic) = (shared(&copa(0.5, false)), shared(&json!({"control": {"kind": "cubic"}})));
    assert!(jain(&copa) > 0.95, "{copa:?}");
    assert!(jain(&cubic) < 0.9, "{cubic:?}");
}

/// Packets that each flow has delivered from one time to another, as shares of the link.
fn shares_between(recording: &Recording, from: f64, to: f64) -> Vec<f64> {
    let (times, flows) = (reals(recording, "flow_series", "time"), reals(recording, "flow_series", "flow"));
    let delivered = reals(recording, "flow_series", "packets_delivered");
    let at = |time: f64, flow: usize| {
        let place = (0..times.len()).find(|&row| times[row] >= time && flows[row] == flow as f64);
        delivered[place.expect("a sample")]
    };
    let flows = shares(recording).len();
    (0..flows).map(|flow| (at(to, flow) - at(from, flow)) / ((to - from) * 2500.0)).collect()
}

/// Section 2.1: v brings a flow that comes later to its share within some tens of round trips.
#[test]
fn a_late_flow_of_copa_gets_its_share_within_seconds() {
    for competitive in [false, true] {
        let options = copa(0.5, competitive);
        let senders = [10.0, 20.0].map(|start| Sender { start, ..sender(&options) });
        let recording = record_from(&senders, droptail(4 * FILL));
        for from in [21.0, 25.0, 35.0] {
            let shares = shares_between(&recording, from, from + 2.0);
            assert!(jain(&shares) > 0.97, "{competitive}, from {from} s: {shares:?}");
        }
    }
}

/// Section 2.2: competing, it holds its own beside a flow that fills the buffer; without that it starves.
#[test]
fn copa_competes_with_cubic_if_it_may() {
    for (buffer, least) in [(FILL, 0.3), (2 * FILL, 0.25), (4 * FILL, 0.12)] {
        let beside = |competitive: bool| {
            let flows = [copa(0.5, competitive), json!({"control": {"kind": "cubic"}})];
            shares(&record(&flows, droptail(buffer)))[0]
        };
        let (may, may_not) = (beside(true), beside(false));
        assert!((least..0.6).contains(&may), "buffer {buffer}: {may}");
        assert!(may_not < 0.1, "buffer {buffer}: {may_not}");
    }
}

/// Section 2.2: when the other flow has left, the queue empties again, which ends the competitive mode.
#[test]
fn copa_stops_competing_when_the_other_flow_has_left() {
    let cubic = Sender { stop: 20.0, ..sender(&json!({"control": {"kind": "cubic"}})) };
    let recording = record_from(&[sender(&copa(0.5, true)), cubic], droptail(FILL));
    let queue = waiting(&recording);
    let seconds = |count: f64| (count / SAMPLE) as usize;
    let (before, after) = (mean(&queue[..seconds(20.0 - SETTLED)]), mean(&queue[seconds(25.0 - SETTLED)..]));
    assert!(before > 30.0, "{before}");
    assert!(after < 3.0, "{after}");
}

/// Section 5: losses that are no congestion hardly slow Copa.
#[test]
fn copa_does_not_take_a_loss_for_congestion() {
    let control = &copa(0.5, true)["control"];
    let (few, many) = (lossy(control, 0.001), lossy(control, 0.01));
    let cubic = lossy(&json!({"kind": "cubic"}), 0.01);
    assert!(few > 0.95, "{few}");
    assert!(many > 0.75, "{many}");
    assert!(cubic < 0.15, "{cubic}");
}

/// BBR with version 3's bounds, or without.
fn bbr_bounded(bounds: bool) -> Value {
    json!({"control": {"kind": "bbr", "bounds": bounds}, "ecn": true})
}

/// The share of packets that the queue drops.
fn dropped(recording: &Recording) -> f64 {
    let sum = |name| reals(recording, "flows", name).iter().sum::<f64>();
    sum("packets_dropped") / sum("packets_sent")
}

/// What version 3 is for: over shallow buffers fewer losses, and nobody starves.
#[test]
fn bounds_spare_shallow_buffers() {
    for (flows, buffer) in [(1, FILL / 4), (4, FILL / 4), (4, FILL)] {
        let [free, bounded] =
            [false, true].map(|bounds| record(&vec![bbr_bounded(bounds); flows], droptail(buffer)));
        assert!(dropped(&bounded) < 0.5 * dropped(&free), "{flows} flows over {buffer}");
        assert!(shares(&bounded).iter().sum::<f64>() > 0.97, "{flows} flows over {buffer}");
        let least = shares(&bounded).into_iter().fold(1.0, f64::min);
        assert!(least > 0.4 / flows as f64, "{flows} flows over {buffer}: {least}");
    }
}

#[test]
fn bounds_change_nothing_where_nothing_is_lost() {
    let [free, bounded] = [false, true].map(|bounds| record(&[bbr_bounded(bounds)], droptail(4 * FILL)));
    assert_eq!(shares(&free), shares(&bounded));
}

#[test]
fn bounds_keep_the_queue_below_where_marks_begin() {
    let recording = record(&vec![bbr_bounded(true); 2], marks_above(30.0));
    let (dropped, queue) = (dropped(&recording), mean(&backlog(&recording)));
    assert!(dropped < 0.002, "{dropped}");
    assert!(queue < 30.0, "{queue}");
    assert!(shares(&recording).into_iter().all(|share| share > 0.25), "{:?}", shares(&recording));
}

#[test]
fn bounds_leave_cubic_more() {
    let beside = |bounds| {
        let flows = [bbr_bounded(bounds), json!({"control": {"kind": "cubic"}})];
        shares(&record(&flows, droptail(2 * FILL)))[1]
    };
    let [free, bounded] = [false, true].map(beside);
    assert!(bounded > free + 0.05, "{bounded} against {free}");
}

/// A control that this crate does not have, from outside of it.
mod handed_over {
    use std::sync::Arc;
    use std::time::Duration;

    use parshall_sim::compile::{Folding, Plan};
    use parshall_sim::control::user::{Answer, Config, Maker, UserControl};
    use parshall_sim::control::{AckSample, Loss, Start};
    use parshall_sim::pulse::{Failure, Method};
    use parshall_sim::run::{run_once, Batch, Job};
    use parshall_sim::units::Time;

    use super::*;

    /// AIMD, until it does something else.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Own {
        Sound,
        Fails,
        Hangs,
    }

    impl UserControl for Own {
        fn on_ack(&mut self, answer: &mut Answer, ack: &AckSample<'_>) -> Result<(), Failure> {
            let late = ack.now > Time::from_secs(2.0);
            if late && *self == Own::Fails {
                return Err(Failure::new("had enough"));
            }
            if late && *self == Own::Hangs {
                std::thread::sleep(Duration::from_secs(3600));
            }
            if ack.may_grow {
                answer.window.open_as_reno(ack);
            }
            Ok(())
        }

        fn after_loss(&mut self, _: &mut Answer, loss: &Loss, _: Method) -> Result<f64, Failure> {
            Ok(loss.in_use / 2.0)
        }

        fn on_restart(&mut self, _: &mut Answer, _: Time) -> Result<(), Failure> {
            Ok(())
        }

        fn on_timer(&mut self, _: &mut Answer, _: Time) -> Result<(), Failure> {
            Ok(())
        }
    }

    impl Maker for Own {
        fn name(&self) -> &str {
            "Own"
        }

        fn make(&self, _: &Start<'_>, _: &mut Answer) -> Result<Box<dyn UserControl>, Failure> {
            Ok(Box::new(*self))
        }

        fn exact_echo(&self) -> bool {
            false
        }

        fn time_limit(&self) -> Option<Duration> {
            Some(Duration::from_millis(200))
        }
    }

    fn scenario(control: Value) -> Scenario {
        let flow = json!({"name": "f", "source": "a", "destination": "b", "app": {"kind": "bulk"},
                          "transport": {"kind": "tcp", "recovery": "sack", "control": control}});
        let queue = droptail(20);
        let link = json!({"between": ["a", "b"], "rate": 5e6, "delay": 0.02, "queue": queue});
        serde_json::from_value(
            json!({"duration": 10.0, "hosts": ["a", "b"], "links": [link], "flows": [flow]}),
        )
        .expect("a scenario")
    }

    fn user() -> Scenario {
        scenario(
            json!({"kind": "user", "form": "rust", "source": "here", "code": "00", "values": {"gain": 1.5}}),
        )
    }

    fn plan(own: Own) -> Plan {
        let mut scenario = user();
        let found = |config: &Config| -> Result<Arc<dyn Maker>, ()> {
            assert_eq!(
                (config.form.as_str(), config.source.as_str(), config.values.len()),
                ("rust", "here", 1)
            );
            Ok(Arc::new(own))
        };
        scenario.hand_over(found).expect("it is here");
        Plan::of(scenario, Folding::On).expect("a plan")
    }

    #[test]
    fn it_does_what_the_engines_own_does() {
        let ours = run_once(plan(Own::Sound), 1).expect("a recording");
        let theirs = run(&scenario(json!({"kind": "aimd"})), 1).expect("a recording");
        for table in ["flows", "ports"] {
            let columns = |recording: &Recording| {
                let table = recording.tables.iter().find(|each| each.name == table).expect("a table");
                format!("{:?}", table.columns)
            };
            assert_eq!(columns(&ours), columns(&theirs));
        }
    }

    #[test]
    fn code_that_was_not_handed_over_is_asked_for() {
        let error = run(&user(), 1).expect_err("nobody handed it over");
        assert_eq!(
            error.to_string(),
            "flows[0].transport.control.source: got \"here\", expected rust code that is handed over"
        );
    }

    #[test]
    fn a_failure_ends_its_run_and_says_where() {
        let failure = run_once(plan(Own::Fails), 1).expect_err("a failure");
        assert!(failure.message.starts_with("Own.on_ack, flow f, 2.0"), "{failure}");
        assert!(failure.message.ends_with(" s: had enough"), "{failure}");
    }

    #[test]
    fn a_run_that_hangs_is_given_up_and_the_next_one_takes_its_place() {
        let plans = [Own::Sound, Own::Hangs, Own::Sound, Own::Hangs, Own::Fails].map(plan).map(Arc::new);
        let jobs = plans.into_iter().map(|plan| Job { plan, seed: 1 }).collect();
        let mut batch = Batch::start_joining(jobs, 1);
        let mut ended = vec![String::new(); 5];
        while let Some(done) = batch.next(Duration::from_secs(1)) {
            for (indices, result) in done {
                for index in indices {
                    ended[index] = result.as_ref().map_or_else(ToString::to_string, |_| "done".into());
                }
            }
        }
        assert_eq!((ended[0].as_str(), ended[2].as_str()), ("done", "done"));
        assert!(ended[1].ends_with("does not return for 0 s"), "{ended:?}");
        assert!(ended[3].starts_with("Own.on_ack, flow f, 2.0"), "{ended:?}");
        assert!(ended[4].ends_with("had enough"), "{ended:?}");
    }
}
