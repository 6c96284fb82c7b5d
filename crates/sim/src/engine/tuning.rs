//! Table of the steps that tuned RED queues took.

use super::Simulation;
use crate::network::Probe;
use crate::record::{RedTuningRow, RedTuningTable, Table};
use crate::room::{self, Room};

/// The name in messages of what grows here.
const ROWS: &str = "rows of red_tuning";

impl Simulation {
    /// Table of the moves of tuned RED queues, where ports of such queues are sampled.
    pub(super) fn red_tunings(&mut self) -> Option<Table> {
        let end = self.end;
        let sampled = self.recorder.watch().port_series.clone()?.0;
        let mut rows = Vec::new();
        let mut tuned = false;
        for index in sampled {
            let Probe::TunedRed(red) = self.ports[index as usize].probe() else {
                continue;
            };
            tuned = true;
            for moved in red.tuning_mut().and_then(|tuning| tuning.take(end)).unwrap_or_default() {
                let (min_threshold_packets, max_threshold_packets) = red.thresholds_packets(moved.moved);
                rows.add(
                    RedTuningRow {
                        time: moved.time,
                        port: index as i32,
                        share: moved.share,
                        min_threshold_packets,
                        max_threshold_packets,
                    },
                    ROWS,
                );
            }
        }
        room::to_sort(&rows, ROWS);
        rows.sort_by(|a, b| a.time.total_cmp(&b.time));
        let mut table = RedTuningTable::default();
        rows.into_iter().for_each(|row| table.push(row));
        tuned.then(|| table.into_table())
    }
}
