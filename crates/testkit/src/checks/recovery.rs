//! Recovery after an outage.

use std::collections::VecDeque;

use parshall_sim::units::Time;

use super::rates::{milliseconds, percent};
use super::Checks;
use crate::failure::{Failure, Verdict, Worst};

/// Part of its share of the link that a recovered stack fills.
const RECOVERED: f64 = 0.5;

impl Checks<'_> {
    /// See [`Report::recovers_within`](crate::Report::recovers_within).
    ///
    /// # Errors
    /// If it takes longer, or there was no outage.
    pub fn recovers_within(&self, round_trips: u32) -> Result<(), Failure> {
        const ASSERTION: &str = "recovers_within";
        let (_, end) = self.report.span();
        let setting = &self.report.setting;
        let share = RECOVERED / (1 + setting.cross.len()) as f64;
        let expected = format!(
            "{} of the link filled again within {round_trips} round trips after the outage",
            percent(share)
        );
        let Some(over) = setting.path.outage_end(end) else {
            let found = "no outage of the bottleneck in the run".to_string();
            return self.fails(ASSERTION, Verdict { expected, found, worst: None }, None);
        };
        let recovered = self.recovered_at(over, share);
        let within = Time::from_ps(setting.base_rtt.ps().saturating_mul(round_trips.into()));
        if recovered.is_some_and(|at| at.since(over) <= within) {
            return Ok(());
        }
        let found = match recovered {
            None => "never in the run".to_string(),
            Some(at) => {
                let round_trips = at.since(over).secs() / setting.base_rtt.secs();
                format!("after {}, {round_trips:.1} round trips", milliseconds(at.since(over)))
            }
        };
        let verdict = Verdict {
            expected,
            found,
            worst: Some(Worst { at: over, why: "the end of the outage".to_string() }),
        };
        self.fails(ASSERTION, verdict, None)
    }

    /// The end of the first base round-trip time after `over` in which arrivals fill this share of the link.
    fn recovered_at(&self, over: Time, share: f64) -> Option<Time> {
        let setting = &self.report.setting;
        let window = setting.base_rtt;
        let mut within = VecDeque::new();
        let mut bytes = 0;
        for entry in self.report.arrivals().filter(|entry| entry.at >= over) {
            within.push_back((entry.at, u64::from(entry.wire_bytes)));
            bytes += u64::from(entry.wire_bytes);
            while let Some(&(_, gone)) = within.front().filter(|&&(at, _)| entry.at.since(at) >= window) {
                bytes -= gone;
                within.pop_front();
            }
            let start = over.max(entry.at.since(window));
            let filled = share * setting.path.bits_between(start, start + window);
            if 8.0 * bytes as f64 >= filled {
                return Some(entry.at);
            }
        }
        None
    }
}
