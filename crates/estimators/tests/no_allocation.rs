//! After construction no estimator allocates, whatever it is fed and however often it is reset.

use parshall_estimators::ewma::Ewma;
use parshall_estimators::forecast::{Blend, Forecaster, ForecasterConfig, LossFunction, PredictionInterval};
use parshall_estimators::long_memory::{Bandwidth, Family, HurstEstimator, LocalWhittle, Method};
use parshall_estimators::mad::SlidingMad;
use parshall_estimators::median::SlidingMedian;
use parshall_estimators::rto::{
    Deviation, PacketSpace, QuicSettings, RtoConfig, RtoEstimator, RtoRules, RtoTimer,
};

use crate::counting::requests;

/// Numbers that jump about: multiples of the golden ratio without their whole part, now and then a thousand.
fn samples() -> impl Iterator<Item = f64> {
    (1..3000).map(|i| if i % 97 == 0 { 1000.0 } else { (f64::from(i) * 0.618_033_988_749_894_9).fract() })
}

#[test]
fn rto_estimators_do_not_allocate() {
    let configs = [
        RtoConfig::jacobson(),
        RtoConfig::jacobson_ticks(0.01),
        RtoConfig::linux(0.2),
        RtoConfig::median(5, Deviation::Ewma),
        RtoConfig::median(501, Deviation::Ewma),
        RtoConfig::median(9, Deviation::Mad),
        RtoConfig::median(501, Deviation::Mad),
        RtoConfig::weighted_median(),
        RtoConfig::quantile(0.2),
    ];
    for config in configs {
        let mut timer = RtoTimer::new(config.build(), RtoRules::default());
        let made = requests(|| {
            for _ in 0..2 {
                for (i, rtt) in samples().enumerate() {
                    timer.on_ack(rtt, i % 5 == 0);
                    if i % 100 < 5 {
                        timer.on_timeout();
                    }
                    assert!(timer.rto() > 0.0);
                    assert!(timer.estimator().rttvar() >= Some(0.0) || i == 0);
                }
                timer.reset();
            }
        });
        assert_eq!(made, 0, "{config:?}");
    }
}

#[test]
fn the_probe_timer_does_not_allocate() {
    let mut timer = RtoTimer::quic(QuicSettings::default()).unwrap();
    let made = requests(|| {
        for (i, rtt) in samples().enumerate() {
            timer.on_delayed_ack(PacketSpace::Application, rtt, rtt / 8.0);
            if i % 100 < 5 {
                timer.on_timeout();
            }
            assert!(timer.pto(PacketSpace::Initial) < timer.pto(PacketSpace::Application));
        }
        timer.reset();
    });
    assert_eq!(made, 0);
}

#[test]
fn a_blend_does_not_allocate() {
    let experts = [ForecasterConfig::LastValue {}, ForecasterConfig::Median { window: 9 }];
    let mut blend = Blend::new(LossFunction::Absolute, experts.map(|config| config.build()));
    let made = requests(|| {
        for x in samples() {
            blend.update(x);
            assert!(blend.forecast_ahead(3).is_some_and(f64::is_finite));
        }
        blend.reset();
    });
    assert_eq!(made, 0);
}

#[test]
fn estimates_of_long_memory_do_not_allocate() {
    let xs: Vec<f64> = samples().map(|x| x.min(1.0)).collect();
    let methods = [
        Method::LocalWhittle(Bandwidth::default()),
        Method::wavelet(),
        Method::Whittle(Family::Fgn),
        Method::AggregatedVariance,
        Method::RescaledRange { corrected: true },
    ];
    for method in methods {
        let mut estimator = HurstEstimator::new(method, xs.len()).unwrap();
        let lengths = [300, 1024, xs.len()];
        let made = requests(|| lengths.iter().for_each(|&n| assert!(estimator.estimate(&xs[..n]).is_ok())));
        assert_eq!(made, 0, "{method:?}");
    }
    let mut whittle = LocalWhittle::new(1000).unwrap();
    assert_eq!(
        requests(|| xs.windows(1000).step_by(97).for_each(|w| assert!(whittle.estimate(w).is_ok()))),
        0
    );
}

#[test]
fn filters_do_not_allocate() {
    let mut ewma = Ewma::new(0.1).unwrap();
    assert_eq!(requests(|| samples().for_each(|x| ewma.update(x))), 0);
    for k in [1, 5, 64, 65, 1000] {
        let mut median = SlidingMedian::new(k).unwrap();
        let mut mad = SlidingMad::new(k).unwrap();
        let made = requests(|| {
            for x in samples() {
                median.update(x);
                mad.update(x);
                assert_eq!(median.value(), mad.median());
                assert!(mad.value() >= Some(0.0));
            }
            median.reset();
            mad.reset();
        });
        assert_eq!(made, 0, "k = {k}");
    }
}

#[test]
fn forecasters_and_their_intervals_do_not_allocate() {
    let lmmse = |differenced| ForecasterConfig::Lmmse { order: 20, window: 300, every: 10, differenced };
    let configs = [
        ForecasterConfig::LastValue {},
        ForecasterConfig::Ewma { gain: 0.125 },
        ForecasterConfig::Holt { gain: 0.125, trend_gain: 0.1 },
        ForecasterConfig::AdaptiveEwma { smoothing: 0.1 },
        ForecasterConfig::Median { window: 101 },
        ForecasterConfig::jeyasekar_2014(),
        lmmse(false),
        lmmse(true),
        ForecasterConfig::ArimaRecursive { p: 2, d: 1, q: 1, memory: 500 },
        ForecasterConfig::ArimaRefitted { p: 2, d: 1, q: 1, window: 400, every: 300 },
        ForecasterConfig::Mixture { loss: LossFunction::Absolute },
        ForecasterConfig::Mixture { loss: LossFunction::Squared },
    ];
    for config in configs {
        let mut interval = PredictionInterval::new(config.build(), 0.9).unwrap();
        let made = requests(|| {
            for _ in 0..2 {
                for x in samples() {
                    interval.update(x);
                    assert!(interval.forecast_ahead(3).is_some_and(f64::is_finite));
                }
                assert!(interval.interval().is_some());
                interval.reset();
            }
        });
        assert_eq!(made, 0, "{config:?}");
    }
}

#[test]
fn a_fitter_allocates_only_when_it_is_made() {
    use parshall_estimators::arima::{Coefficients, Fitter, Method, Order};
    let xs: Vec<f64> = samples().take(400).collect();
    let mut fitter = Fitter::new(Order::new(2, 1, 1), 300).unwrap();
    let mut model =
        Coefficients { ar: Vec::with_capacity(5), ma: Vec::with_capacity(5), ..Coefficients::default() };
    let made = requests(|| {
        for method in [Method::Css, Method::Ml] {
            fitter.fit(&xs[..300], method, None).unwrap().write_to(&mut model);
            fitter.fit(&xs[100..], method, Some(&model)).unwrap().write_to(&mut model);
            assert!(fitter.fit(&xs, method, None).is_err(), "more than there is room for");
            assert!(fitter.fit(&[1.0; 300], method, None).is_err());
        }
    });
    assert_eq!(made, 0);
}

#[test]
fn the_exact_filter_does_not_allocate() {
    use parshall_estimators::arima::Coefficients;
    use parshall_estimators::forecast::{ExactArima, Forecaster};
    let mut exact = ExactArima::new(&Coefficients::jeyasekar_2014()).unwrap();
    let made = requests(|| {
        for x in samples() {
            exact.update(x);
            assert!(exact.forecast_ahead(10).is_some_and(f64::is_finite));
        }
        exact.reset();
    });
    assert_eq!(made, 0);
}
