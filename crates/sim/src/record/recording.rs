//! Recording of a run.

use super::{NoMemory, Table};
use crate::names::Names;

/// All that is known of a run once it has ended. Two are equal if all their bits are.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    pub(crate) names: Names,
    /// `flows` and `ports`, then what was asked for.
    pub(crate) tables: Vec<Table>,
    /// Packet captures by port.
    pub(crate) captures: Vec<(String, Vec<u8>)>,
    pub(crate) events: u64,
    pub(crate) steps: u64,
}

impl Recording {
    /// Its tables: `flows` and `ports`, then what the scenario asks for.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// The names of flows, by the indices that tables have for them.
    pub fn flow_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.flows.iter()
    }

    /// The names of ports, by the indices that tables have for them: `a->b` for the direction of a link from a to b, or the
    /// name of the link for its forward direction, if it has one.
    pub fn port_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.ports.iter()
    }

    /// The index of a flow, which is also its row in the table `flows`.
    pub fn flow(&self, name: &str) -> Option<usize> {
        self.flow_names().position(|known| known == name)
    }

    /// The index of a port, which is also its row in the table `ports`.
    pub fn port(&self, name: &str) -> Option<usize> {
        self.port_names().position(|known| known == name)
    }

    /// Gives all columns their values, and lets go of what series are kept in until then. Columns are read without it, too; this
    /// is for a program that reads all of them and has little memory.
    ///
    /// # Errors
    /// If there is no memory for the values. Columns that have theirs keep them.
    pub fn expand(&mut self) -> Result<(), NoMemory> {
        self.tables
            .iter_mut()
            .flat_map(|table| &mut table.columns)
            .try_for_each(|(_, column)| column.expand())
    }

    /// Packet captures, as files in the format that the scenario asks for, with the names of their ports.
    pub fn captures(&self) -> impl ExactSizeIterator<Item = (&str, &[u8])> {
        self.captures.iter().map(|(port, file)| (port.as_str(), file.as_slice()))
    }

    /// Events that the engine executed. They depend on how it works, and are no result.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Events, and what was done ahead of them: what [`max_events`](crate::RunOptions::max_events) limits.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The names of flows and ports, to be shared.
    #[doc(hidden)]
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Its tables and its captures, for a caller that needs nothing else of it.
    #[doc(hidden)]
    pub fn into_parts(self) -> (Vec<Table>, Vec<(String, Vec<u8>)>) {
        (self.tables, self.captures)
    }
}
