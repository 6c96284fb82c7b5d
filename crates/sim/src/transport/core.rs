//! State of every TCP sender, whatever its recovery: sequence numbers, window, timed packet, timer.

mod frto;
mod idle;
mod reductions;
mod timing;
mod undo;
mod usage;

pub use usage::Usage;

use std::borrow::Borrow;
use std::sync::Arc;

use parshall_estimators::rto::{AnyRto, RtoConfig, RtoEstimator, RtoRules, RtoTimer};

use super::ack_outcome::AckOutcome;
use super::extra::{Extra, Leaving};
use super::losses::Losses;
use super::path::Path;
use super::{Ack, Clock, Outbox, TcpOptions};
use crate::control::{AckKind, AckSample, AnyControl, Loss, PathSample, Start, Window};
use crate::packet::ecn;
use crate::pulse::{Pulse, Watched};
use crate::room::{self, Room};
use crate::run::RunError;
use crate::scenario::{BackoffReset, FastRetransmitGuard, ReduceFrom, RttSampling};
use crate::units::Time;

/// In place of a packet that is timed.
const UNTIMED: (i64, Time) = (-1, Time::ZERO);

/// Counters of a sender. Packet numbers have 32 bits, and so have these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounters {
    /// Packets sent, a SYN and retransmissions included.
    pub packets_sent: u32,
    /// Packets sent again.
    pub packets_retransmitted: u32,
    /// ACKs that arrived.
    pub acks_received: u32,
    /// Expiries of the timer with packets in flight.
    pub timeouts: u32,
    /// Timeouts that the ACK which came next proved needless; see [`Core::judge_timeouts`].
    pub spurious_timeouts: u32,
    /// Time spent waiting for the other timeouts, in picoseconds.
    pub timeout_wait_ps: u64,
    /// Fast retransmits.
    pub fast_retransmits: u32,
    /// Reductions of the window that marks caused.
    pub mark_reductions: u32,
    /// RTT samples.
    pub rtt_samples: u32,
}

/// The rules of a timer, which all flows with the same options share.
#[derive(Clone, Debug)]
pub struct Rules(Arc<TcpOptions>);

impl Borrow<RtoRules> for Rules {
    #[inline]
    fn borrow(&self) -> &RtoRules {
        &self.0.rto_rules
    }
}

/// The state that all senders share. Packets are numbered from 0.
#[derive(Debug)]
pub struct Core {
    /// Options, shared by all flows that have the same.
    pub options: Arc<TcpOptions>,
    /// Next packet to send.
    pub next_seq: i64,
    /// Highest packet sent, -1 before the first.
    pub max_seq: i64,
    /// Highest packet acknowledged, -1 before the first.
    pub high_ack: i64,
    /// Packets that the application has made available.
    pub limit: i64,
    /// Congestion window and threshold.
    pub window: Window,
    /// Duplicate ACKs in a row.
    pub dupacks: u32,
    /// Highest packet sent when the window was last reduced.
    pub recover: i64,
    /// True if a packet sent with nothing in flight restarts a timer that runs.
    pub restart_idle_timer: bool,
    extra: Option<Box<Extra>>,
    /// True if pacing held a packet back at the last attempt to send.
    held_back: bool,
    /// Counters of the sender.
    pub counters: SenderCounters,
    /// The last RTT sample, in seconds; NaN before the first.
    pub last_rtt: f64,
    control: AnyControl<Watched>,
    /// Marks on packets up to this one have been answered.
    mark_answered: i64,
    /// The next new packet says that the window has been reduced.
    announce_reduction: bool,
    /// SYNs that the timer took for lost.
    lost_syns: u8,
    /// A loss within the initial window: after a silence no more than four packets go at once.
    lost_early: bool,
    /// The packet that is timed, -1 for none, and when it was sent. Where all are, its ACK ends a round trip of samples.
    timed: (i64, Time),
    timer: RtoTimer<AnyRto, Rules>,
    /// Timeout of the timer; it changes less often than it is needed.
    timeout: Time,
    timer_started: Time,
    deadline: Time,
    last_sent: Time,
    clock_phase: Time,
    losses: Option<Box<Losses>>,
    /// True if there are timeouts that the next ACK of new data judges.
    judges: bool,
    /// True if the caller's own parts are informed of the time.
    pub tells_time: bool,
}

