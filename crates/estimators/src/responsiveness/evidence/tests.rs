use super::super::imitation::imitates;
use super::numbers::{Contrast, LEAST_SPREAD, MOST_EXPLAINED, NAMES, SINGLE_SIGNAL};
use super::*;

/// Uniform numbers in [0, 1), the same in every run (Knuth's MMIX generator, upper bits).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.uniform())
    }
}

/// Packet of a test: its time, whether it was signalled, with which probability.
type Packet = (f64, bool, f64);

fn evidence(packets: &[Packet]) -> Evidence {
    let mut evidence = Evidence::new(packets[0].0);
    for &(now, signalled, probability) in packets {
        evidence.packet(now, signalled, probability, Dither::NONE);
    }
    evidence
}

/// One of the flow's numbers.
fn number(evidence: &Evidence, name: &str) -> f32 {
    evidence.numbers()[NAMES.iter().position(|other| *other == name).expect("a name")]
}

/// The contrast by its definition: every pair of packets, no recursion.
fn slow_twin(packets: &[Packet], scale: usize) -> (f64, f64) {
    let tau = LONGEST_S / f64::from(RATIO).powi(scale as i32);
    let tail = |t: f64| (1.0 + t / tau) * libm::exp(-t / tau);
    let kernel = |t: f64| t / tau * libm::exp(-t / tau);
    let (born, last) = (packets[0].0, packets[packets.len() - 1].0);
    let counted: Vec<usize> = (0..packets.len()).filter(|&k| packets[k].0 - born >= LEAD_IN_S).collect();
    let (mut signals, mut expected) = (0.0, 0.0);
    let (mut own, mut kept) = (vec![0.0; packets.len()], vec![1.0; packets.len()]);
    for &k in &counted {
        let (now, signalled, p) = packets[k];
        own[k] = (p * (signals + 1.0) / (expected + 1.0)).min(1.0);
        kept[k] = 1.0 - (own[k] / MEMORY_SIGNALS).min((now - packets[k - 1].0) / MEMORY_S);
        signals = signals * kept[k] + f64::from(u8::from(signalled));
        expected = expected * kept[k] + p;
    }
    let sum = |f: &dyn Fn(usize) -> f64| -> f64 {
        let faded = |&k: &usize| kept[k + 1..].iter().product::<f64>() * f(k);
        counted.iter().map(faded).sum()
    };
    let signal = |k: usize| f64::from(u8::from(packets[k].1));
    let excess = |k: usize| signal(k) - own[k];
    let v = |k: usize| own[k] * (1.0 - own[k]);
    let before = |k: usize| -> f64 {
        let all: f64 = packets[..k].iter().map(|&(t, ..)| kernel(packets[k].0 - t)).sum();
        all / (1.0 - tail(packets[k].0 - born))
    };
    let (weight, mean) = (sum(&v), sum(&|k| v(k) * before(k)) / sum(&v));
    // What follows the last packet is put at its mean.
    let after = |k: usize| -> f64 {
        let seen: f64 = packets[k + 1..].iter().map(|&(t, ..)| kernel(t - packets[k].0)).sum();
        seen + mean * tail(last - packets[k].0)
    };
    let trials = sum(&|k| signal(k) * (1.0 - own[k]));
    let after_excess = sum(&|k| excess(k) * (after(k) - mean));
    let before_excess = sum(&|k| excess(k) * (before(k) - mean));
    let spread = sum(&|k| v(k) * before(k).powi(2)) / weight / mean.powi(2) - 1.0;
    let both = sum(&|k| v(k) * after(k) * before(k)) / weight / mean.powi(2) - 1.0;
    let slope = (both / (spread + LEAST_SPREAD)).clamp(-1.0, 1.0);
    let rho = -(after_excess - slope * before_excess) / (mean * trials);
    (rho, spread * (1.0 - (slope * slope).min(MOST_EXPLAINED)) / trials + (SINGLE_SIGNAL / trials).powi(2))
}

/// A flow in bursts that answers each signal with a silence.
fn bursty(random: &mut Random, packets: usize, silence: f64) -> Vec<Packet> {
    let mut now = 0.0;
    let mut fed = Vec::new();
    for i in 0..packets {
        let probability = 0.03 + 0.02 * libm::sin(i as f64 / 300.0);
        let signalled = random.uniform() < probability;
        fed.push((now, signalled, probability));
        let gap = if i % 7 == 0 { 0.1 } else { 0.002 };
        now += gap * random.exponential() + if signalled { silence } else { 0.0 };
    }
    fed
}

#[test]
fn recursive_sums_are_the_sums_over_all_pairs() {
    for silence in [0.0, 0.4] {
        let packets = bursty(&mut Random(3), 1500, silence);
        let evidence = evidence(&packets);
        for scale in 0..SCALES {
            let fast = evidence.contrasts(scale)[0].expect("signals came");
            let (rho, variance) = slow_twin(&packets, scale);
            // Traces hold seven digits.
            assert!((fast.rho - rho).abs() < 1e-3, "{scale}: {} {rho}", fast.rho);
            assert!((fast.variance / variance - 1.0).abs() < 1e-3, "{scale}: {} {variance}", fast.variance);
        }
    }
}

#[test]
fn a_constant_rate_shows_no_response_at_once() {
    let mut random = Random(5);
    let packets: Vec<Packet> =
        (0..1000).map(|i| (f64::from(i) * 0.008, random.uniform() < 0.02, 0.02)).collect();
    for scale in 0..SCALES {
        let contrast = evidence(&packets).contrasts(scale)[0].expect("signals came");
        assert!(contrast.rho.abs() < 0.01, "{contrast:?}");
    }
}

