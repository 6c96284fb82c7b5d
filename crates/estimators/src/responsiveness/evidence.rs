//! What a flow's packets tell about whether the flow responds: a randomised trial of its own packets.
//!
//! A queue that drops or marks at random treats some packets of a flow and leaves the others alone. The outcome
//! of packet `k` is what the flow sends after it,
//!
//! ```text
//! Y_k = sum over later packets j of  K(t_j - t_k),      K(t) = (t / tau) exp(-t / tau)
//! ```
//!
//! and the treatment is `D_k`, 1 for a signal (drop or mark), 0 for none. A flow that does not respond has the same
//! outcome either way, however irregular it is; one that responds sends less after a signal. So with `p_k` the
//! probability of the signal and `M_k = D_k - p_k`,
//!
//! ```text
//! rho = - sum M_k (Y_k - mean Y) / (mean Y * sum D_k (1 - p_k))
//! ```
//!
//! is the part of its rate that the flow gives up for a signal, within about `2 tau`: 0 for those that do not
//! respond, about 0.15 to 0.6 for those that do. `M_k` is drawn anew for each packet, so
//! `Var rho = CV^2(Y) / sum D_k (1 - p_k)`, whatever the law of the arrivals is.
//!
//! Signals are not wholly at random: late packets of a burst meet a longer queue, and silence follows them
//! whether they were dropped or not. What the flow sent before the packet, `B_k = sum over earlier j of
//! K(t_k - t_j)`, tells where in a burst it was; so `Y` is first freed from what `B` explains by linear
//! regression. That narrows the spread of outcomes too.
//!
//! A dither, signals that the router gives at random with a known probability, is a second instrument: nothing that the
//! flow did decides its signals, so that its `M_k` needs no such care. Both are kept apart; `likelihood` weighs them.
//!
//! All sums take constant time. `sum M_k Y_k` is the sum, over packets `j`, of the trace `sum over earlier k of
//! M_k K(t_j - t_k)`; so is `sum Y_k B_k`; and `K` is two exponential stages. The law of `Y` is that of its
//! mirror image `B`, which is known at once. Round trips differ between networks by orders of magnitude, so four
//! time scales are kept beside each other.

use super::Dither;

/// Time scales that are watched at once.
pub(super) const SCALES: usize = 4;

/// The longest one, in seconds. It sees round trips of up to about a second.
const LONGEST_S: f64 = 1.0;

/// From one to the next shorter one: 1 s, 0.2 s, 40 ms, 8 ms.
const RATIO: f32 = 5.0;

/// A flow is watched for so long before its packets count, so that `B` means something.
const LEAD_IN_S: f64 = 0.8;

/// Evidence fades to 1/e after so many signals, or so many seconds, whichever takes longer: a flow that is often
/// signalled has its own rhythm, of which much must be seen.
const MEMORY_SIGNALS: f64 = 1000.0;
const MEMORY_S: f64 = 100.0;

/// Deviation of `rho` that a single signal has beyond the spread of outcomes.
const SINGLE_SIGNAL: f64 = 0.1;

/// The regression on `B` is shrunk for flows of less spread (squared coefficient of variation) than this: in a fair
/// queue a drop follows from the flow's own queue, and what `B` explains of `Y` is then the response itself.
const LEAST_SPREAD: f64 = 0.03;

/// No more of the variance of `Y` than this is taken as explained by `B`. Rates that change every few seconds make the
/// two nearly equal, but for the rare changes, of which hardly any were seen.
const MOST_EXPLAINED: f64 = 0.5;

/// Fewer trials than this are none.
const LEAST_TRIALS: f64 = 0.01;

/// A trace on its way through the two stages of the kernel, at each time scale.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Trace {
    first: [f32; SCALES],
    second: [f32; SCALES],
}

impl Trace {
    /// Lets time pass: `time` and `decay = exp(-time)` in units of each scale.
    #[inline]
    fn pass(&mut self, time: &[f32; SCALES], decay: &[f32; SCALES]) {
        for i in 0..SCALES {
            self.second[i] = decay[i] * (self.second[i] + time[i] * self.first[i]);
            self.first[i] *= decay[i];
        }
    }

    #[inline]
    fn fade(&mut self, factor: f32) {
        for i in 0..SCALES {
            self.first[i] *= factor;
            self.second[i] *= factor;
        }
    }

    /// What is still to come of it, were packets to go on at a mean rate.
    fn open(&self, scale: usize) -> f64 {
        f64::from(self.first[scale]) + f64::from(self.second[scale])
    }
}

/// Trials by one instrument, the queue or the dither: its signals, and what the flow sent after them.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Instrument {
    /// Trace of `M`.
    excesses: Trace,
    /// Sums over packets, fading: of `M Y` and `M B` at each time scale, of `D (1 - p)`, of `M`.
    excess_after: [f64; SCALES],
    excess_before: [f64; SCALES],
    trials: f64,
    excess: f64,
}

