//! The estimator of the non-responsive share on made-up flows whose nature is known.

use parshall_estimators::responsiveness::{Estimate, Flags, Label, Responsiveness, Settings};
use proptest::collection::vec;
use proptest::prelude::*;

/// Uniform numbers in [0, 1), the same in every run (Knuth's MMIX generator, upper bits).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Flows of about 100 packets/s through a port that drops one packet in 50; the first `responsive` of them then
/// pause for 0.3 s. Returns packets as (time, flow, dropped), in order of time.
fn traffic(responsive: u64, deaf: u64, seconds: f64, seed: u64) -> Vec<(f64, u64, bool)> {
    let mut random = Random(seed);
    let mut packets = Vec::new();
    for flow in 0..responsive + deaf {
        let mut now = random.uniform();
        while now < seconds {
            let dropped = random.uniform() < 0.02;
            packets.push((now, flow, dropped));
            now += 0.02 * random.uniform() + if dropped && flow < responsive { 0.3 } else { 0.0 };
        }
    }
    packets.sort_by(|a, b| a.0.total_cmp(&b.0));
    packets
}

fn estimates(port: &mut Responsiveness, packets: &[(f64, u64, bool)]) -> Vec<Estimate> {
    let mut estimates = Vec::with_capacity(1000);
    for &(now, flow, dropped) in packets {
        estimates.extend(std::iter::from_fn(|| port.close(now)));
        port.packet(now, flow, dropped);
    }
    estimates
}

fn port(flows: u32) -> Responsiveness {
    Responsiveness::new(Settings { flows, ..Settings::default() }).expect("settings in range")
}

/// Share of packets of the deaf flows, which come after the responsive ones, from `from_s` on.
fn truth(packets: &[(f64, u64, bool)], responsive: u64, from_s: f64) -> f64 {
    let late: Vec<_> = packets.iter().filter(|p| p.0 >= from_s).collect();
    late.iter().filter(|p| p.1 >= responsive).count() as f64 / late.len() as f64
}

fn bounds(estimate: &Estimate) -> (f64, f64) {
    (estimate.share_lower.expect("packets came"), estimate.share_upper.expect("packets came"))
}

fn mean_share(estimates: &[Estimate], from_s: f64) -> f64 {
    let late = estimates.iter().filter(|e| e.end_s > from_s);
    let shares: Vec<f64> = late.map(|e| e.share.expect("flows have shown what they do")).collect();
    shares.iter().sum::<f64>() / shares.len() as f64
}

#[test]
fn the_share_of_deaf_flows_is_found() {
    for (responsive, deaf) in [(10, 0), (10, 3), (5, 10), (1, 10), (0, 10)] {
        let packets = traffic(responsive, deaf, 60.0, 11);
        let found = mean_share(&estimates(&mut port(4096), &packets), 30.0);
        let truth = truth(&packets, responsive, 30.0);
        assert!((found - truth).abs() < 0.05, "{responsive} and {deaf}: {found} for {truth}");
    }
}

#[test]
fn doubt_goes_as_evidence_comes() {
    let estimates = estimates(&mut port(4096), &traffic(10, 10, 60.0, 3));
    let (first, last) = (&estimates[0], estimates.last().expect("a minute has intervals"));
    assert!(first.flags.contains(Flags::WARMING_UP | Flags::LOW_EXCITATION | Flags::DOUBTFUL));
    assert_eq!(last.flags, Flags::NONE);
    assert!(first.share.is_none() && last.share.is_some());
    assert!(last.doubt < first.doubt);
    assert!(first.resolved < 0.5 && last.resolved > 0.95);
    assert_eq!(last.watched, 1.0);
    assert_eq!(bounds(first), (0.0, 1.0));
}

#[test]
fn a_small_table_watches_a_sample_of_the_flows() {
    let packets = traffic(200, 200, 60.0, 5);
    let truth = truth(&packets, 200, 30.0);
    let mut widths = Vec::new();
    for estimate in estimates(&mut port(128), &packets).iter().filter(|e| e.end_s > 30.0) {
        assert!(estimate.flags.contains(Flags::SAMPLED), "{estimate:?}");
        assert!((0.03..0.6).contains(&estimate.watched), "{estimate:?}");
        let (lower, upper) = bounds(estimate);
        assert!(upper - lower > 0.05, "a sample leaves a doubt: {estimate:?}");
        let error = ((lower + upper) / 2.0 - truth).abs();
        assert!(error < 0.75 * (upper - lower), "{estimate:?} for {truth}");
        widths.push(upper - lower);
    }
    widths.sort_by(f64::total_cmp);
    let median = widths[widths.len() / 2];
    assert!(median < 0.45, "they say something: {median}");
}

