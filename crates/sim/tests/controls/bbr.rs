//! BBR, and the bounds of its version 3.

use super::*;

fn bbr() -> Value {
    json!({"control": {"kind": "bbr"}})
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
    // The least round trip is seen for the last time when a queue forms, some round trips after the end of ProbeRTT.
    assert!((10.0..11.0).contains(&(begun[1] - begun[0])), "{slow:?}");
}

/// Cardwell et al. 2016: flows of BBR converge to fair shares of a deep buffer's link.
#[test]
fn two_flows_of_bbr_share_a_deep_buffer() {
    let recording = record(&[bbr(), bbr()], droptail(4 * FILL));
    let shares = shares(&recording);
    assert!(shares.iter().sum::<f64>() > 0.95, "{shares:?}");
    assert!(shares.iter().all(|share| (0.3..0.7).contains(share)), "{shares:?}");
}

/// Losses that are no congestion do not slow BBR, up to 15 % or so; they stop CUBIC.
#[test]
fn bbr_does_not_take_a_loss_for_congestion() {
    let (bbr, cubic) = (lossy(&json!({"kind": "bbr"}), 0.02), lossy(&json!({"kind": "cubic"}), 0.02));
    assert!(bbr > 0.85, "{bbr}");
    assert!(cubic < 0.3, "{cubic}");
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

fn median<const N: usize>(mut values: [f64; N]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[N / 2]
}

/// Version 3 must lose less over shallow buffers, and starve nobody.
#[test]
fn bounds_spare_shallow_buffers() {
    for (flows, buffer) in [(1, FILL / 4), (4, FILL / 4), (4, FILL)] {
        let runs = [false, true].map(|bounds| drawn(&vec![bbr_bounded(bounds); flows], &droptail(buffer)));
        let [free, bounded] = runs.each_ref().map(|runs| median(runs.each_ref().map(dropped)));
        assert!(bounded < 0.5 * free, "{flows} flows over {buffer}: {bounded} against {free}");
        let [whole, least] = [|a: f64, b| a + b, f64::min]
            .map(|join| median(runs[1].each_ref().map(|run| shares(run).into_iter().reduce(join).unwrap())));
        assert!(whole > 0.97, "{flows} flows over {buffer}: {whole}");
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
    for buffer in [FILL, 4 * FILL] {
        let beside = |bounds| {
            let flows = [bbr_bounded(bounds), json!({"control": {"kind": "cubic"}})];
            mean(&drawn(&flows, &droptail(buffer)).map(|run| shares(&run)[1]))
        };
        let [free, bounded] = [false, true].map(beside);
        assert!(bounded > free + 0.05, "{bounded} against {free}");
    }
}
