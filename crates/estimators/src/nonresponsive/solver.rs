//! The method that follows the parameters, in coordinates in which the start values are about 1.

use super::kaczmarz::Kaczmarz;
use super::kalman::Kalman;
use super::linear::{by_element, Matrix, Vector};
use super::rls::Rls;
use super::settings::Method;

/// Kaczmarz works on the parameters themselves, as printed. The others see `w scale` and `beta / scale`: the
/// parameters differ by three powers of ten, and their covariance is easier to state and to keep this way.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Solver<const D: usize> {
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    scale: Vector<D>,
    method: Running<D>,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Running<const D: usize> {
    Kaczmarz(Kaczmarz<D>),
    Rls(Rls<D>),
    Kalman(Kalman<D>),
}

impl<const D: usize> Solver<D> {
    /// `scale` holds the size that each parameter may have; none is 0.
    pub fn new(method: &Method, start: Vector<D>, scale: Vector<D>, sampling_s: f64) -> Self {
        let unit: Vector<D> = core::array::from_fn(|i| start[i] / scale[i]);
        match *method {
            Method::Kaczmarz { gamma1, gamma2 } => {
                let method = Running::Kaczmarz(Kaczmarz::new(gamma1, gamma2, start));
                Solver { scale: [1.0; D], method }
            }
            Method::Rls { forgetting, initial } => {
                Solver { scale, method: Running::Rls(Rls::new(forgetting, unit, [initial; D])) }
            }
            Method::Kalman { initial, drift, noise } => {
                let walk = [drift * drift * sampling_s; D];
                let kalman = Kalman::new(unit, [initial * initial; D], walk, noise);
                Solver { scale, method: Running::Kalman(kalman) }
            }
        }
    }

    /// Takes in the equation `y = w^T beta`.
    #[inline]
    pub fn update(&mut self, w: &Vector<D>, y: f64) {
        let scaled = by_element(w, &self.scale);
        match &mut self.method {
            Running::Kaczmarz(kaczmarz) => kaczmarz.update(&scaled, y),
            Running::Rls(rls) => rls.update(&scaled, y),
            Running::Kalman(kalman) => kalman.update(&scaled, y),
        }
    }

    /// The parameters now.
    #[inline]
    pub fn beta(&self) -> Vector<D> {
        let scaled = match &self.method {
            Running::Kaczmarz(kaczmarz) => &kaczmarz.beta,
            Running::Rls(rls) => &rls.beta,
            Running::Kalman(kalman) => &kalman.beta,
        };
        by_element(scaled, &self.scale)
    }

    /// Their covariance, where the method has one.
    pub fn covariance(&self) -> Option<Matrix<D>> {
        let scaled = match &self.method {
            Running::Kaczmarz(_) => None,
            Running::Rls(rls) => rls.covariance(),
            Running::Kalman(kalman) => Some(kalman.covariance()),
        }?;
        Some(core::array::from_fn(|i| core::array::from_fn(|j| scaled[i][j] * self.scale[i] * self.scale[j])))
    }
}
