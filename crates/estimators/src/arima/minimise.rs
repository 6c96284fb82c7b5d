//! The quasi-Newton method of Broyden, Fletcher, Goldfarb and Shanno (Nocedal and Wright 2006, section 6.1), on exact
//! gradients, begun with the Gauss-Newton approximation of the second derivatives, which is nearly right for sums of
//! squares.

use super::likelihood::{Gradient, Likelihood, Matrix, Space, Vector, MAX_COEFFICIENTS};
use super::linear::{dot, inverse};
use crate::math::sqrt;

/// A free parameter moves by no more at once: beyond 3 a partial autocorrelation is hardly told from 1.
const LONGEST_STEP: f64 = 1.5;
/// No free parameter goes beyond: there the hyperbolic tangent is 1 but for 1e-10.
const FARTHEST: f64 = 12.0;
const MOST_HALVINGS: u32 = 25;

/// Where a search ended.
#[derive(Clone, Copy, Debug)]
pub struct Minimum {
    pub point: Vector,
    pub objective: f64,
    pub converged: bool,
    /// Number of evaluations of the objective; a gradient counts as one.
    pub evaluations: u32,
}

/// Effort of a search.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Gain of the next step below which the search counts as finished.
    pub tolerance: f64,
    /// The most steps that it takes.
    pub steps: u32,
}

/// Goes downhill in free parameters from `start`.
pub fn minimise(likelihood: &Likelihood<'_>, start: &Vector, effort: Effort) -> Minimum {
    Search::new(likelihood, start).run(effort)
}

struct Search<'a> {
    likelihood: &'a Likelihood<'a>,
    /// Dimensions.
    k: usize,
    at: Minimum,
    gradient: Option<Gradient>,
    /// The best mean at the point that was tried last.
    mean: f64,
    inverse_curvature: Matrix,
    /// True if the curvature is that of Gauss and Newton at this very point.
    fresh: bool,
}

impl<'a> Search<'a> {
    fn new(likelihood: &'a Likelihood<'a>, start: &Vector) -> Self {
        let k = likelihood.order.coefficients();
        let value = likelihood.value(Space::Free, start);
        let at = Minimum { point: *start, objective: value.objective, converged: k == 0, evaluations: 1 };
        let inverse_curvature = [[0.0; MAX_COEFFICIENTS]; MAX_COEFFICIENTS];
        let mut search =
            Search { likelihood, k, at, gradient: None, mean: value.mean, inverse_curvature, fresh: false };
        if k > 0 {
            search.gradient = search.gradient_here();
            search.refresh();
        }
        search
    }

    /// The gradient at this point.
    fn gradient_here(&mut self) -> Option<Gradient> {
        self.at.evaluations += 1;
        self.likelihood.gradient(Space::Free, &self.at.point, self.mean)
    }

    /// Takes the Gauss-Newton curvature, with enough on its diagonal to be inverted.
    fn refresh(&mut self) {
        let Some(gradient) = &self.gradient else { return };
        let mut curvature = gradient.curvature;
        let largest = (0..self.k).map(|i| curvature[i][i]).fold(1e-8, f64::max);
        (0..self.k).for_each(|i| curvature[i][i] += 1e-8 * largest);
        self.inverse_curvature = inverse(&curvature, self.k).unwrap_or_else(|| {
            let mut steepest = [[0.0; MAX_COEFFICIENTS]; MAX_COEFFICIENTS];
            (0..self.k).for_each(|i| steepest[i][i] = 1.0 / largest);
            steepest
        });
        self.fresh = true;
    }

    fn run(mut self, effort: Effort) -> Minimum {
        for _ in 0..effort.steps {
            let Some(gradient) = self.gradient else { break };
            let mut step = [0.0; MAX_COEFFICIENTS];
            for (i, row) in self.inverse_curvature.iter().enumerate().take(self.k) {
                step[i] = -dot(row, &gradient.slope, self.k);
            }
            let descent = dot(&step, &gradient.slope, self.k);
            let gain = -0.5 * descent;
            if gain.is_nan() || gain < effort.tolerance {
                if self.fresh {
                    self.at.converged = gain >= 0.0;
                    break;
                }
                self.refresh();
                continue;
            }
            if !self.walk(&step, descent, &gradient.slope) {
                if self.fresh {
                    // Not even a short step along the Gauss-Newton direction is lower: rounding decides from here on.
                    self.at.converged = gain < 1e-5;
                    break;
                }
                self.refresh();
            }
        }
        self.at
    }

    /// Goes along a direction as far as it is lower by a fair share of what the slope promises.
    fn walk(&mut self, step: &Vector, descent: f64, slope: &Vector) -> bool {
        let longest = step[..self.k].iter().fold(0.0, |a: f64, s| a.max(s.abs()));
        let mut length = (LONGEST_STEP / longest).min(1.0);
        for halvings in 0..MOST_HALVINGS {
            let mut point = self.at.point;
            for i in 0..self.k {
                point[i] = (point[i] + length * step[i]).clamp(-FARTHEST, FARTHEST);
            }
            let (objective, gradient) = self.attempt(&point, halvings);
            if self.at.objective - objective > -1e-4 * length * descent {
                self.at.objective = objective;
                let before = core::mem::replace(&mut self.at.point, point);
                self.gradient = gradient.or_else(|| self.gradient_here());
                self.learn(&before, slope);
                return true;
            }
            // The lowest point of the parabola through both ends, if it is of use.
            let rise = objective - self.at.objective - length * descent;
            let lowest = -0.5 * descent * length * length / rise;
            length =
                if lowest.is_finite() { lowest.clamp(0.1 * length, 0.5 * length) } else { 0.25 * length };
        }
        false
    }

    /// The objective at a point. The first point tried is mostly taken, so there the gradient comes in the same pass, unless
    /// the best mean has to be known before.
    fn attempt(&mut self, point: &Vector, halvings: u32) -> (f64, Option<Gradient>) {
        self.at.evaluations += 1;
        if halvings == 0 && !self.likelihood.order.has_mean() {
            let gradient = self.likelihood.gradient(Space::Free, point, 0.0);
            return (gradient.map_or(f64::INFINITY, |gradient| gradient.objective), gradient);
        }
        let value = self.likelihood.value(Space::Free, point);
        self.mean = value.mean;
        (value.objective, None)
    }

    /// Corrects the curvature by what the gradient did on the way from `before`.
    fn learn(&mut self, before: &Vector, slope_before: &Vector) {
        let Some(gradient) = &self.gradient else { return };
        let k = self.k;
        let mut moved = [0.0; MAX_COEFFICIENTS];
        let mut bent = [0.0; MAX_COEFFICIENTS];
        for i in 0..k {
            moved[i] = self.at.point[i] - before[i];
            bent[i] = gradient.slope[i] - slope_before[i];
        }
        self.fresh = false;
        let curved = dot(&moved, &bent, k);
        if curved <= 1e-12 * sqrt(dot(&moved, &moved, k) * dot(&bent, &bent, k)) {
            self.refresh();
            return;
        }
        let mut turned = [0.0; MAX_COEFFICIENTS];
        for (place, row) in turned.iter_mut().zip(&self.inverse_curvature).take(k) {
            *place = dot(row, &bent, k);
        }
        let factor = (1.0 + dot(&bent, &turned, k) / curved) / curved;
        for i in 0..k {
            for j in 0..k {
                self.inverse_curvature[i][j] +=
                    factor * moved[i] * moved[j] - (turned[i] * moved[j] + moved[i] * turned[j]) / curved;
            }
        }
    }
}
