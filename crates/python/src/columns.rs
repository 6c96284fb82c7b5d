//! A table of a finished run as Python sees it: its columns become NumPy arrays when they are asked for.
//!
//! Most runs of a sweep are never looked at one by one, and a summary needs a few cells: neither has to pay for
//! an array a column, or for loading NumPy.

use std::sync::{Mutex, MutexGuard};

use numpy::IntoPyArray;
use parshall_sim::internal::{fits, too_large};
use parshall_sim::{Column, NoMemory, Table, ValueType, Values};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyDict, PyList};
use pyo3::IntoPyObjectExt;

/// Bytes of a value.
const LARGEST_CELL: usize = 8;

/// Values as Python gets them: counts and codes are signed there, so that a difference of two is one, and does not
/// wrap to 2^64 less a few.
pub trait Shown {
    /// Array that Python gets.
    type Values: IntoPyArray;

    /// Turns the values into that array; those of eight bytes in the same memory.
    fn shown(self) -> Self::Values;
}

macro_rules! shown {
    ($($kept:ty => $shown:ty),*) => {
        $(impl Shown for Vec<$kept> {
            type Values = Vec<$shown>;

            fn shown(self) -> Vec<$shown> {
                self.into_iter().map(|value| value as $shown).collect()
            }
        })*
    };
    ($($kept:ty),*) => {
        $(impl Shown for Vec<$kept> {
            type Values = Self;

            fn shown(self) -> Self {
                self
            }
        })*
    };
}

shown!(u64 => i64, u32 => i64, u16 => i64, u8 => i16);
shown!(f64, i64, i32, bool);

/// Calls an expression with the values of a column, whatever their type.
macro_rules! with_values {
    ($column:expr, $values:ident => $result:expr) => {
        match $column {
            Values::F64($values) => $result,
            Values::U64($values) => $result,
            Values::I64($values) => $result,
            Values::I32($values) => $result,
            Values::U8($values) => $result,
            Values::Bool($values) => $result,
        }
    };
}

/// A column as the engine left it, or the array that it has become.
enum Slot {
    Engine(Column),
    Array(Py<PyAny>),
}

/// Takes the values of a column, which stays as it is if there is no memory for them.
fn take_values(column: &mut Column, name: &str) -> PyResult<Values> {
    let no_memory = |error: NoMemory| PyMemoryError::new_err(error.for_column(name));
    column.values().map_err(no_memory)?;
    std::mem::replace(column, Vec::<u8>::new().into()).into_values().map_err(no_memory)
}

/// Checks that there is memory for so many bytes of a column.
fn ask(bytes: usize, name: &str) -> PyResult<()> {
    if fits(bytes) {
        return Ok(());
    }
    Err(PyMemoryError::new_err(too_large(&format!("values of {name}"), bytes)))
}

/// The columns of a table by name: a read-only mapping to NumPy arrays.
#[pyclass(frozen, mapping, module = "parshall._core")]
pub struct Columns {
    names: Vec<&'static str>,
    slots: Vec<Mutex<Slot>>,
    /// Rows of the table.
    #[pyo3(get)]
    rows: usize,
    /// Bytes that the columns take as arrays.
    #[pyo3(get)]
    nbytes: usize,
}

impl From<Table> for Columns {
    fn from(table: Table) -> Self {
        Columns {
            rows: table.rows(),
            nbytes: table.bytes(),
            names: table.names().collect(),
            slots: table
                .into_columns()
                .into_iter()
                .map(|(_, column)| Mutex::new(Slot::Engine(column)))
                .collect(),
        }
    }
}

#[pymethods]
impl Columns {
    fn __len__(&self) -> usize {
        self.names.len()
    }

