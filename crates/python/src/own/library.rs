//! A part that is compiled: by Numba, or into a shared library. Its functions are called without the GIL.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use parshall_sim::control::user::{Code, Failure};
use parshall_sim::random::Stream;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::abi::{Host, HOST};
use super::control::{Gathering, ReportFields};
use super::lent::LentFlow;
use crate::estimators::filter_of;
use crate::filter::Filter;

/// Makes parts from a table of functions.
#[pyclass(frozen, module = "parshall._core")]
#[derive(Debug)]
pub struct CompiledParts(pub(super) Arc<Library>);

/// An estimator that each part gets a copy of.
struct Lendable(Mutex<Box<dyn Filter>>);

impl fmt::Debug for Lendable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lendable")
    }
}

/// See [`CompiledParts`].
#[derive(Debug)]
pub struct Library {
    name: String,
    /// Addresses of its functions, 0 for those that it does not have; none for the last ones is 0, too. Which is which is the affair of its kind.
    functions: Vec<usize>,
    /// A new state, from its first byte on.
    state: Vec<u8>,
    time_limit: Option<Duration>,
    /// Flag of a control: receivers report marks packet by packet.
    pub(super) exact_echo: bool,
    /// Flag of a source: its destination asks for each transfer.
    pub(super) requests: bool,
    /// Report that a control wants in place of ACKs.
    pub(super) report: Option<Gathering>,
    /// Estimators in the state, by the place of the pointer to each.
    estimators: Vec<(usize, Lendable)>,
    /// Keeps the code where it is.
    _code: Py<PyAny>,
}

#[pymethods]
impl CompiledParts {
    /// `functions` are addresses in the order of their kind's table, `state` is what a state is at first; `code` lives as
    /// long as the functions may be called.
    #[new]
    #[allow(clippy::too_many_arguments)] // as keywords
    #[pyo3(signature = (name, functions, state, time_limit, code, estimators=Vec::new(), exact_echo=false, report=None, requests=false))]
    fn new(
        name: String,
        functions: Vec<usize>,
        state: Vec<u8>,
        time_limit: Option<f64>,
        code: Py<PyAny>,
        estimators: Vec<(usize, Bound<'_, PyAny>)>,
        exact_echo: bool,
        report: Option<ReportFields>,
        requests: bool,
    ) -> PyResult<Self> {
        let time_limit = time_limit.and_then(|limit| Duration::try_from_secs_f64(limit).ok());
        let report = report.map(Gathering::new).transpose()?;
        let lendable = |(place, object): (usize, Bound<'_, PyAny>)| {
            if place % 8 != 0 || place + 8 > state.len() {
                return Err(PyValueError::new_err(format!(
                    "an estimator at {place}, expected a word of the state"
                )));
            }
            Ok((place, Lendable(Mutex::new(filter_of(&object)?))))
        };
        let estimators = estimators.into_iter().map(lendable).collect::<PyResult<_>>()?;
        let library = Library {
            name,
            functions,
            state,
            time_limit,
            exact_echo,
            requests,
            report,
            estimators,
            _code: code,
        };
        Ok(CompiledParts(Arc::new(library)))
    }
}

impl Code for Library {
    fn name(&self) -> &str {
        &self.name
    }

    fn time_limit(&self) -> Option<Duration> {
        self.time_limit
    }
}

impl Library {
    /// Its functions as a structure of `N` optional functions.
    ///
    /// # Safety
    /// `T` is a structure of `N` optional functions and nothing else, and each address is that of a function of the type of its
    /// field: the caller of [`CompiledParts::new`], `parshall.own`, made them to this interface or checked that they were.
    pub unsafe fn functions<T: Copy, const N: usize>(&self) -> Result<T, Failure> {
        const { assert!(size_of::<T>() == N * size_of::<usize>()) };
        if self.functions.len() > N {
            return Err(Failure::new(format!("a table of {} functions, expected {N}", self.functions.len())));
        }
        let mut found = [0; N];
        found[..self.functions.len()].copy_from_slice(&self.functions);
        // SAFETY: null is how an Option of a function says none; what is not null is as the caller promises.
        Ok(unsafe { std::mem::transmute_copy(&found) })
    }

