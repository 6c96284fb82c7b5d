//! Bindings of the experiment that asks a group of flows. `parshall.estimators` is its face.

use parshall_estimators::treatment::{Label, Outcome, Settings, Treatment};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::state::copied;

/// Adds the experiment to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyTreatment>()
}

/// Real numbers of an outcome, packets, signals, pairs and label; what does not exist is NaN.
type Row = ([f64; 5], u64, u64, u32, i64);

fn row(outcome: &Outcome) -> Row {
    let Outcome { end_s, lower, effect, upper, pairs, price, packets, signals, label } = *outcome;
    let label = match label {
        Label::Responds => -1,
        Label::Unknown => 0,
        Label::Deaf => 1,
    };
    ([end_s, lower, effect.unwrap_or(f64::NAN), upper, price], packets, signals, pairs, label)
}

/// See `parshall.estimators.Treatment`.
#[pyclass(name = "Treatment", module = "parshall._core")]
#[derive(Clone, Serialize, Deserialize)]
struct PyTreatment {
    experiment: Treatment,
}

#[pymethods]
impl PyTreatment {
    /// `reals` are block, times, floor, part, budget and limit.
    #[new]
    fn new(reals: [f64; 6], goes_on: bool, seed: u64) -> PyResult<Self> {
        let [block_s, times, floor, part, budget, limit] = reals;
        Treatment::new(Settings { block_s, times, floor, part, budget, limit, goes_on, seed })
            .map(|experiment| PyTreatment { experiment })
            .map_err(|error| PyValueError::new_err((error.field, error.value, error.expected.to_owned())))
    }

    /// Forgets every packet.
    fn reset(&mut self) {
        let settings = *self.experiment.settings();
        self.experiment = Treatment::new(settings).expect("settings that were valid before");
    }

    /// The outcome of a pair of blocks that is over.
    fn close(&mut self, time: f64) -> Option<Row> {
        self.experiment.close(time).map(|outcome| row(&outcome))
    }

    /// The probability with which a packet is to be dropped or marked.
    fn packet(&mut self, time: f64, flow: u64) -> f64 {
        self.experiment.packet(time, flow)
    }

    /// The last packet was.
    fn signal(&mut self) {
        self.experiment.signal();
    }

    /// A packet met the queue.
    fn queue(&mut self, signalled: bool) {
        self.experiment.queue(signalled);
    }
}

copied!(PyTreatment);
