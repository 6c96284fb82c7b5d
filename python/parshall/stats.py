"""Means, fairness, and intervals over seeds: of a mean, of a paired difference, for one further run, and of
the noise between two runs.

Every interval is made of one number per seed, and is an :class:`Interval`. Student's t is used throughout,
which supposes that the seeds are independent and the numbers roughly normal; a mean over many packets is.
Values that do not exist (NaN) are left out, and ``n`` says how many remain. With fewer than two values an
interval is unbounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "CONFIDENCE",
    "NORMAL_95",
    "Interval",
    "bonferroni",
    "difference_interval",
    "jain",
    "known_mean",
    "mean",
    "mean_interval",
    "noise_bound",
    "prediction_interval",
    "rate_interval",
    "simultaneous_intervals",
]

CONFIDENCE = 0.95
"""The confidence of every interval, unless said otherwise."""

NORMAL_95 = 1.96
"""Standard errors on either side of an estimate between which 95 % of a normal distribution lie."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with the interval around it, and how many values it rests on."""

    mean: float
    low: float
    high: float
    n: int

    @property
    def bounded(self) -> bool:
        """Whether both ends are finite numbers."""
        return bool(np.isfinite(self.low) and np.isfinite(self.high))

    @property
    def half_width(self) -> float:
        """Half the distance between the ends."""
        return (self.high - self.low) / 2

    def contains(self, value: float) -> bool:
        """Whether ``value`` lies inside; the ends count as inside."""
        return self.low <= value <= self.high

    def scaled(self, factor: float) -> Interval:
        """The same interval in another unit; ``factor`` is positive."""
        return Interval(self.mean * factor, self.low * factor, self.high * factor, self.n)


def mean(values: ArrayLike) -> float:
    """The mean of ``values``; NaN where there are none."""
    sample = np.asarray(values, dtype=np.float64)
    return float(sample.mean()) if sample.size else float("nan")


def known_mean(values: ArrayLike) -> float:
    """The mean of those ``values`` that are finite numbers; NaN where there are none."""
    return mean(_finite(values))


def jain(amounts: ArrayLike) -> float:
    """Jain's index of what each of several has (Jain, Chiu and Hawe 1984): 1 where all have the same, 1 / n
    where one of n has everything, NaN where nobody has anything.
    """
    shares = np.asarray(amounts, dtype=np.float64)
    squares = float((shares**2).sum())
    return float(shares.sum()) ** 2 / (shares.size * squares) if squares else float("nan")


def mean_interval(values: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """The mean of ``values`` and the Student-t interval that holds the true mean with ``confidence``."""
    sample = _finite(values)
    return _student(sample, confidence, 1 / np.sqrt(max(sample.size, 1)))


def difference_interval(values: ArrayLike, baseline: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """The mean of ``values - baseline`` with its interval; entry by entry the two share a seed.

    What a seed does to both cancels, so this interval is far narrower than that of two separate means.
    """
    return mean_interval(_paired(values, baseline), confidence)


def prediction_interval(
    values: ArrayLike, confidence: float = CONFIDENCE, *, at_least_zero: bool = False
) -> Interval:
    """The interval that holds one further value, drawn as ``values`` were, with ``confidence``.

    ``at_least_zero`` is for values that are never below 0: the interval is then that of their square roots,
    squared. Roots of counts and rates scatter evenly and nearly normally (Bartlett 1936), and the interval
    cannot reach below 0.
    """
    sample = _finite(values)
    factor = np.sqrt(1 + 1 / max(sample.size, 1))
    if not at_least_zero:
        return _student(sample, confidence, factor)
    if sample.size and sample.min() < 0:
        raise ValueError(f"values: got {sample.min():g}, expected none below 0")
    roots = _student(np.sqrt(sample), confidence, factor)
    return Interval(mean(sample), max(roots.low, 0.0) ** 2, roots.high**2, sample.size)


def noise_bound(values: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """How far two runs that differ in the seed alone lie apart, at most, in ``confidence`` of all pairs.

    Two normal runs differ by a normal number with deviation sqrt(2) sigma. The mean is the estimate of its
    quantile; the ends follow from the chi-square interval of sigma.
    """
    sample = _finite(values)
    n = sample.size
    if n < 2:
        return Interval(float("nan"), 0.0, float("inf"), n)
    from scipy.special import chdtri, ndtri

    squares = float(np.var(sample, ddof=1)) * (n - 1)
    quantile = float(ndtri(0.5 + confidence / 2)) * np.sqrt(2)
    tail = (1 - confidence) / 2
    low, high = (squares / float(chdtri(n - 1, p)) for p in (tail, 1 - tail))
    return Interval(
        mean=float(quantile * np.sqrt(squares / (n - 1))),
        low=float(quantile * np.sqrt(low)),
        high=float(quantile * np.sqrt(high)),
        n=n,
    )


def rate_interval(events: int, trials: int, confidence: float = CONFIDENCE) -> Interval:
    """The share of ``trials`` in which something happened, with Clopper and Pearson's exact interval (1934).

    With no event in n trials the upper end is about 3.7 / n, never zero: what was not seen may still happen.
    """
    if trials < 1:
        return Interval(float("nan"), 0.0, 1.0, 0)
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = 0.0 if events == 0 else float(betaincinv(events, trials - events + 1, tail))
    high = 1.0 if events == trials else float(betaincinv(events + 1, trials - events, 1 - tail))
    return Interval(events / trials, low, high, trials)


def bonferroni(members: int, confidence: float = CONFIDENCE) -> float:
    """The confidence each of ``members`` intervals needs so that all hold at once with ``confidence``.

    Bonferroni's bound needs no independence, and variants that share their seeds are not independent.
    """
    return 1 - (1 - confidence) / max(members, 1)


def simultaneous_intervals(
    pairs: Sequence[tuple[ArrayLike, ArrayLike]], confidence: float = CONFIDENCE
) -> list[Interval]:
    """Paired differences, ``(values, baseline)`` each; all intervals hold at once with ``confidence``."""
    each = bonferroni(len(pairs), confidence)
    return [difference_interval(values, baseline, each) for values, baseline in pairs]


def _student(sample: NDArray[np.float64], confidence: float, factor: float) -> Interval:
    """Mean plus and minus Student's quantile times the standard deviation times ``factor``."""
    n = sample.size
    middle = mean(sample)
    if n < 2:
        return Interval(middle, float("-inf"), float("inf"), n)
    from scipy.special import stdtrit

    half = float(stdtrit(n - 1, 0.5 + confidence / 2) * np.std(sample, ddof=1) * factor)
    return Interval(middle, middle - half, middle + half, n)


def _finite(values: ArrayLike) -> NDArray[np.float64]:
    sample = np.asarray(values, dtype=np.float64).ravel()
    return sample[np.isfinite(sample)]


def _paired(values: ArrayLike, baseline: ArrayLike) -> NDArray[np.float64]:
    left, right = np.asarray(values, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    if left.shape != right.shape:
        raise ValueError(
            f"paired values: shapes {left.shape} and {right.shape}: expected one value per common seed"
        )
    return left - right
