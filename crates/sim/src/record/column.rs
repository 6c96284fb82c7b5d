//! Columns: values of one type, which may be kept in less room than they take.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use super::flow_series::Compact;
use crate::headroom::{self, Memory};

/// Declares the types that a column can hold, so that they stand in one place.
macro_rules! value_types {
    ($($(#[$doc:meta])* $variant:ident($type:ty) = $name:literal),* $(,)?) => {
        /// The type of a column's values.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ValueType {
            $($(#[$doc])* $variant,)*
        }

        impl ValueType {
            /// Its name, as Rust writes it.
            pub fn name(self) -> &'static str {
                match self {
                    $(ValueType::$variant => $name,)*
                }
            }

            /// Bytes of a value.
            fn width(self) -> usize {
                match self {
                    $(ValueType::$variant => size_of::<$type>(),)*
                }
            }
        }

        /// The values of a column.
        #[derive(Clone, Debug)]
        pub enum Values {
            $($(#[$doc])* $variant(Vec<$type>),)*
        }

        impl Values {
            /// The type of the values.
            pub fn value_type(&self) -> ValueType {
                match self {
                    $(Values::$variant(_) => ValueType::$variant,)*
                }
            }

            /// Number of values.
            pub fn len(&self) -> usize {
                match self {
                    $(Values::$variant(values) => values.len(),)*
                }
            }

            /// Adds values of the same type. Returns false, and adds nothing, if they are of another one.
            #[must_use]
            pub fn append(&mut self, more: &Values) -> bool {
                match (self, more) {
                    $((Values::$variant(values), Values::$variant(more)) => values.extend_from_slice(more),)*
                    _ => return false,
                }
                true
            }
        }

        $(impl From<Vec<$type>> for Values {
            fn from(values: Vec<$type>) -> Self {
                Values::$variant(values)
            }
        }

        impl From<Vec<$type>> for Column {
            fn from(values: Vec<$type>) -> Self {
                Values::$variant(values).into()
            }
        }

        impl Kind for $type {
            const TYPE: ValueType = ValueType::$variant;

            fn of(values: &Values) -> Option<&[Self]> {
                match values {
                    Values::$variant(values) => Some(values),
                    _ => None,
                }
            }
        })*
    };
}

value_types! {
    /// Real numbers; NaN where there is no value.
    F64(f64) = "f64",
    /// Counts.
    U64(u64) = "u64",
    /// Packet numbers, which may be -1.
    I64(i64) = "i64",
    /// Indices of flows and ports; -1 for none.
    I32(i32) = "i32",
    /// Small codes.
    U8(u8) = "u8",
    /// Truth values.
    Bool(bool) = "bool",
}

/// A type that a column can hold.
pub(super) trait Kind: Sized {
    const TYPE: ValueType;

    /// The values, if they are of this type.
    fn of(values: &Values) -> Option<&[Self]>;
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Values {
    /// Tells if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Values are equal if all their bits are: NaN, which stands for no value, is equal to itself.
impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Values::F64(own), Values::F64(other)) => {
                own.iter().map(|value| value.to_bits()).eq(other.iter().map(|value| value.to_bits()))
            }
            (Values::U64(own), Values::U64(other)) => own == other,
            (Values::I64(own), Values::I64(other)) => own == other,
            (Values::I32(own), Values::I32(other)) => own == other,
            (Values::U8(own), Values::U8(other)) => own == other,
            (Values::Bool(own), Values::Bool(other)) => own == other,
            _ => false,
        }
    }
}

/// A column of a table: values of one type.
///
/// Series of flows are kept in less room than their values take, and get them when they are first read.
#[derive(Clone, Debug)]
pub struct Column(Kept);

#[derive(Clone, Debug)]
enum Kept {
    Values(Values),
    Compact(Compact, OnceLock<Values>),
}

impl From<Values> for Column {
    fn from(values: Values) -> Self {
        Column(Kept::Values(values))
    }
}

impl From<Compact> for Column {
    fn from(compact: Compact) -> Self {
        Column(Kept::Compact(compact, OnceLock::new()))
    }
}

impl Column {
    /// The type of its values.
    pub fn value_type(&self) -> ValueType {
        match &self.0 {
            Kept::Values(values) => values.value_type(),
            Kept::Compact(compact, _) => compact.value_type(),
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match &self.0 {
            Kept::Values(values) => values.len(),
            Kept::Compact(compact, _) => compact.len(),
        }
    }

    /// Tells if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that the values take, once they are there.
    pub fn bytes(&self) -> usize {
        self.len() * self.value_type().width()
    }

    /// The values.
    ///
    /// # Errors
    /// If there is no memory for values that are kept in less room.
    pub fn values(&self) -> Result<&Values, NoMemory> {
        match &self.0 {
            Kept::Values(values) => Ok(values),
            Kept::Compact(compact, known) => {
                if known.get().is_none() {
                    self.ask()?;
                }
                Ok(known.get_or_init(|| compact.values()))
            }
        }
    }

    /// The values, or a copy that is not kept where the column has them in less room.
    ///
    /// # Errors
    /// As [`Column::values`].
    pub fn to_values(&self) -> Result<Cow<'_, Values>, NoMemory> {
        match &self.0 {
            Kept::Compact(compact, known) if known.get().is_none() => {
                self.ask()?;
                Ok(Cow::Owned(compact.values()))
            }
            _ => self.values().map(Cow::Borrowed),
        }
    }

    /// The values, for a caller that needs the column no more.
    ///
    /// # Errors
    /// As [`Column::values`].
    pub fn into_values(self) -> Result<Values, NoMemory> {
        if matches!(&self.0, Kept::Compact(_, known) if known.get().is_none()) {
            self.ask()?;
        }
        Ok(match self.0 {
            Kept::Values(values) => values,
            Kept::Compact(compact, mut known) => known.take().unwrap_or_else(|| compact.values()),
        })
    }

    /// Puts the values in place of what they are made of.
    pub(super) fn expand(&mut self) -> Result<(), NoMemory> {
        if self.is_whole() {
            return Ok(());
        }
        self.values()?;
        let kept = std::mem::replace(self, Vec::<u8>::new().into());
        *self = kept.into_values()?.into();
        Ok(())
    }

    /// Checks that there is memory for the values, and to put in order what they are made of.
    fn ask(&self) -> Result<(), NoMemory> {
        let bytes = 2 * self.bytes();
        if headroom::fits(bytes) {
            return Ok(());
        }
        Err(NoMemory { bytes: bytes as u64, memory: Memory::now() })
    }

    /// Tells if the values are there, and not only what they are made of.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.0, Kept::Values(_))
    }

    /// The values that are there, to be changed.
    pub(crate) fn values_mut(&mut self) -> Option<&mut Values> {
        match &mut self.0 {
            Kept::Values(values) => Some(values),
            Kept::Compact(..) => None,
        }
    }
}

impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kept::Values(own), Kept::Values(other)) => own == other,
            (Kept::Compact(own, _), Kept::Compact(other, _)) => own.values() == other.values(),
            (Kept::Compact(compact, _), Kept::Values(values))
            | (Kept::Values(values), Kept::Compact(compact, _)) => *values == compact.values(),
        }
    }
}

