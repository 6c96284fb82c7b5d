//! Columns of recordings, for comparisons bit for bit.

use parshall_sim::{Column, Recording, Table, Values};

/// All bits of a recording, but for the number of events that it took.
pub fn bits(recording: &Recording) -> Vec<(String, Vec<u64>)> {
    let captures = recording.captures().map(|(port, bytes)| {
        (format!("pcap of {port}"), bytes.iter().map(|&b| u64::from(b)).collect::<Vec<_>>())
    });
    table_bits(recording.tables()).into_iter().chain(captures).collect()
}

/// All bits of tables.
pub fn table_bits(tables: &[Table]) -> Vec<(String, Vec<u64>)> {
    let columns = tables.iter().flat_map(|table| table.columns().map(move |column| (table.name(), column)));
    columns.map(|(table, (name, column))| (format!("{table}.{name}"), column_bits(column))).collect()
}

fn column_bits(column: &Column) -> Vec<u64> {
    match column.to_values().expect("memory").into_owned() {
        Values::F64(v) => v.iter().map(|x| x.to_bits()).collect(),
        Values::U64(v) => v,
        Values::I64(v) => v.iter().map(|&x| x as u64).collect(),
        Values::I32(v) => v.iter().map(|&x| x as u64).collect(),
        Values::U8(v) => v.iter().map(|&x| u64::from(x)).collect(),
        Values::Bool(v) => v.iter().map(|&x| u64::from(x)).collect(),
    }
}

/// A table.
pub fn table<'a>(recording: &'a Recording, name: &str) -> &'a Table {
    recording.table(name).expect("a table of this name")
}

/// A column of counts.
pub fn counts(recording: &Recording, table: &str, name: &str) -> Vec<u64> {
    self::table(recording, table).u64(name).expect("counts").to_vec()
}

/// A column of numbers, as real ones.
pub fn reals(recording: &Recording, table: &str, name: &str) -> Vec<f64> {
    let column = self::table(recording, table).column(name).expect("a column of this name");
    match column.values().expect("memory") {
        Values::F64(values) => values.clone(),
        Values::U64(values) => values.iter().map(|&v| v as f64).collect(),
        Values::I64(values) => values.iter().map(|&v| v as f64).collect(),
        Values::I32(values) => values.iter().map(|&v| f64::from(v)).collect(),
        other => panic!("{table}.{name} is {}", other.value_type()),
    }
}

/// `(time, packet)` of each packet of data that reaches the only port that is watched, whatever becomes of it there.
pub fn sent(recording: &Recording) -> Vec<(f64, i64)> {
    let packets = table(recording, "packets");
    let times = packets.f64("time").expect("times");
    let (events, numbers) = (packets.u8("event").expect("events"), packets.i64("seq").expect("numbers"));
    (0..times.len()).filter(|&i| events[i] == 0).map(|i| (times[i], numbers[i])).collect()
}
