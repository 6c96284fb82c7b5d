//! Vegas as ns-2 does it: a window that follows the queue it causes, and retransmission by a fine-grained timer
//! that is looked at when ACKs come (Brakmo and Peterson 1995).
//!
//! Both parts need the time at which each packet was sent, so they stand together here. Times are seconds since
//! the first transmission, in double precision, as in ns-2.

use std::collections::VecDeque;

use super::vegas_rule::{Rule, Trip, LEAST};
use super::{Recovery, Trigger};
use crate::room::Room;
use crate::scenario::FastRetransmitGuard;
use crate::transport::ack_outcome::AckOutcome;
use crate::transport::{Ack, Core, Outbox, TcpOptions};
use crate::units::Time;

/// Record of a packet in flight.
#[derive(Clone, Copy, Debug)]
struct VegasRecord {
    at: f64,
    times: u32,
}

/// The fine-grained round-trip time and the timeout that follows from it.
#[derive(Clone, Copy, Debug)]
struct FineTimer {
    /// Smallest round-trip time.
    base: f64,
    /// Smoothed round-trip time, times 8.
    mean8: f64,
    /// Its mean deviation, times 4.
    deviation4: f64,
    timeout: f64,
}

impl FineTimer {
    fn new(rtt: f64) -> Self {
        FineTimer { base: rtt, mean8: 8.0 * rtt, deviation4: rtt, timeout: 1.5 * rtt }
    }

    fn on_sample(&mut self, rtt: f64) {
        self.base = self.base.min(rtt);
        let error = rtt - self.mean8 / 8.0;
        self.mean8 += error;
        self.deviation4 += error.abs() - self.deviation4 / 4.0;
        let timeout = (self.mean8 / 4.0 + self.deviation4) / 2.0;
        self.timeout = timeout + timeout / 16.0;
    }
}

/// The state of Vegas.
#[derive(Clone, Debug)]
pub struct VegasRecovery {
    first_sent: Option<Time>,
    /// Packets from `core.high_ack + 1` on.
    sent: VecDeque<VegasRecord>,
    /// Records that ns-2 leaves for packets to come; see [`VegasRecovery::forget`].
    leftovers: VecDeque<(i64, VegasRecord)>,
    fine: Option<FineTimer>,
    /// The round ends with the ACK of this packet.
    mark: i64,
    round_start: f64,
    samples: (f64, u32),
    rule: Rule,
    /// The window to return to when duplicate ACKs have inflated it.
    saved_window: f64,
    cwnd_changed: f64,
    /// New ACKs that still look at the fine-grained timer.
    checks_left: u32,
    after_timeout: bool,
}

impl VegasRecovery {
    /// Vegas before its first packet, with the window rule that the options ask for.
    pub fn new(options: &TcpOptions) -> Self {
        VegasRecovery {
            first_sent: None,
            sent: VecDeque::new(),
            leftovers: VecDeque::new(),
            fine: None,
            mark: 0,
            round_start: 0.0,
            samples: (0.0, 0),
            rule: Rule::new(&options.control),
            saved_window: 0.0,
            cwnd_changed: 0.0,
            checks_left: 0,
            after_timeout: false,
        }
    }

    fn clock(&self, now: Time) -> f64 {
        now.since(self.first_sent.unwrap_or(now)).secs()
    }

    /// Sends a packet and notes when.
    fn transmit(&mut self, core: &mut Core, seq: i64, now: Time, out: &mut Outbox) {
        core.send(seq, now, out);
        self.note_sent(core, seq, now);
    }

    fn note_sent(&mut self, core: &Core, seq: i64, now: Time) {
        if seq == 0 && core.options.vegas_ring {
            // ns-2 makes new books whenever it sends packet 0.
            self.sent.clear();
            self.leftovers.clear();
        }
        self.first_sent.get_or_insert(now);
        let at = self.clock(now);
        let index = (seq - core.high_ack - 1) as usize;
        while self.sent.len() <= index {
            let next = core.high_ack + 1 + self.sent.len() as i64;
            self.sent.add(self.left_over(next), "packets that a sender keeps");
            if self.leftovers.front().is_some_and(|&(user, _)| user <= next) {
                self.leftovers.pop_front();
            }
        }
        let sent = &mut self.sent[index];
        sent.at = at;
        sent.times += 1;
    }

