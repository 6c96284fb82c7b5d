//! Bindings of captures. `parshall.capture` is their face.

use std::fs::File;
use std::io::Read;
use std::sync::{Mutex, PoisonError};

use numpy::IntoPyArray;
use parshall_capture::analysis::{Analysis, Settings};
use parshall_capture::counters::Counters;
use parshall_capture::decode::decode;
use parshall_capture::filter::Filter;
use parshall_capture::histogram::Histogram;
use parshall_capture::packet::Endpoint;
use parshall_capture::passing::{Flow, Passed};
use parshall_capture::result::{Connection, Datagrams, Event, Rows, Sample, Totals, Way};
use parshall_capture::source::{Ending, Source, SourceError};
use parshall_capture::spin::{SpinSample, Spun};
use parshall_capture::traffic::Traffic;
use parshall_capture::unread::{Group, Unreads};
use parshall_sim::internal::shortage;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::estimators::fault;

/// Adds the class to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<CaptureReader>()
}

/// Reads a capture and analyses it, some frames at a time.
#[pyclass]
pub struct CaptureReader {
    /// Locked for the compiler alone: whatever uses it has the reader for itself.
    reading: Mutex<Reading>,
}

struct Reading {
    source: Source,
    analysis: Option<Analysis>,
}

/// Frames that are read between two looks at the memory that is left.
const LOOKING: u64 = 4096;

impl Reading {
    /// Makes room for what the next frames may add.
    fn make_room(&mut self) -> PyResult<()> {
        let Some(analysis) = &mut self.analysis else { return Ok(()) };
        let low = shortage(|| 0).map(|low| low.to_string());
        let low = low.or_else(|| analysis.try_reserve(LOOKING as usize).err().map(|error| error.to_string()));
        low.map_or(Ok(()), |reason| {
            let frames = self.source.frames();
            Err(PyMemoryError::new_err(format!("stopped at frame {frames} of the capture: {reason}")))
        })
    }

    /// Reads a frame; false at the end.
    fn next(&mut self) -> bool {
        let Reading { source, analysis: Some(analysis) } = self else { return false };
        source.next(&mut |frame| analysis.push(&decode(frame)))
    }
}

