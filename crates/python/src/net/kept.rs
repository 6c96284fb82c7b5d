//! Datagrams under way: what Python gave, which need not be copied to come back.

use parshall_sim::net::{Content, Datagram};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::datagram::PyDatagram;

/// See the head of this file. The engine's datagrams have the places in this table as their tags.
#[derive(Debug, Default)]
pub struct Kept {
    given: Vec<Option<PyDatagram>>,
    free: Vec<usize>,
    /// True if a port writes a capture, for which the engine needs the bytes.
    captured: bool,
}

impl Kept {
    pub fn new(captured: bool) -> Self {
        Kept { captured, ..Kept::default() }
    }

    /// Keeps what was given; returns it as the engine's.
    ///
    /// # Errors
    /// If it should be an IP packet and is none, with the reason.
    pub fn keep(&mut self, py: Python<'_>, given: PyDatagram) -> Result<Datagram, String> {
        let datagram = given.for_engine(py, self.captured)?;
        let place = self.free.pop().unwrap_or(self.given.len());
        if place == self.given.len() {
            self.given.push(None);
        }
        self.given[place] = Some(given);
        Ok(datagram.with_tag(place as u64))
    }

    /// Gives up the datagram that was kept last, which was not sent.
    pub fn take_back(&mut self, tag: u64) {
        self.take(tag);
    }

    /// Returns what was given as this datagram of the engine's, with what has become of it on its way.
    pub fn returned(&mut self, py: Python<'_>, datagram: Datagram) -> Option<PyDatagram> {
        let mut given = self.take(datagram.tag())?;
        (given.ecn, given.dscp) = (datagram.ecn(), datagram.dscp());
        if let Content::Ip(packet) = datagram.content() {
            given.data = Some(PyBytes::new(py, packet).unbind());
        }
        Some(given)
    }

    fn take(&mut self, tag: u64) -> Option<PyDatagram> {
        let place = usize::try_from(tag).ok()?;
        let taken = self.given.get_mut(place)?.take();
        self.free.extend(taken.is_some().then_some(place));
        taken
    }
}
