//! Filters of retransmission timeouts.

use std::fmt::Debug;
use std::sync::Arc;

use parshall_estimators::rto::{OwnRto, RtoEstimator, RtoMaker};

use super::{expect, Beginning, Calls, Makes};
use crate::control::user::{Code, Failure, Method};

/// The answer of a filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RtoAnswer {
    /// The timeout before any rule, in seconds.
    pub rto: f64,
    /// The smoothed round-trip time, in seconds; NaN for none.
    pub srtt: f64,
    /// The deviation of the round-trip time, in seconds; NaN for none.
    pub rttvar: f64,
}

/// A filter as somebody else writes it: methods of [`RtoEstimator`] that can fail.
///
/// # Errors
/// Every method may return a [`Failure`], which ends what its caller is doing.
pub trait UserRto: Debug + Send + Sync {
    /// Takes in a round-trip time, in seconds; `amid_round` is true for one of the same round trip as the sample before.
    fn on_sample(&mut self, rtt: f64, amid_round: bool) -> Result<(), Failure>;

    /// Hears that a timeout raised the backoff to `factor`.
    fn on_timeout(&mut self, factor: u32) -> Result<(), Failure>;

    /// See [`RtoEstimator::on_early_timeout`].
    fn on_early_timeout(&mut self) -> Result<(), Failure>;

    /// The timeout as it is now; asked for after each of the calls above, once there was a sample.
    fn rto(&mut self) -> Result<RtoAnswer, Failure>;

    /// A copy in the same state.
    fn copy(&self) -> Result<Box<dyn UserRto>, Failure>;
}

/// Makes a filter for each sender that asks for it.
pub trait UserRtoMaker: Code {
    /// A filter that has taken in nothing.
    ///
    /// # Errors
    /// If there is none.
    fn make(&self, beginning: Beginning) -> Result<Box<dyn UserRto>, Failure>;
}

/// Turns a maker of filters into that of a scenario.
pub fn rto(maker: Arc<dyn UserRtoMaker>) -> Arc<dyn RtoMaker> {
    Arc::new(Makes(maker))
}

impl RtoMaker for Makes<dyn UserRtoMaker> {
    fn make(&self) -> Box<dyn OwnRto> {
        Box::new(Checked::new(self.0.clone()))
    }
}

/// A filter whose answers are checked.
#[derive(Debug)]
struct Checked {
    maker: Arc<dyn UserRtoMaker>,
    filter: Box<dyn UserRto>,
    calls: Calls,
    /// None before the first sample.
    answer: Option<RtoAnswer>,
}

impl Checked {
    fn new(maker: Arc<dyn UserRtoMaker>) -> Self {
        let (calls, beginning) = Calls::of(&*maker);
        let filter = calls.call(Method::Start, || maker.make(beginning));
        Checked { maker, filter, calls, answer: None }
    }

    fn take(&mut self, rtt: f64, amid_round: bool) {
        let filter = &mut self.filter;
        self.calls.call(Method::Sample, || filter.on_sample(rtt, amid_round));
        self.ask();
    }

    fn ask(&mut self) {
        let filter = &mut self.filter;
        self.answer = Some(self.calls.call(Method::Rto, || {
            let answer = filter.rto()?;
            let time = |value: f64| value >= 0.0 && value.is_finite();
            expect("it", answer.rto, time(answer.rto), "seconds, a finite number of at least 0")?;
            for (name, value) in [("srtt", answer.srtt), ("rttvar", answer.rttvar)] {
                expect(name, value, value.is_nan() || time(value), "seconds, at least 0, or NaN for none")?;
            }
            Ok(answer)
        }));
    }

    fn told(&self, part: impl Fn(&RtoAnswer) -> f64) -> Option<f64> {
        self.answer.as_ref().map(part).filter(|value| !value.is_nan())
    }
}

impl RtoEstimator for Checked {
    fn on_sample(&mut self, rtt_s: f64) {
        self.take(rtt_s, false);
    }

