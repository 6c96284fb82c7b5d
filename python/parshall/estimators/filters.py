"""Filters that turn each number into one number: medians and means.

``parshall.estimators`` offers everything that is here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsFloat

import numpy as np

from parshall import _core
from parshall.errors import InputError
from parshall.estimators import arguments
from parshall.estimators.base import Estimator

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["EwmaFilter", "SlidingMad", "SlidingMedian"]


class _Filter(Estimator):
    """Base of the filters that turn each number into one number."""

    __slots__ = ()

    def update(self, x: SupportsFloat) -> float:
        """Take in a finite number and return the value after it."""
        value: float
        try:
            value = self._core.update(x)
        except ValueError as fault:
            raise InputError(*fault.args) from None
        except (TypeError, OverflowError):
            raise arguments.wrong_type("x", x, "a number") from None
        return value

    def run(self, xs: ArrayLike) -> Floats:
        """Take in a series of finite numbers and return the value after each."""
        with arguments.Faults():
            values: Floats = self._core.run(arguments.samples("xs", xs))
        return values

    @property
    def value(self) -> float | None:
        """The value now; ``None`` before the first sample."""
        value: float | None = self._core.value
        return value


class SlidingMedian(_Filter):
    """Median of the last ``window`` numbers, 1 to 16777216, in O(log window) a number.

    Before ``window`` numbers exist, it is the median of those that do; of an even number of them, the mean of
    the middle two.

    >>> SlidingMedian(3).run([5.0, 1.0, 9.0, 9.0])
    array([5., 3., 5., 9.])
    """

    __slots__ = ()

    window: int
    """Number of values that count."""

    def __init__(self, window: int) -> None:
        window = arguments.count("window", window, 1, 2**24)
        with arguments.Faults():
            core = _core.SlidingMedian(window)
        super().__init__(core, {"window": window})


class SlidingMad(_Filter):
    """Median absolute deviation of the last ``window`` numbers from their median, without a scale factor.

    >>> SlidingMad(5).run([1.0, 2.0, 3.0, 4.0, 100.0])
    array([0. , 0.5, 1. , 1. , 1. ])
    """

    __slots__ = ()

    window: int
    """Number of values that count."""

    def __init__(self, window: int) -> None:
        window = arguments.count("window", window, 1, 2**24)
        with arguments.Faults():
            core = _core.SlidingMad(window)
        super().__init__(core, {"window": window})


class EwmaFilter(_Filter):
    """Exponentially weighted moving average: ``value += gain (x - value)``, and the first number as it is.

    >>> EwmaFilter(gain=0.5).run([0.0, 1.0, 1.0])
    array([0.  , 0.5 , 0.75])
    """

    __slots__ = ()

    gain: float
    """Weight of a new number."""

    def __init__(self, gain: float) -> None:
        own = arguments.reals(gain=gain)
        with arguments.Faults():
            core = _core.Ewma(own["gain"])
        super().__init__(core, own)
