"""Predictability of series of long memory from their last values (He, Gao, Hou and Park 2002, Figure
2a).

The series are fractional Gaussian noise, whose sums are fractional Brownian motion, and fractionally
differenced noise, FARIMA(0, d, 0) with ``d = H - 1/2``. Errors follow from autocorrelations and weights;
nothing is drawn at random.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, SupportsIndex

import numpy as np

from parshall import _core
from parshall.errors import InputError, shown
from parshall.estimators import arguments
from parshall.estimators.typed import typed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["farima_autocorrelation", "fgn_autocorrelation", "prediction_error", "prediction_weights"]

Process = Literal["fgn", "farima"]
"""Fractional Gaussian noise, or fractionally differenced noise."""

Predictor = Literal["lmmse", "fbm", "farima"]
"""The best linear predictor of the process, that of Gripenberg and Norros, or that of Hosking."""

_MOST = 10_000
"""Most past values: the recursion takes time that grows with their square."""


@typed
def fgn_autocorrelation(h: float, lags: SupportsIndex) -> Floats:
    """Autocorrelations of fractional Gaussian noise at lags 0 to ``lags``: shape (lags + 1,).

    ``rho(k) = (|k+1|^2H - 2 |k|^2H + |k-1|^2H) / 2`` (Mandelbrot and Van Ness 1968). Raises InputError for
    an H outside (0, 1).
    """
    power = 2 * _hurst(h)
    k = np.arange(2.0, arguments.count("lags", lags) + 1)
    # Beyond the first lag as differences from k^2H, which keeps the digits that would cancel.
    differences = np.expm1(power * np.log1p(1 / k)) + np.expm1(power * np.log1p(-1 / k))
    return np.concatenate([[1.0, 2 ** (power - 1) - 1], k**power * differences / 2])[: int(lags) + 1]


@typed
def farima_autocorrelation(h: float, lags: SupportsIndex) -> Floats:
    """Autocorrelations of FARIMA(0, H - 1/2, 0) at lags 0 to ``lags``: shape (lags + 1,).

    ``rho(k) = rho(k-1) (k - 1 + d) / (k - d)`` (Hosking 1981, theorem 1d). Raises InputError for an H outside
    (0, 1).
    """
    d = _hurst(h) - 0.5
    k = np.arange(1.0, arguments.count("lags", lags) + 1)
    return np.concatenate([[1.0], np.cumprod((k - 1 + d) / (k - d))])


@typed
def prediction_weights(
    h: float, n: SupportsIndex = 20, *, predictor: Predictor = "lmmse", process: Process = "fgn"
) -> Floats:
    """Weights of the last ``n`` values in the prediction of the next, the newest first: shape (n,).

    ``"lmmse"`` is the best linear predictor of the process (Levinson and Durbin), ``"fbm"`` that of
    fractional Brownian motion from its finite past (Gripenberg and Norros 1996) with the mean of its weight
    over each increment, ``"farima"`` the best of fractionally differenced noise (Hosking 1981). Raises
    InputError for an H outside (0, 1), and for n below 1 (2 for ``"fbm"``).
    """
    order = _order(n, least=2 if predictor == "fbm" else 1)
    if predictor == "lmmse":
        return _levinson(_autocorrelation(process, h, order))[0]
    if predictor not in ("fbm", "farima"):
        raise InputError("predictor", shown(predictor), '"lmmse", "fbm" or "farima"')
    return _core.fractional_weights(predictor == "fbm", _hurst(h), order)


@typed
def prediction_error(
    h: float, n: SupportsIndex = 20, *, predictor: Predictor = "lmmse", process: Process = "fgn"
) -> float:
    """Mean square error of the prediction of the next value from the last ``n``, over the variance.

    The predictors are those of :func:`prediction_weights`; each errs as much as it does on ``process``.

    >>> round(prediction_error(0.85), 4), round(prediction_error(0.85, predictor="farima"), 4)
    (0.5679, 0.575)
    """
    order = _order(n)
    rho = _autocorrelation(process, h, order)
    if predictor == "lmmse":
        return _levinson(rho)[1]
    weights = prediction_weights(h, order, predictor=predictor)
    apart = np.abs(np.subtract.outer(np.arange(order), np.arange(order)))
    return float(1 - 2 * weights @ rho[1:] + weights @ rho[apart] @ weights)


def _levinson(rho: Floats) -> tuple[Floats, float]:
    """The recursion of Levinson and Durbin (Durbin 1960): weights, and the error over the variance."""
    weights, error = np.zeros(0), 1.0
    for k in range(len(rho) - 1):
        partial = (rho[k + 1] - weights @ rho[k:0:-1]) / error
        weights = np.append(weights - partial * weights[::-1], partial)
        error *= (1 - partial) * (1 + partial)
    return weights, float(error)


def _autocorrelation(process: str, h: float, lags: int) -> Floats:
    if process == "fgn":
        return fgn_autocorrelation(h, lags)
    if process == "farima":
        return farima_autocorrelation(h, lags)
    raise InputError("process", shown(process), '"fgn" or "farima"')


def _hurst(h: float) -> float:
    value = arguments.real("h", h)
    if not 0 < value < 1:
        raise InputError("h", shown(value), "a number above 0 and below 1")
    return value


def _order(n: SupportsIndex, least: int = 1) -> int:
    value = arguments.count("n", n)
    if not least <= value <= _MOST:
        raise InputError("n", shown(value), f"a whole number from {least} to {_MOST}")
    return value
