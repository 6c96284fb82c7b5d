//! Objective of a fit: the conditional sum of squares, or the exact Gaussian likelihood, with the variance of
//! the noise and the mean of the series already at their best.
//!
//! Both are `m/2 ln S + 1/2 sum ln F` up to constants: S is the sum of squares of the m innovations over
//! their relative variances F. Conditionally on the first p values F is 1 (Box and Jenkins 1976, section
//! 7.1). The mean enters the innovations linearly, so the best one is a regression on the innovations of a
//! series of ones.

use super::innovations::{Innovations, State};
use super::partial::{partial_of, step_down, step_up};
use super::scalar::{Dual, Scalar};
use super::{ma_is_invertible, Order, MAX_ORDER};

/// Greatest p + q.
pub const MAX_COEFFICIENTS: usize = 2 * MAX_ORDER;

/// phi and then theta, or the free parameters in their place.
pub type Vector = [f64; MAX_COEFFICIENTS];

/// A square table of that size.
pub type Matrix = [Vector; MAX_COEFFICIENTS];

/// Method of a fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Least conditional sum of squares: errors before the first that can be computed are 0.
    Css,
    /// Greatest exact Gaussian likelihood of a process that has been stationary for ever.
    #[default]
    Ml,
}

/// Where a point lies: free parameters, of which any are allowed, or coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Inverse hyperbolic tangents of partial autocorrelations.
    Free,
    /// phi and theta.
    Coefficients,
}

/// Objective at one point, and the sums that it is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// The objective.
    pub objective: f64,
    /// The sum of squares S.
    pub squares: f64,
    /// The sum of ln F.
    pub log_variances: f64,
    /// The best mean.
    pub mean: f64,
    /// Sum of squares of the innovations of ones: what the data say of the mean; 0 without one.
    pub mean_weight: f64,
}

/// The objective with its gradient, and the Gauss-Newton approximation of its second derivatives.
#[derive(Clone, Copy, Debug)]
pub struct Gradient {
    pub objective: f64,
    pub slope: Vector,
    pub curvature: Matrix,
}

/// Data and model whose parameters are asked for.
#[derive(Clone, Copy, Debug)]
pub struct Likelihood<'a> {
    /// The differenced series.
    pub values: &'a [f64],
    pub order: Order,
    pub method: Method,
    /// Change per step in the variance of an innovation at which the plain recursion takes over.
    pub settles_at: f64,
}

/// phi, theta and the partial autocorrelations of phi.
struct Model<S> {
    phi: [S; MAX_ORDER],
    theta: [S; MAX_ORDER],
    partial: [S; MAX_ORDER],
    invertible: bool,
}

impl<S: Scalar> Model<S> {
    /// From what stands at a point; `None` if that is not stationary.
    fn at(space: Space, order: Order, point: &[S]) -> Option<Self> {
        let (ar, ma) = point.split_at(order.p);
        let mut model = Model {
            phi: [S::constant(0.0); MAX_ORDER],
            theta: [S::constant(0.0); MAX_ORDER],
            partial: [S::constant(0.0); MAX_ORDER],
            invertible: true,
        };
        match space {
            Space::Free => {
                model.partial[..order.p].copy_from_slice(ar);
                model.phi = step_up(ar);
                model.theta = step_up(ma).map(|theta| theta.times(-1.0));
            }
            Space::Coefficients => {
                model.partial = step_down(ar)?;
                model.phi[..order.p].copy_from_slice(ar);
                model.theta[..order.q].copy_from_slice(ma);
                let mut theta = [0.0; MAX_ORDER];
                theta.iter_mut().zip(ma).for_each(|(place, theta)| *place = theta.value());
                model.invertible = ma_is_invertible(&theta[..order.q]);
            }
        }
        Some(model)
    }
}

