"""Alarms over several estimation intervals.

A rule turns a series of estimates into a score in each interval; the alarm is on where the score is above a
threshold. A missing estimate never raises an alarm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from parshall.studies.nonresponsive.traces import Reals

__all__ = ["LIMIT", "RULES", "SINGLE", "Rule", "cumulative", "k_of_n", "rule"]

LIMIT = 0.6
"""Share of UDP packets above which it is an attack, and the reference of the cumulative sum."""
_K, _N = 4, 5
_MOST = 2.0
"""Where the cumulative sum stops: an alarm must end, in five intervals if the share falls to 0.2."""
_LEVELS = 101


@dataclass(frozen=True)
class Rule:
    """How estimates become an alarm."""

    name: str
    label: str
    """For a reader."""
    score: Callable[[Reals], Reals]
    """Scores of estimates, both one row a run and one column an interval."""
    top: float
    """The greatest score."""

    @property
    def levels(self) -> Reals:
        """Thresholds from 0 to the top."""
        return np.linspace(0.0, self.top, _LEVELS)


def _single(estimates: Reals) -> Reals:
    return np.where(np.isnan(estimates), 0.0, estimates)


def k_of_n(estimates: Reals, k: int = _K, n: int = _N) -> Reals:
    """The ``k``-th greatest of the last ``n`` estimates: above a level where ``k`` of them are."""
    padded = np.pad(_single(estimates), ((0, 0), (n - 1, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, n, axis=1)
    found: Reals = np.sort(windows, axis=2)[:, :, n - k]
    return found


def cumulative(estimates: Reals, reference: float = LIMIT, most: float = _MOST) -> Reals:
    """Page's cumulative sum (1954): what estimates were above ``reference``, less what they were below it,
    from 0 to ``most``.
    """
    sums = np.zeros_like(estimates)
    total = np.zeros(len(estimates))
    for place, column in enumerate(np.where(np.isnan(estimates), 0.0, estimates - reference).T):
        total = np.clip(total + column, 0.0, most)
        sums[:, place] = total
    return sums


SINGLE = Rule("single", "one interval", _single, 1.0)
RULES = (
    SINGLE,
    Rule("k-of-n", f"{_K} of {_N} intervals", k_of_n, 1.0),
    Rule("cusum", "cumulative sum", cumulative, _MOST),
)


def rule(name: str) -> Rule:
    """The rule of that name."""
    return next(each for each in RULES if each.name == name)
