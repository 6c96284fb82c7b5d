//! The estimator of Linux: quick to rise, slow to fall.

use super::RtoEstimator;
use crate::error::ConfigError;
use crate::sample::is_rtt;

/// Linux's tcp_rtt_estimator(), in floating point.
///
/// srtt is that of RFC 6298. The deviation `mdev`, here four times the mean one, takes a sample below `srtt - mdev / 4` with an
/// eighth of the usual weight, so that round trips that fall do not raise the timeout. `rttvar` rises at once to the
/// greatest `mdev` of a round trip, and at its end falls by a quarter of the way to that; `least_margin` bounds it from below.
/// The timeout is `srtt + rttvar`.
///
/// A sample ends a round trip unless it is said to be amid one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinuxRto {
    least_margin: f64,
    /// Negative before the first sample.
    srtt: f64,
    mdev: f64,
    /// Greatest `mdev` of this round trip, or `least_margin` if that is more.
    greatest: f64,
    rttvar: f64,
}

impl LinuxRto {
    /// `least_margin` seconds at least are added to srtt (Linux: TCP_RTO_MIN, 0.2 s).
    pub fn new(least_margin: f64) -> Result<Self, ConfigError> {
        Self::check(least_margin)?;
        Ok(LinuxRto { least_margin, srtt: -1.0, mdev: 0.0, greatest: 0.0, rttvar: 0.0 })
    }

    pub(super) fn check(least_margin: f64) -> Result<(), ConfigError> {
        ConfigError::unless(
            least_margin >= 0.0 && least_margin.is_finite(),
            "least_margin",
            least_margin,
            "a finite number of seconds, at least 0",
        )
    }

    fn known(&self) -> bool {
        self.srtt >= 0.0
    }

    fn take(&mut self, rtt_s: f64, ends_round: bool) {
        if !is_rtt(rtt_s) {
            return;
        }
        if !self.known() {
            self.srtt = rtt_s;
            self.mdev = 2.0 * rtt_s;
            self.rttvar = self.mdev.max(self.least_margin);
            self.greatest = self.rttvar;
            return;
        }
        let error = rtt_s - self.srtt;
        self.srtt += error / 8.0;
        let beyond = error.abs() - self.mdev / 4.0;
        self.mdev += if error < 0.0 && beyond > 0.0 { beyond / 8.0 } else { beyond };
        self.greatest = self.greatest.max(self.mdev);
        self.rttvar = self.rttvar.max(self.greatest);
        if ends_round {
            self.rttvar -= (self.rttvar - self.greatest) / 4.0;
            self.greatest = self.least_margin;
        }
    }
}

impl RtoEstimator for LinuxRto {
    #[inline]
    fn on_sample(&mut self, rtt_s: f64) {
        self.take(rtt_s, true);
    }

    #[inline]
    fn on_sample_amid_round(&mut self, rtt_s: f64) {
        self.take(rtt_s, false);
    }

    #[inline]
    fn srtt(&self) -> Option<f64> {
        self.known().then_some(self.srtt)
    }

    /// A quarter of what is added to srtt, to stand beside other estimators.
    fn rttvar(&self) -> Option<f64> {
        self.known().then_some(self.rttvar / 4.0)
    }

    #[inline]
    fn base_rto(&self) -> Option<f64> {
        self.known().then_some(self.srtt + self.rttvar)
    }

    fn reset(&mut self) {
        *self = LinuxRto { srtt: -1.0, mdev: 0.0, greatest: 0.0, rttvar: 0.0, ..*self };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// tcp_rtt_estimator() as it stands in the kernel, in its units: srtt in 1/8 us, mdev and rttvar in 1/4 us.
    #[derive(Default)]
    struct Kernel {
        srtt: i64,
        mdev: i64,
        greatest: i64,
        rttvar: i64,
    }

    impl Kernel {
        const LEAST: i64 = 200_000;

        fn rto(&mut self, sample: i64, ends_round: bool) -> f64 {
            let mut m = sample;
            if self.srtt == 0 {
                self.srtt = m << 3;
                self.mdev = m << 1;
                self.rttvar = self.mdev.max(Self::LEAST);
                self.greatest = self.rttvar;
            } else {
                m -= self.srtt >> 3;
                self.srtt += m;
                if m < 0 {
                    m = -m - (self.mdev >> 2);
                    if m > 0 {
                        m >>= 3;
                    }
                } else {
                    m -= self.mdev >> 2;
                }
                self.mdev += m;
                if self.mdev > self.greatest {
                    self.greatest = self.mdev;
                    self.rttvar = self.rttvar.max(self.greatest);
                }
                if ends_round {
                    if self.greatest < self.rttvar {
                        self.rttvar -= (self.rttvar - self.greatest) >> 2;
                    }
                    self.greatest = Self::LEAST;
                }
            }
            ((self.srtt >> 3) + self.rttvar) as f64 / 1e6
        }
    }

    #[test]
    fn it_is_the_kernels_within_what_the_kernel_rounds() {
        let (mut ours, mut kernel) = (LinuxRto::new(0.2).expect("a margin"), Kernel::default());
        let mut state = 1u64;
        for n in 0..5000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // 0.2 to 0.8 s, and at times a tenth of it.
            let sample = (200_000 + (state >> 33) % 600_000) as i64 / if n % 97 < 9 { 10 } else { 1 };
            let ends_round = n % 5 == 0;
            let seconds = sample as f64 / 1e6;
            if ends_round {
                ours.on_sample(seconds);
            } else {
                ours.on_sample_amid_round(seconds);
            }
            let (rto, expected) = (ours.base_rto().expect("a timeout"), kernel.rto(sample, ends_round));
            assert!((rto - expected).abs() < 1e-4, "sample {n}: {rto} {expected}");
        }
    }

    /// By hand: 0.1 s gives 0.1 + 2 x 0.1 s; then 0.1 s again, mdev 0.15 s, greatest of the round 0.2 s.
    #[test]
    fn the_first_samples() {
        let mut rto = LinuxRto::new(0.2).expect("a margin");
        assert_eq!(rto.base_rto(), None);
        rto.on_sample(0.4);
        assert_eq!((rto.srtt(), rto.base_rto()), (Some(0.4), Some(0.4 + 0.8)));
        // The first sample's deviation is the greatest of the round that it begins.
        rto.on_sample(0.4);
        assert!((rto.base_rto().expect("a timeout") - 1.2).abs() < 1e-12);
        // mdev is 0.6 and then 0.45, and rttvar falls by a quarter of the way to it: 0.8 - 0.35 / 4.
        rto.on_sample(0.4);
        assert!((rto.base_rto().expect("a timeout") - (0.4 + 0.8 - 0.35 / 4.0)).abs() < 1e-12);
    }

    #[test]
    fn a_sample_far_below_hardly_raises_the_timeout() {
        let (mut falls, mut rises) =
            (LinuxRto::new(0.2).expect("a margin"), LinuxRto::new(0.2).expect("a margin"));
        for _ in 0..100 {
            falls.on_sample(1.0);
            rises.on_sample(1.0);
        }
        falls.on_sample(0.2);
        rises.on_sample(1.8);
        assert!(falls.base_rto() < Some(1.2), "{falls:?}");
        assert!(rises.base_rto() > Some(1.8), "{rises:?}");
    }

    #[test]
    fn a_margin_is_a_time() {
        for margin in [-0.1, f64::NAN, f64::INFINITY] {
            assert_eq!(LinuxRto::new(margin).expect_err("no margin").field, "least_margin");
        }
    }
}
