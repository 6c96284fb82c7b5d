//! Moves RED's thresholds towards its limit as the share of load that does not respond grows (the idea that opens
//! chapter IV of Zhao 2004): a queue that only drops when it is full favours flows that back off.

use parshall_estimators::nonresponsive;
use parshall_estimators::responsiveness::{Flags, Responsiveness, Settings};

use super::Verdict;
use crate::limits::Steps;
use crate::room::Room;
use crate::scenario;
use crate::units::{Rate, Time};

/// Samples of the queue in a round trip (Zhao 2004, II.C).
const SAMPLES_IN_RTT: f64 = 3.0;

/// Step of a tuned queue: an estimate, and where it moves the thresholds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuned {
    /// End of the interval that it is about, in seconds.
    pub time: f64,
    /// Share of arriving packets of flows that do not respond; NaN when none arrived, and while it is unknown:
    /// thresholds then stay.
    pub share: f64,
    /// Position of the thresholds from here on: 0 for where the scenario puts them, 1 for the limit.
    pub moved: f64,
}

/// An estimate of the share, as far as thresholds go by it.
#[derive(Clone, Copy, Debug)]
struct ShareEstimate {
    end_s: f64,
    share: Option<f64>,
    /// Nothing is known yet.
    warming_up: bool,
}

/// Estimator of the share.
#[derive(Clone, Debug)]
enum Source {
    /// Flow by flow.
    Flows(Box<Responsiveness>),
    /// From the queue alone.
    Queue(Sampler),
}

impl Source {
    /// The next estimate of an interval that is over at `now`.
    fn close(&mut self, now: Time) -> Option<ShareEstimate> {
        match self {
            Source::Flows(estimator) => estimator.close(now.secs()).map(|estimate| ShareEstimate {
                end_s: estimate.end_s,
                share: estimate.share,
                warming_up: estimate.flags.contains(Flags::WARMING_UP),
            }),
            Source::Queue(sampler) => sampler.close(now),
        }
    }
}

/// Takes samples of the queue for the estimator that knows no flows. The queue is looked at when a packet arrives: what
/// it holds then stands for the instants since the last one.
#[derive(Clone, Debug)]
struct Sampler {
    estimator: Box<nonresponsive::Estimator>,
    interval: Time,
    next: Time,
    seen: nonresponsive::Sample,
}

/// The settings of the estimator that knows no flows: the modified algorithm with the printed gains, in front of a link
/// of this rate. Says what is wrong with `tune_rtt` or `tune_interval` otherwise.
pub fn queue_settings(
    config: &scenario::Red,
    rate: Rate,
) -> Result<nonresponsive::Settings, parshall_estimators::ConfigError> {
    let rtt = config.tune_rtt.unwrap_or(Time::ZERO).secs();
    let samples = (config.tune_interval.secs() * SAMPLES_IN_RTT / rtt).round().clamp(1.0, 1e6);
    let capacity = rate.bps() / (8.0 * f64::from(config.mean_packet_bytes));
    let sampling = Time::from_secs(config.tune_interval.secs() / samples).secs();
    let settings = nonresponsive::Settings {
        zero_drops_after: Some(1),
        estimation_samples: samples as u32,
        ..nonresponsive::Settings::new(capacity, rtt, sampling)
    };
    settings.validate().map(|()| settings)
}

impl Sampler {
    fn new(config: &scenario::Red, rate: Rate) -> Self {
        let settings = queue_settings(config, rate).expect("the settings were checked");
        let interval = Time::from_secs(settings.sampling_s);
        let estimator = Box::new(nonresponsive::Estimator::new(settings).expect("the settings were checked"));
        Sampler { estimator, interval, next: interval, seen: nonresponsive::Sample::default() }
    }