#[test]
fn a_silent_port_says_so() {
    let settings = Settings { flows: 64, ..Settings::default() };
    let mut port = Responsiveness::from_zero(settings).expect("settings in range");
    port.packet(0.1, 1, false);
    let estimates: Vec<Estimate> = std::iter::from_fn(|| port.close(2.2)).collect();
    assert_eq!(estimates.len(), 3);
    assert!(estimates[0].flags.contains(Flags::NO_SIGNALS));
    assert_eq!((estimates[0].share, bounds(&estimates[0])), (None, (0.0, 1.0)));
    for estimate in &estimates[1..] {
        assert!(estimate.flags.contains(Flags::NO_PACKETS));
        assert_eq!((estimate.share, estimate.share_se, estimate.packets), (None, None, 0));
    }
    assert!(port.close(f64::INFINITY).is_none() && port.close(f64::NAN).is_none());
}

/// As of a capture, whose times count from 1970.
#[test]
fn time_starts_with_the_first_packet_and_a_silence_costs_nothing() {
    let mut port = port(64);
    let interval = port.settings().interval_s;
    assert_eq!(port.close(1.7e9), None);
    for i in 0..1000 {
        let now = 1.7e9 + f64::from(i) * 0.01;
        if let Some(estimate) = port.close(now) {
            assert!((now - 0.02..=now).contains(&estimate.end_s), "{estimate:?} at {now}");
            assert!(estimate.packets >= 1);
        }
        port.packet(now, 1, i % 50 == 0);
    }
    let late: Vec<Estimate> = std::iter::from_fn(|| port.close(1.8e9)).collect();
    assert_eq!(late.len(), 1);
    assert!(late[0].end_s < 1.7e9 + 10.0 + interval && late[0].packets > 0);
    port.packet(1.8e9, 1, false);
    let next = port.close(1.8e9 + interval).expect("the interval of the packet");
    assert!((1.8e9..=1.8e9 + interval).contains(&next.end_s) && next.packets == 1);
}

