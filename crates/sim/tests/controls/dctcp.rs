//! DCTCP.

use super::*;

fn dctcp() -> Value {
    json!({"control": {"kind": "dctcp"}, "ecn": true})
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

/// RFC 8257, section 3.1: one threshold of the queue itself. Slow start overshoots it many times, and is marked.
#[test]
fn a_step_marks_all_that_finds_the_queue_above_it_and_drops_none() {
    let step = |hard_drop: bool| {
        let mut queue = marks_above(20.0);
        queue["gentle"] = json!(false);
        queue["hard_drop"] = json!(hard_drop);
        record(&vec![dctcp(); 4], queue)
    };
    let dropped = |recording: &Recording| reals(recording, "flows", "packets_dropped").iter().sum::<f64>();
    let [hard, marked] = [true, false].map(step);
    assert!(dropped(&hard) > 10.0);
    assert_eq!(dropped(&marked), 0.0);
    assert!(reals(&marked, "ports", "packets_marked").iter().sum::<f64>() > 100.0);
    assert!(shares(&marked).iter().sum::<f64>() > 0.97);
    assert!((6.0..32.0).contains(&mean(&backlog(&marked))));
}

/// Answers a mark by a halving, as RFC 3168 does: the link is not full.
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
