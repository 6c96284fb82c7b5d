//! Columns of recordings, for comparisons bit for bit.

use parshall_sim::record::{Column, Recording};

/// All bits of a recording, but for the number of events that it took.
pub fn bits(recording: &Recording) -> Vec<(String, Vec<u64>)> {
    let tables = recording.tables.iter().flat_map(|table| {
        table.columns.iter().map(|(name, column)| (format!("{}.{name}", table.name), column_bits(column)))
    });
    let captures = recording.captures.iter().map(|(port, bytes)| {
        (format!("pcap of {port}"), bytes.iter().map(|&b| u64::from(b)).collect::<Vec<_>>())
    });
    tables.chain(captures).collect()
}

fn column_bits(column: &Column) -> Vec<u64> {
    match column {
        Column::F64(v) => v.iter().map(|x| x.to_bits()).collect(),
        Column::U64(v) => v.clone(),
        Column::I64(v) => v.iter().map(|&x| x as u64).collect(),
        Column::I32(v) => v.iter().map(|&x| x as u64).collect(),
        Column::U8(v) => v.iter().map(|&x| u64::from(x)).collect(),
        Column::Bool(v) => v.iter().map(|&x| u64::from(x)).collect(),
        Column::Compact(_) => column_bits(&column.clone().expanded()),
    }
}

/// A column of counts.
#[allow(dead_code)]
pub fn counts(recording: &Recording, table: &str, column: &str) -> Vec<u64> {
    match find(recording, table, column).clone().expanded() {
        Column::U64(values) => values,
        other => panic!("{table}.{column} is {other:?}"),
    }
}

/// A column of real numbers.
#[allow(dead_code)]
pub fn reals(recording: &Recording, table: &str, column: &str) -> Vec<f64> {
    match find(recording, table, column).clone().expanded() {
        Column::F64(values) => values,
        other => panic!("{table}.{column} is {other:?}"),
    }
}

fn find<'a>(recording: &'a Recording, table: &str, column: &str) -> &'a Column {
    let table = recording.tables.iter().find(|t| t.name == table).expect("a table of this name");
    &table.columns.iter().find(|(name, _)| *name == column).expect("a column of this name").1
}
