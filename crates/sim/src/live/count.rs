//! Counters of the packets of each flow, as the table `flows` has it. A relay sees no transport: what only
//! that knows is 0.

use crate::record::{FlowRow, FlowTable, Table};
use crate::units::Time;

/// Counters of all flows.
#[derive(Debug)]
pub(super) struct Counts {
    count_from: Time,
    rows: Vec<FlowRow>,
}

impl Counts {
    /// Counters of so many flows, which count from an instant on.
    pub fn new(flows: usize, count_from: Time) -> Self {
        let row = |flow| FlowRow { flow, completed_at: f64::NAN, ..FlowRow::default() };
        Counts { count_from, rows: (0..flows as i32).map(row).collect() }
    }

    /// A packet comes from a sender, or, if it goes `back`, from a receiver.
    pub fn arrived(&mut self, now: Time, flow: u32, back: bool, bytes: u16) {
        let (row, counts) = self.row(now, flow);
        if !back {
            row.packets_in_flight += 1;
            row.packets_offered += counts;
            row.packets_sent += counts;
            row.bytes_sent += counts * u64::from(bytes);
        }
    }

    /// A packet has been handed over, with its payload.
    pub fn delivered(&mut self, now: Time, flow: u32, back: bool, payload: u16) {
        let (row, counts) = self.row(now, flow);
        if back {
            row.acks_received += counts;
            return;
        }
        row.packets_in_flight = row.packets_in_flight.saturating_sub(1);
        row.packets_received += counts;
        row.packets_delivered += counts;
        row.bytes_delivered += counts * u64::from(payload);
    }

    /// A packet was dropped by the queue or lost on the link.
    pub fn gone(&mut self, now: Time, flow: u32, back: bool) {
        let (row, counts) = self.row(now, flow);
        if back {
            row.acks_dropped += counts;
            return;
        }
        row.packets_in_flight = row.packets_in_flight.saturating_sub(1);
        row.packets_dropped += counts;
    }

    /// The row of a flow, and 1 if what happens now counts.
    fn row(&mut self, now: Time, flow: u32) -> (&mut FlowRow, u64) {
        (&mut self.rows[flow as usize], u64::from(now >= self.count_from))
    }

    pub fn into_table(self) -> Table {
        let mut table = FlowTable::default();
        self.rows.into_iter().for_each(|row| table.push(row));
        table.into_table()
    }
}
