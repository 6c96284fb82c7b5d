//! The control of one connection, as quinn sees it.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use parshall_control::units::Time;
use parshall_control::{AckKind, AckSample, AnyControl, Control, Loss, Silence, Start, Window};
use quinn_proto::congestion::{Controller, ControllerMetrics};
use quinn_proto::RttEstimator;

use crate::path::Path;

/// The least window, in packets (RFC 9002, section 7.2), and that after persistent congestion.
const LEAST_WINDOW: f64 = 2.0;

/// Packets that may leave at once where a rate was not used, or those of so many seconds: as many as quinn's own pacing lets go.
const BURST: f64 = 10.0;
const BURST_S: f64 = 0.002;

/// Bytes of the headers of UDP and IP, which quinn does not count.
const HEADER_BYTES: u16 = 28;

/// A control of one connection: a quinn `Controller`. [`crate::Controls`] makes it.
///
/// A clone is the same control. quinn clones it for a new path, whose window then goes on where the old one was.
#[derive(Clone, Debug)]
pub struct Adapter(Arc<Mutex<State>>);

impl Adapter {
    pub(crate) fn new(
        control: &Control,
        initial_window: f64,
        name: (u64, u64),
        now: Instant,
        mtu: u16,
    ) -> Self {
        Adapter(Arc::new(Mutex::new(State::new(control, initial_window, name, now, mtu))))
    }

    /// The window and the threshold of slow start, in packets.
    pub fn packets(&self) -> Window {
        self.state().window
    }

