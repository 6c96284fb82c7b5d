//! A finished run, and the quantities that assertions look at.

use parshall_sim::net::{EndpointId, Network, NetworkError, Trace, TraceEntry, TraceEvent};
use parshall_sim::scenario::Flow;
use parshall_sim::units::Time;
use parshall_sim::Recording;

use crate::checks::Checks;
use crate::path::Path;
use crate::Marks;

/// All that is known of a network before it runs.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub name: String,
    pub seed: u64,
    pub upload: bool,
    pub base_rtt: Time,
    pub path: Path,
    pub warm_up: Time,
    pub cross: Vec<Flow>,
}

/// A finished run. Its assertions, [`Report::goodput_at_least`] and others, panic with one message that says what was expected,
/// what came out, how to run it again, where the picture is, and which packets were there at the worst instant. [`Report::check`]
/// has the same assertions as results.
///
/// Goodput, delays and shares count from the scenario's warm-up to the end of the run, in the direction that is measured: towards the
/// client, unless [`Kit::upload`](crate::Kit::upload) was called.
#[derive(Debug)]
pub struct Report {
    pub(crate) setting: Setting,
    /// The endpoint that sends what is measured, and the one that receives it.
    pub(crate) ends: [EndpointId; 2],
    end: Time,
    trace: Trace,
    recording: Recording,
    marks: Option<Marks>,
}

/// Time in queues of one datagram that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delay {
    /// When it arrived.
    pub at: Time,
    /// By how much later than over empty queues.
    pub queueing: Time,
}

impl Report {
    pub(crate) fn of(
        network: Network,
        ends: [EndpointId; 2],
        setting: Setting,
    ) -> Result<Self, NetworkError> {
        let trace = network.trace().cloned().unwrap_or_default();
        let end = network.now();
        Ok(Report { setting, ends, end, trace, recording: network.finish()?, marks: None })
    }

    /// The report with what the stack says of itself, that of both endpoints joined.
    #[must_use]
    pub fn with_marks(mut self, marks: Marks) -> Self {
        self.marks = Some(marks);
        self
    }

    /// The assertions as results, for those who do not want a panic.
    pub fn check(&self) -> Checks<'_> {
        Checks::of(self)
    }

    /// The name of the network.
    pub fn name(&self) -> &str {
        &self.setting.name
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.setting.seed
    }

    /// The instants between which goodput, delays and shares count.
    pub fn span(&self) -> (Time, Time) {
        (self.setting.warm_up.min(self.end), self.end)
    }

    /// All datagrams of the two endpoints.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Everything that the simulator recorded.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// The statements of the stack about itself, if it made any.
    pub fn marks(&self) -> Option<&Marks> {
        self.marks.as_ref()
    }

    /// Bits a second that reached the application; of the payload of datagrams, if the stack does not say.
    pub fn goodput(&self) -> f64 {
        let (from, to) = self.span();
        let within = self.deliveries().into_iter().filter(|(at, _)| (from..=to).contains(at));
        let bytes: u64 = within.map(|(_, bytes)| bytes).sum();
        rate(8.0 * bytes as f64, from, to)
    }

    /// Bits a second that the bottleneck can carry.
    pub fn link_rate(&self) -> f64 {
        let (from, to) = self.span();
        rate(self.setting.path.bits_between(from, to), from, to)
    }

    /// Goodput as a share of what the bottleneck can carry, where headers count: 1452 bytes of payload in a packet of 1500 are
    /// 0.968 of it at most. Outages are left out of what it can carry.
    pub fn share_of_link(&self) -> f64 {
        self.goodput() / self.link_rate()
    }

    /// The queueing delays of all datagrams that arrived, in order of arrival: jitter and the wait for a recorded capacity count as
    /// queueing.
    pub fn delays(&self) -> Vec<Delay> {
        let (from, _) = self.span();
        let delay = |entry: &TraceEntry| Delay { at: entry.at, queueing: self.queueing(entry) };
        self.arrivals().filter(|entry| entry.at >= from).map(delay).collect()
    }

    /// A quantile of the queueing delays; none if nothing arrived.
    pub fn delay_quantile(&self, quantile: f64) -> Option<Time> {
        let mut delays: Vec<_> = self.delays().into_iter().map(|delay| delay.queueing).collect();
        delays.sort_unstable();
        let place = (quantile.clamp(0.0, 1.0) * delays.len() as f64).ceil() as usize;
        delays.get(place.saturating_sub(1)).copied()
    }

    /// Bits a second of data that the cross traffic delivered, of all its flows together; none without cross traffic.
    pub fn cross_goodput(&self) -> Option<f64> {
        let delivered = self.recording.table("flows").ok()?.u64("bytes_delivered").ok()?;
        let (from, to) = self.span();
        let flows = self.setting.cross.iter();
        let bytes: u64 = flows.filter_map(|flow| delivered.get(self.recording.flow(&flow.name)?)).sum();
        (!self.setting.cross.is_empty()).then(|| rate(8.0 * bytes as f64, from, to))
    }

    /// Datagrams that were lost on the way, in both directions.
    pub fn drops(&self) -> impl Iterator<Item = &TraceEntry> {
        self.trace.entries().iter().filter(|entry| matches!(entry.event, TraceEvent::Dropped(_)))
    }

    /// Arrivals of what is measured.
    pub(crate) fn arrivals(&self) -> impl Iterator<Item = &TraceEntry> {
        let arrived = |entry: &&TraceEntry| entry.event == TraceEvent::Received;
        self.trace.entries().iter().filter(arrived).filter(|entry| entry.endpoint == self.ends[1])
    }

    /// Bytes that reached the application, each with the instant.
    pub(crate) fn deliveries(&self) -> Vec<(Time, u64)> {
        match &self.marks {
            Some(marks) if !marks.delivered().is_empty() => marks.delivered().to_vec(),
            _ => self.arrivals().map(|entry| (entry.at, u64::from(entry.payload_bytes))).collect(),
        }
    }

    /// Time that a datagram which arrives spent in queues.
    pub(crate) fn queueing(&self, entry: &TraceEntry) -> Time {
        let base = self.setting.path.base_delay(entry.at, entry.wire_bytes);
        entry.at.since(entry.sent_at).since(base)
    }
}

/// Units a second between two instants; 0 if there is no time between them.
fn rate(units: f64, from: Time, to: Time) -> f64 {
    let seconds = to.since(from).secs();
    if seconds > 0.0 {
        units / seconds
    } else {
        0.0
    }
}
