//! TCP-TP: a window that jumps to the fair share which a forecast of its own throughput implies (He, Gao, Hou and Park
//! 2002, sections II and III).

use parshall_estimators::forecast::{AnyForecaster, Forecaster, ForecasterConfig};
use parshall_estimators::throughput::{Every, ThroughputSampler};

use crate::bottleneck::Bottleneck;
use crate::parameters::{positive, require};
use crate::since_first::SinceFirst;
use crate::units::Rate;
use crate::{AckKind, AckSample, Congestion, InvalidParameter, Loss, Parameters, Silence, Start, Window};

/// Least window.
const LEAST: f64 = 2.0;

/// Weight of a round-trip time in the smoothed one (RFC 6298, section 2).
const RTT_GAIN: f64 = 0.125;

/// TCP-TP's parameters.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Config {
    /// Capacity of the bottleneck in bits a second, headers included; `None` measures it by packet pairs.
    pub capacity: Option<Rate>,
    /// Measurement interval, in smoothed round-trip times.
    pub interval: f64,
    /// Weight of the newest interval in the sampled throughput, in (0, 1].
    pub gain: f64,
    /// Intervals that are measured before the rule applies; at least 1.
    pub samples: u32,
    /// Forecaster of the throughput of the next interval, in packets a second.
    pub forecaster: ForecasterConfig,
    /// Rounding of the number of connections.
    pub rounding: Rounding,
    /// Round trip that the window is for.
    pub rtt: RoundTrip,
    /// Times at which the window is set.
    pub decide: Decide,
    /// Lets a window that is set below ssthresh open by slow start again. If not, ssthresh comes down with it.
    pub slow_start_again: bool,
}

/// The rounding that makes a whole number of the connections of equation 10.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Rounding {
    /// Up, as printed: no share grows.
    #[default]
    Up,
    /// To the nearest.
    Nearest,
    /// Down: no share shrinks. At least one.
    Down,
}

impl Rounding {
    fn whole(self, connections: f64) -> f64 {
        match self {
            Rounding::Up => connections.ceil(),
            Rounding::Nearest => connections.round().max(1.0),
            Rounding::Down => connections.floor().max(1.0),
        }
    }
}

/// The round trip of equation 11.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum RoundTrip {
    /// The smoothed one.
    #[default]
    Smoothed,
    /// The least so far.
    Least,
}

/// The times at which the window is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Decide {
    /// With each new forecast: a loss then costs the rest of an interval.
    #[default]
    Interval,
    /// With each ACK, by the last forecast.
    Ack,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            capacity: None,
            interval: 1.0,
            gain: 0.5,
            samples: 20,
            forecaster: ForecasterConfig::he_2002(),
            rounding: Rounding::Up,
            rtt: RoundTrip::Smoothed,
            decide: Decide::Interval,
            slow_start_again: true,
        }
    }
}

impl Parameters for Config {
    fn timed(&self) -> bool {
        true
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        if let Some(capacity) = self.capacity {
            positive("capacity", capacity.bps())?;
        }
        positive("interval", self.interval)?;
        require("gain", self.gain, self.gain > 0.0 && self.gain <= 1.0, "a number above 0 and at most 1")?;
        require("samples", f64::from(self.samples), self.samples >= 1, "a whole number of at least 1")?;
        self.forecaster.validate().map_err(|error| InvalidParameter::within("forecaster", error))
    }
}

/// TCP-TP's window. Slow start and what a loss leaves are AIMD's, and so is the increase while there is no forecast.
#[derive(Clone, Debug)]
pub struct TcpTp {
    interval: f64,
    rounding: Rounding,
    rtt: RoundTrip,
    decide: Decide,
    slow_start_again: bool,
    bottleneck: Bottleneck,
    clock: SinceFirst,
    sampler: ThroughputSampler,
    forecaster: AnyForecaster,
    /// Samples of the throughput still to come before the rule applies.
    missing: u32,
    smoothed_rtt: f64,
    least_rtt: f64,
}

impl TcpTp {
    /// The control at the start of a connection, by parameters that were checked.
    pub fn new(config: &Config, start: &Start<'_>) -> Self {
        let sampler = ThroughputSampler::new(config.gain, Every::Interval(1.0));
        TcpTp {
            interval: config.interval,
            rounding: config.rounding,
            rtt: config.rtt,
            decide: config.decide,
            slow_start_again: config.slow_start_again,
            bottleneck: Bottleneck::new(config.capacity, start.packet_bytes),
            clock: SinceFirst::default(),
            sampler: sampler.expect("the parameters were checked"),
            forecaster: config.forecaster.build(),
            missing: config.samples,
            smoothed_rtt: f64::NAN,
            least_rtt: f64::INFINITY,
        }
    }

