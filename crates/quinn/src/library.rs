//! Controls from shared libraries: C, Rust or any language that has the interface of `parshall_control.h`, version 1.
//!
//! ```no_run
//! use parshall_quinn::{library::Library, Controls};
//!
//! // cc -O2 -fPIC -shared -ffp-contract=off -I "$(python -m parshall.control.header)" aimd.c -o aimd.so
//! let library = Library::open("aimd.so".as_ref())?;
//! let controls = Controls::new(library.with("increase", 2.0)?.control())?;
//! # let _ = controls;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Of the functions that a host lends, `estimator` has none here and returns null, as it does for a name that it does not know.

#![allow(unsafe_code)]

#[rustfmt::skip] // It is generated.
mod header;
mod table;

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void, CStr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parshall_control::random::Stream;
use parshall_control::units::Time;
use parshall_control::user::{Answer, Code, Config, Failure, Found, Maker, Method, UserControl};
use parshall_control::{AckSample, Control, InvalidParameter, Loss, Start, Window as Packets};

use header::{Ack, Loss as Lost, Moment, Table, Window, VERSION};
use table::{OnLoss, OnMoment, HOST};

/// The largest state that a control may ask for, in bytes.
const MOST_STATE: usize = 1 << 24;

/// A control of a shared library, with values for its parameters.
#[derive(Clone, Debug)]
pub struct Library {
    name: String,
    parameters: Vec<(String, f64)>,
    table: Shared,
}

/// A table, and the library that it lies in.
#[derive(Clone, Debug)]
struct Shared {
    table: *const Table,
    /// None where the table lies in this program.
    _library: Option<Arc<libloading::Library>>,
}

// SAFETY: a table is constant, and the header says that the functions of several flows may be called by several threads.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

/// The function of a library that returns its table.
type Entry = unsafe extern "C" fn() -> *const Table;

fn fault(value: impl std::fmt::Display, expected: &'static str) -> InvalidParameter {
    InvalidParameter { field: "library".into(), value: value.to_string(), expected }
}

impl Library {
    /// Opens a shared library, whose code runs from here on.
    ///
    /// # Errors
    /// If it is none, or has a table that [`Library::from_table`] would not take.
    pub fn open(file: &Path) -> Result<Self, InvalidParameter> {
        // Without a folder in its name the system would look for it in its own.
        let file =
            if file.parent() == Some(Path::new("")) { Path::new(".").join(file) } else { file.to_owned() };
        let shown = file.display();
        // SAFETY: to open a library runs its code: that is what the caller asks for.
        let library = unsafe { libloading::Library::new(&file) };
        let library = library.map_err(|_| fault(&shown, "a shared library"))?;
        // SAFETY: a function of this name has this type, as the header says.
        let entry = unsafe { library.get::<Entry>(b"parshall_control\0") };
        let entry = *entry.map_err(|_| fault(&shown, "a library with a function parshall_control()"))?;
        // SAFETY: as above.
        unsafe { Self::at(entry(), Some(Arc::new(library))) }
    }

    /// A control whose table lies at an address: for a program that makes one at run time.
    ///
    /// # Errors
    /// If the address is null, or the table of another version of the interface, or without a name, or if a state has not room for
    /// a window and the parameters or more than 16 MiB.
    ///
    /// # Safety
    /// A table of `parshall_control.h` lies at the address, it and what it points to stay there as long as the control is
    /// used, and its functions do what the header says.
    pub unsafe fn from_table(table: *const c_void) -> Result<Self, InvalidParameter> {
        // SAFETY: as the caller promises.
        unsafe { Self::at(table.cast(), None) }
    }

    unsafe fn at(
        table: *const Table,
        library: Option<Arc<libloading::Library>>,
    ) -> Result<Self, InvalidParameter> {
        // SAFETY: as the callers promise; the version comes first in every version of a table.
        let version = if table.is_null() { 0 } else { unsafe { (*table).version } };
        if version != VERSION {
            return Err(fault(format!("version {version}"), "version 1 of the interface"));
        }
        // SAFETY: it is a table of this version.
        let known = unsafe { &*table };
        if known.name.is_null() {
            return Err(fault("a table without a name", "one with a name"));
        }
        let mut parameters = Vec::new();
        let mut next = known.parameters;
        // SAFETY: the list ends with a parameter without a name; names are text that ends with a zero.
        while let Some(parameter) = unsafe { next.as_ref() }.filter(|parameter| !parameter.name.is_null()) {
            parameters.push((unsafe { text(parameter.name) }, parameter.value));
            next = unsafe { next.add(1) };
        }
        let least = size_of::<Window>() + 8 * parameters.len();
        if !(least..=MOST_STATE).contains(&known.state_size) {
            let (got, count) = (known.state_size, parameters.len());
            return Err(fault(
                format!("a state of {got} bytes with {count} parameters"),
                "one of at most 16 MiB that has room for a window and the parameters",
            ));
        }
        // SAFETY: a name is text that ends with a zero.
        let name = unsafe { text(known.name) };
        Ok(Library { name, parameters, table: Shared { table, _library: library } })
    }

    /// Returns it with another value of a parameter.
    ///
    /// # Errors
    /// If it has none of this name.
    pub fn with(mut self, name: &str, value: f64) -> Result<Self, InvalidParameter> {
        let Some(known) = self.parameters.iter_mut().find(|(known, _)| known == name) else {
            return Err(fault(name, "a parameter of the control"));
        };
        known.1 = value;
        Ok(self)
    }

