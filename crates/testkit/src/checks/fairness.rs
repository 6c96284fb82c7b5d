//! Shares beside cross traffic.

use std::ops::RangeInclusive;

use parshall_sim::control::Control;
use parshall_sim::scenario::{Flow, Transport};

use super::rates::megabits;
use super::Checks;
use crate::failure::{Failure, Verdict};

impl Checks<'_> {
    /// See [`Report::fair_beside_linux_cubic`](crate::Report::fair_beside_linux_cubic).
    ///
    /// # Errors
    /// If the ratio is outside the range, or the cross traffic is none or has another control.
    pub fn fair_beside_linux_cubic(&self, ratio: RangeInclusive<f64>) -> Result<(), Failure> {
        const ASSERTION: &str = "fair_beside_linux_cubic";
        let other = self.report.setting.cross.iter().find(|flow| !is_linux_cubic(flow));
        if let Some(other) = other {
            let verdict = Verdict {
                expected: "cross traffic of Linux's CUBIC alone".to_string(),
                found: format!("a flow {} of another control", other.name),
                worst: None,
            };
            return self.fails(ASSERTION, verdict, None);
        }
        self.fair(ASSERTION, &ratio)
    }

    /// See [`Report::fair_beside_cross_traffic`](crate::Report::fair_beside_cross_traffic).
    ///
    /// # Errors
    /// If the ratio is outside the range, or there is no cross traffic.
    pub fn fair_beside_cross_traffic(&self, ratio: RangeInclusive<f64>) -> Result<(), Failure> {
        self.fair("fair_beside_cross_traffic", &ratio)
    }

    fn fair(&self, assertion: &'static str, range: &RangeInclusive<f64>) -> Result<(), Failure> {
        let flows = self.report.setting.cross.len();
        let Some(cross) = self.report.cross_goodput() else {
            let verdict = Verdict {
                expected: "cross traffic beside the stack".to_string(),
                found: "none; Kit::with_linux_cubic adds some".to_string(),
                worst: None,
            };
            return self.fails(assertion, verdict, None);
        };
        let (own, mean) = (self.report.goodput(), cross / flows as f64);
        let ratio = own / mean;
        if range.contains(&ratio) {
            return Ok(());
        }
        let verdict = Verdict {
            expected: format!("{} to {} times the goodput of a cross flow", range.start(), range.end()),
            found: format!(
                "{ratio:.2} times: {} beside {}, the mean of {flows} flows",
                megabits(own),
                megabits(mean)
            ),
            worst: self.longest_silence(),
        };
        self.fails(assertion, verdict, None)
    }
}

fn is_linux_cubic(flow: &Flow) -> bool {
    let Transport::Tcp(tcp) = &flow.transport else { return false };
    match &tcp.control {
        None => tcp.profile.is_linux(),
        Some(Control::Cubic(config)) => tcp.profile.is_linux() && *config == config.linux(),
        Some(_) => false,
    }
}