#[test]
fn packets_out_of_time_change_nothing_but_the_flags() {
    let packets = traffic(5, 5, 30.0, 9);
    let (mut clean, mut disturbed) = (port(256), port(256));
    let expected = estimates(&mut clean, &packets);
    let mut found = Vec::new();
    for &(now, flow, dropped) in &packets {
        found.extend(std::iter::from_fn(|| disturbed.close(now)));
        disturbed.packet(now, flow, dropped);
        for wrong in [now - 0.01, f64::NAN, f64::INFINITY, -1.0] {
            disturbed.packet(wrong, flow, true);
        }
    }
    for (expected, found) in expected.iter().zip(&found) {
        assert!(found.flags.contains(Flags::BAD_SAMPLE) && !expected.flags.contains(Flags::BAD_SAMPLE));
        assert_eq!(Estimate { flags: expected.flags, ..*found }, *expected);
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let refused = |settings| Responsiveness::new(settings).expect_err("out of range").to_string();
    let interval = |interval_s| refused(Settings { interval_s, ..Settings::default() });
    assert_eq!(interval(0.0), "interval_s: got 0, expected a time above 0, in seconds");
    assert_eq!(interval(f64::NAN), "interval_s: got NaN, expected a time above 0, in seconds");
    let flows = refused(Settings { flows: 1, ..Settings::default() });
    assert_eq!(flows, "flows: got 1, expected a whole number from 2 to 16777216");
}

/// Fates that come late and out of order change nothing but when the estimates come.
#[test]
fn packets_count_in_the_order_of_their_arrival_whenever_their_fates_are_told() {
    let packets = traffic(10, 5, 30.0, 21);
    let expected = estimates(&mut port(4096), &packets);
    let mut port = port(4096);
    let mut found = Vec::new();
    let mut undecided = std::collections::VecDeque::new();
    for (i, &(now, flow, signalled)) in packets.iter().enumerate() {
        while let Some(estimate) = port.close(now) {
            found.push(estimate);
        }
        undecided.push_back((port.arrive(now, flow), signalled));
        // Forty packets wait; now and then a younger one is decided before its elders.
        if undecided.len() > 40 {
            let (ticket, signalled) = undecided.remove((i * 7) % 20).expect("forty wait");
            assert!(port.decide(ticket, Some(signalled)));
        }
    }
    for (ticket, signalled) in undecided {
        assert!(port.decide(ticket, Some(signalled)));
    }
    while let Some(estimate) = port.close(packets.last().expect("packets").0) {
        found.push(estimate);
    }
    assert_eq!(found, expected);
}

#[test]
fn a_packet_left_out_and_one_never_decided() {
    let mut port = port(64);
    let tickets = [0.1, 0.2, 0.3].map(|now| port.arrive(now, 1));
    assert!(port.close(1.0).is_none(), "nothing is known yet");
    assert!(port.decide(tickets[0], None) && port.decide(tickets[2], Some(true)));
    assert!(port.close(1.0).is_none(), "the second may still be dropped");
    port.settle();
    let estimate = port.close(1.0).expect("an interval is over");
    assert_eq!((estimate.packets, estimate.signals), (2, 1));
}

#[test]
fn evidence_is_of_the_flows_of_the_last_interval() {
    let packets = traffic(3, 2, 40.0, 4);
    let mut port = port(64);
    let mut sent = [0; 5];
    let mut asked = 0;
    for &(now, flow, dropped) in &packets {
        if let Some(estimate) = port.close(now) {
            let mut rows: Vec<_> = port.evidence().collect();
            rows.sort_by_key(|row| row.flow);
            let found: Vec<(u64, u32)> = rows.iter().map(|row| (row.flow, row.packets)).collect();
            let expected: Vec<(u64, u32)> = (0..).zip(sent).filter(|(_, packets)| *packets > 0).collect();
            assert_eq!(found, expected, "{estimate:?}");
            let doubt: f64 =
                rows.iter().map(|row| f64::from(row.packets) * 4.0 * row.deaf * (1.0 - row.deaf)).sum();
            assert!((doubt / estimate.packets as f64 - estimate.doubt.expect("packets came")).abs() < 1e-6);
            if estimate.end_s > 30.0 {
                for row in &rows {
                    assert_eq!(
                        row.label(),
                        if row.flow < 3 { Label::Responds } else { Label::Deaf },
                        "{row:?}"
                    );
                }
                asked += 1;
            }
            sent = [0; 5];
        }
        sent[flow as usize] += 1;
        port.packet(now, flow, dropped);
    }
    assert!(asked > 10);
}

/// A flow that few packets and no signals tell of is not judged at every interval.
#[test]
fn judgements_cost_little() {
    let quiet: Vec<(f64, u64, bool)> = (0..4000).map(|i| (f64::from(i) * 0.1, 1, i % 400 == 399)).collect();
    let mut port = port(64);
    let mut changes = 0;
    let mut last: Option<f64> = None;
    for &(now, flow, dropped) in &quiet {
        if let Some(estimate) = port.close(now) {
            let doubt = estimate.doubt.expect("packets came");
            changes += usize::from(last.is_some_and(|last| (last - doubt).abs() > 1e-9));
            last = Some(doubt);
        }
        port.packet(now, flow, dropped);
    }
    // 571 intervals of seven packets: one in three has the sixteenth packet, and ten a signal.
    assert!(changes <= 571 / 3 + 10, "{changes}");
}

proptest! {
    /// Whatever packets come: a share lies between its bounds, and is told exactly where they are near each other.
    #[test]
    fn a_share_is_told_between_near_bounds_alone(
        packets in vec((0.0..0.2f64, 0..40u64, 0..20u8), 1..400),
        places in 2..64u32,
    ) {
        let mut port = port(places);
        let mut now = 0.0;
        for (gap, flow, fate) in packets {
            now += gap;
            while let Some(estimate) = port.close(now) {
                prop_assert_eq!(estimate.share_lower.is_some(), estimate.watched > 0.0);
                if let (Some(lower), Some(upper)) = (estimate.share_lower, estimate.share_upper) {
                    prop_assert!(0.0 <= lower && lower <= upper && upper <= 1.0);
                    prop_assert_eq!(estimate.share.is_some(), upper - lower <= 0.2);
                    prop_assert_eq!(estimate.flags.contains(Flags::DOUBTFUL), estimate.share.is_none());
                    let inside = |share: f64| lower <= share && share <= upper;
                    prop_assert!(estimate.share.is_none_or(inside));
                    prop_assert!(estimate.doubt.is_some_and(|doubt| (0.0..=1.0).contains(&doubt)));
                }
                let watched: u32 = port.evidence().map(|flow| flow.packets).sum();
                prop_assert!(f64::from(watched) <= estimate.packets as f64);
            }
            port.packet(now, flow, fate == 0);
        }
    }
}
