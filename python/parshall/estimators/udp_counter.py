"""The share of UDP among bytes, counted: what an operator without a model would look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parshall import _core
from parshall.errors import InputError
from parshall.estimators import arguments
from parshall.estimators.base import Estimator
from parshall.estimators.nonresponsive import Quality

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["UdpCounter", "UdpSeries", "UdpShare", "counter_differences"]


class UdpShare(NamedTuple):
    """Estimate of :class:`UdpCounter` for an estimation interval."""

    share: float
    """UDP bytes over all bytes; NaN when nothing arrived."""
    arrived: float
    """Bytes that arrived."""
    flags: Quality
    """``BAD_SAMPLE`` or none."""


class UdpSeries(NamedTuple):
    """Estimates of a series, a column each."""

    samples: NDArray[np.int64]
    """Number of samples up to the end of the interval."""
    share: Floats
    arrived: Floats
    flags: NDArray[np.int64]
    """Bits of :class:`Quality`."""


class UdpCounter(Estimator):
    """The plain count of UDP bytes.

    A sample whose bytes are no numbers from 0 to 1e18, or that has more UDP bytes than bytes, is left out and
    flags its interval.

    >>> UdpCounter(estimation_samples=2).run(arrived=[1000, 3000], udp=[1000, 0]).share
    array([0.25])
    """

    __slots__ = ()

    estimation_samples: int
    """Samples in an estimation interval."""

    def __init__(self, estimation_samples: int = 20) -> None:
        samples = arguments.count("estimation_samples", estimation_samples)
        with arguments.Faults():
            core = _core.UdpCounter(samples)
        super().__init__(core, {"estimation_samples": samples})

    def update(self, *, arrived: float, udp: float) -> UdpShare | None:
        """Take in the bytes of a sampling interval; the share when it ends an estimation interval."""
        row = self._core.update(arguments.real("arrived", arrived), arguments.real("udp", udp))
        return None if row is None else UdpShare(row[0], row[1], Quality(row[2]))

    def run(self, *, arrived: ArrayLike, udp: ArrayLike) -> UdpSeries:
        """Take in a series; return the shares of the intervals that ended in it."""
        columns = arguments.samples("arrived", arrived), arguments.samples("udp", udp)
        try:
            return UdpSeries(**self._core.run(*columns))
        except ValueError as fault:
            raise InputError(*fault.args) from None


def counter_differences(readings: ArrayLike, *, bits: int = 64, most: int = 2**31 - 1) -> Floats:
    """Differences of a cumulative counter of ``bits`` bits between consecutive readings, as samples want
    them.

    A wrap is told from a counter that went back by its size: more than ``most`` between two readings is a
    fault, and so NaN, which an estimator flags. The first reading has nothing before it and is NaN too.

    >>> counter_differences([4294967290, 4, 14, 3], bits=32)
    array([nan, 10., 10., nan])
    """
    array = np.asarray(readings)
    if array.dtype.kind not in "iu" and array.size > 0:
        raise arguments.wrong_type("readings", readings, "an array of whole numbers")
    if array.ndim != 1:
        raise InputError("readings", f"an array of shape {array.shape}", "one dimension")
    if array.dtype.kind == "i" and (negative := np.flatnonzero(array < 0)).size > 0:
        first = negative[0]
        raise InputError(f"readings[{first}]", str(array[first]), "a count, at least 0")
    width, limit = arguments.count("bits", bits), arguments.count("most", most, most=2**63 - 1)
    try:
        return _core.counter_differences(np.ascontiguousarray(array, dtype=np.uint64), width, limit)
    except ValueError as fault:
        raise InputError(*fault.args) from None
