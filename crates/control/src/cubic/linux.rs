//! CUBIC's growth as Linux counts it: in whole packets, by the ticks of its clock, and with a flow of Reno beside it
//! that grows by the same 0.53 packets a round trip for ever, where RFC 9438 lets it catch up.
//!
//! The window follows `cnt`, the ACKed packets for which it grows by one. `cnt` is worked out anew when the window has
//! changed or 28 ms have passed, so growth is slower than the curve's over short round trips.

use super::config::Config;
use crate::units::Time;
use crate::Silence;

/// Ticks a second of Debian's kernels.
const TICKS: f64 = 250.0;
/// While the window stays, so many ticks pass before `cnt` is worked out again.
const PATIENCE: u64 = TICKS as u64 / 32;
/// Parts of a second, the unit of times on the curve, and of one, for `c` and `beta`.
const SCALE: u64 = 1024;
/// Packets for which the window grows by one where the curve does not rise, in windows.
const SLOWEST: u64 = 100;
/// Before the first loss it grows by one for so many packets at least, and never for fewer than two.
const FIRST: u64 = 20;
const FEWEST: u64 = 2;
/// Longest time on the curve, in 1/1024 s, which is 24 days: `c` times its cube still fits.
const LONGEST: u64 = 1 << 31;

/// State of Linux's CUBIC between ACKs. Windows are packets, times ticks.
#[derive(Clone, Copy, Debug)]
pub struct Counting {
    /// `c` and `beta` in 1/1024.
    c: u64,
    beta: u64,
    /// Where ticks count from.
    began: Time,
    epoch: Option<Epoch>,
    last_cwnd: u64,
    last_update: u64,
    cnt: u64,
    /// ACKed packets that have not made the window grow yet.
    credit: u64,
}

/// Since the last reduction.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: u64,
    /// Where the curve is flat, and when, in 1/1024 s.
    plateau: u64,
    k: u64,
    /// The window of Reno, and packets ACKed that it has not grown for.
    reno: u64,
    acked: u64,
}

impl Counting {
    /// At the start of a flow.
    pub fn new(config: &Config) -> Self {
        let whole = |x: f64, most: u64| ((x * SCALE as f64).round() as u64).clamp(1, most);
        Counting {
            c: whole(config.c, u64::from(u32::MAX)),
            beta: whole(config.beta, SCALE - 1),
            began: Time::ZERO,
            epoch: None,
            last_cwnd: 0,
            last_update: 0,
            cnt: 0,
            credit: 0,
        }
    }

    /// The connection begins.
    pub fn begin_at(&mut self, now: Time) {
        self.began = now;
    }

    /// `bictcp_reset()`: what was learned is forgotten.
    pub fn reset(&mut self) {
        let Counting { c, beta, began, .. } = *self;
        *self = Counting { c, beta, began, epoch: None, last_cwnd: 0, last_update: 0, cnt: 0, credit: 0 };
    }

    /// `cubictcp_cwnd_event_tx_start()`: time on the curve stands still while nothing is sent.
    pub fn pause(&mut self, silence: &Silence) {
        let [from, to] = [silence.last_sent, silence.now].map(|at| self.tick(at));
        if let Some(epoch) = &mut self.epoch {
            epoch.start = (epoch.start + (to - from)).min(to);
        }
    }

    /// True in the first second of an epoch.
    pub fn is_fresh(&self, now: Time) -> bool {
        self.epoch.is_some_and(|epoch| self.tick(now) < epoch.start + TICKS as u64)
    }

    fn tick(&self, at: Time) -> u64 {
        (at.since(self.began).secs() * TICKS) as u64
    }

    /// The window is reduced (`cubictcp_recalc_ssthresh()`). Returns the plateau of the next curve, and the window that is
    /// left, both in whole packets.
    pub fn reduce(&mut self, cwnd: f64, w_max: f64, fast_convergence: bool) -> (f64, f64) {
        (self.epoch, self.credit) = (None, 0);
        let (cwnd, w_max) = (cwnd as u64, w_max as u64);
        let early = fast_convergence && cwnd < w_max;
        let plateau = if early { cwnd * (SCALE + self.beta) / (2 * SCALE) } else { cwnd };
        (plateau as f64, (cwnd * self.beta / SCALE) as f64)
    }

    /// The window after so many packets have been ACKed. `w_max` is the one before the last loss, or 0.
    pub fn grow(&mut self, cwnd: f64, acked: f64, now: Time, least_rtt: f64, w_max: f64) -> f64 {
        let (whole, acked) = (cwnd as u64, acked as u64);
        self.update_count(whole.max(1), acked, self.tick(now), least_rtt, w_max as u64);
        cwnd + self.earned(acked) as f64
    }

    /// Credit that was earned at a larger `cnt` is worth one packet.
    fn earned(&mut self, acked: u64) -> u64 {
        let mut grown = 0;
        if self.credit >= self.cnt {
            (self.credit, grown) = (0, 1);
        }
        self.credit += acked;
        grown += self.credit / self.cnt;
        self.credit %= self.cnt;
        grown
    }

    /// Sets `cnt`, the ACKs that a packet of growth takes (`bictcp_update`).
    fn update_count(&mut self, cwnd: u64, acked: u64, tick: u64, least_rtt: f64, w_max: u64) {
        if let Some(epoch) = &mut self.epoch {
            epoch.acked += acked;
        }
        if self.last_cwnd == cwnd && self.epoch.is_some() && tick - self.last_update <= PATIENCE {
            return;
        }
        let mut epoch = self.epoch.unwrap_or_else(|| self.begin(cwnd, acked, tick, w_max));
        if self.epoch.is_none() || tick != self.last_update {
            (self.last_cwnd, self.last_update) = (cwnd, tick);
            self.cnt = self.of_curve(&epoch, cwnd, tick, least_rtt);
            if w_max == 0 {
                self.cnt = self.cnt.min(FIRST);
            }
        }
        let ahead = epoch.reno_after((cwnd * self.reno_scale()) >> 3).saturating_sub(cwnd);
        self.cnt = cwnd.checked_div(ahead).map_or(self.cnt, |most| self.cnt.min(most));
        self.cnt = self.cnt.max(FEWEST);
        self.epoch = Some(epoch);
    }