impl CaptureReader {
    fn reading(&mut self) -> &mut Reading {
        self.reading.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

fn opened(file: Option<&str>) -> std::io::Result<Box<dyn Read + Send>> {
    Ok(match file {
        Some(file) => Box::new(File::open(file)?),
        None => Box::new(std::io::stdin()),
    })
}

#[pymethods]
impl CaptureReader {
    #[new]
    fn new(
        py: Python<'_>,
        file: Option<&str>,
        filter: Option<&str>,
        nanoseconds: bool,
        most_flows: usize,
        keep_passed: bool,
    ) -> PyResult<Self> {
        let filter = filter
            .map(Filter::parse)
            .transpose()
            .map_err(|error| fault("filter", quoted(&error.word), error.expected))?;
        let source = py.detach(|| {
            opened(file).map_err(SourceError::Io).and_then(|inner| Source::new(inner, nanoseconds))
        });
        let source = source.map_err(|error| match error {
            SourceError::Io(error) => PyOSError::new_err((error.raw_os_error(), error.to_string())),
            SourceError::NotACapture => PyValueError::new_err("neither pcap nor pcapng"),
        })?;
        let analysis = Some(Analysis::new(Settings { most_flows, keep_passed, filter }));
        Ok(Self { reading: Mutex::new(Reading { source, analysis }) })
    }

    /// Reads up to so many frames; false at the end. Raises MemoryError when memory runs low.
    fn step(&mut self, py: Python<'_>, frames: u64) -> PyResult<bool> {
        let reading = self.reading();
        py.detach(|| {
            for at in 0..frames {
                if at % LOOKING == 0 {
                    reading.make_room()?;
                }
                if !reading.next() {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    #[getter]
    fn bytes_read(&mut self) -> u64 {
        self.reading().source.bytes_read()
    }

    #[getter]
    fn frames(&mut self) -> u64 {
        self.reading().source.frames()
    }

    #[getter]
    fn ending(&mut self) -> Option<&'static str> {
        self.reading().source.ending().map(|ending| match ending {
            Ending::Whole => "whole",
            Ending::Cut => "cut",
            Ending::Damaged => "damaged",
        })
    }

    /// Connections, retransmissions and timeouts so far.
    fn glance(&mut self) -> (usize, usize, usize) {
        self.reading().analysis.as_ref().map_or((0, 0, 0), Analysis::glance)
    }

    /// Rows that nothing can change any more, since the last call; those of samples only if they are wanted.
    fn rows<'py>(&mut self, py: Python<'py>, samples: bool) -> PyResult<Bound<'py, PyDict>> {
        let rows = self.reading().analysis.as_mut().map(Analysis::rows).unwrap_or_default();
        rows_dict(py, &rows, samples)
    }

    /// Ends connections and flows, so many at most, when all frames are read. False when all have ended.
    fn end(&mut self, py: Python<'_>, most: usize) -> bool {
        let reading = self.reading();
        py.detach(|| reading.analysis.as_mut().is_some_and(|analysis| analysis.end(most)))
    }

    /// Ends the analysis; returns the rows that were not asked for before, what the capture has, and its traffic.
    fn finish<'py>(&mut self, py: Python<'py>, samples: bool) -> PyResult<Bound<'py, PyDict>> {
        let analysis =
            self.reading().analysis.take().ok_or_else(|| PyValueError::new_err("finished already"))?;
        let found = py.detach(|| analysis.finish());
        let result = rows_dict(py, &found.rows, samples)?;
        result.set_item("totals", totals_dict(py, &found.totals, &found.unread)?)?;
        result.set_item("unread", unread_list(&found.unread))?;
        result.set_item("traffic", traffic_dict(py, &found.traffic)?)?;
        Ok(result)
    }
}

fn rows_dict<'py>(py: Python<'py>, rows: &Rows, samples: bool) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("connections", connections_dict(py, &rows.connections)?)?;
    result.set_item("events", events_dict(py, &rows.events)?)?;
    result.set_item("sample_count", rows.samples.len())?;
    result.set_item("samples", samples_dict(py, if samples { &rows.samples } else { &[] })?)?;
    result.set_item("datagrams", datagrams_dict(py, &rows.datagrams)?)?;
    result.set_item("spun", spun_dict(py, &rows.spun)?)?;
    result.set_item("passed", passed_dict(py, &rows.passed)?)?;
    Ok(result)
}

fn quoted(word: &str) -> String {
    if word.is_empty() {
        "the end".to_owned()
    } else {
        format!("{word:?}")
    }
}

/// Nanoseconds in seconds, as the nearest double.
fn seconds(time: i64) -> f64 {
    const SECOND: i64 = 1_000_000_000;
    // Up to 2^53 a double holds the number itself. Above, the fraction is finer than what it is added to by so much that the
    // sum is never rounded twice.
    if time.unsigned_abs() < 1 << 53 {
        return time as f64 / 1e9;
    }
    time.div_euclid(SECOND) as f64 + time.rem_euclid(SECOND) as f64 / 1e9
}

fn address(end: &Endpoint) -> String {
    let six = std::net::Ipv6Addr::from(end.address);
    six.to_ipv4_mapped().map_or_else(|| six.to_string(), |four| four.to_string())
}

macro_rules! columns {
    ($py:expr, $rows:expr, $row:ident => { $($name:literal: $value:expr),* $(,)? }) => {{
        let dict = PyDict::new($py);
        $(dict.set_item($name, $rows.iter().map(|$row| $value).collect::<Vec<_>>().into_pyarray($py))?;)*
        dict
    }};
}

macro_rules! lists {
    ($dict:expr, $rows:expr, $row:ident => { $($name:literal: $value:expr),* $(,)? }) => {
        $($dict.set_item($name, $rows.iter().map(|$row| $value).collect::<Vec<_>>())?;)*
    };
}

fn samples_dict<'py>(py: Python<'py>, samples: &[Sample]) -> PyResult<Bound<'py, PyDict>> {
    Ok(columns!(py, samples, s => {
        "time": seconds(s.time),
        "frame": s.frame as i64,
        "connection": s.connection as i32,
        "direction": s.way as u8 as i32,
        "half": s.half as u8 as i32,
        "method": s.method as u8 as i32,
        "rtt": seconds(s.rtt),
        "acked": i64::from(s.acked),
        "until": s.until as i64,
        "in_flight": i64::from(s.flight),
        "time_ns": s.time,
    }))
}

