//! SACK recovery by the scoreboard and pipe of RFC 6675.

use super::prr::{Progress, Prr};
use super::{count_reported, record_blocks, Phase, Recovery, Trigger};
use crate::control::AckKind;
use crate::transport::ack_outcome::AckOutcome;
use crate::transport::{Ack, Core, Intervals, Outbox, TcpOptions};
use crate::units::Time;

/// The state of RFC 6675.
#[derive(Clone, Debug, Default)]
pub struct Sack {
    phase: Phase,
    /// Packets that the receiver has reported beyond a gap.
    // [RFC 6675 4-a]
    sacked: Intervals,
    /// HighRxt: highest packet sent again. What is not SACKed up to here has been sent again.
    high_rxt: i64,
    /// Packets below this were in flight when the timer expired.
    timed_out_below: i64,
    /// RescueRxt: a rescue retransmission waits for an ACK beyond this packet (section 4, NextSeg rule 4). Of 32 bits, as
    /// blocks have them, so that a flow stays within its cache lines.
    rescue_rxt: u32,
    /// The ACK that has come reports packets beyond a gap for the first time, and none of it is known to be lost.
    news: bool,
    /// Reduction of the window in a recovery; none sets it to ssthresh at once.
    prr: Option<Box<Prr>>,
}

/// State before an ACK, which proportional rate reduction compares with.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    delivered: i64,
    /// Value of [`Sack::lost_packets_end`].
    lost: i64,
    high_ack: i64,
}

impl Sack {
    /// The state of a flow with these options. A control with a window of its own for every ACK has no reduction that
    /// could be spread.
    pub fn new(options: &TcpOptions) -> Self {
        let prr = (options.prr && !options.control.rules_recovery()).then(Box::default);
        Sack { prr, ..Sack::default() }
    }

    /// IsLost (): every packet below this that is not SACKed. DupThresh packets above have been SACKed, or the
    /// timer has expired.
    fn lost_packets_end(&self, core: &Core) -> i64 {
        let threshold = i64::from(core.options.dupack_threshold);
        let by_sacks = self.sacked.kth_from_end(threshold).unwrap_or(0);
        by_sacks.max(self.timed_out_below)
    }

    /// SetPipe (): packets that are in flight, as far as the scoreboard shows.
    fn pipe(&self, core: &Core) -> i64 {
        // [RFC 6675 4-c]
        let missing = |low: i64, high: i64| (high - low).max(0) - self.sacked.count_within(low, high);
        let first = core.high_ack + 1;
        let not_lost = missing(self.lost_packets_end(core).max(first), core.max_seq + 1);
        let sent_again = missing(first, self.high_rxt.max(core.high_ack) + 1);
        not_lost + sent_again
    }

    /// NextSeg (): the packet to send next in recovery, and whether HighRxt follows it: not new data, nor a rescue.
    fn next_packet(&mut self, core: &Core) -> Option<(i64, bool)> {
        let last = (core.high_ack + core.options.max_window as i64).min(core.limit - 1);
        if core.asks_by_new_data() && core.max_seq < last {
            return Some((core.max_seq + 1, false));
        }
        // [RFC 6675 4-d] [RFC 6675 4-e]
        let hole = self.sacked.next_missing(self.high_rxt.max(core.high_ack) + 1);
        if hole < self.lost_packets_end(core) && hole <= core.max_seq {
            return Some((hole, true));
        }
        // [RFC 6675 4-f] [RFC 9937 3-a]
        if core.next_seq.max(core.max_seq + 1) <= last {
            return Some((core.max_seq + 1, false));
        }
        // [RFC 6675 4-g]
        if self.sacked.end().is_some_and(|end| hole < end) {
            return Some((hole, true));
        }
        // Not where the last packet has been sent again: by the letter it would go twice in one breath.
        // [RFC 6675 4-h] [RFC 6675 4-i]
        if self.phase == Phase::Recovery && core.high_ack > i64::from(self.rescue_rxt) && hole <= core.max_seq
        {
            self.rescue_rxt = core.recover as u32;
            return Some((core.max_seq, false));
        }
        None
    }

