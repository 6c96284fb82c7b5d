//! The estimator: front end, linear model, method, estimation intervals.

use crate::error::ConfigError;
use crate::math::{sqrt, square};

use super::estimate::Estimate;
use super::flags::Flags;
use super::front_end::{FrontEnd, Signals};
use super::interval::{Closing, Interval};
use super::linear::{variance_along, Vector};
use super::model::{Basic, Cbr, Model, MultiHop};
use super::sample::Sample;
use super::settings::{Form, Settings};
use super::solver::Solver;

/// Estimation intervals that the measure of excitation remembers.
const EXCITATION_MEMORY: f64 = 10.0;

/// Excitation below which the parameters are not told apart. With two columns it is a coefficient of variation of
/// p of 0.1.
const LOW_EXCITATION: f64 = 0.01;

/// Estimates the share of non-responsive traffic at a port (Zhao 2004, chapter II and appendix A).
///
/// It takes one sample in each sampling interval and has an estimate after every
/// [`Settings::estimation_samples`] of them. A sample that cannot be used leaves parameters and filters as they
/// were, and its interval's estimate is flagged. A step takes constant time and memory and allocates nothing.
///
/// # Examples
///
/// ```
/// use parshall_estimators::nonresponsive::{Estimator, Sample, Settings};
///
/// // 28 Mbit/s in packets of 1000 bytes, a round trip of 100 ms, a sample each 33 ms, one estimate for each.
/// let mut estimator = Estimator::new(Settings { estimation_samples: 1, ..Settings::new(3500.0, 0.1, 0.033) })?;
/// let sample = Sample { backlog: 20.0, arrivals: 120.0, drops: 4.0, marks: 0.0 };
/// let estimate = estimator.update(&sample).expect("an estimate after every sample");
/// assert!(estimate.share > Some(0.4) && estimate.share < Some(0.6));
/// # Ok::<(), parshall_estimators::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Estimator {
    settings: Settings,
    front_end: FrontEnd,
    model: AnyModel,
    interval: Interval,
}

impl Estimator {
    /// An estimator at its start values. An error names the first field of `settings` that is out of range.
    pub fn new(settings: Settings) -> Result<Estimator, ConfigError> {
        settings.validate()?;
        Ok(Estimator {
            front_end: FrontEnd::new(&settings),
            model: AnyModel::new(&settings),
            interval: Interval::new(&settings),
            settings,
        })
    }

    /// The settings it was made from.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Takes in the sample of a sampling interval; the estimate, when it ends an estimation interval.
    #[inline]
    pub fn update(&mut self, sample: &Sample) -> Option<Estimate> {
        if sample.is_usable() {
            let signals = self.front_end.take(sample);
            let (z0, flags) = self.model.take(&signals);
            let flags = flags | Flags::WARMING_UP.when(self.front_end.is_filling());
            self.interval.add(sample, signals.rtt_s, signals.offered, z0, flags);
        } else {
            self.front_end.skip();
            self.interval.skip();
        }
        self.interval.is_complete().then(|| self.interval.close(&self.model.closing()))
    }

    /// The parameters of the linear model now; the basic form has two, and its third is 0.
    pub fn parameters(&self) -> [f64; 3] {
        match &self.model {
            AnyModel::Basic(follower) => {
                let [first, second] = follower.solver.beta();
                [first, second, 0.0]
            }
            AnyModel::MultiHop(follower) => follower.solver.beta(),
            AnyModel::Cbr(follower) => follower.solver.beta(),
        }
    }

    /// Forgets every sample.
    pub fn reset(&mut self) {
        self.front_end = FrontEnd::new(&self.settings);
        self.model = AnyModel::new(&self.settings);
        self.interval = Interval::new(&self.settings);
    }
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum AnyModel {
    Basic(Follower<2, Basic>),
    MultiHop(Follower<3, MultiHop>),
    Cbr(Follower<3, Cbr>),
}

impl AnyModel {
    fn new(settings: &Settings) -> AnyModel {
        let capacity_pps = settings.capacity_pps;
        match settings.form {
            Form::Basic => AnyModel::Basic(Follower::new(settings, Basic)),
            Form::MultiHop => AnyModel::MultiHop(Follower::new(settings, MultiHop)),
            Form::Cbr => AnyModel::Cbr(Follower::new(settings, Cbr { capacity_pps })),
        }
    }

    #[inline]
    fn take(&mut self, signals: &Signals) -> (f64, Flags) {
        match self {
            AnyModel::Basic(follower) => follower.take(signals),
            AnyModel::MultiHop(follower) => follower.take(signals),
            AnyModel::Cbr(follower) => follower.take(signals),
        }
    }

    fn closing(&self) -> Closing {
        match self {
            AnyModel::Basic(follower) => follower.closing(),
            AnyModel::MultiHop(follower) => follower.closing(),
            AnyModel::Cbr(follower) => follower.closing(),
        }
    }
}

/// A model, the method that follows its parameters, and z0.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Follower<const D: usize, M> {
    model: M,
    solver: Solver<D>,
    excitation: Excitation<D>,
    sampling_s: f64,
    zero_drops_after: u32,
    /// z0 while it is extrapolated.
    extrapolated: Option<f64>,
    rtt_s: f64,
}

