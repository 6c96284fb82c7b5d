//! Vectors and symmetric matrices of two or three numbers.

/// A column of `D` numbers.
pub(super) type Vector<const D: usize> = [f64; D];

/// A square matrix, by rows.
pub(super) type Matrix<const D: usize> = [[f64; D]; D];

/// `a^T b`.
#[inline]
pub(super) fn dot<const D: usize>(a: &Vector<D>, b: &Vector<D>) -> f64 {
    (0..D).map(|i| a[i] * b[i]).sum()
}

/// `m v`.
#[inline]
pub(super) fn product<const D: usize>(m: &Matrix<D>, v: &Vector<D>) -> Vector<D> {
    core::array::from_fn(|i| dot(&m[i], v))
}

/// The matrix with `d` on its diagonal.
pub(super) fn diagonal<const D: usize>(d: Vector<D>) -> Matrix<D> {
    core::array::from_fn(|i| core::array::from_fn(|j| if i == j { d[i] } else { 0.0 }))
}

/// Each number of `a` times its counterpart in `b`.
#[inline]
pub(super) fn by_element<const D: usize>(a: &Vector<D>, b: &Vector<D>) -> Vector<D> {
    core::array::from_fn(|i| a[i] * b[i])
}

/// `m = (m - a b^T) factor` by its upper half, so that a symmetric matrix stays symmetric; `a b^T` is symmetric, and
/// no variance falls below 0.
#[inline]
pub(super) fn shrink<const D: usize>(m: &mut Matrix<D>, a: &Vector<D>, b: &Vector<D>, factor: f64) {
    for (i, &a_i) in a.iter().enumerate() {
        for (j, &b_j) in b.iter().enumerate().skip(i) {
            m[i][j] = (m[i][j] - a_i * b_j) * factor;
            m[j][i] = m[i][j];
        }
        m[i][i] = m[i][i].max(0.0);
    }
}

/// `v^T m v`, never below 0 for a covariance however it was rounded.
#[inline]
pub(super) fn variance_along<const D: usize>(m: &Matrix<D>, v: &Vector<D>) -> f64 {
    dot(&product(m, v), v).max(0.0)
}

/// Returns whether every number is finite.
#[inline]
pub(super) fn all_finite<const D: usize>(v: &Vector<D>) -> bool {
    v.iter().all(|x| x.is_finite())
}

/// Returns whether every number is one that a parameter may have when its start value is about 1. Others show
/// that the covariance has lost its meaning to rounding, as regressors of very different sizes can make it.
#[inline]
pub(super) fn all_sane<const D: usize>(v: &Vector<D>) -> bool {
    v.iter().all(|x| x.abs() < 1e12)
}