impl Likelihood<'_> {
    /// Number of innovations that count.
    pub fn count(&self) -> usize {
        self.values.len() - self.skipped()
    }

    /// Number of values that are only conditioned on.
    pub fn skipped(&self) -> usize {
        if self.method == Method::Css {
            self.order.p
        } else {
            0
        }
    }

    fn dimensions(&self) -> usize {
        self.order.coefficients()
    }

    /// The filter before the first innovation that counts, and its state for a series that was `before` it.
    fn start<S: Scalar, const R: usize>(
        &self,
        model: &Model<S>,
        before: &[f64],
    ) -> (Innovations<S, R>, State<S, R>) {
        let (phi, theta) = (&model.phi[..self.order.p], &model.theta[..self.order.q]);
        match self.method {
            Method::Css => Innovations::conditional(phi, theta, before),
            Method::Ml => {
                let settles_at = if model.invertible { self.settles_at } else { 0.0 };
                let filter = Innovations::new(phi, theta, &model.partial[..self.order.p], settles_at);
                (filter, [S::constant(0.0); R])
            }
        }
    }

    /// The objective at a point; infinite where the model is not stationary.
    pub fn value(&self, space: Space, point: &Vector) -> Value {
        let mut inside = *point;
        if space == Space::Free {
            inside = inside.map(|free| partial_of(free).0);
        }
        match Model::at(space, self.order, &inside[..self.dimensions()]) {
            Some(model) => match self.order.states() {
                1 => self.value_of::<1>(&model),
                2 => self.value_of::<2>(&model),
                3 => self.value_of::<3>(&model),
                _ => self.value_of::<6>(&model),
            },
            None => Value {
                objective: f64::INFINITY,
                squares: 0.0,
                log_variances: 0.0,
                mean: 0.0,
                mean_weight: 0.0,
            },
        }
    }

    fn value_of<const R: usize>(&self, model: &Model<f64>) -> Value {
        let (before, values) = self.values.split_at(self.skipped());
        let (mut filter, mut state) = self.start::<f64, R>(model, before);
        let (_, mut unit) = self.start(model, &[1.0; MAX_ORDER][..before.len()]);
        let mut sums = Sums::default();
        let mut logs = LogProduct::default();
        let mut rest = values.iter();
        while !filter.is_steady() {
            let Some(&value) = rest.next() else { break };
            let (v, inverse) = (filter.update(&mut state, value), filter.inverse());
            let one = if self.order.has_mean() { filter.update(&mut unit, 1.0) } else { 0.0 };
            sums.add(v, one, inverse);
            logs.multiply(filter.variance());
            filter.advance();
        }
        if self.order.has_mean() {
            for &value in rest {
                sums.add(filter.update_steady(&mut state, value), filter.update_steady(&mut unit, 1.0), 1.0);
            }
        } else {
            for &value in rest {
                let v = filter.update_steady(&mut state, value);
                sums.squares += v * v;
            }
        }
        let mean = if sums.of_ones > 0.0 { sums.products / sums.of_ones } else { 0.0 };
        let squares = (sums.squares - mean * sums.products).max(f64::MIN_POSITIVE);
        let log_variances = logs.sum();
        let objective = 0.5 * (self.count() as f64 * libm::log(squares) + log_variances);
        let objective = if objective.is_nan() { f64::INFINITY } else { objective };
        Value { objective, squares, log_variances, mean, mean_weight: sums.of_ones }
    }

    /// The objective with its derivatives, the mean being the best one, which a call of [`Likelihood::value`] found.
    pub fn gradient(&self, space: Space, point: &Vector, mean: f64) -> Option<Gradient> {
        macro_rules! by_size {
            ($($states:pat => $r:literal: $($k:literal)*;)*) => {
                match (self.order.states(), self.dimensions()) {
                    $($(($states, $k) => self.gradient_of::<$r, $k>(space, point, mean),)*)*
                    _ => None,
                }
            };
        }
        by_size! {
            1 => 1: 1;
            2 => 2: 1 2 3;
            3 => 3: 1 2 3 4 5;
            4.. => 6: 3 4 5 6 7 8 9 10;
        }
    }

    fn gradient_of<const R: usize, const K: usize>(
        &self,
        space: Space,
        point: &Vector,
        mean: f64,
    ) -> Option<Gradient> {
        let parameter = |k: usize| match space {
            Space::Free => {
                let (partial, slope) = partial_of(point[k]);
                Dual::<K>::parameter(partial, k, slope)
            }
            Space::Coefficients => Dual::<K>::parameter(point[k], k, 1.0),
        };
        let model = Model::at(space, self.order, &core::array::from_fn::<_, K, _>(parameter))?;
        let (before, values) = self.values.split_at(self.skipped());
        let mut centred = [0.0; MAX_ORDER];
        centred.iter_mut().zip(before).for_each(|(place, value)| *place = value - mean);
        let (mut filter, mut state) = self.start::<_, R>(&model, &centred[..before.len()]);
        let mut squares = Dual::<K>::constant(0.0);
        let mut logs = LogProduct::default();
        let mut log_slope = [0.0; K];
        let mut curvature = [[0.0; K]; K];
        let mut rest = values.iter();
        while !filter.is_steady() {
            let Some(&value) = rest.next() else { break };
            let (v, inverse) = (filter.update(&mut state, value - mean), filter.inverse());
            squares = squares + v * v * inverse;
            add_square(&mut curvature, &v.slope, inverse.value());
            logs.multiply(filter.variance().value());
            for (sum, slope) in log_slope.iter_mut().zip(filter.variance().slope) {
                *sum += slope * inverse.value();
            }
            filter.advance();
        }
        for &value in rest {
            let v = filter.update_steady(&mut state, value - mean);
            squares = squares + v * v;
            add_square(&mut curvature, &v.slope, 1.0);
        }
        let m = self.count() as f64;
        let total = squares.value().max(f64::MIN_POSITIVE);
        let mut gradient = Gradient {
            objective: 0.5 * (m * libm::log(total) + logs.sum()),
            slope: [0.0; MAX_COEFFICIENTS],
            curvature: [[0.0; MAX_COEFFICIENTS]; MAX_COEFFICIENTS],
        };
        for i in 0..K {
            gradient.slope[i] = 0.5 * (m * squares.slope[i] / total + log_slope[i]);
            for j in 0..K {
                gradient.curvature[i][j] = curvature[i.max(j)][i.min(j)] * m / total;
            }
        }
        let finite = gradient.objective.is_finite() && gradient.slope.iter().all(|s| s.is_finite());
        finite.then_some(gradient)
    }
}

