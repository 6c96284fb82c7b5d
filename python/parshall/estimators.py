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

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, SupportsFloat

import numpy as np

from parshall import _core
from parshall import estimators_arguments as arguments
from parshall.errors import InputError, shown
from parshall.estimators_nonresponsive import (
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
from parshall.estimators_responsiveness import (
    Responsiveness,
    ResponsivenessEstimate,
    ResponsivenessQuality,
    ResponsivenessSeries,
)
from parshall.estimators_sender import (
    CapacityQuality,
    CapacitySeries,
    PacketPair,
    PathCapacity,
    ThroughputSampler,
    ThroughputSeries,
)
from parshall.scenario.canonical import canonical_json
from parshall.scenario.forecaster import JEYASEKAR_2014, ForecasterConfig

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


class RtoSeries(NamedTuple):
    """What an estimator knew after each sample, in seconds; NaN where it knew nothing yet."""

    srtt: Floats
    """Smoothed round-trip time."""
    rttvar: Floats
    """Its deviation."""
    rto: Floats
    """The retransmission timeout, with all rules and the backoff."""


class RtoEstimator:
    """What all estimators of the retransmission timeout share. Use one of the classes made from it.

    The timeout is ``min(max_rto, max(min_rto, srtt + max(granularity, K rttvar)) * backoff)``; before the
    first sample ``initial_rto`` stands for the sum (RFC 6298).
    """

    __slots__ = ("_core", "_text")

    def __init__(self, core: Any, text: str) -> None:
        self._core = core
        self._text = text

    def __repr__(self) -> str:
        return self._text

    def update(self, rtt: SupportsFloat, *, retransmitted: bool = False) -> float:
        """Take in the round-trip time of an acknowledged packet, in seconds, and return the RTO after it.

        A retransmitted packet says nothing, since the ACK may belong to either copy (Karn; RFC 6298, section
        3): the RTO stays as it is. Any other sample also ends the backoff.

        >>> JacobsonRto(min_rto=0).update(0.5)
        1.5
        """
        rto: float
        try:
            rto = self._core.update(rtt, retransmitted)
        except ValueError as fault:
            raise InputError(*fault.args) from None
        except TypeError:
            raise arguments.wrong_type("rtt", rtt, "a number of seconds") from None
        return rto

    def run(self, rtts: ArrayLike, retransmitted: ArrayLike | None = None) -> Floats:
        """Take in a series of round-trip times, in seconds, and return the RTO after each.

        ``retransmitted``, if given, has a flag for each sample and marks those that say nothing.

        >>> JacobsonRto(min_rto=0).run([0.5, 0.7, 0.5], [False, True, False])
        array([1.5 , 1.5 , 1.25])
        """
        with _Faults():
            series: Floats = self._core.run(arguments.samples("rtts", rtts), arguments.flags(retransmitted))
        return series

    def run_full(self, rtts: ArrayLike, retransmitted: ArrayLike | None = None) -> RtoSeries:
        """As :meth:`run`, with srtt and rttvar.

        >>> JacobsonRto(min_rto=0).run_full([0.5, 0.5]).rttvar
        array([0.25  , 0.1875])
        """
        with _Faults():
            columns = self._core.run_full(arguments.samples("rtts", rtts), arguments.flags(retransmitted))
        return RtoSeries(*columns)

    def on_timeout(self) -> float:
        """Double the backoff, beyond 64 only below the maximum RTO, and return the RTO after it (RFC 6298,
        section 5.5).
        """
        rto: float = self._core.on_timeout()
        return rto

    def reset_backoff(self) -> None:
        """End the backoff without a sample, as some senders do on any ACK of new data."""
        self._core.reset_backoff()

    def reset(self) -> None:
        """Forget every sample and the backoff."""
        self._core.reset()

    @property
    def rto(self) -> float:
        """The timeout that would be set now, in seconds."""
        rto: float = self._core.rto
        return rto

    @property
    def srtt(self) -> float | None:
        """The smoothed round-trip time in seconds; ``None`` before the first sample."""
        srtt: float | None = self._core.srtt
        return srtt

    @property
    def rttvar(self) -> float | None:
        """The deviation of the round-trip time in seconds; ``None`` before the first sample."""
        rttvar: float | None = self._core.rttvar
        return rttvar

    @property
    def backoff(self) -> int:
        """The backoff factor: 1 after a sample, doubled by each timeout since."""
        backoff: int = self._core.backoff
        return backoff


class JacobsonRto(RtoEstimator):
    """Exponentially weighted mean and mean deviation: the RTO of RFC 6298 (Jacobson and Karels 1988).

    First sample R: ``srtt = R``, ``rttvar = R / 2``. Then ``rttvar += deviation_gain (|R - srtt| - rttvar)``
    and ``srtt += gain (R - srtt)``. The base RTO is ``srtt + multiplier rttvar``.

    Gains lie above 0 and at most at 1. ``min_rto``, ``max_rto``, ``initial_rto`` and the clock's
    ``granularity`` are seconds; the defaults are those of RFC 6298 with an exact clock.

    >>> rto = JacobsonRto(min_rto=0.2)
    >>> rto.rto, rto.srtt
    (1.0, None)
    >>> rto.update(0.5)
    1.5
    >>> rto.on_timeout()
    3.0
    """

    __slots__ = ()

    def __init__(
        self,
        *,
        gain: float = 1 / 8,
        deviation_gain: float = 1 / 4,
        multiplier: float = 4.0,
        min_rto: float = 1.0,
        max_rto: float = 60.0,
        initial_rto: float = 1.0,
        granularity: float = 0.0,
    ) -> None:
        own = arguments.reals(gain=gain, deviation_gain=deviation_gain, multiplier=multiplier)
        rules = arguments.reals(
            initial_rto=initial_rto, min_rto=min_rto, max_rto=max_rto, granularity=granularity
        )
        with _Faults():
            core = _core.RtoTimer.jacobson(*own.values(), tuple(rules.values()))
        super().__init__(core, arguments.call("JacobsonRto", own | rules))


class JacobsonTicksRto(RtoEstimator):
    """:class:`JacobsonRto` in whole clock ticks, with the integer arithmetic that BSD and ns-2.35 share.

    srtt is kept times 8 and rttvar times 4, in ticks, rounded down and at least 1. A sample counts as the
    nearest whole number of ticks of ``tick`` seconds, at least 1. When timeouts have raised the backoff
    beyond 8 the next sample counts as a first one; the RTO stays until then.

    ns-2.35 runs this with ``tick=0.01, initial_rto=3, min_rto=0.2``.

    >>> JacobsonTicksRto(tick=0.01, min_rto=0.2).run([0.13, 0.2])
    array([0.39, 0.4 ])
    """

    __slots__ = ()

    def __init__(
        self,
        *,
        tick: float = 0.01,
        min_rto: float = 1.0,
        max_rto: float = 60.0,
        initial_rto: float = 1.0,
        granularity: float = 0.0,
    ) -> None:
        own = arguments.reals(tick=tick)
        rules = arguments.reals(
            initial_rto=initial_rto, min_rto=min_rto, max_rto=max_rto, granularity=granularity
        )
        with _Faults():
            core = _core.RtoTimer.jacobson_ticks(*own.values(), tuple(rules.values()))
        super().__init__(core, arguments.call("JacobsonTicksRto", own | rules))


class MedianRto(RtoEstimator):
    """Median of the last ``k`` samples in the place of their mean (Chan and Leis).

    The document does not say what the deviation is. With ``deviation="ewma"`` it is exponentially weighted as
    in :class:`JacobsonRto`, ``rttvar += deviation_gain (|R - srtt| - rttvar)`` with the median before the
    sample; with ``"mad"`` it is the median absolute deviation of the same ``k`` samples, and
    ``deviation_gain`` is unused. Either way the first sample R gives ``srtt = R`` and ``rttvar = R / 2``, and
    before ``k`` samples exist those that do count. The base RTO is ``srtt + multiplier rttvar``; the rules
    are those of :class:`JacobsonRto`.

    >>> MedianRto(k=3, min_rto=0).run([1.0, 3.0, 1.0])
    array([3.   , 5.5  , 4.625])
    >>> MedianRto(k=3, deviation="mad", min_rto=0).run([1.0, 3.0, 1.0])
    array([3., 6., 1.])
    """

    __slots__ = ()

    def __init__(
        self,
        k: int = 5,
        *,
        deviation: Literal["ewma", "mad"] = "ewma",
        deviation_gain: float = 1 / 4,
        multiplier: float = 4.0,
        min_rto: float = 1.0,
        max_rto: float = 60.0,
        initial_rto: float = 1.0,
        granularity: float = 0.0,
    ) -> None:
        k = arguments.count("k", k)
        if deviation not in ("ewma", "mad"):
            raise InputError("deviation", shown(deviation), '"ewma" or "mad"')
        own = arguments.reals(deviation_gain=deviation_gain, multiplier=multiplier)
        rules = arguments.reals(
            initial_rto=initial_rto, min_rto=min_rto, max_rto=max_rto, granularity=granularity
        )
        with _Faults():
            core = _core.RtoTimer.median(k, deviation == "mad", *own.values(), tuple(rules.values()))
        super().__init__(core, arguments.call("MedianRto", {"k": k, "deviation": deviation} | own | rules))


class WeightedMedianRto(RtoEstimator):
    """Recursive weighted median (Ma, Arce and Barner 2004, DOI 10.1109/LSP.2004.827957).

    srtt is the weighted median of the last ``k`` samples and of the srtt before: the ``j``-th newest sample
    weighs ``decay ** (j - 1)``, the old srtt ``feedback``. The base RTO is ``(1 + multiplier zeta) srtt``
    where zeta is the mean distance of all samples so far from their mean, divided by that mean; ``rttvar`` is
    ``zeta srtt``. The defaults are the letter's. ``memory=n`` makes mean and distance fade with a gain of 1/n
    once there are n samples. Before ``k`` samples exist, those that do are weighed, and zeta is at least 1/2.
    ``docs/estimators.md`` says what is the letter's and what is ours. The rules are those of
    :class:`JacobsonRto`.

    >>> WeightedMedianRto(min_rto=0).run([2.0, 4.0, 4.0])
    array([ 6.5,  6.5, 13. ])
    """

    __slots__ = ()

    def __init__(
        self,
        k: int = 5,
        *,
        decay: float = 7 / 8,
        feedback: float = 1 / 2,
        multiplier: float = 4.5,
        memory: int | None = None,
        min_rto: float = 1.0,
        max_rto: float = 60.0,
        initial_rto: float = 1.0,
        granularity: float = 0.0,
    ) -> None:
        k = arguments.count("k", k)
        memory = None if memory is None else arguments.count("memory", memory)
        own = arguments.reals(decay=decay, feedback=feedback, multiplier=multiplier)
        rules = arguments.reals(
            initial_rto=initial_rto, min_rto=min_rto, max_rto=max_rto, granularity=granularity
        )
        with _Faults():
            core = _core.RtoTimer.weighted_median(k, *own.values(), memory, tuple(rules.values()))
        super().__init__(
            core, arguments.call("WeightedMedianRto", {"k": k} | own | {"memory": memory} | rules)
        )


class ArimaRto(RtoEstimator):
    """Forecast of the next round trip in the place of the mean, which Jeyasekar et al. 2014 leave as future
    work.

    ``srtt`` is what the forecaster expects next, or the sample where that would be negative; any forecaster
    of ``parshall.forecast`` will do, and the default is the document's ARIMA(2,1,1). ``rttvar`` is the
    exponentially weighted error of the forecasts, ``rttvar += deviation_gain (|R - srtt| - rttvar)`` with the
    forecast before the sample R; the first sample gives R / 2. The base RTO is ``srtt + multiplier rttvar``,
    never below the forecast; the rules are those of :class:`JacobsonRto`.

    >>> from parshall.scenario.forecaster import LastValue
    >>> ArimaRto(LastValue(), min_rto=0).run([1.0, 3.0, 1.0])
    array([3.   , 6.5  , 5.625])
    """

    __slots__ = ()

    def __init__(
        self,
        forecaster: ForecasterConfig = JEYASEKAR_2014,
        *,
        deviation_gain: float = 1 / 4,
        multiplier: float = 4.0,
        min_rto: float = 1.0,
        max_rto: float = 60.0,
        initial_rto: float = 1.0,
        granularity: float = 0.0,
    ) -> None:
        if not isinstance(forecaster, ForecasterConfig):
            raise arguments.wrong_type("forecaster", forecaster, "a forecaster such as Arima or Ewma")
        own = arguments.reals(deviation_gain=deviation_gain, multiplier=multiplier)
        rules = arguments.reals(
            initial_rto=initial_rto, min_rto=min_rto, max_rto=max_rto, granularity=granularity
        )
        with _Faults():
            core = _core.RtoTimer.arima(canonical_json(forecaster), *own.values(), tuple(rules.values()))
        super().__init__(core, arguments.call("ArimaRto", {"forecaster": forecaster} | own | rules))


class QuantileRto(RtoEstimator):
    """A timeout that is early with the share ``risk``, from 0.000001 to 0.2, which is its one setting.

    The base RTO is the ``1 - risk`` quantile of the next round-trip time: of eight foreseen quantiles the
    one that has cost the least waiting, at a risk that is bent by the early timeouts so far, so that their
    share over the whole series is what was asked for, level shifts included. ``docs/estimators.md`` says
    how, where it holds, and what was measured. Before 20 samples it is RFC 6298's. ``srtt`` and ``rttvar``
    are RFC 6298's and have no part in it.

    A sample that takes longer than the base RTO before it is an early timeout. Where Karn's rule withholds
    such samples, say so: ``update(rtt, retransmitted=True)``, or :meth:`on_early_timeout`; each counts as
    one.

    The rules are those of :class:`JacobsonRto`, but ``min_rto`` is 0: a minimum only lowers the risk.

    >>> rng = np.random.default_rng(1)
    >>> rto = QuantileRto(risk=0.01)
    >>> rto.run(0.05 + rng.exponential(0.01, 50_000))[-1].round(2)
    np.float64(0.1)
    >>> round(rto.risk_seen, 3)
    0.01
    """

    __slots__ = ()

    def __init__(
        self,
        risk: float = 0.01,
        *,
        min_rto: float = 0.0,
        max_rto: float = 60.0,
        initial_rto: float = 1.0,
        granularity: float = 0.0,
    ) -> None:
        own = arguments.reals(risk=risk)
        rules = arguments.reals(
            initial_rto=initial_rto, min_rto=min_rto, max_rto=max_rto, granularity=granularity
        )
        with _Faults():
            core = _core.RtoTimer.quantile(*own.values(), tuple(rules.values()))
        super().__init__(core, arguments.call("QuantileRto", own | rules))

    def on_early_timeout(self) -> float:
        """Count an early timeout whose sample is withheld, and return the RTO after it."""
        rto: float = self._core.on_early_timeout()
        return rto

    @property
    def risk_seen(self) -> float | None:
        """The share of early timeouts so far, after the first 20 samples; ``None`` before."""
        seen: float | None = self._core.risk_seen
        return seen


@dataclass(frozen=True)
class RtoCosts:
    """The two costs of a retransmission timeout on a series of round-trip times; see :func:`evaluate_rto`."""

    samples: int
    """Samples judged."""
    spurious: int
    """Samples that took longer than the RTO in force."""
    total_wait: float
    """Sum of the RTOs in force, in seconds: the wait if every packet had been lost."""
    total_rtt: float
    """Sum of the samples, in seconds."""

    @property
    def spurious_share(self) -> float:
        """Share of packets that would be retransmitted needlessly (compare Allman and Paxson's B)."""
        return self.spurious / self.samples

    @property
    def mean_wait(self) -> float:
        """Mean wait for a lost packet, in seconds (compare W)."""
        return self.total_wait / self.samples

    @property
    def normalized_wait(self) -> float:
        """Mean wait in units of the mean sample (compare W normalised); NaN when all samples are 0."""
        return self.total_wait / self.total_rtt if self.total_rtt > 0 else math.nan


def evaluate_rto(
    rtts: ArrayLike, estimator: RtoEstimator, *, warm_up: int = 1, karn: bool = False
) -> RtoCosts:
    """Weigh an estimator's spurious timeouts against its waiting, after Allman and Paxson 1999.

    They replay recorded connections and set the time spent waiting for timeouts (W) against the share of
    timeouts that were not needed (B). A series of round-trip times has no losses, so here every sample stands
    for both kinds of packet. The RTO in force is the one after the sample before:

    - the packet that arrived: its timeout is spurious if the sample is greater than the RTO in force;
    - the same packet, had it been lost: it waits for the RTO in force.

    The first ``warm_up`` samples are taken in and not judged; by default that is one, since what is in force
    before it is the initial RTO. Every sample is taken in, and no backoff is ever in force: what a sender
    with timestamps does, and the fairest comparison of filters. With ``karn=True`` a sample greater than the
    RTO doubles the backoff once for each expiry before its ACK and then says nothing, as for a sender without
    timestamps: the RTOs in force stay backed off until a sample is within its own.

    A fresh copy of ``estimator`` is judged; the one given stays as it is.

    >>> costs = evaluate_rto([0.1, 0.1, 0.4, 0.1], JacobsonRto(min_rto=0))
    >>> costs.samples, costs.spurious, round(costs.mean_wait, 4)
    (3, 1, 0.3667)
    """
    if not isinstance(estimator, RtoEstimator):
        raise arguments.wrong_type("estimator", estimator, "an estimator such as MedianRto()")
    samples = arguments.samples("rtts", rtts)
    unjudged = arguments.count("warm_up", warm_up)
    if len(samples) <= unjudged:
        raise InputError("rtts", f"{len(samples)} samples", f"more than the {unjudged} of warm_up")
    with _Faults():
        return RtoCosts(*estimator._core.evaluate(samples, unjudged, karn))


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
        with _Faults():
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
        k = arguments.count("k", k)
        with _Faults():
            core = _core.SlidingMedian(k)
        super().__init__(core, f"SlidingMedian(k={k})")


class SlidingMad(_Filter):
    """Median absolute deviation of the last ``k`` numbers from their median, without a scale factor.

    >>> SlidingMad(5).run([1.0, 2.0, 3.0, 4.0, 100.0])
    array([0. , 0.5, 1. , 1. , 1. ])
    """

    __slots__ = ()

    def __init__(self, k: int) -> None:
        k = arguments.count("k", k)
        with _Faults():
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
        with _Faults():
            core = _core.Ewma(own["gain"])
        super().__init__(core, arguments.call("Ewma", own))


class _Faults:
    """Turns what the extension says about a value into an :class:`InputError`."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        if isinstance(fault, ValueError) and not isinstance(fault, InputError):
            place, value, expected = fault.args
            # The window is called `k` here, as in the literature.
            raise InputError("k" if place == "window" else place, value, expected) from None
