//! The linear model in its three forms: regressor, start values, and what the unknowns say about the load.

use super::front_end::Dynamics;
use super::linear::Vector;
use super::settings::Settings;
use crate::math::sqrt;

/// A linear model with `D` unknowns.
pub(super) trait Model<const D: usize> {
    /// Number of columns, from the first, that data can tell apart.
    const IDENTIFIED: usize;

    /// W of `growth = W^T beta`.
    fn regressor(&self, dynamics: &Dynamics, rtt_s: f64) -> Vector<D>;

    /// Start values, and the size that each parameter may have.
    fn start(settings: &Settings) -> (Vector<D>, Vector<D>);

    /// Packets of responsive flows in a round trip, z0; `None` where the parameters have no meaning.
    fn z0(&self, beta: &Vector<D>, rtt_s: f64) -> Option<f64>;

    /// Derivatives of z0 by the parameters, where these have a meaning.
    fn gradient(&self, beta: &Vector<D>, rtt_s: f64) -> Vector<D>;
}

/// One congested hop (Zhao 2004, eq. 2.14).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Basic;

/// More than one (eq. 2.23).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct MultiHop;

/// Non-responsive flows of a constant rate (appendix A).
///
/// As `R (q' - d_u + C) = z`, the left side of (2.12) is `z' + d_u q'/C`: the third regressor is `q'/C`. In (A.6)
/// it is printed as `q/C`; (A.5), from which it follows, has the dot.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Cbr {
    pub capacity_pps: f64,
}

/// `[1/R0, -p(t-R0) / (2 R0)]`.
#[inline]
fn one_hop(dynamics: &Dynamics, rtt_s: f64) -> Vector<2> {
    let per_rtt = 1.0 / rtt_s;
    [per_rtt, -0.5 * dynamics.delayed_p * per_rtt]
}

/// z0 = sqrt(beta0 beta1), which needs both above 0.
#[inline]
fn geometric_mean(beta0: f64, beta1: f64) -> Option<f64> {
    let square = beta0 * beta1;
    (beta0 > 0.0 && square > 0.0 && square < f64::INFINITY).then(|| sqrt(square))
}

/// The derivatives of that mean: `sqrt(beta1 / beta0) / 2` and its inverse's half.
fn gradient_of_mean(beta0: f64, beta1: f64) -> [f64; 2] {
    let ratio = sqrt(beta1 / beta0);
    [0.5 * ratio, 0.5 / ratio]
}

fn one_hop_start(settings: &Settings) -> [f64; 2] {
    [settings.start_n_s, settings.start_z0 * settings.start_z0 / settings.start_n_s]
}

impl Model<2> for Basic {
    const IDENTIFIED: usize = 2;

    #[inline]
    fn regressor(&self, dynamics: &Dynamics, rtt_s: f64) -> Vector<2> {
        one_hop(dynamics, rtt_s)
    }

    fn start(settings: &Settings) -> (Vector<2>, Vector<2>) {
        let start = one_hop_start(settings);
        (start, start)
    }

    #[inline]
    fn z0(&self, beta: &Vector<2>, _rtt_s: f64) -> Option<f64> {
        geometric_mean(beta[0], beta[1])
    }

    fn gradient(&self, beta: &Vector<2>, _rtt_s: f64) -> Vector<2> {
        gradient_of_mean(beta[0], beta[1])
    }
}

impl Model<3> for MultiHop {
    const IDENTIFIED: usize = 2;

    #[inline]
    fn regressor(&self, dynamics: &Dynamics, rtt_s: f64) -> Vector<3> {
        let [first, second] = one_hop(dynamics, rtt_s);
        [first, second, -0.5 * first]
    }

    /// `beta2 = z0^2 S_P / N_s^2` with `S_P` = N_s times the mean drop probability elsewhere.
    fn start(settings: &Settings) -> (Vector<3>, Vector<3>) {
        let [n_s, second] = one_hop_start(settings);
        ([n_s, second, second * settings.start_elsewhere], [n_s, second, n_s])
    }

    #[inline]
    fn z0(&self, beta: &Vector<3>, _rtt_s: f64) -> Option<f64> {
        geometric_mean(beta[0], beta[1])
    }

    fn gradient(&self, beta: &Vector<3>, _rtt_s: f64) -> Vector<3> {
        let [first, second] = gradient_of_mean(beta[0], beta[1]);
        [first, second, 0.0]
    }
}

impl Model<3> for Cbr {
    const IDENTIFIED: usize = 3;

    #[inline]
    fn regressor(&self, dynamics: &Dynamics, rtt_s: f64) -> Vector<3> {
        let [first, second] = one_hop(dynamics, rtt_s);
        [first, second, dynamics.backlog_rate / self.capacity_pps]
    }

    fn start(settings: &Settings) -> (Vector<3>, Vector<3>) {
        let [n_s, second] = one_hop_start(settings);
        ([n_s, second, settings.start_cbr_pps], [n_s, second, settings.capacity_pps])
    }

    /// The foot of the perpendicular from `(z0, d_u)` on `d_u = C - z0 / R0` (A.8): with the line's slope
    /// `m = -1/R0`, `(m d_u + z0 - m C) / (m^2 + 1)`.
    ///
    /// It mixes packets with packets/s, so the slope decides which of the two is believed: of what the two say of
    /// z0, that of d_u weighs `m^2` times as much. At R0 = 0.1 s these are 99 %.
    #[inline]
    fn z0(&self, beta: &Vector<3>, rtt_s: f64) -> Option<f64> {
        let slope = -1.0 / rtt_s;
        let direct = geometric_mean(beta[0], beta[1])?;
        let projected = (slope * (beta[2] - self.capacity_pps) + direct) / (slope * slope + 1.0);
        (projected >= 0.0).then_some(projected)
    }

    fn gradient(&self, beta: &Vector<3>, rtt_s: f64) -> Vector<3> {
        let [first, second] = gradient_of_mean(beta[0], beta[1]);
        let slope = -1.0 / rtt_s;
        [first, second, slope].map(|derivative| derivative / (slope * slope + 1.0))
    }
}
