//! What a compiled control and the engine hand each other. The header for C, the types that Numba sees and the objects
//! that a class in Python gets are made from this file: each field and each function stands here once.

use std::ffi::{c_char, c_void};

use parshall_sim::control::{AckKind, AckSample, Loss};
use parshall_sim::units::Time;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Goes up when anything here changes that a compiled control can see.
pub const VERSION: u32 = 1;

/// A field: its name, its type in C, what it means.
type Field = (&'static str, &'static str, &'static str);

/// The name of a type in C.
trait InC {
    const NAME: &'static str;
}

/// What can be gathered into a report.
trait AsNumber {
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

/// Reads a field as a number.
pub type Reader = fn(&Ack) -> f64;

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

macro_rules! shared {
    ($about:literal, $(#[$more:meta])* struct $name:ident { $(#[doc = $doc:literal] $field:ident: $kind:ty,)* }) => {
        #[doc = $about]
        $(#[$more])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct $name { $(#[doc = $doc] pub $field: $kind,)* }

        impl $name {
            const ABOUT: &'static str = $about;
            const FIELDS: &'static [Field] = &[$((stringify!($field), <$kind as InC>::NAME, $doc),)*];
        }
    };
}

shared! {
    "What a control answers with. The state of every compiled control begins with it; the engine sets it before each call and reads it afterwards.",
    struct Window {
        /// Congestion window, in packets.
        cwnd: f64,
        /// Slow start threshold, in packets.
        ssthresh: f64,
        /// Packets a second that may leave; 0 leaves that to the sender.
        pacing_rate: f64,
        /// When on_timer shall be called, in seconds; infinity for not at all. It is forgotten when it is.
        wake_at: f64,
        /// What the engine lends; see there.
        host: *const Host,
        /// The flow, for functions of the host that ask for it.
        flow: *mut c_void,
    }
}

/// The same, for a structure whose fields can all be read as numbers.
macro_rules! numbers {
    ($about:literal, $(#[$more:meta])* struct $name:ident { $(#[doc = $doc:literal] $field:ident: $kind:ty,)* }) => {
        shared! { $about, $(#[$more])* struct $name { $(#[doc = $doc] $field: $kind,)* } }

        impl $name {
            /// What reads a field as a number.
            pub fn reader(field: &str) -> Option<Reader> {
                match field {
                    $(stringify!($field) => Some(|told| told.$field.number()),)*
                    _ => None,
                }
            }
        }
    };
}

numbers! {
    "What a control is told of an ACK. Packets are numbered from 0. What cannot be known yet is NaN.",
    #[pyclass(get_all, module = "parshall._core")]
    struct Ack {
        /// When it came, in seconds.
        now: f64,
        /// The same in picoseconds, without rounding.
        now_ps: i64,
        /// Seconds since the last packet that it answers was sent.
        rtt: f64,
        /// Smoothed round-trip time, in seconds.
        srtt: f64,
        /// Least round-trip time so far, in seconds.
        min_rtt: f64,
        /// Packets a second that were delivered since the packet that it reports was sent.
        delivery_rate: f64,
        /// Packets that it acknowledges and that count for growth: all, or one an ACK.
        growth: f64,
        /// The same in slow start, where what was reported beyond a gap before does not count again.
        slow_start: f64,
        /// Highest packet acknowledged.
        high_ack: i64,
        /// Next packet to be sent.
        next_seq: i64,
        /// Packets sent that have neither left the network nor are thought to be lost.
        in_flight: i64,
        /// Packets delivered so far.
        delivered: i64,
        /// How many had been delivered when the packet that it reports was sent.
        prior_delivered: i64,
        /// Packets that it acknowledges for the first time, cumulatively.
        acked: i64,
        /// Packets that it reports for the first time, cumulatively or beyond a gap.
        newly_delivered: i64,
        /// Packets that it makes the sender think lost.
        newly_lost: i64,
        /// What it is to the sender: 0 for new data, 1 for part of what is repaired, 2 for a duplicate, 3 for an old one.
        kind: i64,
        /// Whether it reports a mark.
        ecn_echo: bool,
        /// Whether cwnd was what limited the sender.
        window_limited: bool,
        /// Whether the window may grow: new data outside recovery, no mark, and a window that is used.
        may_grow: bool,
        /// Whether delivery_rate was limited by what the application gave to send, or the receiver to its window.
        app_limited: bool,
        /// Whether the sender repairs losses.
        in_recovery: bool,
    }
}

shared! {
    "What a control is told of a loss, a mark or a timeout.",
    #[pyclass(get_all, name = "Loss", module = "parshall._core")]
    struct Lost {
        /// When it was noticed, in seconds.
        now: f64,
        /// The same in picoseconds, without rounding.
        now_ps: i64,
        /// Packets in use: in flight, or the window, as the options of the transport have it.
        in_use: f64,
    }
}

shared! {
    "An instant: of a start after silence, or of the control's own timer.",
    #[pyclass(get_all, module = "parshall._core")]
    struct Moment {
        /// In seconds.
        now: f64,
        /// In picoseconds, without rounding.
        now_ps: i64,
    }
}

impl Ack {
    /// The same for a compiled control.
    #[inline]
    pub fn of(ack: &AckSample<'_>) -> Self {
        let kind = match ack.kind {
            AckKind::New => 0,
            AckKind::Partial => 1,
            AckKind::Duplicate => 2,
            AckKind::Old => 3,
        };
        let mut told = Ack {
            now: ack.now.secs(),
            now_ps: ack.now.ps() as i64,
            rtt: ack.rtt(),
            growth: ack.growth,
            slow_start: ack.slow_start,
            high_ack: ack.high_ack,
            next_seq: ack.next_seq,
            acked: i64::from(ack.acked),
            kind,
            ecn_echo: ack.ecn_echo,
            window_limited: ack.window_limited,
            may_grow: ack.may_grow,
            ..Ack::NOTHING
        };
        if let Some(path) = ack.path {
            told.srtt = path.srtt;
            told.min_rtt = path.min_rtt;
            told.delivery_rate = path.delivery_rate;
            told.in_flight = path.in_flight;
            told.delivered = path.delivered as i64;
            told.prior_delivered = path.prior_delivered as i64;
            told.newly_delivered = i64::from(path.newly_delivered);
            told.newly_lost = i64::from(path.newly_lost);
            told.app_limited = path.app_limited;
            told.in_recovery = path.in_recovery;
        }
        told
    }

    /// What is known before anything is.
    pub const NOTHING: Ack = Ack {
        now: 0.0,
        now_ps: 0,
        rtt: f64::NAN,
        srtt: f64::NAN,
        min_rtt: f64::NAN,
        delivery_rate: f64::NAN,
        growth: 0.0,
        slow_start: 0.0,
        high_ack: -1,
        next_seq: 0,
        in_flight: 0,
        delivered: 0,
        prior_delivered: 0,
        acked: 0,
        newly_delivered: 0,
        newly_lost: 0,
        kind: 0,
        ecn_echo: false,
        window_limited: false,
        may_grow: false,
        app_limited: false,
        in_recovery: false,
    };
}

impl From<&Loss> for Lost {
    fn from(loss: &Loss) -> Self {
        Lost { now: loss.now.secs(), now_ps: loss.now.ps() as i64, in_use: loss.in_use }
    }
}

impl From<Time> for Moment {
    fn from(now: Time) -> Self {
        Moment { now: now.secs(), now_ps: now.ps() as i64 }
    }
}

/// A lent function: its name, what it returns, its arguments, what it does.
type Lent = (&'static str, &'static str, &'static str, &'static str);

macro_rules! lent {
    ($($(#[doc = $doc:literal])* fn $name:ident($($arg:ident: $c:literal $kind:ty),*) -> $returns:literal $returned:ty;)*) => {
        /// Functions that the engine lends, so that all forms of a control compute the same, bit for bit.
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
    /// A random number from 0 to below 1, of the flow's own stream.
    fn random(flow: "void *" *mut c_void) -> "double" f64;
    /// An estimator of the library's for this flow, which the engine frees with it: "ewma" with its gain, "median" or
    /// "mad" with its window. NULL for any other name. To be called in on_start.
    fn estimator(flow: "void *" *mut c_void, name: "const char *" *const c_char, parameter: "double" f64) -> "void *" *mut c_void;
    /// Takes in a sample and returns the value after it; a sample that is no finite number is left out.
    fn update(estimator: "void *" *mut c_void, sample: "double" f64) -> "double" f64;
    /// The value of an estimator; NaN if it has none yet.
    fn value(estimator: "void *" *mut c_void) -> "double" f64;
}

fn structures() -> [(&'static str, &'static str, &'static [Field]); 4] {
    [
        ("window", Window::ABOUT, Window::FIELDS),
        ("ack", Ack::ABOUT, Ack::FIELDS),
        ("loss", Lost::ABOUT, Lost::FIELDS),
        ("moment", Moment::ABOUT, Moment::FIELDS),
    ]
}

/// The interface as plain data: its version, the fields of its structures as triples of name, type in C and meaning,
/// the functions that the engine lends, and where they are.
#[pyfunction]
pub fn control_interface(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let (all, of_each, about) = (PyDict::new(py), PyDict::new(py), PyDict::new(py));
    for (name, text, fields) in structures() {
        of_each.set_item(name, PyList::new(py, fields)?)?;
        about.set_item(name, text)?;
    }
    all.set_item("version", VERSION)?;
    all.set_item("structures", of_each)?;
    all.set_item("about", about)?;
    all.set_item("lent", PyList::new(py, LENT)?)?;
    all.set_item("addresses", addresses(py)?)?;
    Ok(all)
}
