//! The normalised Kaczmarz projection (Zhao 2004, eq. 2.16).

use super::linear::{all_finite, dot, Vector};

/// `beta += e gamma2 W / (gamma1 + W^T W)` with `e = y - W^T beta`.
///
/// With gamma1 = 0 and gamma2 = 1 a step projects beta onto the plane on which `y = W^T beta` holds. In general it
/// multiplies the error of this sample by `1 - gamma2 W^T W / (gamma1 + W^T W)`, which lies in (-1, 1): no step
/// takes beta farther from any point of that plane.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Kaczmarz<const D: usize> {
    gamma1: f64,
    gamma2: f64,
    #[cfg_attr(feature = "serde", serde(with = "serde_arrays"))]
    pub beta: Vector<D>,
}

impl<const D: usize> Kaczmarz<D> {
    pub fn new(gamma1: f64, gamma2: f64, start: Vector<D>) -> Self {
        Kaczmarz { gamma1, gamma2, beta: start }
    }

    /// Takes in the equation `y = w^T beta`; one that says nothing (`w = 0`) or overflows is left out.
    #[inline]
    pub fn update(&mut self, w: &Vector<D>, y: f64) {
        let error = y - dot(w, &self.beta);
        let step = error * self.gamma2 / (self.gamma1 + dot(w, w));
        let next = core::array::from_fn(|i| self.beta[i] + step * w[i]);
        if all_finite(&next) {
            self.beta = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vectors() -> impl Strategy<Value = [f64; 3]> {
        prop::array::uniform3(-10.0..10.0f64)
    }

    fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
        a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
    }

    proptest! {
        #[test]
        fn without_regularisation_a_full_step_solves_the_equation(
            w in vectors(), start in vectors(), y in -100.0..100.0f64,
        ) {
            prop_assume!(dot(&w, &w) > 1e-3);
            let mut kaczmarz = Kaczmarz::new(0.0, 1.0, start);
            kaczmarz.update(&w, y);
            prop_assert!((dot(&w, &kaczmarz.beta) - y).abs() < 1e-9);
        }

        #[test]
        fn a_step_leaves_the_stated_part_of_the_error(
            w in vectors(), start in vectors(), y in -100.0..100.0f64,
            gamma1 in 0.1..100.0f64, gamma2 in 0.01..1.99f64,
        ) {
            let mut kaczmarz = Kaczmarz::new(gamma1, gamma2, start);
            let before = y - dot(&w, &start);
            kaczmarz.update(&w, y);
            let left = 1.0 - gamma2 * dot(&w, &w) / (gamma1 + dot(&w, &w));
            prop_assert!((y - dot(&w, &kaczmarz.beta) - left * before).abs() < 1e-9 * (1.0 + before.abs()));
        }

        #[test]
        fn no_consistent_step_leads_away_from_the_truth(
            ws in prop::collection::vec(vectors(), 1..50), start in vectors(), truth in vectors(),
            gamma1 in 0.0..100.0f64, gamma2 in 0.01..1.99f64,
        ) {
            let mut kaczmarz = Kaczmarz::new(gamma1, gamma2, start);
            for w in &ws {
                let before = distance(&kaczmarz.beta, &truth);
                kaczmarz.update(w, dot(w, &truth));
                prop_assert!(distance(&kaczmarz.beta, &truth) <= before * (1.0 + 1e-12) + 1e-12);
            }
        }
    }

    #[test]
    fn converges_when_excited_and_halts_where_not() {
        let truth = [35.0, 1200.0];
        let mut excited = Kaczmarz::new(5.0, 0.45, [1.0, 1.0]);
        let mut constant = excited.clone();
        for i in 0..4000 {
            let w = if i % 2 == 0 { [10.0, 0.0] } else { [10.0, -8.0] };
            excited.update(&w, dot(&w, &truth));
            constant.update(&[10.0, -0.5], dot(&[10.0, -0.5], &truth));
        }
        assert!((excited.beta[0] - 35.0).abs() < 1e-9 && (excited.beta[1] - 1200.0).abs() < 1e-9);
        // One direction only: the equation is solved, the parameters are not found.
        assert!((dot(&[10.0, -0.5], &constant.beta) - dot(&[10.0, -0.5], &truth)).abs() < 1e-9);
        assert!((constant.beta[1] - 1200.0).abs() > 1000.0);
    }

    #[test]
    fn an_equation_without_content_changes_nothing() {
        let mut kaczmarz = Kaczmarz::new(0.0, 1.0, [1.0, 2.0]);
        kaczmarz.update(&[0.0, 0.0], 3.0);
        kaczmarz.update(&[f64::MAX, 1.0], f64::MAX);
        assert_eq!(kaczmarz.beta, [1.0, 2.0]);
    }
}
