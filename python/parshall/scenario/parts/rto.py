"""Estimators of the retransmission timeout."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/rto.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from parshall.scenario.base import Part, default
from parshall.scenario.parts.forecaster import Arima
from parshall.scenario.parts.own import UserRto

if TYPE_CHECKING:
    from parshall._core import RtoFilterBase
    from parshall.estimators.rto import RtoEstimator
    from parshall.own.rto import SharedRtoFilter
    from parshall.scenario.parts.forecaster import ForecasterConfig, ForecasterConfigGiven
    from parshall.scenario.quantities import Given, Number, Table

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


class JacobsonRtoConfig(Part):
    """Exponentially weighted mean and mean deviation (Jacobson and Karels; RFC 6298)."""

    kind: Literal["jacobson"] = "jacobson"
    """Names this estimator."""
    gain: float = 0.125
    """Weight of a sample in srtt (RFC 6298, section 2.3: alpha)."""
    deviation_gain: float = 0.25
    """Weight of a sample in rttvar (RFC 6298, section 2.3: beta)."""
    multiplier: float = 4.0
    """Factor of rttvar in the timeout (RFC 6298, section 2: K)."""


class JacobsonTicksRtoConfig(Part):
    """Jacobson's filter in whole clock ticks, as ns-2 and BSD run it."""

    kind: Literal["jacobson-ticks"] = "jacobson-ticks"
    """Names this estimator."""
    tick: Given[float, Number] = default(0.01)
    """Length of a tick (ns-2.35: tcpTick_)."""


class LinuxRtoConfig(Part):
    """Estimator of Linux: quick to rise, slow to fall (tcp_rtt_estimator)."""

    kind: Literal["linux"] = "linux"
    """Names this estimator."""
    least_margin: Given[float, Number] = default(0.2)
    """Least that is added to srtt (TCP_RTO_MIN)."""


class MedianRtoConfig(Part):
    """Median of the last samples in place of the mean (Chan and Leis)."""

    kind: Literal["median"] = "median"
    """Names this estimator."""
    window: int = 5
    """Number of samples."""
    deviation: Literal["ewma", "mad"] = "ewma"
    """Kind of rttvar: the exponentially weighted distance of a sample from the median before it, or the
    median absolute deviation of the window.
    """
    deviation_gain: float = 0.25
    """Weight of a sample in an exponentially weighted rttvar; unused with ``mad``."""
    multiplier: float = 4.0
    """Factor of rttvar in the timeout."""


class QuantileRtoConfig(Part):
    """Upper quantile of the next sample, at the risk that is accepted; a ``min_rto`` only lowers it."""

    kind: Literal["quantile"] = "quantile"
    """Names this estimator."""
    risk: float = 0.01
    """Share of timeouts that may be early, from 0.000001 to 0.2."""


class WeightedMedianRtoConfig(Part):
    """Recursive weighted median (Ma, Arce and Barner 2004)."""

    kind: Literal["weighted-median"] = "weighted-median"
    """Names this estimator."""
    window: int = 5
    """Number of samples that are weighed (the letter's M), at most 63."""
    decay: float = 0.875
    """Weight of a sample relative to the one after it (the letter's alpha)."""
    feedback: float = 0.5
    """Weight of the last estimate, where the newest sample has 1 (the letter's beta)."""
    multiplier: float = 4.5
    """Factor of the mean deviation in the timeout (the letter's mu)."""
    memory: int | None = None
    """Samples that the mean and the mean deviation look back on; none is all of them."""


class ArimaRtoConfig(Part):
    """Forecast of the next round trip in place of the mean: ARTT, of which Jeyasekar et al. 2014 say that the
    timeout may use it in future. Any forecaster may stand in place of ARIMA. The sample stands for a forecast
    that is negative.
    """

    kind: Literal["arima"] = "arima"
    """Names this estimator."""
    forecaster: Given[ForecasterConfig, ForecasterConfigGiven] = default(
        Arima.known(ar=(-0.36251, 0.17573), d=1, ma=(-0.95108,))
    )
    """Forecaster of the next round trip, in seconds."""
    deviation_gain: float = 0.25
    """Weight of a forecast's error in rttvar."""
    multiplier: float = 4.0
    """Factor of rttvar in the timeout."""


RtoConfig: TypeAlias = (
    JacobsonRtoConfig
    | JacobsonTicksRtoConfig
    | LinuxRtoConfig
    | MedianRtoConfig
    | QuantileRtoConfig
    | WeightedMedianRtoConfig
    | ArimaRtoConfig
    | UserRto
)
"""Any estimator."""

if TYPE_CHECKING:
    RtoConfigGiven: TypeAlias = (
        RtoConfig
        | Table
        | Literal["jacobson", "jacobson-ticks", "linux", "median", "quantile", "weighted-median", "arima"]
        | RtoFilterBase
        | SharedRtoFilter
        | RtoEstimator
    )