impl Instrument {
    /// Older packets count less.
    #[inline]
    fn fade(&mut self, kept: f64) {
        self.trials *= kept;
        self.excess *= kept;
        self.excesses.fade(kept as f32);
        self.excess_before.iter_mut().for_each(|sum| *sum *= kept);
        for (sum, trace) in self.excess_after.iter_mut().zip(self.excesses.second) {
            *sum = *sum * kept + f64::from(trace);
        }
    }

    /// A packet is signalled or not, where that had this probability.
    #[inline]
    fn try_packet(&mut self, signal: f64, probability: f64, before: &[f32; SCALES]) {
        let excess = signal - probability;
        self.trials += signal * (1.0 - probability);
        self.excess += excess;
        for (i, &b) in before.iter().enumerate() {
            self.excess_before[i] += excess * f64::from(b);
            self.excesses.first[i] += excess as f32;
        }
    }
}

/// What was seen of a flow.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Evidence {
    born_s: f64,
    last_s: f64,
    /// `exp(-age / tau)`.
    since_birth: [f32; SCALES],
    /// Traces of packets (this is `B`) and of `v B`, where `v` is the sum of `p (1 - p)` over both instruments.
    packets: Trace,
    befores: Trace,
    /// Sums over packets, fading: of `v B`, `v B^2` and `v Y B` at each time scale, and of `v`.
    before: [f64; SCALES],
    before_squared: [f64; SCALES],
    both: [f64; SCALES],
    weight: f64,
    /// The same of the queue's signals and of the port's probability of one.
    signals: f64,
    expected: f64,
    queue: Instrument,
    dither: Instrument,
    /// Sums over packets, fading, of the dither's `M` and what follows at once, the sum over later packets `j` of
    /// `exp(-(t_j - t_k) / tau)`.
    at_once: [f64; SCALES],
}

impl Evidence {
    /// Nothing seen yet; the first packet comes at `now_s`.
    pub fn new(now_s: f64) -> Self {
        Evidence { born_s: now_s, last_s: now_s, since_birth: [1.0; SCALES], ..Evidence::default() }
    }

    /// When its last packet came.
    pub fn last_s(&self) -> f64 {
        self.last_s
    }

    /// How many signals it had a choice to answer, faded: 0 is no evidence.
    pub fn trials(&self) -> f64 {
        self.queue.trials + self.dither.trials
    }

    /// Those of them that the dither gave.
    pub fn dither_trials(&self) -> f64 {
        self.dither.trials
    }

    /// Takes a packet of the flow at `now_s`. `probability` is that of a signal by the queue just now.
    #[inline]
    pub fn packet(&mut self, now_s: f64, signalled: bool, probability: f64, dither: Dither) {
        let passed_s = now_s - self.last_s;
        self.pass_time(now_s);
        let age_s = now_s - self.born_s;
        if age_s >= LEAD_IN_S {
            self.try_packet(age_s, passed_s, signalled, probability, dither);
        }
        self.packets.first.iter_mut().for_each(|b| *b += 1.0);
    }

    /// Lets the traces decay.
    #[inline]
    fn pass_time(&mut self, now_s: f64) {
        let mut time = [((now_s - self.last_s) / LONGEST_S) as f32; SCALES];
        let mut decay = [(-time[0]).exp(); SCALES];
        self.last_s = now_s;
        for i in 1..SCALES {
            time[i] = RATIO * time[i - 1];
            let fourth = decay[i - 1] * decay[i - 1] * decay[i - 1] * decay[i - 1];
            decay[i] = fourth * decay[i - 1];
        }
        let traces =
            [&mut self.packets, &mut self.befores, &mut self.queue.excesses, &mut self.dither.excesses];
        for trace in traces {
            trace.pass(&time, &decay);
        }
        for (since_birth, decay) in self.since_birth.iter_mut().zip(decay) {
            // Numbers too small for their exponent would make every packet slow.
            *since_birth = (*since_birth * decay).max(1e-20);
        }
    }

