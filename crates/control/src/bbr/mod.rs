//! BBR version 1: a model of the path, its bottleneck's rate and its propagation round trip, sets rate and window
//! (Cardwell et al. 2016; draft-cardwell-iccrg-bbr-congestion-control-00, whose sections are quoted).
//!
//! Linux sends two packets at a time at least (bbr_min_tso_segs()), so that the second waits for the first on its way. Here
//! they leave one by one, and an ACK of two is timed by the first, which has waited for the second at the receiver: as long.

mod bounds;
mod config;
mod least_rtt;
mod linux;
mod rates;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

use bounds::{Bounds, Model, Stage};
use config::LEAST_WINDOW;
pub use config::{Config, Variant};
use linux::Linux;
use rates::RateFilter;

use crate::random::Stream;
use crate::units::Time;
use crate::{AckSample, Congestion, Loss, PathSample, Silence, Start, Window};

/// Section 4.3.2.1: 2 / ln 2, the least gain that lets the rate double each round.
const HIGH_GAIN: f64 = 2.885_39;
/// Section 4.3.4.1: rate gains of ProbeBW, one a round trip.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Section 4.3.4.1: twice the path's product, for delayed and stretched ACKs.
const CWND_GAIN: f64 = 2.0;
/// Section 4.3.2.2: the pipe is full if the rate grows by less than this in so many rounds.
const FULL_GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;
/// Linux paces a little below the estimated rate, so that a queue that has formed drains.
const PACING_MARGIN: f64 = 0.99;
/// Round-trip time taken before there is a sample (section 4.2.1).
const FIRST_RTT_S: f64 = 1e-3;
/// Section 4.2.2: what leaves at once, a millisecond's worth, and two packets at least.
const QUANTUM_S: f64 = 1e-3;
const LEAST_QUANTUM: f64 = 2.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// BBR's model of the path, and where it is in probing it. Rates are packets a second.
#[derive(Clone, Debug)]
pub struct Bbr {
    phase: Phase,
    random: Stream,
    rates: RateFilter,
    /// The round trip without a queue (RTprop), and when it was seen last.
    min_rtt: f64,
    min_rtt_at: Time,
    rounds: u64,
    /// The round ends when a packet sent after so many deliveries is acknowledged.
    round_end: u64,
    round_start: bool,
    /// Where the rate was when it last grew, and rounds since.
    full_rate: f64,
    full_rounds: u32,
    pipe_is_full: bool,
    cycle: usize,
    cycle_start: Time,
    probe_rtt_until: Option<Time>,
    probe_rtt_round_over: bool,
    /// Packets sent when so many had been delivered were sent in the last stay in ProbeRTT, whose rates are low.
    probe_rtt_delivered: RangeInclusive<u64>,
    /// The window before recovery or ProbeRTT.
    prior_cwnd: f64,
    repairing: bool,
    conserving: bool,
    after_timeout: bool,
    after_idle: bool,
    initial_window: f64,
    seen_rtt: bool,
    pacing_rate: f64,
    /// In version 3.
    bounds: Option<Bounds>,
    linux: Option<Linux>,
}

impl Bbr {
    /// The control at the start of a connection (section 4.3.1, BBRInit).
    pub fn new(config: &Config, start: &Start<'_>) -> Self {
        Bbr {
            phase: Phase::Startup,
            random: start.stream(),
            rates: RateFilter::default(),
            min_rtt: f64::INFINITY,
            min_rtt_at: Time::ZERO,
            rounds: 0,
            round_end: 0,
            round_start: false,
            full_rate: 0.0,
            full_rounds: 0,
            pipe_is_full: false,
            cycle: 0,
            cycle_start: Time::ZERO,
            probe_rtt_until: None,
            probe_rtt_round_over: false,
            // Nothing yet.
            #[allow(clippy::reversed_empty_ranges)]
            probe_rtt_delivered: 1..=0,
            prior_cwnd: 0.0,
            repairing: false,
            conserving: false,
            after_timeout: false,
            after_idle: false,
            initial_window: start.initial_window,
            seen_rtt: false,
            pacing_rate: HIGH_GAIN * start.initial_window / FIRST_RTT_S,
            bounds: config.bounds.then(Bounds::default),
            linux: (config.variant == Some(Variant::Linux)).then(Linux::default),
        }
    }

    /// The gains of rate and window (sections 4.3.2.1, 4.3.3, 4.3.4.1 and 4.3.5).
    fn gains(&self) -> (f64, f64) {
        match self.phase {
            Phase::Startup => (self.high_gain(), self.high_gain()),
            Phase::Drain if self.linux.is_some() => (linux::DRAIN_GAIN, linux::HIGH_GAIN),
            Phase::Drain => (1.0 / HIGH_GAIN, HIGH_GAIN),
            Phase::ProbeBw if self.policed_rate().is_some() => (1.0, CWND_GAIN),
            Phase::ProbeBw => (CYCLE[self.cycle], CWND_GAIN),
            Phase::ProbeRtt => (1.0, 1.0),
        }
    }

