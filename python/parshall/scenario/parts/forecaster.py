"""Forecasters."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/forecaster.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from parshall.scenario.base import Part, default
from parshall.scenario.methods.forecaster import ArimaMethods
from parshall.scenario.parts.own import UserForecaster

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parshall._core import ForecasterBase
    from parshall.own.forecaster import SharedForecaster
    from parshall.scenario.quantities import Given, Number, Table

__all__ = [
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


class Constant(Part):
    """One number, whatever comes: what any other forecaster has to do better than."""

    kind: Literal["constant"] = "constant"
    """Names this forecaster."""
    value: Given[float, Number]
    """Forecast: seconds where round-trip times are forecast."""


class LastValue(Part):
    """The last sample: best for a random walk."""

    kind: Literal["last-value"] = "last-value"
    """Names this forecaster."""


class Ewma(Part):
    """Exponentially weighted mean, as TCP's srtt is one: best for a random walk seen through noise."""

    kind: Literal["ewma"] = "ewma"
    """Names this forecaster."""
    gain: float
    """Weight of the newest sample; that of srtt is 1/8 (RFC 6298, section 2.3)."""


class Holt(Part):
    """Exponentially weighted level and trend (Holt 1957)."""

    kind: Literal["holt"] = "holt"
    """Names this forecaster."""
    gain: float
    """Weight of a sample in the level."""
    trend_gain: float
    """Weight of a step of the level in the trend."""


class AdaptiveEwma(Part):
    """Exponentially weighted mean whose gain grows while errors lie on one side (Trigg and Leach 1967)."""

    kind: Literal["adaptive-ewma"] = "adaptive-ewma"
    """Names this forecaster."""
    smoothing: float = 0.1
    """Weight of the newest error in what sets the gain."""


class Median(Part):
    """Median of the last samples: least absolute error where outliers are many."""

    kind: Literal["median"] = "median"
    """Names this forecaster."""
    window: int
    """Number of samples."""


class Arima(ArimaMethods, Part):
    """ARIMA(p,d,q) with given coefficients, where p and q are how many there are, at most 5 each. It has to
    be stationary, differences apart, and invertible (Jeyasekar et al. 2014, eq. 24).
    """

    kind: Literal["arima"] = "arima"
    """Names this forecaster."""
    ar: Given[tuple[float, ...], Sequence[float]] = default(())
    """phi: what the last values count for, the newest first."""
    d: int = 0
    """Number of times that the series is differenced, 0 to 2."""
    ma: Given[tuple[float, ...], Sequence[float]] = default(())
    """theta: what the last errors count for, the newest first; ``y(t) = ... + e(t) + theta e(t-1)``."""
    mean: float = 0.0
    """Mean of the series; 0 if it is differenced."""
    start: Literal["repeated", "exact"] = "repeated"
    """Assumption before the first sample: that sample again and no errors, as in the document, or that the
    differenced series has been stationary for ever, by the exact filter.
    """


class Lmmse(Part):
    """Best linear prediction from the last samples, by autocovariances over a sliding window."""

    kind: Literal["lmmse"] = "lmmse"
    """Names this forecaster."""
    order: int = 20
    """Number of samples that predict the next, at most 100."""
    window: int = 500
    """Number of samples that the autocovariances are taken over, more than ``order``."""
    every: int = 10
    """The coefficients are solved for every so many samples."""
    differenced: bool = False
    """True to predict the changes instead of the samples, which follows walks and trends."""


class Lms(Part):
    """Linear prediction whose weights follow the gradient of the error (Widrow and Hoff 1960; He et al. 2002,
    eq. 8): with u the last samples less the centre, ``w += step e u``.
    """

    kind: Literal["lms"] = "lms"
    """Names this forecaster."""
    order: int = 20
    """Number of samples that predict the next, at most 100."""
    step: float
    """Step size of the weights, in units of 1 / x^2: stable below about 2 / u.u."""
    centre: Given[float | None, Number | None] = default(None)
    """Level around which the samples vary; a running mean if it is left out."""
    memory: int = 500
    """About how many samples the running mean remembers."""
    clip: float = 6.0
    """Largest error that counts, in mean absolute errors, at least 1: a guard against outliers."""