impl Core {
    /// A sender that has sent nothing. `phase` is that of its clock; `seed` and `flow` name its random numbers.
    pub fn new(options: Arc<TcpOptions>, phase: Time, seed: u64, flow: &str) -> Self {
        let packet_bytes = options.data_bytes;
        let start = Start { initial_window: options.initial_window, seed, flow, packet_bytes };
        let mut window = Window {
            cwnd: if options.handshake { 1.0 } else { options.initial_window },
            ssthresh: options.initial_ssthresh,
        };
        let control = AnyControl::new(&options.control, &start, &mut window);
        let mut core = Core {
            next_seq: 0,
            max_seq: -1,
            high_ack: -1,
            limit: 0,
            window,
            dupacks: 0,
            recover: match options.fast_retransmit_guard {
                FastRetransmitGuard::RecoverOrFirst => 0,
                // Below anything that can be acknowledged: the first packet may be lost too.
                _ => -2,
            },
            restart_idle_timer: true,
            extra: Extra::new(&options),
            held_back: false,
            counters: SenderCounters::default(),
            last_rtt: f64::NAN,
            control,
            mark_answered: -2,
            announce_reduction: false,
            lost_syns: 0,
            lost_early: false,
            timed: UNTIMED,
            timer: RtoTimer::new(timeouts(&options.rto), Rules(options.clone())),
            timer_started: Time::ZERO,
            deadline: Time::NEVER,
            last_sent: Time::ZERO,
            clock_phase: phase,
            losses: None,
            judges: false,
            tells_time: false,
            timeout: Time::NEVER,
            options,
        };
        core.timer_changed();
        core
    }

    /// Packets sent and not acknowledged, as far as the sender knows.
    pub fn in_flight(&self) -> i64 {
        self.max_seq - self.high_ack
    }

    /// Expiry of the retransmission timer; [`Time::NEVER`] when it does not run.
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// Time of the last packet sent; the start of the run before the first.
    pub fn last_sent(&self) -> Time {
        self.last_sent
    }

    /// The RTO with its rules.
    pub fn timer(&self) -> &RtoTimer<AnyRto, Rules> {
        &self.timer
    }

    /// Tells parts of the caller's own, which do not know it, what time it is.
    #[inline]
    pub fn tell_time(&self, now: Time) {
        if self.tells_time {
            Pulse::own().tell_time(now);
        }
    }

    /// cwnd as far as the receiver's window lets it be used.
    fn usable_window(&self) -> f64 {
        self.window.cwnd.min(self.options.max_window)
    }

    /// Sends what the window, inflated by `inflation` packets, and the application allow, at most `burst` packets.
    pub fn send_window(&mut self, now: Time, inflation: i64, burst: u32, out: &mut Outbox) {
        // [RFC 5681 2-a] [RFC 5681 3-a] [RFC 9406 3-a]
        let window = (self.window.cwnd as i64 + inflation).min(self.options.max_window as i64);
        let last = (self.high_ack + window).min(self.limit - 1);
        let mut left = burst;
        while self.next_seq <= last && left > 0 && self.pace_allows(now) {
            self.send(self.next_seq, now, out);
            self.next_seq += 1;
            left -= 1;
        }
    }

    /// Returns whether pacing lets a packet go at `now`; if not, [`Core::wake_deadline`] says when to ask
    /// again.
    pub fn pace_allows(&mut self, now: Time) -> bool {
        self.held_back = self.extra.as_ref().is_some_and(|extra| !extra.allows(now));
        !self.held_back
    }

