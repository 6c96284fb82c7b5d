//! Bindings of the estimator of non-responsive traffic that watches flows. `parshall.estimators` is its face.
//!
//! A packet that cannot be used is no error: it flags the estimate of its interval.

use numpy::{IntoPyArray, PyReadonlyArray1};
use parshall_estimators::responsiveness::{
    Dither, Estimate, FlowEvidence, Label, Responsiveness, Settings, Ticket, WIDEST,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::{Deserialize, Serialize};

use crate::columns::Shown;
use crate::state::copied;

/// Adds the estimator to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyResponsiveness>()
}

/// Columns of real numbers.
const REALS: [&str; 8] =
    ["time", "share", "share_se", "share_lower", "share_upper", "doubt", "resolved", "watched"];

/// The real numbers of an estimate, packets, signals, flows, flags; what does not exist is NaN.
type Row = ([f64; REALS.len()], u64, u64, u32, u16);

fn row(estimate: &Estimate) -> Row {
    let known = |x: Option<f64>| x.unwrap_or(f64::NAN);
    (
        [
            estimate.end_s,
            known(estimate.share),
            known(estimate.share_se),
            known(estimate.share_lower),
            known(estimate.share_upper),
            known(estimate.doubt),
            estimate.resolved,
            estimate.watched,
        ],
        estimate.packets,
        estimate.signals,
        estimate.flows,
        estimate.flags.bits(),
    )
}

/// Estimates by column.
#[derive(Default)]
struct Series {
    reals: [Vec<f64>; REALS.len()],
    counts: [Vec<u64>; 2],
    flows: Vec<u32>,
    flags: Vec<u16>,
}

impl Series {
    fn push(&mut self, estimate: &Estimate) {
        let (reals, packets, signals, flows, flags) = row(estimate);
        self.reals.iter_mut().zip(reals).for_each(|(column, x)| column.push(x));
        self.counts.iter_mut().zip([packets, signals]).for_each(|(column, x)| column.push(x));
        self.flows.push(flows);
        self.flags.push(flags);
    }

    fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let dict = PyDict::new(py);
        for (name, column) in REALS.into_iter().zip(self.reals) {
            dict.set_item(name, column.into_pyarray(py))?;
        }
        for (name, column) in ["packets", "signals"].into_iter().zip(self.counts) {
            dict.set_item(name, column.shown().into_pyarray(py))?;
        }
        dict.set_item("flows", self.flows.shown().into_pyarray(py))?;
        dict.set_item("flags", self.flags.shown().into_pyarray(py))?;
        Ok(dict)
    }
}

fn dither_of((probability, chosen): (f64, bool)) -> Dither {
    Dither { probability, chosen }
}

/// See `parshall.estimators.FlowLabel`.
fn code(label: Label) -> i64 {
    match label {
        Label::Responds => -1,
        Label::Unknown => 0,
        Label::Deaf => 1,
    }
}

/// See `parshall.estimators.Responsiveness`.
#[pyclass(name = "Responsiveness", module = "parshall._core")]
#[derive(Clone, Serialize, Deserialize)]
struct PyResponsiveness {
    estimator: Responsiveness,
}

#[pymethods]
impl PyResponsiveness {
    #[new]
    fn new(interval_s: f64, flows: u32, seed: u64) -> PyResult<Self> {
        Responsiveness::new(Settings { interval_s, flows, seed })
            .map(|estimator| PyResponsiveness { estimator })
            .map_err(|error| PyValueError::new_err((error.field, error.value, error.expected.to_owned())))
    }

    /// Forgets every packet.
    fn reset(&mut self) {
        self.estimator.reset();
    }

    /// The estimates of the intervals that ended by then.
    fn close(&mut self, time: f64) -> Vec<Row> {
        std::iter::from_fn(|| self.estimator.close(time)).map(|estimate| row(&estimate)).collect()
    }

