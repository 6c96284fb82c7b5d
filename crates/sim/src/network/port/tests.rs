use super::*;
use crate::network::Service;
use crate::queue::AnyArrivalQueue;
use crate::scenario;
use crate::units::Rate;
use proptest::prelude::*;

const DELAY: Time = Time::from_ps(10_000_000_000);

fn no_lead() -> Time {
    Time::ZERO
}

fn plain() -> Port {
    Port::new(0, DELAY, None)
}

fn droptail(limit_packets: Option<u32>) -> ArrivalPort {
    let queue = scenario::Queue::Droptail(scenario::DropTail { limit_packets, limit_bytes: None });
    let discipline = AnyArrivalQueue::new(&queue, Rate::from_bps(8e6), || unreachable!());
    ArrivalPort::new(discipline.expect("decides at arrival"), None, None, Service::Constant, None)
}

fn packet(size: u16) -> Packet {
    Packet::data(0, size, 0, Time::ZERO)
}

fn secs(departure: Option<Time>) -> Option<f64> {
    departure.map(Time::secs)
}

#[test]
fn packets_wait_for_those_in_front() {
    let (kind, mut port) = (PortKind::of_tests(None, 0.0), plain());
    assert_eq!(secs(port.pass(&kind, Time::ZERO, 1000, no_lead)), Some(0.001));
    assert_eq!(secs(port.pass(&kind, Time::from_secs(0.0005), 500, no_lead)), Some(0.0015));
    assert_eq!(secs(port.pass(&kind, Time::from_secs(0.01), 1000, no_lead)), Some(0.011));
}

#[test]
fn a_departure_at_an_arrival_makes_room() {
    let (kind, mut port) = (PortKind::of_tests(Some(1), 0.0), plain());
    port.pass(&kind, Time::ZERO, 1000, no_lead);
    assert_eq!(port.pass(&kind, Time::from_secs(0.0009), 1000, no_lead), None);
    assert_eq!(secs(port.pass(&kind, Time::from_secs(0.001), 1000, no_lead)), Some(0.002));
    assert_eq!(port.counters().packets_dropped, 1);
    assert_eq!(port.counters().packets_arrived, 3);
}

#[test]
fn an_arrival_that_was_put_on_its_way_first_comes_before_a_departure() {
    let (kind, mut port) = (PortKind::of_tests(Some(2), 0.0), plain());
    let longer = || Time::from_secs(0.001) + Time::from_ps(1);
    port.pass(&kind, Time::ZERO, 1000, no_lead);
    port.pass(&kind, Time::ZERO, 1000, no_lead);
    assert_eq!(port.pass(&kind, Time::from_secs(0.001), 1000, longer), None);
    assert_eq!(secs(port.pass(&kind, Time::from_secs(0.001), 1000, || Time::from_secs(0.001))), Some(0.003));
}

#[test]
fn what_waits_when_counting_starts_departs_later() {
    let (kind, mut port) = (PortKind::of_tests(None, 0.0015), plain());
    for _ in 0..3 {
        port.pass(&kind, Time::ZERO, 1000, no_lead);
    }
    port.pass(&kind, Time::from_secs(0.002), 500, no_lead);
    assert_eq!(port.departed(&kind, Time::from_secs(0.001)), (0, 0));
    assert_eq!(port.departed(&kind, Time::from_secs(0.003)), (2, 2000));
    assert_eq!(port.departed(&kind, Time::from_secs(1.0)), (3, 2500));
    assert_eq!(port.counters().packets_arrived, 1);
}

#[test]
fn sums_of_delays_do_not_overflow() {
    let (mut port, long) = (plain(), Time::from_ps(u64::MAX / 3));
    for _ in 0..7 {
        port.accept(Time::ZERO, long, 1, true);
    }
    port.packets_arrived = 7;
    assert_eq!(port.counters().total_delay_ps, 7 * u128::from(long.ps()));
}

/// Mostly one size, so that packets of one size wait as well as packets of several.
fn sizes() -> impl Strategy<Value = u16> {
    prop_oneof![9 => Just(1000u16), 1 => 1u16..1500]
}

/// Often such that packets come as others leave.
fn gaps() -> impl Strategy<Value = f64> {
    prop_oneof![1 => 0.0f64..0.003, 1 => prop::sample::select(vec![0.0, 0.0005, 0.001, 0.002])]
}

/// Shorter or longer than a transmission.
fn ways() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![0.0, 0.001, 0.0011, 0.1])
}

/// Feeds a plain port and one that asks a discipline with the same packets: gaps, sizes, whether somebody looks, and how
/// long they were on their way.
fn agree(
    limit: Option<u32>,
    count_from: f64,
    arrivals: Vec<(f64, u16, bool, f64)>,
) -> Result<(), TestCaseError> {
    let kind = PortKind::of_tests(limit, count_from);
    let (mut plain, mut arrival_port) = (plain(), Port::new(0, DELAY, Some(droptail(limit))));
    let (mut now, mut way) = (Time::ZERO, 0.0);
    for (gap, bytes, look, another) in arrivals {
        now += Time::from_secs(gap);
        // What comes at one instant was put on its way at one.
        way = if gap > 0.0 { another } else { way };
        let lead = || Time::from_secs(way);
        if look {
            prop_assert_eq!(plain.departed(&kind, now), arrival_port.departed(&kind, now));
            prop_assert_eq!(plain.backlog(&kind, now), arrival_port.backlog(&kind, now));
        }
        let outcome = arrival_port.offer(&kind, now, &packet(bytes), lead);
        prop_assert_eq!(plain.offer(&kind, now, &packet(bytes), lead), outcome);
        prop_assert_eq!(plain.counters(), arrival_port.counters());
    }
    Ok(())
}

proptest! {
    /// A plain port and one that asks a discipline are two ways to the same end.
    #[test]
    fn plain_and_managed_ports_agree(
        limit in prop::option::of(1u32..6),
        count_from in 0.0f64..0.02,
        arrivals in prop::collection::vec((gaps(), sizes(), any::<bool>(), Just(0.0)), 1..200),
    ) {
        agree(limit, count_from, arrivals)?;
    }

    #[test]
    fn plain_and_managed_ports_agree_about_ties(
        limit in prop::option::of(1u32..6),
        arrivals in prop::collection::vec((gaps(), Just(1000), any::<bool>(), ways()), 1..200),
    ) {
        agree(limit, 0.0, arrivals)?;
    }

    /// A start of counting changes no fate, whatever leaves or comes at that instant.
    #[test]
    fn counting_changes_nothing_that_happens(
        limit in prop::option::of(1u32..6),
        count_from in prop_oneof![0.0f64..0.02, (0u32..40).prop_map(|i| f64::from(i) * 0.0005)],
        arrivals in prop::collection::vec((gaps(), sizes(), any::<bool>(), ways()), 1..200),
    ) {
        let kinds = [PortKind::of_tests(limit, 0.0), PortKind::of_tests(limit, count_from)];
        let mut ports = [plain(), plain()];
        let (mut now, mut way) = (Time::ZERO, 0.0);
        for (gap, bytes, look, another) in arrivals {
            now += Time::from_secs(gap);
            way = if gap > 0.0 { another } else { way };
            let [all, late] = [0, 1].map(|i| {
                let held = look.then(|| ports[i].sample_backlog(&kinds[i], now));
                (held, ports[i].offer(&kinds[i], now, &packet(bytes), || Time::from_secs(way)))
            });
            prop_assert_eq!(all, late);
        }
    }
}
