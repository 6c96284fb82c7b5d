//! The account of early timeouts: how many there were, how many were allowed, and what risk is taken next.
//!
//! After I. Gibbs and E. Candes, "Adaptive conformal inference under distribution shift", NeurIPS 2021, who steer the
//! level of a quantile by its misses, and A. N. Angelopoulos, E. J. Candes and R. J. Tibshirani, "Conformal PID control
//! for time series prediction", NeurIPS 2023, who let the sum of all misses decide. Here that sum bends the risk by a
//! factor, which suits small risks, and the more softly the longer the series: what counts is the share of all timeouts, and to
//! pay for a storm at once, with long timeouts, would cost more waiting than to pay later.

/// Excess of early timeouts that bends the risk e-fold: at first, as a share of those allowed, and at most.
const FIRST: f64 = 30.0;
const SHARE: f64 = 0.25;
const MOST: f64 = 2000.0;
/// A lack bends it by so much more: to make up for it costs nothing.
const LACK: f64 = 3.0;
/// The logarithm of the factor by which the risk is bent is at least and at most this.
const LEAST_BEND: f64 = -4.0;
const MOST_BEND: f64 = 3.0;
/// However few early timeouts there were, no more than this share is risked.
const MOST_RISK: f64 = 0.5;

/// Early timeouts against the share that is accepted.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Budget {
    risk: f64,
    samples: u64,
    early: u64,
}

impl Budget {
    /// An empty account.
    pub fn new(risk: f64) -> Self {
        Budget { risk, samples: 0, early: 0 }
    }

    /// Accounts for a packet.
    #[inline]
    pub fn count(&mut self, early: bool) {
        self.samples += 1;
        self.early += u64::from(early);
    }

    /// The share of early timeouts so far.
    pub fn seen(&self) -> Option<f64> {
        (self.samples > 0).then(|| self.early as f64 / self.samples as f64)
    }

    /// The risk to take with the next packet.
    #[inline]
    pub fn next_risk(&self) -> f64 {
        let allowed = self.risk * self.samples as f64;
        let excess = self.early as f64 - allowed;
        let stiffness = if excess < 0.0 { LACK } else { 1.0 };
        let bend = -excess * stiffness / (FIRST + SHARE * allowed).min(MOST);
        (self.risk * libm::exp(bend.clamp(LEAST_BEND, MOST_BEND))).min(MOST_RISK)
    }

    /// An empty account again.
    pub fn reset(&mut self) {
        *self = Budget::new(self.risk);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_as_allowed_leave_the_risk_as_it_is() {
        let mut budget = Budget::new(0.25);
        assert_eq!((budget.seen(), budget.next_risk()), (None, 0.25));
        [true, false, false, false].into_iter().for_each(|early| budget.count(early));
        assert_eq!((budget.seen(), budget.next_risk()), (Some(0.25), 0.25));
    }

    #[test]
    fn an_excess_lowers_the_risk_and_a_lack_raises_it_within_bounds() {
        let after = |early: u64, samples: u64| {
            let mut budget = Budget::new(0.01);
            (0..samples).for_each(|i| budget.count(i < early));
            budget.next_risk()
        };
        // 1000 samples allow 10 early ones: an excess of 30 + 10/4 bends it e-fold, and so does a third of that as a lack.
        assert!((after(42, 1000) - 0.01 * libm::exp(-32.0f64 / 32.5)).abs() < 1e-12);
        assert!((after(5, 1000) - 0.01 * libm::exp(15.0f64 / 32.5)).abs() < 1e-12);
        assert!((after(1000, 1000) - 0.01 * libm::exp(-4.0)).abs() < 1e-12);
        assert!((after(0, 1_000_000) - 0.01 * libm::exp(3.0)).abs() < 1e-12);
    }
}
