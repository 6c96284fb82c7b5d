"""Forecasters that learn from the series what others are told: gains, predictors, models, and which to
trust.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, model_validator
from typing_extensions import Self

from parshall.errors import InputError
from parshall.scenario.base import Model
from parshall.scenario.quantities import Differences, Flag, OrderOf, Share, Window

__all__ = ["AdaptiveEwma", "ArimaRecursive", "ArimaRefitted", "Lmmse", "Mixture", "check_by_engine"]


def check_by_engine(model: BaseModel) -> None:
    """What depends on several fields at once is decided by the engine, for every caller alike."""
    from parshall import _core
    from parshall.scenario.canonical import canonical_json

    try:
        _core.Forecaster(canonical_json(model))
    except ValueError as error:
        raise InputError(*error.args) from None


class AdaptiveEwma(Model):
    """Exponentially weighted mean whose gain grows while errors lie on one side (Trigg and Leach 1967)."""

    kind: Literal["adaptive-ewma"] = "adaptive-ewma"
    """Names this forecaster."""
    smoothing: Share = 0.1
    """Weight of the newest error in what sets the gain."""


class Lmmse(Model):
    """Best linear prediction from the last samples, by autocovariances over a sliding window."""

    kind: Literal["lmmse"] = "lmmse"
    """Names this forecaster."""
    order: Window = 20
    """How many samples predict the next, at most 100."""
    window: Window = 500
    """How many samples the autocovariances are taken over, more than ``order``."""
    every: Window = 10
    """The coefficients are solved for every so many samples."""
    differenced: Flag = False
    """Whether the changes are predicted instead of the samples, which follows walks and trends."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        check_by_engine(self)
        return self


class ArimaRecursive(Model):
    """ARIMA(p,d,q) whose coefficients follow the series (recursive maximum likelihood, Ljung and Soederstrom
    1983).
    """

    kind: Literal["arima-recursive"] = "arima-recursive"
    """Names this forecaster."""
    p: OrderOf = 2
    """How many of the last values count."""
    d: Differences = 1
    """How often the series is differenced."""
    q: OrderOf = 1
    """How many of the last errors count."""
    memory: Window = 1000
    """About how many samples are remembered, at least 10."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        check_by_engine(self)
        return self


class ArimaRefitted(Model):
    """ARIMA(p,d,q) fitted anew, by exact likelihood, to the last samples every so often."""

    kind: Literal["arima-refitted"] = "arima-refitted"
    """Names this forecaster."""
    p: OrderOf = 2
    """How many of the last values count."""
    d: Differences = 1
    """How often the series is differenced."""
    q: OrderOf = 1
    """How many of the last errors count."""
    window: Window = 1000
    """How many samples the model is fitted to."""
    every: Window = 2000
    """How many samples lie between two fits, at most; the first are closer together."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        check_by_engine(self)
        return self


class Mixture(Model):
    """One forecaster that needs no choice: experts of every kind, weighted by what each has lost so far."""

    kind: Literal["mixture"] = "mixture"
    """Names this forecaster."""
    loss: Literal["absolute", "squared"] = "absolute"
    """What is to be small: the mean absolute error, or the mean squared one. No forecaster is best by both.
    """
