//! Filters of the retransmission timeout judged on a series of round trips, with the settings of `parshall rto`.

use parshall_estimators::forecast::ForecasterConfig;
use parshall_estimators::rto::{evaluate, Deviation, RtoConfig, RtoRules, RtoTimer};
use serde::Serialize;

/// Round trips from which on filters are compared.
const LEAST_SAMPLES: usize = 20;
/// Share of early timeouts that `quantile` keeps to.
const RISK: f64 = 0.01;
/// Linux's least timeout (`TCP_RTO_MIN`), in seconds.
const LINUX_LEAST_S: f64 = 0.2;

/// The costs of a filter. All times are seconds.
#[derive(Debug, Serialize)]
pub struct Row {
    filter: &'static str,
    /// Round trips judged.
    samples: u64,
    /// Round trips that took longer than the timeout in force.
    early: u64,
    /// Mean wait for a lost packet.
    mean_rto: f64,
    /// Mean wait in units of the mean round trip.
    in_rtts: f64,
}

/// The costs of each filter; none for fewer than 20 round trips. The first tenth, at most 500, is taken in and not judged.
pub fn compare(rtts: &[f64]) -> Vec<Row> {
    if rtts.len() < LEAST_SAMPLES {
        return Vec::new();
    }
    let filters = [
        ("linux", RtoConfig::linux(0.0), 0.0),
        ("jacobson", RtoConfig::jacobson(), 0.0),
        ("median", RtoConfig::median(5, Deviation::Ewma), 0.0),
        ("weighted median", RtoConfig::weighted_median(), 0.0),
        ("quantile", RtoConfig::quantile(RISK), 0.0),
        ("arima", RtoConfig::arima(ForecasterConfig::jeyasekar_2014()), 0.0),
        ("linux, 200 ms", RtoConfig::linux(LINUX_LEAST_S), LINUX_LEAST_S),
    ];
    filters.iter().filter_map(|(name, config, min_s)| row(name, config, *min_s, rtts)).collect()
}

fn row(filter: &'static str, config: &RtoConfig, min_s: f64, rtts: &[f64]) -> Option<Row> {
    let rules = RtoRules { min_s, ..RtoRules::default() };
    let warm_up = (rtts.len() / 10).min(500);
    let costs = evaluate(&mut RtoTimer::new(config.build(), rules), rtts, warm_up, false);
    Some(Row {
        filter,
        samples: costs.samples,
        early: costs.spurious,
        mean_rto: costs.mean_wait_s()?,
        in_rtts: costs.normalized_wait()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_filter_is_judged_after_the_first_tenth() {
        let rtts: Vec<f64> = (0..100).map(|n| 0.03 + 0.001 * f64::from(n % 7)).collect();
        let rows = compare(&rtts);
        assert_eq!(rows.len(), 7);
        assert!(rows.iter().all(|row| row.samples == 90 && row.mean_rto > 0.03));
        let today = rows.last().expect("Linux as it is");
        assert!(today.early == 0 && today.mean_rto > LINUX_LEAST_S);
        let mean = rtts[10..].iter().sum::<f64>() / 90.0;
        assert!((today.in_rtts - today.mean_rto / mean).abs() < 1e-9);
    }

    #[test]
    fn a_late_round_trip_is_an_early_timeout() {
        let mut rtts = [0.03; 40];
        rtts[30] = 5.0;
        assert!(compare(&rtts).iter().all(|row| row.early == 1));
    }

    #[test]
    fn there_is_no_table_of_too_few() {
        assert!(compare(&[0.03; LEAST_SAMPLES - 1]).is_empty());
        assert!(compare(&[0.0; LEAST_SAMPLES]).is_empty(), "a wait in units of nothing");
    }
}
