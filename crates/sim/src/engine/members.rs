//! Counting the members of a flow, the connections that its application has besides its own, with the flow itself.

use super::Simulation;
use crate::record::{FlowRow, FlowTable, Table, Values};

/// Counters of flows, those of members added to those of the flow that they belong to.
pub(super) struct Counts<'a> {
    table: FlowTable,
    /// Rows of all flows that have no members yet, if any flow has.
    rows: Vec<FlowRow>,
    owners: &'a [u32],
}

impl<'a> Counts<'a> {
    /// Makes counters for `flows` flows and their member flows.
    pub fn new(flows: usize, owners: &'a [u32]) -> Self {
        Counts { table: FlowTable::with_capacity(flows), rows: Vec::new(), owners }
    }

    /// Adds the next flow; of one that asks for data, only what the network has to do with it counts.
    pub fn push(&mut self, row: FlowRow, asks: bool) {
        match self.owners.get(row.flow as usize) {
            None => self.table.push(row),
            Some(&owner) if owner == row.flow as u32 => self.rows.push(row),
            Some(&owner) => add(&mut self.rows[owner as usize], &row, asks),
        }
    }

    pub fn into_table(mut self) -> Table {
        self.rows.into_iter().for_each(|row| self.table.push(row));
        self.table.into_table()
    }
}

fn add(sum: &mut FlowRow, row: &FlowRow, asks: bool) {
    if !asks {
        sum.packets_offered += row.packets_offered;
        sum.packets_delivered += row.packets_delivered;
        sum.bytes_delivered += row.bytes_delivered;
    }
    sum.packets_sent += row.packets_sent;
    sum.bytes_sent += row.bytes_sent;
    sum.packets_retransmitted += row.packets_retransmitted;
    sum.packets_received += row.packets_received;
    sum.packets_dropped += row.packets_dropped;
    sum.acks_dropped += row.acks_dropped;
    sum.packets_in_flight += row.packets_in_flight;
    sum.acks_received += row.acks_received;
    sum.timeouts += row.timeouts;
    sum.spurious_timeouts += row.spurious_timeouts;
    sum.timeout_wait += row.timeout_wait;
    sum.fast_retransmits += row.fast_retransmits;
    sum.mark_reductions += row.mark_reductions;
    sum.rtt_samples += row.rtt_samples;
}

/// Puts the flows of the scenario in place of their members.
pub(super) fn count_with_owners(tables: &mut [Table], owners: &[u32]) {
    if owners.is_empty() {
        return;
    }
    let columns = tables.iter_mut().flat_map(|table| &mut table.columns);
    for (_, column) in columns.filter(|(name, _)| *name == "flow") {
        if let Some(Values::I32(flows)) = column.values_mut() {
            flows.iter_mut().for_each(|flow| *flow = owners[*flow as usize] as i32);
        }
    }
}

impl Simulation {
    /// The table of transfers, if it is wanted.
    pub(super) fn transfers(&self) -> Option<Table> {
        let wanted = self.recorder.watch().transfers.is_some();
        wanted.then(|| self.apps.table(|flow| self.flows[flow as usize].payload_bytes()))
    }
}
