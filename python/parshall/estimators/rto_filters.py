"""Estimators of the retransmission timeout: means, medians, forecasts and quantiles of round-trip times.

``parshall.estimators`` offers everything that is here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import Unpack

from parshall import _core
from parshall.estimators import arguments
from parshall.estimators.rto import RtoEstimator, RtoRules
from parshall.scenario.canonical import canonical_json
from parshall.scenario.parts import (
    Arima,
    ArimaRtoConfig,
    ForecasterConfig,
    JacobsonRtoConfig,
    JacobsonTicksRtoConfig,
    LinuxRtoConfig,
    MedianRtoConfig,
    QuantileRtoConfig,
    WeightedMedianRtoConfig,
)

if TYPE_CHECKING:
    from parshall._core import ForecasterBase
    from parshall.own.forecaster import SharedForecaster

_JEYASEKAR_2014 = Arima.jeyasekar_2014()

__all__ = [
    "ArimaRto",
    "JacobsonRto",
    "JacobsonTicksRto",
    "LinuxRto",
    "MedianRto",
    "QuantileRto",
    "WeightedMedianRto",
]


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

    _config = JacobsonRtoConfig

    gain: float
    """Weight of a sample in srtt."""
    deviation_gain: float
    """Weight of a deviation in rttvar."""
    multiplier: float
    """Factor applied to rttvar in the timeout."""

    def __init__(
        self,
        *,
        gain: float = 1 / 8,
        deviation_gain: float = 1 / 4,
        multiplier: float = 4.0,
        **rules: Unpack[RtoRules],
    ) -> None:
        own = arguments.reals(gain=gain, deviation_gain=deviation_gain, multiplier=multiplier)
        super().__init__("JacobsonRto", _core.RtoTimer.jacobson, own, rules)


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

    _config = JacobsonTicksRtoConfig

    tick: float
    """Clock tick, in seconds."""

    def __init__(
        self,
        *,
        tick: float = 0.01,
        **rules: Unpack[RtoRules],
    ) -> None:
        own = arguments.reals(tick=tick)
        super().__init__("JacobsonTicksRto", _core.RtoTimer.jacobson_ticks, own, rules)


class LinuxRto(RtoEstimator):
    """Estimator of Linux (tcp_rtt_estimator), quick to rise and slow to fall.

    srtt is that of :class:`JacobsonRto`. A sample below ``srtt - mdev / 4`` changes the deviation ``mdev`` by
    an eighth of what another does. What is added to srtt rises at once to the greatest ``mdev`` of a round
    trip, and at its end falls by a quarter of the way to that; ``least_margin`` seconds are added at least.
    Each sample of a series counts as a round trip of its own. ``rttvar`` is a quarter of what is added.

    Linux runs this with ``min_rto=0.2, max_rto=120``.

    >>> LinuxRto(min_rto=0.2).run([0.4, 0.4, 0.4])
    array([1.2   , 1.2   , 1.1125])
    """

    __slots__ = ()

    _config = LinuxRtoConfig

    least_margin: float
    """Least that is added to srtt, in seconds."""

    def __init__(
        self,
        *,
        least_margin: float = 0.2,
        **rules: Unpack[RtoRules],
    ) -> None:
        own = arguments.reals(least_margin=least_margin)
        super().__init__("LinuxRto", _core.RtoTimer.linux, own, rules)


class MedianRto(RtoEstimator):
    """Median of the last ``window`` samples in place of their mean (Chan and Leis).

    The document does not say what the deviation is. With ``deviation="ewma"`` it is exponentially weighted as
    in :class:`JacobsonRto`, ``rttvar += deviation_gain (|R - srtt| - rttvar)`` with the median before the
    sample; with ``"mad"`` it is the median absolute deviation of the same ``window`` samples, and
    ``deviation_gain`` is unused. Either way the first sample R gives ``srtt = R`` and ``rttvar = R / 2``, and
    before ``window`` samples exist those that do count. The base RTO is ``srtt + multiplier rttvar``; the
    rules are those of :class:`JacobsonRto`.

    >>> MedianRto(window=3, min_rto=0).run([1.0, 3.0, 1.0])
    array([3.   , 5.5  , 4.625])
    >>> MedianRto(window=3, deviation="mad", min_rto=0).run([1.0, 3.0, 1.0])
    array([3., 6., 1.])
    """

    __slots__ = ()

    _config = MedianRtoConfig

    window: int
    """Number of samples under the median."""
    deviation: Literal["ewma", "mad"]
    """Kind of the deviation."""
    deviation_gain: float
    """Weight of a deviation in rttvar, with ``"ewma"``."""
    multiplier: float
    """Factor applied to rttvar in the timeout."""

    def __init__(
        self,
        window: int = 5,
        *,
        deviation: Literal["ewma", "mad"] = "ewma",
        deviation_gain: float = 1 / 4,
        multiplier: float = 4.0,
        **rules: Unpack[RtoRules],
    ) -> None:
        window = arguments.count("window", window, 1, 2**24)
        arguments.choice("deviation", deviation, ("ewma", "mad"))
        gains = arguments.reals(deviation_gain=deviation_gain, multiplier=multiplier)
        own: dict[str, Any] = {"window": window, "deviation": deviation} | gains
        super().__init__("MedianRto", _core.RtoTimer.median, own, rules, deviation=deviation == "mad")


class WeightedMedianRto(RtoEstimator):
    """Recursive weighted median (Ma, Arce and Barner 2004, DOI 10.1109/LSP.2004.827957).

    srtt is the weighted median of the last ``window`` samples and of the srtt before: the ``j``-th newest
    sample weighs ``decay ** (j - 1)``, the old srtt ``feedback``. The base RTO is ``(1 + multiplier zeta)
    srtt`` where zeta is the mean distance of all samples so far from their mean, divided by that mean;
    ``rttvar`` is ``zeta srtt``. The defaults are the letter's. ``memory=n`` makes mean and distance fade with
    a gain of 1/n once there are n samples. Before ``window`` samples exist, those that do are weighed, and
    zeta is at least 1/2.
    ``docs/estimators.md`` says what is the letter's and what is ours. The rules are those of
    :class:`JacobsonRto`.

    >>> WeightedMedianRto(min_rto=0).run([2.0, 4.0, 4.0])
    array([ 6.5,  6.5, 13. ])
    """

    __slots__ = ()

    _config = WeightedMedianRtoConfig

    window: int
    """Number of samples under the median."""
    decay: float
    """Ratio of a sample's weight to that of the next newer one."""
    feedback: float
    """Weight of the srtt before."""
    multiplier: float
    """Factor applied to zeta in the timeout."""
    memory: int | None
    """Number of samples that mean and distance remember; ``None`` for all."""

    def __init__(
        self,
        window: int = 5,
        *,
        decay: float = 7 / 8,
        feedback: float = 1 / 2,
        multiplier: float = 4.5,
        memory: int | None = None,
        **rules: Unpack[RtoRules],
    ) -> None:
        window = arguments.count("window", window, 1, 2**24)
        memory = None if memory is None else arguments.count("memory", memory)
        weights = arguments.reals(decay=decay, feedback=feedback, multiplier=multiplier)
        own: dict[str, Any] = {"window": window} | weights | {"memory": memory}
        super().__init__("WeightedMedianRto", _core.RtoTimer.weighted_median, own, rules)


