//! Runs of one scenario with many seeds, handed over one by one as they finish.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::{Batch, Job, RunError};
use crate::compile::{Folding, Plan};
use crate::expect::Expected;
use crate::record::Recording;
use crate::scenario::Scenario;

/// Time to wait for a result before waiting again.
const WAITING: Duration = Duration::from_secs(1);

/// Runs a scenario with each of `seeds` on `threads` threads, at least one. The scenario is checked once.
///
/// Recordings come as they finish, each with its seed, and do not depend on the number of threads. A few dozen wait to be taken
/// at most: what takes them slowly slows the runs down, and memory does not fill.
///
/// ```
/// # use parshall_sim::scenario::{Flow, Link, Scenario, Tcp};
/// # use parshall_sim::units::{Rate, Time};
/// # let link = Link::new(("a", "b"), Rate::mbit(1.0), Time::ms(20.0));
/// # let scenario = Scenario::new(Time::from_secs(5.0), [link], [Flow::bulk("f", "a", "b", Tcp::default())]);
/// let mut timeouts = 0;
/// for (seed, recording) in parshall_sim::run_many(&scenario, 1..=8, 2)? {
///     let recording = recording.map_err(|error| format!("seed {seed}: {error}"))?;
///     timeouts += recording.table("flows")?.u64("timeouts")?[0];
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the scenario cannot be run, or each of its runs would take far more memory than there is. Anything else that goes wrong
/// is the result of the run that it befalls.
pub fn run_many(
    scenario: &Scenario,
    seeds: impl IntoIterator<Item = u64>,
    threads: usize,
) -> Result<Runs, RunError> {
    let plan = Arc::new(Plan::new(scenario, Folding::On)?);
    Expected::of(&plan).out_of_reach().map_or(Ok(()), Err)?;
    let seeds: Vec<u64> = seeds.into_iter().collect();
    let jobs = seeds.iter().map(|&seed| Job::new(plan.clone(), seed)).collect();
    let batch = Batch::start(jobs, threads);
    Ok(Runs { batch, open: vec![true; seeds.len()], seeds, finished: VecDeque::new(), stopped: false })
}

/// Runs under way: an iterator over seeds and what became of the run with each. Dropping it stops those that are left.
#[derive(Debug)]
pub struct Runs {
    batch: Batch,
    seeds: Vec<u64>,
    /// Tells of each run if it has not finished.
    open: Vec<bool>,
    finished: VecDeque<(usize, Result<Recording, RunError>)>,
    stopped: bool,
}

impl Runs {
    /// Starts no further run and ends those under way, whose results are [`RunError::Stopped`]. What has finished can still be
    /// taken; what has not started gives no result.
    pub fn stop(&mut self) {
        self.stopped = true;
        self.batch.stop();
    }

    /// Waits until something has finished. Where the system has taken away the last thread, what is left has failed.
    fn wait(&mut self) {
        while self.finished.is_empty() && self.open.contains(&true) {
            match self.batch.next(WAITING) {
                Some(done) => self.finished.extend(done),
                None if self.stopped => self.open.fill(false),
                None => self.finished.extend(self.lost()),
            }
        }
    }

    fn lost(&self) -> Vec<(usize, Result<Recording, RunError>)> {
        let lost = || Err(RunError::Thread(std::io::ErrorKind::WouldBlock.into()));
        (0..self.open.len()).filter(|&index| self.open[index]).map(|index| (index, lost())).collect()
    }
}

impl Iterator for Runs {
    type Item = (u64, Result<Recording, RunError>);

    fn next(&mut self) -> Option<Self::Item> {
        self.wait();
        let (index, result) = self.finished.pop_front()?;
        self.open[index] = false;
        Some((self.seeds[index], result))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.open.iter().filter(|&&open| open).count();
        (if self.stopped { self.finished.len() } else { left }, Some(left))
    }
}

impl std::iter::FusedIterator for Runs {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Flow, Link, Tcp};
    use crate::units::{Rate, Time};

    fn scenario(seconds: f64) -> Scenario {
        let link = Link::new(("a", "b"), Rate::mbit(1.0), Time::ms(10.0));
        let mut flow = Flow::bulk("f", "a", "b", Tcp::default());
        flow.start_spread = Time::from_secs(1.0);
        Scenario::new(Time::from_secs(seconds), [link], [flow])
    }

    #[test]
    fn each_seed_has_the_recording_of_a_run_with_it() {
        let scenario = scenario(3.0);
        let runs = run_many(&scenario, 3..15, 3).expect("it can be run");
        assert_eq!(runs.size_hint(), (12, Some(12)));
        let mut runs: Vec<_> = runs.collect();
        runs.sort_by_key(|(seed, _)| *seed);
        assert!(runs.iter().map(|(seed, _)| *seed).eq(3..15));
        for (seed, recording) in runs {
            let alone = crate::run(&scenario, seed).expect("a recording");
            assert_eq!(recording.expect("a recording"), alone, "seed {seed}");
        }
    }

    #[test]
    fn runs_that_are_stopped_end_and_nothing_more_comes() {
        let mut runs = run_many(&scenario(1e6), 0..1000, 2).expect("it can be run");
        runs.stop();
        let ended: Vec<_> = runs.collect();
        assert!(ended.len() <= 2, "{} runs", ended.len());
        assert!(ended.iter().all(|(_, result)| matches!(result, Err(RunError::Stopped))), "{ended:?}");
    }

    #[test]
    fn a_scenario_that_cannot_be_run_is_said_before_anything_runs() {
        let mut scenario = scenario(1.0);
        scenario.flows[0].destination = "c".into();
        let Err(RunError::Scenario(error)) = run_many(&scenario, 0..3, 2) else { panic!("there is no c") };
        assert_eq!(error.path, "flows[0].destination");
    }
}
