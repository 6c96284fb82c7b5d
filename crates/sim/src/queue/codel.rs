//! CoDel: controlled delay (RFC 8289).
//!
//! Packets that have waited longer than a target for longer than an interval mean a standing queue. One is dropped
//! as it is about to leave, then another after `interval / sqrt(n)`, until the wait falls below the target.

use super::held::{Fifo, Held, Leaving};
use super::DepartureQueue;
use crate::scenario::{self, QueueVariant};
use crate::units::Time;

/// Parameters of CoDel's decision to drop; see [`CodelLaw`].
#[derive(Clone, Copy, Debug)]
pub struct CodelParams {
    /// Acceptable time in the queue.
    pub target: Time,
    /// Time for which packets may wait longer.
    pub interval: Time,
    /// Nothing is dropped while no more bytes than this wait.
    pub mtu_bytes: u64,
    /// True if packets are marked instead of dropped.
    pub ecn: bool,
    /// Packets that waited longer than this are marked, if any are.
    pub ce_threshold: Time,
    /// Behaviour of the control law: RFC 8289 or Linux.
    pub variant: QueueVariant,
}

impl CodelParams {
    /// As scenarios give them: target and interval first.
    pub fn new(
        (target, interval): (Time, Time),
        mtu_bytes: u32,
        (ecn, ce_threshold): (bool, Option<Time>),
        variant: QueueVariant,
    ) -> Self {
        let ce_threshold = ce_threshold.unwrap_or(Time::NEVER);
        CodelParams { target, interval, mtu_bytes: u64::from(mtu_bytes), ecn, ce_threshold, variant }
    }
}

/// Re-entering the dropping state within so many intervals of the last drop takes up the old rate of drops.
const RECENT_INTERVALS: u64 = 16;

/// The state machine of one CoDel queue: decides about packets as they leave a queue (RFC 8289, section 5).
#[derive(Clone, Debug, Default)]
pub struct CodelLaw {
    /// When a packet may be dropped if the wait stays above the target until then; none while it is below.
    first_above: Option<Time>,
    /// When the next packet is dropped, in the dropping state.
    drop_next: Time,
    /// Drops, or marks, since the dropping state was entered.
    count: u32,
    /// `count` after the dropping state was last entered.
    last_count: u32,
    dropping: bool,
    /// Linux's `1 / sqrt(count)`, in units of 2^-16.
    inverse_root: u16,
}

impl CodelLaw {
    /// Takes the next packet that leaves `queue` at `now`; what is dropped before it goes to `dropped`.
    ///
    /// `elsewhere` are bytes in other queues that count as waiting here when `mtu_bytes` is compared.
    pub fn pop(
        &mut self,
        params: &CodelParams,
        now: Time,
        (queue, elsewhere): (&mut Fifo, u64),
        dropped: &mut Vec<Held>,
    ) -> Option<Leaving> {
        let (mut first, mut may_drop) = self.do_dequeue(params, now, queue, elsewhere);
        let mut marked = false;
        if self.dropping {
            self.dropping = may_drop;
            while self.dropping && now >= self.drop_next {
                self.count = self.count.saturating_add(1);
                self.inverse_root = newton_step(self.inverse_root, self.count);
                marked = self.marks(params, first);
                if !marked {
                    dropped.extend(first);
                    (first, may_drop) = self.do_dequeue(params, now, queue, elsewhere);
                    self.dropping = may_drop;
                }
                if self.dropping {
                    self.drop_next += self.spacing(params);
                }
                if marked {
                    break;
                }
            }
        } else if may_drop {
            marked = self.marks(params, first);
            if !marked {
                dropped.extend(first);
                (first, _) = self.do_dequeue(params, now, queue, elsewhere);
            }
            self.enter(params, now);
        }
        let held = first?;
        let late = params.ecn && held.ecn_capable() && now.since(held.arrived) > params.ce_threshold;
        Some(Leaving { held, marked: marked || late })
    }

    /// Counts a packet that was dropped because the queue was too long.
    pub fn count_drop(&mut self) {
        self.count = self.count.saturating_add(1);
    }

    /// Drops, or marks, since the dropping state was entered.
    #[cfg(test)]
    pub fn drops(&self) -> u32 {
        self.count
    }

    /// Takes the first packet, and tells if it may be dropped: the wait has been above the target for an interval (`dodequeue`).
    fn do_dequeue(
        &mut self,
        params: &CodelParams,
        now: Time,
        queue: &mut Fifo,
        elsewhere: u64,
    ) -> (Option<Held>, bool) {
        let first = queue.pop();
        let above = first.is_some_and(|held| now.since(held.arrived) >= params.target)
            // [RFC 8289 4.1-a]
            && queue.bytes() + elsewhere > params.mtu_bytes;
        let may_drop = above && self.first_above.is_some_and(|time| now >= time);
        self.first_above = if above { Some(self.first_above.unwrap_or(now + params.interval)) } else { None };
        (first, may_drop)
    }

    fn marks(&self, params: &CodelParams, first: Option<Held>) -> bool {
        params.ecn && first.is_some_and(|held| held.ecn_capable())
    }