    /// The state of a new part, which begins with a head `H`.
    pub fn instance<H>(&self, stream: Stream) -> Result<Instance, Failure> {
        if self.state.len() < size_of::<H>() || align_of::<H>() > align_of::<u64>() {
            let (got, least) = (self.state.len(), size_of::<H>());
            return Err(Failure::new(format!("a state of {got} bytes, expected at least {least}")));
        }
        let mut state = vec![0u64; self.state.len().div_ceil(8)];
        for (word, bytes) in state.iter_mut().zip(self.state.chunks(8)) {
            let mut filled = [0; 8];
            filled[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_ne_bytes(filled);
        }
        let mut flow = Box::new(LentFlow::new(stream));
        for (place, Lendable(filter)) in &self.estimators {
            let copy = filter.lock().unwrap_or_else(PoisonError::into_inner).copy();
            state[place / 8] = flow.keep(copy) as u64;
        }
        Ok(Instance { state, flow })
    }
}

/// The memory of a compiled part, in words, so that it lies as any of its fields may have to.
#[derive(Debug)]
pub struct Instance {
    state: Vec<u64>,
    flow: Box<LentFlow>,
}

// SAFETY: the state is plain memory of this part alone, and what is lent to it is, too; nothing changes either through a shared
// reference. What a part keeps in its state besides is its author's; the header says that a part may be run on any thread, by
// one at a time.
unsafe impl Send for Instance {}
// SAFETY: as above.
unsafe impl Sync for Instance {}

impl Instance {
    /// Functions that the engine lends, and the part for functions that ask for it: each head has both.
    pub fn lent(&mut self) -> (*const Host, *mut c_void) {
        let flow: *mut LentFlow = &mut *self.flow;
        (&HOST, flow.cast())
    }

    /// Its random numbers.
    pub fn stream(&mut self) -> &mut Stream {
        &mut self.flow.stream
    }

    /// Calls a function with the state, whose head is `head` before, and returns what it is afterwards.
    ///
    /// # Safety
    /// `H` is the type that [`Library::instance`] was asked with, and any bytes are one.
    #[inline]
    pub unsafe fn call<H: Copy, T>(
        &mut self,
        head: H,
        function: impl FnOnce(*mut c_void) -> Result<T, Failure>,
    ) -> Result<(T, H), Failure> {
        let state = self.state.as_mut_ptr();
        // SAFETY: `Library::instance` has seen to it that a head fits, and that words are aligned as it is.
        unsafe { state.cast::<H>().write(head) };
        let value = function(state.cast())?;
        // SAFETY: as above; any bytes are a head.
        Ok((value, unsafe { state.cast::<H>().read() }))
    }

    /// A copy in the same state.
    pub fn copy(&self) -> Self {
        let mut state = self.state.clone();
        let (flow, moved) = self.flow.copy();
        for (before, after) in moved {
            for word in state.iter_mut().filter(|word| **word == before as u64) {
                *word = after as u64;
            }
        }
        Instance { state, flow: Box::new(flow) }
    }
}

/// Value that functions of Numba's return after an exception.
const RAISED: i32 = i32::MIN;

/// The end of a function that returns 0, or the number of what went wrong.
pub fn done(code: i32) -> Result<(), Failure> {
    match code {
        0 => Ok(()),
        RAISED => Err(Failure::new("raised an exception; without @parshall.native it is told in full")),
        code => Err(Failure::new(format!("returned {code}, expected 0"))),
    }
}

/// The answer of a function that returns a number, and NaN if something went wrong.
pub fn answered(answer: f64, expected: &str) -> Result<f64, Failure> {
    if answer.is_nan() {
        return Err(Failure::new(format!("raised an exception, or returned NaN, expected {expected}")));
    }
    Ok(answer)
}

/// The number that a function returned, unless it is that of an exception.
pub fn returned(code: i32) -> Result<i64, Failure> {
    if code == RAISED {
        done(code)?;
    }
    Ok(code.into())
}
