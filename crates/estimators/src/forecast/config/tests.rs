//! Configurations of forecasters: what is refused, and that writing and reading gives the same.

use super::*;

#[test]
fn parameters_outside_their_ranges_are_named() {
    let refusal = |config: ForecasterConfig| config.validate().unwrap_err().to_string();
    assert_eq!(
        refusal(ForecasterConfig::Holt { gain: 0.1, trend_gain: 2.0 }),
        "trend_gain: got 2, expected a number above 0 and at most 1",
    );
    assert_eq!(refusal(ForecasterConfig::Median { window: 0 }).split(':').next(), Some("window"));
    ForecasterConfig::jeyasekar_2014().validate().unwrap();
}

#[cfg(feature = "serde")]
#[test]
fn writing_and_reading_gives_the_same() {
    let all = [
        ForecasterConfig::Constant { value: 0.1 },
        ForecasterConfig::LastValue {},
        ForecasterConfig::Ewma { gain: 0.125 },
        ForecasterConfig::Holt { gain: 0.125, trend_gain: 0.5 },
        ForecasterConfig::Median { window: 21 },
        ForecasterConfig::AdaptiveEwma { smoothing: 0.1 },
        ForecasterConfig::Lmmse { order: 20, window: 500, every: 10, differenced: false },
        ForecasterConfig::Lms { order: 20, step: 0.001, centre: Some(10.0), memory: 500, clip: 6.0 },
        ForecasterConfig::Nlms { order: 20, step: 0.1, eps: None, centre: None, memory: 500, clip: 6.0 },
        ForecasterConfig::Rls { order: 20, memory: 1000, centre: None, clip: 6.0 },
        ForecasterConfig::Fbm { order: 20, window: 1000, h: Some(0.8), every: 100 },
        ForecasterConfig::Farima { order: 20, window: 1000, h: None, every: 100 },
        ForecasterConfig::ArimaRecursive { p: 2, d: 1, q: 1, memory: 1000 },
        ForecasterConfig::ArimaRefitted { p: 2, d: 1, q: 1, window: 1000, every: 500 },
        ForecasterConfig::Mixture { loss: LossFunction::Absolute },
        ForecasterConfig::jeyasekar_2014(),
    ];
    for config in all {
        let json = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<ForecasterConfig>(&json).unwrap(), config, "{json}");
    }
    let exact =
        serde_json::from_str::<ForecasterConfig>(r#"{"kind": "arima", "ar": [0.1], "start": "exact"}"#);
    assert!(matches!(exact.unwrap().build(), AnyForecaster::ExactArima(_)));
    let unknown = serde_json::from_str::<ForecasterConfig>(r#"{"kind": "arima", "phi": [0.1]}"#);
    assert!(unknown.unwrap_err().to_string().contains("unknown field `phi`"));
}
