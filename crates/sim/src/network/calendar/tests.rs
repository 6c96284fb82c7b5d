use super::*;
use proptest::prelude::*;

fn put(calendar: &mut Calendar, at: u64, hop: u32) {
    put_number(calendar, at, hop, 0);
}

fn put_number(calendar: &mut Calendar, at: u64, hop: u32, seq: u32) {
    let id = calendar.add(Packet::data(seq, 0, 0, Time::ZERO));
    calendar.put(id, Time::from_ps(at), hop);
}

fn take(calendar: &mut Calendar) -> Option<(u64, u32)> {
    take_number(calendar).map(|(at, hop, _)| (at, hop))
}

fn take_number(calendar: &mut Calendar) -> Option<(u64, u32, u32)> {
    let at = calendar.first_at();
    (at < Time::NEVER).then(|| {
        let hop = calendar.first_hop().expect("there is one");
        let id = calendar.take_first();
        let Packet { seq, .. } = calendar[id];
        assert_eq!((calendar[id].at, calendar[id].hop), (at, hop));
        calendar.remove(id);
        (at.ps(), hop, seq)
    })
}

const FLYING: u64 = 200;

/// A delay far below a bucket's width, of some buckets, or beyond the wheel.
fn delay() -> impl Strategy<Value = u64> {
    prop_oneof![0u64..50, 0u64..1_000_000_000, 0u64..2_000_000_000_000]
}

proptest! {
    /// Whatever is put in leaves in order, also before what has been looked at already.
    #[test]
    fn it_agrees_with_a_sorted_list(
        spacing in prop_oneof![Just(1u64), Just(1_000_000), Just(1_000_000_000_000)],
        many in prop_oneof![Just(0usize), Just(20), Just(MANY)],
        steps in prop::collection::vec((delay(), 0u32..3, 0u32..9, 0u8..5, any::<bool>()), 0..400),
    ) {
        let mut calendar = Calendar::with_short_wheel_from(many, Time::from_ps(spacing), 0);
        let mut twin: Vec<(u64, u32, u32)> = Vec::new();
        let mut now = 0;
        for (delay, hop, seq, step, look) in steps {
            if look {
                let first = twin.first().map_or(Time::NEVER, |first| Time::from_ps(first.0));
                prop_assert_eq!(calendar.first_at(), first);
            }
            if step < 2 {
                let first = take_number(&mut calendar);
                now = first.map_or(now, |first| first.0);
                prop_assert_eq!(first, (!twin.is_empty()).then(|| twin.remove(0)));
            } else {
                put_number(&mut calendar, now + delay, hop, seq);
                twin.push((now + delay, hop, seq));
                twin.sort_unstable();
            }
            prop_assert_eq!(calendar.packets().count(), twin.len());
        }
        let left: Vec<_> = std::iter::from_fn(|| take_number(&mut calendar)).collect();
        prop_assert_eq!(left, twin);
    }

    /// Buckets that do not fit what arrives are changed for others that do.
    #[test]
    fn buckets_come_to_fit(
        spacing in prop_oneof![Just(1_000u64), Just(1_000_000_000)],
        span in prop_oneof![Just(2_000_000u64), Just(20_000_000_000), Just(5_000_000_000_000)],
        many in prop_oneof![Just(0usize), Just(FLYING as usize / 2), Just(MANY)],
    ) {
        let mut calendar = Calendar::with_short_wheel_from(many, Time::from_ps(spacing), 0);
        for i in 0..FLYING {
            put(&mut calendar, i * span / FLYING, 0);
        }
        let mut last = 0;
        for i in 0..100_000u64 {
            let (now, _) = take(&mut calendar).expect("two hundred are under way");
            prop_assert!(now >= last);
            last = now;
            put(&mut calendar, now + span / 2 + span / 1009 * (i * 7919 % 1009), 0);
        }
        prop_assert_eq!(calendar.packets().count() as u64, FLYING);
        let packets_a_bucket = (1u64 << calendar.shift) as f64 * FLYING as f64 / span as f64;
        prop_assert!((0.005..13.0).contains(&packets_a_bucket), "{}", packets_a_bucket);
        let reach = (calendar.buckets.len() as u64) << calendar.shift;
        prop_assert!(reach > span || many < MANY, "{} {}", reach, span);
        prop_assert!(calendar.buckets.len() <= FEW_BUCKETS || many == MANY);
    }
}

#[test]
fn buckets_do_not_narrow_without_end_for_packets_of_one_instant() {
    for many in [0, MANY] {
        let mut calendar = Calendar::with_short_wheel_from(many, Time::from_ps(1_000_000_000), 0);
        let burst = |at| (0..100).map(move |hop| (at, hop));
        for (at, hop) in (0..20).flat_map(|i| burst(i * 1_000_000_000)) {
            put(&mut calendar, at, hop);
        }
        for (now, hop) in (0..2000).flat_map(|i| burst(i * 1_000_000_000)) {
            assert_eq!(take(&mut calendar), Some((now, hop)));
            put(&mut calendar, now + 20_000_000_000, hop);
        }
        assert!(calendar.shift >= 17, "{}", calendar.shift);
    }
}

#[test]
fn many_at_one_hop_at_one_instant_leave_in_the_order_of_their_numbers() {
    let mut calendar = Calendar::new(Time::from_ps(1000), 0);
    for i in 0..1000u32 {
        put_number(&mut calendar, 5_000_000, 0, i.wrapping_mul(7919) % 1000);
    }
    for seq in 0..1000 {
        assert_eq!(take_number(&mut calendar), Some((5_000_000, 0, seq)));
    }
}

#[test]
fn many_at_one_instant_leave_in_the_order_of_their_hops() {
    let mut calendar = Calendar::new(Time::from_ps(1000), 0);
    for i in 0..10_000u32 {
        put(&mut calendar, 5_000_000, i.wrapping_mul(7919) % 10_000);
    }
    for hop in 0..10_000 {
        assert_eq!(take(&mut calendar), Some((5_000_000, hop)));
    }
    assert_eq!(take(&mut calendar), None);
}

#[test]
fn many_that_go_on_to_one_instant_are_put_behind_each_other() {
    const MANY_MORE: u32 = 200_000;
    let mut calendar = Calendar::new(Time::from_ps(1_000_000_000), 0);
    for hop in 0..MANY_MORE {
        put(&mut calendar, 5, 2 * hop);
    }
    for hop in 0..MANY_MORE {
        assert_eq!(take(&mut calendar), Some((5, 2 * hop)));
        put(&mut calendar, 6, 2 * hop + 1);
    }
    for hop in 0..MANY_MORE {
        assert_eq!(take(&mut calendar), Some((6, 2 * hop + 1)));
    }
}
