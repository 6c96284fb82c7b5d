//! Settings of the fixed-point estimator, from numbers with a point.

use crate::error::ConfigError;
use crate::math::{ceil, round};

use super::estmred::Settings as Whole;
use super::fixed::ONE;
use super::settings::{Form, Method, Settings};

/// A clock that ticks.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Ticks {
    /// Microseconds between two ticks.
    pub us: u64,
    /// The tick from which the time is counted; `None` before the first call ever.
    pub first: Option<u64>,
}

/// `settings` in whole numbers. The form is the basic one, by Kaczmarz projection, and drops are not counted in the
/// queue's equation: what the Linux implementation of the document is.
pub(super) fn whole(
    settings: &Settings,
    mean_packet_bytes: u32,
    tick_ms: u32,
) -> Result<(Whole, Ticks), ConfigError> {
    settings.validate()?;
    let expected = "a whole number of bytes from 1 to 65535";
    let fits = (1..=65_535).contains(&mean_packet_bytes);
    ConfigError::unless(fits, "mean_packet_bytes", mean_packet_bytes, expected)?;
    let expected = "a whole number of milliseconds from 1 to 1000";
    ConfigError::unless((1..=1000).contains(&tick_ms), "tick_ms", tick_ms, expected)?;
    let (gamma1, gamma2) = gains(settings)?;
    let sampling_ticks = ceil(settings.sampling_s * 1000.0 / f64::from(tick_ms) - 1e-6).max(1.0);
    check_sampling(settings, sampling_ticks * f64::from(tick_ms))?;
    let memory = settings.backlog_alpha.max(settings.signal_alpha);
    let lag = settings.least_rtt_s() * 1000.0 / (sampling_ticks * f64::from(tick_ms));
    let second = settings.start_z0 * settings.start_z0 / settings.start_n_s;
    let whole = Whole {
        mean_packet_bytes: i64::from(mean_packet_bytes),
        sampling_us: sampling_ticks as i64 * i64::from(tick_ms) * 1000,
        capacity: scaled("capacity_pps", settings.capacity_pps)?.max(1),
        propagation: scaled("propagation_s", settings.propagation_s * 1000.0)?,
        rtt: settings.rtt_s.map(|rtt_s| scaled("rtt_s", rtt_s * 1000.0)).transpose()?,
        gamma1: scaled("gamma1", gamma1)?,
        gamma2: scaled("gamma2", gamma2)?,
        backlog_alpha: scaled("backlog_alpha", settings.backlog_alpha)?.min(ONE - 1),
        signal_alpha: scaled("signal_alpha", settings.signal_alpha)?.min(ONE - 1),
        drop_alpha: 0,
        average_alpha: 0,
        beta: [scaled("start_n_s", settings.start_n_s)?, scaled("start_z0", second)?, 0],
        zero_drops_after: settings.zero_drops_after.unwrap_or(u32::MAX),
        sleep_after: u32::MAX,
        estimation_samples: settings.estimation_samples,
        until_filled: if memory > 0.0 { (libm::log(0.01) / libm::log(memory)) as u32 } else { 0 }
            + lag as u32
            + 2,
        multi_hop: false,
        count_drops: false,
    };
    Ok((whole, Ticks { us: u64::from(tick_ms) * 1000, first: None }))
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
    let scaled = round(x * ONE as f64);
    ConfigError::unless(scaled.abs() < 1e15, field, x, "a number below 6e10, to fit the fixed-point form")?;
    Ok(scaled as i64)
}
