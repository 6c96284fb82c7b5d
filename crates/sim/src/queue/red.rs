//! RED: random early detection (Floyd and Jacobson 1993) with the options of ns-2, and its adaptive form
//! (Floyd, Gummadi and Shenker 2001).

use super::{Arrival, ArrivalQueue, Backlog, Tuning, Verdict};
use crate::random::Stream;
use crate::scenario::{self, QueueUnit, RedWeight};
use crate::units::{Rate, Time};

/// Adaptive RED moves the maximum drop probability at most this often.
const ADAPT_INTERVAL: Time = Time::from_ps(500_000_000_000);
/// Its steps and bounds (section 4 of the paper).
const ADAPT_UP: f64 = 0.01;
const ADAPT_DOWN: f64 = 0.9;
const ADAPT_LEAST: f64 = 0.01;
const ADAPT_MOST: f64 = 0.5;

/// Drops or marks arriving packets with a probability that grows with the average queue.
///
/// Queue lengths do not count the packet in transmission, as in ns-2.
#[derive(Clone, Debug)]
pub struct Red {
    params: Params,
    max_probability: f64,
    average: f64,
    /// Packets, and bytes, that arrived since the last early drop.
    count: u64,
    count_bytes: u64,
    /// True if the average was above the lower threshold at the last arrival.
    above: bool,
    adapted: Time,
    /// Moves the thresholds, if anything does.
    tuning: Option<Box<Tuning>>,
    /// True if the thresholds have moved all the way: only a full queue drops.
    droptail: bool,
    stream: Stream,
}

/// Parameters that do not change, except the thresholds of a queue that is tuned.
#[derive(Clone, Debug)]
struct Params {
    min_threshold: f64,
    max_threshold: f64,
    /// The thresholds of the scenario.
    configured: (f64, f64),
    weight: f64,
    limit: u64,
    unit: QueueUnit,
    /// True if drops are counted and spaced in bytes.
    by_size: bool,
    mean_packet_bytes: f64,
    /// Packets that the link sends a second.
    packets_per_second: f64,
    gentle: bool,
    wait: bool,
    ecn: bool,
    hard_drop: bool,
    adaptive: bool,
}

/// The weight of the current queue in its average, in front of a link that sends so many packets a second.
pub(super) fn weight_of(weight: RedWeight, packets_per_second: f64) -> f64 {
    match weight {
        RedWeight::Fixed { value } => value,
        // A time constant of one second.
        RedWeight::FromRate {} => -libm::expm1(-1.0 / packets_per_second),
    }
}

/// The drop probability by the average queue alone: a line between both thresholds, up to `most`.
pub(super) fn base_probability(average: f64, (low, high): (f64, f64), most: f64, gentle: bool) -> f64 {
    let probability = if average < high {
        most * (average - low) / (high - low)
    } else if gentle {
        most + (1.0 - most) * (average - high) / high
    } else {
        1.0
    };
    probability.min(1.0)
}

/// Spreads drops out: `mass` is the packets since the last one, each counted with the base probability.
pub(super) fn spread_probability(mass: f64, base: f64, wait: bool) -> f64 {
    match (wait, mass) {
        (true, m) if m < 1.0 => 0.0,
        (true, m) if m < 2.0 => base / (2.0 - m),
        (false, m) if m < 1.0 => base / (1.0 - m),
        _ => 1.0,
    }
}

impl Red {
    /// The queue that a scenario asks for, in front of a link of this rate.
    pub fn new(config: &scenario::Red, rate: Rate, stream: Stream) -> Self {
        let mean_packet_bytes = f64::from(config.mean_packet_bytes);
        let packets_per_second = rate.bps() / (8.0 * mean_packet_bytes);
        // ns-2: thresholds are given in packets and count mean packets where the queue counts bytes.
        let scale = match config.unit {
            QueueUnit::Packets => 1.0,
            QueueUnit::Bytes => mean_packet_bytes,
        };
        let weight = weight_of(config.weight, packets_per_second);
        let params = Params {
            min_threshold: config.min_threshold_packets * scale,
            max_threshold: config.max_threshold_packets * scale,
            configured: (config.min_threshold_packets * scale, config.max_threshold_packets * scale),
            weight,
            limit: (f64::from(config.limit_packets) * scale) as u64,
            unit: config.unit,
            by_size: config.by_size && config.unit == QueueUnit::Bytes,
            mean_packet_bytes,
            packets_per_second,
            gentle: config.gentle,
            wait: config.wait,
            ecn: config.ecn,
            hard_drop: config.hard_drop,
            adaptive: config.adaptive,
        };
        Red {
            params,
            max_probability: config.max_probability,
            average: 0.0,
            count: 0,
            count_bytes: 0,
            above: false,
            adapted: Time::ZERO,
            tuning: Tuning::new(config, rate).map(Box::new),
            droptail: false,
            stream,
        }
    }

