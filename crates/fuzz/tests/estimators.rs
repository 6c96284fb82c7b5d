//! Estimators on any numbers: nothing panics, and what they say of sensible numbers is a number.

use bolero::check;
use parshall_estimators::responsiveness::{Responsiveness, Settings};
use parshall_estimators::rto::{RtoConfig, RtoEstimator};
use parshall_fuzz::Bytes;

/// Every timer of the library, as a scenario names it.
const TIMERS: [&str; 5] = [
    r#"{"kind": "jacobson"}"#,
    r#"{"kind": "median", "window": 5}"#,
    r#"{"kind": "median", "window": 1, "deviation": "mad"}"#,
    r#"{"kind": "weighted-median", "window": 7}"#,
    r#"{"kind": "quantile", "risk": 0.02}"#,
];

#[test]
fn timers() {
    check!().for_each(|input: &[u8]| {
        let mut bytes = Bytes::new(input);
        let config: RtoConfig = serde_json::from_str(bytes.one(&TIMERS)).expect("a timer");
        let mut timer = config.build();
        let mut sensible = true;
        while !bytes.is_empty() {
            let rtt = bytes.measured();
            sensible &= (0.0..1e6).contains(&rtt);
            timer.on_sample(rtt);
            assert!(!sensible || timer.srtt().is_none_or(|srtt| srtt.is_finite() && srtt >= 0.0));
        }
    });
}

/// A share is a share, whatever the times and keys are.
#[test]
fn responsiveness() {
    check!().for_each(|input: &[u8]| {
        let mut bytes = Bytes::new(input);
        let mut port = Responsiveness::new(Settings { flows: 16, ..Settings::default() }).expect("settings");
        let mut now = bytes.measured();
        while !bytes.is_empty() {
            now += bytes.measured();
            while let Some(estimate) = port.close(now) {
                assert!(estimate.share.is_none_or(|share| (0.0..=1.0).contains(&share)), "{estimate:?}");
                assert!(estimate.share_se.is_none_or(|se| se >= 0.0), "{estimate:?}");
                if let (Some(lower), Some(upper)) = (estimate.share_lower, estimate.share_upper) {
                    let share = estimate.share.unwrap_or(lower);
                    assert!(0.0 <= lower && lower <= share && share <= upper && upper <= 1.0, "{estimate:?}");
                }
                assert!(port.evidence().all(|flow| (0.0..=1.0).contains(&flow.deaf)));
            }
            port.packet(now, u64::from(bytes.byte() % 32), bytes.byte() % 4 == 0);
        }
    });
}
