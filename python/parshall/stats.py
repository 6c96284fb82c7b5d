"""Means, fairness, and intervals over seeds: of a mean, of a paired difference, for one further run, and of
the noise between two runs.

Every interval is made of one number per seed, and is an :class:`Interval`. Student's t is used throughout,
which supposes that the seeds are independent and the numbers roughly normal; a mean over many packets is.
Values that do not exist (NaN) are left out, and ``n`` says how many remain. Infinite ones are values: the
mean is infinite then, and NaN where they have both signs. With fewer than two values, or an infinite one, an
interval is unbounded.

What is no number, and a confidence that is not between 0 and 1, raise InputError.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np

from parshall.errors import InputError, InputTypeError, shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "ANY",
    "AT_LEAST_ZERO",
    "CONFIDENCE",
    "NORMAL_95",
    "SHARE",
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

ANY, AT_LEAST_ZERO, SHARE = (-math.inf, math.inf), (0.0, math.inf), (0.0, 1.0)
"""Ranges of quantities: of any number, of counts and times, and of shares of 1."""

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
        """True if both ends are finite numbers."""
        return bool(np.isfinite(self.low) and np.isfinite(self.high))

    @property
    def half_width(self) -> float:
        """Half the distance between the ends."""
        return (self.high - self.low) / 2

    @property
    def symmetric(self) -> bool:
        """True if both ends are as far from the mean; those of an interval that was cut are not."""
        return bool(np.isclose(self.mean - self.low, self.high - self.mean, rtol=1e-9, atol=0.0))

    def contains(self, value: float) -> bool:
        """Returns true if ``value`` lies inside, ends included."""
        return self.low <= value <= self.high

    def scaled(self, factor: float) -> Interval:
        """Returns the interval in another unit; ``factor`` is positive."""
        return Interval(self.mean * factor, self.low * factor, self.high * factor, self.n)


def mean(values: ArrayLike) -> float:
    """The mean of ``values``; NaN where there are none."""
    sample = _numbers("values", values)
    with np.errstate(invalid="ignore"):  # infinities of both signs
        return float(sample.mean()) if sample.size else float("nan")


def known_mean(values: ArrayLike) -> float:
    """The mean of those ``values`` that exist, which are not NaN; NaN where there are none."""
    return mean(_known("values", values))


def jain(amounts: ArrayLike) -> float:
    """Jain's index of what each of several has (Jain, Chiu and Hawe 1984): 1 where all have the same, 1 / n
    where one of n has everything, NaN where nobody has anything.
    """
    shares = _numbers("amounts", amounts)
    squares = float((shares**2).sum())
    return float(shares.sum()) ** 2 / (shares.size * squares) if squares else float("nan")


def mean_interval(
    values: ArrayLike, confidence: float = CONFIDENCE, *, within: tuple[float, float] = ANY
) -> Interval:
    """The mean of ``values`` and the Student-t interval that holds the true mean with ``confidence``.

    ``within`` is the range of the quantity, ``AT_LEAST_ZERO`` for counts and ``SHARE`` for shares of 1. The
    interval is cut to it, and is as sure as before: the true mean cannot lie outside.
    """
    sample = _known("values", values)
    least, most = _range("within", within)
    interval = _student(sample, confidence, 1 / np.sqrt(max(sample.size, 1)))
    if not interval.bounded:
        return interval
    return replace(interval, low=max(interval.low, least), high=min(interval.high, most))


def difference_interval(values: ArrayLike, baseline: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """The mean of ``values - baseline`` with its interval; entry by entry the two share a seed.

    What a seed does to both cancels, so this interval is far narrower than that of two separate means.
    """
    left, right = _paired(values, baseline)
    with np.errstate(invalid="ignore"):
        differences = left - right
    if np.isinf(left[~np.isnan(right)]).any() or np.isinf(right[~np.isnan(left)]).any():
        # One that is infinite on both sides has no difference, and is not left out for that.
        kept = ~(np.isnan(left) | np.isnan(right))
        return Interval(mean(differences[kept]), float("-inf"), float("inf"), int(kept.sum()))
    return mean_interval(differences, confidence)


def prediction_interval(
    values: ArrayLike, confidence: float = CONFIDENCE, *, at_least_zero: bool = False
) -> Interval:
    """The interval that holds one further value, drawn as ``values`` were, with ``confidence``.

    ``at_least_zero`` is for values that are never below 0: the interval is then that of their square roots,
    squared. Roots of counts and rates scatter evenly and nearly normally (Bartlett 1936), and the interval
    cannot reach below 0.
    """
    if not isinstance(at_least_zero, bool | np.bool_):
        raise InputTypeError("at_least_zero", shown(at_least_zero), "a truth value")
    sample = _known("values", values)
    factor = np.sqrt(1 + 1 / max(sample.size, 1))
    if not at_least_zero:
        return _student(sample, confidence, factor)
    if sample.size and sample.min() < 0:
        raise InputError("values", f"{sample.min():g}", "none below 0")
    roots = _student(np.sqrt(sample), confidence, factor)
    return Interval(mean(sample), max(roots.low, 0.0) ** 2, roots.high**2, sample.size)


def noise_bound(values: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """Largest distance of two runs that differ in the seed alone, in ``confidence`` of all pairs.

    Two normal runs differ by a normal number with deviation sqrt(2) sigma. The mean is the estimate of its
    quantile; the ends follow from the chi-square interval of sigma.
    """
    sample, confidence = _known("values", values), _checked(confidence)
    n = sample.size
    if n < 2 or np.isinf(sample).any():
        return Interval(float("nan") if n < 2 else float("inf"), 0.0, float("inf"), n)
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
    events, trials = _count("events", events), _count("trials", trials)
    if events > trials:
        raise InputError("events", shown(events), f"at most {trials}, the number of trials")
    confidence = _checked(confidence)
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
    return 1 - (1 - _checked(confidence)) / max(_count("members", members), 1)


def simultaneous_intervals(
    pairs: Sequence[tuple[ArrayLike, ArrayLike]], confidence: float = CONFIDENCE
) -> list[Interval]:
    """Paired differences, ``(values, baseline)`` each; all intervals hold at once with ``confidence``."""
    if not isinstance(pairs, Sequence) or any(
        not isinstance(pair, Sequence) or len(pair) != 2 for pair in pairs
    ):
        raise InputTypeError("pairs", shown(pairs), "a list of pairs, values and baseline each")
    each = bonferroni(len(pairs), confidence)
    return [difference_interval(values, baseline, each) for values, baseline in pairs]


def _student(sample: NDArray[np.float64], confidence: float, factor: float) -> Interval:
    """Mean plus and minus Student's quantile times the standard deviation times ``factor``."""
    n, sure = sample.size, _checked(confidence)
    middle = mean(sample)
    if n < 2 or np.isinf(sample).any():
        return Interval(middle, float("-inf"), float("inf"), n)
    from scipy.special import stdtrit

    half = float(stdtrit(n - 1, 0.5 + sure / 2) * np.std(sample, ddof=1) * factor)
    return Interval(middle, middle - half, middle + half, n)


