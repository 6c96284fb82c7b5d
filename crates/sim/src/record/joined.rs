//! Recordings of several runs in one: a thousand short runs are then handed over as a few tables, not as
//! thousands.

use super::{Column, Recording, Table};
use crate::names::Names;

/// Recordings of the same tables; each table has the rows of one run behind those of the one before.
#[derive(Clone, Debug, PartialEq)]
pub struct Joined {
    /// Names of flows and ports, by run.
    pub names: Vec<Names>,
    /// The tables of all runs.
    pub tables: Vec<Table>,
    /// Rows of each run, by table.
    pub rows: Vec<Vec<usize>>,
    /// Packet captures by port, by run.
    pub captures: Vec<Vec<(String, Vec<u8>)>>,
    /// Events of each run, and these with what was done ahead of them.
    pub took: Vec<(u64, u64)>,
}

impl From<Recording> for Joined {
    fn from(recording: Recording) -> Self {
        let Recording { names, tables, captures, events, steps } = recording;
        let rows = tables.iter().map(|table| vec![table.rows()]).collect();
        Joined { names: vec![names], tables, rows, captures: vec![captures], took: vec![(events, steps)] }
    }
}

impl Joined {
    /// Returns whether a recording has the same tables. One with columns that are stored compressed has not:
    /// they would need the room of their values.
    pub fn fits(&self, recording: &Recording) -> bool {
        let pairs = || self.tables.iter().zip(&recording.tables);
        self.tables.len() == recording.tables.len() && pairs().all(|(own, other)| own.fits(other))
    }

    /// Puts a recording that fits behind the others.
    pub fn add(&mut self, recording: Recording) {
        let Recording { names, tables, captures, events, steps } = recording;
        for ((own, rows), table) in self.tables.iter_mut().zip(&mut self.rows).zip(&tables) {
            rows.push(table.rows());
            own.extend(table);
        }
        self.names.push(names);
        self.captures.push(captures);
        self.took.push((events, steps));
    }

    /// Bytes that tables and captures take, once all columns have their values.
    pub fn bytes(&self) -> usize {
        let captures = self.captures.iter().flatten().map(|(_, bytes)| bytes.len());
        self.tables.iter().map(Table::bytes).chain(captures).sum()
    }
}

impl Table {
    fn fits(&self, other: &Table) -> bool {
        let mut pairs = self.columns.iter().zip(&other.columns);
        self.name == other.name
            && self.columns.len() == other.columns.len()
            && pairs.all(|((name, own), (called, column))| name == called && own.fits(column))
    }

    fn extend(&mut self, other: &Table) {
        for ((_, own), (_, column)) in self.columns.iter_mut().zip(&other.columns) {
            own.extend(column);
        }
    }
}

impl Column {
    /// Tells if both have their values, of one type.
    fn fits(&self, other: &Column) -> bool {
        self.is_whole() && other.is_whole() && self.value_type() == other.value_type()
    }

    /// Adds the values of a column that fits.
    ///
    /// # Panics
    /// If it does not.
    fn extend(&mut self, other: &Column) {
        let values = self.values_mut().zip(other.values().ok());
        assert!(values.is_some_and(|(own, more)| own.append(more)), "columns of one type");
    }
}
