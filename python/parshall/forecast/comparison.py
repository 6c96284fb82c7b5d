"""Tests if one forecast is better than another by more than chance (Diebold and Mariano 1995).

The mean difference of their losses is held against its standard error, for which the differences may be
correlated in time (Newey and West 1987, Bartlett weights); with the correction of Harvey, Leybourne and
Newbold (1997) for few samples and for forecasts further ahead, and Student's distribution. Where several are
compared, Holm's correction (1979) allows for their number.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parshall.errors import InputError, shown
from parshall.estimators import arguments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["DieboldMariano", "diebold_mariano", "holm"]


class DieboldMariano(NamedTuple):
    """A comparison of two forecasts. Negative means that the first one loses less."""

    difference: float
    """Mean loss of the first less that of the second."""
    statistic: float
    """The difference in standard errors, corrected."""
    p_value: float
    """Probability of a statistic this far from 0, on either side, if neither is better."""


def diebold_mariano(
    first: NDArray[np.float64], second: NDArray[np.float64], horizon: int = 1, lags: int | None = None
) -> DieboldMariano:
    """Compares the losses of two forecasts of the same samples, ``horizon`` steps ahead.

    ``lags`` of the differences may be correlated: at least ``horizon - 1``, the cube root of their number
    unless given.
    """
    from scipy.stats import t as student

    first, second = arguments.samples("first", first), arguments.samples("second", second)
    if len(first) != len(second) or not len(first):
        raise InputError("second", f"{len(second)} losses", f"{max(len(first), 1)}, as many as of the first")
    horizon = arguments.count("horizon", horizon, 1)
    differences = first - second
    n = len(differences)
    mean = float(differences.mean())
    variance = _long_run_variance(
        differences, max(horizon - 1, round(n ** (1 / 3)) if lags is None else arguments.count("lags", lags))
    )
    # What is left of equal losses by rounding is no difference.
    if variance <= 1e-30 * float(np.mean(np.square(first)) + np.mean(np.square(second))) or n < 3:
        same = abs(mean) <= 1e-12 * float(np.mean(np.abs(first)) + np.mean(np.abs(second)))
        return (
            DieboldMariano(mean, 0.0, 1.0)
            if same
            else DieboldMariano(mean, math.copysign(math.inf, mean), 0.0)
        )
    correction = (n + 1 - 2 * horizon + horizon * (horizon - 1) / n) / n
    statistic = mean / math.sqrt(variance / n) * math.sqrt(max(correction, 0.0))
    return DieboldMariano(mean, statistic, float(2 * student.sf(abs(statistic), n - 1)))


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values of several tests, adjusted so that a limit on each holds for all of them together (Holm 1979).

    The k-th least of n is multiplied by n - k + 1, and none is below one that was less before. Nothing is
    supposed of how the tests depend on each other.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    known = arguments.samples("p_values", p_values).tolist()
    if not all(0 <= p <= 1 for p in known):
        raise InputError("p_values", shown(known), "numbers from 0 to 1")
    adjusted = [0.0] * len(known)
    greatest = 0.0
    for rank, place in enumerate(sorted(range(len(known)), key=known.__getitem__)):
        greatest = max(greatest, min((len(known) - rank) * known[place], 1.0))
        adjusted[place] = greatest
    return adjusted


def _long_run_variance(xs: NDArray[np.float64], lags: int) -> float:
    centred = xs - xs.mean()
    n = len(xs)
    total = float(centred @ centred) / n
    for lag in range(1, min(lags, n - 1) + 1):
        total += 2 * (1 - lag / (lags + 1)) * float(centred[lag:] @ centred[:-lag]) / n
    return total
