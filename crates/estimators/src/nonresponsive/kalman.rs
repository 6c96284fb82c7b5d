//! A Kalman filter of parameters that walk at random.

use super::linear::{all_finite, all_sane, diagonal, dot, product, shrink, variance_along, Matrix, Vector};

/// Innovations over which the noise is averaged at most.
const NOISE_MEMORY: f64 = 1000.0;

/// State `beta[n] = beta[n-1] + walk`, observation `y[n] = w[n]^T beta[n] + noise`. The start value is about 1; a
/// parameter beyond 1e12 is a fault of the arithmetic, and state and covariance start again.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Kalman<const D: usize> {
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    start: Vector<D>,
    /// Variances of the start value.
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    variances: Vector<D>,
    /// Variances of a step of the walk.
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    walk: Vector<D>,
    noise: Noise,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved"))]
    p: Matrix<D>,
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    pub beta: Vector<D>,
}

/// Variance of the observation's noise.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Noise {
    Known(f64),
    /// The mean squared innovation: the noise and what the parameters' uncertainty adds, so rather too much.
    Innovations {
        mean_square: f64,
        count: f64,
    },
}

impl Noise {
    /// The variance, after an innovation has been looked at.
    #[inline]
    fn after(&mut self, innovation: f64) -> f64 {
        match self {
            Noise::Known(variance) => *variance,
            Noise::Innovations { mean_square, count } => {
                *count = (*count + 1.0).min(NOISE_MEMORY);
                *mean_square += (innovation * innovation - *mean_square) / *count;
                // An exact fit has no noise at all, and then every observation is as good as the first.
                mean_square.max(f64::MIN_POSITIVE)
            }
        }
    }
}

impl<const D: usize> Kalman<D> {
    /// `variances` are those of the start value, `walk` those of a step, `noise_sd` the noise's standard
    /// deviation, or `None` for that of the innovations.
    pub fn new(start: Vector<D>, variances: Vector<D>, walk: Vector<D>, noise_sd: Option<f64>) -> Self {
        let unknown = Noise::Innovations { mean_square: 0.0, count: 0.0 };
        let noise = noise_sd.map_or(unknown, |sd| Noise::Known(sd * sd));
        Kalman { start, variances, walk, noise, p: diagonal(variances), beta: start }
    }

    /// Takes in the observation `y`; one that overflows is left out.
    #[inline]
    pub fn update(&mut self, w: &Vector<D>, y: f64) {
        let innovation = y - dot(w, &self.beta);
        if !(innovation * innovation).is_finite() {
            return;
        }
        (0..D).for_each(|i| self.p[i][i] += self.walk[i]);
        let noise = self.noise.after(innovation);
        let pw = product(&self.p, w);
        let innovation_variance = noise + variance_along(&self.p, w);
        let per_variance = 1.0 / innovation_variance;
        let gain = pw.map(|x| x * per_variance);
        let next: Vector<D> = core::array::from_fn(|i| self.beta[i] + gain[i] * innovation);
        if all_sane(&next) && all_finite(&pw) && all_finite(&gain) {
            self.beta = next;
            shrink(&mut self.p, &gain, &pw, 1.0);
        } else {
            self.beta = self.start;
            self.p = diagonal(self.variances);
        }
    }

    /// Covariance of beta.
    pub fn covariance(&self) -> Matrix<D> {
        self.p
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn inverse(m: &Matrix<2>) -> Matrix<2> {
        let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        [[m[1][1] / det, -m[0][1] / det], [-m[1][0] / det, m[0][0] / det]]
    }

    /// Filter in information form: `P^-1 += w w^T / r`, `beta = P (P^-1 beta + w y / r)`.
    struct Information {
        beta: Vector<2>,
        p: Matrix<2>,
    }

    impl Information {
        fn update(&mut self, walk: &Vector<2>, r: f64, w: &Vector<2>, y: f64) {
            (0..2).for_each(|i| self.p[i][i] += walk[i]);
            let mut information = inverse(&self.p);
            let mut vector = product(&information, &self.beta);
            for i in 0..2 {
                vector[i] += w[i] * y / r;
                for j in 0..2 {
                    information[i][j] += w[i] * w[j] / r;
                }
            }
            self.p = inverse(&information);
            self.beta = product(&self.p, &vector);
        }
    }

    proptest! {
        #[test]
        fn equals_the_information_form_at_every_step(
            data in prop::collection::vec((prop::array::uniform2(-3.0..3.0f64), -10.0..10.0f64), 1..80),
            sd in 0.3..3.0f64,
            walk in prop::array::uniform2(0.001..0.5f64),
        ) {
            let mut kalman = Kalman::new([1.0, -1.0], [4.0, 9.0], walk, Some(sd));
            let mut other = Information { beta: [1.0, -1.0], p: diagonal([4.0, 9.0]) };
            for (w, y) in data {
                kalman.update(&w, y);
                other.update(&walk, sd * sd, &w, y);
                for i in 0..2 {
                    prop_assert!((kalman.beta[i] - other.beta[i]).abs() < 1e-7);
                    prop_assert!((0..2).all(|j| (kalman.covariance()[i][j] - other.p[i][j]).abs() < 1e-7));
                }
            }
        }
    }

    #[test]
    fn the_noise_is_learnt_from_the_innovations() {
        let mut kalman = Kalman::new([0.0], [1.0], [0.0], None);
        for i in 0..20_000 {
            let noise = (f64::from(i) * 0.618_033_988_749_894_9).fract() - 0.5;
            kalman.update(&[1.0], 3.0 + 20.0 * noise);
        }
        let Noise::Innovations { mean_square, .. } = kalman.noise else {
            panic!("noise was not to be known")
        };
        assert!((mean_square / (400.0 / 12.0) - 1.0).abs() < 0.02, "{mean_square}");
        assert!((kalman.beta[0] - 3.0).abs() < 3.0 * kalman.covariance()[0][0].sqrt());
    }

    #[test]
    fn starts_again_when_its_arithmetic_broke_down() {
        let mut kalman = Kalman::new([1.0, 2.0], [1e6, 1e6], [0.0, 0.0], Some(1e-9));
        kalman.update(&[1e-9, 1e-9], 1e9);
        assert_eq!((kalman.beta, kalman.p), ([1.0, 2.0], diagonal([1e6, 1e6])));
        kalman.update(&[1e200, 1.0], 1.0);
        assert_eq!((kalman.beta, kalman.p), ([1.0, 2.0], diagonal([1e6, 1e6])));
    }

    #[test]
    fn follows_a_parameter_that_moves() {
        let mut kalman = Kalman::new([0.0], [1.0], [0.01], Some(0.5));
        (0..500).for_each(|_| kalman.update(&[1.0], 5.0));
        (0..500).for_each(|_| kalman.update(&[1.0], 9.0));
        assert!((kalman.beta[0] - 9.0).abs() < 1e-3);
    }
}
