//! The meters beside the text of their RFCs, followed token by token.

use super::tsw::TswRate;
use super::*;

/// Numbers that look random, the same every time.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn colour(&mut self) -> Colour {
        Colour::ALL[self.below(3) as usize]
    }
}

/// A token count that goes up by one at each multiple of a period, in whole microseconds.
#[derive(Clone, Copy)]
struct Count {
    tokens: u64,
    size: u64,
    period_us: u64,
}

impl Count {
    fn full(size: u64, period_us: u64) -> Self {
        Count { tokens: size, size, period_us }
    }

    fn bps(self) -> f64 {
        8e6 / self.period_us as f64
    }

    fn takes(&mut self) -> bool {
        let room = self.tokens < self.size;
        self.tokens += u64::from(room);
        room
    }

    fn spends(&mut self, bytes: u64) -> bool {
        let enough = self.tokens >= bytes;
        self.tokens -= if enough { bytes } else { 0 };
        enough
    }
}

/// Arrivals in microseconds, sizes and colours, with quiet times and bursts.
fn packets(seed: u64) -> Vec<(u64, u64, Colour)> {
    let (mut draws, mut now) = (Draws(seed), 0);
    let mut packet = || {
        now += [0, draws.below(50), draws.below(3000), draws.below(40_000)][draws.below(4) as usize];
        (now, 40 + draws.below(1461), draws.colour())
    };
    (0..1500).map(|_| packet()).collect()
}

/// Compares a meter with what `expected` says of each packet, told of the time in steps of a microsecond.
fn agrees(
    config: MeterConfig,
    tick: &mut dyn FnMut(u64),
    expected: &mut dyn FnMut(u64, Colour) -> (Colour, [u64; 2]),
) {
    let mut meter = AnyMeter::new(&config, Tokens::Whole);
    let (mut clock, mut seen) = (0, [0; 3]);
    for (now, bytes, arriving) in packets(11) {
        (clock + 1..=now).for_each(&mut *tick);
        clock = now;
        let found = meter.colour(now as f64 * 1e-6, bytes as f64, arriving, &Surroundings::default(), || {
            unreachable!("nothing is drawn")
        });
        let (colour, levels) = expected(bytes, arriving);
        let state = meter.state();
        let held = [state.committed, state.excess.or(state.peak).or(state.committed)].map(Option::unwrap);
        assert_eq!((found, held), (colour, levels.map(|tokens| tokens as f64)), "at {now} us");
        seen[found as usize] += 1;
    }
    let fewest = if matches!(config, MeterConfig::TokenBucket(_)) {
        seen[0].min(seen[2])
    } else {
        seen[0].min(seen[1]).min(seen[2])
    };
    assert!(fewest > 50, "{seen:?}");
}

/// The parts that two buckets need, behind a cell so that ticks and packets share them.
type Shared = std::cell::RefCell<[Count; 2]>;

#[test]
fn a_token_bucket_counts_as_one_is_described() {
    let both: Shared = [Count::full(4000, 8); 2].into();
    let config = TokenBucketMeter { cir: 1e6, cbs_bytes: 4000 };
    let mut tick = |now: u64| {
        let mut count = both.borrow_mut();
        if now % count[0].period_us == 0 {
            count[0].takes();
        }
    };
    let mut expected = |bytes, _| {
        let count = &mut both.borrow_mut()[0];
        let colour = if count.spends(bytes) { Colour::Green } else { Colour::Red };
        (colour, [count.tokens; 2])
    };
    agrees(MeterConfig::TokenBucket(config), &mut tick, &mut expected);
}

/// RFC 2697, section 3: every 1/CIR, Tc is incremented if less than CBS, else Te if less than EBS.
#[test]
// [RFC 2697 3-a] [RFC 2697 3-b] [RFC 2697 3-c]
fn srtcm_follows_rfc_2697_token_by_token() {
    for colour_aware in [false, true] {
        let both: Shared = [Count::full(4000, 8), Count::full(6000, 8)].into();
        let config = SrtcmMeter { cir: 1e6, cbs_bytes: 4000, ebs_bytes: 6000, colour_aware };
        let mut tick = |now: u64| {
            let [tc, te] = &mut *both.borrow_mut();
            if now % tc.period_us == 0 && !tc.takes() {
                te.takes();
            }
        };
        let mut expected = |bytes, arriving| {
            let [tc, te] = &mut *both.borrow_mut();
            let arriving = if colour_aware { arriving } else { Colour::Green };
            let colour = if arriving == Colour::Green && tc.spends(bytes) {
                Colour::Green
            } else if arriving != Colour::Red && te.spends(bytes) {
                Colour::Yellow
            } else {
                Colour::Red
            };
            (colour, [tc.tokens, te.tokens])
        };
        agrees(MeterConfig::Srtcm(config), &mut tick, &mut expected);
    }
}