    /// Takes in what an ACK tells of the path. Whether there is a new forecast.
    fn measure(&mut self, ack: &AckSample<'_>) -> bool {
        self.bottleneck.on_ack(ack);
        let rtt = ack.rtt();
        self.least_rtt = self.least_rtt.min(rtt);
        self.smoothed_rtt = if self.smoothed_rtt.is_nan() {
            rtt
        } else {
            self.smoothed_rtt + RTT_GAIN * (rtt - self.smoothed_rtt)
        };
        // A round trip of nothing leaves the interval as it is.
        let _ = self.sampler.set_interval(self.interval * self.smoothed_rtt);
        let now = self.clock.secs(ack.now);
        let Some(throughput) = self.sampler.on_ack(now, f64::from(ack.acked)) else {
            return false;
        };
        self.forecaster.update(throughput);
        self.missing = self.missing.saturating_sub(1);
        true
    }

    /// The window of equations 10 and 11, in packets; `None` while it cannot be told, or what is forecast is no throughput.
    fn fair_share(&self) -> Option<f64> {
        if self.missing > 0 {
            return None;
        }
        let capacity = self.bottleneck.packets_per_second()?;
        let forecast = self.forecaster.forecast().filter(|throughput| *throughput > 0.0)?;
        let connections = self.rounding.whole(capacity / forecast);
        let rtt = match self.rtt {
            RoundTrip::Smoothed => self.smoothed_rtt,
            RoundTrip::Least => self.least_rtt,
        };
        Some((capacity * rtt / connections).max(LEAST))
    }
}

