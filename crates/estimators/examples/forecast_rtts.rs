//! Forecasts of the next round trip by several forecasters, and a blend of a few, on round trips in milliseconds, one a line, from
//! a file or else from a path that changes its length now and then:
//!
//! `cargo run -p parshall-estimators --example forecast_rtts [FILE]`

use std::error::Error;
use std::{env, fs};

use parshall_estimators::forecast::{
    evaluate, Blend, Forecaster, ForecasterConfig, LossFunction, PredictionInterval,
};

fn main() -> Result<(), Box<dyn Error>> {
    let rtts_ms = match env::args().nth(1) {
        Some(path) => fs::read_to_string(path)?.lines().map(str::parse).collect::<Result<Vec<f64>, _>>()?,
        None => made_up(2000),
    };
    let configs = [
        ("last value", ForecasterConfig::LastValue {}),
        ("EWMA 1/8 (srtt)", ForecasterConfig::Ewma { gain: 0.125 }),
        ("median of 9", ForecasterConfig::Median { window: 9 }),
        ("ARIMA(2,1,1), recursive", ForecasterConfig::ArimaRecursive { p: 2, d: 1, q: 1, memory: 500 }),
        ("mixture", ForecasterConfig::Mixture { loss: LossFunction::Absolute }),
    ];
    let warm_up = rtts_ms.len() / 10;
    println!("{:26}{:>10}{:>10}", "forecaster", "MAE, ms", "RMSE, ms");
    let mut blended: Vec<Box<dyn Forecaster>> = Vec::new();
    for (name, config) in configs {
        report(name, &mut config.try_build()?, &rtts_ms, warm_up);
        blended.push(Box::new(config.try_build()?));
    }
    let three: [Box<dyn Forecaster>; 3] =
        blended.drain(..3).collect::<Vec<_>>().try_into().map_err(|_| "three")?;
    report("blend of the first three", &mut Blend::new(LossFunction::Absolute, three), &rtts_ms, warm_up);

    let mut interval = PredictionInterval::new(ForecasterConfig::Median { window: 9 }.try_build()?, 0.9)?;
    rtts_ms.iter().for_each(|&rtt| interval.update(rtt));
    if let Some((lower, upper)) = interval.interval() {
        println!("the next round trip lies between {lower:.2} and {upper:.2} ms in nine cases of ten");
    }
    Ok(())
}

fn report(name: &str, forecaster: &mut impl Forecaster, rtts_ms: &[f64], warm_up: usize) {
    let errors = evaluate(forecaster, rtts_ms, warm_up);
    let or_nan = |mean: Option<f64>| mean.unwrap_or(f64::NAN);
    println!("{name:26}{:>10.3}{:>10.3}", or_nan(errors.mae()), or_nan(errors.rmse()));
}

/// A level that jumps every 500 samples, and noise with a tail (xorshift64*, Vigna 2016).
fn made_up(samples: usize) -> Vec<f64> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut uniform = move || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    };
    let level = |n: usize| [20.0, 35.0, 27.0, 22.0][n / 500 % 4];
    (0..samples).map(|n| level(n) + 2.0 * uniform() / (0.05 + uniform())).collect()
}