    /// The control as a value, for [`crate::Controls::new`].
    pub fn control(self) -> Control {
        Control::User(Config {
            form: "library".into(),
            source: self.name.as_str().into(),
            code: "".into(),
            values: BTreeMap::new(),
            maker: Found(Some(Arc::new(self))),
        })
    }

    fn functions(&self) -> &Table {
        // SAFETY: it has been looked at, and lies there as long as `Shared` does.
        unsafe { &*self.table.table }
    }
}

/// # Safety
/// It is text that ends with a zero, or null.
unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

impl Code for Library {
    fn name(&self) -> &str {
        &self.name
    }

    fn time_limit(&self) -> Option<Duration> {
        None
    }
}

impl Maker for Library {
    fn make(&self, start: &Start<'_>, answer: &mut Answer) -> Result<Box<dyn UserControl>, Failure> {
        let mut state = vec![0u64; self.functions().state_size.div_ceil(8)];
        let values = state.iter_mut().skip(size_of::<Window>() / 8);
        values.zip(&self.parameters).for_each(|(word, &(_, value))| *word = value.to_bits());
        let mut flow = Flow { library: self.clone(), state, stream: Box::new(start.stream()) };
        if let Some(on_start) = self.functions().on_start {
            // SAFETY: see the calls of `Flow`.
            flow.call(answer, |state| done(unsafe { on_start(state) }))?;
        }
        Ok(Box::new(flow))
    }

    fn exact_echo(&self) -> bool {
        self.functions().exact_echo != 0
    }
}

/// The control of a connection: a state that begins with a window.
#[derive(Debug)]
struct Flow {
    library: Library,
    /// In words, so that it lies as any of its fields may have to.
    state: Vec<u64>,
    /// Its address is the flow's name for functions that are lent.
    stream: Box<Stream>,
}

fn done(code: i32) -> Result<(), Failure> {
    match code {
        0 => Ok(()),
        code => Err(Failure::new(format!("returned {code}, expected 0"))),
    }
}

fn moment(now: Time) -> Moment {
    Moment { now: now.secs(), now_ps: now.ps() as i64 }
}

// SAFETY of all calls below: a function has the type that its place in the table says, its state is that of this flow, and
// what it is told outlives the call.
impl Flow {
    /// Calls a function with the state, whose window is that of `answer` before and after.
    fn call<T>(
        &mut self,
        answer: &mut Answer,
        function: impl FnOnce(*mut c_void) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Answer { window: Packets { cwnd, ssthresh }, pacing_rate, wake_at } = *answer;
        let flow: *mut Stream = &mut *self.stream;
        let window = Window { cwnd, ssthresh, pacing_rate, wake_at, host: &HOST, flow: flow.cast() };
        let state = self.state.as_mut_ptr();
        // SAFETY: a window fits, as `Library::at` has seen, and words are aligned as it is.
        unsafe { state.cast::<Window>().write(window) };
        let value = function(state.cast())?;
        // SAFETY: as above; any bytes are numbers.
        let Window { cwnd, ssthresh, pacing_rate, wake_at, .. } = unsafe { state.cast::<Window>().read() };
        *answer = Answer { window: Packets { cwnd, ssthresh }, pacing_rate, wake_at };
        Ok(value)
    }

    fn at_moment(
        &mut self,
        answer: &mut Answer,
        function: Option<OnMoment>,
        now: Time,
    ) -> Result<(), Failure> {
        let told = moment(now);
        function.map_or(Ok(()), |function| self.call(answer, |state| done(unsafe { function(state, &told) })))
    }
}

impl UserControl for Flow {
    fn on_ack(&mut self, answer: &mut Answer, ack: &AckSample<'_>) -> Result<(), Failure> {
        let Some(on_ack) = self.library.functions().on_ack else { return Ok(()) };
        let told = Ack::of(ack);
        self.call(answer, |state| done(unsafe { on_ack(state, &told) }))
    }

    fn after_loss(&mut self, answer: &mut Answer, loss: &Loss, method: Method) -> Result<f64, Failure> {
        let Table { on_loss, on_mark, on_timeout, .. } = *self.library.functions();
        let function: Option<OnLoss> = match method {
            Method::Mark => on_mark.or(on_loss),
            Method::Timeout => on_timeout.or(on_loss),
            _ => on_loss,
        };
        let Some(function) = function else { return Ok(loss.in_use / 2.0) };
        let told = Lost { now: loss.now.secs(), now_ps: loss.now.ps() as i64, in_use: loss.in_use };
        let after = self.call(answer, |state| Ok(unsafe { function(state, &told) }))?;
        if after.is_nan() {
            return Err(Failure::new("returned NaN, expected the window after it, in packets"));
        }
        Ok(after)
    }

    fn on_restart(&mut self, answer: &mut Answer, now: Time) -> Result<(), Failure> {
        self.at_moment(answer, self.library.functions().on_restart, now)
    }

    fn on_timer(&mut self, answer: &mut Answer, now: Time) -> Result<(), Failure> {
        self.at_moment(answer, self.library.functions().on_timer, now)
    }
}

#[cfg(test)]
mod tests;
