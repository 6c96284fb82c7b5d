//! Datagrams as Python sees them.

use std::fmt::Display;

use parshall_sim::net::{Datagram, Ecn};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList};

use super::arguments::{self, Headers};
use super::fault::refused;

/// Bytes of an IPv4 and a UDP header.
const UDP_HEADERS: usize = 28;

/// A datagram: its bytes, or a size alone, and what queues and routers see of it.
#[pyclass(frozen, name = "Datagram", module = "parshall._core")]
#[derive(Debug)]
pub struct PyDatagram {
    pub data: Option<Py<PyBytes>>,
    /// Bytes on the wire, headers included.
    #[pyo3(get)]
    pub wire_bytes: u32,
    /// Bytes that count as delivered when it arrives.
    #[pyo3(get)]
    pub payload_bytes: u32,
    pub ecn: Ecn,
    /// Its code point of differentiated services.
    #[pyo3(get)]
    pub dscp: u8,
    /// Its key, if it has one of its own.
    #[pyo3(get)]
    pub key: Option<u64>,
    /// The caller's number.
    #[pyo3(get)]
    pub tag: u64,
    /// True if its bytes are a whole IP packet.
    #[pyo3(get)]
    pub ip: bool,
}

impl PyDatagram {
    /// A datagram of bytes or of a size.
    pub fn of(place: &dyn Display, data: &Bound<'_, PyAny>, headers: &Headers<'_, '_>) -> PyResult<Self> {
        let ecn = headers.ecn.map_or(Ok(None), |given| arguments::ecn(place, given).map(Some))?;
        let dscp = headers.dscp.map_or(Ok(None), |given| {
            arguments::whole(place, "dscp", given, 0, 63).map(|dscp| Some(dscp as u8))
        })?;
        let key = headers
            .key
            .map_or(Ok(None), |given| arguments::whole(place, "key", given, 0, u64::MAX).map(Some))?;
        let tag = headers.tag.map_or(Ok(0), |given| arguments::whole(place, "tag", given, 0, u64::MAX))?;
        let content = arguments::content(place, data, headers.ip)?;
        let mut datagram = PyDatagram {
            data: None,
            wire_bytes: 0,
            payload_bytes: 0,
            ecn: ecn.unwrap_or_default(),
            dscp: dscp.unwrap_or_default(),
            key,
            tag,
            ip: headers.ip,
        };
        match content {
            arguments::Content::Size(bytes) => {
                (datagram.wire_bytes, datagram.payload_bytes) = (bytes, bytes);
            }
            arguments::Content::Bytes(bytes) if headers.ip => {
                let packet =
                    Datagram::ip(bytes.as_bytes()).map_err(|reason| refused(bytes.py(), place, &reason))?;
                (datagram.wire_bytes, datagram.payload_bytes) = (packet.wire_bytes(), packet.payload_bytes());
                datagram.ecn = ecn.unwrap_or(packet.ecn());
                datagram.dscp = dscp.unwrap_or(packet.dscp());
                datagram.key = key.or(packet.key());
                datagram.data = Some(bytes.unbind());
            }
            arguments::Content::Bytes(bytes) => {
                let payload = bytes.as_bytes().len();
                datagram.payload_bytes = u32::try_from(payload).unwrap_or(u32::MAX);
                datagram.wire_bytes = u32::try_from(payload + UDP_HEADERS).unwrap_or(u32::MAX);
                datagram.data = Some(bytes.unbind());
            }
        }
        Ok(datagram)
    }

    /// The datagram as the engine's. It has the bytes only if somebody looks at them on the way.
    ///
    /// # Errors
    /// If it should be an IP packet and is none, with the reason.
    pub fn for_engine(&self, py: Python<'_>, captured: bool) -> Result<Datagram, String> {
        let datagram = match &self.data {
            Some(data) if self.ip => Datagram::ip(data.as_bytes(py))?,
            Some(data) if captured => Datagram::udp(data.as_bytes(py)),
            _ => Datagram::sized(self.wire_bytes),
        };
        let datagram = datagram
            .with_wire_bytes(self.wire_bytes)
            .with_payload_bytes(self.payload_bytes)
            .with_ecn(self.ecn)
            .with_dscp(self.dscp);
        Ok(self.key.map_or(datagram.clone(), |key| datagram.with_key(key)))
    }

    pub fn clone_ref(&self, py: Python<'_>) -> Self {
        PyDatagram { data: self.data.as_ref().map(|data| data.clone_ref(py)), ..*self }
    }

    /// Its size and its code point of ECN, for a line.
    pub fn shown(&self) -> String {
        format!("{} bytes, {}", self.wire_bytes, arguments::ecn_name(self.ecn))
    }
}

#[pymethods]
impl PyDatagram {
    #[new]
    #[pyo3(signature = (data, *, ecn=None, dscp=None, key=None, tag=None, ip=false, wire_bytes=None, payload_bytes=None))]
    #[allow(clippy::too_many_arguments)] // as keywords
    fn new(
        data: &Bound<'_, PyAny>,
        ecn: Option<&Bound<'_, PyAny>>,
        dscp: Option<&Bound<'_, PyAny>>,
        key: Option<&Bound<'_, PyAny>>,
        tag: Option<&Bound<'_, PyAny>>,
        ip: bool,
        wire_bytes: Option<&Bound<'_, PyAny>>,
        payload_bytes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let place = &"Datagram";
        let mut datagram = PyDatagram::of(place, data, &Headers { ecn, dscp, key, tag, ip })?;
        for (name, given, bytes) in [
            ("wire_bytes", wire_bytes, &mut datagram.wire_bytes),
            ("payload_bytes", payload_bytes, &mut datagram.payload_bytes),
        ] {
            if let Some(given) = given {
                *bytes = arguments::whole(place, name, given, 0, u32::MAX.into())? as u32;
            }
        }
        Ok(datagram)
    }

    /// Its bytes; none if it is only a size.
    #[getter]
    pub fn data(&self, py: Python<'_>) -> Py<PyBytes> {
        self.data.as_ref().map_or_else(|| PyBytes::new(py, &[]).unbind(), |data| data.clone_ref(py))
    }

    /// Its code point of ECN; that of an arrival is the one with which it arrives.
    #[getter(ecn)]
    pub fn ecn_point<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        ecn_of(py, self.ecn)
    }

    fn __repr__(&self) -> String {
        format!("<Datagram {}>", self.shown())
    }
}

/// A code point as the enumeration of `parshall.sim` has it.
pub fn ecn_of(py: Python<'_>, ecn: Ecn) -> PyResult<Bound<'_, PyAny>> {
    static POINTS: PyOnceLock<Py<PyList>> = PyOnceLock::new();
    let points = POINTS.get_or_try_init(py, || {
        let class = py.import("parshall.sim.ecn")?.getattr("Ecn")?;
        let points = (0..4).map(|bits| class.call1((bits,))).collect::<PyResult<Vec<_>>>()?;
        Ok::<_, PyErr>(PyList::new(py, points)?.unbind())
    })?;
    points.bind(py).get_item(ecn.bits().into())
}
