//! Loss detection by time and the tail loss probe: RACK-TLP (RFC 8985). A packet is lost when one that was sent later
//! has been delivered, and the time that reordering may take has passed; and when no ACK comes at all, a probe asks
//! for one before the timer expires. Where receivers report duplicates (DSACK), these widen the window for reordering
//! (section 6.2, step 4).

use parshall_estimators::rto::RtoEstimator;

use super::prr::{Progress, Prr};
use super::{Phase, Recovery, Trigger};
use crate::control::AckKind;
use crate::scenario::RttSampling;
use crate::transport::ack_outcome::AckOutcome;
use crate::transport::sent_packets::SentPackets;
use crate::transport::timer_wheel;
use crate::transport::{Ack, Core, Outbox, TcpOptions};
use crate::units::Time;

/// The time to a probe before the first sample (section 7.2).
const FIRST_PROBE: Time = Time::from_ps(1_000_000_000_000);

/// For how many recoveries a wide reordering window is kept (section 6.2, step 4).
const RECOVERIES_KEPT_WIDE: u32 = 16;

/// A probe that no ACK has answered yet (section 7.1).
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// The highest packet sent when it left.
    end: i64,
    sent: Time,
    /// True if the probe repeated the last packet.
    again: bool,
}

/// The state of RACK-TLP.
#[derive(Clone, Debug)]
pub struct Rack {
    phase: Phase,
    packets: SentPackets,
    prr: Option<Prr>,
    probe: Option<Probe>,
    /// RTT samples when the last probe was sent: another has to come before the next.
    samples_at_probe: Option<u32>,
    /// RACK.dsack_round: in the round trip up to this packet the reordering window has been widened.
    repeat_round: i64,
    /// RACK.reo_wnd_persist: so many recoveries from now on it is no narrower.
    kept_wide: u32,
    /// Transmissions from this on were made after the last reduction.
    reduced_at: u32,
    /// The reordering timer.
    reordering_at: Time,
    /// The timer of the probe.
    probe_at: Time,
    /// Expiry of the retransmission timer, while the core has one of those two in its place: at any time one of the
    /// three runs (section 8).
    put_off: Option<Time>,
}

impl Rack {
    /// The state of a flow with these options; on proportional rate reduction see [`super::Sack::new`].
    pub fn new(options: &TcpOptions) -> Self {
        Rack {
            phase: Phase::Open,
            packets: SentPackets::default(),
            prr: (options.prr && !options.control.rules_recovery()).then(Prr::default),
            probe: None,
            samples_at_probe: None,
            repeat_round: -1,
            kept_wide: 0,
            reduced_at: 0,
            reordering_at: Time::NEVER,
            probe_at: Time::NEVER,
            put_off: None,
        }
    }

    fn transmit(&mut self, core: &mut Core, seq: i64, now: Time, out: &mut Outbox) {
        if seq == core.high_ack + 1 && seq <= core.max_seq {
            // Retransmitting the oldest packet restarts the timer, however often it is lost.
            core.restart_timer(now);
        }
        core.forget_time_of(seq);
        core.send(seq, now, out);
        core.next_seq = core.max_seq + 1;
        self.packets.on_send(seq, now);
        if let Some(prr) = &mut self.prr {
            prr.on_send();
        }
    }

    /// Takes in what an ACK reports, and what it shows to be lost. Returns how many packets it reports for the first
    /// time.
    fn process_ack(&mut self, core: &mut Core, ack: &Ack, now: Time) -> Progress {
        let advances = ack.high >= core.high_ack && self.packets.first() <= ack.high;
        let delivered = self.packets.on_ack(ack, now);
        let lost = self.detect(core, now);
        Progress { delivered, in_flight: self.packets.in_flight(), safe: advances && lost == 0 }
    }