    /// A new attempt to send starts: nothing is held back yet.
    pub fn forget_held_back(&mut self) {
        self.held_back = false;
    }

    /// Time at which a packet that pacing holds back may leave, or the control wants to be woken; [`Time::NEVER`] for neither.
    pub fn wake_deadline(&self) -> Time {
        match &self.extra {
            None => Time::NEVER,
            Some(extra) if self.held_back => extra.pacer.next().min(self.control.wake_at()),
            Some(_) => self.control.wake_at(),
        }
    }

    /// Wakes the control if it is time.
    pub fn wake_control(&mut self, now: Time) {
        if self.control.wake_at() <= now {
            self.control.on_timer(&mut self.window, now);
            debug_assert!(self.control.wake_at() > now, "a timer is set to a time to come");
        }
    }

    /// RFC 3042: one new packet on a duplicate ACK below the threshold.
    pub fn limited_transmit(&mut self, now: Time, out: &mut Outbox) {
        // [RFC 5681 3.2-d] [RFC 5681 3.2-e]
        let next = self.next_seq as f64;
        let base = self.high_ack as f64;
        let allowed = next <= base + self.options.max_window
            && next <= base + self.window.cwnd + f64::from(self.dupacks)
            && self.next_seq < self.limit;
        if self.options.limited_transmit && allowed {
            self.send(self.next_seq, now, out);
            self.next_seq += 1;
        }
    }

    /// Sends packet `seq`, new or again.
    pub fn send(&mut self, seq: i64, now: Time, out: &mut Outbox) {
        let flags = self.ecn_flags(seq);
        let fresh = self.high_ack == self.max_seq && self.restart_idle_timer;
        let again = seq <= self.max_seq;
        if !again {
            self.max_seq = seq;
            // [RFC 6298 3-c]
            if self.timed == UNTIMED {
                self.timed = (seq, now);
            }
        } else {
            self.counters.packets_retransmitted += 1;
            if let Some(losses) = &mut self.losses {
                losses.on_repair();
            }
        }
        self.count_sent(now);
        self.last_sent = now;
        if self.extra.is_some() {
            self.note_sent(seq, again, now);
        }
        out.packets.add((seq as u32, flags), "packets sent at once");
        if self.deadline == Time::NEVER || fresh {
            self.restart_timer(now);
        }
    }

    /// Packet `seq` is sent again, so that its ACK says nothing of a round trip (Karn; RFC 6298, section 3).
    pub fn forget_time_of(&mut self, seq: i64) {
        // [RFC 6298 3-a] [RFC 6298 3-b]
        if self.timed.0 == seq {
            self.forget_time();
        }
    }

    /// The ACK of the packet that is timed may be late for another reason than its way.
    fn forget_time(&mut self) {
        if self.options.rtt_sampling == RttSampling::OnePacket {
            self.timed = UNTIMED;
        }
    }

    #[inline(never)]
    fn note_sent(&mut self, seq: i64, again: bool, now: Time) {
        if let Some(extra) = &mut self.extra {
            let packet = Leaving { seq, first: self.high_ack + 1, again, now };
            let srtt = self.timer.estimator().srtt();
            extra.on_send(packet, self.control.pacing_rate(), srtt, &self.window);
        }
    }

    /// New data can be marked; a SYN and retransmissions cannot (RFC 3168, sections 6.1.1 and 6.1.5). Where receivers
    /// report each mark, retransmissions can: behind a threshold they would all be dropped, and the sender would wait for
    /// its timer (RFC 8311, section 4.3, allows it).
    fn ecn_flags(&mut self, seq: i64) -> u8 {
        let syn = self.options.handshake && seq == 0;
        let again = seq <= self.max_seq;
        if !self.options.ecn || syn || (again && !self.options.exact_echo) {
            return 0;
        }
        let announced = if std::mem::take(&mut self.announce_reduction) { ecn::REDUCED } else { 0 };
        ecn::CAPABLE | announced
    }

