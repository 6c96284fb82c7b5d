use super::*;
use crate::queue::Discipline;
use crate::scenario;
use crate::units::Rate;
use proptest::prelude::*;

const DELAY: Time = Time::from_ps(10_000_000_000);

fn plain() -> Port {
    Port::new(0, DELAY, None)
}

fn droptail(limit_packets: Option<u32>) -> Managed {
    let queue = scenario::Queue::Droptail(scenario::DropTail { limit_packets, limit_bytes: None });
    let discipline = Discipline::new(&queue, Rate::from_bps(8e6), || unreachable!());
    Managed::new(discipline.expect("decides at arrival"), None, None, None)
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
    assert_eq!(secs(port.pass(&kind, Time::ZERO, 1000)), Some(0.001));
    assert_eq!(secs(port.pass(&kind, Time::from_secs(0.0005), 500)), Some(0.0015));
    assert_eq!(secs(port.pass(&kind, Time::from_secs(0.01), 1000)), Some(0.011));
}

#[test]
fn a_departure_at_an_arrival_makes_room() {
    let (kind, mut port) = (PortKind::of_tests(Some(1), 0.0), plain());
    port.pass(&kind, Time::ZERO, 1000);
    assert_eq!(port.pass(&kind, Time::from_secs(0.0009), 1000), None);
    assert_eq!(secs(port.pass(&kind, Time::from_secs(0.001), 1000)), Some(0.002));
    assert_eq!(port.counters().packets_dropped, 1);
    assert_eq!(port.counters().packets_arrived, 3);
}

#[test]
fn what_waits_when_counting_starts_departs_later() {
    let (kind, mut port) = (PortKind::of_tests(None, 0.0015), plain());
    for _ in 0..3 {
        port.pass(&kind, Time::ZERO, 1000);
    }
    port.pass(&kind, Time::from_secs(0.002), 500);
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

proptest! {
    /// A plain port and one that asks a discipline are two ways to the same end.
    #[test]
    fn plain_and_managed_ports_agree(
        limit in prop::option::of(1u32..6),
        count_from in 0.0f64..0.02,
        arrivals in prop::collection::vec((0.0f64..0.003, sizes(), any::<bool>()), 1..200),
    ) {
        let kind = PortKind::of_tests(limit, count_from);
        let (mut plain, mut managed) = (plain(), Port::new(0, DELAY, Some(droptail(limit))));
        let mut now = Time::ZERO;
        for (gap, bytes, look) in arrivals {
            now += Time::from_secs(gap);
            if look {
                prop_assert_eq!(plain.departed(&kind, now), managed.departed(&kind, now));
                prop_assert_eq!(plain.backlog(&kind, now), managed.backlog(&kind, now));
            }
            let outcome = managed.offer(&kind, now, &packet(bytes));
            prop_assert_eq!(plain.offer(&kind, now, &packet(bytes)), outcome);
            prop_assert_eq!(plain.counters(), managed.counters());
        }
    }
}