    fn begin(&self, cwnd: u64, acked: u64, tick: u64, w_max: u64) -> Epoch {
        let below = w_max.saturating_sub(cwnd) as f64;
        let k = libm::cbrt(below * (SCALE as f64).powi(4) / self.c as f64) as u64;
        Epoch { start: tick, plateau: w_max.max(cwnd), k, reno: cwnd, acked }
    }

    /// `cnt` for the window to be where the curve is a round trip later.
    fn of_curve(&self, epoch: &Epoch, cwnd: u64, tick: u64, least_rtt: f64) -> u64 {
        let ahead = (least_rtt * TICKS).ceil() as u64;
        let t = ((tick - epoch.start).saturating_add(ahead)).saturating_mul(SCALE) / TICKS as u64;
        let from_k = u128::from(t.abs_diff(epoch.k).min(LONGEST));
        let rise = (u128::from(self.c) * from_k * from_k * from_k) >> 40;
        let rise = u64::try_from(rise).unwrap_or(u64::MAX);
        let target =
            if t < epoch.k { epoch.plateau.saturating_sub(rise) } else { epoch.plateau.saturating_add(rise) };
        if target > cwnd {
            cwnd / (target - cwnd)
        } else {
            SLOWEST * cwnd
        }
    }

    /// Eight times the windows of ACKed packets for which Reno's window grows by one, if it halves as little as CUBIC's.
    fn reno_scale(&self) -> u64 {
        8 * (SCALE + self.beta) / 3 / (SCALE - self.beta)
    }
}

impl Epoch {
    /// Reno's window, if it grows by one for so many packets.
    fn reno_after(&mut self, packets: u64) -> u64 {
        let packets = packets.max(1);
        let grown = self.acked.saturating_sub(1) / packets;
        self.acked -= grown * packets;
        self.reno += grown;
        self.reno
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The window after so many seconds of ACKs for each packet, over a path whose round trip stays.
    fn grown(from: f64, w_max: f64, rtt: f64, seconds: f64) -> f64 {
        let mut counting = Counting::new(&Config::default());
        let (mut cwnd, mut now) = (from, 0.0);
        while now < seconds {
            cwnd = counting.grow(cwnd, 1.0, Time::from_secs(now), rtt, w_max);
            now += rtt / cwnd;
        }
        cwnd
    }

    #[test]
    fn constants_are_those_of_the_kernel() {
        // 717 and 410 of 1024, and 15 eighths of a window for a packet of Reno's.
        let counting = Counting::new(&Config::default());
        assert_eq!((counting.beta, counting.c, counting.reno_scale()), (717, 410, 15));
    }

    #[test]
    fn it_meets_the_curve() {
        // From 280 of 400 packets the plateau is reached after cbrt(120 / 0.4) = 6.69 s.
        let k = libm::cbrt(300.0);
        for (seconds, expected) in [(k / 2.0, 400.0 - 120.0 / 8.0), (k, 400.0), (k + 3.0, 400.0 + 0.4 * 27.0)]
        {
            let reached = grown(280.0, 400.0, 0.1, seconds);
            assert!((reached - expected).abs() < 4.0, "{seconds}: {reached}, not {expected}");
        }
    }

    #[test]
    fn with_small_windows_it_is_as_fast_as_reno_but_no_faster() {
        // One packet in 15/8 round trips, also beyond the window before the loss, once Reno is a packet ahead.
        let reached = grown(10.0, 14.0, 0.1, 6.0);
        assert!((37.0..=42.0).contains(&reached), "{reached}");
    }

    #[test]
    fn over_short_round_trips_it_waits_for_the_clock() {
        // Reno grows by 10.7 packets in twenty round trips and by 107 in two hundred, and the clock costs it 28 ms.
        let [soon, later] = [0.02, 0.2].map(|seconds| grown(10.0, 14.0, 0.001, seconds));
        assert!((12.0..=16.0).contains(&soon) && (102.0..=117.0).contains(&later), "{soon} {later}");
    }

    #[test]
    fn the_first_growth_is_a_twentieth() {
        // Ten round trips by a twentieth each, without a loss before.
        let reached = grown(100.0, 0.0, 0.1, 1.0);
        assert!((reached - 100.0 * 1.05f64.powi(10)).abs() < 8.0, "{reached}");
    }

    #[test]
    fn reductions_leave_whole_packets() {
        let mut counting = Counting::new(&Config::default());
        assert_eq!(counting.reduce(35.9, 0.0, true), (35.0, 24.0));
        assert_eq!(counting.reduce(34.0, 35.0, true), (28.0, 23.0));
        assert_eq!(counting.reduce(34.0, 35.0, false), (34.0, 23.0));
        assert_eq!(counting.reduce(10.0, 0.0, true), (10.0, 7.0));
    }

    #[test]
    fn nothing_overflows() {
        let mut extreme = Counting::new(&Config { c: 1e300, beta: 1.0 - 1e-12, ..Config::default() });
        for (cwnd, seconds) in [(0.0, 0.0), (1e15, 9e6), (1.0, 9.1e6)] {
            let next = extreme.grow(cwnd, 4e9, Time::from_secs(seconds), 1e9, 1e15);
            assert!(next.is_finite() && next >= cwnd);
        }
    }
}