    /// The average queue, in packets or bytes.
    #[cfg(test)]
    pub fn average(&self) -> f64 {
        self.average
    }

    /// Brings the average up to date. After an idle time it is as if small packets had found the queue empty
    /// (Floyd and Jacobson 1993, section 4).
    fn estimate(&mut self, waiting: u64, idle: Option<Time>) {
        let weight = self.params.weight;
        if let Some(idle) = idle {
            let missed = (idle.secs() * self.params.packets_per_second) as i32;
            self.average *= libm::pow(1.0 - weight, f64::from(missed));
        }
        self.average += weight * (waiting as f64 - self.average);
    }

    /// The drop probability by the average queue alone.
    fn base_probability(&self) -> f64 {
        let p = &self.params;
        base_probability(self.average, (p.min_threshold, p.max_threshold), self.max_probability, p.gentle)
    }

    /// Spreads drops out by the packets since the last one.
    fn spread_probability(&self, base: f64, size: u16) -> f64 {
        let by_size = self.params.by_size;
        let packets = if by_size {
            (self.count_bytes as f64 / self.params.mean_packet_bytes).floor()
        } else {
            self.count as f64
        };
        let probability = spread_probability(packets * base, base, self.params.wait);
        if by_size && probability < 1.0 {
            (probability * f64::from(size) / self.params.mean_packet_bytes).min(1.0)
        } else {
            probability.min(1.0)
        }
    }

    /// Decides about a packet by the average queue.
    fn decide(&mut self, waiting: u64, arrival: &Arrival) -> Verdict {
        let p = &self.params;
        // A queue of one packet, or of one byte, is as good as empty.
        if self.average < p.min_threshold || waiting <= 1 || self.droptail {
            self.above = false;
            return Verdict::Accept;
        }
        let certain = if p.gentle { 2.0 * p.max_threshold } else { p.max_threshold };
        let marks = p.ecn && arrival.ecn_capable;
        if self.average >= certain {
            return if marks && !p.hard_drop { Verdict::Mark } else { Verdict::Drop };
        }
        if !self.above {
            self.above = true;
            self.count = 1;
            self.count_bytes = u64::from(arrival.size);
            return Verdict::Accept;
        }
        let probability = self.spread_probability(self.base_probability(), arrival.size);
        if self.stream.uniform() > probability {
            return Verdict::Accept;
        }
        self.count = 0;
        self.count_bytes = 0;
        if marks {
            Verdict::Mark
        } else {
            Verdict::Drop
        }
    }

    /// Returns whether the queue moves its thresholds.
    pub fn tunes(&self) -> bool {
        self.tuning.is_some()
    }

    /// Bytes of its record of moved thresholds.
    pub fn bytes_tuning(&self) -> u64 {
        self.tuning.as_ref().map_or(0, |tuning| tuning.bytes())
    }

    /// The part that moves the thresholds.
    pub fn tuning_mut(&mut self) -> Option<&mut Tuning> {
        self.tuning.as_deref_mut()
    }

    /// The thresholds in packets when they have moved so far towards the limit.
    pub fn thresholds_packets(&self, moved: f64) -> (f64, f64) {
        let scale = match self.params.unit {
            QueueUnit::Packets => 1.0,
            QueueUnit::Bytes => self.params.mean_packet_bytes,
        };
        let (low, high) = self.params.thresholds(moved);
        (low / scale, high / scale)
    }

    /// Puts the thresholds where the share of load that does not respond wants them.
    fn tune(&mut self, now: Time, backlog: &Backlog) {
        if let Some(tuning) = &mut self.tuning {
            let moved = tuning.follow(now, Some(backlog.packets()));
            (self.params.min_threshold, self.params.max_threshold) = self.params.thresholds(moved);
            self.droptail = moved >= 1.0;
        }
    }