    fn on_sample_amid_round(&mut self, rtt_s: f64) {
        self.take(rtt_s, true);
    }

    fn srtt(&self) -> Option<f64> {
        self.told(|answer| answer.srtt)
    }

    fn rttvar(&self) -> Option<f64> {
        self.told(|answer| answer.rttvar)
    }

    fn base_rto(&self) -> Option<f64> {
        self.told(|answer| answer.rto)
    }

    fn on_backoff(&mut self, factor: u32) {
        let filter = &mut self.filter;
        self.calls.call(Method::Timeout, || filter.on_timeout(factor));
        if self.answer.is_some() {
            self.ask();
        }
    }

    fn on_early_timeout(&mut self) {
        let filter = &mut self.filter;
        self.calls.call(Method::EarlyTimeout, || filter.on_early_timeout());
        if self.answer.is_some() {
            self.ask();
        }
    }

    fn reset(&mut self) {
        *self = Checked::new(self.maker.clone());
    }
}

impl OwnRto for Checked {
    fn copy(&self) -> Box<dyn OwnRto> {
        let filter = self.calls.call(Method::Copy, || self.filter.copy());
        let Checked { maker, calls, answer, .. } = self;
        Box::new(Checked { maker: maker.clone(), filter, calls: calls.clone(), answer: *answer })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::unwind::caught;

    /// Twice the last round trip, and its own faults.
    #[derive(Clone, Copy, Debug)]
    struct Twice(f64);

    impl UserRto for Twice {
        fn on_sample(&mut self, rtt: f64, _: bool) -> Result<(), Failure> {
            self.0 = rtt;
            if rtt == 9.0 {
                Err(Failure::new("had enough"))
            } else {
                Ok(())
            }
        }

        fn on_timeout(&mut self, _: u32) -> Result<(), Failure> {
            self.0 += 1.0;
            Ok(())
        }

        fn on_early_timeout(&mut self) -> Result<(), Failure> {
            Ok(())
        }

        fn rto(&mut self) -> Result<RtoAnswer, Failure> {
            let rto = if self.0 > 5.0 { f64::NAN } else { 2.0 * self.0 };
            Ok(RtoAnswer { rto, srtt: self.0, rttvar: f64::NAN })
        }

        fn copy(&self) -> Result<Box<dyn UserRto>, Failure> {
            Ok(Box::new(*self))
        }
    }

    impl Code for Twice {
        fn name(&self) -> &str {
            "Twice"
        }

        fn time_limit(&self) -> Option<Duration> {
            None
        }
    }

    impl UserRtoMaker for Twice {
        fn make(&self, _: Beginning) -> Result<Box<dyn UserRto>, Failure> {
            Ok(Box::new(*self))
        }
    }

    #[test]
    fn it_answers_from_its_first_sample_on_and_copies_go_on_by_themselves() {
        let mut filter = rto(Arc::new(Twice(0.0))).make();
        filter.on_backoff(2);
        assert_eq!((filter.base_rto(), filter.srtt()), (None, None));
        filter.on_sample(0.5);
        let mut other = filter.copy();
        filter.on_backoff(2);
        assert_eq!((filter.base_rto(), filter.srtt(), filter.rttvar()), (Some(3.0), Some(1.5), None));
        assert_eq!((other.base_rto(), other.granular_rto(0.75)), (Some(1.0), Some(1.25)));
        other.reset();
        assert_eq!(other.base_rto(), None);
    }

    #[test]
    fn what_is_no_timeout_and_what_fails_is_told_in_a_line() {
        let told = |rtt| {
            let mut filter = rto(Arc::new(Twice(0.0))).make();
            caught(|| filter.on_sample(rtt)).expect_err("a failure").to_string()
        };
        let expected = "seconds, a finite number of at least 0";
        assert_eq!(told(6.0), format!("Twice.rto: it is NaN, expected {expected}"));
        assert_eq!(told(9.0), "Twice.on_sample: had enough");
        assert_eq!(told(-1.0), format!("Twice.rto: it is -2, expected {expected}"));
    }
}
