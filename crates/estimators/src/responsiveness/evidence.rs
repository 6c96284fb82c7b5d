//! Evidence of a flow's response: a randomised trial of its own packets.
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
//! flow did decides its signals, so that its `M_k` needs no such care. Both are kept apart; `numbers` says what they come to.
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

    /// Part of the outcome that is still to come, were packets to go on at a mean rate.
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

/// Sums over the packets of a flow.
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
    /// Outcomes after the queue's signals, against the port's probability of one.
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
        let mut decay = [libm::expf(-time[0]); SCALES];
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
}

pub(super) mod numbers;

#[cfg(test)]
mod tests;