    /// Takes note of an ACK of new data.
    pub fn advance(&mut self, ack: &Ack, now: Time) -> AckOutcome {
        self.advance_from(ack, ack.echo, now)
    }

    /// Advances to an ACK of new data where all packets are timed and the measured round trip began at
    /// `sent`.
    pub fn advance_from(&mut self, ack: &Ack, sent: Time, now: Time) -> AckOutcome {
        let outcome = self.advance_partial(ack);
        self.take_sample(ack.high, sent, now);
        self.rearm(now);
        AckOutcome { kind: AckKind::New, ..outcome }
    }

    /// The part of [`Core::advance`] that a partial ACK has too: no sample, no timer.
    pub fn advance_partial(&mut self, ack: &Ack) -> AckOutcome {
        self.judge_timeouts(ack.echo);
        let window_limited = self.window_limits();
        let packets = ack.high - self.high_ack;
        self.high_ack = ack.high;
        self.next_seq = self.next_seq.max(ack.high + 1);
        AckOutcome { kind: AckKind::Partial, packets, fresh: packets, window_limited, repaired: false }
    }

    /// Returns whether a clock, and not ACKs alone, lets packets go.
    #[inline]
    pub fn is_paced(&self) -> bool {
        self.extra.as_ref().is_some_and(|extra| extra.paces)
    }

    /// Updates the path measurement, before recovery sees the ACK.
    pub fn measure_path(&mut self, ack: &Ack, now: Time) {
        let (reports, timed) = (self.options.sack, self.high_ack >= 0 || !self.options.handshake);
        let before = self.high_ack;
        let Some(extra) = self.extra.as_mut() else { return };
        let sent = extra.times.as_ref().filter(|_| ack.high > before);
        let sent = sent.map_or(ack.echo, |times| times.last_sent(ack.high, ack.echo));
        if let Some(path) = &mut extra.path {
            path.on_ack(ack, reports, timed.then_some(sent), now);
        }
    }

    /// Returns the path sample for the control; recovery takes packets below `lost_below` for lost.
    pub fn path_sample(&mut self, lost_below: i64, in_recovery: bool, now: Time) -> Option<PathSample> {
        let srtt = self.timer.estimator().srtt();
        let extra = self.extra.as_mut()?;
        let held_for = extra.pacer.next().since(now).secs();
        let path = extra.path.as_mut()?;
        path.lose_below(lost_below);
        Some(path.sample(srtt, in_recovery, held_for, now))
    }

    /// Counts a packet that is sent. A flow has as many as its numbers have values; with more, it would wait for ever
    /// for the ACK of one that it takes for another.
    #[inline]
    fn count_sent(&mut self, now: Time) {
        match self.counters.packets_sent.checked_add(1) {
            Some(sent) => self.counters.packets_sent = sent,
            None => Core::end_run_for_want_of_numbers(now),
        }
    }

    #[cold]
    fn end_run_for_want_of_numbers(now: Time) -> ! {
        let message =
            format!("stopped at {} s: a TCP flow has sent 2^32 packets, the most that it can", now.secs());
        RunError::TooMany(message).end_run()
    }

    fn path(&mut self) -> Option<&mut Path> {
        self.extra.as_mut().and_then(|extra| extra.path.as_mut())
    }

    /// Tells the control of an ACK that recovery has dealt with.
    #[inline(always)]
    pub fn tell_control(&mut self, ack: &Ack, outcome: AckOutcome, path: Option<&PathSample>, now: Time) {
        let (options, high_ack, next_seq) = (&self.options, self.high_ack, self.next_seq);
        let used = outcome.window_limited || !options.grow_when_limited;
        let times =
            || self.extra.as_ref().and_then(|extra| extra.times.as_ref()).filter(|_| outcome.packets > 0);
        self.control.on_ack(&mut self.window, || AckSample {
            now,
            echo: ack.echo,
            sent: times().map_or(ack.echo, |times| times.last_sent(high_ack, ack.echo)),
            kind: outcome.kind,
            acked: outcome.packets as u32,
            // [RFC 5681 3.1-k] [RFC 5681 5-a]
            growth: if options.count_acked_packets { outcome.packets as f64 } else { 1.0 },
            slow_start: if options.slow_start_counts_packets { outcome.fresh as f64 } else { 1.0 },
            high_ack,
            next_seq,
            ecn_echo: ack.ecn_echo,
            window_limited: outcome.window_limited,
            may_grow: outcome.is_new_data() && !ack.ecn_echo && used,
            path,
        });
    }

