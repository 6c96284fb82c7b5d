//! An assertion that did not hold: one message with everything that a developer asks for next.

use std::fmt::{self, Write};
use std::path::PathBuf;

use parshall_sim::net::{Trace, TraceEntry, TraceEvent};
use parshall_sim::units::Time;

use crate::picture;
use crate::report::Report;

/// Lines of the trace before and after the worst instant.
const LINES_AROUND: usize = 10;

/// An assertion that did not hold.
///
/// Its text says what was expected and what came out, the network and the seed, where the picture is, and what the
/// endpoints sent and received around the worst instant.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// The assertion, as its method is called.
    pub assertion: &'static str,
    /// Expectation and outcome.
    pub summary: String,
    /// The worst instant, if there is one.
    pub worst: Option<Time>,
    /// The picture, or why there is none.
    pub picture: Result<PathBuf, String>,
    /// The lines after the first.
    details: String,
}

/// The worst instant, and what is bad about it.
#[derive(Clone, Debug)]
pub(crate) struct Worst {
    pub at: Time,
    pub why: String,
}

/// Expectation and outcome.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub expected: String,
    pub found: String,
    pub worst: Option<Worst>,
}

impl Failure {
    /// The message for a verdict, with a picture, which is written now. `limit` is a line in it.
    pub(crate) fn of(
        report: &Report,
        assertion: &'static str,
        verdict: Verdict,
        limit: Option<picture::Limit>,
    ) -> Self {
        let Verdict { expected, found, worst } = verdict;
        let at = worst.as_ref().map(|worst| worst.at);
        let picture = picture::write(report, assertion, at, limit);
        let mut details = again(report);
        let _ = match &picture {
            Ok(path) => writeln!(details, "  picture: {}", path.display()),
            Err(reason) => writeln!(details, "  no picture: {reason}"),
        };
        if let Some(Worst { at, why }) = worst {
            let _ = writeln!(details, "  packets around {:.6} s, {why}:", at.secs());
            details += &around(report, at);
        }
        let summary = format!("expected {expected}, got {found}");
        Failure { assertion, summary, worst: at, picture, details }
    }

    /// The message for two runs that differ.
    pub(crate) fn of_two(reports: [&Report; 2], differs: usize, assertion: &'static str) -> Self {
        let entries = reports.map(|report| report.trace().entries());
        let at = entries.iter().filter_map(|entries| entries.get(differs)).map(|entry| entry.at).min();
        let mut details = again(reports[0]);
        for (report, run) in reports.into_iter().zip(["first", "second"]) {
            let _ = writeln!(details, "  the {run} run:");
            details += &lines(report, differs);
        }
        let counts = entries.map(<[TraceEntry]>::len);
        Failure {
            assertion,
            summary: format!(
                "expected equal traces of two runs with one seed, got {} and {} entries, of which number {differs} differs",
                counts[0], counts[1]
            ),
            worst: at,
            picture: Err("two runs are compared".to_string()),
            details,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { assertion, summary, details, .. } = self;
        write!(f, "{assertion}: {summary}\n{}", details.trim_end())
    }
}

/// The text, which is what a test that returns a result shows.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Failure {}

/// How to see it again.
fn again(report: &Report) -> String {
    let (name, seed) = (report.name(), report.seed());
    let test = match std::thread::current().name() {
        Some(test) if test != "main" => format!(", or `cargo test {test}`"),
        _ => String::new(),
    };
    format!("  network {name}, seed {seed}; again by {name}().seed({seed}){test}\n")
}

/// The lines of the trace around an instant.
fn around(report: &Report, at: Time) -> String {
    lines(report, first_from(report.trace(), at))
}

fn first_from(trace: &Trace, at: Time) -> usize {
    trace.entries().partition_point(|entry| entry.at < at)
}

/// The lines of the trace around one entry, which an arrow points to.
fn lines(report: &Report, place: usize) -> String {
    let entries = report.trace().entries();
    let shown = place.saturating_sub(LINES_AROUND)..entries.len().min(place + LINES_AROUND + 1);
    let mut text = String::new();
    for number in shown {
        let arrow = if number == place { ">" } else { " " };
        let _ = writeln!(text, "  {arrow} {}", line(report, &entries[number]));
    }
    if place >= entries.len() {
        let _ = writeln!(text, "  > nothing more");
    }
    text
}

/// One entry, as a table's row.
fn line(report: &Report, entry: &TraceEntry) -> String {
    let sender = if report.setting.upload { "client" } else { "server" };
    let receiver = if report.setting.upload { "server" } else { "client" };
    let host = if entry.endpoint == report.ends[0] { sender } else { receiver };
    let what = match entry.event {
        TraceEvent::Sent => "sent".to_string(),
        TraceEvent::Received => "received".to_string(),
        TraceEvent::Dropped(cause) => format!("lost ({cause:?})"),
    };
    let after = match entry.event {
        TraceEvent::Received if entry.endpoint == report.ends[1] => {
            format!(", {:.3} ms in queues", report.queueing(entry).secs() * 1e3)
        }
        _ => String::new(),
    };
    let (at, bytes, ecn) = (entry.at.secs(), entry.wire_bytes, entry.ecn);
    format!("{at:12.6} s  {host}  {what:<15} {bytes:5} bytes  {ecn:?}{after}")
}
