//! Small symmetric systems of equations, in place.

use super::likelihood::{Matrix, Vector, MAX_COEFFICIENTS};
use crate::math::sqrt;

/// Cholesky's factor of the first `k` rows and columns of a symmetric matrix, below the diagonal and on it; `None` if the
/// matrix is not positive definite.
pub fn cholesky(matrix: &Matrix, k: usize) -> Option<Matrix> {
    let mut factor = [[0.0; MAX_COEFFICIENTS]; MAX_COEFFICIENTS];
    for i in 0..k {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|m| factor[i][m] * factor[j][m]).sum();
            let left = matrix[i][j] - sum;
            if i == j {
                if left.is_nan() || left <= 1e-14 * matrix[i][i].abs() {
                    return None;
                }
                factor[i][i] = sqrt(left);
            } else {
                factor[i][j] = left / factor[j][j];
            }
        }
    }
    Some(factor)
}

/// Solves the system of the matrix with this factor for `right`.
pub fn solve(factor: &Matrix, right: &Vector, k: usize) -> Vector {
    let mut x = *right;
    for i in 0..k {
        let sum: f64 = (0..i).map(|j| factor[i][j] * x[j]).sum();
        x[i] = (x[i] - sum) / factor[i][i];
    }
    for i in (0..k).rev() {
        let sum: f64 = (i + 1..k).map(|j| factor[j][i] * x[j]).sum();
        x[i] = (x[i] - sum) / factor[i][i];
    }
    x
}

/// The inverse of a positive definite matrix; `None` of any other.
pub fn inverse(matrix: &Matrix, k: usize) -> Option<Matrix> {
    let factor = cholesky(matrix, k)?;
    let mut inverse = [[0.0; MAX_COEFFICIENTS]; MAX_COEFFICIENTS];
    for i in 0..k {
        let mut unit = [0.0; MAX_COEFFICIENTS];
        unit[i] = 1.0;
        inverse[i] = solve(&factor, &unit, k);
    }
    Some(inverse)
}

/// The sum of the products of the first `k` elements.
pub fn dot(a: &Vector, b: &Vector, k: usize) -> f64 {
    a[..k].iter().zip(&b[..k]).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_undoes_its_matrix() {
        let mut matrix = [[0.0; MAX_COEFFICIENTS]; MAX_COEFFICIENTS];
        for (i, row) in [[4.0, 1.0, -0.5], [1.0, 3.0, 0.2], [-0.5, 0.2, 2.0]].iter().enumerate() {
            matrix[i][..3].copy_from_slice(row);
        }
        let inverse = inverse(&matrix, 3).unwrap();
        for (i, j) in (0..9).map(|place| (place / 3, place % 3)) {
            let product: f64 = (0..3).map(|m| matrix[i][m] * inverse[m][j]).sum();
            assert!((product - f64::from(u8::from(i == j))).abs() < 1e-14);
        }
        matrix[2][2] = -1.0;
        assert!(super::inverse(&matrix, 3).is_none());
    }
}