    fn high_gain(&self) -> f64 {
        self.linux.as_ref().map_or(HIGH_GAIN, |_| linux::HIGH_GAIN)
    }

    /// The pacing rate for a window that leaves in a round trip of so many seconds.
    fn first_rate(&self, window: &Window, rtt: f64) -> f64 {
        let margin = self.linux.as_ref().map_or(1.0, |_| PACING_MARGIN);
        margin * self.high_gain() * window.cwnd / rtt
    }

    fn policed_rate(&self) -> Option<f64> {
        self.linux.as_ref().and_then(Linux::policed_rate)
    }

    /// The rate to go by.
    fn rate(&self) -> f64 {
        let rate = self.policed_rate().unwrap_or_else(|| self.rates.max());
        self.bounds.as_ref().map_or(rate, |bounds| bounds.rate(rate))
    }

    fn stage(&self) -> Stage {
        match self.phase {
            Phase::Startup => Stage::Startup,
            Phase::ProbeBw if CYCLE[self.cycle] > 1.0 => Stage::Up,
            _ => Stage::Other,
        }
    }

    /// Version 3: what losses and marks say. They can end Startup, and a probe.
    fn heed_bounds(&mut self, ack: &AckSample<'_>, path: &PathSample, cwnd: f64) {
        let (stage, rate) = (self.stage(), self.rates.max());
        let product = if self.min_rtt.is_finite() { rate * self.min_rtt } else { self.initial_window };
        let model = Model { stage, rate, product, cwnd };
        let Some(bounds) = &mut self.bounds else {
            return;
        };
        if bounds.on_ack(path, ack.ecn_echo, self.round_start, &model) {
            match stage {
                Stage::Startup => self.pipe_is_full = true,
                _ => self.next_in_cycle(ack.now),
            }
        }
    }

    /// Section 4.2.3.2: packets that fill the path `gain` times over, and what hosts hold back at once.
    fn inflight(&self, gain: f64) -> f64 {
        self.inflight_with(gain, 0.0)
    }

    /// Inflight with room for ACKs that come together, as Linux gives it.
    fn inflight_with(&self, gain: f64, room: f64) -> f64 {
        if self.min_rtt.is_infinite() {
            return self.initial_window;
        }
        let filled = (gain * self.rate() * self.min_rtt).ceil();
        match &self.linux {
            None => filled + 3.0 * self.quantum(LEAST_QUANTUM),
            Some(_) => {
                // bbr_quantization_budget(): the sum is even.
                let sum = filled + room + 3.0 * self.linux_quantum();
                2.0 * (sum / 2.0).ceil() + if self.probes_up() { 2.0 } else { 0.0 }
            }
        }
    }

    /// Packets that leave at once.
    fn quantum(&self, least: f64) -> f64 {
        (self.pacing_rate * QUANTUM_S).floor().max(least)
    }

    fn linux_quantum(&self) -> f64 {
        self.quantum(Linux::least_quantum(self.pacing_rate))
    }

    fn probes_up(&self) -> bool {
        self.phase == Phase::ProbeBw && self.cycle == 0
    }

    /// Sections 4.1.1.3 to 4.1.1.5: counts rounds and takes in the delivery rate.
    /// Returns whether that rate was held back from within.
    fn update_rate(&mut self, path: &PathSample) -> bool {
        self.round_start = path.newly_delivered > 0 && path.prior_delivered >= self.round_end;
        if self.round_start {
            self.round_end = path.delivered;
            self.rounds += 1;
            self.conserving = false;
        }
        let rate = path.delivery_rate;
        let limited = path.app_limited || self.probe_rtt_delivered.contains(&path.prior_delivered);
        if rate.is_finite() && (!limited || rate >= self.rates.max()) {
            self.rates.update(self.rounds, rate);
        }
        limited
    }

    /// Linux: looks out for a policer, and for ACKs that come together.
    fn heed_linux(&mut self, path: &PathSample, limited: bool, now: Time, cwnd: f64) {
        let (rates, round_start, probes) = (self.rates.max(), self.round_start, self.phase == Phase::ProbeBw);
        let Some(linux) = &mut self.linux else {
            return;
        };
        let over = linux.sample_ack(path, limited, now, round_start, probes);
        linux.weigh(path, linux.policed_rate().unwrap_or(rates), cwnd, now, round_start);
        if over {
            self.enter_probe_bw(now);
        }
    }

