//! Settings of the fixed-point estimator: what a user-space tool computes before it loads a kernel module.

use crate::error::ConfigError;

use super::fixed::ONE;
use super::settings::{Form, Method, Settings};

/// Every setting as a whole number; those with a comment "scaled" times 2^14.
#[derive(Clone, Debug)]
pub(super) struct FixedSettings {
    pub mean_packet_bytes: i64,
    /// Milliseconds between two ticks of the clock.
    pub tick_ms: i64,
    /// Least time between samples in ticks.
    pub sampling_ticks: u64,
    /// C in packets/s, scaled.
    pub capacity: i64,
    /// Tp in ms, scaled.
    pub propagation: i64,
    /// R0 in ms, scaled.
    pub rtt: Option<i64>,
    /// Scaled, as the rest.
    pub gamma1: i64,
    pub gamma2: i64,
    pub backlog_alpha: i64,
    pub signal_alpha: i64,
    pub beta: [i64; 2],
    pub zero_drops_after: u32,
    pub estimation_samples: u32,
    /// Samples until filters and differences are filled.
    pub until_filled: u32,
}

impl FixedSettings {
    /// `settings` in whole numbers. The form is the basic one, by Kaczmarz projection, and drops are not counted
    /// in the queue's equation: what the Linux implementation is.
    pub fn new(settings: &Settings, mean_packet_bytes: u32, tick_ms: u32) -> Result<Self, ConfigError> {
        settings.validate()?;
        let expected = "a whole number of bytes from 1 to 65535";
        let fits = (1..=65_535).contains(&mean_packet_bytes);
        ConfigError::unless(fits, "mean_packet_bytes", mean_packet_bytes, expected)?;
        let expected = "a whole number of milliseconds from 1 to 1000";
        ConfigError::unless((1..=1000).contains(&tick_ms), "tick_ms", tick_ms, expected)?;
        let (gamma1, gamma2) = gains(settings)?;
        let sampling_ticks = (settings.sampling_s * 1000.0 / f64::from(tick_ms) - 1e-6).ceil().max(1.0);
        check_sampling(settings, sampling_ticks * f64::from(tick_ms))?;
        let memory = settings.backlog_alpha.max(settings.signal_alpha);
        let lag = settings.least_rtt_s() * 1000.0 / (sampling_ticks * f64::from(tick_ms));
        Ok(FixedSettings {
            mean_packet_bytes: i64::from(mean_packet_bytes),
            tick_ms: i64::from(tick_ms),
            sampling_ticks: sampling_ticks as u64,
            capacity: scaled("capacity_pps", settings.capacity_pps)?.max(1),
            propagation: scaled("propagation_s", settings.propagation_s * 1000.0)?,
            rtt: settings.rtt_s.map(|rtt_s| scaled("rtt_s", rtt_s * 1000.0)).transpose()?,
            gamma1: scaled("gamma1", gamma1)?,
            gamma2: scaled("gamma2", gamma2)?,
            backlog_alpha: scaled("backlog_alpha", settings.backlog_alpha)?.min(ONE - 1),
            signal_alpha: scaled("signal_alpha", settings.signal_alpha)?.min(ONE - 1),
            beta: [
                scaled("start_n_s", settings.start_n_s)?,
                scaled("start_z0", settings.start_z0 * settings.start_z0 / settings.start_n_s)?,
            ],
            zero_drops_after: settings.zero_drops_after.unwrap_or(u32::MAX),
            estimation_samples: settings.estimation_samples,
            until_filled: if memory > 0.0 { (0.01f64.ln() / memory.ln()) as u32 } else { 0 } + lag as u32 + 2,
        })
    }
}

fn gains(settings: &Settings) -> Result<(f64, f64), ConfigError> {
    let plain = settings.form == Form::Basic && !settings.count_drops && settings.derivative_alpha == 0.0;
    match settings.method {
        Method::Kaczmarz { gamma1, gamma2 } if plain => Ok((gamma1, gamma2)),
        _ => {
            let expected = "the basic form by Kaczmarz projection, without count_drops and derivative_alpha";
            Err(ConfigError::new("form", "another estimator than the fixed-point one", expected))
        }
    }
}

/// The time between samples, rounded up to ticks, must still be at most a round trip.
fn check_sampling(settings: &Settings, sampling_ms: f64) -> Result<(), ConfigError> {
    let rtt_ms = settings.least_rtt_s() * 1000.0;
    ConfigError::unless(
        sampling_ms <= rtt_ms,
        "sampling_s",
        format_args!("{} ms in whole ticks, with a round-trip time of {rtt_ms} ms", sampling_ms),
        "at most one round-trip time",
    )
}

/// `x` times 2^14, to the nearest.
fn scaled(field: &'static str, x: f64) -> Result<i64, ConfigError> {
    let scaled = (x * ONE as f64).round();
    ConfigError::unless(scaled.abs() < 1e15, field, x, "a number below 6e10, to fit the fixed-point form")?;
    Ok(scaled as i64)
}