    /// Record left over for a packet that has not been sent.
    fn left_over(&self, seq: i64) -> VegasRecord {
        let left = self.leftovers.front().filter(|(user, _)| *user == seq);
        left.map_or(VegasRecord { at: -1.0, times: 0 }, |&(_, sent)| sent)
    }

    /// Forgets the packets that an ACK covers. Returns what was known of the last of them.
    ///
    /// ns-2 keeps its books in a ring of as many places as the window has packets, and clears the places of
    /// the packets from the first to the last acknowledged only if the first place comes before the last one.
    /// Otherwise the packets that use these places next inherit what is there.
    fn forget(&mut self, core: &Core, packets: i64) -> Option<VegasRecord> {
        let places = core.options.max_window as i64;
        let first = core.high_ack + 1 - packets;
        let wraps = first.rem_euclid(places) > core.high_ack.rem_euclid(places);
        let packets = (packets as usize).min(self.sent.len());
        let mut forgotten = self.sent.drain(..packets);
        if !(core.options.vegas_ring && wraps) {
            return forgotten.next_back();
        }
        let mut last = None;
        for (seq, sent) in (first..).zip(forgotten) {
            self.leftovers.add((seq + places, sent), "packets that a sender keeps");
            last = Some(sent);
        }
        last
    }

    /// Record of packet `high_ack + 1`.
    ///
    /// ns-2 keeps -1 as the sending time of a packet that has not been sent, so that such a packet mostly
    /// counts as late: it is sent when the check comes, and once more when the window lets it go.
    fn next_sent(&self, core: &Core) -> Option<VegasRecord> {
        let unsent = core.options.vegas_ring.then(|| self.left_over(core.high_ack + 1));
        self.sent.front().copied().or(unsent)
    }

    /// Returns whether packet `high_ack + 1` has been under way for longer than the fine-grained timeout.
    fn expired(&self, core: &Core, now: f64) -> bool {
        match (self.next_sent(core), self.fine) {
            (Some(sent), Some(fine)) => now - sent.at >= fine.timeout,
            _ => false,
        }
    }

    /// Once a round trip: what it has shown decides on the window.
    fn end_round(&mut self, core: &mut Core, fine: &mut FineTimer, now: f64) {
        let (sum, count) = std::mem::take(&mut self.samples);
        let rtt = if count > 0 { sum / f64::from(count) } else { now - self.round_start };
        let sent = core.next_seq - self.mark;
        if rtt > 0.0 {
            if rtt < fine.base || sent <= 1 {
                fine.base = rtt;
            }
            self.rule.end_round(core, Trip { rtt, base: fine.base, sent });
        }
        self.mark = core.next_seq;
        self.round_start = now;
    }

    /// The SYN is acknowledged. Its bytes are few, and no round trip of a full packet is as short; the first of those
    /// begins now.
    fn on_syn_ack(&mut self, core: &mut Core, ack: &Ack, now: Time) -> AckOutcome {
        let outcome = core.advance(ack, now);
        core.dupacks = 0;
        core.finish_handshake();
        self.forget(core, outcome.packets);
        self.mark = core.next_seq;
        self.round_start = self.clock(now);
        AckOutcome { repaired: true, ..outcome }
    }

    /// Sends packet `high_ack + 1` again, with a smaller window unless that was done since it was sent.
    fn retransmit(&mut self, core: &mut Core, now: Time, out: &mut Outbox) {
        let Some(first) = self.next_sent(core) else {
            return;
        };
        let again = first.times > 1;
        core.recover = core.max_seq;
        core.counters.fast_retransmits += 1;
        self.after_timeout = false;
        self.checks_left = (core.next_seq - core.high_ack).min(2) as u32;
        if let Some(fine) = &mut self.fine {
            fine.timeout += if again { fine.timeout } else { fine.timeout / 8.0 };
        }
        if self.cwnd_changed < first.at {
            let window = core.window.cwnd.min(core.options.max_window) as i64;
            let window = match window {
                ..=3 => 2,
                w if again => w / 2,
                w => w - w / 4,
            };
            self.saved_window = window as f64;
            core.window.cwnd = self.saved_window + f64::from(core.dupacks);
            self.cwnd_changed = self.clock(now);
        }
        core.back_off();
        core.restart_timer(now);
        self.transmit(core, core.high_ack + 1, now, out);
        if first.times == 1 {
            core.dupacks = core.options.dupack_threshold;
        }
    }
}