    fn close(&mut self, now: Time) -> Option<ShareEstimate> {
        let mut steps = Steps::default();
        while self.next <= now {
            steps.next();
            let end_s = self.next.secs();
            self.next += self.interval;
            let estimate = self.estimator.update(&self.seen);
            self.seen = nonresponsive::Sample { arrivals: 0.0, drops: 0.0, marks: 0.0, ..self.seen };
            if let Some(estimate) = estimate {
                let warming_up = estimate.flags.contains(nonresponsive::Flags::WARMING_UP);
                return Some(ShareEstimate { end_s, share: estimate.share, warming_up });
            }
        }
        None
    }

    fn packet(&mut self, verdict: Verdict) {
        self.seen.arrivals += 1.0;
        match verdict {
            Verdict::Accept => {}
            Verdict::Mark => self.seen.marks += 1.0,
            Verdict::Drop => self.seen.drops += 1.0,
        }
    }
}

/// Estimates the share from the queue's own packets, drops and marks, and says how far thresholds move.
#[derive(Clone, Debug)]
pub struct Tuning {
    source: Source,
    above: f64,
    band: f64,
    moved: f64,
    /// Steps so far, if they are recorded.
    log: Option<Vec<Tuned>>,
}

impl Tuning {
    /// The tuning that a scenario asks for, if it does, in front of a link of this rate.
    pub fn new(config: &scenario::Red, rate: Rate) -> Option<Self> {
        let source = match config.tune_by? {
            scenario::TuneBy::Responsiveness => {
                let settings = Settings { interval_s: config.tune_interval.secs(), ..Settings::default() };
                Source::Flows(Box::new(
                    Responsiveness::from_zero(settings).expect("the interval was checked"),
                ))
            }
            scenario::TuneBy::Nonresponsive => Source::Queue(Sampler::new(config, rate)),
        };
        Some(Tuning { source, above: config.tune_above, band: config.tune_band, moved: 0.0, log: None })
    }

    /// From now on keeps what was made of each estimate.
    pub fn keep(&mut self) {
        self.log = Some(Vec::new());
    }

    /// Bytes of what was kept.
    pub fn bytes(&self) -> u64 {
        self.log.as_ref().map_or(0, |log| (log.capacity() * size_of::<Tuned>()) as u64)
    }

    /// Takes the steps until `end`, if they are recorded.
    pub fn take(&mut self, end: Time) -> Option<Vec<Tuned>> {
        self.follow(end, None);
        self.log.take()
    }

    /// Takes the estimates of the intervals that are over at `now`: how far thresholds move, 0 to 1. The queue holds
    /// `backlog` packets, or what it held last.
    pub fn follow(&mut self, now: Time, backlog: Option<usize>) -> f64 {
        if let (Source::Queue(sampler), Some(backlog)) = (&mut self.source, backlog) {
            sampler.seen.backlog = backlog as f64;
        }
        let mut steps = Steps::default();
        while let Some(told) = self.source.close(now) {
            steps.next();
            self.moved = self.move_for(&told);
            if let Some(log) = &mut self.log {
                let share = told.share.unwrap_or(f64::NAN);
                let tuned = Tuned { time: told.end_s, share, moved: self.moved };
                log.add(tuned, "rows of red_tuning");
            }
        }
        self.moved
    }

    /// A packet of this flow met the queue, which decided so.
    pub fn packet(&mut self, now: Time, flow: u64, verdict: Verdict) {
        match &mut self.source {
            Source::Flows(estimator) => estimator.packet(now.secs(), flow, verdict != Verdict::Accept),
            Source::Queue(sampler) => sampler.packet(verdict),
        }
    }