/// RFC 2698, section 3: Tp and Tc are incremented PIR and CIR times a second up to PBS and CBS.
#[test]
// [RFC 2698 3-a] [RFC 2698 3-b] [RFC 2698 3-c]
fn trtcm_follows_rfc_2698_token_by_token() {
    for colour_aware in [false, true] {
        let both: Shared = [Count::full(4000, 8), Count::full(5000, 5)].into();
        let pir = both.borrow()[1].bps();
        let config = TrtcmMeter { cir: 1e6, cbs_bytes: 4000, pir, pbs_bytes: 5000, colour_aware };
        let mut tick = |now: u64| {
            both.borrow_mut().iter_mut().filter(|c| now % c.period_us == 0).for_each(|c| {
                c.takes();
            })
        };
        let mut expected = |bytes, arriving| {
            let [tc, tp] = &mut *both.borrow_mut();
            let arriving = if colour_aware { arriving } else { Colour::Green };
            let colour = if arriving == Colour::Red || tp.tokens < bytes {
                Colour::Red
            } else if arriving == Colour::Yellow || tc.tokens < bytes {
                tp.tokens -= bytes;
                Colour::Yellow
            } else {
                tp.tokens -= bytes;
                tc.tokens -= bytes;
                Colour::Green
            };
            (colour, [tc.tokens, tp.tokens])
        };
        agrees(MeterConfig::Trtcm(config), &mut tick, &mut expected);
    }
}

/// RFC 4115, section 3: Tc and Te are incremented CIR and EIR times a second up to CBS and EBS.
#[test]
// [RFC 4115 3-a] [RFC 4115 3-b] [RFC 4115 3-c] [RFC 4115 3-d]
fn in_profile_follows_rfc_4115_token_by_token() {
    for colour_aware in [false, true] {
        let both: Shared = [Count::full(4000, 8), Count::full(3000, 16)].into();
        let eir = both.borrow()[1].bps();
        let config = Rfc4115Meter { cir: 1e6, cbs_bytes: 4000, eir, ebs_bytes: 3000, colour_aware };
        let mut tick = |now: u64| {
            both.borrow_mut().iter_mut().filter(|c| now % c.period_us == 0).for_each(|c| {
                c.takes();
            })
        };
        let mut expected = |bytes, arriving| {
            let [tc, te] = &mut *both.borrow_mut();
            let arriving = if colour_aware { arriving } else { Colour::Green };
            let colour = match arriving {
                Colour::Green if tc.spends(bytes) => Colour::Green,
                Colour::Green | Colour::Yellow if te.spends(bytes) => Colour::Yellow,
                _ => Colour::Red,
            };
            (colour, [tc.tokens, te.tokens])
        };
        agrees(MeterConfig::Rfc4115(config), &mut tick, &mut expected);
    }
}

#[test]
fn fractions_of_a_token_count_where_asked() {
    let config = TokenBucketMeter { cir: 8e6 / 3.0, cbs_bytes: 1000 };
    let mut meters = [Tokens::Whole, Tokens::Fractional].map(|tokens| TokenBucket::new(&config, tokens));
    let mut colours = |now, bytes| meters.each_mut().map(|meter| meter.colour(now, bytes));
    assert_eq!(colours(0.0, 1000.0), [Colour::Green; 2]);
    // A third of a million tokens a second: 333.0 and a third of another after a millisecond.
    assert_eq!(colours(1e-3, 333.2), [Colour::Red, Colour::Green]);
    assert_eq!(meters[0].committed(), 333.0);
}

#[test]
fn what_is_no_time_or_size_changes_nothing() {
    let config = SrtcmMeter { cir: 8e3, cbs_bytes: 500, ebs_bytes: 700, colour_aware: false };
    let mut meter = Srtcm::new(&config, Tokens::Fractional);
    meter.colour(1.0, 400.0, Colour::Green);
    let held = (meter.committed(), meter.excess());
    for (now, bytes) in [(f64::NAN, 0.0), (0.5, f64::NAN), (f64::INFINITY, -4.0), (-1.0, f64::INFINITY)] {
        assert_eq!(meter.colour(now, bytes, Colour::Green), Colour::Green);
        assert_eq!((meter.committed(), meter.excess()), held);
    }
}

