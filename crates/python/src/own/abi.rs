//! Interface of compiled parts and the engine. The headers for C, the types that Numba sees and the objects that a
//! class in Python gets are made from the structures that are declared by this file's macros: each field and each function
//! stands once.

use std::ffi::{c_char, c_void};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// A field: its name, its type in C, what it means.
pub type Field = (&'static str, &'static str, &'static str);

/// The name of a type in C.
pub trait InC {
    /// As a declaration has it.
    const NAME: &'static str;
}

/// Values that can be gathered into a report.
pub trait AsNumber {
    /// Value as a number.
    fn number(self) -> f64;
}

impl AsNumber for f64 {
    fn number(self) -> f64 {
        self
    }
}

impl AsNumber for i64 {
    fn number(self) -> f64 {
        self as f64
    }
}

impl AsNumber for bool {
    fn number(self) -> f64 {
        f64::from(u8::from(self))
    }
}

impl InC for f64 {
    const NAME: &'static str = "double";
}
impl InC for i64 {
    const NAME: &'static str = "int64_t";
}
impl InC for bool {
    const NAME: &'static str = "bool";
}
impl<T> InC for *const T {
    const NAME: &'static str = "const parshall_host *";
}
impl<T> InC for *mut T {
    const NAME: &'static str = "void *";
}

/// A structure, in words and fields.
#[derive(Clone, Copy, Debug)]
pub struct Structure {
    /// Description in a sentence.
    pub about: &'static str,
    /// Its fields, in order.
    pub fields: &'static [Field],
}

macro_rules! shared {
    ($about:literal, $(#[$more:meta])* struct $name:ident { $(#[doc = $doc:literal] $field:ident: $kind:ty,)* }) => {
        #[doc = $about]
        $(#[$more])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct $name { $(#[doc = $doc] pub $field: $kind,)* }

        impl $name {
            /// Description for the header and the objects in Python.
            pub const STRUCTURE: $crate::own::abi::Structure = $crate::own::abi::Structure {
                about: $about,
                fields: &[$((stringify!($field), <$kind as $crate::own::abi::InC>::NAME, $doc),)*],
            };
        }
    };
}

/// Declares a structure whose fields can all be read as numbers.
macro_rules! numbers {
    ($about:literal, $(#[$more:meta])* struct $name:ident { $(#[doc = $doc:literal] $field:ident: $kind:ty,)* }) => {
        $crate::own::abi::shared! { $about, $(#[$more])* struct $name { $(#[doc = $doc] $field: $kind,)* } }

        impl $name {
            /// Function that reads a field as a number.
            pub fn reader(field: &str) -> Option<fn(&Self) -> f64> {
                match field {
                    $(stringify!($field) => Some(|told| $crate::own::abi::AsNumber::number(told.$field)),)*
                    _ => None,
                }
            }
        }
    };
}

/// A lent function: its name, what it returns, its arguments, what it does.
type Lent = (&'static str, &'static str, &'static str, &'static str);

macro_rules! lent {
    ($($(#[doc = $doc:literal])* fn $name:ident($($arg:ident: $c:literal $kind:ty),*) -> $returns:literal $returned:ty;)*) => {
        /// Functions that the engine lends, so that all forms of a part compute the same, bit for bit.
        #[repr(C)]
        #[derive(Debug)]
        pub struct Host { $(pub $name: extern "C" fn($($kind),*) -> $returned,)* }

        /// The functions of [`Host`] in C.
        const LENT: &[Lent] = &[$((stringify!($name), $returns, concat!($($c, " ", stringify!($arg), ", ",)* ""), concat!($($doc,)*)),)*];

        /// The only one.
        pub static HOST: Host = Host { $($name: super::lent::$name,)* };

        /// Where each function is, for compilers that know no structures of functions.
        fn addresses(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
            let addresses = PyDict::new(py);
            $(addresses.set_item(stringify!($name), HOST.$name as usize)?;)*
            Ok(addresses)
        }
    };
}

lent! {
    /// Cube root.
    fn cbrt(x: "double" f64) -> "double" f64;
    /// x to the power of y.
    fn pow(x: "double" f64, y: "double" f64) -> "double" f64;
    /// e to the power of x.
    fn exp(x: "double" f64) -> "double" f64;
    /// Natural logarithm.
    fn log(x: "double" f64) -> "double" f64;
    /// A random number from 0 to below 1, of the part's own stream.
    fn random(flow: "void *" *mut c_void) -> "double" f64;
    /// An estimator of the library's for this part, which the engine frees with it: "ewma" with its gain, "median" or
    /// "mad" with its window. NULL for any other name. To be called in on_start.
    fn estimator(flow: "void *" *mut c_void, name: "const char *" *const c_char, parameter: "double" f64) -> "void *" *mut c_void;
    /// Takes in a sample and returns the value after it; a sample that is no finite number is left out.
    fn update(estimator: "void *" *mut c_void, sample: "double" f64) -> "double" f64;
    /// The value of an estimator; NaN if it has none yet.
    fn value(estimator: "void *" *mut c_void) -> "double" f64;
}

/// Interface of compiled parts of one kind and the engine.
#[derive(Clone, Copy, Debug)]
pub struct Interface {
    /// The name of the kind.
    pub kind: &'static str,
    /// Goes up when anything changes that a compiled part of this kind can see.
    pub version: u32,
    /// The structures by their names; the first is that with which every state begins.
    pub structures: &'static [(&'static str, Structure)],
}

/// The interface of a kind of parts as plain data: its version, the fields of its structures as triples of name, type in C and
/// meaning, the functions that the engine lends, and where they are.
#[pyfunction]
pub fn part_interface<'py>(py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyDict>> {
    let interface = super::INTERFACES.iter().find(|interface| interface.kind == kind);
    let interface = interface.ok_or_else(|| PyValueError::new_err(format!("no kind of parts: {kind}")))?;
    let (all, of_each, about) = (PyDict::new(py), PyDict::new(py), PyDict::new(py));
    for (name, structure) in interface.structures {
        of_each.set_item(name, PyList::new(py, structure.fields)?)?;
        about.set_item(name, structure.about)?;
    }
    all.set_item("version", interface.version)?;
    all.set_item("structures", of_each)?;
    all.set_item("about", about)?;
    all.set_item("lent", PyList::new(py, LENT)?)?;
    all.set_item("addresses", addresses(py)?)?;
    Ok(all)
}

pub(crate) use {numbers, shared};
