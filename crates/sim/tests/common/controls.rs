//! Random congestion controls.

use parshall_estimators::forecast::ForecasterConfig;
use parshall_sim::control::hystart::HyStartRule;
use parshall_sim::control::{
    aimd, arima_vegas, bbr, binomial, copa, cubic, dctcp, dual, tcp_tp, vegas, veno, Control,
};
use proptest::prelude::*;
use proptest::sample::select;

/// Any of them, with some of its settings.
pub fn control() -> impl Strategy<Value = Control> {
    let sqrt = binomial::Config { k: 0.5, l: 0.5, alpha: 1.0, beta: 0.5 };
    select(vec![
        Control::Aimd(aimd::Config {}),
        Control::Bbr(bbr::Config::default()),
        Control::Bbr(bbr::Config { bounds: true, ..Default::default() }),
        Control::Bbr(bbr::Config { variant: Some(bbr::Variant::Linux), ..Default::default() }),
        Control::Binomial(sqrt),
        Control::Copa(copa::Config::default()),
        Control::Cubic(cubic::Config::default()),
        Control::Cubic(cubic::Config {
            hystart: Some(HyStartRule::Classic),
            variant: Some(cubic::Variant::Linux),
            ..cubic::Config::default()
        }),
        Control::Cubic(cubic::Config { hystart: Some(HyStartRule::PlusPlus), ..cubic::Config::default() }),
        Control::Dctcp(dctcp::Config::default()),
        Control::Vegas(vegas::Config::default()),
        Control::ArimaVegas(arima_vegas::Config::default()),
        Control::ArimaVegas(arima_vegas::Config {
            forecaster: ForecasterConfig::Holt { gain: 0.5, trend_gain: 0.5 },
            decide: arima_vegas::Decide::Ack,
            slow_start: arima_vegas::SlowStart::Stock,
            ..arima_vegas::Config::default()
        }),
        Control::Dual(dual::Config::default()),
        Control::TcpTp(tcp_tp::Config::default()),
        Control::Veno(veno::Config::default()),
        Control::Veno(veno::Config { backlog: veno::Estimate::Smoothed, ..veno::Config::default() }),
    ])
}