impl Congestion for TcpTp {
    #[inline(never)] // AIMD, which most flows have, keeps the caller to itself.
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample<'_>) {
        if !matches!(ack.kind, AckKind::New | AckKind::Partial) {
            return;
        }
        let is_new = self.measure(ack);
        if !ack.may_grow {
            return;
        }
        let share = if window.in_slow_start() { None } else { self.fair_share() };
        let Some(share) = share else { return window.open_as_reno(ack) };
        if is_new || self.decide == Decide::Ack {
            window.cwnd = share;
            if !self.slow_start_again {
                window.ssthresh = window.ssthresh.min(share);
            }
        }
    }

    fn after_loss(&mut self, _: &Window, loss: &Loss) -> f64 {
        self.bottleneck.interrupt();
        loss.in_use / 2.0
    }

    fn on_timeout(&mut self, _: &Loss) {
        self.bottleneck.interrupt();
    }

    /// A silence is no throughput.
    fn on_restart(&mut self, _: &mut Window, silence: &Silence) {
        self.bottleneck.interrupt();
        self.sampler.restart(self.clock.secs(silence.now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{ack, loss, start};

    /// A capacity of 1000 packets a second, a forecast that never changes, and a rule that applies at once.
    fn config(forecast: f64) -> Config {
        let forecaster = ForecasterConfig::Constant { value: forecast };
        Config { capacity: Some(Rate::from_bps(8e6)), samples: 1, forecaster, ..Config::default() }
    }

    /// Window in congestion avoidance after so many ACKs, from 20; ACKs are 11 ms apart and 100 ms after their packets.
    fn after(acks: u32, config: &Config) -> Window {
        let mut control = TcpTp::new(config, &start());
        let mut window = Window { cwnd: 20.0, ssthresh: 15.0 };
        for n in 0..acks {
            control.on_ack(&mut window, &ack(0.011 * f64::from(n), 0.1));
        }
        window
    }

    fn by_reno(acks: u32) -> f64 {
        (0..acks).fold(20.0, |cwnd, _| cwnd + 1.0 / cwnd)
    }

    #[test]
    fn the_window_is_the_share_of_a_whole_number_of_connections() {
        // 1000 / 400 is 2.5, so there are 3, and 1000 x 0.1 / 3 packets for each.
        assert!((after(12, &config(400.0)).cwnd - 100.0 / 3.0).abs() < 1e-9);
        assert!((after(12, &config(500.0)).cwnd - 50.0).abs() < 1e-9);
        // More than the capacity is one connection, and next to nothing still leaves two packets.
        assert!((after(12, &config(5000.0)).cwnd - 100.0).abs() < 1e-9);
        assert_eq!(after(11, &config(1e-9)).cwnd, LEAST);
    }

    #[test]
    fn connections_are_made_whole_upwards_downwards_or_to_the_nearest() {
        // 1000 / 450 is 2.2 and 1000 / 380 is 2.6; more than the capacity is one connection in any case.
        for (rounding, shares) in [
            (Rounding::Up, [3.0, 3.0, 1.0]),
            (Rounding::Nearest, [2.0, 3.0, 1.0]),
            (Rounding::Down, [2.0, 2.0, 1.0]),
        ] {
            let found =
                [450.0, 380.0, 5000.0].map(|f| 100.0 / after(12, &Config { rounding, ..config(f) }).cwnd);
            let close = found.iter().zip(shares).all(|(found, share)| (found - share).abs() < 1e-9);
            assert!(close, "{rounding:?}: {found:?}");
        }
    }

    #[test]
    fn without_a_forecast_it_grows_as_aimd() {
        assert_eq!(after(12, &config(-1.0)).cwnd, by_reno(12));
        assert_eq!(after(12, &Config { samples: 3, ..config(400.0) }).cwnd, by_reno(12));
        // The first sample is due after a round trip.
        assert_eq!(after(10, &config(400.0)).cwnd, by_reno(10));
    }

    #[test]
    fn a_share_below_ssthresh_opens_by_slow_start_again_or_brings_it_down() {
        // 1000 / 90 makes 12 connections and a window of 8 1/3, after the 11th ACK.
        let share = 100.0 / 12.0;
        let again = after(14, &config(90.0));
        assert!((again.cwnd - share - 3.0).abs() < 1e-9 && again.ssthresh == 15.0, "{again:?}");
        let held = after(14, &Config { slow_start_again: false, ..config(90.0) });
        assert!((held.cwnd - share).abs() < 1e-9 && held.ssthresh == held.cwnd, "{held:?}");
    }

    #[test]
    fn a_loss_halves_until_the_next_interval_or_the_next_ack() {
        for (decide, expected) in [(Decide::Interval, 25.0), (Decide::Ack, 50.0)] {
            let mut control = TcpTp::new(&Config { decide, ..config(500.0) }, &start());
            let mut window = Window { cwnd: 20.0, ssthresh: 15.0 };
            (0..11).for_each(|n| control.on_ack(&mut window, &ack(0.011 * f64::from(n), 0.1)));
            window.cwnd = control.after_loss(&window, &loss(window.cwnd));
            window.ssthresh = window.cwnd;
            control.on_ack(&mut window, &ack(0.121, 0.1));
            assert!((window.cwnd - expected).abs() < 1e-9, "{decide:?}: {window:?}");
        }
    }

    #[test]
    fn the_least_round_trip_leaves_the_queue_out() {
        let mut windows = [RoundTrip::Smoothed, RoundTrip::Least].map(|rtt| {
            let mut control = TcpTp::new(&Config { rtt, ..config(500.0) }, &start());
            let mut window = Window { cwnd: 20.0, ssthresh: 15.0 };
            (0..400).for_each(|n| {
                let queue = if n < 5 { 0.0 } else { 0.1 };
                control.on_ack(&mut window, &ack(0.01 * f64::from(n), 0.1 + queue));
            });
            window.cwnd
        });
        windows.iter_mut().for_each(|cwnd| *cwnd = cwnd.round());
        assert_eq!(windows, [100.0, 50.0]);
    }

    #[test]
    fn a_capacity_that_is_not_told_is_measured() {
        let config = Config { capacity: None, ..config(500.0) };
        let mut control = TcpTp::new(&config, &start());
        let mut window = Window { cwnd: 20.0, ssthresh: 15.0 };
        // Pairs that were sent together come 1 ms apart: 1000 packets a second.
        for n in 0..40 {
            let at = 0.01 * f64::from(n);
            control.on_ack(&mut window, &ack(at, 0.1));
            control.on_ack(&mut window, &ack(at + 0.001, 0.101));
        }
        assert!((window.cwnd - 50.0).abs() < 1.0, "{window:?}");
    }

    #[test]
    fn what_cannot_be_is_named() {
        let unfit = |config: Config| config.check().unwrap_err().field;
        assert_eq!(unfit(Config { capacity: Some(Rate::from_bps(0.0)), ..Config::default() }), "capacity");
        assert_eq!(unfit(Config { interval: 0.0, ..Config::default() }), "interval");
        assert_eq!(unfit(Config { gain: 1.5, ..Config::default() }), "gain");
        assert_eq!(unfit(Config { samples: 0, ..Config::default() }), "samples");
        let forecaster = ForecasterConfig::Lmmse { order: 20, window: 20, every: 1, differenced: false };
        assert_eq!(unfit(Config { forecaster, ..Config::default() }), "forecaster.window");
    }
}