impl Recovery for VegasRecovery {
    fn on_new_ack(&mut self, core: &mut Core, ack: &Ack, now: Time, out: &mut Outbox) -> AckOutcome {
        let clock = self.clock(now);
        if ack.high == 0 && core.options.handshake && !core.options.vegas_ring {
            return self.on_syn_ack(core, ack, now);
        }
        let mut fine = self.fine.unwrap_or_else(|| FineTimer::new(clock - self.round_start));
        if core.options.vegas_ring && core.high_ack == 0 {
            // delay_growth_ looks at the ACK before this one.
            core.open_initial_window();
        }
        if core.dupacks > core.options.dupack_threshold && core.window.cwnd > self.saved_window {
            core.window.cwnd = self.saved_window;
            core.window.ssthresh = LEAST;
        }
        core.dupacks = 0;
        let outcome = core.advance(ack, now);
        // ns-2 takes a sending time of zero, that of the first burst, for none.
        let timed = |sent: &VegasRecord| sent.times == 1 && !(sent.at == 0.0 && core.options.vegas_ring);
        let sample = self.forget(core, outcome.packets).filter(timed).map(|sent| clock - sent.at);
        if let Some(rtt) = sample {
            self.rule.on_sample(rtt);
        }
        if ack.high >= self.mark {
            self.end_round(core, &mut fine, clock);
        }
        self.rule.open(core, fine.base);
        if let Some(rtt) = sample {
            fine.on_sample(rtt);
            self.samples.0 += rtt;
            self.samples.1 += 1;
        }
        self.fine = Some(fine);
        if self.checks_left > 0 {
            self.checks_left -= 1;
            if self.expired(core, clock) {
                core.dupacks = core.options.dupack_threshold;
                self.transmit(core, core.high_ack + 1, now, out);
            } else {
                self.checks_left = 0;
            }
        }
        // The window is this one's own.
        AckOutcome { repaired: true, ..outcome }
    }

    fn on_dupack(&mut self, core: &mut Core, _: &Ack, now: Time, out: &mut Outbox) {
        core.dupacks += 1;
        let clock = self.clock(now);
        if core.options.vegas_ring {
            self.fine.get_or_insert_with(|| FineTimer::new(clock));
        }
        let threshold = core.options.dupack_threshold;
        if self.expired(core, clock) || core.dupacks == threshold {
            let unguarded = core.options.fast_retransmit_guard == FastRetransmitGuard::None;
            if core.high_ack > core.recover || !self.after_timeout || unguarded {
                self.retransmit(core, now, out);
            }
        } else if core.dupacks > threshold {
            core.window.cwnd += 1.0;
        }
    }

    fn on_timeout(&mut self) {
        self.after_timeout = true;
        self.saved_window = 0.0;
    }

    fn idle_out(&mut self, core: &mut Core) {
        core.stop_timer();
    }

    fn time_out(&mut self, core: &mut Core, now: Time) {
        core.time_out(now, LEAST, false);
        self.cwnd_changed = self.clock(now);
    }

    fn send(&mut self, core: &mut Core, trigger: Trigger, now: Time, out: &mut Outbox) {
        let below_threshold = core.dupacks > 0 && core.dupacks < core.options.dupack_threshold;
        if trigger == Trigger::Ack && below_threshold {
            return;
        }
        if core.next_seq == 0 {
            // Also when the first packet is sent again.
            self.first_sent = Some(now);
        }
        let before = out.packets.len();
        core.send_window(now, 0, u32::MAX, out);
        for i in before..out.packets.len() {
            self.note_sent(core, i64::from(out.packets[i].0), now);
        }
    }
}