    /// `dither` is its probability, and whether it chose the packet.
    fn packet(&mut self, time: f64, flow: u64, signalled: bool, dither: (f64, bool)) {
        self.estimator.packet_dithered(time, flow, signalled, dither_of(dither));
    }

    /// A packet whose fate is not known yet; its ticket.
    fn arrive(&mut self, time: f64, flow: u64, dither: (f64, bool)) -> u64 {
        self.estimator.arrive_dithered(time, flow, dither_of(dither)).0
    }

    /// The fate of a packet that has arrived; whether it was waiting.
    fn decide(&mut self, ticket: u64, signalled: Option<bool>) -> bool {
        self.estimator.decide(Ticket(ticket), signalled)
    }

    /// Takes packets whose fate was never told as spared.
    fn settle(&mut self) {
        self.estimator.settle();
    }

    /// Names of the numbers of a flow.
    #[classattr]
    #[pyo3(name = "EVIDENCE")]
    fn names() -> Vec<&'static str> {
        FlowEvidence::NAMES.to_vec()
    }

    /// Bounds that are further apart leave no share to tell.
    #[classattr]
    #[pyo3(name = "WIDEST")]
    fn widest() -> f64 {
        WIDEST
    }

    /// Evidence of the flows of the last estimate's interval, by column.
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rows: Vec<FlowEvidence> = self.estimator.evidence().collect();
        let dict = PyDict::new(py);
        dict.set_item("flow", rows.iter().map(|row| row.flow).collect::<Vec<u64>>().into_pyarray(py))?;
        let packets: Vec<u32> = rows.iter().map(|row| row.packets).collect();
        dict.set_item("packets", packets.shown().into_pyarray(py))?;
        dict.set_item("deaf", rows.iter().map(|row| row.deaf).collect::<Vec<f64>>().into_pyarray(py))?;
        let labels: Vec<i64> = rows.iter().map(|row| code(row.label())).collect();
        dict.set_item("label", labels.into_pyarray(py))?;
        for (i, name) in FlowEvidence::NAMES.into_iter().enumerate() {
            let column: Vec<f64> = rows.iter().map(|row| f64::from(row.numbers[i])).collect();
            dict.set_item(name, column.into_pyarray(py))?;
        }
        Ok(dict)
    }

    /// Takes packets, and the time up to `until`.
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        times: PyReadonlyArray1<'py, f64>,
        flows: PyReadonlyArray1<'py, u64>,
        signalled: PyReadonlyArray1<'py, bool>,
        dithers: (PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, bool>),
        until: Option<f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (times, flows, signalled) = (times.as_slice()?, flows.as_slice()?, signalled.as_slice()?);
        let (probabilities, chosen) = (dithers.0.as_slice()?, dithers.1.as_slice()?);
        let lengths = [
            ("flow", flows.len()),
            ("signalled", signalled.len()),
            ("dither_probability", probabilities.len()),
            ("dithered", chosen.len()),
        ];
        for (name, length) in lengths {
            if length != times.len() {
                let expected = format!("{}, one for each of time", times.len());
                return Err(PyValueError::new_err((name, format!("{length} values"), expected)));
            }
        }
        let estimator = &mut self.estimator;
        let series = py.detach(|| {
            let mut series = Series::default();
            let mut close = |estimator: &mut Responsiveness, time| {
                while let Some(estimate) = estimator.close(time) {
                    series.push(&estimate);
                }
            };
            let dithers = probabilities.iter().copied().zip(chosen.iter().copied()).map(dither_of);
            for (((&time, &flow), &signalled), dither) in times.iter().zip(flows).zip(signalled).zip(dithers)
            {
                close(estimator, time);
                estimator.packet_dithered(time, flow, signalled, dither);
            }
            if let Some(until) = until {
                close(estimator, until);
            }
            series
        });
        series.into_dict(py)
    }
}

copied!(PyResponsiveness);
