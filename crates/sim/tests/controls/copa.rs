//! Copa.

use super::*;

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

/// Number of crossings from `low` or less to `high` or more.
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

/// Section 2.2: when the other flow has left, the queue swings as it does for a flow alone, which ends the competitive
/// mode: by 1.25/delta packets on average above its trough. The trough is what the least round trip of the last ten
/// seconds was measured over, which depends on when CUBIC stopped, and which nothing in the paper drains.
#[test]
fn copa_stops_competing_when_the_other_flow_has_left() {
    for stop in [19.9, 19.97, 20.0, 20.013, 20.1] {
        let cubic = Sender { stop, ..sender(&json!({"control": {"kind": "cubic"}})) };
        let recording = record_from(&[sender(&copa(0.5, true)), cubic], droptail(FILL));
        let queue = waiting(&recording);
        let seconds = |count: f64| (count / SAMPLE) as usize;
        let (beside, alone) = (&queue[..seconds(stop - SETTLED)], &queue[seconds(25.0 - SETTLED)..]);
        let trough = alone.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(mean(beside) > 30.0, "{stop}: {}", mean(beside));
        assert!(trough < 10.0, "{stop}: {trough}");
        assert!((mean(alone) - trough - 2.5).abs() < 0.5, "{stop}: {} above {trough}", mean(alone));
    }
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
