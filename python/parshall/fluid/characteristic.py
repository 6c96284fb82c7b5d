"""The rightmost roots of a linear equation with one delay, and the delay that it bears.

    y'(t) = A y(t) + B y(t - tau),     det(s I - A - B exp(-s tau)) = 0

The equation has infinitely many roots s, finitely many of them right of any vertical line. They are
eigenvalues of the generator of its solutions, which collocation at Chebyshev's points turns into a matrix:
Breda, Maset and Vermiglio (SIAM J. Sci. Comput. 27(2), 2005). Newton's method on the determinant then makes
them exact.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import eig, eigvals

from parshall.errors import InputError, shown
from parshall.estimators.typed import typed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Reals = NDArray[np.float64]
    Complexes = NDArray[np.complex128]

__all__ = ["delay_margin", "residual", "rightmost_roots"]

_POINTS, _MOST_POINTS = 16, 256
_AGREE = 1e-7
_ON_CIRCLE = 1e-6


@typed
def rightmost_roots(a: ArrayLike, b: ArrayLike, delay: float, count: int = 6) -> Complexes:
    """The ``count`` roots with the largest real parts, or all if there are fewer, the largest first; of a
    pair, the upper one first.

    ``a`` and ``b`` are square matrices of one size (or numbers), ``delay`` is in seconds and not negative.
    Points of collocation are added until the roots no longer move. Raises InputError for other input.
    """
    now, past = _matrices(a, b)
    if not 0 <= delay < math.inf:
        raise InputError("delay", shown(delay), "a finite number of seconds of at least 0")
    if not 1 <= count <= _MOST_POINTS:
        raise InputError("count", shown(count), f"a whole number from 1 to {_MOST_POINTS}")
    if delay == 0 or not past.any():
        # Without a past there are no other roots.
        return _sorted(eigvals(now + past))[:count]
    points = _POINTS
    before: Complexes | None = None
    while True:
        roots = _collocated(now, past, delay, points)[:count]
        size = 1 / delay + float(np.abs(roots).max(initial=0.0))
        if before is not None and np.abs(roots - before).max(initial=0.0) < _AGREE * size:
            break
        if points >= _MOST_POINTS:
            break
        points, before = 2 * points, roots
    return _sorted(np.array([_refined(now, past, delay, root) for root in roots]))


def residual(a: ArrayLike, b: ArrayLike, delay: float, root: complex) -> float:
    """Distance of a number from being a root: the least singular value of s I - A - B exp(-s tau), in units
    of its greatest term.
    """
    now, past = _matrices(a, b)
    values = np.linalg.svd(_characteristic(now, past, delay, root), compute_uv=False)
    terms = (abs(root), float(np.linalg.norm(now)), float(np.linalg.norm(past * np.exp(-root * delay))))
    return float(values[-1]) / (max(terms) or 1.0)


@typed
def delay_margin(a: ArrayLike, b: ArrayLike) -> float:
    """The least positive delay at which a root lies on the imaginary axis, in seconds; infinite without one.

    An equation that is stable without delay is stable up to this delay. On the axis z = exp(-s tau) has
    modulus 1, and the eigenvalue s of A + B z and its conjugate add up to zero: a quadratic eigenvalue
    problem in z of Kronecker products, which has all crossings (Chen, Gu and Nett, Systems and Control
    Letters 26, 1995). Roots at zero do not depend on the delay and are left out.
    """
    now, past = _matrices(a, b)
    size = len(now)
    one = np.eye(size)
    left, right = np.kron(past, one), np.kron(one, past.T)
    middle = np.kron(now, one) + np.kron(one, now.T)
    zero, unit = np.zeros_like(middle), np.eye(size * size)
    # z^2 left + z middle + right = 0, as a pencil in z.
    pencil = np.block([[zero, unit], [-right, -middle]]), np.block([[unit, zero], [zero, left]])
    least = math.inf
    with np.errstate(divide="ignore", invalid="ignore"):
        candidates = eig(*pencil, right=False)
    for z in candidates[np.isfinite(candidates)]:
        if abs(abs(z) - 1) < _ON_CIRCLE:
            least = min(least, _least_crossing(now + past * (z / abs(z)), z))
    return least


def _least_crossing(matrix: Complexes, z: complex) -> float:
    """The least delay that goes with eigenvalues of A + B z on the upper imaginary axis."""
    values = eigvals(matrix)
    scale = float(np.abs(values).max())
    upper = [v.imag for v in values if abs(v.real) < 1e-5 * scale and v.imag > 1e-7 * scale]
    turn = (-np.angle(z)) % (2 * math.pi)
    return min((turn / frequency for frequency in upper), default=math.inf)


def _collocated(now: Reals, past: Reals, delay: float, points: int) -> Complexes:
    """Eigenvalues of the generator on polynomials through ``points`` + 1 points of [-delay, 0]."""
    size = len(now)
    derivative = _chebyshev(points) * (2 / delay)
    generator = np.kron(derivative, np.eye(size))
    # The first point is the present, the last a delay ago.
    generator[:size, :] = 0.0
    generator[:size, :size] = now
    generator[:size, -size:] = past
    return _sorted(eigvals(generator))


def _chebyshev(points: int) -> Reals:
    """The matrix that differentiates a polynomial given at cos(k pi / points)."""
    # Trefethen, Spectral Methods in MATLAB (2000), chapter 6.
    nodes = np.cos(np.pi * np.arange(points + 1) / points)
    weights = np.array([2.0, *np.ones(points - 1), 2.0]) * (-1.0) ** np.arange(points + 1)
    gaps = nodes[:, None] - nodes[None, :] + np.eye(points + 1)
    matrix: Reals = np.outer(weights, 1 / weights) / gaps
    matrix -= np.diag(matrix.sum(axis=1))
    return matrix


def _refined(now: Reals, past: Reals, delay: float, root: complex) -> complex:
    """Newton's steps on the determinant, as long as they get shorter: f / f' = 1 / trace(M^-1 M')."""
    best, shortest = root, math.inf
    for _ in range(20):
        matrix = _characteristic(now, past, delay, best)
        slope = np.eye(len(now)) + delay * past * np.exp(-best * delay)
        try:
            step = 1 / np.trace(np.linalg.solve(matrix, slope))
        except np.linalg.LinAlgError:  # exactly a root
            break
        if not abs(step) < shortest:
            break
        best, shortest = best - step, abs(step)
    return complex(best)


def _characteristic(now: Reals, past: Reals, delay: float, root: complex) -> Complexes:
    matrix: Complexes = root * np.eye(len(now)) - now - past * np.exp(-root * delay)
    return matrix


def _sorted(roots: ArrayLike) -> Complexes:
    values = np.asarray(roots, dtype=complex)
    # Of a pair the real parts differ by rounding.
    return values[np.lexsort((-values.imag, -np.round(values.real, 9)))]


def _matrices(a: ArrayLike, b: ArrayLike) -> tuple[Reals, Reals]:
    now, past = np.atleast_2d(np.asarray(a, dtype=float)), np.atleast_2d(np.asarray(b, dtype=float))
    for name, matrix in (("a", now), ("b", past)):
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape != now.shape:
            raise InputError(name, f"shape {matrix.shape}", "square matrices of one size")
        if not np.isfinite(matrix).all():
            raise InputError(name, "a number that is not finite", "finite numbers")
    return now, past
