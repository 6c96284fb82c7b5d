//! A timeout whose one setting is the risk that its user accepts: an upper quantile of the next round-trip time.

mod budget;
mod expert;
mod levels;
mod tail;

use alloc::vec::Vec;

use budget::Budget;
use expert::{Expert, TailWeight, LONGEST_S, WAYS};
use levels::Levels;

use super::{Jacobson, RtoEstimator};
use crate::error::ConfigError;
use crate::math::ceil;
use crate::sample::is_rtt;

/// The share of early timeouts is the setting; the timeout is whatever keeps it.
///
/// Eight experts each foresee the `1 - risk` quantile of the next round-trip time: a level (averages of three lengths, a
/// short and a standing median), and the quantile of the distances of past samples from it, in seconds, in units of the level, or of a
/// deviation. The base RTO is that of the expert whose mean wait has been the least, with a price on each of its early
/// timeouts. A sum of all early timeouts bends the risk that is asked of the experts (see `budget.rs`), so that the share
/// is kept in the long run on any series, whatever the experts are worth.
///
/// - Before 20 samples it is RFC 6298's.
/// - After a few early timeouts in a row (2 at a risk of 0.001, 5 at 0.1) the next RTO is the longest of the experts', and longer than the last sample:
///   a level shift costs a few early timeouts, which are then saved elsewhere.
/// - A sample equal to the RTO is in time. On a series of equal values the RTO is that value, and none is early.
/// - An early timeout whose sample is withheld (Karn) must be told by [`RtoEstimator::on_early_timeout`].
///
/// `srtt` and `rttvar` are RFC 6298's and have no part in the base RTO.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QuantileRto {
    risk: f64,
    standard: Jacobson,
    levels: Levels,
    experts: Vec<Expert>,
    chosen: usize,
    budget: Budget,
    memory: Memory,
    /// Cost of an early timeout in seconds of waiting, with the present trade between the two.
    price_s: f64,
    samples: u64,
    /// Least of the first samples, in seconds.
    least_s: f64,
    early_in_a_row: u32,
    /// So many are a burst.
    burst: u32,
    base_s: f64,
}

/// Samples before which RFC 6298's timeout stands.
const WARM_UP: u64 = 20;
/// As many early timeouts in a row as independent samples would give with this chance are taken for a level shift.
const CHANCE_OF_BURST: f64 = 1e-5;
/// The tails remember as many samples as hold this many early timeouts, and at least so many.
const REMEMBERED_EARLY: f64 = 50.0;
const REMEMBERED: f64 = 5000.0;
const REMEMBERED_AT_MOST: f64 = 5e6;
/// Early timeouts over which the costs of the experts are remembered.
const JUDGED_EARLY: f64 = 20.0;
const JUDGED: f64 = 1000.0;
/// Fewer remembered samples than this are no tail.
const THIN: f64 = 2.0;
/// Slow properties of the tails are looked at once in so many samples, of one expert at a time.
const SELDOM: u64 = 16;
/// A sample that is not seen, because its packet was retransmitted, counts as so many times the RTO that it outlasted.
const UNSEEN: f64 = 1.5;
/// A longer sample counts as this one: it is early all the same, and its distances stay finite in single precision.
const NO_RTT_S: f64 = 1e9;

impl QuantileRto {
    /// `risk` is the share of timeouts that may be early.
    pub fn new(risk: f64) -> Result<Self, ConfigError> {
        Self::check(risk)?;
        Ok(QuantileRto {
            risk,
            standard: Jacobson::new(1.0 / 8.0, 1.0 / 4.0, 4.0)?,
            levels: Levels::new(),
            experts: WAYS.map(Expert::new).to_vec(),
            chosen: 0,
            budget: Budget::new(risk),
            memory: Memory::new(risk),
            price_s: 0.0,
            samples: 0,
            least_s: f64::INFINITY,
            early_in_a_row: 0,
            burst: ceil(libm::log(CHANCE_OF_BURST) / libm::log(risk)) as u32,
            base_s: 0.0,
        })
    }

