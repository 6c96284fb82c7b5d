//! Forecasters.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use parshall_estimators::forecast::{Forecaster, ForecasterMaker, OwnForecaster};

use super::{expect, Beginning, Calls, Makes};
use crate::control::user::{Code, Failure, Method};

/// A forecaster as somebody else writes it: methods of [`Forecaster`] that can fail.
///
/// # Errors
/// Every method may return a [`Failure`], which ends what its caller is doing.
pub trait UserForecaster: Debug + Send + Sync {
    /// Takes in a sample, a finite number.
    fn update(&mut self, x: f64) -> Result<(), Failure>;

    /// The sample after `steps` more, where 1 is the next; none if that cannot be told yet. Asking changes nothing that
    /// later answers go by.
    fn forecast(&mut self, steps: u32) -> Result<Option<f64>, Failure>;

    /// A copy in the same state.
    fn copy(&self) -> Result<Box<dyn UserForecaster>, Failure>;
}

/// Makes a forecaster for each series that asks for it.
pub trait UserForecasterMaker: Code {
    /// A forecaster that has taken in nothing.
    ///
    /// # Errors
    /// If there is none.
    fn make(&self, beginning: Beginning) -> Result<Box<dyn UserForecaster>, Failure>;
}

/// Turns a maker of forecasters into that of a scenario.
pub fn forecaster(maker: Arc<dyn UserForecasterMaker>) -> Arc<dyn ForecasterMaker> {
    Arc::new(Makes(maker))
}

impl ForecasterMaker for Makes<dyn UserForecasterMaker> {
    fn make(&self) -> Box<dyn OwnForecaster> {
        Box::new(Checked::new(self.0.clone()))
    }
}

/// A forecaster whose answers are checked.
#[derive(Debug)]
struct Checked {
    maker: Arc<dyn UserForecasterMaker>,
    /// Asked for what lies further ahead by callers that share it.
    forecaster: Mutex<Box<dyn UserForecaster>>,
    calls: Calls,
    next: Option<f64>,
}

impl Checked {
    fn new(maker: Arc<dyn UserForecasterMaker>) -> Self {
        let (calls, beginning) = Calls::of(&*maker);
        let mut forecaster = calls.call(Method::Start, || maker.make(beginning));
        let next = calls.call(Method::Forecast, || checked(forecaster.forecast(1)?));
        Checked { maker, forecaster: Mutex::new(forecaster), calls, next }
    }
}

fn checked(forecast: Option<f64>) -> Result<Option<f64>, Failure> {
    let value = forecast.unwrap_or_default();
    expect("it", value, value.is_finite(), "a finite number, or none yet")?;
    Ok(forecast)
}

impl Forecaster for Checked {
    fn update(&mut self, x: f64) {
        if x.is_finite() {
            let forecaster = self.forecaster.get_mut().unwrap_or_else(PoisonError::into_inner);
            self.calls.call(Method::Update, || forecaster.update(x));
            self.next = self.calls.call(Method::Forecast, || checked(forecaster.forecast(1)?));
        }
    }

    fn forecast(&self) -> Option<f64> {
        self.next
    }

    fn forecast_ahead(&self, steps: u32) -> Option<f64> {
        if steps <= 1 {
            return self.next;
        }
        let mut forecaster = self.forecaster.lock().unwrap_or_else(PoisonError::into_inner);
        self.calls.call(Method::ForecastAhead, || checked(forecaster.forecast(steps)?))
    }

    fn reset(&mut self) {
        *self = Checked::new(self.maker.clone());
    }
}

impl OwnForecaster for Checked {
    fn copy(&self) -> Box<dyn OwnForecaster> {
        let forecaster = self.forecaster.lock().unwrap_or_else(PoisonError::into_inner);
        let copy = Mutex::new(self.calls.call(Method::Copy, || forecaster.copy()));
        let Checked { maker, calls, next, .. } = self;
        Box::new(Checked { maker: maker.clone(), forecaster: copy, calls: calls.clone(), next: *next })
    }
}