    /// Section 4.3.4.3: a phase of the cycle lasts for a round trip; probing up, until the queue or a loss shows
    /// that it has been felt; probing down, only until the queue is gone.
    fn advance_cycle(&mut self, path: &PathSample, now: Time) {
        let lasted = now.since(self.cycle_start).secs() > self.min_rtt;
        let before = (path.in_flight + i64::from(path.newly_delivered) + i64::from(path.newly_lost)) as f64;
        let gain = self.gains().0;
        let before = self.in_network(path, before, gain);
        let over = if gain > 1.0 {
            // In version 3 a loss alone does not end it; too many do.
            lasted && (path.newly_lost > 0 && self.bounds.is_none() || before >= self.inflight(gain))
        } else if gain < 1.0 {
            lasted || before <= self.inflight(1.0)
        } else {
            lasted
        };
        if over {
            self.next_in_cycle(now);
        }
    }

    /// Packets of `in_flight` that are in the network. Linux asks how many there will be when the next packet leaves, with
    /// that packet where the rate probes for more.
    fn in_network(&self, path: &PathSample, in_flight: f64, gain: f64) -> f64 {
        if self.linux.is_none() {
            return in_flight;
        }
        let next = if gain > 1.0 { self.linux_quantum() } else { 0.0 };
        Linux::in_network(path, in_flight + next, self.rate())
    }

    fn next_in_cycle(&mut self, now: Time) {
        self.cycle = (self.cycle + 1) % CYCLE.len();
        self.cycle_start = now;
        self.begin_probe();
    }

    /// Version 3: a probe puts to the test what losses have taught.
    fn begin_probe(&mut self) {
        if let (Stage::Up, Some(bounds)) = (self.stage(), &mut self.bounds) {
            bounds.probe();
        }
    }

    /// Section 4.3.2.2.
    fn check_full_pipe(&mut self, limited: bool) {
        if self.pipe_is_full || !self.round_start || limited {
            return;
        }
        if self.rates.max() >= FULL_GROWTH * self.full_rate {
            (self.full_rate, self.full_rounds) = (self.rates.max(), 0);
            return;
        }
        self.full_rounds += 1;
        self.pipe_is_full = self.full_rounds >= FULL_ROUNDS;
    }

    /// Section 4.3.3.
    fn check_drain(&mut self, window: &mut Window, path: &PathSample, now: Time) {
        if self.phase == Phase::Startup && self.pipe_is_full {
            self.phase = Phase::Drain;
            if self.linux.is_some() {
                // Nothing goes by it; that it is finite tells whoever looks that Startup is over.
                window.ssthresh = self.inflight(1.0);
            }
        }
        if self.phase == Phase::Drain {
            let in_network = self.in_network(path, path.in_flight as f64, self.gains().0);
            if in_network <= self.inflight(1.0) {
                self.enter_probe_bw(now);
            }
        }
    }

    /// Section 4.3.4.2: anywhere in the cycle but where it probes down, so that flows do not probe together.
    fn enter_probe_bw(&mut self, now: Time) {
        self.phase = Phase::ProbeBw;
        let drawn = self.random.below(CYCLE.len() as u64 - 1) as usize;
        self.cycle = if drawn == 0 { 0 } else { drawn + 1 };
        self.cycle_start = now;
        self.begin_probe();
    }