    pub(super) fn check(risk: f64) -> Result<(), ConfigError> {
        ConfigError::unless((1e-6..=0.2).contains(&risk), "risk", risk, "a share from 0.000001 to 0.2")
    }

    /// The share of samples so far that took longer than the base RTO before them; `None` before there was one.
    pub fn risk_seen(&self) -> Option<f64> {
        self.budget.seen()
    }

    /// Everything about a packet but the levels, which may know less of it.
    #[inline]
    fn account(&mut self, rtt_s: f64, early: bool) {
        self.budget.count(early);
        self.early_in_a_row = if early { self.early_in_a_row + 1 } else { 0 };
        let gain = self.memory.gain();
        let price_s = self.price_s;
        self.experts.iter_mut().for_each(|expert| expert.pay(rtt_s, price_s, gain));
        self.remember(rtt_s);
    }

    /// Takes the distances from all levels into the tails.
    #[inline]
    fn remember(&mut self, rtt_s: f64) {
        let weight = self.memory.next_weight();
        for expert in &mut self.experts {
            expert.learn(rtt_s, &self.levels, weight);
        }
        if let Some(factor) = self.memory.rescaled() {
            self.experts.iter_mut().for_each(|expert| expert.rescale(factor));
        }
    }

    /// Asks the experts and follows the best.
    #[inline]
    fn decide(&mut self) {
        let asked = self.memory.ask(self.budget.next_risk());
        let (mut chosen, mut longest_s) = (0, 0f64);
        for i in 0..self.experts.len() {
            self.experts[i].foresee(&self.levels, asked);
            longest_s = longest_s.max(self.experts[i].quantile_s);
            if self.experts[i].cost_s < self.experts[chosen].cost_s {
                chosen = i;
            }
        }
        self.chosen = chosen;
        self.base_s =
            if self.early_in_a_row < self.burst { self.experts[chosen].quantile_s } else { longest_s };
        self.base_s = self.base_s.clamp(0.0, LONGEST_S);
        self.look_at_tails(asked);
    }

    /// Brings up to date what changes slowly.
    #[inline]
    fn look_at_tails(&mut self, asked: TailWeight) {
        let experts = self.experts.len() as u64;
        if asked.above < asked.thin && self.samples % SELDOM < experts {
            self.experts[(self.samples % SELDOM) as usize].measure_steepness(asked);
        }
        if self.samples % SELDOM == SELDOM - 1 || self.price_s == 0.0 {
            let usual = self.memory.ask(self.risk);
            let price_s = self.experts[self.chosen].seconds_for_less(&self.levels, usual) / self.risk;
            let gain = if self.price_s == 0.0 { 1.0 } else { (SELDOM as f64 * self.memory.gain()).min(1.0) };
            self.price_s += gain * (price_s - self.price_s);
        }
    }

    /// The first samples: RFC 6298 stands, the levels settle, and at half time the tails begin.
    fn warm_up(&mut self, rtt_s: f64) {
        self.least_s = self.least_s.min(rtt_s);
        if self.samples == WARM_UP / 2 {
            let least_s = self.least_s;
            self.experts.iter_mut().for_each(|expert| expert.restart(least_s));
        } else if self.samples > WARM_UP / 2 {
            self.remember(rtt_s);
        }
        self.levels.update(rtt_s, rtt_s);
        match self.samples {
            WARM_UP => self.decide(),
            _ => self.base_s = self.standard.base_rto().unwrap_or(rtt_s),
        }
    }
}

/// Weight of old samples in the tails: the weights of new ones grow instead of the old ones' falling.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Memory {
    samples: u64,
    horizon: f64,
    judged: f64,
    weight: f64,
    total: f64,
}

