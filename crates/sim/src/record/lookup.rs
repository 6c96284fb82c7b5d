//! Access to a recording by name, and the errors where there is no such thing.

use std::fmt;

use super::column::{Kind, NoMemory};
use super::{Column, Recording, Table, ValueType};

/// The reason why a recording does not have what it was asked for. Its text is one line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LookupError {
    /// There is no table of this name. Apart from `flows` and `ports` there are those that the scenario's `record` asks for.
    NoTable {
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        known: Vec<&'static str>,
    },
    /// The table has no column of this name.
    NoColumn {
        /// The table.
        table: &'static str,
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        known: Vec<&'static str>,
    },
    /// The column holds values of another type.
    WrongType {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The type of its values.
        holds: ValueType,
        /// The type that was asked for.
        expected: ValueType,
    },
    /// There is no memory for the values of a column, which are kept in less room than they take.
    NoMemory {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The memory that was asked for, and that there is.
        memory: NoMemory,
    },
}

impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LookupError::NoTable { name, known } => {
                write!(
                    f,
                    "no table {name:?} was recorded, only {}; the scenario's record asks for more",
                    known.join(", ")
                )
            }
            LookupError::NoColumn { table, name, known } => {
                write!(f, "no column {name:?} in {table}, which has {}", known.join(", "))
            }
            LookupError::WrongType { table, column, holds, expected } => {
                write!(f, "{table}.{column} holds {holds}, expected {expected}")
            }
            LookupError::NoMemory { table, column, memory } => {
                f.write_str(&memory.for_column(&format!("{table}.{column}")))
            }
        }
    }
}

impl std::error::Error for LookupError {}

impl Recording {
    /// A table by its name. `flows` and `ports` are always there, others if the scenario's
    /// [`record`](crate::scenario::Record) asks for them.
    ///
    /// # Errors
    /// If there is none; the error has the names that there are.
    pub fn table(&self, name: &str) -> Result<&Table, LookupError> {
        self.tables.iter().find(|table| table.name == name).ok_or_else(|| LookupError::NoTable {
            name: name.to_string(),
            known: self.tables.iter().map(|table| table.name).collect(),
        })
    }
}

macro_rules! slices {
    ($($(#[$doc:meta])* $type:ident),*) => {
        $(
            $(#[$doc])*
            ///
            /// # Errors
            /// If there is no column of this name, or its values are of another type.
            pub fn $type(&self, name: &str) -> Result<&[$type], LookupError> {
                self.slice(name)
            }
        )*
    };
}

impl Table {
    /// A column by its name.
    ///
    /// # Errors
    /// If there is none; the error has the names that there are.
    pub fn column(&self, name: &str) -> Result<&Column, LookupError> {
        Ok(&self.find(name)?.1)
    }

    slices! {
        /// Real numbers by the name of their column; NaN where there is no value. Times are seconds.
        f64,
        /// Counts by the name of their column.
        u64,
        /// Packet numbers by the name of their column; -1 for none.
        i64,
        /// Indices of flows or ports by the name of their column; -1 for none.
        i32,
        /// Codes by the name of their column.
        u8,
        /// Truth values by the name of their column.
        bool
    }

    fn find(&self, name: &str) -> Result<&(&'static str, Column), LookupError> {
        self.columns.iter().find(|(known, _)| *known == name).ok_or_else(|| LookupError::NoColumn {
            table: self.name,
            name: name.to_string(),
            known: self.names().collect(),
        })
    }

    fn slice<T: Kind>(&self, name: &str) -> Result<&[T], LookupError> {
        let (column, found) = self.find(name)?;
        let (table, holds) = (self.name, found.value_type());
        if holds != T::TYPE {
            return Err(LookupError::WrongType { table, column, holds, expected: T::TYPE });
        }
        let no_memory = |memory| LookupError::NoMemory { table, column, memory };
        let values = found.values().map_err(no_memory)?;
        Ok(T::of(values).expect("values of this type"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let columns = vec![("time", vec![0.5, 1.0].into()), ("seq", vec![3i64, -1].into())];
        Table { name: "packets", columns }
    }

    #[test]
    fn a_column_is_read_by_its_name_and_type() {
        let table = table();
        assert_eq!(table.f64("time"), Ok(&[0.5, 1.0][..]));
        assert_eq!(table.i64("seq"), Ok(&[3, -1][..]));
        assert_eq!((table.rows(), table.names().collect::<Vec<_>>()), (2, vec!["time", "seq"]));
    }

    #[test]
    fn an_error_says_what_there_is() {
        let recording = Recording {
            names: Default::default(),
            tables: vec![table()],
            captures: Vec::new(),
            events: 0,
            steps: 0,
        };
        let text = |error: LookupError| error.to_string();
        assert_eq!(
            text(recording.table("rtt").expect_err("there is none")),
            "no table \"rtt\" was recorded, only packets; the scenario's record asks for more"
        );
        let table = recording.table("packets").expect("the table");
        assert_eq!(
            text(table.f64("times").expect_err("there is none")),
            "no column \"times\" in packets, which has time, seq"
        );
        let wrong = table.u64("seq").expect_err("it is signed");
        assert_eq!(text(wrong), "packets.seq holds i64, expected u64");
    }
}