    /// The control itself.
    pub fn with_control<T>(&self, look: impl FnOnce(&AnyControl) -> T) -> T {
        look(&self.state().control)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state of a connection.
#[derive(Debug)]
struct State {
    control: AnyControl,
    window: Window,
    initial_window: f64,
    mtu: u16,
    /// The connection's time 0.
    began: Instant,
    path: Path,
    /// Bytes in flight at the last news, and what has left since.
    in_flight: u64,
    next_seq: i64,
    high_ack: i64,
    last_sent: Option<Time>,
    measured: bool,
    /// When the last reduction was: what left before has been answered.
    reduced_at: Option<Time>,
    /// Persistent congestion, and no ACK since.
    stopped: bool,
    batch: Batch,
    /// Packets that the control's rate lets go, and when that was.
    credit: f64,
    credited_at: Time,
}

/// Packets that are acknowledged at once.
#[derive(Clone, Copy, Debug, Default)]
struct Batch {
    bytes: u64,
    packets: u32,
    /// The first and the last of them to leave.
    sent: Option<(Time, Time)>,
}

impl State {
    fn new(
        control: &Control,
        initial_window: f64,
        (seed, number): (u64, u64),
        now: Instant,
        mtu: u16,
    ) -> Self {
        let mut window = Window { cwnd: initial_window, ssthresh: f64::INFINITY };
        let flow = format!("connection {number}");
        let packet_bytes = mtu.saturating_add(HEADER_BYTES);
        let start = Start { initial_window, seed, flow: &flow, packet_bytes };
        State {
            control: AnyControl::new(control, &start, &mut window),
            window,
            initial_window,
            mtu,
            began: now,
            path: Path::default(),
            in_flight: 0,
            next_seq: 0,
            high_ack: -1,
            last_sent: None,
            measured: false,
            reduced_at: None,
            stopped: false,
            batch: Batch::default(),
            credit: BURST,
            credited_at: Time::ZERO,
        }
    }

    fn time(&self, instant: Instant) -> Time {
        let since = instant.saturating_duration_since(self.began);
        Time::from_ps((since.as_nanos() as u64).saturating_mul(1000))
    }

    /// Wakes the control if it is time, and lets its rate add to what may leave.
    fn wake(&mut self, now: Time) {
        if let Some(rate) = self.control.pacing_rate() {
            let added = rate * now.since(self.credited_at.min(now)).secs();
            self.credit = (self.credit + added).min(BURST.max(rate * BURST_S));
        }
        self.credited_at = self.credited_at.max(now);
        if self.control.wake_at() <= now {
            self.control.on_timer(&mut self.window, now);
        }
    }

    fn packets(&self, bytes: u64) -> f64 {
        bytes as f64 / f64::from(self.mtu)
    }

    fn on_sent(&mut self, now: Time, bytes: u64, last_packet_number: u64) {
        self.wake(now);
        let idle = self.in_flight == 0;
        match self.last_sent {
            None => self.control.on_begin(&self.window, now, None),
            Some(last_sent) if idle => self.control.on_restart(&mut self.window, &Silence { now, last_sent }),
            Some(_) => {}
        }
        self.path.on_send(now, idle);
        self.last_sent = Some(now);
        self.in_flight += bytes;
        self.credit -= self.packets(bytes);
        // Each of the first spaces of packet numbers begins anew, with a few of them.
        self.next_seq = self.next_seq.max(last_packet_number as i64 + 1);
    }

    fn on_ack(&mut self, sent: Time, bytes: u64) {
        self.path.on_ack(sent);
        let (first, last) = self.batch.sent.unwrap_or((sent, sent));
        let sent = Some((first.min(sent), last.max(sent)));
        self.batch = Batch { bytes: self.batch.bytes + bytes, packets: self.batch.packets + 1, sent };
    }

    fn on_end_acks(&mut self, now: Time, in_flight: u64, app_limited: bool, largest: Option<u64>) {
        self.wake(now);
        self.in_flight = in_flight;
        let Batch { bytes, packets, sent } = std::mem::take(&mut self.batch);
        let Some((first, last)) = sent else { return };
        self.stopped = false;
        let largest = largest.map_or(-1, |largest| largest as i64);
        self.high_ack = self.high_ack.max(largest.min(self.next_seq - 1));
        let measured = self.path.on_end(now);
        if !std::mem::replace(&mut self.measured, true) {
            self.control.on_begin(&self.window, now, measured.map(|_| self.path.srtt));
        }
        let flying = self.packets(in_flight).round() as i64;
        if app_limited {
            self.path.note_limited(flying);
        }
        let in_recovery = self.reduced_at.is_some_and(|reduced_at| last <= reduced_at);
        let path = self.path.take(flying, in_recovery, now);
        let growth = self.packets(bytes).min(f64::from(packets));
        let ack = AckSample {
            echo: first,
            kind: if in_recovery { AckKind::Partial } else { AckKind::New },
            growth,
            slow_start: growth,
            window_limited: !app_limited,
            may_grow: !(in_recovery || app_limited),
            path: Some(&path),
            ..AckSample::new(now, last, packets, self.high_ack, self.next_seq)
        };
        self.control.on_ack(&mut self.window, || ack);
    }

    /// Packets are lost, the last of which left at `sent`, or without `lost` bytes they are marked.
    fn on_congestion(&mut self, now: Time, sent: Time, persistent: bool, lost: u64) {
        self.wake(now);
        let in_use = self.packets(self.in_flight).min(self.window.cwnd).max(1.0);
        let loss = Loss { now, in_use };
        self.in_flight = self.in_flight.saturating_sub(lost);
        self.path.on_loss(self.packets(lost).ceil() as u32);
        if persistent {
            return self.stop(&loss);
        }
        if self.reduced_at.is_some_and(|reduced_at| sent <= reduced_at) {
            return;
        }
        self.reduced_at = Some(now);
        let target = match lost {
            0 => self.control.after_mark(&self.window, &loss),
            _ => self.control.after_loss(&self.window, &loss),
        };
        self.window.ssthresh = target.max(LEAST_WINDOW);
        self.window.cwnd = self.window.ssthresh;
    }

    /// Persistent congestion: all that was in flight is taken for lost.
    fn stop(&mut self, loss: &Loss) {
        if !std::mem::replace(&mut self.stopped, true) {
            self.window.ssthresh = self.control.after_timeout(&self.window, loss).max(LEAST_WINDOW);
        }
        self.control.on_timeout(loss);
        self.window.cwnd = LEAST_WINDOW;
        // RFC 9002, section 7.6.2: what is lost next counts anew.
        self.reduced_at = None;
    }

    /// The window that quinn may use, in bytes: it sends while one packet more stays below it. Where the control has a rate, the
    /// window is no more than what is in flight and what that rate lets go. Two packets always fit: their ACKs are the only clock.
    fn bytes(&self) -> u64 {
        let mut packets = self.window.cwnd.floor();
        if self.control.pacing_rate().is_some() {
            packets = packets.min(self.packets(self.in_flight) + self.credit.max(0.0));
        }
        (packets.max(LEAST_WINDOW) * f64::from(self.mtu)) as u64 + 1
    }
}

impl Controller for Adapter {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        let mut state = self.state();
        let now = state.time(now);
        state.on_sent(now, bytes, last_packet_number);
    }

    fn on_ack(&mut self, _: Instant, sent: Instant, bytes: u64, _: bool, _: &RttEstimator) {
        let mut state = self.state();
        let sent = state.time(sent);
        state.on_ack(sent, bytes);
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        in_flight: u64,
        app_limited: bool,
        largest_packet_num_acked: Option<u64>,
    ) {
        let mut state = self.state();
        let now = state.time(now);
        state.on_end_acks(now, in_flight, app_limited, largest_packet_num_acked);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        let mut state = self.state();
        let (now, sent) = (state.time(now), state.time(sent));
        state.on_congestion(now, sent, is_persistent_congestion, lost_bytes);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.state().mtu = new_mtu;
    }

    fn window(&self) -> u64 {
        self.state().bytes()
    }

    fn metrics(&self) -> ControllerMetrics {
        let state = self.state();
        let rate = state.control.pacing_rate().map(|rate| (8.0 * rate * f64::from(state.mtu)) as u64);
        let ssthresh = state.window.ssthresh;
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = state.bytes();
        metrics.ssthresh = ssthresh.is_finite().then(|| (ssthresh * f64::from(state.mtu)) as u64);
        metrics.pacing_rate = rate;
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        let state = self.state();
        (state.initial_window * f64::from(state.mtu)) as u64
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

#[cfg(test)]
mod tests;
