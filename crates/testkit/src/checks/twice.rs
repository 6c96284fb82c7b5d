//! Determinism: two runs with one seed.

use crate::failure::Failure;
use crate::Report;

/// Runs a test's run twice, and asserts that both have one trace: times, sizes, ECN bits and endpoints of all datagrams.
/// Returns the first report. A stack that draws random numbers of its own needs a seed for them.
///
/// ```
/// use parshall_testkit::reference::{Receiver, Sender};
/// use parshall_testkit::{lan, same_trace_twice};
///
/// let report = same_trace_twice(|| {
///     let mut run = lan().build().expect("a network");
///     run.drive(&mut Receiver::new(), &mut Sender::transfer(100_000)).expect("a run");
///     run.finish().expect("a report")
/// });
/// report.no_loss();
/// ```
///
/// # Panics
/// If the traces differ, with the lines around the first difference.
#[track_caller]
pub fn same_trace_twice(run: impl FnMut() -> Report) -> Report {
    match check_same_trace_twice(run) {
        Ok(report) => report,
        Err(failure) => panic!("{failure}"),
    }
}

/// Does the same as [`same_trace_twice`], as a result.
///
/// # Errors
/// If the traces differ.
pub fn check_same_trace_twice(mut run: impl FnMut() -> Report) -> Result<Report, Failure> {
    let reports = [run(), run()];
    let [first, second] = [&reports[0], &reports[1]].map(|report| report.trace().entries());
    let shared = first.iter().zip(second).take_while(|(a, b)| a == b).count();
    if shared < first.len().max(second.len()) {
        return Err(Failure::of_two([&reports[0], &reports[1]], shared, "same_trace_twice"));
    }
    let [report, _] = reports;
    Ok(report)
}
