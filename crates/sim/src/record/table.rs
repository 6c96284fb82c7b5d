//! Tables as columns.

use super::Compact;
use crate::room::Room;

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Real numbers; NaN where there is no value.
    F64(Vec<f64>),
    /// Counts.
    U64(Vec<u64>),
    /// Packet numbers, which may be -1.
    I64(Vec<i64>),
    /// Indices of flows and ports; -1 for none.
    I32(Vec<i32>),
    /// Small codes.
    U8(Vec<u8>),
    /// Truth values.
    Bool(Vec<bool>),
    /// Values that are kept in less room than they take; [`Column::expanded`] has them.
    Compact(Compact),
}

impl Column {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.shape().0
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that the values take, once they are there.
    pub fn bytes(&self) -> usize {
        let (values, width) = self.shape();
        values * width
    }

    /// Number of values, and bytes of each.
    fn shape(&self) -> (usize, usize) {
        match self {
            Column::F64(values) => (values.len(), 8),
            Column::U64(values) => (values.len(), 8),
            Column::I64(values) => (values.len(), 8),
            Column::I32(values) => (values.len(), 4),
            Column::U8(values) => (values.len(), 1),
            Column::Bool(values) => (values.len(), 1),
            Column::Compact(compact) => compact.shape(),
        }
    }

    /// The column with its values, which is never [`Column::Compact`].
    pub fn expanded(self) -> Column {
        match self {
            Column::Compact(compact) => compact.expanded(),
            column => column,
        }
    }
}

/// A named table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns, all of one length.
    pub columns: Vec<(&'static str, Column)>,
}

/// Wraps a vector of one of the types that a column can hold.
pub trait IntoColumn {
    /// The column.
    fn into_column(self) -> Column;
}

macro_rules! into_column {
    ($($type:ty => $variant:ident),*) => {
        $(impl IntoColumn for Vec<$type> {
            fn into_column(self) -> Column {
                Column::$variant(self)
            }
        })*
    };
}

into_column!(f64 => F64, u64 => U64, i64 => I64, i32 => I32, u8 => U8, bool => Bool);

/// A value that memory may hold before anybody has written to it.
pub(crate) trait Blank: Copy + Default {
    /// Whether it is that value, to the bit.
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
        #[derive(Clone, Copy, Debug, PartialEq)]
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
                use $crate::record::IntoColumn;
                $crate::record::Table {
                    name: $name,
                    columns: vec![$((stringify!($field), self.$field.into_column()),)*],
                }
            }
        }
    };
}
pub(crate) use table;

#[cfg(test)]
mod tests {
    use super::*;

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
            let Column::F64(found) = &columns[0].1 else { panic!("reals") };
            assert!(found.iter().map(|real| real.to_bits()).eq(reals.map(f64::to_bits)));
            assert_eq!(columns[1], ("count", Column::U64(vec![0, 1, 2, 0, 1])));
            assert_eq!(columns[2], ("flag", Column::Bool(vec![false, false, false, false, true])));
        }
    }
}