    /// Moves the maximum probability so that the average stays in the middle between the thresholds.
    fn adapt(&mut self, now: Time) {
        if !self.params.adaptive || now.since(self.adapted) < ADAPT_INTERVAL {
            return;
        }
        self.adapted = now;
        let span = self.params.max_threshold - self.params.min_threshold;
        let low = self.params.min_threshold + 0.4 * span;
        let high = self.params.min_threshold + 0.6 * span;
        if self.average > high && self.max_probability <= ADAPT_MOST {
            self.max_probability += ADAPT_UP.min(self.max_probability / 4.0);
        } else if self.average < low && self.max_probability >= ADAPT_LEAST {
            self.max_probability *= ADAPT_DOWN;
        }
    }
}

impl Params {
    /// The thresholds when they have moved so far towards the limit, 0 to 1.
    fn thresholds(&self, moved: f64) -> (f64, f64) {
        let towards_limit = |from: f64| from + moved * (self.limit as f64 - from);
        let (low, high) = self.configured;
        if moved == 0.0 {
            return (low, high);
        }
        (towards_limit(low), towards_limit(high))
    }
}

impl ArrivalQueue for Red {
    #[inline]
    fn arrive(&mut self, arrival: &Arrival, backlog: &Backlog) -> Verdict {
        self.tune(arrival.now, backlog);
        let verdict = self.judge(arrival, backlog);
        if let Some(tuning) = &mut self.tuning {
            tuning.packet(arrival.now, arrival.flow, verdict);
        }
        verdict
    }
}

