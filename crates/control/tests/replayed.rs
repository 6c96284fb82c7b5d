//! The example `ack_log` with each control that has a name.

use std::collections::HashSet;

use parshall_control::Control;
use proptest::prelude::*;

use super::ack_log::{replay, LOG};

/// The windows of a replay, line by line.
fn windows(lines: &str) -> Vec<f64> {
    let cwnd = |line: &str| line.split_whitespace().nth(2).and_then(|cwnd| cwnd.parse().ok());
    lines.lines().skip(1).map(|line| cwnd(line).expect(line)).collect()
}

#[test]
fn each_control_has_a_window_after_each_event() {
    let mut seen = HashSet::new();
    for name in Control::NAMES {
        let lines = replay(name, LOG).expect(name);
        let windows = windows(&lines);
        assert_eq!(windows.len(), 303, "{name}");
        assert!(windows.iter().all(|cwnd| (1.0..1000.0).contains(cwnd)), "{name}: {windows:?}");
        assert!(windows.iter().any(|cwnd| *cwnd > 6.0), "{name} never opens its window");
        assert!(seen.insert(lines), "{name} does what another does");
    }
}

#[test]
fn those_that_are_paced_ask_for_a_rate_in_the_end() {
    for name in Control::NAMES {
        let lines = replay(name, LOG).expect(name);
        let asks = !lines.trim_end().ends_with('-');
        assert_eq!(asks, name.parse::<Control>().expect(name).paced(), "{name}");
    }
}

#[test]
fn a_replay_gives_the_same_bits_each_time() {
    for name in Control::NAMES {
        assert_eq!(replay(name, LOG), replay(name, LOG), "{name}");
    }
}

#[test]
fn a_wrong_name_is_answered_in_one_line_with_those_there_are() {
    let line = replay("renoo", LOG).expect_err("no such control");
    assert_eq!(line.lines().count(), 1);
    for name in Control::NAMES {
        assert!(line.contains(name), "{line}");
    }
}

/// A line of a log: milliseconds since the one before, and its other columns. Hardly anything is ruled out.
fn event() -> impl Strategy<Value = (u32, String)> {
    let ack =
        (0u32..5, 1u32..400, 0u32..4, 0u32..2, 0u32..60).prop_map(|(acked, rtt, lost, marked, in_flight)| {
            format!("ack,{acked},{rtt},{lost},{marked},{in_flight}")
        });
    let other = (prop::sample::select(vec!["timeout", "restart"]), 0u32..60)
        .prop_map(|(name, in_flight)| format!("{name},,,,,{in_flight}"));
    (0u32..150, prop_oneof![15 => ack, 1 => other])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_happens_windows_and_rates_are_numbers_to_send_by(events in prop::collection::vec(event(), 1..200)) {
        let mut now = 500;
        let mut log = String::from("0.0,begin,,100.0,,,0\n");
        for (later, event) in &events {
            now += later;
            log += &format!("{}.{:03},{event}\n", now / 1000, now % 1000);
        }
        for name in Control::NAMES {
            let lines = replay(name, &log).expect(name);
            for cwnd in windows(&lines) {
                prop_assert!((1.0..1e5).contains(&cwnd), "{name}: {cwnd}");
            }
            for rate in lines.lines().skip(1).filter_map(|line| line.split_whitespace().nth(4)) {
                let holds = rate == "-" || rate.parse::<f64>().is_ok_and(|rate| rate > 0.0 && rate.is_finite());
                prop_assert!(holds, "{name}: {rate} packets a second");
            }
        }
    }
}
