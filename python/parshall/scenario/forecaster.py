"""Forecasters and their parameters: what a series will be next, from what it was.

What ``parshall.forecast`` runs on a series, and what controls and retransmission timeouts run on round-trip
times. Those are in seconds, in a forecaster as everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from pydantic import model_validator
from typing_extensions import Self

from parshall.scenario.base import Model, one_of
from parshall.scenario.forecaster_learning import (
    AdaptiveEwma,
    ArimaRecursive,
    ArimaRefitted,
    Lmmse,
    Mixture,
    check_by_engine,
)
from parshall.scenario.forecaster_linear import Farima, Fbm, Lms, Nlms, Rls
from parshall.scenario.quantities import NO_NUMBERS, Differences, Level, Numbers, Real, Share, Window

if TYPE_CHECKING:
    from parshall.scenario.quantities import Given, Table

__all__ = [
    "HE_2002",
    "JEYASEKAR_2014",
    "LAST_VALUE",
    "AdaptiveEwma",
    "Arima",
    "ArimaRecursive",
    "ArimaRefitted",
    "Constant",
    "Ewma",
    "Farima",
    "Fbm",
    "ForecasterConfig",
    "Holt",
    "LastValue",
    "Lmmse",
    "Lms",
    "Median",
    "Mixture",
    "Nlms",
    "Rls",
]


class Constant(Model):
    """One number, whatever comes: what any other forecaster has to do better than."""

    kind: Literal["constant"] = "constant"
    """Names this forecaster."""
    value: Level
    """That number: seconds where round-trip times are forecast."""


class LastValue(Model):
    """The last sample: best for a random walk."""

    kind: Literal["last-value"] = "last-value"
    """Names this forecaster."""


class Ewma(Model):
    """Exponentially weighted mean, as TCP's srtt is one: best for a random walk seen through noise."""

    kind: Literal["ewma"] = "ewma"
    """Names this forecaster."""
    gain: Share
    """Weight of the newest sample; that of srtt is 1/8 (RFC 6298, section 2.3)."""


class Holt(Model):
    """Exponentially weighted level and trend (Holt 1957)."""

    kind: Literal["holt"] = "holt"
    """Names this forecaster."""
    gain: Share
    """Weight of a sample in the level."""
    trend_gain: Share
    """Weight of a step of the level in the trend."""


class Median(Model):
    """Median of the last samples: least absolute error where outliers are many."""

    kind: Literal["median"] = "median"
    """Names this forecaster."""
    window: Window
    """How many samples."""


class Arima(Model):
    """ARIMA(p,d,q) with given coefficients, where p and q are how many there are, at most 5 each. It has to
    be stationary, differences apart, and invertible (Jeyasekar et al. 2014, eq. 24).
    """

    kind: Literal["arima"] = "arima"
    """Names this forecaster."""
    ar: Numbers = NO_NUMBERS
    """phi: what the last values count for, the newest first."""
    d: Differences = 0
    """How often the series is differenced, 0 to 2."""
    ma: Numbers = NO_NUMBERS
    """theta: what the last errors count for, the newest first; ``y(t) = ... + e(t) + theta e(t-1)``."""
    mean: Real = 0.0
    """What the series lies around; 0 if it is differenced."""
    start: Literal["repeated", "exact"] = "repeated"
    """What is assumed before the first sample: that sample again and no errors, as the document has it, or
    that the differenced series has been stationary for ever, by the exact filter.
    """

    @classmethod
    def jeyasekar_2014(cls) -> Self:
        """The ARIMA(2,1,1) that Jeyasekar et al. 2014 fit to round-trip times (below eq. 24)."""
        return cls.known(ar=(-0.36251, 0.17573), d=1, ma=(-0.95108,))

    @model_validator(mode="after")
    def _stable(self) -> Self:
        check_by_engine(self)
        return self


HE_2002: Any = Lmmse(order=20, window=21, every=1)
JEYASEKAR_2014: Any = Arima.jeyasekar_2014()
LAST_VALUE: Any = LastValue()
"""Defaults of forecasters; their type is that of any field."""

ForecasterConfig: TypeAlias = (
    Constant
    | LastValue
    | Ewma
    | Holt
    | AdaptiveEwma
    | Median
    | Arima
    | Lmmse
    | Lms
    | Nlms
    | Rls
    | Fbm
    | Farima
    | ArimaRecursive
    | ArimaRefitted
    | Mixture
)
"""Any of the forecasters."""

if TYPE_CHECKING:
    Kind: TypeAlias = Literal[
        "last-value",
        "adaptive-ewma",
        "lmmse",
        "nlms",
        "rls",
        "fbm",
        "farima",
        "arima-recursive",
        "arima-refitted",
        "mixture",
    ]
    AnyForecaster: TypeAlias = Given[ForecasterConfig, ForecasterConfig | Kind | Table]
else:
    AnyForecaster = one_of(*get_args(ForecasterConfig))
