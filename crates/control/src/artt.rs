//! The forecast of the next round trip, and the backlog that follows from it (Jeyasekar et al. 2014, eq. 28 to 33).
//!
//! Both Vegas windows that decide by it share this: the control `arima-vegas` and the recovery `vegas`.

use parshall_estimators::forecast::{AnyForecaster, Forecaster, ForecasterConfig};

/// The document's ARTT: a round-trip time as a forecaster expects it next.
#[derive(Clone, Debug)]
pub struct Artt {
    forecaster: AnyForecaster,
    /// In seconds; NaN before the first sample.
    value: f64,
}

impl Artt {
    /// Before the first sample. The forecaster is one that was checked.
    pub fn new(forecaster: &ForecasterConfig) -> Self {
        Artt { forecaster: forecaster.build(), value: f64::NAN }
    }

    /// Takes in a round-trip time in seconds. No packet returns before it was sent: a forecast that is not above 0, or not
    /// a number, is none, and the sample stands for it.
    #[inline]
    pub fn on_sample(&mut self, rtt: f64) {
        self.forecaster.update(rtt);
        let forecast = self.forecaster.forecast().filter(|artt| *artt > 0.0 && artt.is_finite());
        self.value = forecast.unwrap_or(rtt);
    }

    /// N of equation 33, in packets: what a window makes of the difference between the forecast throughput and that of
    /// round trips of `rtt`. NaN before the first sample.
    #[inline]
    pub fn backlog(&self, cwnd: f64, rtt: f64, base_rtt: f64) -> f64 {
        (cwnd / self.value - cwnd / rtt) * (self.value - base_rtt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_backlog_is_equation_33() {
        let mut artt = Artt::new(&ForecasterConfig::Constant { value: 0.15 });
        assert!(artt.backlog(20.0, 0.2, 0.1).is_nan());
        artt.on_sample(0.3);
        // (20 / 0.15 - 20 / 0.2) (0.15 - 0.1)
        assert!((artt.backlog(20.0, 0.2, 0.1) - 5.0 / 3.0).abs() < 1e-12);
        // A forecast of either end of the range sees none.
        assert_eq!(artt.backlog(20.0, 0.15, 0.1), 0.0);
        assert_eq!(artt.backlog(20.0, 0.2, 0.15), 0.0);
    }

    #[test]
    fn a_forecast_that_is_no_time_is_replaced_by_the_sample() {
        let mut artt = Artt::new(&ForecasterConfig::Constant { value: -0.1 });
        artt.on_sample(0.15);
        let mut sample = Artt::new(&ForecasterConfig::LastValue {});
        sample.on_sample(0.15);
        assert_eq!(artt.backlog(20.0, 0.2, 0.1), sample.backlog(20.0, 0.2, 0.1));
    }
}
