"""Where Linux and the simulator agree, and where they part by more than both scatter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parshall_dev.validate.machine.measures import MEASURES, Measure

if TYPE_CHECKING:
    from parshall_dev.validate.machine.cells import Cell

__all__ = ["CONFIDENCE", "Judged", "judge"]

CONFIDENCE = 0.99
"""Confidence of the interval of a difference."""


@dataclass(frozen=True)
class Judged:
    """A measure of a cell: values of Linux's runs and of ours."""

    cell: Cell
    measure: Measure
    linux: tuple[float, ...]
    ours: tuple[float, ...]

    @property
    def means(self) -> tuple[float, float]:
        """Linux's and ours."""
        return float(np.mean(self.linux)), float(np.mean(self.ours))

    @property
    def difference(self) -> float:
        linux, ours = self.means
        return ours - linux

    @property
    def near(self) -> bool:
        """True if the means are as near as the measure asks for."""
        within = max(self.measure.relative * abs(self.means[0]), self.measure.absolute)
        return abs(self.difference) <= within

    @property
    def scatter(self) -> float:
        """Largest distance of the means by chance: Student's interval for two samples of one variance."""
        from scipy.special import stdtrit

        n, m = len(self.linux), len(self.ours)
        if n + m < 3:
            return math.inf
        squares = n * np.var(self.linux) + m * np.var(self.ours)
        quantile = float(stdtrit(n + m - 2, 0.5 + CONFIDENCE / 2))
        return float(quantile * np.sqrt(squares / (n + m - 2) * (1 / n + 1 / m)))

    @property
    def within_scatter(self) -> bool:
        return abs(self.difference) <= self.scatter

    @property
    def agrees(self) -> bool:
        """True if they are near, or no farther apart than both scatter."""
        return self.near or self.within_scatter


def judge(
    linux: Mapping[Cell, Sequence[Mapping[str, float]]], ours: Mapping[Cell, Sequence[Mapping[str, float]]]
) -> list[Judged]:
    """Every measure of every cell, from what each run came to on either side."""
    return [
        Judged(
            cell,
            measure,
            tuple(run[measure.key] for run in runs),
            tuple(run[measure.key] for run in ours[cell]),
        )
        for cell, runs in linux.items()
        for measure in MEASURES
        # A single flow has nothing to share with.
        if not (measure.key == "jain" and cell.flows == 1)
    ]
