//! Moves RED's thresholds towards its limit as the share of load that does not respond grows (the idea that opens
//! chapter IV of Zhao 2004): a queue that only drops when it is full favours flows that back off.

use parshall_estimators::responsiveness::{Estimate, Flags, Responsiveness, Settings};

use crate::limits::Steps;
use crate::scenario;
use crate::units::Time;

/// What was made of an estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuned {
    /// End of the interval that it is about, in seconds.
    pub time: f64,
    /// Share of arriving packets of flows that do not respond; NaN when none arrived.
    pub share: f64,
    /// How far the thresholds have moved from here on: 0 for where the scenario puts them, 1 for the limit.
    pub moved: f64,
}

/// Estimates the share from the queue's own packets, drops and marks, and says how far thresholds move.
#[derive(Clone, Debug)]
pub struct Tuning {
    estimator: Responsiveness,
    above: f64,
    band: f64,
    moved: f64,
    /// What was made of each estimate, if that is recorded.
    log: Option<Vec<Tuned>>,
}

impl Tuning {
    /// What a scenario asks for, if it does.
    pub fn new(config: &scenario::Red) -> Option<Self> {
        let scenario::TuneBy::Responsiveness = config.tune_by?;
        let settings = Settings { interval_s: config.tune_interval.secs(), ..Settings::default() };
        let estimator = Responsiveness::from_zero(settings).expect("the interval was checked");
        Some(Tuning { estimator, above: config.tune_above, band: config.tune_band, moved: 0.0, log: None })
    }

    /// From now on keeps what was made of each estimate.
    pub fn keep(&mut self) {
        self.log = Some(Vec::new());
    }

    /// What was kept until `end`, if anything should be.
    pub fn take(&mut self, end: Time) -> Option<Vec<Tuned>> {
        self.follow(end);
        self.log.take()
    }

    /// Takes the estimates of the intervals that are over at `now`: how far thresholds move, 0 to 1.
    pub fn follow(&mut self, now: Time) -> f64 {
        let mut steps = Steps::default();
        while let Some(estimate) = self.estimator.close(now.secs()) {
            steps.next();
            self.moved = self.move_for(&estimate);
            if let Some(log) = &mut self.log {
                let share = estimate.share.unwrap_or(f64::NAN);
                log.push(Tuned { time: estimate.end_s, share, moved: self.moved });
            }
        }
        self.moved
    }

    /// A packet of this flow met the queue, which dropped or marked it (`signalled`), or not.
    pub fn packet(&mut self, now: Time, flow: u64, signalled: bool) {
        self.estimator.packet(now.secs(), flow, signalled);
    }

    /// In proportion to the share within the band. An estimate that knows nothing yet moves nothing.
    fn move_for(&self, estimate: &Estimate) -> f64 {
        match estimate.share {
            Some(share) if !estimate.flags.contains(Flags::WARMING_UP) => {
                let beyond = share - self.above;
                if beyond >= self.band {
                    1.0
                } else {
                    (beyond / self.band).max(0.0)
                }
            }
            _ => self.moved,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tuning(above: f64, band: f64) -> Tuning {
        let config: scenario::Red = serde_json::from_value(serde_json::json!({
            "min_threshold_packets": 5, "max_threshold_packets": 15, "limit_packets": 50,
            "tune_by": "responsiveness", "tune_above": above, "tune_band": band, "tune_interval": 0.5,
        }))
        .expect("a RED queue");
        Tuning::new(&config).expect("a tuning")
    }

    fn estimate(share: Option<f64>, flags: Flags) -> Estimate {
        Estimate {
            end_s: 1.0,
            share,
            share_se: None,
            share_upper: None,
            resolved: 1.0,
            watched: 1.0,
            packets: 1,
            signals: 1,
            flows: 1,
            flags,
        }
    }

    #[test]
    fn thresholds_move_in_proportion_within_the_band() {
        let tuning = tuning(0.5, 0.2);
        let moved = |share| tuning.move_for(&estimate(Some(share), Flags::NONE));
        assert_eq!([moved(0.2), moved(0.5), moved(0.71), moved(0.9)], [0.0, 0.0, 1.0, 1.0]);
        assert!((moved(0.55) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn without_a_band_the_threshold_is_a_switch() {
        let tuning = tuning(0.5, 0.0);
        let moved = |share| tuning.move_for(&estimate(Some(share), Flags::NONE));
        assert_eq!([moved(0.499), moved(0.5), moved(0.501)], [0.0, 1.0, 1.0]);
    }

    #[test]
    fn an_estimate_that_knows_nothing_moves_nothing() {
        let mut tuning = tuning(0.5, 0.1);
        tuning.moved = 0.3;
        assert_eq!(tuning.move_for(&estimate(None, Flags::NO_PACKETS)), 0.3);
        assert_eq!(tuning.move_for(&estimate(Some(0.9), Flags::WARMING_UP)), 0.3);
    }

    #[test]
    fn what_was_made_of_estimates_is_kept_on_demand() {
        let mut tuning = tuning(0.5, 0.1);
        assert_eq!(tuning.take(Time::from_secs(2.0)), None);
        let mut tuning = self::tuning(0.5, 0.1);
        tuning.keep();
        tuning.packet(Time::from_secs(0.1), 1, false);
        let kept = tuning.take(Time::from_secs(1.1)).expect("a log");
        assert_eq!(kept.iter().map(|row| row.time).collect::<Vec<_>>(), [0.5, 1.0]);
        assert!(kept[1].share.is_nan() && kept[1].moved == 0.0);
    }
}
