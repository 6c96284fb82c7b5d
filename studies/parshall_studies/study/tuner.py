"""Settings with the least error, for studies that tune: differential evolution (Storn and Price 1997)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from parshall.control import exp, log

__all__ = ["Range", "least"]

Settings: TypeAlias = Mapping[str, float]
"""Values by name."""

POPULATION = 30
"""Trials of a generation, about: a multiple of the number of settings."""


@dataclass(frozen=True)
class Range:
    """Values between which a setting is searched for, with ``log`` evenly over its logarithm."""

    low: float
    high: float
    log: bool = False

    @property
    def ends(self) -> tuple[float, float]:
        """In the coordinate of the search."""
        return self.place(self.low), self.place(self.high)

    def place(self, value: float) -> float:
        """A value in the coordinate of the search."""
        return log(float(value)) if self.log else value

    def value(self, place: float) -> float:
        """The value at a place, within the range whatever rounding does."""
        return min(max(exp(float(place)) if self.log else float(place), self.low), self.high)


def least(
    error: Callable[[Settings], float],
    ranges: Mapping[str, Range],
    start: Settings | None = None,
    *,
    trials: int,
    seed: int,
) -> tuple[dict[str, float], float]:
    """The settings with the least error among about so many, and that error; no worse than ``start``.

    Equal seeds give equal settings. ``error`` is asked one by one, never twice at once.
    """
    from scipy.optimize import differential_evolution

    def settings(places: np.ndarray) -> dict[str, float]:
        return {name: each.value(place) for (name, each), place in zip(ranges.items(), places, strict=True)}

    found = differential_evolution(
        lambda places: error(settings(places)),
        [each.ends for each in ranges.values()],
        x0=[each.place(start[name]) for name, each in ranges.items()] if start else None,
        popsize=-(-POPULATION // len(ranges)),
        maxiter=max(trials // POPULATION - 1, 0),
        tol=0.0,
        polish=False,
        seed=seed,
    )
    every = [settings(found.x), *([{name: float(start[name]) for name in ranges}] if start else [])]
    return min(((each, error(each)) for each in every), key=lambda pair: pair[1])
