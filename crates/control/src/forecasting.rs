//! Controls that decide on a forecast, which any forecaster may make.

use parshall_estimators::forecast::ForecasterConfig;

use crate::Control;

impl Control {
    /// The forecaster of a control that decides on a forecast; `None` for the others.
    pub fn forecaster(&self) -> Option<&ForecasterConfig> {
        match self {
            Control::ArimaVegas(config) => Some(&config.forecaster),
            Control::Dual(config) => Some(&config.forecaster),
            Control::TcpTp(config) => Some(&config.forecaster),
            _ => None,
        }
    }

    /// Forecaster of such a control, to change it.
    pub fn forecaster_mut(&mut self) -> Option<&mut ForecasterConfig> {
        match self {
            Control::ArimaVegas(config) => Some(&mut config.forecaster),
            Control::Dual(config) => Some(&mut config.forecaster),
            Control::TcpTp(config) => Some(&mut config.forecaster),
            _ => None,
        }
    }
}