    /// Section 6.2, steps 4 and 5. Returns how many packets are newly lost.
    fn detect(&mut self, core: &mut Core, now: Time) -> i64 {
        let threshold = i64::from(core.options.dupack_threshold);
        // [RFC 8985 3.3.2-a]
        let sure = self.phase != Phase::Open || self.packets.reported() >= threshold;
        let (srtt, mut lost) = (core.timer().estimator().srtt(), 0);
        // [RFC 8985 6.2-b]
        let look_again = self.packets.detect(now, srtt, sure, |seq| {
            lost += 1;
            core.lose(seq);
        });
        self.reordering_at = match look_again {
            Time::NEVER => Time::NEVER,
            at => core.expiry(now, at.since(now) + self.least_wait(core)),
        };
        lost
    }

    /// Where all packets are timed, what is reported beyond a gap is a sample, too: while a hole waits to be repaired no other
    /// tells of a queue that has become long. As in Linux's tcp_clean_rtx_queue() the timer starts anew if that was sent before
    /// the first packet was, the last time.
    fn sample(&mut self, core: &mut Core, now: Time) {
        let Some(sent) = self.packets.sample() else {
            return;
        };
        if core.options.rtt_sampling == RttSampling::Timestamps {
            core.take_sample(core.high_ack, sent, now);
            if self.packets.first_sent().is_some_and(|first| sent < first) {
                core.restart_timer(now);
            }
        }
    }

    /// Takes an ACK for F-RTO; `before` is what was acknowledged until then. If the timeout was needless what is lost all the same is
    /// found anew, by the rules of no recovery.
    fn judge_timeout(&mut self, core: &mut Core, before: i64, high: i64, now: Time) {
        if self.phase == Phase::AfterTimeout && core.options.frto {
            let original = self.packets.original().is_some_and(|sent| core.sent_before_reduction(sent));
            if core.judge_timeout(before, high, original) {
                self.on_undo(core);
                self.detect(core, now);
            }
        }
    }

    /// Begins a recovery if something is lost and none is under way. `progress` is that of the ACK that shows it.
    fn enter_if_lost(&mut self, core: &mut Core, progress: Progress, now: Time, out: &mut Outbox) {
        if self.phase == Phase::Open && self.packets.lost() > 0 {
            self.enter(core, progress, now, out);
        }
    }

    /// The loss of what has been sent again since the last reduction is another sign of congestion, and costs another
    /// (RFC 5681, section 4.3). Linux's recoveries leave that to proportional rate reduction and to their end; after a timeout it
    /// has them begin anew, as the end of tcp_fastretrans_alert() says.
    fn enter_again_if_lost(
        &mut self,
        core: &mut Core,
        progress: Progress,
        now: Time,
        out: &mut Outbox,
    ) -> bool {
        // [RFC 5681 4.3-e] [RFC 8985 9.3-c]
        let lost = self.packets.take_lost_repair(self.reduced_at);
        let answered = match self.phase {
            Phase::Open => true,
            Phase::Recovery => core.options.reduction_covers_timeout,
            Phase::AfterTimeout => false,
        };
        if lost && !answered {
            self.enter(core, progress, now, out);
        }
        lost && !answered
    }

    fn enter(&mut self, core: &mut Core, progress: Progress, now: Time, out: &mut Outbox) {
        core.reduce(now);
        core.count_repairs(self.packets.repairs_beyond(core.high_ack));
        self.phase = Phase::Recovery;
        self.reduced_at = self.packets.next_transmission();
        self.probe = None;
        if let Some(prr) = &mut self.prr {
            prr.begin(self.packets.outstanding() - self.packets.reported() + progress.delivered);
        }
        self.shrink(core, progress);
        core.restart_timer(now);
        // The first packet sent again waits for no room. Proportional rate reduction leaves some, and so does a control
        // that sets its window on every ACK, which would take a packet that leaves now for one more that may.
        if self.prr.is_none() && !core.options.control.rules_recovery() {
            if let Some(seq) = self.packets.first_lost() {
                self.transmit(core, seq, now, out);
            }
        }
    }