    /// Enters the dropping state, at the rate that ruled the queue if that was not long ago.
    fn enter(&mut self, params: &CodelParams, now: Time) {
        self.dropping = true;
        let since_last_entry = self.count.saturating_sub(self.last_count);
        let recent = now.since(self.drop_next).ps() < RECENT_INTERVALS * params.interval.ps();
        (self.count, self.inverse_root) = if since_last_entry > 1 && recent {
            (since_last_entry, newton_step(self.inverse_root, since_last_entry))
        } else {
            // [RFC 8289 3.3-a] [RFC 8289 4-a]
            (1, u16::MAX)
        };
        self.last_count = self.count;
        self.drop_next = now + self.spacing(params);
    }

    /// Time from one drop to the next: their rate grows with the square root of their number.
    fn spacing(&self, params: &CodelParams) -> Time {
        let inverse_root = match params.variant {
            QueueVariant::Rfc => f64::from(self.count).sqrt().recip(),
            QueueVariant::Linux => f64::from(self.inverse_root) / 65_536.0,
        };
        Time::from_ps((params.interval.ps() as f64 * inverse_root).round() as u64)
    }
}

/// Linux's `1 / sqrt(count)`: one step of Newton's method, `y (3 - count y^2) / 2`, from the value before. It is far off
/// while `count` is small, and wraps where `count` has grown by much at once, as it does there.
fn newton_step(inverse_root: u16, count: u32) -> u16 {
    let y = u64::from(inverse_root) << 16;
    let bracket = (3u64 << 32).wrapping_sub(u64::from(count) * ((y * y) >> 32)) >> 2;
    (bracket.wrapping_mul(y) >> 47) as u16
}

/// One queue, first in, first out, under a [`CodelLaw`].
#[derive(Clone, Debug)]
pub struct Codel {
    params: CodelParams,
    limit_packets: usize,
    limit_bytes: u64,
    law: CodelLaw,
    queue: Fifo,
}

impl Codel {
    /// The queue that a scenario asks for.
    pub fn new(config: &scenario::CoDel) -> Self {
        Codel {
            params: CodelParams::new(
                (config.target, config.interval),
                config.mtu_bytes,
                (config.ecn, config.ce_threshold),
                config.variant,
            ),
            limit_packets: config.limit_packets.map_or(usize::MAX, |n| n as usize),
            limit_bytes: config.limit_bytes.unwrap_or(u64::MAX),
            law: CodelLaw::default(),
            queue: Fifo::default(),
        }
    }
}

impl DepartureQueue for Codel {
    fn push(&mut self, held: Held, _flow: u64, dropped: &mut Vec<Held>) {
        let full = self.queue.packets() >= self.limit_packets
            || self.queue.bytes() + u64::from(held.packet.size) > self.limit_bytes;
        if full {
            dropped.push(held);
        } else {
            self.queue.push(held);
        }
    }

    fn pop(&mut self, now: Time, dropped: &mut Vec<Held>) -> Option<Leaving> {
        self.law.pop(&self.params, now, (&mut self.queue, 0), dropped)
    }

    fn waiting(&self) -> (u64, u64) {
        (self.queue.packets() as u64, self.queue.bytes())
    }

