//! A rate that is driven by fractional Gaussian noise, so that its memory is long.

use parshall_estimators::long_memory::{Generator, Process};

use crate::random::Stream;
use crate::room;
use crate::scenario;
use crate::units::Time;

/// Most intervals of a run: the whole path is made at its start, since noise with long memory cannot be made piece by piece.
pub const MOST_INTERVALS: u64 = 1 << 22;

/// Number of intervals of a flow in a run that ends at `duration`, a later start within its spread not counted.
pub fn intervals(flow: &scenario::Flow, config: &scenario::SelfSimilar, duration: Time) -> u64 {
    let end = flow.stop.unwrap_or(duration).min(duration);
    let span = end.ps().saturating_sub(flow.start.ps());
    span.div_ceil(config.interval.ps().max(1)).max(1)
}

/// Packets at a rate that lasts for an interval each. What of a packet is not sent in an interval is sent in the next, so that the
/// rate is kept however few packets fit into one.
#[derive(Clone, Debug)]
pub struct SelfSimilar {
    start: Time,
    interval: f64,
    packet_bits: f64,
    /// Bits per second of every interval.
    rates: Vec<f64>,
    /// The interval that is under way, and how much of it has passed, in seconds.
    index: usize,
    passed: f64,
    /// Bits to send before the next packet is complete.
    left: f64,
}

impl SelfSimilar {
    /// From `start`, for so many intervals; `compile` has made sure that the noise exists.
    pub fn new(
        config: &scenario::SelfSimilar,
        payload_bytes: u32,
        start: Time,
        intervals: u64,
        mut stream: Stream,
    ) -> Self {
        let process = Process::Fgn { h: config.h };
        let length = intervals.min(MOST_INTERVALS) as usize;
        // The noise is made of about so many numbers an interval.
        room::ask::<[f64; 16]>(length, "rates of self-similar traffic");
        let rates = Generator::new(process, length).map_or_else(
            |_| Vec::new(),
            |mut generator| {
                let pairs = generator.normals() / 2;
                let normals: Vec<f64> = (0..pairs).flat_map(|_| stream.normals()).collect();
                let rate = |x: &f64| (config.rate.bps() + config.sd.bps() * x).max(0.0);
                generator.path(&normals).iter().map(rate).collect()
            },
        );
        let packet_bits = 8.0 * f64::from(payload_bytes);
        SelfSimilar {
            start,
            interval: config.interval.secs(),
            packet_bits,
            rates,
            index: 0,
            passed: 0.0,
            left: packet_bits,
        }
    }
}

impl Iterator for SelfSimilar {
    type Item = Time;

    /// Time at which the next packet is complete; `None` after the last interval.
    fn next(&mut self) -> Option<Time> {
        while let Some(&rate) = self.rates.get(self.index) {
            let sent = rate * (self.interval - self.passed);
            if sent >= self.left && rate > 0.0 {
                self.passed += self.left / rate;
                self.left = self.packet_bits;
                let since = self.index as f64 * self.interval + self.passed;
                return Some(self.start + Time::from_secs(since));
            }
            self.left -= sent;
            self.passed = 0.0;
            self.index += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Rate;

    fn config(sd: f64) -> scenario::SelfSimilar {
        scenario::SelfSimilar {
            rate: Rate::from_bps(1e6),
            h: 0.8,
            sd: Rate::from_bps(sd),
            interval: Time::from_secs(0.1),
        }
    }

    fn times(sd: f64, intervals: u64, seed: u64) -> Vec<f64> {
        let stream = Stream::new(seed, "flow/f/source");
        let source = SelfSimilar::new(&config(sd), 1000, Time::from_secs(1.0), intervals, stream);
        source.map(Time::secs).collect()
    }

    #[test]
    fn without_noise_it_is_a_constant_rate() {
        let times = times(1e-6, 50, 1);
        // 1 Mbit/s is 125 packets a second, the first once it is complete.
        assert!((624..=625).contains(&times.len()));
        assert!(times.iter().enumerate().all(|(i, t)| (t - 1.0 - 0.008 * (i + 1) as f64).abs() < 1e-9));
    }

    #[test]
    fn times_ascend_and_the_mean_is_that_of_the_truncated_noise() {
        // One interval in six is cut at 0: the mean rises from 1 to 1.083 Mbit/s (rate Phi(1) + sd phi(1)).
        let mean: f64 = (0..40)
            .map(|seed| {
                let times = times(1e6, 2000, seed);
                assert!(times.windows(2).all(|w| w[0] <= w[1]));
                times.len() as f64 * 8000.0 / 200.0 / 1e6
            })
            .sum::<f64>()
            / 40.0;
        // The mean of fGn with H = 0.8 over n has deviation n^-0.2: 0.22 a path, 0.035 over 40 of them.
        assert!((mean - 1.0833).abs() < 0.11, "{mean}");
    }

    #[test]
    fn intervals_end_with_the_flow_or_the_run() {
        let flow = |stop: Option<f64>| scenario::Flow {
            name: "f".into(),
            source: "a".into(),
            destination: "b".into(),
            transport: scenario::Transport::Udp(scenario::Udp { payload_bytes: 1000, header_bytes: 0 }),
            app: scenario::App::SelfSimilar(config(1.0)),
            start: Time::from_secs(1.0),
            start_spread: Time::ZERO,
            stop: stop.map(Time::from_secs),
            dscp: 0,
            via: Vec::new(),
        };
        let count = |stop| intervals(&flow(stop), &config(1.0), Time::from_secs(5.05));
        assert_eq!((count(None), count(Some(2.0)), count(Some(0.5))), (41, 10, 1));
    }
}