    /// The reordering timer expires: what may be lost by now is lost. As in Linux's tcp_rack_reo_timeout(), this lets
    /// as much go as an ACK of one packet.
    fn on_reordering_timer(&mut self, core: &mut Core, now: Time, out: &mut Outbox) {
        if self.detect(core, now) == 0 {
            return;
        }
        let progress = Progress { delivered: 1, in_flight: self.packets.in_flight(), safe: false };
        if self.enter_again_if_lost(core, progress, now, out) {
            return;
        }
        match self.phase {
            Phase::Open => self.enter_if_lost(core, progress, now, out),
            Phase::Recovery => self.shrink(core, progress),
            // In tcp_rack_reo_timeout() any loss begins a recovery that is not under way.
            Phase::AfterTimeout => self.enter(core, progress, now, out),
        }
    }

    /// Sets the window of an ACK in recovery by proportional rate reduction.
    fn shrink(&mut self, core: &mut Core, progress: Progress) {
        if let Some(window) = self.prr.as_mut().and_then(|prr| prr.on_ack(progress, core.window.ssthresh)) {
            core.window.cwnd = window;
        }
    }

    /// Sends what is lost, then what is new, as far as the window allows.
    fn send_allowed(&mut self, core: &mut Core, now: Time, out: &mut Outbox) {
        let last = core.last_allowed();
        // What has been reported makes room before anything is known to be lost: limited transmit.
        let kept = self.phase == Phase::Open && !core.options.limited_transmit;
        let kept = if kept { self.packets.reported() } else { 0 };
        // [RFC 9937 6.2-a] [RFC 8985 9.3-a]
        while self.packets.in_flight() + kept < core.window.cwnd as i64 {
            let new = Some(core.max_seq + 1).filter(|&seq| seq <= last);
            let lost = self.packets.first_lost();
            let Some(seq) = (if core.asks_by_new_data() { new.or(lost) } else { lost.or(new) }) else {
                return;
            };
            if !core.pace_allows(now) {
                return;
            }
            self.transmit(core, seq, now, out);
        }
    }

    /// Sections 7.2 and 7.3: whether a probe may be sent when no ACK comes. A SYN has the timer alone.
    fn may_probe(&self, core: &Core) -> bool {
        // [RFC 8985 7.2-a] [RFC 8985 7.3-a] [RFC 8985 7.3-b] [RFC 8985 7.3-c]
        let connected = core.high_ack >= 0 || !core.options.handshake;
        let quiet = self.phase == Phase::Open && self.packets.reported() == 0;
        let sampled = self.samples_at_probe != Some(core.counters.rtt_samples);
        connected && quiet && sampled && self.probe.is_none() && self.packets.outstanding() > 0
    }

    /// Section 7.2: when a probe is sent if no ACK comes; new data may have been `sent`.
    fn schedule_probe(&mut self, core: &Core, sent: bool, now: Time) {
        // [RFC 8985 7.2-b] [RFC 8985 7.2-c]
        let single = self.packets.outstanding() == 1;
        let allowance = if single { core.options.most_ack_delay } else { self.least_wait(core) };
        let srtt = core.timer().estimator().srtt();
        let wait = srtt.map_or(FIRST_PROBE, |srtt| Time::from_secs(2.0 * srtt) + allowance);
        let oldest = self.packets.first_sent().filter(|_| sent && core.options.probe_by_oldest);
        let oldest = oldest.map(|at| at + Time::from_secs(core.rto())).filter(|&at| at > now);
        let probe_at = core.expiry(now, wait).min(core.deadline());
        self.probe_at = oldest.map_or(probe_at, |at| probe_at.min(core.expiry(now, at.since(now))));
    }

    /// Time that timers shorter than the retransmission timer allow beyond their own.
    fn least_wait(&self, core: &Core) -> Time {
        if core.options.timer_wheel {
            timer_wheel::LEAST_WAIT
        } else {
            Time::ZERO
        }
    }

