//! Losses, and what is sent again without one.

use parshall_sim::units::Time;

use super::rates::seconds;
use super::Checks;
use crate::failure::{Failure, Verdict, Worst};

/// A loss excuses what is sent again for so long, or for ten round trips.
const EXCUSED: Time = Time::from_ps(1_000_000_000_000);

impl Checks<'_> {
    /// See [`Report::no_loss`](crate::Report::no_loss).
    ///
    /// # Errors
    /// If a datagram was lost.
    pub fn no_loss(&self) -> Result<(), Failure> {
        let Some(first) = self.report.drops().next() else { return Ok(()) };
        let sent = self.report.trace().entries().iter().filter(|entry| entry.at == entry.sent_at).count();
        let verdict = Verdict {
            expected: "no datagram lost".to_string(),
            found: format!("{} of {sent}", self.report.drops().count()),
            worst: Some(Worst { at: first.at, why: "the first loss".to_string() }),
        };
        self.fails("no_loss", verdict, None)
    }

    /// See [`Report::no_spurious_retransmission_without_loss`](crate::Report::no_spurious_retransmission_without_loss).
    ///
    /// # Errors
    /// If something was sent again without a loss, or the stack does not say what it sends again.
    pub fn no_spurious_retransmission_without_loss(&self) -> Result<(), Failure> {
        const ASSERTION: &str = "no_spurious_retransmission_without_loss";
        let expected = "nothing sent again without a loss before".to_string();
        let Some(marks) = self.report.marks() else {
            let found = "no marks; Report::with_marks hands them over".to_string();
            return self.fails(ASSERTION, Verdict { expected, found, worst: None }, None);
        };
        let round_trips = Time::from_ps(self.report.setting.base_rtt.ps().saturating_mul(10));
        let excused = EXCUSED.max(round_trips);
        let losses: Vec<Time> = self.report.drops().map(|entry| entry.at).collect();
        let last_loss = |at: Time| losses[..losses.partition_point(|&loss| loss <= at)].last().copied();
        let spurious = |at: Time| last_loss(at).is_none_or(|loss| at.since(loss) > excused);
        let all = marks.sent_again();
        let mut found = all.iter().filter(|&&(at, _)| spurious(at));
        let Some(&(at, bytes)) = found.next() else { return Ok(()) };
        let before = match last_loss(at) {
            Some(loss) => format!("the last loss before it was at {}", seconds(loss)),
            None => "nothing had been lost".to_string(),
        };
        let verdict = Verdict {
            expected,
            found: format!("{} of {} datagrams sent again", 1 + found.count(), all.len()),
            worst: Some(Worst { at, why: format!("{bytes} bytes sent again; {before}") }),
        };
        self.fails(ASSERTION, verdict, None)
    }
}
