//! Early timeouts and waiting of several filters on the round trips of a ping log, read from a file or the standard input:
//!
//! `ping -c 100 example.org | cargo run -p parshall-estimators --example rto_of_a_ping_log`

use std::error::Error;
use std::time::Duration;
use std::{env, fs, io};

use parshall_estimators::rto::{evaluate, Deviation, RtoConfig, RtoRules, RtoTimer};

fn main() -> Result<(), Box<dyn Error>> {
    let text = match env::args().nth(1) {
        Some(path) => fs::read_to_string(path)?,
        None => io::read_to_string(io::stdin())?,
    };
    let rtts: Vec<Duration> = text.lines().filter_map(rtt).collect();
    if rtts.len() < 2 {
        return Err("expected lines of ping with time=, at least two".into());
    }
    let filters = [
        ("Jacobson, RFC 6298", RtoConfig::jacobson()),
        ("Linux", RtoConfig::linux(0.05)),
        ("median of 5", RtoConfig::median(5, Deviation::Mad)),
        ("weighted median", RtoConfig::weighted_median()),
        ("quantile, risk 1 %", RtoConfig::quantile(0.01)),
    ];
    // No floor and an exact clock: the filters alone. One round trip in ten is taken in and not judged.
    let rules = RtoRules { min_s: 0.0, ..RtoRules::default() };
    let warm_up = (rtts.len() / 10).max(1);
    println!("{:20}{:>8}{:>8}{:>14}", "filter", "early", "of all", "mean RTO, ms");
    for (name, config) in filters {
        let mut timer = RtoTimer::new(config.try_build()?, rules);
        let costs = evaluate(&mut timer, &rtts, warm_up, false);
        let share = 100.0 * costs.spurious_share().unwrap_or(f64::NAN);
        let wait_ms = 1000.0 * costs.mean_wait_s().unwrap_or(f64::NAN);
        println!("{name:20}{:>8}{share:>7.2}%{wait_ms:>14.2}", costs.spurious);
    }
    Ok(())
}

/// The round trip of a line such as `64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=12.3 ms`.
fn rtt(line: &str) -> Option<Duration> {
    let (_, after) = line.split_once("time=")?;
    let milliseconds: f64 = after.split_whitespace().next()?.parse().ok()?;
    Duration::try_from_secs_f64(milliseconds / 1000.0).ok()
}
