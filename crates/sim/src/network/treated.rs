//! Experiments that a port makes with groups of flows: whom they ask, and what came of them.

use parshall_estimators::treatment::{Outcome, Settings, Treatment};
use rustc_hash::FxHashMap;

use crate::random::Stream;
use crate::room::Room;
use crate::scenario::TreatmentLoss;
use crate::units::Time;

/// The name in messages of what grows here.
const ROWS: &str = "rows of treatment";

/// Settings of an experiment with a group.
pub fn treatment_settings(config: &TreatmentLoss, seed: u64) -> Settings {
    let TreatmentLoss { block, times, floor, part, budget, limit, goes_on, .. } = *config;
    Settings { block_s: block.secs(), times, floor, part, budget, limit, goes_on, seed }
}

/// State of an experiment at the end of a pair of blocks.
#[derive(Clone, Copy, Debug)]
pub struct TreatedOutcome {
    /// Number of the group.
    pub group: u32,
    /// Its state.
    pub outcome: Outcome,
}

/// The experiments of a port.
#[derive(Clone, Debug)]
pub struct Treated {
    experiments: Vec<Treatment>,
    /// Groups and keys of flows by their hops.
    members: FxHashMap<u32, (u32, u64)>,
    stream: Stream,
    rows: Vec<TreatedOutcome>,
}

impl Treated {
    /// Experiments that nobody takes part in yet.
    pub fn new(config: &TreatmentLoss, mut stream: Stream) -> Self {
        let mut experiment = |_: &_| {
            Treatment::new(treatment_settings(config, stream.bits())).expect("the settings were checked")
        };
        let experiments = config.groups.iter().map(&mut experiment).collect();
        Treated { experiments, members: FxHashMap::default(), stream, rows: Vec::new() }
    }

    /// The stream that it draws from.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// A flow of this key takes part in the experiment of a group, with packets that come on this hop.
    pub fn enrol(&mut self, hop: u32, group: u32, key: u64) {
        self.members.insert(hop, (group, key));
    }

    /// A packet comes on this hop at `now`: true if an experiment drops or marks it.
    pub fn asks(&mut self, now: Time, hop: u32) -> bool {
        let Some(&(group, key)) = self.members.get(&hop) else {
            return false;
        };
        let experiment = &mut self.experiments[group as usize];
        let now_s = now.secs();
        if let Some(outcome) = experiment.close(now_s) {
            self.rows.add(TreatedOutcome { group, outcome }, ROWS);
        }
        let probability = experiment.packet(now_s, key);
        let asked = probability > 0.0 && self.stream.chance(probability);
        if asked {
            experiment.signal();
        }
        asked
    }

    /// Tells that the queue dropped or marked a packet that came on this hop, or neither.
    pub fn observe_queue(&mut self, hop: u32, signalled: bool) {
        if let Some(&(group, _)) = self.members.get(&hop) {
            self.experiments[group as usize].queue(signalled);
        }
    }

    /// Ends all experiments now: the pairs under way are dropped, since they are cut.
    pub fn end(&mut self) {
        for experiment in &mut self.experiments {
            experiment.abandon();
        }
    }

    /// Takes the outcomes of all pairs that are over at `end`.
    pub fn take(&mut self, end: Time) -> Vec<TreatedOutcome> {
        for (group, experiment) in (0..).zip(&mut self.experiments) {
            if let Some(outcome) = experiment.close(end.secs()) {
                self.rows.add(TreatedOutcome { group, outcome }, ROWS);
            }
        }
        std::mem::take(&mut self.rows)
    }

    /// Bytes of what came of them.
    pub fn bytes(&self) -> u64 {
        (self.rows.capacity() * size_of::<TreatedOutcome>()) as u64
    }
}
