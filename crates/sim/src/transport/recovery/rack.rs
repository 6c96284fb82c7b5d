//! Loss detection by time and the tail loss probe: RACK-TLP (RFC 8985). A packet is lost when one that was sent later
//! has been delivered, and the time that reordering may take has passed; and when no ACK comes at all, a probe asks
//! for one before the timer expires. Receivers do not report duplicates (DSACK), so the window for reordering does
//! not widen by them (section 6.2, step 4).

use parshall_estimators::rto::RtoEstimator;

use super::prr::{Progress, Prr};
use super::{Phase, Recovery, Trigger};
use crate::control::AckKind;
use crate::transport::heard::Heard;
use crate::transport::sent_packets::SentPackets;
use crate::transport::{Ack, Core, Outbox, TcpOptions};
use crate::units::Time;

/// TLP.max_ack_delay: how long the ACK of a single packet may wait (section 7.2); that of Linux.
const MAX_ACK_DELAY: Time = Time::from_ps(200_000_000_000);
/// The time to a probe before the first sample (section 7.2).
const FIRST_PROBE: Time = Time::from_ps(1_000_000_000_000);

/// A probe that no ACK has answered yet (section 7.1).
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// The highest packet sent when it left.
    end: i64,
    sent: Time,
    /// Whether it was the last packet again.
    again: bool,
}