class ArimaRto(RtoEstimator):
    """Forecast of the next round trip in place of the mean, which Jeyasekar et al. 2014 leave as future
    work.

    ``srtt`` is what the forecaster expects next, or the sample where that would be negative; any forecaster
    of ``parshall.forecast`` will do, and the default is the document's ARIMA(2,1,1). ``rttvar`` is the
    exponentially weighted error of the forecasts, ``rttvar += deviation_gain (|R - srtt| - rttvar)`` with the
    forecast before the sample R; the first sample gives R / 2. The base RTO is ``srtt + multiplier rttvar``,
    never below the forecast; the rules are those of :class:`JacobsonRto`.

    >>> from parshall.scenario.parts import LastValue
    >>> ArimaRto(LastValue(), min_rto=0).run([1.0, 3.0, 1.0])
    array([3.   , 6.5  , 5.625])
    """

    __slots__ = ()

    _config = ArimaRtoConfig

    forecaster: ForecasterConfig
    """Forecaster of the next round trip."""
    deviation_gain: float
    """Weight of an error in rttvar."""
    multiplier: float
    """Factor applied to rttvar in the timeout."""

    def __init__(
        self,
        forecaster: ForecasterConfig | ForecasterBase | SharedForecaster = _JEYASEKAR_2014,
        *,
        deviation_gain: float = 1 / 4,
        multiplier: float = 4.0,
        **rules: Unpack[RtoRules],
    ) -> None:
        if (part := getattr(type(forecaster), "__scenario_part__", None)) is not None:
            forecaster = part(forecaster)
        if not isinstance(forecaster, ForecasterConfig):
            raise arguments.wrong_type("forecaster", forecaster, "a forecaster such as Arima or Ewma")
        gains = arguments.reals(deviation_gain=deviation_gain, multiplier=multiplier)
        own: dict[str, Any] = {"forecaster": forecaster} | gains
        text = canonical_json(forecaster)
        super().__init__("ArimaRto", _core.RtoTimer.arima, own, rules, forecaster=text)


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

    _config = QuantileRtoConfig

    risk: float
    """The share of timeouts that may be early."""

    def __init__(
        self,
        risk: float = 0.01,
        **rules: Unpack[RtoRules],
    ) -> None:
        own = arguments.reals(risk=risk)
        super().__init__("QuantileRto", _core.RtoTimer.quantile, own, {"min_rto": 0.0, **rules})

    def on_early_timeout(self) -> float:
        """Count an early timeout whose sample is withheld, and return the RTO after it."""
        rto: float = self._core.on_early_timeout()
        return rto

    @property
    def risk_seen(self) -> float | None:
        """The share of early timeouts so far, after the first 20 samples; ``None`` before."""
        seen: float | None = self._core.risk_seen
        return seen
