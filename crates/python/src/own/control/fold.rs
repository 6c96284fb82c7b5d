//! Gathers what ACKs tell, so that a control need only be called for a report of many (Narayan et al. 2018).

use std::fmt::Debug;

use parshall_sim::control::user::{Answer, Failure, Method, UserControl};
use parshall_sim::control::{AckSample, Loss};
use parshall_sim::units::Time;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::Ack;

/// Reads a field as a number.
type Reader = fn(&Ack) -> f64;

/// When a report is due.
#[derive(Clone, Copy, Debug)]
enum Every {
    Ack,
    /// When everything that was in flight at the last report has been acknowledged.
    RoundTrip,
    /// At the first ACK after so long.
    Time(Time),
}

/// Function that folds values into one.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Sum,
    Least,
    Most,
    Mean,
    First,
    Last,
}

/// Contents of a report, and when it is made.
#[derive(Clone, Debug)]
pub struct Gathering {
    every: Every,
    at_losses: bool,
    wanted: Vec<(Reader, Operation)>,
}

/// A report before it is told: `every`, whether losses bring one as well, and pairs of operation and field.
pub type ReportFields = (String, bool, Vec<(String, String)>);

impl Gathering {
    /// From text: `ack`, `rtt` or seconds.
    ///
    /// # Errors
    /// `ValueError` for a word that is not known.
    pub fn new((every, at_losses, wanted): ReportFields) -> PyResult<Self> {
        let every = match every.as_str() {
            "ack" => Every::Ack,
            "rtt" => Every::RoundTrip,
            seconds => Every::Time(Time::from_secs(
                seconds.parse().map_err(|_| PyValueError::new_err(format!("every: {seconds}")))?,
            )),
        };
        let each = |(operation, field): (String, String)| {
            let operation = match operation.as_str() {
                "sum" => Operation::Sum,
                "min" => Operation::Least,
                "max" => Operation::Most,
                "mean" => Operation::Mean,
                "first" => Operation::First,
                "last" => Operation::Last,
                other => return Err(PyValueError::new_err(format!("no operation: {other}"))),
            };
            let read =
                Ack::reader(&field).ok_or_else(|| PyValueError::new_err(format!("no field: {field}")))?;
            Ok((read, operation))
        };
        Ok(Gathering { every, at_losses, wanted: wanted.into_iter().map(each).collect::<PyResult<_>>()? })
    }
}

/// A value on its way into a report; what is NaN is left out.
#[derive(Clone, Copy, Debug, Default)]
struct Gathered {
    value: f64,
    count: u32,
}

impl Gathered {
    fn take(&mut self, operation: Operation, new: f64) {
        if new.is_nan() {
            return;
        }
        self.count += 1;
        self.value = match operation {
            _ if self.count == 1 => new,
            Operation::Sum | Operation::Mean => self.value + new,
            Operation::Least => self.value.min(new),
            Operation::Most => self.value.max(new),
            Operation::First => self.value,
            Operation::Last => new,
        };
    }

    fn told(&self, operation: Operation) -> f64 {
        match operation {
            Operation::Sum if self.count == 0 => 0.0,
            _ if self.count == 0 => f64::NAN,
            Operation::Mean => self.value / f64::from(self.count),
            _ => self.value,
        }
    }
}

/// A control that takes reports.
pub trait Reported: UserControl {
    /// A report: time in seconds, ACKs that it is about, whether a loss brought it, then what was gathered.
    fn on_report(&mut self, answer: &mut Answer, values: &[f64]) -> Result<(), Failure>;
}

/// A control with reports in place of ACKs.
#[derive(Debug)]
pub struct Reporting<C> {
    control: C,
    gathering: Gathering,
    gathered: Vec<Gathered>,
    acks: u32,
    /// The report is due when this packet is acknowledged, or at this time.
    due: (i64, Time),
    values: Vec<f64>,
}

impl<C: Reported> Reporting<C> {
    /// Nothing is gathered yet.
    pub fn new(control: C, gathering: Gathering) -> Self {
        let gathered = vec![Gathered::default(); gathering.wanted.len()];
        Reporting { control, gathering, gathered, acks: 0, due: (0, Time::ZERO), values: Vec::new() }
    }

    fn report(&mut self, answer: &mut Answer, now: Time, lost: bool) -> Result<(), Failure> {
        self.values.clear();
        self.values.extend([now.secs(), f64::from(self.acks), f64::from(u8::from(lost))]);
        let told = self.gathered.iter().zip(&self.gathering.wanted).map(|(each, &(_, how))| each.told(how));
        self.values.extend(told);
        self.gathered.fill(Gathered::default());
        self.acks = 0;
        self.control.on_report(answer, &self.values)
    }
}

impl<C: Reported> UserControl for Reporting<C> {
    fn on_ack(&mut self, answer: &mut Answer, ack: &AckSample<'_>) -> Result<(), Failure> {
        let told = Ack::of(ack);
        self.acks += 1;
        for (gathered, &(read, operation)) in self.gathered.iter_mut().zip(&self.gathering.wanted) {
            gathered.take(operation, read(&told));
        }
        let due = match self.gathering.every {
            Every::Ack => true,
            Every::RoundTrip => ack.high_ack >= self.due.0,
            Every::Time(_) => ack.now >= self.due.1,
        };
        if !due {
            return Ok(());
        }
        if let Every::Time(interval) = self.gathering.every {
            self.due.1 = ack.now + interval;
        }
        self.due.0 = ack.next_seq;
        self.report(answer, ack.now, false)
    }

    fn after_loss(&mut self, answer: &mut Answer, loss: &Loss, method: Method) -> Result<f64, Failure> {
        let after = self.control.after_loss(answer, loss, method)?;
        if self.gathering.at_losses {
            self.report(answer, loss.now, true)?;
        }
        Ok(after)
    }

    fn on_restart(&mut self, answer: &mut Answer, now: Time) -> Result<(), Failure> {
        self.control.on_restart(answer, now)
    }

    fn on_timer(&mut self, answer: &mut Answer, now: Time) -> Result<(), Failure> {
        self.control.on_timer(answer, now)
    }
}
