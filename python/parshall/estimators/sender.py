"""Estimates of a TCP sender from its ACKs: the throughput that it attains and the capacity of the path.

``parshall.estimators`` offers everything that is here.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, SupportsIndex

import numpy as np

from parshall import _core
from parshall.errors import InputError, counted, shown
from parshall.estimators import arguments
from parshall.estimators.base import Estimator

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "CapacityQuality",
    "CapacitySeries",
    "PacketPair",
    "PathCapacity",
    "ThroughputSampler",
    "ThroughputSeries",
]


class ThroughputSeries(NamedTuple):
    """Samples of the throughput and when they fell due, each of shape (samples,)."""

    time: Floats
    """Seconds."""
    throughput: Floats
    """f(t), in units of the amounts a second."""


class ThroughputSampler(Estimator):
    """Samples the throughput that a sender attains from what its ACKs acknowledge (He, Gao, Hou and Park
    2002, section II.B).

    ``f(t) = (1 - gain) f(t0) + gain acked / (t - t0)`` since the last sample at t0. A sample is due with the
    first ACK ``interval`` seconds after the last one, or with the ACK that completes ``amount``. The first
    ACK starts the clock, unless :meth:`restart` did; a silence is one sample over all of it. ACKs of the same
    instant add up, and where the clock does not pass the last sample there is none.

    Args:
        gain: alpha, the weight of the newest quotient, above 0 and at most 1, where 1 is no smoothing.
        interval: seconds; either this or ``amount``.
        amount: packets or bytes, whichever are acknowledged.

    Raises InputError for a value outside its range.

    >>> sampler = ThroughputSampler(gain=0.5, interval=0.1)
    >>> [sampler.on_ack(now, 4) for now in (1.0, 1.0625, 1.125, 1.25)]
    [None, None, 64.0, 48.0]
    """

    __slots__ = ()

    _core: _core.ThroughputSampler
    gain: float
    interval: float | None
    amount: float | None

    def __init__(self, *, gain: float, interval: float | None = None, amount: float | None = None) -> None:
        if (interval is None) == (amount is None):
            both = "neither" if interval is None else "both"
            raise InputError("interval", both, "either an interval or an amount")
        given: dict[str, Any] = {
            "gain": arguments.real("gain", gain),
            "interval": None if interval is None else arguments.real("interval", interval),
            "amount": None if amount is None else arguments.real("amount", amount),
        }
        with arguments.Faults():
            core = _core.ThroughputSampler(*given.values())
        super().__init__(core, given)

    def on_ack(self, now: float, amount: float) -> float | None:
        """Takes in an ACK of ``amount`` more at ``now`` seconds; the new sample, if one is due.

        An amount of 0 only looks at the clock, so that a silence gives samples of its own.
        """
        real = arguments.real
        with arguments.Faults():
            return self._core.on_ack(real("now", now), real("amount", amount))

    def run(self, times: ArrayLike, amounts: ArrayLike) -> ThroughputSeries:
        """Runs over arrays of one shape (ACKs,)."""
        at, acked = arguments.samples("times", times), arguments.samples("amounts", amounts)
        _same_length(len(at), amounts=len(acked))
        with arguments.Faults():
            places, throughput = self._core.run(at, acked)
        return ThroughputSeries(at[places], throughput)

    def set_interval(self, seconds: float) -> None:
        """Samples by time from now on, once ``seconds`` have passed since the last sample."""
        with arguments.Faults():
            self._core.set_interval(arguments.real("interval", seconds))
        self._given.update(interval=float(seconds), amount=None)

    def restart(self, now: float) -> None:
        """Counts anew from ``now`` on and keeps f: at the start of a transfer, or after an idle time."""
        with arguments.Faults():
            self._core.restart(arguments.real("now", now))

    @property
    def value(self) -> float | None:
        """The newest sample."""
        return self._core.value

    @property
    def unsmoothed(self) -> float | None:
        """The newest quotient acked / (t - t0), before it is smoothed."""
        return self._core.unsmoothed


class CapacityQuality(enum.IntFlag):
    """Reasons to doubt a capacity; none is 0."""

    FEW_PAIRS = 1
    """There are fewer than eight pairs."""
    CLOSE_MODES = 2
    """Another mode is at least 0.8 times as high as the highest one."""
    BELOW_THROUGHPUT = 4
    """More was acknowledged a second than the estimate, by more than its relative width."""
    THIN_REVERSE_PATH = 8
    """ACKs of different numbers of packets agree in ACKs a second: the way back spaced them."""
    REVERSE_PATH_UNKNOWN = 16
    """ACKs do not tell whether the way back spaced them: nearly all acknowledge as many packets."""


class PathCapacity(NamedTuple):
    """Capacity of the bottleneck as packet pairs show it."""

    packets_per_second: float
    """Its rate, in packets of the size that was sent."""
    pairs: int
    """Number of pairs in the window."""
    quality: CapacityQuality
    """Reasons to doubt it."""


class CapacitySeries(NamedTuple):
    """Estimates after each ACK, each of shape (ACKs,)."""

    packets_per_second: Floats
    """NaN before the first pair."""
    pairs: NDArray[np.int64]
    quality: NDArray[np.int64]
    """Bits of :class:`CapacityQuality`."""


class PacketPair(Estimator):
    """Estimates the capacity of a path from the dispersion of ACKs (packet pairs: Lai and Baker, INFOCOM
    1999). ``docs/guide/packet-pairs.md`` has how often it is right.

    An ACK of k packets that comes d seconds after the one before is the sample k / d, if the packets were
    sent much closer together than their ACKs came. The mode of the last ``window`` samples is the estimate.

    Args:
        filter: ``"density"``, the sample with the greatest kernel density (a triangle), or ``"histogram"``,
            the mean of the fullest bin.
        width: how far a sample reaches, or how wide a bin is, as a part of its rate, 0.01 to 1.
        window: how many of the newest pairs count, 1 to 4096.
        stretch: how many times as far apart as they were sent packets must be acknowledged, at least 1, which
            is what Lai and Baker ask.

    Raises InputError for a value outside its range.

    >>> pairs = PacketPair()
    >>> [pairs.on_ack(now, sent_at=0.0) for now in (0.100, 0.125, 0.150)]
    [False, True, True]
    >>> round(pairs.capacity().packets_per_second)
    40
    """

    __slots__ = ()

    _core: _core.PacketPair
    filter: Literal["density", "histogram"]
    width: float
    window: int
    stretch: float

    def __init__(
        self,
        *,
        filter: Literal["density", "histogram"] = "density",
        width: float = 0.1,
        window: SupportsIndex = 128,
        stretch: float = 5.0,
    ) -> None:
        arguments.choice("filter", filter, ("density", "histogram"))
        given: dict[str, Any] = {
            "width": arguments.real("width", width),
            "window": arguments.count("window", window),
            "stretch": arguments.real("stretch", stretch),
        }
        with arguments.Faults():
            core = _core.PacketPair(filter == "histogram", *given.values())
        super().__init__(core, {"filter": filter, **given})

    def on_ack(self, now: float, sent_at: float, packets: SupportsIndex = 1) -> bool:
        """Takes in an ACK that came at ``now`` seconds and acknowledged ``packets`` more, the newest of which
        was sent at ``sent_at``: NaN if it was sent twice. Whether that completed a pair.
        """
        real, count = arguments.real, arguments.count
        with arguments.Faults():
            return self._core.on_ack(real("now", now), real("sent_at", sent_at), count("packets", packets))

    def run(self, times: ArrayLike, sent: ArrayLike, packets: ArrayLike | None = None) -> CapacitySeries:
        """Runs over arrays of one shape (ACKs,); without ``packets``, each acknowledges one."""
        at, left = arguments.samples("times", times), arguments.samples("sent", sent)
        counts = np.ones(len(at), np.uint32) if packets is None else _counts("packets", packets)
        _same_length(len(at), sent=len(left), packets=len(counts))
        with arguments.Faults():
            return CapacitySeries(*self._core.run(at, left, counts))

    def capacity(self) -> PathCapacity | None:
        """The estimate; ``None`` before the first pair."""
        found = self._core.capacity()
        return None if found is None else PathCapacity(found[0], found[1], CapacityQuality(found[2]))

    def interrupt(self) -> None:
        """The next ACK makes no pair with the one before: after a retransmission or a timeout."""
        self._core.interrupt()


def _counts(name: str, values: ArrayLike) -> NDArray[np.uint32]:
    numbers = arguments.samples(name, values)
    wrong = np.flatnonzero(~((numbers >= 0) & (numbers < 2**32) & (numbers == np.floor(numbers))))
    if wrong.size > 0:
        place = int(wrong[0])
        raise InputError(f"{name}[{place}]", shown(float(numbers[place])), "a whole number of packets")
    return numbers.astype(np.uint32)


def _same_length(length: int, **others: int) -> None:
    for name, other in others.items():
        if other != length:
            raise InputError(name, counted(other, "value"), f"{length}, one for each of times")