/// The state of RACK-TLP.
#[derive(Clone, Debug)]
pub struct Rack {
    phase: Phase,
    packets: SentPackets,
    prr: Option<Prr>,
    probe: Option<Probe>,
    /// The reordering timer.
    reordering_at: Time,
    /// The timer of the probe.
    probe_at: Time,
    /// When the retransmission timer expires, while the core has one of those two in its place: at any time one of the
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
            reordering_at: Time::NEVER,
            probe_at: Time::NEVER,
            put_off: None,
        }
    }

    fn transmit(&mut self, core: &mut Core, seq: i64, now: Time, out: &mut Outbox) {
        if seq == core.high_ack + 1 && seq <= core.max_seq {
            // The packet that the timer guards gets its time again, however often it is lost and found to be.
            core.restart_timer(now);
        }
        core.send(seq, now, out);
        core.next_seq = core.max_seq + 1;
        self.packets.on_send(seq, now);
        if let Some(prr) = &mut self.prr {
            prr.on_send();
        }
    }

    /// Takes in what an ACK reports, and what it shows to be lost. Returns how many packets it reports for the first
    /// time.
    fn take_in(&mut self, core: &mut Core, ack: &Ack, now: Time) -> Progress {
        let advances = ack.high >= core.high_ack && self.packets.first() <= ack.high;
        let delivered = self.packets.on_ack(ack, now);
        let lost = self.detect(core, now);
        Progress { delivered, in_flight: self.packets.in_flight(), safe: advances && lost == 0 }
    }

    /// Section 6.2, steps 4 and 5. Returns how many packets are newly lost.
    fn detect(&mut self, core: &mut Core, now: Time) -> i64 {
        let threshold = i64::from(core.options.dupack_threshold);
        let sure = self.phase != Phase::Open || self.packets.reported() >= threshold;
        let (srtt, mut lost) = (core.timer().estimator().srtt(), 0);
        self.reordering_at = self.packets.detect(now, srtt, sure, |seq| {
            lost += 1;
            core.lose(seq);
        });
        lost
    }

    /// Begins a recovery if something is lost and none is under way. `progress` is that of the ACK that shows it.
    fn enter_if_lost(&mut self, core: &mut Core, progress: Progress, now: Time, out: &mut Outbox) {
        if self.phase != Phase::Open || self.packets.lost() == 0 {
            return;
        }
        core.reduce(now);
        self.phase = Phase::Recovery;
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
        match self.phase {
            Phase::Open => self.enter_if_lost(core, progress, now, out),
            Phase::Recovery => self.shrink(core, progress),
            Phase::AfterTimeout => {}
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
        while self.packets.in_flight() + kept < core.window.cwnd as i64 {
            let new = Some(core.max_seq + 1).filter(|&seq| seq <= last);
            let Some(seq) = self.packets.first_lost().or(new) else {
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
        let connected = core.high_ack >= 0 || !core.options.handshake;
        let quiet = self.phase == Phase::Open && self.packets.reported() == 0;
        connected && quiet && self.probe.is_none() && self.packets.outstanding() > 0
    }

    /// Section 7.2: when a probe is sent if no ACK comes.
    fn schedule_probe(&mut self, core: &Core, now: Time) {
        let single = self.packets.outstanding() == 1;
        let allowance = if single { MAX_ACK_DELAY } else { Time::ZERO };
        let srtt = core.timer().estimator().srtt();
        let wait = srtt.map_or(FIRST_PROBE, |srtt| Time::from_secs(2.0 * srtt) + allowance);
        self.probe_at = (now + wait).min(core.deadline());
    }

    /// Section 7.3: new data if there is any, or else the last packet again, whatever the window says.
    fn send_probe(&mut self, core: &mut Core, now: Time, out: &mut Outbox) {
        let new = core.max_seq < core.last_allowed();
        self.transmit(core, core.max_seq + i64::from(new), now, out);
        self.probe = Some(Probe { end: core.max_seq, sent: now, again: !new });
        core.restart_timer(now);
    }

    /// Section 7.4: an ACK that reaches the end of a probe. If it answers the probe and not the packet of which that
    /// was a copy, the copy has repaired a loss, which the window has to answer.
    fn end_probe(&mut self, core: &mut Core, ack: &Ack, now: Time) {
        let Some(probe) = self.probe.filter(|probe| ack.high >= probe.end) else {
            return;
        };
        self.probe = None;
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
        let earlier = self.reordering_at.min(self.probe_at);
        if earlier < Time::NEVER && earlier <= core.deadline() {
            self.put_off = Some(core.deadline());
            core.set_deadline(earlier);
        }
    }
}

impl Recovery for Rack {
    fn on_new_ack(&mut self, core: &mut Core, ack: &Ack, now: Time, out: &mut Outbox) -> Heard {
        self.resume_timer(core);
        let was = self.phase;
        core.dupacks = 0;
        let known = self.packets.reported_up_to(ack.high);
        let progress = self.take_in(core, ack, now);
        let heard = core.advance(ack, now);
        let heard = Heard { fresh: heard.packets - known, ..heard };
        self.end_probe(core, ack, now);
        self.probe_at = Time::NEVER;
        if was != Phase::Open && ack.high >= core.recover {
            self.phase = Phase::Open;
            if was == Phase::Recovery && self.prr.is_some() {
                core.window.cwnd = core.window.ssthresh;
            }
        } else if was == Phase::Recovery {
            self.shrink(core, progress);
        }
        self.enter_if_lost(core, progress, now, out);
        match was {
            Phase::Recovery if self.phase == Phase::Recovery => Heard { kind: AckKind::Partial, ..heard },
            Phase::Recovery => Heard { repaired: true, ..heard },
            _ if self.phase == Phase::Recovery => Heard { kind: AckKind::Partial, ..heard },
            // What was lost does not fill the window, but the window is what limits the sender.
            Phase::AfterTimeout => Heard { window_limited: true, ..heard },
            Phase::Open => heard,
        }
    }

    fn on_dupack(&mut self, core: &mut Core, ack: &Ack, now: Time, out: &mut Outbox) {
        self.resume_timer(core);
        self.end_probe(core, ack, now);
        let progress = self.take_in(core, ack, now);
        if progress.delivered == 0 {
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
        core.next_seq = core.max_seq + 1;
    }

    fn send(&mut self, core: &mut Core, _: Trigger, now: Time, out: &mut Outbox) {
        self.resume_timer(core);
        let (before, acked) = (core.max_seq, self.probe_at == Time::NEVER);
        self.send_allowed(core, now, out);
        if !self.may_probe(core) {
            self.probe_at = Time::NEVER;
        } else if acked || core.max_seq > before {
            self.schedule_probe(core, now);
        }
        self.choose_timer(core);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::scenario::RecoveryName;
    use crate::transport::{SackBlocks, TcpSender};
    use proptest::prelude::*;

    const NOTHING: [u32; 0] = [];

    fn ms(ms: u64) -> Time {
        Time::from_ps(ms * 1_000_000_000)
    }

    /// A sender with RACK-TLP, without a handshake and without proportional rate reduction.
    struct Bench {
        sender: TcpSender,
        out: Outbox,
    }

    impl Bench {
        /// It has `packets` to send, of which the first ten have left at 0 ms.
        fn new(packets: u32) -> Self {
            let options = TcpOptions { sack: true, prr: false, handshake: false, ..TcpOptions::linux() };
            let sender = TcpSender::new(Arc::new(options), RecoveryName::Sack, Time::ZERO, 1, "f");
            let mut bench = Bench { sender, out: Outbox::default() };
            bench.sender.on_data(packets, Time::ZERO, &mut bench.out);
            assert_eq!(bench.sent(), (0..packets.min(10)).collect::<Vec<_>>());
            bench
        }

        fn sent(&mut self) -> Vec<u32> {
            self.out.packets.drain(..).map(|(seq, _)| seq).collect()
        }

        /// An ACK comes; returns what is sent on it. The first block is the one reported last.
        fn ack(&mut self, high: i64, blocks: &[(u32, u32)], echo: u64, now: u64) -> Vec<u32> {
            let mut reported = SackBlocks::default();
            for &(low, beyond) in blocks.iter().rev() {
                reported.report(low, beyond);
            }
            let ack = Ack { high, echo: ms(echo), blocks: &reported, ecn_echo: false };
            self.sender.on_ack(&ack, ms(now), &mut self.out);
            self.sent()
        }

        /// The timer expires, which it does at `now`; returns what is sent then.
        #[track_caller]
        fn timer(&mut self, now: u64) -> Vec<u32> {
            assert_eq!(self.sender.core().deadline(), ms(now), "the timer expires at another time");
            self.sender.on_timeout(ms(now), &mut self.out);
            self.sent()
        }

        fn timeouts(&self) -> u32 {
            self.sender.core().counters.timeouts
        }
    }

    /// RFC 8985, section 6.2: a packet that a later one has overtaken is lost after a round trip and a quarter.
    #[test]
    fn a_gap_is_a_loss_when_a_quarter_of_a_round_trip_has_passed() {
        let mut bench = Bench::new(10);
        assert_eq!(bench.ack(-1, &[(1, 2)], 0, 100), NOTHING);
        assert_eq!(bench.timer(125), [0]);
        assert_eq!((bench.sender.core().counters.fast_retransmits, bench.timeouts()), (1, 0));
    }

    #[test]
    fn what_comes_within_a_quarter_of_a_round_trip_was_not_lost() {
        let mut bench = Bench::new(10);
        assert_eq!(bench.ack(-1, &[(1, 2)], 0, 100), NOTHING);
        assert_eq!(bench.ack(1, &[], 0, 124), NOTHING);
        assert_eq!(bench.sender.core().counters.packets_retransmitted, 0);
        // From now on reordering is known, and three packets beyond a gap are no proof.
        for beyond in 4..8 {
            assert_eq!(bench.ack(1, &[(3, beyond)], 0, 124), NOTHING);
        }
        assert_eq!(bench.ack(9, &[], 0, 148), NOTHING);
        assert_eq!(bench.sender.core().counters.packets_retransmitted, 0);
    }

    /// Section 6.2, step 4: where reordering has not been seen, DupThresh packets beyond a gap are enough.
    #[test]
    fn three_packets_beyond_a_gap_are_a_loss_at_once() {
        let mut bench = Bench::new(10);
        assert_eq!(bench.ack(-1, &[(1, 2)], 0, 100), NOTHING);
        assert_eq!(bench.ack(-1, &[(1, 3)], 0, 100), NOTHING);
        assert_eq!(bench.ack(-1, &[(1, 4)], 0, 100), [0]);
    }

    /// A packet sent after the one that was sent again has arrived: the latter is lost again.
    #[test]
    fn a_lost_retransmission_is_found_without_a_timeout() {
        let mut bench = Bench::new(20);
        for beyond in 2..4 {
            bench.ack(-1, &[(1, beyond)], 0, 100);
        }
        assert_eq!(bench.ack(-1, &[(1, 4)], 0, 101), [0]);
        let mut new = Vec::new();
        for beyond in 5..=10 {
            new.extend(bench.ack(-1, &[(1, beyond)], 0, 101));
        }
        assert_eq!(new.first(), Some(&12), "two have been sent by limited transmit");
        // Those two left before packet 0 did so again, the next one after it.
        for (beyond, echo) in [(11, 100), (12, 100)] {
            assert!(!bench.ack(-1, &[(1, beyond)], echo, echo + 100).contains(&0));
        }
        assert_eq!(bench.ack(-1, &[(1, 13)], 101, 201).first(), Some(&0));
        let core = bench.sender.core();
        assert_eq!(core.deadline(), ms(201) + Time::from_secs(core.rto()), "it has its time again");
        assert_eq!((bench.timeouts(), bench.sender.core().counters.fast_retransmits), (0, 1));
    }

    /// Sections 7.2 and 7.3. The probe is answered by a block that shows all of the tail to be lost.
    #[test]
    fn a_lost_tail_is_repaired_after_two_round_trips() {
        let mut bench = Bench::new(10);
        assert_eq!(bench.ack(5, &[], 0, 100), NOTHING);
        assert_eq!(bench.timer(300), [9]);
        assert_eq!(bench.ack(5, &[(9, 10)], 300, 400), [6, 7], "the window is halved, to two packets");
        assert_eq!(bench.ack(6, &[(9, 10)], 400, 500), [8]);
        bench.ack(7, &[(9, 10)], 400, 500);
        bench.ack(9, &[], 500, 600);
        assert_eq!((bench.timeouts(), bench.sender.core().in_flight()), (0, 0));
    }

    /// Section 7.4: the window answers a loss that nothing but the probe has repaired.
    #[test]
    fn a_loss_that_a_probe_repairs_reduces_the_window() {
        for (echo, reductions) in [(400, 1), (0, 0)] {
            let mut bench = Bench::new(10);
            assert_eq!(bench.ack(8, &[], 0, 100), NOTHING);
            // One packet is in flight, whose ACK may be delayed: the probe takes the place of the timeout.
            assert_eq!(bench.timer(400), [9]);
            bench.ack(9, &[], echo, 500);
            assert_eq!(bench.sender.core().counters.fast_retransmits, reductions);
            assert_eq!(bench.timeouts(), 0);
        }
    }

    #[test]
    fn a_probe_is_new_data_where_there_is_any() {
        let mut bench = Bench::new(60);
        let sent = bench.ack(1, &[], 0, 100);
        let last = *sent.last().expect("new packets");
        assert_eq!(bench.timer(300), [last + 1]);
        // There is one probe at a time; then the timer takes its turn.
        let deadline = bench.sender.core().deadline();
        assert_eq!(deadline, ms(300) + Time::from_secs(bench.sender.core().rto()));
        bench.sender.on_timeout(deadline, &mut bench.out);
        assert_eq!(bench.timeouts(), 1);
    }

    #[test]
    fn a_syn_is_not_probed() {
        let options = TcpOptions { sack: true, ..TcpOptions::linux() };
        let mut sender = TcpSender::new(Arc::new(options), RecoveryName::Sack, Time::ZERO, 1, "f");
        let mut out = Outbox::default();
        sender.on_data(5, Time::ZERO, &mut out);
        sender.on_timeout(sender.core().deadline(), &mut out);
        assert_eq!(sender.core().counters.timeouts, 1);
    }

    /// Section 6.3: a timeout takes what was sent just before it for in flight.
    #[test]
    fn a_timeout_spares_what_was_sent_a_moment_ago() {
        let mut bench = Bench::new(30);
        bench.ack(-1, &[(1, 2)], 0, 100);
        bench.timer(125);
        let timeout = bench.sender.core().deadline();
        let sent: Vec<u32> = bench.ack(-1, &[(1, 10)], 0, timeout.ps() / 1_000_000_000 - 1);
        assert!(!sent.is_empty());
        bench.sender.on_timeout(timeout, &mut bench.out);
        assert_eq!(bench.sent(), [0], "and none of {sent:?}");
        assert_eq!(bench.timeouts(), 1);
    }

    proptest! {
        /// Over a network that loses any transmission, keeps the order and takes 50 ms each way, everything arrives,
        /// and what is counted in flight is what has neither been reported nor taken for lost.
        #[test]
        fn everything_arrives(lost in prop::collection::btree_set(0usize..90, 0..40), packets in 1u32..60, prr in any::<bool>()) {
            let options = TcpOptions { sack: true, prr, handshake: false, delayed_ack: None, ..TcpOptions::linux() };
            let options = Arc::new(options);
            let mut sender = TcpSender::new(options.clone(), RecoveryName::Sack, Time::ZERO, 1, "f");
            let mut receiver = crate::transport::TcpReceiver::new(options);
            let (mut out, mut acks) = (Outbox::default(), std::collections::VecDeque::new());
            let (mut now, mut number) = (Time::ZERO, 0);
            sender.on_data(packets, now, &mut out);
            while !sender.finished() {
                for (seq, flags) in out.packets.drain(..) {
                    number += 1;
                    if !lost.contains(&number) {
                        let ack = receiver.on_data(seq, now, flags, now).expect("an ACK for each packet");
                        acks.push_back((now + ms(100), ack, *receiver.reported()));
                    }
                }
                let next = acks.front().map_or(Time::NEVER, |(at, ..)| *at);
                prop_assert!(next.min(sender.core().deadline()) < ms(1_000_000), "it goes on");
                if sender.core().deadline() <= next {
                    now = sender.core().deadline();
                    sender.on_timeout(now, &mut out);
                } else if let Some((at, ack, blocks)) = acks.pop_front() {
                    now = at;
                    let ack = Ack { high: i64::from(ack.next) - 1, echo: ack.stamp, blocks: &blocks, ecn_echo: false };
                    sender.on_ack(&ack, now, &mut out);
                }
            }
            // No transmission was in vain but for probes and after timeouts: the network keeps the order.
            let counters = sender.core().counters;
            if counters.timeouts == 0 {
                let needless = i64::from(counters.packets_retransmitted) - lost.range(..=number).count() as i64;
                prop_assert!(needless <= 1, "{needless} needless transmissions");
            }
        }
    }
}
