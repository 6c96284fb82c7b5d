"""Retransmission timeout estimators and their parameters. Each default is the value of its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from parshall.scenario.base import Model, one_of
from parshall.scenario.forecaster import JEYASEKAR_2014, AnyForecaster
from parshall.scenario.quantities import Duration, NotNegative, Period, Risk, Share, Weights, Window

if TYPE_CHECKING:
    from parshall.estimators.rto import RtoEstimator
    from parshall.scenario.quantities import Given, Table

__all__ = [
    "ArimaRtoConfig",
    "JacobsonRtoConfig",
    "JacobsonTicksRtoConfig",
    "LinuxRtoConfig",
    "MedianRtoConfig",
    "QuantileRtoConfig",
    "RtoConfig",
    "WeightedMedianRtoConfig",
]

_TICK: Any = 0.01
_LEAST_MARGIN: Any = 0.2


class JacobsonRtoConfig(Model):
    """Exponentially weighted mean and mean deviation (Jacobson and Karels; RFC 6298)."""

    kind: Literal["jacobson"] = "jacobson"
    """Names this estimator."""
    gain: Share = 1 / 8
    """Weight of a sample in srtt (RFC 6298, section 2.3: alpha)."""
    deviation_gain: Share = 1 / 4
    """Weight of a sample in rttvar (RFC 6298, section 2.3: beta)."""
    multiplier: NotNegative = 4.0
    """How many rttvar are added to srtt (RFC 6298, section 2: K)."""


class JacobsonTicksRtoConfig(Model):
    """The same in whole clock ticks, as ns-2 and BSD run it."""

    kind: Literal["jacobson-ticks"] = "jacobson-ticks"
    """Names this estimator."""
    tick: Period = _TICK
    """Length of a tick (ns-2.35: tcpTick_)."""


class LinuxRtoConfig(Model):
    """Estimator of Linux: quick to rise, slow to fall (tcp_rtt_estimator)."""

    kind: Literal["linux"] = "linux"
    """Names this estimator."""
    least_margin: Duration = _LEAST_MARGIN
    """Least that is added to srtt (TCP_RTO_MIN)."""


class MedianRtoConfig(Model):
    """Median of the last samples in place of the mean (Chan and Leis)."""

    kind: Literal["median"] = "median"
    """Names this estimator."""
    window: Window = 5
    """How many samples."""
    deviation: Literal["ewma", "mad"] = "ewma"
    """What rttvar is: the exponentially weighted distance of a sample from the median before it, or the
    median absolute deviation of the window."""
    deviation_gain: Share = 1 / 4
    """Weight of a sample in an exponentially weighted rttvar; unused with ``mad``."""
    multiplier: NotNegative = 4.0
    """How many rttvar are added to the median."""


class QuantileRtoConfig(Model):
    """Upper quantile of the next sample, at the risk that is accepted; a ``min_rto`` only lowers it."""

    kind: Literal["quantile"] = "quantile"
    """Names this estimator."""
    risk: Risk = 0.01
    """Share of timeouts that may be early, from 0.000001 to 0.2."""


class WeightedMedianRtoConfig(Model):
    """Recursive weighted median (Ma, Arce and Barner 2004)."""

    kind: Literal["weighted-median"] = "weighted-median"
    """Names this estimator."""
    window: Weights = 5
    """How many samples are weighed (the letter's M), at most 63."""
    decay: Share = 7 / 8
    """Weight of a sample relative to the one after it (the letter's alpha)."""
    feedback: NotNegative = 1 / 2
    """Weight of the last estimate, where the newest sample has 1 (the letter's beta)."""
    multiplier: NotNegative = 4.5
    """How many mean deviations are added (the letter's mu)."""
    memory: Window | None = None
    """Samples that the mean and the mean deviation look back on; none is all of them."""


class ArimaRtoConfig(Model):
    """Forecast of the next round trip in place of the mean: ARTT, of which Jeyasekar et al. 2014 say that
    the timeout may use it in future. Any forecaster may stand in place of ARIMA. The sample stands for a
    forecast that is negative.
    """

    kind: Literal["arima"] = "arima"
    """Names this estimator."""
    forecaster: AnyForecaster = JEYASEKAR_2014
    """What forecasts the next round trip, in seconds."""
    deviation_gain: Share = 1 / 4
    """Weight of a forecast's error in rttvar."""
    multiplier: NotNegative = 4.0
    """How many rttvar are added to the forecast."""


RtoConfig: TypeAlias = (
    JacobsonRtoConfig
    | JacobsonTicksRtoConfig
    | LinuxRtoConfig
    | MedianRtoConfig
    | QuantileRtoConfig
    | WeightedMedianRtoConfig
    | ArimaRtoConfig
)
"""Any of the estimators."""

if TYPE_CHECKING:
    _Name: TypeAlias = Literal[
        "jacobson", "jacobson-ticks", "linux", "median", "quantile", "weighted-median", "arima"
    ]
    MaybeRto: TypeAlias = Given[RtoConfig | None, RtoConfig | RtoEstimator | _Name | Table | None]
else:
    MaybeRto = one_of(*get_args(RtoConfig)) | None
