//! The best linear predictor of fractionally differenced noise, FARIMA(0,d,0) (Hosking 1981, theorem 1).

/// Writes the weights of the last `weights.len()` values in the best prediction of the next, where `d = h - 1/2`.
///
/// Of k values, `beta_j = -C(k,j) G(j-d) G(k-d-j+1) / (G(-d) G(k-d+1))` with the Gamma function G, whose values overflow
/// for k above 170. Neighbours have the ratio `(k-j) (j-d) / ((j+1) (k-d-j))`, of factors that are all positive, and the
/// first is `k d / (k - d)`: so each follows from the one before without loss of digits.
pub fn farima_weights(h: f64, weights: &mut [f64]) {
    let d = h - 0.5;
    let k = weights.len() as f64;
    let mut weight = k * d / (k - d);
    for (j, place) in (1..).zip(weights.iter_mut()) {
        let j = f64::from(j);
        *place = weight;
        weight *= (k - j) * (j - d) / ((j + 1.0) * (k - d - j));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lmmse::levinson;

    #[test]
    fn is_what_levinson_and_durbin_find_from_its_autocorrelations() {
        for h in [0.05, 0.3, 0.51, 0.75, 0.95, 0.999] {
            // rho(k) = rho(k-1) (k-1+d) / (k-d) (Hosking 1981, theorem 1d).
            let d = h - 0.5;
            let mut r = [1.0; 21];
            (1..21).for_each(|k| r[k] = r[k - 1] * (k as f64 - 1.0 + d) / (k as f64 - d));
            for n in [1, 2, 20] {
                let (mut expected, mut spare, mut found) = ([0.0; 20], [0.0; 20], [0.0; 20]);
                levinson(&r[..=n], &mut expected[..n], &mut spare);
                farima_weights(h, &mut found[..n]);
                for (found, expected) in found.iter().zip(expected) {
                    assert!((found - expected).abs() < 1e-9, "H = {h}, n = {n}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn without_memory_there_is_nothing_to_weigh() {
        let mut weights = [9.0; 5];
        farima_weights(0.5, &mut weights);
        assert_eq!(weights, [0.0; 5]);
    }
}