fn passed_dict<'py>(py: Python<'py>, passed: &[Passed]) -> PyResult<Bound<'py, PyDict>> {
    let of = |flow: &Flow| match flow {
        Flow::Tcp(number, way) => (i64::from(*number), *way as u8 as i32),
        Flow::Udp(number) => (i64::from(*number), -1),
    };
    Ok(columns!(py, passed, packet => {
        "time": seconds(packet.time),
        "frame": packet.frame as i64,
        // A connection's number and its direction; of UDP the flow's, and -1.
        "number": of(&packet.flow).0,
        "direction": of(&packet.flow).1,
        "marked": packet.marked,
        "time_ns": packet.time,
    }))
}

fn events_dict<'py>(py: Python<'py>, events: &[Event]) -> PyResult<Bound<'py, PyDict>> {
    let dict = columns!(py, events, e => {
        "time": seconds(e.time),
        "frame": e.frame as i64,
        "connection": e.connection as i32,
        "direction": e.way as u8 as i32,
        "network_copy": e.network_copy,
        "late": e.late,
        "captured_again": e.captured_again,
        "seq": e.seq as i64,
        "payload": i64::from(e.payload),
        "copy_before": e.copy_before.map_or(f64::NAN, seconds),
        "time_ns": e.time,
        // The least number is none.
        "copy_before_ns": e.copy_before.unwrap_or(i64::MIN),
        // As KINDS has them; -1 is none, or unknown.
        "kind": e.kind.map_or(-1, |kind| kind as u8 as i32),
        "needless": e.needless.map_or(-1, i32::from),
    });
    Ok(dict)
}

fn connections_dict<'py>(py: Python<'py>, rows: &[Connection]) -> PyResult<Bound<'py, PyDict>> {
    let dict = columns!(py, rows, c => {
        "connection": c.number as i32,
        "aport": i32::from(c.opener.port),
        "bport": i32::from(c.answerer.port),
        "start": seconds(c.start),
        "end": seconds(c.end),
        "handshake_receiver": c.handshake.map_or(f64::NAN, seconds),
        "handshake_sender": c.handshake_back.map_or(f64::NAN, seconds),
        "opened": c.opened,
        "closed": c.closed,
    });
    lists!(dict, rows, c => { "a": address(&c.opener), "b": address(&c.answerer) });
    for (way, letter) in [(Way::Forward, "f"), (Way::Back, "b")] {
        let at = way as usize;
        let mut counts = vec![Vec::with_capacity(rows.len()); Counters::NAMES.len()];
        for row in rows {
            for (column, value) in counts.iter_mut().zip(row.ways[at].tally.counters().values()) {
                column.push(value as i64);
            }
        }
        for (name, values) in Counters::NAMES.iter().zip(counts) {
            dict.set_item(format!("{name}_{letter}"), values.into_pyarray(py))?;
        }
        let limited: Vec<f64> = rows.iter().map(|row| seconds(row.ways[at].window_limited)).collect();
        dict.set_item(format!("window_limited_{letter}"), limited.into_pyarray(py))?;
        for method in ["seq", "ts"] {
            let histogram =
                |c: usize| if method == "seq" { &rows[c].ways[at].seq } else { &rows[c].ways[at].stamps };
            let counts: Vec<i64> = (0..rows.len()).map(|c| histogram(c).count() as i64).collect();
            dict.set_item(format!("rtt_{method}_samples_{letter}"), counts.into_pyarray(py))?;
            let least = |found: &Histogram| found.least().map(|least| least as f64);
            type Figure<'a> = (&'a str, &'a dyn Fn(&Histogram) -> Option<f64>);
            let figures: [Figure<'_>; 5] = [
                ("min", &least),
                ("p25", &|found| found.quantile(0.25)),
                ("p50", &|found| found.quantile(0.5)),
                ("p95", &|found| found.quantile(0.95)),
                ("max", &|found| found.most().map(|most| most as f64)),
            ];
            for (name, figure) in figures {
                let values: Vec<f64> = (0..rows.len())
                    .map(|c| figure(histogram(c)).map_or(f64::NAN, |value| value / 1e9))
                    .collect();
                dict.set_item(format!("rtt_{method}_{name}_{letter}"), values.into_pyarray(py))?;
            }
        }
    }
    dict.update(columns!(py, rows, c => { "start_ns": c.start, "end_ns": c.end }).as_mapping())?;
    Ok(dict)
}

