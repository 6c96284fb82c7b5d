//! Binomial controls (Bansal and Balakrishnan 2001): a round trip adds alpha / w^k, a loss takes beta w^l.
//!
//! k = 0, l = 1 is AIMD; k = 1, l = 0 is IIAD (inverse increase, additive decrease); k = l = 1/2 is SQRT. All with
//! k + l = 1 share a link fairly with TCP.
//!
//! That is congestion avoidance. A loss in slow start, which doubles the window in a round trip, takes half of it and no less,
//! as in ns-2, and so does a timeout (RFC 5681, equation 4): one packet less would be lost again.

use crate::parameters::{not_negative, positive};
use crate::{AckSample, Congestion, InvalidParameter, Loss, Parameters, Start, Window};

/// The parameters of a binomial control.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Config {
    /// Exponent of the increase.
    pub k: f64,
    /// Exponent of the decrease.
    pub l: f64,
    /// Factor of the increase.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub alpha: f64,
    /// Factor of the decrease.
    #[cfg_attr(feature = "serde", serde(default = "half"))]
    pub beta: f64,
}

impl Parameters for Config {
    fn check(&self) -> Result<(), InvalidParameter> {
        not_negative("k", self.k)?;
        not_negative("l", self.l)?;
        positive("alpha", self.alpha)?;
        positive("beta", self.beta)
    }
}

#[cfg(feature = "serde")]
fn one() -> f64 {
    1.0
}

#[cfg(feature = "serde")]
fn half() -> f64 {
    0.5
}

/// A binomial control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Binomial {
    k: f64,
    l: f64,
    alpha: f64,
    beta: f64,
}

impl Binomial {
    /// The control at the start of a connection, by parameters that were checked.
    pub fn new(config: &Config, _: &Start<'_>) -> Self {
        Binomial { k: config.k, l: config.l, alpha: config.alpha, beta: config.beta }
    }
}

impl Congestion for Binomial {
    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample<'_>) {
        if !ack.may_grow {
            return;
        }
        if window.in_slow_start() {
            window.open(ack.slow_start);
        } else {
            window.cwnd += ack.growth * self.alpha / libm::pow(window.cwnd, self.k + 1.0);
        }
    }

    fn after_loss(&mut self, window: &Window, loss: &Loss) -> f64 {
        if window.in_slow_start() {
            self.decreased(loss.in_use).min(loss.in_use / 2.0)
        } else {
            self.decreased(loss.in_use)
        }
    }

    fn after_timeout(&mut self, _: &Window, loss: &Loss) -> f64 {
        self.decreased(loss.in_use).min(loss.in_use / 2.0)
    }
}

impl Binomial {
    fn decreased(&self, in_use: f64) -> f64 {
        (in_use - self.beta * libm::pow(in_use, self.l)).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{ack, loss};

    fn grown(binomial: &mut Binomial, cwnd: f64) -> f64 {
        let mut window = Window { cwnd, ssthresh: 1.0 };
        let ack = ack(0.0, 0.1);
        binomial.on_ack(&mut window, &ack);
        window.cwnd - cwnd
    }

    fn binomial(k: f64, l: f64) -> Binomial {
        Binomial { k, l, alpha: 1.0, beta: 0.5 }
    }

    #[test]
    fn aimd_is_the_binomial_of_zero_and_one() {
        let mut b = binomial(0.0, 1.0);
        assert!((grown(&mut b, 8.0) - 1.0 / 8.0).abs() < 1e-12);
        let window = Window { cwnd: 8.0, ssthresh: 1.0 };
        assert_eq!(b.after_loss(&window, &loss(8.0)), 4.0);
    }

    #[test]
    fn iiad_and_sqrt_move_as_they_are_defined() {
        let window = Window { cwnd: 16.0, ssthresh: 1.0 };
        let (mut iiad, mut sqrt) = (binomial(1.0, 0.0), binomial(0.5, 0.5));
        // A round trip of 16 ACKs adds about 1/16 and 1/4.
        assert!((16.0 * grown(&mut iiad, 16.0) - 1.0 / 16.0).abs() < 1e-12);
        assert!((16.0 * grown(&mut sqrt, 16.0) - 1.0 / 4.0).abs() < 1e-12);
        assert_eq!(iiad.after_loss(&window, &loss(16.0)), 15.5);
        assert_eq!(sqrt.after_loss(&window, &loss(16.0)), 14.0);
    }

    /// With half a packet less than slow start has reached, all that it has sent too much would be lost once more.
    #[test]
    fn a_loss_in_slow_start_and_a_timeout_take_half() {
        let slow_start = Window { cwnd: 16.0, ssthresh: 64.0 };
        let avoidance = Window { cwnd: 16.0, ssthresh: 1.0 };
        for (k, l) in [(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)] {
            let mut control = binomial(k, l);
            assert_eq!(control.after_loss(&slow_start, &loss(16.0)), 8.0);
            assert_eq!(control.after_timeout(&avoidance, &loss(16.0)), 8.0);
        }
    }
}