impl Red {
    #[inline]
    fn judge(&mut self, arrival: &Arrival, backlog: &Backlog) -> Verdict {
        let waiting = match self.params.unit {
            QueueUnit::Packets => backlog.waiting_packets(),
            QueueUnit::Bytes => backlog.waiting_bytes(),
        };
        let idle = (backlog.packets() == 0).then(|| arrival.now.since(arrival.idle_since));
        self.estimate(waiting, idle);
        self.adapt(arrival.now);
        self.count += 1;
        self.count_bytes += u64::from(arrival.size);
        let verdict = self.decide(waiting, arrival);
        if waiting >= self.params.limit {
            self.count = 0;
            self.count_bytes = 0;
            return Verdict::Drop;
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> scenario::Red {
        serde_json::from_str(
            r#"{"min_threshold_packets": 5, "max_threshold_packets": 15, "limit_packets": 50,
                "weight": {"kind": "fixed", "value": 0.002}}"#,
        )
        .expect("a RED queue")
    }

    fn red(config: &scenario::Red) -> Red {
        Red::new(config, Rate::from_bps(8e6), Stream::new(1, "red"))
    }

    fn arrival(now: f64) -> Arrival {
        Arrival { now: Time::from_secs(now), size: 1000, ecn_capable: false, idle_since: Time::ZERO, flow: 0 }
    }

    /// A queue that holds `n` packets besides the one in transmission.
    fn backlog(n: usize) -> Backlog {
        let mut backlog = Backlog::default();
        for i in 0..=n {
            backlog.push(Time::from_secs(1e6 + i as f64), 1000);
        }
        backlog
    }

    /// Drops of large and of small packets that come in turns to a queue counted in bytes whose average stays put.
    fn drops_by_size(by_size: bool) -> [f64; 2] {
        let config = scenario::Red { unit: QueueUnit::Bytes, by_size, wait: false, ..config() };
        let mut q = red(&config);
        let mut drops = [0.0; 2];
        for i in 0..200_000 {
            q.average = 10_000.0;
            let large = i % 2;
            let packet = Arrival { size: [500, 1500][large], ..arrival(0.0) };
            if q.arrive(&packet, &backlog(10)) == Verdict::Drop {
                drops[large] += 1.0;
            }
        }
        drops
    }

    #[test]
    fn drops_ask_how_long_a_packet_is_or_do_not() {
        let [small, large] = drops_by_size(true);
        assert!(large / small > 2.5, "{large} {small}");
        let [small, large] = drops_by_size(false);
        assert!((large / small - 1.0).abs() < 0.05, "{large} {small}");
    }

    #[test]
    fn the_average_is_an_exponential_one() {
        let mut q = red(&config());
        let mut slow_twin = 0.0;
        for i in 0..2000 {
            let waiting = i % 40;
            q.arrive(&arrival(0.0), &backlog(waiting));
            slow_twin = (1.0 - 0.002) * slow_twin + 0.002 * waiting as f64;
            assert!((q.average() - slow_twin).abs() < 1e-9);
        }
    }

    #[test]
    fn a_constant_queue_is_the_fixed_point() {
        for start in [0.0, 40.0] {
            let mut q = red(&config());
            q.average = start;
            for _ in 0..20_000 {
                q.arrive(&arrival(0.0), &backlog(10));
            }
            assert!((q.average() - 10.0).abs() < 1e-9);
        }
    }

    #[test]
    fn idleness_counts_as_packets_that_found_nothing() {
        let mut q = red(&config());
        q.average = 10.0;
        // One second at 1000 packets/s, then this packet.
        q.arrive(&arrival(1.0), &Backlog::default());
        let expected = 10.0 * 0.998f64.powi(1001);
        assert!((q.average() - expected).abs() < 1e-9);
    }

    #[test]
    fn between_the_thresholds_drops_follow_the_line() {
        let mut config = config();
        config.wait = false;
        config.gentle = false;
        let mut q = red(&config);
        q.average = 10.0;
        let n = 200_000;
        let dropped = (0..n).filter(|_| q.arrive(&arrival(0.0), &backlog(10)) == Verdict::Drop).count();
        // ns-2 counts the packet before it asks: gaps are uniform on 1 ... 1/p - 1 with p = 0.05, 10 on average.
        let rate = dropped as f64 / f64::from(n);
        assert!((rate - 0.1).abs() < 0.002, "{rate}");
    }

    #[test]
    fn waiting_spaces_drops_at_least_one_over_p_apart() {
        let mut q = red(&config());
        q.average = 10.0;
        let mut last = None;
        for i in 0..50_000u32 {
            if q.arrive(&arrival(0.0), &backlog(10)) == Verdict::Drop {
                if let Some(last) = last {
                    assert!((20..=41).contains(&(i - last)), "{}", i - last);
                }
                last = Some(i);
            }
        }
        assert!(last.is_some());
    }

    #[test]
    fn gentle_reaches_certainty_at_twice_the_threshold() {
        let q = |average: f64, gentle: bool| {
            let mut config = config();
            config.gentle = gentle;
            let mut q = red(&config);
            q.average = average;
            q.base_probability()
        };
        assert_eq!(q(15.0, true), 0.1);
        assert!((q(22.5, true) - 0.55).abs() < 1e-12);
        assert_eq!(q(30.0, true), 1.0);
        assert_eq!(q(15.0, false), 1.0);
        assert_eq!(q(10.0, false), 0.05);
    }

    #[test]
    fn what_can_be_marked_is_marked() {
        let mut config = config();
        config.ecn = true;
        let mut q = red(&config);
        q.average = 14.0;
        let mut verdicts = (0..1000).map(|_| {
            let arrival = Arrival { ecn_capable: true, ..arrival(0.0) };
            q.arrive(&arrival, &backlog(14))
        });
        assert!(verdicts.any(|v| v == Verdict::Mark));
        assert!(verdicts.all(|v| v != Verdict::Drop));
    }

    #[test]
    fn a_full_queue_drops() {
        let mut q = red(&config());
        assert_eq!(q.arrive(&arrival(0.0), &backlog(50)), Verdict::Drop);
        assert_eq!(q.arrive(&arrival(0.0), &backlog(49)), Verdict::Accept);
    }

    #[test]
    fn the_weight_follows_from_the_rate() {
        let mut config = config();
        config.weight = RedWeight::FromRate {};
        let q = red(&config);
        assert!((q.params.weight - (1.0 - libm::exp(-1.0f64 / 1000.0))).abs() < 1e-15);
    }

    #[test]
    fn adaptive_red_moves_towards_the_middle() {
        let mut config = config();
        config.adaptive = true;
        for (waiting, grows) in [(14, true), (6, false)] {
            let mut q = red(&config);
            q.average = waiting as f64;
            for i in 0..40 {
                q.arrive(&arrival(f64::from(i) * 0.25), &backlog(waiting));
            }
            assert_eq!(q.max_probability > 0.1, grows);
            assert!((ADAPT_LEAST * ADAPT_DOWN..=ADAPT_MOST + ADAPT_UP).contains(&q.max_probability));
        }
    }
}