fn spun_dict<'py>(py: Python<'py>, samples: &[SpinSample]) -> PyResult<Bound<'py, PyDict>> {
    Ok(columns!(py, samples, s => {
        "time": seconds(s.time),
        "frame": s.frame as i64,
        "flow": s.flow as i32,
        "span": s.span as u8 as i32,
        "rtt": seconds(s.rtt),
        "time_ns": s.time,
    }))
}

fn traffic_dict<'py>(py: Python<'py>, traffic: &Traffic) -> PyResult<Bound<'py, PyDict>> {
    let dict = columns!(py, traffic.counts(), count => {
        "packets": count.packets as i64,
        "bytes": count.bytes as i64,
    });
    let at = |index: usize| traffic.start() + index as i64 * traffic.interval();
    let times: Vec<i64> = (0..traffic.counts().len()).map(at).collect();
    let seconds: Vec<f64> = times.iter().copied().map(seconds).collect();
    dict.set_item("time", seconds.into_pyarray(py))?;
    dict.set_item("time_ns", times.into_pyarray(py))?;
    Ok(dict)
}

fn datagrams_dict<'py>(py: Python<'py>, rows: &[Datagrams]) -> PyResult<Bound<'py, PyDict>> {
    let dict = columns!(py, rows, flow => {
        "sport": i32::from(flow.source.port),
        "dport": i32::from(flow.destination.port),
        "start": seconds(flow.start),
        "end": seconds(flow.end),
        "packets": flow.packets as i64,
        "bytes": flow.bytes as i64,
        "flow": flow.number as i32,
        "spin_edges": flow.spin.as_ref().map_or(0, |spun| spun.edges() as i64),
    });
    for (name, part) in [("path", Spun::path as fn(&Spun) -> &Histogram), ("receiver", Spun::receiver)] {
        for (figure, at) in [("p50", 0.5), ("p95", 0.95)] {
            let values: Vec<f64> = rows
                .iter()
                .map(|flow| flow.spin.as_ref().and_then(|spun| part(spun).quantile(at)))
                .map(|value| value.map_or(f64::NAN, |value| value / 1e9))
                .collect();
            dict.set_item(format!("spin_{name}_{figure}"), values.into_pyarray(py))?;
        }
    }
    dict.update(columns!(py, rows, flow => { "start_ns": flow.start, "end_ns": flow.end }).as_mapping())?;
    lists!(dict, rows, flow => { "source": address(&flow.source), "destination": address(&flow.destination) });
    Ok(dict)
}

/// Frames that were not read: the group of the reason, its name, and their number.
fn unread_list(unread: &Unreads) -> Vec<(&'static str, String, u64)> {
    unread.iter().map(|(reason, count)| (reason.group().name(), reason.to_string(), count)).collect()
}

fn totals_dict<'py>(py: Python<'py>, totals: &Totals, unread: &Unreads) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in [
        ("frames", totals.frames),
        ("tcp", totals.tcp),
        ("udp", totals.udp),
        ("fragments", totals.fragments),
        ("lone_fragments", totals.lone_fragments),
        ("filtered", totals.filtered),
        ("nested", totals.nested),
        ("damaged", totals.damaged),
        ("options_cut", totals.options_cut),
        ("swapped", totals.swapped),
        ("overtaken", totals.overtaken),
        ("far_behind", totals.far_behind),
        ("steps_back", totals.steps_back),
        ("dropped_flows", totals.dropped_flows),
        ("shared_ends", totals.shared_ends),
    ] {
        dict.set_item(name, value)?;
    }
    for group in Group::ALL {
        dict.set_item(group.name(), unread.of(group))?;
    }
    Ok(dict)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    /// Compares with the parser of decimal numbers, which rounds correctly.
    #[test]
    fn seconds_are_the_nearest_double() {
        let mut drawn = 1_u64;
        for bits in (20..63).cycle().take(200_000) {
            drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let time = (drawn >> (64 - bits)) as i64;
            for time in [time, time / 1000 * 1000] {
                let text = format!("{}.{:09}", time / 1_000_000_000, time % 1_000_000_000);
                assert_eq!(Ok(seconds(time)), text.parse(), "{time}");
            }
        }
    }
}
