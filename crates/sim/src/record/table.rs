//! Tables as columns.

use super::Column;
use crate::room::Room;

/// A table of a recording: named columns, all of one length.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub(crate) name: &'static str,
    pub(crate) columns: Vec<(&'static str, Column)>,
}

impl Table {
    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Number of its rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// The names of its columns.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &'static str> + '_ {
        self.columns.iter().map(|(name, _)| *name)
    }

    /// Its columns with their names.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = (&'static str, &Column)> {
        self.columns.iter().map(|(name, column)| (*name, column))
    }

    /// Its columns with their names, for a caller that needs the table no more.
    pub fn into_columns(self) -> Vec<(&'static str, Column)> {
        self.columns
    }

    /// Bytes that its columns take, once they have their values.
    pub fn bytes(&self) -> usize {
        self.columns.iter().map(|(_, column)| column.bytes()).sum()
    }
}

/// A value that memory may hold before anybody has written to it.
pub(crate) trait Blank: Copy + Default {
    /// Returns whether this is the blank value, to the bit.
    fn is_blank(self) -> bool;
}

macro_rules! blank {
    ($($type:ty),*) => {
        $(impl Blank for $type {
            fn is_blank(self) -> bool {
                self == Self::default()
            }
        })*
    };
}

blank!(u64, i64, i32, u8, bool);

impl Blank for f64 {
    fn is_blank(self) -> bool {
        self.to_bits() == 0
    }
}

/// Puts a value into a row that is there, and blank, or else behind the last one.
///
/// Of half a million ports few ever drop a packet, and memory that is not written to need not be found.
pub(crate) fn put<T: Blank>(column: &mut Vec<T>, row: usize, value: T, what: &'static str) {
    match column.get_mut(row) {
        Some(_) if value.is_blank() => {}
        Some(cell) => *cell = value,
        None => column.add(value, what),
    }
}

/// Declares a row and the table of its columns, so that a column's name stands in one place.
macro_rules! table {
    ($(#[$doc:meta])* $row:ident, $table:ident, $name:literal {
        $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $row {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        /// The rows of one table, as columns.
        #[derive(Clone, Debug, Default)]
        pub struct $table {
            rows: usize,
            $($field: Vec<$type>,)*
        }

        impl $table {
            /// An empty table with room for this many rows.
            #[allow(dead_code)] // Not every table is as large as is known before.
            pub fn with_capacity(rows: usize) -> Self {
                $table { rows: 0, $($field: $crate::room::filled(<$type>::default(), rows, concat!("rows of ", $name)),)* }
            }

            /// Bytes of its rows, and of the room for more.
            #[allow(dead_code)]
            pub(crate) fn bytes(&self) -> u64 {
                let columns = [$(self.$field.capacity() * size_of::<$type>()),*];
                columns.iter().sum::<usize>() as u64
            }

            /// Adds a row.
            pub fn push(&mut self, row: $row) {
                $($crate::record::table::put(&mut self.$field, self.rows, row.$field, concat!("rows of ", $name));)*
                self.rows += 1;
            }

            /// The table.
            pub fn into_table(mut self) -> $crate::record::Table {
                $(self.$field.truncate(self.rows);)*
                $crate::record::Table {
                    name: $name,
                    columns: vec![$((stringify!($field), self.$field.into()),)*],
                }
            }
        }
    };
}
pub(crate) use table;

#[cfg(test)]
mod tests {
    table!(
        /// A row of all sorts of cells.
        Row, Rows, "rows" {
            /// Reals.
            real: f64,
            /// Counts.
            count: u64,
            /// Flags.
            flag: bool,
        }
    );

    #[test]
    fn rows_come_back_whether_there_was_room_or_not() {
        let reals = [0.0, -0.0, 1.5, f64::NAN, 0.0];
        for room in [0, 2, 5, 9] {
            let mut rows = Rows::with_capacity(room);
            for (count, real) in (0..).zip(reals) {
                rows.push(Row { real, count: count % 3, flag: count == 4 });
            }
            let columns = rows.into_table().columns;
            assert_eq!(columns[0], ("real", reals.to_vec().into()));
            assert_eq!(columns[1], ("count", vec![0u64, 1, 2, 0, 1].into()));
            assert_eq!(columns[2], ("flag", vec![false, false, false, false, true].into()));
        }
    }
}