    /// Section 4.2.1: until the pipe is full the rate never falls.
    fn set_pacing_rate(&mut self, window: &Window, path: &PathSample) {
        if !self.seen_rtt && path.srtt > 0.0 {
            self.seen_rtt = true;
            self.pacing_rate = self.first_rate(window, path.srtt);
        }
        let rate = PACING_MARGIN * self.gains().0 * self.rate();
        if rate > 0.0 && (self.pipe_is_full || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// Section 4.2.3.6.
    fn set_cwnd(&mut self, window: &mut Window, path: &PathSample) {
        let delivered = f64::from(path.newly_delivered);
        if path.newly_delivered > 0 && !self.recovers(window, path) {
            let room = match &self.linux {
                Some(linux) if self.pipe_is_full => linux.room(self.rate()),
                _ => 0.0,
            };
            let more = if self.linux.is_none() && self.probes_up() { 2.0 } else { 0.0 };
            let target = self.inflight_with(self.gains().1, room) + more;
            if self.pipe_is_full {
                window.cwnd = (window.cwnd + delivered).min(target);
            } else if window.cwnd < target || (path.delivered as f64) < self.grows_freely_for() {
                window.cwnd += delivered;
            }
            window.cwnd = window.cwnd.max(LEAST_WINDOW);
        }
        if let Some(bounds) = &self.bounds {
            window.cwnd = bounds.window(window.cwnd, self.stage());
        }
        if self.phase == Phase::ProbeRtt {
            window.cwnd = window.cwnd.min(LEAST_WINDOW);
        }
    }

    /// Packets for whose ACKs the window grows whatever the target: twice the initial window, and in Linux as many as that,
    /// the SYN included.
    fn grows_freely_for(&self) -> f64 {
        self.linux.as_ref().map_or(2.0, |_| 1.0) * self.initial_window
    }

    /// Section 4.2.3.4: in the first round of recovery a packet is sent for each that is delivered; after it the
    /// window is what it was. Returns whether that sets the window.
    fn recovers(&mut self, window: &mut Window, path: &PathSample) -> bool {
        if path.newly_lost > 0 {
            window.cwnd = (window.cwnd - f64::from(path.newly_lost)).max(1.0);
        }
        let held = path.in_flight as f64 + f64::from(path.newly_delivered);
        let was = std::mem::replace(&mut self.repairing, path.in_recovery);
        if path.in_recovery && !was && !self.after_timeout {
            self.conserving = true;
            self.round_end = path.delivered;
            window.cwnd = held;
        } else if was && !path.in_recovery {
            window.cwnd = window.cwnd.max(self.prior_cwnd);
            (self.conserving, self.after_timeout) = (false, false);
        }
        if self.conserving {
            window.cwnd = window.cwnd.max(held);
        }
        self.conserving
    }

    fn save_cwnd(&mut self, window: &Window) {
        let keeps = self.repairing || self.phase == Phase::ProbeRtt;
        self.prior_cwnd = if keeps { self.prior_cwnd.max(window.cwnd) } else { window.cwnd };
    }
}

impl Congestion for Bbr {
    const PACED: bool = true;
    const RULES_RECOVERY: bool = true;

    #[inline(never)] // AIMD, which most flows have, keeps the caller to itself.
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample<'_>) {
        let Some(path) = ack.path else {
            return;
        };
        let limited = self.update_rate(path);
        self.heed_linux(path, limited, ack.now, window.cwnd);
        self.heed_bounds(ack, path, window.cwnd);
        if self.phase == Phase::ProbeBw {
            self.advance_cycle(path, ack.now);
        }
        self.check_full_pipe(limited);
        self.check_drain(window, path, ack.now);
        self.update_min_rtt(window, ack, path);
        self.set_pacing_rate(window, path);
        self.set_cwnd(window, path);
    }

    /// A loss says nothing about the model; the window is `set_cwnd`'s.
    fn after_loss(&mut self, window: &Window, _: &Loss) -> f64 {
        self.save_cwnd(window);
        window.cwnd
    }

    /// Version 1 does not answer marks, and version 3 does so by its bounds.
    fn after_mark(&mut self, window: &Window, _: &Loss) -> f64 {
        window.cwnd
    }

    fn after_timeout(&mut self, window: &Window, loss: &Loss) -> f64 {
        self.save_cwnd(window);
        let probes = self.phase == Phase::ProbeBw;
        if self.linux.as_mut().is_some_and(|linux| linux.on_timeout(loss.in_use as u64, loss.now, probes)) {
            self.enter_probe_bw(loss.now);
        }
        window.cwnd
    }

    fn on_timeout(&mut self, _: &Loss) {
        // The next ACK may already tell that nothing was lost, and then the window is what it was (bbr_set_state()).
        (self.full_rate, self.round_start, self.after_timeout, self.repairing) = (0.0, true, true, true);
    }

    /// Section 4.3.1, BBRInit: the least round trip is no older than the connection, and until one of data is less that of
    /// the SYN, as in Linux's bbr_init(). The first window leaves in a round trip.
    fn on_begin(&mut self, window: &Window, now: Time, srtt: Option<f64>) {
        self.min_rtt_at = now;
        if let Some(srtt) = srtt.filter(|srtt| *srtt > 0.0) {
            (self.min_rtt, self.seen_rtt) = (srtt, true);
            self.pacing_rate = self.first_rate(window, srtt);
        }
    }

    fn on_restart(&mut self, window: &mut Window, silence: &Silence) {
        // Section 4.3.4.4: at the estimated rate, without probing.
        self.after_idle = true;
        if let Some(linux) = &mut self.linux {
            linux.on_restart(silence.now);
        }
        match self.phase {
            Phase::ProbeBw if self.rate() > 0.0 => self.pacing_rate = PACING_MARGIN * self.rate(),
            // As in Linux's bbr_cwnd_event(): the silence was long enough.
            Phase::ProbeRtt if self.probe_rtt_until.is_some_and(|until| silence.now > until) => {
                self.leave_probe_rtt(window, silence.now);
            }
            _ => {}
        }
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.pacing_rate)
    }
}
