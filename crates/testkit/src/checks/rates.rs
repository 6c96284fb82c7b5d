//! Goodput and queueing delay.

use parshall_sim::units::Time;

use super::Checks;
use crate::failure::{Failure, Verdict, Worst};
use crate::picture::Limit;
use crate::report::Delay;

impl Checks<'_> {
    /// See [`Report::goodput_at_least`](crate::Report::goodput_at_least).
    ///
    /// # Errors
    /// If it is less.
    pub fn goodput_at_least(&self, share: f64) -> Result<(), Failure> {
        let (found, link) = (self.report.share_of_link(), self.report.link_rate());
        if found >= share {
            return Ok(());
        }
        let (from, to) = self.report.span();
        let verdict = Verdict {
            expected: format!("goodput of at least {} of the {} of the link", percent(share), megabits(link)),
            found: format!(
                "{}, {}, from {} to {}",
                megabits(self.report.goodput()),
                percent(found),
                seconds(from),
                seconds(to)
            ),
            worst: self.longest_silence(),
        };
        self.fails("goodput_at_least", verdict, Some(Limit::Goodput(share * link)))
    }

    /// See [`Report::p95_delay_at_most`](crate::Report::p95_delay_at_most).
    ///
    /// # Errors
    /// If it is more, or nothing arrived.
    pub fn p95_delay_at_most(&self, most: Time) -> Result<(), Failure> {
        let found = self.report.delay_quantile(0.95);
        if found.is_some_and(|found| found <= most) {
            return Ok(());
        }
        let delays = self.report.delays();
        // The first of equals.
        let longest = delays.iter().rev().max_by_key(|delay| delay.queueing);
        let found = match found {
            None => "no datagram".to_string(),
            Some(found) => format!(
                "{} ({} in the median, {} at most, {} datagrams)",
                milliseconds(found),
                self.report.delay_quantile(0.5).map_or(String::new(), milliseconds),
                longest.map_or(String::new(), |delay| milliseconds(delay.queueing)),
                delays.len()
            ),
        };
        let verdict = Verdict {
            expected: format!("at most {} in queues for 95 % of the datagrams", milliseconds(most)),
            found,
            worst: longest.map(|&Delay { at, queueing }| Worst {
                at,
                why: format!("a datagram after {} in queues", milliseconds(queueing)),
            }),
        };
        self.fails("p95_delay_at_most", verdict, Some(Limit::Delay(most)))
    }

    /// The longest time without a delivery in what is counted.
    pub(super) fn longest_silence(&self) -> Option<Worst> {
        let (from, to) = self.report.span();
        let instants = self.report.deliveries().into_iter().map(|(at, _)| at);
        let within = instants.filter(|at| (from..=to).contains(at));
        let mut before = from;
        let mut longest = (Time::ZERO, from);
        for at in within.chain([to]) {
            longest = longest.max((at.since(before), before));
            before = at;
        }
        let (length, start) = longest;
        let why = format!("the start of the longest time without a delivery, {}", milliseconds(length));
        (to > from).then_some(Worst { at: start, why })
    }
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

pub(super) fn megabits(rate: f64) -> String {
    format!("{:.2} Mbit/s", rate / 1e6)
}

pub(super) fn milliseconds(time: Time) -> String {
    format!("{:.1} ms", 1e3 * time.secs())
}

pub(super) fn seconds(time: Time) -> String {
    format!("{:.2} s", time.secs())
}
