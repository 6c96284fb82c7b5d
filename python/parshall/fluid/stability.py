"""Stability of the fluid model's equilibria: the linearised model and its roots.

The delay depends on the queue, but at rest the past is constant, so a delay that moves a little changes
nothing to first order: the linear equation has the constant delay R_0 (Cooke and Huang, Proc. AMS 124, 1996).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq

from parshall.errors import InputError
from parshall.estimators.typed import typed
from parshall.fluid.characteristic import delay_margin, rightmost_roots
from parshall.fluid.equilibrium import equilibria
from parshall.fluid.model import FREE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.fluid.equilibrium import Equilibrium
    from parshall.fluid.model import FluidModel

    Reals = NDArray[np.float64]

__all__ = ["Linear", "Stability", "critical", "linearise", "stability"]

_NUDGE = 1e-6


@dataclass(frozen=True)
class Linear:
    """y' = now y + past y(t - delay), for small deviations y of the components named."""

    now: Reals
    past: Reals
    delay: float
    """R_0, seconds."""
    components: tuple[str, ...]
    """Those that move, of ``window``, ``queue`` and ``average``: a queue that rests at an end does not."""


@dataclass(frozen=True)
class Stability:
    """Fate of a small deviation from an equilibrium."""

    linear: Linear
    roots: NDArray[np.complex128]
    """The rightmost roots, per second, the largest real part first."""
    delay_margin: float
    """The least delay, all else in the linear equation kept, at which a deviation would not die out; seconds.
    Infinite if there is none; for an equilibrium that is unstable without delay it means nothing and is NaN.
    """

    @property
    def stable(self) -> bool:
        return self.growth < 0

    @property
    def growth(self) -> float:
        """The rate at which a deviation grows, per second; negative when it dies out."""
        return float(self.roots[0].real)

    @property
    def frequency(self) -> float:
        """Frequency of the slowest deviation, per second; 0 when it does not swing."""
        return abs(float(self.roots[0].imag)) / (2 * math.pi)


@typed
def linearise(model: FluidModel, equilibrium: Equilibrium) -> Linear:
    """The linear equation of a model near an equilibrium.

    Derivatives are central differences. At a kink of the loss law they are the mean of both sides.
    """
    rest = np.array(equilibrium.state(model))
    kept = [0, *([1] if equilibrium.mode == FREE else []), *([2] if len(rest) == 3 else [])]

    def derivative(of_past: bool) -> Reals:
        columns = []
        for index in kept:
            nudge = _NUDGE * max(abs(rest[index]), 1e-3)
            sides = []
            for sign in (1, -1):
                moved = rest.copy()
                moved[index] += sign * nudge
                now, past = (rest, moved) if of_past else (moved, rest)
                sides.append(np.array(model.slope(0.0, now.tolist(), past.tolist(), equilibrium.mode))[kept])
            columns.append((sides[0] - sides[1]) / (2 * nudge))
        return np.column_stack(columns)

    names = ("window", "queue", "average")
    return Linear(
        derivative(False), derivative(True), equilibrium.round_trip, tuple(names[index] for index in kept)
    )


@typed
def stability(model: FluidModel, equilibrium: Equilibrium, count: int = 4) -> Stability:
    """The ``count`` rightmost roots of a model near an equilibrium, and the delay margin."""
    linear = linearise(model, equilibrium)
    roots = rightmost_roots(linear.now, linear.past, linear.delay, count)
    at_once = rightmost_roots(linear.now, linear.past, 0.0, 1)
    margin = delay_margin(linear.now, linear.past) if at_once[0].real < 0 else math.nan
    return Stability(linear, roots, margin)


@typed
def critical(family: Callable[[float], FluidModel], low: float, high: float) -> float:
    """The parameter between ``low`` and ``high`` at which the stability of ``family(parameter)`` changes.

    It is the stability of the only equilibrium. Raises InputError if it is the same at ``low`` and ``high``,
    or if an equilibrium is missing or not the only one.
    """

    def growth(parameter: float) -> float:
        model = family(parameter)
        rest = equilibria(model)
        if rest.only is None:
            raise InputError("family", f"{rest} at {parameter:g}", "models with one equilibrium")
        return stability(model, rest.only, 2).growth

    ends = growth(low), growth(high)
    if (ends[0] < 0) == (ends[1] < 0):
        what = "stable" if ends[0] < 0 else "unstable"
        raise InputError("low, high", f"{what} equilibria at {low:g} and {high:g}", "one of each kind")
    return float(brentq(growth, low, high, xtol=1e-10 * max(abs(low), abs(high)), rtol=1e-10))