#[test]
fn a_flow_that_falls_silent_is_told_within_twenty_signals() {
    let packets = bursty(&mut Random(7), 700, 0.3);
    let evidence = evidence(&packets);
    assert!(evidence.trials() < 35.0);
    let deviations =
        ["deviations_1s", "deviations_200ms", "deviations_40ms"].map(|name| number(&evidence, name));
    assert!(deviations.iter().any(|&each| each > 3.0), "{deviations:?}");
}

/// Irregular flows that do not respond: the contrast is a standard normal number, in units of its own deviation.
#[test]
fn the_variance_is_that_of_chance() {
    for scale in 1..SCALES {
        let squares = (0..200).map(|seed| {
            let contrast = evidence(&bursty(&mut Random(seed), 4000, 0.0)).contrasts(scale);
            let Contrast { rho, variance } = contrast[0].expect("signals came");
            rho * rho / variance
        });
        let mean = squares.sum::<f64>() / 200.0;
        // A mean of 200 squares of normal numbers: 1, give or take 0.1.
        assert!((0.7..1.3).contains(&mean), "{scale}: {mean}");
    }
}

/// A flow in bursts whose last packets the queue hits, as a full one does, at a port with a dither of 2 %.
fn hit_at_the_end(random: &mut Random, bursts: usize, silence: f64) -> Evidence {
    let mut evidence = Evidence::new(0.0);
    let mut now = 0.0;
    for _ in 0..bursts {
        for place in 0..20 {
            let chosen = random.uniform() < 0.02;
            let signalled = place >= 17 && random.uniform() < 0.3;
            evidence.packet(now, signalled, 0.045, Dither { probability: 0.02, chosen });
            now += 0.005 + if chosen || signalled { silence } else { 0.0 };
        }
        now += 0.6 * random.exponential();
    }
    evidence
}

#[test]
fn a_dither_is_not_taken_in_by_a_queue_that_hits_the_ends_of_bursts() {
    let mean = |silence: f64, by: usize| {
        let rhos = (0..100).map(|seed| {
            let evidence = hit_at_the_end(&mut Random(seed), 300, silence);
            evidence.contrasts(1)[by].expect("signals came").rho
        });
        rhos.sum::<f64>() / 100.0
    };
    assert!(mean(0.0, 0) > 0.1, "the queue misleads");
    assert!(mean(0.0, 1).abs() < 0.03);
    assert!(mean(0.5, 1) > 0.2);
}

/// A flow at a port with a dither of 2 % that pauses for 50 ms after each signal, and then goes on, or makes it
/// good at twice its rate.
fn pausing(random: &mut Random, makes_good: bool) -> Evidence {
    let mut evidence = Evidence::new(0.0);
    let (mut now, mut held) = (0.0, 0.0);
    for _ in 0..4000 {
        let chosen = random.uniform() < 0.02;
        evidence.packet(now, false, 0.0, Dither { probability: 0.02, chosen });
        let usual = 0.01 * (0.5 + random.uniform());
        let gap = if held > 0.0 { usual / 2.0 } else { usual };
        held -= usual - gap;
        let pause = if chosen { 0.05 } else { 0.0 };
        held += if makes_good { pause } else { 0.0 };
        now += gap + pause;
    }
    evidence
}

#[test]
fn a_pause_that_is_made_good_costs_nothing_in_the_end() {
    let mean = |makes_good: bool, name: &str| {
        let found = (0..20).map(|seed| f64::from(number(&pausing(&mut Random(seed), makes_good), name)));
        found.sum::<f64>() / 20.0
    };
    for makes_good in [false, true] {
        let at_first = mean(makes_good, "given_up_40ms");
        assert!((0.02..0.05).contains(&at_first), "{at_first}");
    }
    let (honest, hostile) = (mean(false, "given_up_1s"), mean(true, "given_up_1s"));
    assert!((0.03..0.07).contains(&honest), "{honest}");
    assert!(hostile.abs() < 0.02, "{hostile}");
}

#[test]
fn a_pause_that_is_made_good_is_an_imitation() {
    let mut found = 0.0;
    for seed in 0..20 {
        let (honest, hostile) = (pausing(&mut Random(seed), false), pausing(&mut Random(seed), true));
        assert!(imitates(&honest) < 0.02, "{}", imitates(&honest));
        found += imitates(&hostile) / 20.0;
    }
    assert!(found > 0.8, "{found}");
}

#[test]
fn without_a_dither_no_one_is_said_to_imitate() {
    assert_eq!(imitates(&evidence(&bursty(&mut Random(1), 1000, 0.3))), 0.0);
}

#[test]
fn without_signals_there_is_no_evidence() {
    let packets: Vec<Packet> = (0..1000).map(|i| (f64::from(i) * 0.01, false, 0.0)).collect();
    let evidence = evidence(&packets);
    assert!(evidence.contrasts(0)[0].is_none());
    assert!(number(&evidence, "contrast_1s").is_nan() && number(&evidence, "given_up_1s").is_nan());
    assert_eq!(number(&evidence, "trials"), -1.0);
}

#[test]
fn a_flow_that_is_always_signalled_has_no_choice() {
    let packets: Vec<Packet> = (0..3000).map(|i| (f64::from(i) * 0.01, true, 0.3)).collect();
    let evidence = evidence(&packets);
    // Until that is known each signal counts for a little: about the sum of 1/k.
    assert!(evidence.trials() < 20.0, "{}", evidence.trials());
}
