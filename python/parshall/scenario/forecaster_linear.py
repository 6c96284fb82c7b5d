"""Forecasters that weigh the last samples: by weights that follow the errors, or from the Hurst parameter."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator
from typing_extensions import Self

from parshall.scenario.base import Model
from parshall.scenario.forecaster_learning import check_by_engine
from parshall.scenario.quantities import ABSENT, MaybeLevel, MaybeNotNegative, MaybePart, Positive, Window

__all__ = ["Farima", "Fbm", "Lms", "Nlms", "Rls"]


class _Checked(Model):
    @model_validator(mode="after")
    def _fits(self) -> Self:
        check_by_engine(self)
        return self


class Lms(_Checked):
    """Linear prediction whose weights follow the gradient of the error (Widrow and Hoff 1960; He et al. 2002,
    eq. 8): with u the last samples less the centre, ``w += step e u``.
    """

    kind: Literal["lms"] = "lms"
    """Names this forecaster."""
    order: Window = 20
    """How many samples predict the next, at most 100."""
    step: Positive
    """How far the weights follow the error, in units of 1 / x^2: stable below about 2 / u.u."""
    centre: MaybeLevel = ABSENT
    """What the samples lie around; a running mean if it is left out."""
    memory: Window = 500
    """About how many samples the running mean remembers."""
    clip: Positive = 6.0
    """How many mean absolute errors an error counts for at most, at least 1: a guard against outliers."""


class Nlms(_Checked):
    """LMS normalised: ``w += step e u / (eps + u.u)`` (Nagumo and Noda 1967), for series of any scale."""

    kind: Literal["nlms"] = "nlms"
    """Names this forecaster."""
    order: Window = 20
    """How many samples predict the next, at most 100."""
    step: Positive = 0.1
    """How far the weights follow the error: below 2."""
    eps: MaybeNotNegative = ABSENT
    """What is added to u.u, in units of x^2; a tenth of its running mean if it is left out."""
    centre: MaybeLevel = ABSENT
    """What the samples lie around; a running mean if it is left out."""
    memory: Window = 500
    """About how many samples the running mean remembers."""
    clip: Positive = 6.0
    """How many mean absolute errors an error counts for at most, at least 1: a guard against outliers."""


class Rls(_Checked):
    """Linear prediction by recursive least squares with forgetting, in square-root form (Bierman 1977)."""

    kind: Literal["rls"] = "rls"
    """Names this forecaster."""
    order: Window = 20
    """How many samples predict the next, at most 100."""
    memory: Window = 1000
    """About how many samples are remembered, at least 10; the weight of older ones fades by 1 - 1/memory."""
    centre: MaybeLevel = ABSENT
    """What the samples lie around; a running mean if it is left out."""
    clip: Positive = 6.0
    """How many mean absolute errors an error counts for at most, at least 1."""


class Fbm(_Checked):
    """Weights that are best for the increments of fractional Brownian motion (Gripenberg and Norros 1996), by
    the Hurst parameter.
    """

    kind: Literal["fbm"] = "fbm"
    """Names this forecaster."""
    order: Window = 20
    """How many samples predict the next, 2 to 100."""
    window: Window = 1000
    """How many samples the mean, and H, are those of: at least ``order``, and 32 if H is estimated."""
    h: MaybePart = ABSENT
    """The Hurst parameter; the local Whittle estimate of the window if it is left out."""
    every: Window = 100
    """H is estimated every so many samples."""


class Farima(_Checked):
    """Weights that are best for fractionally differenced noise, FARIMA(0, H - 1/2, 0) (Hosking 1981), by the
    Hurst parameter.
    """

    kind: Literal["farima"] = "farima"
    """Names this forecaster."""
    order: Window = 20
    """How many samples predict the next, at most 100."""
    window: Window = 1000
    """How many samples the mean, and H, are those of: at least ``order``, and 32 if H is estimated."""
    h: MaybePart = ABSENT
    """The Hurst parameter; the local Whittle estimate of the window if it is left out."""
    every: Window = 100
    """H is estimated every so many samples."""
