//! Serialization of arrays of numbers that serde has no form for: as one list.

use alloc::boxed::Box;
use alloc::vec::Vec;

use serde::{de::Error, Deserialize, Deserializer, Serialize, Serializer};

/// Numbers in a fixed shape.
pub trait Numbers: Sized {
    fn list(&self) -> Vec<f64>;
    /// `None` if there are not as many as the shape has.
    fn from_list(numbers: &[f64]) -> Option<Self>;
}

impl<const ROWS: usize, const COLUMNS: usize> Numbers for [[f64; COLUMNS]; ROWS] {
    fn list(&self) -> Vec<f64> {
        self.concat()
    }

    fn from_list(numbers: &[f64]) -> Option<Self> {
        let mut matrix = [[0.0; COLUMNS]; ROWS];
        if numbers.len() != ROWS * COLUMNS {
            return None;
        }
        matrix.iter_mut().flatten().zip(numbers).for_each(|(to, from)| *to = *from);
        Some(matrix)
    }
}

impl<const N: usize> Numbers for Box<[f64; N]> {
    fn list(&self) -> Vec<f64> {
        self.to_vec()
    }

    fn from_list(numbers: &[f64]) -> Option<Self> {
        Some(Box::new(<[f64; N]>::try_from(numbers).ok()?))
    }
}

pub fn serialize<T: Numbers, S: Serializer>(numbers: &T, serializer: S) -> Result<S::Ok, S::Error> {
    numbers.list().serialize(serializer)
}

pub fn deserialize<'de, T: Numbers, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let numbers = Vec::deserialize(deserializer)?;
    T::from_list(&numbers).ok_or_else(|| D::Error::custom("as many numbers as the array has"))
}
