//! Makes the observers of queues that a scenario asks for; their estimators check the settings themselves.

use parshall_estimators::nonresponsive::{Method, Settings};
use parshall_estimators::ConfigError;

use super::checks::MAX_PACKET_BYTES;
use super::place::quoted;
use super::{Checked, PortPlan};
use crate::error::ScenarioError;
use crate::names::NameList;
use crate::record::{QueueEstimator, QueueObservers};
use crate::scenario::{FixedPointMethod, QueueShareSeries, ShareMethod};
use crate::units::{Rate, Time};

const PS_PER_MS: u64 = 1_000_000_000;

/// An observer for each of `ports`, which are in ascending order.
pub(super) fn queue_observers(
    asked: &QueueShareSeries,
    ports: &[u32],
    plans: &[PortPlan],
    names: &NameList,
) -> Checked<QueueObservers> {
    if asked.sampling == Time::ZERO {
        return Err(ScenarioError::new("record.nonresponsive.sampling", "0 s", "a time above 0"));
    }
    if !(1..=MAX_PACKET_BYTES).contains(&asked.mean_packet_bytes) {
        let path = "record.nonresponsive.mean_packet_bytes";
        return Err(ScenarioError::new(path, asked.mean_packet_bytes, "1 to 65535 bytes"));
    }
    let (interval, tick_ms) = match asked.method {
        ShareMethod::FixedPoint(method) => (method.tick, Some(whole_milliseconds(&method)?)),
        _ => (asked.sampling, None),
    };
    let estimator = |&port: &u32| -> Checked<_> {
        let plan = &plans[port as usize];
        let settings = settings(asked, plan.rate);
        let estimator = match tick_ms {
            Some(tick_ms) => QueueEstimator::fixed_point(&settings, asked.mean_packet_bytes, tick_ms),
            None => QueueEstimator::float(settings),
        };
        Ok((port, estimator.map_err(|error| refused(error, &names[port as usize]))?))
    };
    Ok(QueueObservers::new(interval, ports.iter().map(estimator).collect::<Checked<_>>()?))
}

fn whole_milliseconds(method: &FixedPointMethod) -> Checked<u32> {
    let ps = method.tick.ps();
    let whole = u32::try_from(ps / PS_PER_MS).ok().filter(|&ms| ms > 0 && ps % PS_PER_MS == 0);
    whole.ok_or_else(|| {
        let value = format!("{} s", method.tick.secs());
        let expected = "a whole number of milliseconds, at least 1";
        ScenarioError::new("record.nonresponsive.method.tick", value, expected)
    })
}

fn settings(asked: &QueueShareSeries, rate: Rate) -> Settings {
    let capacity_pps = rate.bps() / (8.0 * f64::from(asked.mean_packet_bytes));
    let port = Settings::new(capacity_pps, asked.propagation.secs(), asked.sampling.secs());
    let port = port.with_rtt(asked.rtt.map(Time::secs));
    Settings {
        form: asked.form,
        method: method(asked.method),
        count_drops: asked.count_drops,
        zero_drops_after: asked.zero_drops_after,
        backlog_alpha: asked.backlog_alpha,
        signal_alpha: asked.signal_alpha,
        drop_alpha: asked.drop_alpha,
        derivative_alpha: asked.derivative_alpha,
        estimation_samples: asked.estimation_samples,
        start_n_s: asked.start_n_s.unwrap_or(port.start_n_s),
        start_z0: asked.start_z0.unwrap_or(port.start_z0),
        start_elsewhere: asked.start_elsewhere,
        start_cbr_pps: asked.start_cbr.unwrap_or(port.start_cbr_pps),
        ..port
    }
}

