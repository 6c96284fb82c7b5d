//! An alarm over any estimate of a share: when is it above a level, in one interval or in several?
//!
//! An estimate that is missing, or that its estimator doubts, never raises an alarm.

use alloc::collections::VecDeque;

use crate::error::ConfigError;

/// Rule that turns estimates into an alarm.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Rule {
    /// On while the last estimate is above the level.
    Level,
    /// On while at least `k` of the last `n` estimates are above the level.
    KOfN {
        /// At least 1.
        k: u32,
        /// At least `k`, at most 65536.
        n: u32,
    },
    /// On while Page's cumulative sum (1954) is above `excess`: what estimates were above the level, less what they
    /// were below it, from 0 to `most`.
    Cusum {
        /// Above 0.
        excess: f64,
        /// Above `excess`. It lets an alarm end after what raised it.
        most: f64,
    },
}

/// The most intervals that `k` of `n` looks back on.
const MOST_INTERVALS: u32 = 1 << 16;

/// Alarm that is on while estimates of a share are above a level, by a [`Rule`].
///
/// ```
/// use parshall_estimators::alarm::{Alarm, Rule};
///
/// let mut alarm = Alarm::new(0.6, Rule::KOfN { k: 2, n: 3 }).unwrap();
/// let on: Vec<bool> = [0.9, 0.5, 0.8, 0.2, 0.1].map(|share| alarm.update(Some(share))).to_vec();
/// assert_eq!(on, [false, false, true, false, false]);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Alarm {
    level: f64,
    rule: Rule,
    /// Comparisons of the last estimates with the level, true above it, the newest last; and how many are
    /// true.
    above: VecDeque<bool>,
    count: u32,
    sum: f64,
    on: bool,
}

impl Alarm {
    /// An alarm that is off. `level` is a share from 0 to 1. Fails when a setting is out of its range.
    pub fn new(level: f64, rule: Rule) -> Result<Self, ConfigError> {
        ConfigError::unless((0.0..=1.0).contains(&level), "level", level, "a share from 0 to 1")?;
        match rule {
            Rule::Level => {}
            Rule::KOfN { k, n } => {
                let few = (1..=MOST_INTERVALS).contains(&n);
                ConfigError::unless(few, "n", n, "a whole number from 1 to 65536")?;
                ConfigError::unless((1..=n).contains(&k), "k", k, "a whole number from 1 to n")?;
            }
            Rule::Cusum { excess, most } => {
                let positive = excess > 0.0 && excess.is_finite();
                ConfigError::unless(positive, "excess", excess, "a finite number above 0")?;
                let more = most > excess && most.is_finite();
                ConfigError::unless(more, "most", most, "a number above excess")?;
            }
        }
        let room = if let Rule::KOfN { n, .. } = rule { n as usize } else { 0 };
        Ok(Alarm { level, rule, above: VecDeque::with_capacity(room), count: 0, sum: 0.0, on: false })
    }

    /// Takes the estimate of the next interval: whether the alarm is on. An estimate that is missing, no number or
    /// doubtful is `None`: no reason for an alarm. For the cumulative sum it ends one.
    pub fn update(&mut self, share: Option<f64>) -> bool {
        let share = share.filter(|share| !share.is_nan());
        let above = share.is_some_and(|share| share > self.level);
        self.on = match self.rule {
            Rule::Level => above,
            Rule::KOfN { k, n } => {
                if self.above.len() == n as usize && self.above.pop_front() == Some(true) {
                    self.count -= 1;
                }
                self.above.push_back(above);
                self.count += u32::from(above);
                self.count >= k
            }
            Rule::Cusum { excess, most } => {
                let step = share.map_or(-most, |share| share - self.level);
                self.sum = (self.sum + step).clamp(0.0, most);
                self.sum > excess
            }
        };
        self.on
    }

    /// Returns whether the alarm is on.
    pub fn on(&self) -> bool {
        self.on
    }

    /// Forgets every estimate.
    pub fn reset(&mut self) {
        self.above.clear();
        (self.count, self.sum, self.on) = (0, 0.0, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ons(rule: Rule, shares: &[f64]) -> Vec<bool> {
        let mut alarm = Alarm::new(0.5, rule).expect("a valid rule");
        shares.iter().map(|&share| alarm.update(Some(share))).collect()
    }

    #[test]
    fn a_level_looks_at_one_interval() {
        assert_eq!(ons(Rule::Level, &[0.4, 0.6, 0.5, f64::NAN]), [false, true, false, false]);
    }

    #[test]
    fn k_of_n_forgets_what_is_older_than_n() {
        let on = ons(Rule::KOfN { k: 2, n: 3 }, &[0.9, 0.1, 0.1, 0.9, 0.1, 0.9, f64::NAN, 0.1]);
        assert_eq!(on, [false, false, false, false, false, true, false, false]);
    }

    #[test]
    fn the_cumulative_sum_adds_up_what_is_above_and_has_an_end() {
        let rule = Rule::Cusum { excess: 0.25, most: 0.5 };
        let mut shares = vec![0.65; 100];
        let on = ons(rule, &shares);
        assert_eq!(on.iter().position(|&on| on), Some(1));
        // However long it was on, from 0.5 it takes three intervals of -0.1 to get to 0.25 or below.
        shares.extend([0.4; 4]);
        assert_eq!(ons(rule, &shares)[99..], [true, true, true, false, false]);
    }

    #[test]
    fn a_missing_estimate_ends_the_cumulative_sum() {
        let mut alarm = Alarm::new(0.5, Rule::Cusum { excess: 0.2, most: 0.6 }).expect("a valid rule");
        assert!(alarm.update(Some(0.9)));
        assert!(!alarm.update(None));
    }

    #[test]
    fn reset_forgets() {
        for rule in [Rule::Level, Rule::KOfN { k: 1, n: 2 }, Rule::Cusum { excess: 0.2, most: 0.6 }] {
            let mut alarm = Alarm::new(0.5, rule).expect("a valid rule");
            let fresh = alarm.clone();
            assert!(alarm.update(Some(1.0)) && alarm.on());
            alarm.reset();
            assert_eq!(alarm, fresh);
        }
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let field = |level, rule| Alarm::new(level, rule).expect_err("out of range").field;
        assert_eq!(field(1.5, Rule::Level), "level");
        assert_eq!(field(f64::NAN, Rule::Level), "level");
        assert_eq!(field(0.5, Rule::KOfN { k: 6, n: 5 }), "k");
        assert_eq!(field(0.5, Rule::KOfN { k: 0, n: 5 }), "k");
        assert_eq!(field(0.5, Rule::KOfN { k: 1, n: 0 }), "n");
        assert_eq!(field(0.5, Rule::Cusum { excess: 0.0, most: 1.0 }), "excess");
        assert_eq!(field(0.5, Rule::Cusum { excess: 0.3, most: 0.2 }), "most");
    }
}
