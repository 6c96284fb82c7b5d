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

/// A column.
pub fn column<'a>(recording: &'a Recording, table: &str, column: &str) -> &'a Column {
    let table = recording.tables.iter().find(|t| t.name == table).expect("a table of this name");
    &table.columns.iter().find(|(name, _)| *name == column).expect("a column of this name").1
}

/// A column of counts.
pub fn counts(recording: &Recording, table: &str, name: &str) -> Vec<u64> {
    match column(recording, table, name).clone().expanded() {
        Column::U64(values) => values,
        other => panic!("{table}.{name} is {other:?}"),
    }
}

/// A column of numbers, as real ones.
pub fn reals(recording: &Recording, table: &str, name: &str) -> Vec<f64> {
    match column(recording, table, name).clone().expanded() {
        Column::F64(values) => values,
        Column::U64(values) => values.iter().map(|&v| v as f64).collect(),
        Column::I64(values) => values.iter().map(|&v| v as f64).collect(),
        Column::I32(values) => values.iter().map(|&v| f64::from(v)).collect(),
        other => panic!("{table}.{name} is {other:?}"),
    }
}

/// `(time, packet)` of each packet of data that reaches the only port that is watched, whatever becomes of it there.
pub fn sent(recording: &Recording) -> Vec<(f64, i64)> {
    let times = reals(recording, "packets", "time");
    let Column::U8(events) = column(recording, "packets", "event") else { panic!("events") };
    let Column::I64(numbers) = column(recording, "packets", "seq") else { panic!("numbers") };
    (0..times.len()).filter(|&i| events[i] == 0).map(|i| (times[i], numbers[i])).collect()
}
