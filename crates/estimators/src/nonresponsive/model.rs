//! The linear model in its three forms: regressor, start values, and what the unknowns say about the load.

use super::front_end::Dynamics;
use super::linear::Vector;
use super::settings::Settings;

/// A linear model with `D` unknowns.
pub(super) trait Model<const D: usize> {
    /// How many of the columns, from the first, data can tell apart.
    const IDENTIFIED: usize;

    /// W of `growth = W^T beta`.
    fn regressor(&self, dynamics: &Dynamics, rtt_s: f64) -> Vector<D>;

    /// Start values, and the size that each parameter may have.
    fn start(settings: &Settings) -> (Vector<D>, Vector<D>);

    /// z0 as the parameters have it.
    fn load(&self, beta: &Vector<D>, rtt_s: f64) -> Load<D>;
}

/// What the parameters say of z0.
pub(super) struct Load<const D: usize> {
    /// Packets of responsive flows in a round trip; not negative.
    pub z0: f64,
    /// Its derivatives by the parameters; `None` where the parameters have no meaning.
    pub gradient: Option<Vector<D>>,
}

/// One congested hop (Zhao 2004, eq. 2.14).
#[derive(Clone, Debug)]
pub(super) struct Basic;

/// More than one (eq. 2.23).
#[derive(Clone, Debug)]
pub(super) struct MultiHop;

/// Non-responsive flows of a constant rate (appendix A).
///
/// As `R (q' - d_u + C) = z`, the left side of (2.12) is `z' + d_u q'/C`: the third regressor is `q'/C`. In (A.6)
/// it is printed as `q/C`; (A.5), from which it follows, has the dot.
#[derive(Clone, Debug)]
pub(super) struct Cbr {
    pub capacity_pps: f64,
}

/// `[1/R0, -p(t-R0) / (2 R0)]`.
#[inline]
fn one_hop(dynamics: &Dynamics, rtt_s: f64) -> Vector<2> {
    let per_rtt = 1.0 / rtt_s;
    [per_rtt, -0.5 * dynamics.delayed_p * per_rtt]
}

/// z0 = sqrt(beta0 beta1), and its derivatives. A product below 0 has no meaning; z0 is 0 then.
#[inline]
fn geometric_mean(beta0: f64, beta1: f64) -> (f64, Option<[f64; 2]>) {
    if beta0 > 0.0 && beta1 > 0.0 {
        let z0 = beta0.sqrt() * beta1.sqrt();
        (z0, Some([z0 / (2.0 * beta0), z0 / (2.0 * beta1)]))
    } else {
        (0.0, None)
    }
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
    fn load(&self, beta: &Vector<2>, _rtt_s: f64) -> Load<2> {
        let (z0, gradient) = geometric_mean(beta[0], beta[1]);
        Load { z0, gradient }
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
    fn load(&self, beta: &Vector<3>, _rtt_s: f64) -> Load<3> {
        let (z0, gradient) = geometric_mean(beta[0], beta[1]);
        Load { z0, gradient: gradient.map(|[first, second]| [first, second, 0.0]) }
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

    /// The foot of the perpendicular from `(z0, d_u)` on `d_u = C - z0 / R0` (A.8).
    ///
    /// It mixes packets with packets/s, so the line's slope decides which of the two is believed: at R0 = 0.1 s
    /// d_u counts ten times as much as z0 / R0.
    #[inline]
    fn load(&self, beta: &Vector<3>, rtt_s: f64) -> Load<3> {
        let (x0, gradient) = geometric_mean(beta[0], beta[1]);
        let slope = -1.0 / rtt_s;
        let shrink = 1.0 / (slope * slope + 1.0);
        let x = (slope * (beta[2] - self.capacity_pps) + x0) * shrink;
        let meaningful = gradient.filter(|_| x >= 0.0);
        Load {
            z0: x.max(0.0),
            gradient: meaningful.map(|[first, second]| [first * shrink, second * shrink, slope * shrink]),
        }
    }
}