    /// The application, or the receiver's window, may be what keeps the sender from sending more.
    pub fn note_limits(&mut self) {
        let (cwnd, all_sent) = (self.window.cwnd, self.next_seq > self.last_allowed() && !self.held_back);
        if let Some(path) = self.path().filter(|path| all_sent && (path.in_flight() as f64) < cwnd) {
            path.note_limited();
        }
    }

    /// A SYN has been acknowledged. `is_new_data` as in [`AckOutcome::is_new_data`].
    pub fn connect(&mut self, is_new_data: bool, now: Time) {
        if is_new_data {
            self.finish_handshake();
        }
        let srtt = self.timer.estimator().srtt();
        self.control.on_begin(&self.window, now, srtt);
    }

    /// The ACK of a SYN opens the initial window.
    pub fn finish_handshake(&mut self) {
        if self.high_ack == 0 {
            self.open_initial_window();
        }
    }

    /// Opens the initial window, which a handshake has held back.
    pub fn open_initial_window(&mut self) {
        if self.options.handshake {
            // [RFC 5681 3.1-c] [RFC 5681 3.1-d] [RFC 6928 2-a] [RFC 6928 2-c]
            let spared = u32::from(self.lost_syns) <= self.options.spare_syns;
            self.window.cwnd = if spared { self.options.initial_window } else { 1.0 };
            if self.options.handshake_keeps_ssthresh {
                self.window.ssthresh = self.options.initial_ssthresh;
            }
            if self.timeout_after_lost_syn().is_some() {
                self.timer.reset_backoff();
                self.timer_changed();
            }
        }
    }

    /// Everything that is out there is to be sent again.
    pub fn go_back(&mut self, now: Time) {
        self.next_seq = self.high_ack + 1;
        if let Some(path) = self.path() {
            path.on_timeout(now);
        }
    }

    /// Recovery takes packet `seq` for lost.
    pub fn lose(&mut self, seq: i64) {
        if let Some(path) = self.path() {
            path.lose(seq);
        }
    }

    /// The highest packet that the application and the receiver's window allow now.
    pub fn last_allowed(&self) -> i64 {
        (self.high_ack + self.options.max_window as i64).min(self.limit - 1)
    }
}

/// Estimators of timeouts. A window of samples may be large, and each flow has one.
fn timeouts(config: &RtoConfig) -> AnyRto {
    if let RtoConfig::Median { window, .. } | RtoConfig::WeightedMedian { window, .. } = config {
        room::ask::<[f64; 8]>(*window as usize, "samples of timeouts");
    }
    config.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unwind::caught;

    /// A sender that stalls there instead says nothing of it.
    #[test]
    fn the_packet_beyond_the_last_number_ends_the_run_with_a_message() {
        let options = Arc::new(TcpOptions { handshake: false, initial_window: 10.0, ..TcpOptions::rfc() });
        let mut core = Core::new(options, Time::ZERO, 1, "f");
        core.counters.packets_sent = u32::MAX - 4;
        core.limit = i64::MAX;
        let mut out = Outbox::default();
        let sent = caught(|| core.send_window(Time::from_secs(7.0), 0, u32::MAX, &mut out));
        let Err(RunError::TooMany(message)) = sent else { panic!("too many packets") };
        assert_eq!(message, "stopped at 7 s: a TCP flow has sent 2^32 packets, the most that it can");
        assert_eq!(out.packets.len(), 4);
    }
}