    fn __contains__(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(PyList::new(py, &self.names)?.try_iter()?.into_any().unbind())
    }

    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        self.array(py, self.find(name)?)
    }

    fn keys(&self) -> Vec<&'static str> {
        self.names.clone()
    }

    fn values(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        (0..self.names.len()).map(|index| self.array(py, index)).collect()
    }

    fn items(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, Py<PyAny>)>> {
        (0..self.names.len()).map(|index| Ok((self.names[index], self.array(py, index)?))).collect()
    }

    fn get(&self, py: Python<'_>, name: &str) -> PyResult<Option<Py<PyAny>>> {
        self.names.contains(&name).then(|| self.__getitem__(py, name)).transpose()
    }

    /// One cell as a number or a truth value of Python, without an array.
    fn at(&self, py: Python<'_>, name: &str, row: usize) -> PyResult<Py<PyAny>> {
        if row >= self.rows {
            return Err(PyIndexError::new_err(format!("row {row} of {}", self.rows)));
        }
        match &mut *self.lock(py, self.find(name)?) {
            Slot::Engine(column) => {
                let values = take_values(column, name)?;
                let cell = with_values!(&values, values => values[row].into_py_any(py));
                *column = values.into();
                cell
            }
            Slot::Array(array) => array.bind(py).get_item(row)?.call_method0("item").map(Bound::unbind),
        }
    }
}

impl Columns {
    fn find(&self, name: &str) -> PyResult<usize> {
        let found = self.names.iter().position(|known| *known == name);
        found.ok_or_else(|| PyKeyError::new_err(name.to_string()))
    }

    fn lock<'a>(&'a self, py: Python<'_>, index: usize) -> MutexGuard<'a, Slot> {
        let locked = self.slots[index].lock_py_attached(py);
        locked.unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// A column as an array, made when it is first asked for; the engine's values move, nothing is copied.
    fn array(&self, py: Python<'_>, index: usize) -> PyResult<Py<PyAny>> {
        let mut slot = self.lock(py, index);
        let array = match &mut *slot {
            Slot::Array(array) => return Ok(array.clone_ref(py)),
            Slot::Engine(column) => {
                let name = self.names[index];
                if column.value_type() == ValueType::U8 {
                    // A byte becomes two.
                    ask(2 * column.len(), name)?;
                }
                with_values!(take_values(column, name)?, values => values.shown().into_pyarray(py).into_any().unbind())
            }
        };
        *slot = Slot::Array(array.clone_ref(py));
        Ok(array)
    }
}

/// One table of several, one behind the other: its columns by name.
///
/// All must have the same columns.
#[pyfunction]
pub fn join<'py>(py: Python<'py>, tables: Vec<Bound<'py, Columns>>) -> PyResult<Bound<'py, PyDict>> {
    let joined = PyDict::new(py);
    let Some(first) = tables.first() else {
        return Ok(joined);
    };
    let names = &first.get().names;
    if tables.iter().any(|table| table.get().names != *names) {
        return Err(PyValueError::new_err("tables that differ in their columns"));
    }
    for (index, name) in names.iter().enumerate() {
        joined.set_item(name, join_column(py, &tables, index)?)?;
    }
    Ok(joined)
}

fn join_column<'py>(
    py: Python<'py>,
    tables: &[Bound<'py, Columns>],
    index: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let mut whole: Option<Values> = None;
    let name = tables.first().map_or("", |table| table.get().names[index]);
    ask(tables.iter().map(|table| table.get().rows).sum::<usize>() * LARGEST_CELL, name)?;
    for table in tables {
        let mut slot = table.get().lock(py, index);
        let Slot::Engine(column) = &mut *slot else {
            drop(slot);
            return join_arrays(py, tables, index);
        };
        // What is kept in less room stays so: here its values are needed once.
        let more = column.to_values().map_err(|error| PyMemoryError::new_err(error.for_column(name)))?;
        match &mut whole {
            None => whole = Some(more.into_owned()),
            Some(whole) => {
                if !whole.append(&more) {
                    return Err(PyValueError::new_err("columns of different types"));
                }
            }
        }
    }
    let whole = whole.unwrap_or(Vec::<u8>::new().into());
    Ok(with_values!(whole, values => values.shown().into_pyarray(py).into_any()))
}

/// Where one of the arrays was asked for before.
fn join_arrays<'py>(
    py: Python<'py>,
    tables: &[Bound<'py, Columns>],
    index: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let arrays: PyResult<Vec<_>> = tables.iter().map(|table| table.get().array(py, index)).collect();
    py.import("numpy")?.call_method1("concatenate", (arrays?,))
}