    /// In proportion to the share within the band. An estimate that knows nothing yet moves nothing.
    fn move_for(&self, told: &ShareEstimate) -> f64 {
        match told.share {
            Some(share) if !told.warming_up => {
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

    fn tuning_by(source: &str, above: f64, band: f64) -> Tuning {
        let config: scenario::Red = serde_json::from_value(serde_json::json!({
            "min_threshold_packets": 5, "max_threshold_packets": 15, "limit_packets": 50, "mean_packet_bytes": 1000,
            "tune_by": source, "tune_above": above, "tune_band": band, "tune_interval": 0.5, "tune_rtt": 0.1,
        }))
        .expect("a RED queue");
        Tuning::new(&config, Rate::from_bps(8e6)).expect("a tuning")
    }

    fn tuning(above: f64, band: f64) -> Tuning {
        tuning_by("responsiveness", above, band)
    }

    fn estimate(share: Option<f64>, warming_up: bool) -> ShareEstimate {
        ShareEstimate { end_s: 1.0, share, warming_up }
    }

    #[test]
    fn thresholds_move_in_proportion_within_the_band() {
        let tuning = tuning(0.5, 0.2);
        let moved = |share| tuning.move_for(&estimate(Some(share), false));
        assert_eq!([moved(0.2), moved(0.5), moved(0.71), moved(0.9)], [0.0, 0.0, 1.0, 1.0]);
        assert!((moved(0.55) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn without_a_band_the_threshold_is_a_switch() {
        let tuning = tuning(0.5, 0.0);
        let moved = |share| tuning.move_for(&estimate(Some(share), false));
        assert_eq!([moved(0.499), moved(0.5), moved(0.501)], [0.0, 1.0, 1.0]);
    }

    #[test]
    fn an_estimate_that_knows_nothing_moves_nothing() {
        let mut tuning = tuning(0.5, 0.1);
        tuning.moved = 0.3;
        assert_eq!(tuning.move_for(&estimate(None, false)), 0.3);
        assert_eq!(tuning.move_for(&estimate(Some(0.9), true)), 0.3);
    }

    #[test]
    fn what_was_made_of_estimates_is_kept_on_demand() {
        let mut tuning = tuning(0.5, 0.1);
        assert_eq!(tuning.take(Time::from_secs(2.0)), None);
        let mut tuning = self::tuning(0.5, 0.1);
        tuning.keep();
        tuning.packet(Time::from_secs(0.1), 1, Verdict::Accept);
        let kept = tuning.take(Time::from_secs(1.1)).expect("a log");
        assert_eq!(kept.iter().map(|row| row.time).collect::<Vec<_>>(), [0.5, 1.0]);
        assert!(kept[1].share.is_nan() && kept[1].moved == 0.0);
    }

    /// An estimator beside the queue is given what the queue shows while it is tuned.
    #[test]
    fn an_estimate_from_the_queue_is_that_of_the_estimator() {
        let mut tuning = tuning_by("nonresponsive", 0.5, 0.1);
        tuning.keep();
        let settings = nonresponsive::Settings {
            zero_drops_after: Some(1),
            estimation_samples: 15,
            ..nonresponsive::Settings::new(1000.0, 0.1, Time::from_secs(0.5 / 15.0).secs())
        };
        let mut beside = nonresponsive::Estimator::new(settings).expect("settings");
        let (mut expected, mut drops, mut arrivals) = (Vec::new(), 0.0, 0.0);
        let mut samples = 0;
        for step in 1..=4000u64 {
            // An arrival each millisecond; the queue rises and falls, and drops a packet now and then.
            let now = Time::from_secs(1e-3 * step as f64);
            let backlog = (step / 40 % 30) as usize;
            tuning.follow(now, Some(backlog));
            while Time::from_secs(0.5 / 15.0 * f64::from(samples + 1)) <= now {
                samples += 1;
                let sample = nonresponsive::Sample { backlog: backlog as f64, arrivals, drops, marks: 0.0 };
                expected.extend(beside.update(&sample).map(|estimate| estimate.share));
                (drops, arrivals) = (0.0, 0.0);
            }
            let verdict = if step % (19 + step / 500) == 0 { Verdict::Drop } else { Verdict::Accept };
            arrivals += 1.0;
            drops += f64::from(verdict == Verdict::Drop);
            tuning.packet(now, 1, verdict);
        }
        let kept = tuning.take(Time::from_secs(4.0)).expect("a log");
        let shares: Vec<_> = kept.iter().map(|row| Some(row.share).filter(|share| !share.is_nan())).collect();
        assert_eq!(shares, expected);
        assert!(shares.len() >= 7 && shares.iter().flatten().any(|&share| share > 0.0 && share < 1.0));
    }
}