/// Adds `scale` times the products of the elements with each other, below the diagonal and on it.
#[inline(always)]
fn add_square<const K: usize>(matrix: &mut [[f64; K]; K], vector: &[f64; K], scale: f64) {
    for i in 0..K {
        let scaled = vector[i] * scale;
        for j in 0..=i {
            matrix[i][j] += scaled * vector[j];
        }
    }
}

/// Sums of squares and products of the innovations of the series and of ones.
#[derive(Default)]
struct Sums {
    squares: f64,
    products: f64,
    of_ones: f64,
}

impl Sums {
    #[inline(always)]
    fn add(&mut self, v: f64, one: f64, inverse: f64) {
        self.squares += v * v * inverse;
        self.products += v * one * inverse;
        self.of_ones += one * one * inverse;
    }
}

/// The logarithm of a product, taken only when the product has become large.
struct LogProduct {
    product: f64,
    sum: f64,
}

impl Default for LogProduct {
    fn default() -> Self {
        LogProduct { product: 1.0, sum: 0.0 }
    }
}

impl LogProduct {
    #[inline(always)]
    fn multiply(&mut self, factor: f64) {
        self.product *= factor;
        if !(1e-100..1e100).contains(&self.product) {
            self.sum += libm::log(self.product);
            self.product = 1.0;
        }
    }

    fn sum(&self) -> f64 {
        self.sum + libm::log(self.product)
    }
}

#[cfg(test)]
mod tests;