    /// One more packet that was signalled, or not.
    #[inline]
    fn try_packet(&mut self, age_s: f64, passed_s: f64, signalled: bool, probability: f64, dither: Dither) {
        // What the dither takes never meets the queue.
        let probability = if dither.chosen { 0.0 } else { probability };
        // Locked-out flows meet more signals than others: the flow's own rate counts.
        let own = (probability * (self.signals + 1.0) / (self.expected + 1.0)).min(1.0);
        let kept = 1.0 - ((own + dither.probability) / MEMORY_SIGNALS).min(passed_s / MEMORY_S).min(1.0);
        let variance = own * (1.0 - own) + dither.probability * (1.0 - dither.probability);
        let signal = f64::from(u8::from(signalled && !dither.chosen));
        self.signals = self.signals * kept + signal;
        self.expected = self.expected * kept + probability;
        self.weight = self.weight * kept + variance;
        self.befores.fade(kept as f32);
        self.queue.fade(kept);
        self.dither.fade(kept);
        for (sum, trace) in self.at_once.iter_mut().zip(self.dither.excesses.first) {
            *sum = *sum * kept + f64::from(trace);
        }
        let before = self.before(age_s);
        for (i, &single) in before.iter().enumerate() {
            let b = f64::from(single);
            self.before[i] = self.before[i] * kept + variance * b;
            self.before_squared[i] = self.before_squared[i] * kept + variance * b * b;
            self.both[i] = self.both[i] * kept + f64::from(self.befores.second[i]);
            self.befores.first[i] += variance as f32 * single;
        }
        self.queue.try_packet(signal, own, &before);
        self.dither.try_packet(f64::from(u8::from(dither.chosen)), dither.probability, &before);
    }

    /// `B` at each scale. A trace that began at birth has seen only a part of the kernel.
    #[inline]
    fn before(&self, age_s: f64) -> [f32; SCALES] {
        let mut before = self.packets.second;
        let mut age = (age_s / LONGEST_S) as f32;
        for (b, since_birth) in before.iter_mut().zip(self.since_birth) {
            *b /= 1.0 - since_birth * (1.0 + age);
            age *= RATIO;
        }
        before
    }

    /// `rho` at one time scale by the queue's signals, if there is any evidence.
    pub fn contrast(&self, scale: usize) -> Option<Contrast> {
        self.contrast_by(&self.queue, scale)
    }

    /// The same by the dither's signals.
    pub fn dither_contrast(&self, scale: usize) -> Option<Contrast> {
        self.contrast_by(&self.dither, scale)
    }

    /// What the flow gives up after the dither's signals, within one time scale and within the longest.
    pub fn given_up(&self, scale: usize) -> Option<GivenUp> {
        let by = &self.dither;
        if by.trials < LEAST_TRIALS || self.before[scale] <= 0.0 {
            return None;
        }
        let within = |scale: usize| {
            let mean = self.before[scale] / self.weight;
            let after = self.at_once[scale] + mean * (f64::from(by.excesses.first[scale]) - by.excess);
            let spread = (self.before_squared[scale] / self.weight / (mean * mean) - 1.0).max(0.0);
            let tau = LONGEST_S / f64::from(RATIO).powi(scale as i32);
            (-after / (mean * by.trials) * tau, spread * tau * tau / by.trials)
        };
        let ((at_first, first_variance), (in_the_end, last_variance)) = (within(scale), within(0));
        Some(GivenUp { at_first, in_the_end, first_variance, variance: first_variance + last_variance })
    }

    fn contrast_by(&self, by: &Instrument, scale: usize) -> Option<Contrast> {
        if by.trials < LEAST_TRIALS || self.before[scale] <= 0.0 {
            return None;
        }
        let mean = self.before[scale] / self.weight;
        let square = mean * mean;
        // What the last packets have not been followed by yet is put at its mean.
        let after = by.excess_after[scale] + mean * (by.excesses.open(scale) - by.excess);
        let before = by.excess_before[scale] - mean * by.excess;
        let both = (self.both[scale] + mean * self.befores.open(scale)) / self.weight;
        let spread = (self.before_squared[scale] / self.weight / square - 1.0).max(0.0);
        let correlation = ((both / square - 1.0) / (spread + LEAST_SPREAD)).clamp(-1.0, 1.0);
        let explained = (correlation * correlation).min(MOST_EXPLAINED);
        let rho = -(after - correlation * before) / (mean * by.trials);
        let unexplained = spread * (1.0 - explained);
        let single = SINGLE_SIGNAL / by.trials;
        Some(Contrast { rho, variance: unexplained / by.trials + single * single, spread })
    }
}

/// What a flow has given up for a signal by the end of two time scales, in seconds of its mean rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct GivenUp {
    /// By the end of the shorter one.
    pub at_first: f64,
    /// By the end of the longest one.
    pub in_the_end: f64,
    /// Variances of the former, and of the difference, were signals wholly at random.
    pub first_variance: f64,
    pub variance: f64,
}

/// `rho` at one time scale.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contrast {
    /// The part of its rate that the flow gives up for a signal.
    pub rho: f64,
    /// Variance of `rho`, were signals wholly at random.
    pub variance: f64,
    /// Squared coefficient of variation of what the flow sends in the time scale.
    pub spread: f64,
}

#[cfg(test)]
mod tests {
    use super::super::likelihood::{imitates, ratios, LIKELY};
    use super::*;

    /// Uniform numbers in [0, 1), the same in every run (Knuth's MMIX generator, upper bits).
    struct Random(u64);

    impl Random {
        fn uniform(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }

