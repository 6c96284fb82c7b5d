//! Estimators of one kind of value, for code that holds one without knowing which.

use parshall_estimators::ewma::Ewma;
use parshall_estimators::mad::SlidingMad;
use parshall_estimators::median::SlidingMedian;
use parshall_estimators::rto::{AnyRto, RtoTimer};

/// An estimator that turns each number into one number.
pub trait Filter: Send {
    /// Takes in a sample and returns the value after it, NaN if there is none.
    fn update(&mut self, sample: f64) -> f64;
    /// The value, NaN if there is none.
    fn value(&self) -> f64;
    /// A copy in the same state.
    fn copy(&self) -> Box<dyn Filter>;
}

macro_rules! filters {
    ($($kind:ty)*) => {$(
        impl Filter for $kind {
            fn update(&mut self, sample: f64) -> f64 {
                <$kind>::update(self, sample);
                Filter::value(self)
            }

            fn value(&self) -> f64 {
                <$kind>::value(self).unwrap_or(f64::NAN)
            }

            fn copy(&self) -> Box<dyn Filter> {
                Box::new(self.clone())
            }
        }
    )*};
}

filters! { Ewma SlidingMedian SlidingMad }

/// A timer takes in round-trip times of packets that were sent once; its value is the timeout.
impl Filter for RtoTimer<AnyRto> {
    fn update(&mut self, sample: f64) -> f64 {
        if sample.is_finite() && sample >= 0.0 {
            self.on_ack(sample, false);
        }
        self.rto()
    }

    fn value(&self) -> f64 {
        self.rto()
    }

    fn copy(&self) -> Box<dyn Filter> {
        Box::new(self.clone())
    }
}