def _known(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """The values that are not NaN."""
    sample = _numbers(name, values).ravel()
    return sample[~np.isnan(sample)]


def _paired(values: ArrayLike, baseline: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    left, right = _numbers("values", values), _numbers("baseline", baseline)
    if left.shape != right.shape:
        expected = f"that of the values, {left.shape}: one for each common seed"
        raise InputError("baseline", f"an array of shape {right.shape}", expected)
    return left.ravel(), right.ravel()


def _range(name: str, value: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = map(float, value)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not low <= high:
        raise InputError(name, shown(value), "two numbers, the least and the greatest")
    return low, high


def _numbers(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Values as an array of numbers; truth values count as 0 and 1."""
    try:
        array = np.asarray(values)
        if array.size and array.dtype.kind not in "fiubO":
            raise TypeError
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputTypeError(name, shown(values), "numbers") from None


def _count(name: str, value: SupportsIndex) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise InputTypeError(name, shown(value), "a whole number") from None
    if isinstance(value, bool) or not 0 <= number < 2**63:
        raise InputError(name, shown(value), "a whole number from 0 to 2^63 - 1")
    return number


def _checked(confidence: float) -> float:
    """A confidence as a number. Raises InputError."""
    if isinstance(confidence, str | bytes | bool):
        raise InputTypeError("confidence", shown(confidence), "a number above 0 and below 1")
    try:
        number = float(confidence)
    except (TypeError, ValueError, OverflowError):
        raise InputTypeError("confidence", shown(confidence), "a number above 0 and below 1") from None
    if not 0 < number < 1:
        raise InputError("confidence", shown(number), "a number above 0 and below 1")
    return number
