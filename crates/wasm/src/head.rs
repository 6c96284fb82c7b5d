//! The head of a recording: what there is of it, and where in memory.

use parshall_sim::record::{Column, Recording};
use parshall_sim::run::ENGINE_VERSION;
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
    /// The head of a recording whose columns are expanded, and which stays where it is.
    pub fn of(recording: &'a Recording) -> Self {
        let capture = |(port, file): &'a (String, Vec<u8>)| CaptureHead {
            port,
            at: file.as_ptr().addr(),
            bytes: file.len(),
        };
        let table = |table: &parshall_sim::record::Table| TableHead {
            name: table.name,
            rows: table.columns.first().map_or(0, |(_, column)| column.len()),
            columns: table.columns.iter().map(|(name, column)| ColumnHead::of(name, column)).collect(),
        };
        Head {
            engine: ENGINE_VERSION,
            events: recording.events,
            flows: recording.names.flows.iter().collect(),
            ports: recording.names.ports.iter().collect(),
            tables: recording.tables.iter().map(table).collect(),
            captures: recording.captures.iter().map(capture).collect(),
        }
    }
}

impl ColumnHead {
    fn of(name: &'static str, column: &Column) -> Self {
        let (r#type, at) = match column {
            Column::F64(values) => ("f64", values.as_ptr().addr()),
            Column::U64(values) => ("u64", values.as_ptr().addr()),
            Column::I64(values) => ("i64", values.as_ptr().addr()),
            Column::I32(values) => ("i32", values.as_ptr().addr()),
            Column::U8(values) => ("u8", values.as_ptr().addr()),
            Column::Bool(values) => ("bool", values.as_ptr().addr()),
            Column::Compact(_) => unreachable!("columns are expanded before they are told of"),
        };
        ColumnHead { name, r#type, at }
    }
}
