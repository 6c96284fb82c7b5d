"""Estimators of retransmission timeouts, medians, means and the share of traffic that does not respond to
congestion, on one sample or on a whole array.

Every estimator has ``update(sample)``, which takes in one sample and returns the value after it, and
``run(samples)``, which does the same for an array and returns an array; both go on where the last call ended,
and ``reset()`` forgets everything. Estimators of non-responsive traffic take their samples by name and have a
value after every so many (:class:`NonresponsiveEstimator`). Times are seconds. A value that does not exist
yet is ``None``, and NaN in an array.

The work is done by the Rust crate ``parshall-estimators``, the same code that runs in the simulator. ``run``
works without the GIL, so several threads can each run an estimator of their own; an estimator that is shared
between threads refuses a second call while one is under way.

>>> rto = MedianRto(k=5, min_rto=0.2)
>>> rto.update(0.5)
1.5
>>> rto.run([0.5, 0.5, 3.0])
array([1.25    , 1.0625  , 3.421875])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsFloat

import numpy as np

from parshall import _core
from parshall.errors import InputError
from parshall.estimators import arguments
from parshall.estimators.nonresponsive import (
    NonresponsiveEstimate,
    NonresponsiveEstimator,
    NonresponsiveFixedPoint,
    NonresponsiveKaczmarz,
    NonresponsiveKalman,
    NonresponsiveRls,
    NonresponsiveSeries,
    NonresponsiveSettings,
    Quality,
    UdpCounter,
    UdpSeries,
    UdpShare,
    counter_differences,
)
from parshall.estimators.responsiveness import (
    Responsiveness,
    ResponsivenessEstimate,
    ResponsivenessQuality,
    ResponsivenessSeries,
)
from parshall.estimators.rto import RtoEstimator, RtoRules, RtoSeries
from parshall.estimators.rto_costs import RtoCosts, evaluate_rto
from parshall.estimators.rto_filters import (
    ArimaRto,
    JacobsonRto,
    JacobsonTicksRto,
    MedianRto,
    QuantileRto,
    WeightedMedianRto,
)
from parshall.estimators.sender import (
    CapacityQuality,
    CapacitySeries,
    PacketPair,
    PathCapacity,
    ThroughputSampler,
    ThroughputSeries,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "ArimaRto",
    "CapacityQuality",
    "CapacitySeries",
    "Ewma",
    "JacobsonRto",
    "JacobsonTicksRto",
    "MedianRto",
    "NonresponsiveEstimate",
    "NonresponsiveEstimator",
    "NonresponsiveFixedPoint",
    "NonresponsiveKaczmarz",
    "NonresponsiveKalman",
    "NonresponsiveRls",
    "NonresponsiveSeries",
    "NonresponsiveSettings",
    "PacketPair",
    "PathCapacity",
    "Quality",
    "QuantileRto",
    "Responsiveness",
    "ResponsivenessEstimate",
    "ResponsivenessQuality",
    "ResponsivenessSeries",
    "RtoCosts",
    "RtoEstimator",
    "RtoRules",
    "RtoSeries",
    "SlidingMad",
    "SlidingMedian",
    "ThroughputSampler",
    "ThroughputSeries",
    "UdpCounter",
    "UdpSeries",
    "UdpShare",
    "WeightedMedianRto",
    "counter_differences",
    "evaluate_rto",
]


class _Filter:
    """What the filters share that turn each number into one number."""

    __slots__ = ("_core", "_text")

    def __init__(self, core: Any, text: str) -> None:
        self._core = core
        self._text = text

    def __repr__(self) -> str:
        return self._text

    def update(self, x: SupportsFloat) -> float:
        """Take in a finite number and return the value after it."""
        value: float
        try:
            value = self._core.update(x)
        except ValueError as fault:
            raise InputError(*fault.args) from None
        except TypeError:
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

    def reset(self) -> None:
        """Forget every sample."""
        self._core.reset()


class SlidingMedian(_Filter):
    """Median of the last ``k`` numbers, 1 to 16777216, in O(log k) a number.

    Before ``k`` numbers exist, the median of those that do; of an even number, the mean of the middle two.

    >>> SlidingMedian(3).run([5.0, 1.0, 9.0, 9.0])
    array([5., 3., 5., 9.])
    """

    __slots__ = ()

    def __init__(self, k: int) -> None:
        k = arguments.count("k", k, 1, 2**24)
        with arguments.Faults(window="k"):
            core = _core.SlidingMedian(k)
        super().__init__(core, f"SlidingMedian(k={k})")


class SlidingMad(_Filter):
    """Median absolute deviation of the last ``k`` numbers from their median, without a scale factor.

    >>> SlidingMad(5).run([1.0, 2.0, 3.0, 4.0, 100.0])
    array([0. , 0.5, 1. , 1. , 1. ])
    """

    __slots__ = ()

    def __init__(self, k: int) -> None:
        k = arguments.count("k", k, 1, 2**24)
        with arguments.Faults(window="k"):
            core = _core.SlidingMad(k)
        super().__init__(core, f"SlidingMad(k={k})")


class Ewma(_Filter):
    """Exponentially weighted moving average: ``value += gain (x - value)``, and the first number as it is.

    >>> Ewma(gain=0.5).run([0.0, 1.0, 1.0])
    array([0.  , 0.5 , 0.75])
    """

    __slots__ = ()

    def __init__(self, gain: float) -> None:
        own = arguments.reals(gain=gain)
        with arguments.Faults():
            core = _core.Ewma(own["gain"])
        super().__init__(core, arguments.call("Ewma", own))