    fn send_pipe(&mut self, core: &mut Core, now: Time, out: &mut Outbox) {
        let mut pipe = self.pipe(core);
        // [RFC 5681 4.3-b] [RFC 6675 5-i] [RFC 9937 3-b]
        while pipe < core.window.cwnd as i64 && core.pace_allows(now) {
            // [RFC 6675 4-j] [RFC 6675 5-j]
            let Some((seq, follows)) = self.next_packet(core) else {
                return;
            };
            if follows {
                // [RFC 6675 5-k]
                self.high_rxt = self.high_rxt.max(seq);
            }
            self.send_packet(core, seq, now, out);
            core.next_seq = core.max_seq + 1;
            pipe += 1;
        }
    }

    fn send_packet(&mut self, core: &mut Core, seq: i64, now: Time, out: &mut Outbox) {
        core.forget_time_of(seq);
        core.send(seq, now, out);
        if let Some(prr) = &mut self.prr {
            prr.on_send();
        }
    }

    fn enter(&mut self, core: &mut Core, before: Before, now: Time, out: &mut Outbox) {
        core.reduce(now);
        self.phase = Phase::Recovery;
        self.high_rxt = core.high_ack;
        if let Some(prr) = &mut self.prr {
            // What had been reported before is not delivered in this recovery.
            prr.begin(core.max_seq + 1 - before.delivered);
        }
        self.proportion(core, before);
        // [RFC 6675 4-h]
        self.high_rxt = core.high_ack + 1;
        self.rescue_rxt = self.high_rxt as u32;
        self.send_packet(core, self.high_rxt, now, out);
        core.restart_timer(now);
    }

    /// A duplicate ACK while nothing is repaired: one that SACKs something new, even if it acknowledges new data (RFC 6675,
    /// sections 2 and 5). Begins a recovery if that shows a loss.
    fn count(&mut self, core: &mut Core, before: Before, now: Time, out: &mut Outbox) {
        // [RFC 6675 5-c] [RFC 6675 5-d]
        core.dupacks += 1;
        let lost = core.high_ack + 1 < self.lost_packets_end(core);
        let enough = core.dupacks >= core.options.dupack_threshold || lost;
        // The last recovery is over once its last packet is acknowledged, so that the next one may be the loss.
        // [RFC 6675 5-d2]
        let over = core.high_ack >= core.recover && core.in_flight() > 0;
        if enough && (over || core.may_fast_retransmit()) {
            self.enter(core, before, now, out);
        }
        self.news = !enough;
    }

    /// Sends what an ACK that shows no loss lets go: limited transmit, as far as the pipe leaves room in cwnd.
    fn send_beside_news(&self, core: &mut Core, now: Time, out: &mut Outbox) {
        // [RFC 5681 3.2-d] [RFC 5681 3.2-e]
        let next = core.high_ack + 1;
        let left =
            if core.options.limited_transmit { self.sacked.count_within(next, core.max_seq + 1) } else { 0 };
        core.send_window(now, left, u32::MAX, out);
    }

    /// Returns the state before an ACK; the default without proportional rate reduction.
    fn before(&self, core: &Core) -> Before {
        match self.prr {
            None => Before::default(),
            Some(_) => Before {
                delivered: self.delivered(core),
                lost: self.lost_packets_end(core),
                high_ack: core.high_ack,
            },
        }
    }

    /// Packets known to have arrived that were sent before the last timeout, and not again since.
    fn originals(&self, core: &Core) -> i64 {
        let (from, to) = (self.high_rxt.max(0) + 1, core.recover + 1);
        let next = (core.high_ack + 1).clamp(from, to.max(from));
        next - from + self.sacked.count_within(next, to)
    }

    /// Counts them after a timeout that F-RTO may judge.
    fn originals_at(&self, core: &Core) -> Option<i64> {
        (self.phase == Phase::AfterTimeout && core.options.frto).then(|| self.originals(core))
    }

    /// Takes an ACK for F-RTO, before which there were so many originals.
    fn judge_timeout(&mut self, core: &mut Core, before: Option<i64>, high_ack: i64) {
        if let Some(before) = before {
            let original = self.originals(core) > before;
            if core.judge_timeout(high_ack, core.high_ack, original) {
                self.on_undo(core);
            }
        }
    }

    /// Packets that ACKs have reported so far.
    fn delivered(&self, core: &Core) -> i64 {
        let next = core.high_ack + 1;
        next + self.sacked.count_within(next, core.max_seq + 1)
    }