/// Memory that the values of a column need and cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoMemory {
    /// Bytes that were asked for.
    pub bytes: u64,
    /// The memory of this computer; `None` where the system does not tell.
    pub memory: Option<Memory>,
}

impl NoMemory {
    /// Writes the error in one line that names the column.
    pub fn for_column(&self, name: &str) -> String {
        headroom::too_large_for(&format!("values of {name}"), self.bytes, self.memory)
    }
}

impl fmt::Display for NoMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&headroom::too_large_for("values of a column", self.bytes, self.memory))
    }
}

impl std::error::Error for NoMemory {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_equal_if_their_bits_are() {
        let reals = |values: &[f64]| Column::from(values.to_vec());
        assert_eq!(reals(&[f64::NAN, 1.0]), reals(&[f64::NAN, 1.0]));
        assert_ne!(reals(&[0.0]), reals(&[-0.0]));
        assert_ne!(reals(&[]), Column::from(Vec::<u64>::new()));
        assert_ne!(Column::from(vec![1u64]), Column::from(vec![2u64]));
    }

    #[test]
    fn values_of_another_type_are_not_added() {
        let mut codes = Values::from(vec![1u8]);
        assert!(codes.append(&vec![2u8].into()) && !codes.append(&vec![3u64].into()));
        assert_eq!(codes, vec![1u8, 2].into());
        assert_eq!((codes.len(), codes.value_type().name()), (2, "u8"));
    }
}