/// The worked form of RFC 2859, section 3, for packets of one size at even distances: a geometric approach to the rate.
#[test]
fn a_window_slides_towards_the_rate() {
    let (window, gap, bytes) = (0.8, 0.02, 1000.0);
    let mut rate = TswRate::new(8e5, window);
    for n in 1..=400 {
        let found = rate.update(f64::from(n) * gap, bytes);
        let keep = (window / (window + gap)).powi(n);
        // The fixed point of r = (r w + b) / (w + g) is b / g.
        let expected = bytes / gap + (1e5 - bytes / gap) * keep;
        assert!((found - expected).abs() < 1e-9 * expected, "{n}");
    }
}

/// Shares of the colours at a constant rate (RFC 2859, section 4): a rate R of 3 Mbit/s, CIR 1 and PIR 2 Mbit/s.
#[test]
fn colours_are_drawn_in_proportion_to_the_rates() {
    let mut three = Tsw3cm::new(&Tsw3cmMeter { cir: 1e6, pir: 2e6, window: 1.0, colour_aware: false });
    let mut two = Tsw2cm::new(&Tsw2cmMeter { cir: 1e6, window: 1.0, colour_aware: false });
    let (mut seen_three, mut seen_two, n) = ([0; 3], [0; 3], 30_000);
    for i in 0..n + 10_000u32 {
        let (now, uniform) = (f64::from(i) / 375.0, f64::from((i * 7919) % n) / f64::from(n));
        let colours = [
            three.colour(now, 1000.0, Colour::Green, || uniform),
            two.colour(now, 1000.0, Colour::Green, || uniform),
        ];
        if i >= 10_000 {
            seen_three[colours[0] as usize] += 1;
            seen_two[colours[1] as usize] += 1;
        }
    }
    let near = |found: i32, share: f64| (f64::from(found) / f64::from(n) - share).abs() < 0.002;
    assert!(seen_three.iter().all(|&found| near(found, 1.0 / 3.0)), "{seen_three:?}");
    assert!(near(seen_two[0], 1.0 / 3.0) && near(seen_two[2], 2.0 / 3.0), "{seen_two:?}");
}

#[test]
fn below_the_committed_rate_nothing_is_drawn() {
    let mut meter = Tsw3cm::new(&Tsw3cmMeter { cir: 1e6, pir: 2e6, window: 1.0, colour_aware: true });
    for (i, arriving) in (1..100u32).zip(Colour::ALL.into_iter().cycle()) {
        let found = meter.colour(f64::from(i) * 0.01, 1000.0, arriving, || unreachable!("nothing is drawn"));
        assert_eq!(found, arriving);
    }
}

#[test]
// [RFC 2697 2-a] [RFC 2698 2-a]
fn values_that_cannot_be_are_named() {
    let trtcm = |cir, pir| TrtcmMeter { cir, cbs_bytes: 2000, pir, pbs_bytes: 3000, colour_aware: false };
    let checked = |config: MeterConfig, strict| config.validate(strict).map_err(|error| error.to_string());
    let refused = Err("pir: got 1000000, expected at least cir".to_string());
    assert_eq!(checked(MeterConfig::Trtcm(trtcm(2e6, 1e6)), true), refused);
    assert_eq!(checked(MeterConfig::Trtcm(trtcm(2e6, 1e6)), false), Ok(()));
    let refused = Err("cir: got -1, expected a rate of at least 0".to_string());
    assert_eq!(checked(MeterConfig::Trtcm(trtcm(-1.0, 1e6)), false), refused);
    let empty = SrtcmMeter { cir: 1e6, cbs_bytes: 0, ebs_bytes: 0, colour_aware: false };
    let refused = Err("cbs_bytes: got 0, expected at least 1 byte, or an excess burst above 0".to_string());
    assert_eq!(checked(MeterConfig::Srtcm(empty), true), refused);
    let window = Tsw2cmMeter { cir: 1e6, window: 0.0, colour_aware: false };
    let refused = Err("window: got 0, expected a time above 0".to_string());
    assert_eq!(checked(MeterConfig::Tsw2cm(window), true), refused);
}