    fn packets(&self) -> Box<dyn Iterator<Item = &Held> + '_> {
        Box::new(self.queue.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{ecn, Packet};
    use crate::queue::Reason;

    fn ms(t: f64) -> Time {
        Time::from_secs(t / 1e3)
    }

    fn held(arrived: f64, ecn_capable: bool) -> Held {
        let (at, ecn) = (ms(arrived), if ecn_capable { ecn::CAPABLE } else { 0 });
        let packet = Packet::data(0, 1000, ecn, at);
        Held { packet, arrived: at, marked: false, reason: Reason::Full }
    }

    /// The RFC's settings, and packets that may be marked or not.
    struct CodelRun {
        codel: Codel,
        now: u32,
        ecn_capable: bool,
    }

    impl CodelRun {
        fn new(ecn: bool) -> Self {
            CodelRun::of(&serde_json::json!({ "ecn": ecn }))
        }

        fn of(settings: &serde_json::Value) -> Self {
            let config: scenario::CoDel = serde_json::from_value(settings.clone()).expect("settings");
            CodelRun { codel: Codel::new(&config), now: 0, ecn_capable: config.ecn }
        }

        /// So many milliseconds in which two packets arrive and the link takes one; when packets were dropped or marked.
        fn overloaded(&mut self, milliseconds: u32) -> Vec<u32> {
            let mut struck = Vec::new();
            for _ in 0..milliseconds {
                let mut dropped = Vec::new();
                for half in [0.0, 0.5] {
                    self.codel.push(
                        held(f64::from(self.now) + half - 1.0, self.ecn_capable),
                        0,
                        &mut dropped,
                    );
                }
                let leaving = self.codel.pop(ms(f64::from(self.now)), &mut dropped).expect("a packet waits");
                let strikes = dropped.len() + usize::from(leaving.marked);
                struck.extend(std::iter::repeat_n(self.now, strikes));
                self.now += 1;
            }
            struck
        }

        /// Takes all that waits out at once, and lets so many milliseconds pass.
        fn idle(&mut self, milliseconds: u32) {
            while self.codel.queue.pop().is_some() {}
            assert!(self.codel.pop(ms(f64::from(self.now)), &mut Vec::new()).is_none());
            self.now += milliseconds;
        }
    }

    /// Packet `k` arrives at `k / 2 - 1` and leaves at `k`: the wait reaches 5 ms at 8 ms, so packets may be dropped from
    /// 108 ms on. The next times are 108 + 100, + 100 / sqrt(2), + 100 / sqrt(3), ..., and the link looks each millisecond:
    /// 208, 278.71, 336.45, 386.45, 431.17.
    const STRUCK: [u32; 6] = [108, 208, 279, 337, 387, 432];

    #[test]
    // [RFC 8289 3.3-a] [RFC 8289 4-a]
    fn drops_follow_the_inverse_square_root() {
        assert_eq!(CodelRun::new(false).overloaded(470), STRUCK);
    }

    #[test]
    fn linux_approximates_the_square_root() {
        // One step from 1 for count 2 is 1 (3 - 2) / 2 = 0.5, and from there 0.5 (3 - 3 / 4) / 2 = 0.5625 for 3,
        // 0.48779 for 4, 0.44153 for 5.
        let roots = [2, 3, 4, 5].map({
            let mut root = u16::MAX;
            move |count| {
                root = newton_step(root, count);
                f64::from(root) / 65_536.0
            }
        });
        for (root, expected) in roots.into_iter().zip([0.5, 0.5625, 0.48779, 0.44153]) {
            assert!((root - expected).abs() < 1e-4, "{root} {expected}");
        }
        // So drops come at 108, 208, + 50, + 56.25, + 48.78, + 44.15, + 40.41.
        let mut run = CodelRun::of(&serde_json::json!({"variant": "linux"}));
        assert_eq!(run.overloaded(470), [108, 208, 258, 315, 364, 408, 448]);
    }

    #[test]
    fn marks_follow_it_too() {
        assert_eq!(CodelRun::new(true).overloaded(470), STRUCK);
    }

    #[test]
    fn soon_after_a_dropping_state_the_next_begins_at_its_rate() {
        let mut run = CodelRun::new(false);
        run.overloaded(470);
        assert_eq!((run.codel.law.count, run.codel.law.last_count), (6, 1));
        run.idle(100);
        // As at first, 108 ms after the start; six drops less the one that began, so the next comes 100 / sqrt(5) later.
        let start = run.now;
        let struck: Vec<u32> = run.overloaded(160).iter().map(|time| time - start).collect();
        assert_eq!(struck, [108, 153]);
        assert_eq!((run.codel.law.count, run.codel.law.last_count), (6, 5));
    }

    #[test]
    fn long_after_it_the_next_begins_anew() {
        let mut run = CodelRun::new(false);
        run.overloaded(470);
        // 472 is when the next drop was due: 431.17 + 100 / sqrt(6). The next state begins 16 intervals later.
        run.idle(472 + 1600 - 108 - 470);
        let start = run.now;
        let struck: Vec<u32> = run.overloaded(220).iter().map(|time| time - start).collect();
        assert_eq!(struck, [108, 208]);
        assert_eq!((run.codel.law.count, run.codel.law.last_count), (2, 1));
    }

    #[test]
    // [RFC 8289 4.1-a]
    fn one_mtu_may_wait_for_ever() {
        let config: scenario::CoDel =
            serde_json::from_value(serde_json::json!({"mtu_bytes": 1000})).expect("defaults");
        let mut codel = Codel::new(&config);
        let mut dropped = Vec::new();
        for second in 0..20 {
            codel.push(held(1000.0 * f64::from(second), false), 0, &mut dropped);
            if second > 0 {
                assert!(codel.pop(ms(1000.0 * f64::from(second)), &mut dropped).is_some());
            }
        }
        assert!(dropped.is_empty());
    }

    #[test]
    fn limits_count_what_waits() {
        let config: scenario::CoDel =
            serde_json::from_value(serde_json::json!({"limit_packets": 3, "limit_bytes": 2500}))
                .expect("defaults");
        let (mut codel, mut dropped) = (Codel::new(&config), Vec::new());
        for _ in 0..3 {
            codel.push(held(0.0, false), 0, &mut dropped);
        }
        assert_eq!((codel.waiting(), dropped.len()), ((2, 2000), 1));
    }

    #[test]
    fn a_long_wait_is_marked_beyond_the_threshold_alone() {
        let config: scenario::CoDel =
            serde_json::from_value(serde_json::json!({"ecn": true, "ce_threshold": 0.001}))
                .expect("defaults");
        let (mut codel, mut dropped) = (Codel::new(&config), Vec::new());
        let mut marked = |arrived: f64, capable: bool| {
            codel.push(held(arrived, capable), 0, &mut dropped);
            codel.pop(ms(10.0), &mut dropped).expect("a packet").marked
        };
        assert_eq!([marked(8.9, true), marked(9.0, true), marked(8.0, false)], [true, false, false]);
    }
}
