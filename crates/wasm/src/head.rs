//! The head of a recording: what there is of it, and where in memory.

use parshall_sim::{Column, NoMemory, Recording, Table, Values, ENGINE_VERSION};
use serde::Serialize;

/// A recording without its numbers.
#[derive(Debug, Serialize)]
pub struct Head<'a> {
    engine: &'static str,
    events: u64,
    flows: Vec<&'a str>,
    ports: Vec<&'a str>,
    tables: Vec<TableHead>,
    captures: Vec<CaptureHead<'a>>,
}

#[derive(Debug, Serialize)]
struct TableHead {
    name: &'static str,
    rows: usize,
    columns: Vec<ColumnHead>,
}

#[derive(Debug, Serialize)]
struct ColumnHead {
    name: &'static str,
    r#type: &'static str,
    /// Address of the first value.
    at: usize,
}

#[derive(Debug, Serialize)]
struct CaptureHead<'a> {
    port: &'a str,
    at: usize,
    bytes: usize,
}

impl<'a> Head<'a> {
    /// The head of a recording, which stays where it is.
    ///
    /// # Errors
    /// If there is no memory for the values of a column.
    pub fn of(recording: &'a Recording) -> Result<Self, NoMemory> {
        let capture = |(port, file): (&'a str, &[u8])| CaptureHead {
            port,
            at: file.as_ptr().addr(),
            bytes: file.len(),
        };
        Ok(Head {
            engine: ENGINE_VERSION,
            events: recording.events(),
            flows: recording.flow_names().collect(),
            ports: recording.port_names().collect(),
            tables: recording.tables().iter().map(TableHead::of).collect::<Result<_, _>>()?,
            captures: recording.captures().map(capture).collect(),
        })
    }
}

impl TableHead {
    fn of(table: &Table) -> Result<Self, NoMemory> {
        let columns = table.columns().map(|(name, column)| ColumnHead::of(name, column));
        Ok(TableHead { name: table.name(), rows: table.rows(), columns: columns.collect::<Result<_, _>>()? })
    }
}

impl ColumnHead {
    fn of(name: &'static str, column: &Column) -> Result<Self, NoMemory> {
        let at = match column.values()? {
            Values::F64(values) => values.as_ptr().addr(),
            Values::U64(values) => values.as_ptr().addr(),
            Values::I64(values) => values.as_ptr().addr(),
            Values::I32(values) => values.as_ptr().addr(),
            Values::U8(values) => values.as_ptr().addr(),
            Values::Bool(values) => values.as_ptr().addr(),
        };
        Ok(ColumnHead { name, r#type: column.value_type().name(), at })
    }
}
