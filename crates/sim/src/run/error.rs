//! Reasons why there is no recording.

use std::fmt;
use std::io;

use parshall_control::user::{Failure, Method, Named};

use crate::error::ScenarioError;
use crate::expect::OutOfReach;
use crate::headroom::{too_large_for, Memory, Shortage};
use crate::limits::ADVICE;
use crate::room::gib;
use crate::units::Time;

/// The reason why there is no recording. Its text is one line.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError {
    /// The scenario cannot be run.
    Scenario(ScenarioError),
    /// The run was not started: it would take many times the memory of this computer.
    OutOfReach(OutOfReach),
    /// Memory ran low, and the run ended before it was used up.
    LowMemory(LowMemory),
    /// A part that the caller handed over failed, answered with a value out of bounds, or did not return.
    Part(PartFailure),
    /// Somebody asked the run to stop.
    Stopped,
    /// The run was to take more events than it may.
    MaxEvents {
        /// Simulated time at which it ended.
        at: Time,
        /// Most events of this run.
        limit: u64,
    },
    /// There was more of something than the engine counts, such as 2^32 packets of one TCP flow. In one line.
    TooMany(String),
    /// The system started no thread for the run.
    Thread(io::Error),
    /// The engine itself failed: a fault of this crate. What it said in one line.
    Engine(String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Scenario(error) => error.fmt(f),
            RunError::OutOfReach(reason) => reason.fmt(f),
            RunError::LowMemory(low) => low.fmt(f),
            RunError::Part(failure) => failure.fmt(f),
            RunError::Stopped => f.write_str("interrupted"),
            RunError::MaxEvents { at, limit } => {
                write!(f, "stopped at {} s: reached max_events = {limit}", at.secs())
            }
            RunError::TooMany(message) | RunError::Engine(message) => f.write_str(message),
            RunError::Thread(error) => write!(f, "the system starts no thread: {error}"),
        }
    }
}

// The text of what lies within is part of this one's: a chain of sources would say it twice.
impl std::error::Error for RunError {}

impl From<ScenarioError> for RunError {
    fn from(error: ScenarioError) -> Self {
        RunError::Scenario(error)
    }
}

impl From<OutOfReach> for RunError {
    fn from(reason: OutOfReach) -> Self {
        RunError::OutOfReach(reason)
    }
}

impl From<LowMemory> for RunError {
    fn from(low: LowMemory) -> Self {
        RunError::LowMemory(low)
    }
}

impl From<PartFailure> for RunError {
    fn from(failure: PartFailure) -> Self {
        RunError::Part(failure)
    }
}

/// Memory that a run needed and could not have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LowMemory {
    /// Simulated time at which the run ended.
    pub at: Time,
    /// The use of memory that could not be had.
    pub need: Need,
    /// The memory of this computer; `None` where the system does not tell.
    pub memory: Option<Memory>,
}

/// The use of memory that could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Need {
    /// A list that was to grow.
    List {
        /// Its items, in the plural.
        items: &'static str,
        /// Bytes that it would take.
        bytes: u64,
    },
    /// The rest of the run.
    Rest {
        /// Bytes that the recording needs besides what it has.
        bytes: u64,
        /// The rows that take most so far, in the plural, and their bytes, where that is known.
        largest: Option<(&'static str, u64)>,
    },
}

impl LowMemory {
    /// Bytes that were asked for.
    pub fn asked(&self) -> u64 {
        match self.need {
            Need::List { bytes, .. } | Need::Rest { bytes, .. } => bytes,
        }
    }
}

impl fmt::Display for LowMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stopped at {} s: ", self.at.secs())?;
        match self.need {
            Need::List { items, bytes } => f.write_str(&too_large_for(items, bytes, self.memory))?,
            Need::Rest { bytes, largest } => {
                match self.memory {
                    Some(memory) => Shortage { memory, to_finish: bytes }.fmt(f)?,
                    None => f.write_str("memory runs low")?,
                }
                if let Some((items, bytes)) = largest {
                    write!(f, "; {items} take {}", gib(bytes))?;
                }
            }
        }
        write!(f, "; {ADVICE}")
    }
}

/// A part that failed, a control for one, and where: the caller had handed it over with the scenario.
#[derive(Debug)]
#[non_exhaustive]
pub struct PartFailure {
    /// Name of the part, as its maker gives it.
    pub part: String,
    /// The method that was called.
    pub method: Method,
    /// The flow or the port whose part it is, as `flow NAME`; empty outside of a run.
    pub owner: String,
    /// Simulated time of the call.
    pub at: Time,
    /// The error that it returned.
    pub failure: Failure,
}

impl fmt::Display for PartFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PartFailure { part, method, owner, at, failure } = self;
        let named = Named { class: part.clone(), owner: owner.clone(), time_limit: None };
        write!(f, "{}: {failure}", named.place(*method, *at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    /// Other errors may be made of it: `Box<dyn Error + Send + Sync>` is what most programs return.
    #[test]
    fn it_can_be_sent_and_shared() {
        fn shared<T: std::error::Error + Send + Sync + 'static>() {}
        shared::<RunError>();
    }

    #[test]
    fn its_text_is_one_line_with_what_was_asked_and_what_there_is() {
        let memory = Some(Memory { total: 24 * GIB, available: 5 * GIB });
        let low = |need, memory| RunError::from(LowMemory { at: Time::from_secs(7.5), need, memory });
        let list = || Need::List { items: "rows of rtt", bytes: 6 * GIB };
        let rest = |largest| Need::Rest { bytes: 5 * GIB, largest };
        let left = "5.0 GiB of 24.0 GiB are left";
        let advice = "record less, or over a shorter time";
        let place = "stopped at 7.5 s: memory runs low";
        for (error, text) in [
            (low(list(), memory), format!("{place}: rows of rtt need 6.0 GiB, and {left}; {advice}")),
            (low(list(), None), format!("{place}: rows of rtt need 6.0 GiB; {advice}")),
            (
                low(rest(Some(("flows", 2 * GIB))), memory),
                format!("{place}: {left} and 5.0 GiB more are taken to finish; flows take 2.0 GiB; {advice}"),
            ),
            (
                low(rest(None), memory),
                format!("{place}: {left} and 5.0 GiB more are taken to finish; {advice}"),
            ),
        ] {
            assert_eq!(error.to_string(), text);
        }
        assert_eq!(LowMemory { at: Time::ZERO, need: list(), memory }.asked(), 6 * GIB);
        assert_eq!(
            RunError::MaxEvents { at: Time::from_secs(0.25), limit: 100 }.to_string(),
            "stopped at 0.25 s: reached max_events = 100"
        );
    }

    #[test]
    fn a_failed_part_says_where() {
        let failure = Failure::new("cwnd is NaN, expected 1 to 16777216 packets");
        let error = RunError::from(PartFailure {
            part: "Own".into(),
            method: Method::Ack,
            owner: "flow f".into(),
            at: Time::from_secs(2.0),
            failure,
        });
        let text = "Own.on_ack, flow f, 2 s: cwnd is NaN, expected 1 to 16777216 packets";
        assert_eq!(error.to_string(), text);
    }
}