class Nlms(Part):
    """LMS normalised: ``w += step e u / (eps + u.u)`` (Nagumo and Noda 1967), for series of any scale."""

    kind: Literal["nlms"] = "nlms"
    """Names this forecaster."""
    order: int = 20
    """Number of samples that predict the next, at most 100."""
    step: float = 0.1
    """Step size of the weights: below 2."""
    eps: float | None = None
    """Constant added to u.u, in units of x^2; a tenth of its running mean if it is left out."""
    centre: Given[float | None, Number | None] = default(None)
    """Level around which the samples vary; a running mean if it is left out."""
    memory: int = 500
    """About how many samples the running mean remembers."""
    clip: float = 6.0
    """Largest error that counts, in mean absolute errors, at least 1: a guard against outliers."""


class Rls(Part):
    """Linear prediction by recursive least squares with forgetting, in square-root form (Bierman 1977)."""

    kind: Literal["rls"] = "rls"
    """Names this forecaster."""
    order: int = 20
    """Number of samples that predict the next, at most 100."""
    memory: int = 1000
    """About how many samples are remembered, at least 10; the weight of older ones fades by 1 - 1/memory."""
    centre: Given[float | None, Number | None] = default(None)
    """Level around which the samples vary; a running mean if it is left out."""
    clip: float = 6.0
    """Largest error that counts, in mean absolute errors, at least 1."""


class Fbm(Part):
    """Weights that are best for the increments of fractional Brownian motion (Gripenberg and Norros 1996), by
    the Hurst parameter.
    """

    kind: Literal["fbm"] = "fbm"
    """Names this forecaster."""
    order: int = 20
    """Number of samples that predict the next, 2 to 100."""
    window: int = 1000
    """Number of samples that the mean, and H, are estimated from: at least ``order``, and 32 if H is
    estimated.
    """
    h: float | None = None
    """The Hurst parameter; the local Whittle estimate of the window if it is left out."""
    every: int = 100
    """H is estimated every so many samples."""


class Farima(Part):
    """Weights that are best for fractionally differenced noise, FARIMA(0, H - 1/2, 0) (Hosking 1981), by the
    Hurst parameter.
    """

    kind: Literal["farima"] = "farima"
    """Names this forecaster."""
    order: int = 20
    """Number of samples that predict the next, at most 100."""
    window: int = 1000
    """Number of samples that the mean, and H, are estimated from: at least ``order``, and 32 if H is
    estimated.
    """
    h: float | None = None
    """The Hurst parameter; the local Whittle estimate of the window if it is left out."""
    every: int = 100
    """H is estimated every so many samples."""


class ArimaRecursive(Part):
    """ARIMA(p,d,q) whose coefficients follow the series (recursive maximum likelihood, Ljung and Soederstrom
    1983).
    """

    kind: Literal["arima-recursive"] = "arima-recursive"
    """Names this forecaster."""
    p: int = 2
    """Number of the last values that count."""
    d: int = 1
    """Number of times that the series is differenced."""
    q: int = 1
    """Number of the last errors that count."""
    memory: int = 1000
    """About how many samples are remembered, at least 10."""


class ArimaRefitted(Part):
    """ARIMA(p,d,q) fitted anew, by exact likelihood, to the last samples every so often."""

    kind: Literal["arima-refitted"] = "arima-refitted"
    """Names this forecaster."""
    p: int = 2
    """Number of the last values that count."""
    d: int = 1
    """Number of times that the series is differenced."""
    q: int = 1
    """Number of the last errors that count."""
    window: int = 1000
    """Number of samples that the model is fitted to."""
    every: int = 2000
    """Number of samples between two fits, at most; the first are closer together."""


class Mixture(Part):
    """One forecaster that needs no choice: experts of every kind, weighted by what each has lost so far."""

    kind: Literal["mixture"] = "mixture"
    """Names this forecaster."""
    loss: Literal["absolute", "squared"] = "absolute"
    """Loss to minimise: the mean absolute error, or the mean squared one. No forecaster is best by both."""


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
    | UserForecaster
)
"""Any forecaster."""

if TYPE_CHECKING:
    ForecasterConfigGiven: TypeAlias = (
        ForecasterConfig
        | Table
        | Literal[
            "last-value",
            "adaptive-ewma",
            "arima",
            "lmmse",
            "nlms",
            "rls",
            "fbm",
            "farima",
            "arima-recursive",
            "arima-refitted",
            "mixture",
        ]
        | ForecasterBase
        | SharedForecaster
    )