        fn exponential(&mut self) -> f64 {
            -(1.0 - self.uniform()).ln()
        }
    }

    /// What a test feeds: when, whether signalled, with which probability.
    type Packet = (f64, bool, f64);

    fn evidence(packets: &[Packet]) -> Evidence {
        let mut evidence = Evidence::new(packets[0].0);
        for &(now, signalled, probability) in packets {
            evidence.packet(now, signalled, probability, Dither::NONE);
        }
        evidence
    }

    /// The contrast by its definition: every pair of packets, no recursion.
    fn slow_twin(packets: &[Packet], scale: usize) -> (f64, f64) {
        let tau = LONGEST_S / f64::from(RATIO).powi(scale as i32);
        let tail = |t: f64| (1.0 + t / tau) * (-t / tau).exp();
        let kernel = |t: f64| t / tau * (-t / tau).exp();
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
        (
            rho,
            spread * (1.0 - (slope * slope).min(MOST_EXPLAINED)) / trials + (SINGLE_SIGNAL / trials).powi(2),
        )
    }

    /// A flow in bursts that answers each signal with a silence.
    fn bursty(random: &mut Random, packets: usize, silence: f64) -> Vec<Packet> {
        let mut now = 0.0;
        let mut fed = Vec::new();
        for i in 0..packets {
            let probability = 0.03 + 0.02 * (i as f64 / 300.0).sin();
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
                let fast = evidence.contrast(scale).expect("signals came");
                let (rho, variance) = slow_twin(&packets, scale);
                // Traces hold seven digits.
                assert!((fast.rho - rho).abs() < 1e-3, "{scale}: {} {rho}", fast.rho);
                assert!(
                    (fast.variance / variance - 1.0).abs() < 1e-3,
                    "{scale}: {} {variance}",
                    fast.variance
                );
            }
        }
    }

    #[test]
    fn a_constant_rate_shows_no_response_at_once() {
        let mut random = Random(5);
        let packets: Vec<Packet> =
            (0..1000).map(|i| (f64::from(i) * 0.008, random.uniform() < 0.02, 0.02)).collect();
        for scale in 0..SCALES {
            let contrast = evidence(&packets).contrast(scale).expect("signals came");
            assert!(contrast.rho.abs() < 0.01, "{contrast:?}");
        }
        let odds: f64 =
            ratios(&evidence(&packets)).iter().zip(LIKELY).map(|(ratio, likely)| ratio * likely).sum();
        assert!(odds < 0.1, "{odds}");
    }

    #[test]
    fn a_flow_that_falls_silent_is_told_within_twenty_signals() {
        let packets = bursty(&mut Random(7), 700, 0.3);
        let evidence = evidence(&packets);
        assert!(evidence.trials() < 35.0);
        assert!(ratios(&evidence).into_iter().fold(0.0, f64::max) > 20.0);
    }

    /// Irregular flows that do not respond: the contrast is a standard normal number, in units of its own deviation.
    #[test]
    fn the_variance_is_that_of_chance() {
        for scale in 1..SCALES {
            let squares = (0..200).map(|seed| {
                let contrast = evidence(&bursty(&mut Random(seed), 4000, 0.0)).contrast(scale);
                let Contrast { rho, variance, .. } = contrast.expect("signals came");
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
        let mean = |silence: f64, contrast: fn(&Evidence) -> Option<Contrast>| {
            let rhos = (0..100).map(|seed| {
                let evidence = hit_at_the_end(&mut Random(seed), 300, silence);
                contrast(&evidence).expect("signals came").rho
            });
            rhos.sum::<f64>() / 100.0
        };
        assert!(mean(0.0, |evidence| evidence.contrast(1)) > 0.1, "the queue misleads");
        assert!(mean(0.0, |evidence| evidence.dither_contrast(1)).abs() < 0.03);
        assert!(mean(0.5, |evidence| evidence.dither_contrast(1)) > 0.2);
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
    fn a_pause_that_is_made_good_is_an_imitation() {
        let mut found = 0.0;
        for seed in 0..20 {
            let (honest, hostile) = (pausing(&mut Random(seed), false), pausing(&mut Random(seed), true));
            assert!(ratios(&hostile).into_iter().fold(0.0, f64::max) > 7.0, "it seems to respond");
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
        assert!(evidence.contrast(0).is_none());
        assert_eq!(ratios(&evidence), [1.0; LIKELY.len()]);
    }

    #[test]
    fn a_flow_that_is_always_signalled_has_no_choice() {
        let packets: Vec<Packet> = (0..3000).map(|i| (f64::from(i) * 0.01, true, 0.3)).collect();
        let evidence = evidence(&packets);
        // Until that is known each signal counts for a little: about the sum of 1/k.
        assert!(evidence.trials() < 20.0, "{}", evidence.trials());
    }
}
