//! What several runs recorded, in one: a thousand short runs are then handed over as a few tables, not as thousands.

use super::{Column, Recording, Table};
use crate::names::Names;

/// Recordings of the same tables; each table has the rows of one run behind those of the one before.
#[derive(Clone, Debug, PartialEq)]
pub struct Joined {
    /// What flows and ports are called, by run.
    pub names: Vec<Names>,
    /// The tables of all runs.
    pub tables: Vec<Table>,
    /// Of each table, the rows of each run.
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
    /// Whether a recording has the same tables. One with columns that are kept in less room than they take has not:
    /// they would need that room.
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
    /// Its rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// Bytes that its columns take, once they have their values.
    pub fn bytes(&self) -> usize {
        self.columns.iter().map(|(_, column)| column.bytes()).sum()
    }

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

/// Looks at two columns of one type, or does something else if they are not.
macro_rules! of_one_type {
    ($pair:expr, $own:ident, $other:ident => $result:expr, else $none:expr) => {
        match $pair {
            (Column::F64($own), Column::F64($other)) => $result,
            (Column::U64($own), Column::U64($other)) => $result,
            (Column::I64($own), Column::I64($other)) => $result,
            (Column::I32($own), Column::I32($other)) => $result,
            (Column::U8($own), Column::U8($other)) => $result,
            (Column::Bool($own), Column::Bool($other)) => $result,
            _ => $none,
        }
    };
}

impl Column {
    /// Whether both have their values, of one type.
    pub fn fits(&self, other: &Column) -> bool {
        of_one_type!((self, other), _own, _other => true, else false)
    }

    /// Adds the values of a column that fits.
    ///
    /// # Panics
    /// If it does not.
    pub fn extend(&mut self, other: &Column) {
        of_one_type!((self, other), own, other => own.extend_from_slice(other), else panic!("columns of one type"));
    }
}