    /// An ACK of a recovery: the window that it leaves, which is ssthresh at the end (RFC 9937, section 6).
    fn shrink(&mut self, core: &mut Core, before: Before) {
        if self.phase == Phase::Recovery {
            self.proportion(core, before);
        } else if self.prr.is_some() {
            core.window.cwnd = core.window.ssthresh;
        }
    }

    /// Sets the window of an ACK in recovery by proportional rate reduction.
    fn proportion(&mut self, core: &mut Core, before: Before) {
        let Some(mut prr) = self.prr.take() else {
            return;
        };
        let (lost_from, lost_to) = (before.lost.max(core.high_ack + 1), self.lost_packets_end(core));
        let newly_lost = (lost_to - lost_from).max(0) - self.sacked.count_within(lost_from, lost_to);
        let progress = Progress {
            delivered: self.delivered(core) - before.delivered,
            in_flight: self.pipe(core),
            safe: core.high_ack > before.high_ack && newly_lost <= 0,
        };
        if let Some(window) = prr.on_ack(progress, core.window.ssthresh) {
            core.window.cwnd = window;
        }
        self.prr = Some(prr);
    }
}

impl Recovery for Sack {
    fn on_new_ack(&mut self, core: &mut Core, ack: &Ack, now: Time, out: &mut Outbox) -> AckOutcome {
        let before = self.before(core);
        let (originals, high_ack) = (self.originals_at(core), core.high_ack);
        // [RFC 6675 5-b]
        core.dupacks = 0;
        let reported = count_reported(&self.sacked, core, ack);
        let outcome = core.advance(ack, now);
        let outcome = AckOutcome { fresh: outcome.packets - reported, ..outcome };
        let news = record_blocks(&mut self.sacked, core, ack);
        self.judge_timeout(core, originals, high_ack);
        let was = self.phase;
        // [RFC 6675 5-f]
        if ack.high >= core.recover {
            self.phase = Phase::Open;
            self.timed_out_below = 0;
        }
        if was == Phase::Recovery {
            self.shrink(core, before);
        }
        self.news = false;
        if news && was == Phase::Open {
            self.count(core, before, now, out);
        }
        match was {
            Phase::Open | Phase::Recovery if self.phase == Phase::Recovery => {
                AckOutcome { kind: AckKind::Partial, ..outcome }
            }
            Phase::Recovery => AckOutcome { repaired: true, ..outcome },
            // What was lost does not fill the window, but the window is what limits the sender.
            Phase::AfterTimeout => AckOutcome { window_limited: true, ..outcome },
            Phase::Open => outcome,
        }
    }

    fn on_dupack(&mut self, core: &mut Core, ack: &Ack, now: Time, out: &mut Outbox) {
        let before = self.before(core);
        let originals = self.originals_at(core);
        let news = record_blocks(&mut self.sacked, core, ack);
        self.judge_timeout(core, originals, core.high_ack);
        if self.phase == Phase::Recovery {
            self.shrink(core, before);
        }
        // [RFC 5681 3.2-f]
        self.news = false;
        if news && self.phase == Phase::Open {
            self.count(core, before, now, out);
        }
    }

    fn lost_below(&self, core: &Core) -> i64 {
        // The timer's verdict is noted when it expires.
        self.lost_packets_end(core).min(core.max_seq + 1)
    }

    fn repairs(&self) -> bool {
        self.phase != Phase::Open
    }

    fn on_timeout(&mut self) {
        // `send` marks what was in flight as lost: it knows the core.
        // [RFC 6675 5.1-e]
        self.phase = Phase::AfterTimeout;
        self.high_rxt = -1;
        self.timed_out_below = i64::MAX;
    }

    fn on_undo(&mut self, _: &mut Core) {
        (self.phase, self.high_rxt, self.timed_out_below) = (Phase::Open, -1, 0);
    }

    fn send(&mut self, core: &mut Core, trigger: Trigger, now: Time, out: &mut Outbox) {
        if trigger == Trigger::Timeout {
            self.timed_out_below = core.max_seq + 1;
            self.high_rxt = core.high_ack;
        }
        match self.phase {
            Phase::Open if core.dupacks == 0 || trigger != Trigger::Ack => {
                core.send_window(now, 0, u32::MAX, out);
            }
            Phase::Open if self.news => self.send_beside_news(core, now, out),
            Phase::Open => {}
            // [RFC 6675 5-e] [RFC 6675 5.1-h]
            Phase::Recovery | Phase::AfterTimeout => self.send_pipe(core, now, out),
        }
    }
}