    /// Section 7.3: new data if there is any, or else the last packet again, whatever the window says.
    fn send_probe(&mut self, core: &mut Core, now: Time, out: &mut Outbox) {
        // [RFC 8985 7.3-e] [RFC 8985 7.3-f] [RFC 8985 7.3-g] [RFC 8985 7.3-h]
        let new = core.max_seq < core.last_allowed();
        self.transmit(core, core.max_seq + i64::from(new), now, out);
        self.probe = Some(Probe { end: core.max_seq, sent: now, again: !new });
        self.samples_at_probe = Some(core.counters.rtt_samples);
        core.restart_timer(now);
    }

    /// Section 7.4: an ACK that reaches the end of a probe. If it answers the probe and not the packet of which that
    /// was a copy, the copy has repaired a loss, which the window has to answer.
    fn end_probe(&mut self, core: &mut Core, ack: &Ack, now: Time) {
        let Some(probe) = self.probe.filter(|probe| ack.high >= probe.end) else {
            return;
        };
        self.probe = None;
        // [RFC 8985 7.4.2-a] [RFC 8985 7.4.2-b]
        if probe.again && ack.echo >= probe.sent && self.phase == Phase::Open {
            core.reduce(now);
        }
    }

    /// Lets the retransmission timer take its place again.
    fn resume_timer(&mut self, core: &mut Core) {
        if let Some(deadline) = self.put_off.take() {
            core.set_deadline(deadline);
        }
    }

    /// Puts the earliest of the three timers into the core.
    fn choose_timer(&mut self, core: &mut Core) {
        // [RFC 8985 8-a]
        let earlier = self.reordering_at.min(self.probe_at);
        if earlier < Time::NEVER && earlier <= core.deadline() {
            self.put_off = Some(core.deadline());
            core.set_deadline(earlier);
        }
    }
}

impl Recovery for Rack {
    fn on_new_ack(&mut self, core: &mut Core, ack: &Ack, now: Time, out: &mut Outbox) -> AckOutcome {
        // [RFC 8985 7.3-d]
        self.resume_timer(core);
        core.dupacks = 0;
        let known = self.packets.reported_up_to(ack.high);
        let progress = self.process_ack(core, ack, now);
        self.judge_timeout(core, core.high_ack, ack.high, now);
        let was = self.phase;
        let outcome = core.advance_from(ack, self.packets.sample().unwrap_or(ack.echo), now);
        let outcome = AckOutcome { fresh: outcome.packets - known, ..outcome };
        self.end_probe(core, ack, now);
        self.probe_at = Time::NEVER;
        if was != Phase::Open && ack.high >= core.recover {
            self.phase = Phase::Open;
            self.kept_wide = self.kept_wide.saturating_sub(1);
            if self.kept_wide == 0 {
                self.packets.narrow();
            }
            if was == Phase::Recovery && self.prr.is_some() {
                core.window.cwnd = core.window.ssthresh;
            }
        } else if !self.enter_again_if_lost(core, progress, now, out) && was == Phase::Recovery {
            self.shrink(core, progress);
        }
        if was != Phase::Open && self.phase == Phase::Open && self.packets.repair_is_open() {
            // As in Linux's tcp_time_to_recover(): what was sent in a recovery and lost there, too, costs another
            // reduction, although it has been sent again by now.
            self.enter(core, progress, now, out);
        } else {
            self.enter_if_lost(core, progress, now, out);
        }
        match was {
            Phase::Recovery if self.phase == Phase::Recovery => {
                AckOutcome { kind: AckKind::Partial, ..outcome }
            }
            Phase::Recovery => AckOutcome { repaired: true, ..outcome },
            _ if self.phase == Phase::Recovery => AckOutcome { kind: AckKind::Partial, ..outcome },
            // What was lost does not fill the window, but the window is what limits the sender.
            Phase::AfterTimeout => AckOutcome { window_limited: true, ..outcome },
            Phase::Open => outcome,
        }
    }

