//! Bindings of what a sender measures from its ACKs. `parshall.estimators` is their face.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use parshall_estimators::packet_pair::{Capacity, Filter, PacketPair, PacketPairSettings};
use parshall_estimators::throughput::{Every, ThroughputSampler};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::columns::Shown;
use crate::estimators::{config_fault, fault, Series, NUMBERS};
use crate::state::copied;

/// Adds the estimators to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyThroughputSampler>()?;
    module.add_class::<PyPacketPair>()
}

/// The throughput that a sender attains.
#[pyclass(name = "ThroughputSampler", module = "parshall._core")]
#[derive(Clone, Serialize, Deserialize)]
struct PyThroughputSampler {
    sampler: ThroughputSampler,
}

/// Checks that an acknowledged amount is a finite number that is not negative.
fn amount(place: &str, value: f64) -> PyResult<f64> {
    if (0.0..f64::INFINITY).contains(&value) {
        Ok(value)
    } else {
        Err(fault(place, value, "a finite number of at least 0"))
    }
}

#[pymethods]
impl PyThroughputSampler {
    /// Samples by time if there is an `interval`, else by `amount`.
    #[new]
    fn new(gain: f64, interval: Option<f64>, amount: Option<f64>) -> PyResult<Self> {
        let every = interval.map_or(Every::Amount(amount.unwrap_or(f64::NAN)), Every::Interval);
        Ok(PyThroughputSampler { sampler: ThroughputSampler::new(gain, every).map_err(config_fault)? })
    }

    fn on_ack(&mut self, now: f64, acked: f64) -> PyResult<Option<f64>> {
        Ok(self.sampler.on_ack(NUMBERS.check("now", now)?, amount("amount", acked)?))
    }

    /// The samples of a series of ACKs, and at which of them they fell due.
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        times: PyReadonlyArray1<'py, f64>,
        amounts: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, Series<'py>)> {
        let (times, amounts) = (times.as_slice()?, amounts.as_slice()?);
        let (places, samples) = py.detach(|| {
            NUMBERS.check_all("times", times)?;
            for (i, &acked) in amounts.iter().enumerate() {
                amount(&format!("amounts[{i}]"), acked)?;
            }
            let (mut places, mut samples) = (Vec::new(), Vec::new());
            for (i, (&now, &acked)) in times.iter().zip(amounts).enumerate() {
                if let Some(sample) = self.sampler.on_ack(now, acked) {
                    places.push(i as i64);
                    samples.push(sample);
                }
            }
            PyResult::Ok((places, samples))
        })?;
        Ok((places.into_pyarray(py), samples.into_pyarray(py)))
    }

    fn set_interval(&mut self, seconds: f64) -> PyResult<()> {
        self.sampler.set_interval(seconds).map_err(config_fault)
    }

    fn restart(&mut self, now: f64) -> PyResult<()> {
        self.sampler.restart(NUMBERS.check("now", now)?);
        Ok(())
    }

    #[getter]
    fn value(&self) -> Option<f64> {
        self.sampler.value()
    }

    #[getter]
    fn unsmoothed(&self) -> Option<f64> {
        self.sampler.unsmoothed()
    }

    fn reset(&mut self) {
        self.sampler.reset();
    }
}

/// The capacity of a path from the dispersion of ACKs.
#[pyclass(name = "PacketPair", module = "parshall._core")]
#[derive(Clone, Serialize, Deserialize)]
struct PyPacketPair {
    pairs: PacketPair,
}

fn row(capacity: Capacity) -> (f64, u32, u16) {
    (capacity.packets_per_second, capacity.pairs, capacity.flags.bits())
}

/// Estimates by column: packets a second, pairs, flags.
type Estimates<'py> = (Series<'py>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

#[pymethods]
impl PyPacketPair {
    #[new]
    fn new(histogram: bool, width: f64, window: u32, stretch: f64) -> PyResult<Self> {
        let filter = if histogram { Filter::Histogram } else { Filter::Density };
        let settings = PacketPairSettings { filter, width, window, stretch };
        Ok(PyPacketPair { pairs: PacketPair::new(settings).map_err(config_fault)? })
    }

    /// Returns whether the ACK completed a pair.
    fn on_ack(&mut self, now: f64, sent_at: f64, packets: u32) -> PyResult<bool> {
        Ok(self.pairs.on_ack(NUMBERS.check("now", now)?, sent_at, packets))
    }

    /// The estimates after each of a series of ACKs; NaN, no pairs and no flags while there is none.
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        times: PyReadonlyArray1<'py, f64>,
        sent: PyReadonlyArray1<'py, f64>,
        packets: PyReadonlyArray1<'py, u32>,
    ) -> PyResult<Estimates<'py>> {
        let (times, sent, packets) = (times.as_slice()?, sent.as_slice()?, packets.as_slice()?);
        let (rates, pairs, flags) = py.detach(|| {
            NUMBERS.check_all("times", times)?;
            let (mut rates, mut pairs, mut flags) = (Vec::new(), Vec::new(), Vec::new());
            let mut latest = (f64::NAN, 0, 0);
            for ((&now, &sent_at), &packets) in times.iter().zip(sent).zip(packets) {
                if self.pairs.on_ack(now, sent_at, packets) {
                    latest = self.pairs.capacity().map_or(latest, row);
                }
                rates.push(latest.0);
                pairs.push(latest.1);
                flags.push(latest.2);
            }
            PyResult::Ok((rates, pairs, flags))
        })?;
        Ok((rates.into_pyarray(py), pairs.shown().into_pyarray(py), flags.shown().into_pyarray(py)))
    }

    fn capacity(&self) -> Option<(f64, u32, u16)> {
        self.pairs.capacity().map(row)
    }

    fn interrupt(&mut self) {
        self.pairs.interrupt();
    }

    fn reset(&mut self) {
        self.pairs.reset();
    }
}

copied!(PyThroughputSampler PyPacketPair);