fn method(asked: ShareMethod) -> Method {
    match asked {
        ShareMethod::Kaczmarz(m) => Method::Kaczmarz { gamma1: m.gamma1, gamma2: m.gamma2 },
        ShareMethod::FixedPoint(m) => Method::Kaczmarz { gamma1: m.gamma1, gamma2: m.gamma2 },
        ShareMethod::Rls(m) => Method::Rls { forgetting: m.forgetting, initial: m.initial },
        ShareMethod::Kalman(m) => Method::Kalman { initial: m.initial, drift: m.drift, noise: m.noise },
    }
}

/// Translates an estimator's objection to its settings into the terms of the scenario.
fn refused(error: ConfigError, port: &str) -> ScenarioError {
    let (field, value) = match error.field {
        "capacity_pps" => ("of", format!("{} with {} packets/s", quoted(port), error.value)),
        "sampling_s" => ("sampling", error.value),
        "propagation_s" => ("propagation", error.value),
        "rtt_s" => ("rtt", error.value),
        "start_cbr_pps" => ("start_cbr", error.value),
        "tick_ms" => ("method.tick", format!("{} ms", error.value)),
        "gamma1" => ("method.gamma1", error.value),
        "gamma2" => ("method.gamma2", error.value),
        "forgetting" => ("method.forgetting", error.value),
        "initial" => ("method.initial", error.value),
        "drift" => ("method.drift", error.value),
        "noise" => ("method.noise", error.value),
        field => (field, error.value),
    };
    ScenarioError::new(format!("record.nonresponsive.{field}"), value, error.expected)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(method: &str) -> QueueShareSeries {
        let plain = json!({"of": [], "sampling": 0.033, "propagation": 0.1, "method": {"kind": method}});
        serde_json::from_value(plain).expect("a well-formed series")
    }

    #[test]
    fn what_is_left_out_has_the_estimators_default() {
        for (name, method) in [
            ("kaczmarz", Method::kaczmarz()),
            ("fixed-point", Method::kaczmarz()),
            ("rls", Method::rls()),
            ("kalman", Method::kalman()),
        ] {
            let plain = Settings { method, ..Settings::new(3500.0, 0.1, 0.033) };
            assert_eq!(settings(&asked(name), Rate::from_bps(28e6)), plain);
            let with_rtt = QueueShareSeries { rtt: Some(Time::from_secs(0.12)), ..asked(name) };
            assert_eq!(settings(&with_rtt, Rate::from_bps(28e6)), plain.with_rtt(Some(0.12)));
        }
    }

    #[test]
    fn what_is_given_arrives() {
        let given = json!({
            "of": [], "sampling": 0.033, "propagation": 0.1, "mean_packet_bytes": 500, "form": "multi-hop",
            "method": {"kind": "kalman", "initial": 2.0, "drift": 0.3, "noise": 4.0},
            "rtt": 0.2, "count_drops": true, "zero_drops_after": 5, "estimation_samples": 6,
            "backlog_alpha": 0.11, "signal_alpha": 0.12, "drop_alpha": 0.13, "derivative_alpha": 0.14,
            "start_n_s": 21.0, "start_z0": 22.0, "start_elsewhere": 0.23, "start_cbr": 24.0,
        });
        let given: QueueShareSeries = serde_json::from_value(given).expect("a well-formed series");
        let expected = Settings {
            capacity_pps: 7000.0,
            propagation_s: 0.1,
            sampling_s: 0.033,
            rtt_s: Some(0.2),
            form: parshall_estimators::nonresponsive::Form::MultiHop,
            method: Method::Kalman { initial: 2.0, drift: 0.3, noise: Some(4.0) },
            count_drops: true,
            zero_drops_after: Some(5),
            backlog_alpha: 0.11,
            signal_alpha: 0.12,
            drop_alpha: 0.13,
            derivative_alpha: 0.14,
            estimation_samples: 6,
            start_n_s: 21.0,
            start_z0: 22.0,
            start_elsewhere: 0.23,
            start_cbr_pps: 24.0,
        };
        assert_eq!(settings(&given, Rate::from_bps(28e6)), expected);
    }
}