    fn on_dupack(&mut self, core: &mut Core, ack: &Ack, now: Time, out: &mut Outbox) {
        self.resume_timer(core);
        self.end_probe(core, ack, now);
        let progress = self.process_ack(core, ack, now);
        if progress.delivered == 0 {
            return;
        }
        self.judge_timeout(core, core.high_ack, core.high_ack, now);
        self.sample(core, now);
        if self.enter_again_if_lost(core, progress, now, out) {
            return;
        }
        match self.phase {
            Phase::Open => {
                core.dupacks += 1;
                self.enter_if_lost(core, progress, now, out);
            }
            Phase::Recovery => self.shrink(core, progress),
            Phase::AfterTimeout => {}
        }
    }

    /// Section 6.2, step 4: what has come twice was late and not lost, so reordering takes longer than was waited.
    fn on_repeat(&mut self, core: &mut Core, ack: &Ack) {
        // [RFC 8985 3.3.2-c] [RFC 8985 4-d]
        if ack.high >= self.repeat_round {
            self.repeat_round = core.max_seq + 1;
            self.kept_wide = RECOVERIES_KEPT_WIDE;
            self.packets.widen();
        }
    }

    /// As in tcp_try_undo_partial().
    fn awaits_repairs(&self, core: &Core, high: i64) -> bool {
        self.phase == Phase::Recovery && high < core.recover && self.packets.repairs_beyond(high) > 0
    }

    /// As in tcp_undo_cwnd_reduction() and tcp_try_undo_partial(): nothing counts as lost, until it is found to be again. Where no
    /// timeout came before, a packet has been overtaken.
    fn on_undo(&mut self, _: &mut Core) {
        if self.phase == Phase::Recovery {
            self.packets.see_reordering();
        }
        (self.phase, self.probe) = (Phase::Open, None);
        self.packets.forget_losses();
    }

    fn lost_below(&self, core: &Core) -> i64 {
        // Losses are noted one by one when they are found.
        core.high_ack + 1
    }

    fn repairs(&self) -> bool {
        self.phase != Phase::Open
    }

    fn on_early_timer(&mut self, core: &mut Core, now: Time, out: &mut Outbox) -> bool {
        if self.put_off.is_none() {
            return false;
        }
        self.resume_timer(core);
        if self.probe_at <= now {
            self.probe_at = Time::NEVER;
            if self.may_probe(core) {
                self.send_probe(core, now, out);
            }
            return true;
        }
        self.on_reordering_timer(core, now, out);
        core.deadline() > now
    }

    fn on_timeout(&mut self) {
        (self.probe, self.probe_at, self.reordering_at) = (None, Time::NEVER, Time::NEVER);
    }

    /// Section 6.3: the first packet is lost, and what was sent as long ago as it takes to find a loss; what was sent
    /// since then is not. There is room for one packet beside that, as in Linux's tcp_enter_loss().
    fn time_out(&mut self, core: &mut Core, now: Time) {
        let srtt = core.timer().estimator().srtt();
        self.phase = Phase::AfterTimeout;
        self.packets.time_out(now, srtt, |seq| core.lose(seq));
        core.time_out(now, (self.packets.in_flight() + 1) as f64, true);
        core.count_repairs(self.packets.repairs_beyond(core.high_ack));
        core.next_seq = core.max_seq + 1;
    }

    fn send(&mut self, core: &mut Core, _: Trigger, now: Time, out: &mut Outbox) {
        self.resume_timer(core);
        let (before, acked) = (core.max_seq, self.probe_at == Time::NEVER);
        self.send_allowed(core, now, out);
        if !self.may_probe(core) {
            self.probe_at = Time::NEVER;
        } else if acked || core.max_seq > before {
            self.schedule_probe(core, core.max_seq > before, now);
        }
        self.choose_timer(core);
    }
}

#[cfg(test)]
mod tests;