impl<const D: usize, M: Model<D>> Follower<D, M> {
    fn new(settings: &Settings, model: M) -> Self {
        let (start, scale) = M::start(settings);
        Follower {
            model,
            solver: Solver::new(&settings.method, start, scale, settings.sampling_s),
            excitation: Excitation::new(EXCITATION_MEMORY * f64::from(settings.estimation_samples)),
            sampling_s: settings.sampling_s,
            zero_drops_after: settings.zero_drops_after.unwrap_or(u32::MAX),
            extrapolated: None,
            rtt_s: settings.least_rtt_s(),
        }
    }

    /// z0 after the sample, and what to think of it.
    #[inline]
    fn take(&mut self, signals: &Signals) -> (f64, Flags) {
        self.rtt_s = signals.rtt_s;
        let Some(dynamics) = &signals.dynamics else {
            let (z0, flags) = self.load();
            return (z0, flags | Flags::WARMING_UP);
        };
        if dynamics.quiet >= self.zero_drops_after {
            return self.extrapolate(dynamics.growth);
        }
        self.extrapolated = None;
        let w = self.model.regressor(dynamics, signals.rtt_s);
        self.solver.update(&w, dynamics.growth);
        self.excitation.take(&w);
        self.load()
    }

    /// Without drops z grows by what the queue shows: `z(t+T) = z(t) + z' T` (eq. 2.17).
    fn extrapolate(&mut self, growth: f64) -> (f64, Flags) {
        let (last, mut flags) = match self.extrapolated {
            Some(z0) => (z0, Flags::NONE),
            None => self.load(),
        };
        let next = last + growth * self.sampling_s;
        flags |= Flags::EXTRAPOLATED | Flags::OUT_OF_RANGE.when(next < 0.0);
        let z0 = next.max(0.0);
        self.extrapolated = Some(z0);
        (z0, flags)
    }

    /// z0 as the parameters, or the extrapolation under way, have it.
    #[inline]
    fn load(&self) -> (f64, Flags) {
        if let Some(z0) = self.extrapolated {
            return (z0, Flags::EXTRAPOLATED);
        }
        let z0 = self.model.z0(&self.solver.beta(), self.rtt_s);
        (z0.unwrap_or(0.0), Flags::OUT_OF_RANGE.when(z0.is_none()))
    }

    fn closing(&self) -> Closing {
        let beta = self.solver.beta();
        let excitation = self.excitation.value(M::IDENTIFIED);
        let flags = Flags::LOW_EXCITATION.when(excitation < LOW_EXCITATION)
            | Flags::START_DEPENDENT.when(M::IDENTIFIED < D);
        Closing { n_s: beta[0], z0_se: self.z0_se(&beta), excitation, flags }
    }

    /// Standard error of z0: `sqrt(g^T P g)` with its derivatives g by the parameters. None is known while z0 is
    /// extrapolated.
    fn z0_se(&self, beta: &Vector<D>) -> Option<f64> {
        let covariance = self.solver.covariance().filter(|_| self.extrapolated.is_none())?;
        self.model.z0(beta, self.rtt_s)?;
        Some(sqrt(variance_along(&covariance, &self.model.gradient(beta, self.rtt_s))))
    }
}

/// Mean products of the regressor's columns, with exponentially fading memory.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Excitation<const D: usize> {
    memory: f64,
    count: f64,
    gain: f64,
    /// The upper half is kept.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved"))]
    products: [[f64; D]; D],
}

impl<const D: usize> Excitation<D> {
    fn new(memory: f64) -> Self {
        Excitation { memory, count: 0.0, gain: 1.0, products: [[0.0; D]; D] }
    }

    #[inline]
    fn take(&mut self, w: &Vector<D>) {
        if self.count < self.memory {
            self.count += 1.0;
            self.gain = 1.0 / self.count;
        }
        for (i, row) in self.products.iter_mut().enumerate() {
            for (j, product) in row.iter_mut().enumerate().skip(i) {
                *product += self.gain * (w[i] * w[j] - *product);
            }
        }
    }

    /// Determinant of the matrix of cosines of the first `columns` columns; 0 when one of them is 0.
    fn value(&self, columns: usize) -> f64 {
        let length = |i: usize| sqrt(self.products[i][i]);
        if (0..columns).any(|i| length(i) <= 0.0) {
            return 0.0;
        }
        let cosine = |i: usize, j: usize| self.products[i][j] / (length(i) * length(j));
        let pair = 1.0 - square(cosine(0, 1));
        let determinant = if columns == 2 {
            pair
        } else {
            let (a, b, c) = (cosine(0, 1), cosine(0, 2), cosine(1, 2));
            pair - b * b - c * c + 2.0 * a * b * c
        };
        determinant.clamp(0.0, 1.0)
    }
}