impl Memory {
    /// Weights are brought back to 1 beyond this.
    const HEAVIEST: f64 = 1e6;

    fn new(risk: f64) -> Self {
        Memory {
            samples: 0,
            horizon: (REMEMBERED_EARLY / risk).clamp(REMEMBERED, REMEMBERED_AT_MOST),
            judged: (JUDGED_EARLY / risk).max(JUDGED),
            weight: 1.0,
            total: 0.0,
        }
    }

    /// The weight of a new sample, which is thereby in.
    #[inline]
    fn next_weight(&mut self) -> f32 {
        self.samples += 1;
        if self.samples as f64 > self.horizon {
            self.weight *= 1.0 + 1.0 / self.horizon;
        }
        self.total += self.weight;
        self.weight as f32
    }

    /// The factor by which all weights must change, if they are too large.
    #[inline]
    fn rescaled(&mut self) -> Option<f32> {
        (self.weight > Self::HEAVIEST).then(|| {
            let factor = 1.0 / self.weight;
            (self.weight, self.total) = (1.0, self.total * factor);
            factor as f32
        })
    }

    /// The weight of a sample in a mean over those that count.
    #[inline]
    fn gain(&self) -> f64 {
        1.0 / (self.samples as f64).clamp(1.0, self.judged)
    }

    /// Weight above the timeout that a risk stands for.
    #[inline]
    fn ask(&self, risk: f64) -> TailWeight {
        let thin = THIN / ((self.samples as f64).min(self.horizon) + 1.0);
        TailWeight { above: risk * self.total, thin: thin * self.total }
    }

    fn reset(&mut self) {
        (self.samples, self.weight, self.total) = (0, 1.0, 0.0);
    }
}

impl RtoEstimator for QuantileRto {
    // What few flows have must not grow into the code of all.
    #[inline(never)]
    fn on_sample(&mut self, rtt_s: f64) {
        if !is_rtt(rtt_s) {
            return;
        }
        self.samples += 1;
        self.standard.on_sample(rtt_s);
        let rtt_s = rtt_s.min(NO_RTT_S);
        if self.samples <= WARM_UP {
            self.warm_up(rtt_s);
            return;
        }
        let early = rtt_s > self.base_s;
        let outlier = early && self.early_in_a_row == 0;
        self.account(rtt_s, early);
        // One early timeout may be an outlier, which would stay in an average for long; the next one in a row is not.
        self.levels.update(rtt_s, if outlier { self.base_s } else { rtt_s });
        self.decide();
        if self.early_in_a_row >= self.burst {
            self.base_s = self.base_s.max(rtt_s).min(LONGEST_S);
        }
    }

    #[inline]
    fn srtt(&self) -> Option<f64> {
        self.standard.srtt()
    }

    #[inline]
    fn rttvar(&self) -> Option<f64> {
        self.standard.rttvar()
    }

    #[inline]
    fn base_rto(&self) -> Option<f64> {
        (self.samples > 0).then_some(self.base_s)
    }

    /// With an exact clock the quantile, which may well be below `srtt`; else at least `srtt` and a tick.
    #[inline]
    fn granular_rto(&self, granularity_s: f64) -> Option<f64> {
        let base = self.base_rto()?;
        let tick_later = self.srtt().map_or(base, |srtt| srtt + granularity_s);
        Some(if granularity_s > 0.0 { base.max(tick_later) } else { base })
    }

    fn on_early_timeout(&mut self) {
        if self.samples > WARM_UP {
            self.account(UNSEEN * self.base_s, true);
            self.decide();
        }
    }

    fn reset(&mut self) {
        self.standard.reset();
        self.levels.reset();
        self.budget.reset();
        self.memory.reset();
        (self.chosen, self.price_s, self.samples, self.early_in_a_row) = (0, 0.0, 0, 0);
        (self.least_s, self.base_s) = (f64::INFINITY, 0.0);
    }
}

#[cfg(test)]
mod tests;
