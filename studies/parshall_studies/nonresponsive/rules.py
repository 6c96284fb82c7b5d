"""Alarms over several estimation intervals.

A rule turns a series of estimates into a score in each interval: the highest level at which its alarm is on.
A missing estimate never raises an alarm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from parshall_studies.nonresponsive.traces import Reals

LEVELS = np.linspace(0.0, 1.0, 101)
"""Levels of alarm."""
_K, _N = 4, 5
EXCESS, _MOST = 0.2, 0.6
"""Where the cumulative sum raises the alarm, and where it stops, so that an alarm ends after an attack."""


@dataclass(frozen=True)
class Rule:
    """Rule that turns estimates into an alarm."""

    name: str
    label: str
    """For a reader."""
    score: Callable[[Reals], Reals]
    """Scores of estimates, both one row a run and one column an interval."""


def _single(estimates: Reals) -> Reals:
    return np.where(np.isnan(estimates), 0.0, estimates)


def k_of_n(estimates: Reals, k: int = _K, n: int = _N) -> Reals:
    """The ``k``-th greatest of the last ``n`` estimates: above a level where ``k`` of them are."""
    padded = np.pad(_single(estimates), ((0, 0), (n - 1, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, n, axis=1)
    found: Reals = np.sort(windows, axis=2)[:, :, n - k]
    return found


def cumulative(estimates: Reals, excess: float = EXCESS, most: float = _MOST) -> Reals:
    """The highest level at which Page's cumulative sum (1954) is above ``excess``: the sum of what estimates
    are above the level, less what they are below it, from 0 to ``most``.

    The level is known to half a step of :data:`LEVELS`.
    """
    sums = np.zeros((len(estimates), len(LEVELS)))
    scores = np.zeros_like(estimates)
    for place, column in enumerate(estimates.T):
        above = np.where(np.isnan(column), -most, column)[:, None] - LEVELS
        sums = np.clip(sums + above, 0.0, most)
        scores[:, place] = ((sums > excess).sum(axis=1) - 0.5) * LEVELS[1]
    return np.maximum(scores, 0.0)


SINGLE = Rule("single", "one interval", _single)
RULES = (
    SINGLE,
    Rule("k-of-n", f"{_K} of {_N} intervals", k_of_n),
    Rule("cusum", "cumulative sum", cumulative),
)
