"""Rules that the study's statements share, all made of :func:`parshall.claims.all_compared`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from parshall.claims import Claim, Verdict, all_compared
from parshall.stats import simultaneous_intervals

if TYPE_CHECKING:
    from parshall.studies.aqm.results import Reals

__all__ = ["SHARE", "alike", "all_greater", "within"]

SHARE = "share of capacity"
"""A unit."""


def all_greater(
    id: str,
    where: str,
    statement: str,
    pairs: Iterable[tuple[Reals, Reals | float]],
    unit: str = "",
    *,
    bounds: int = 1,
) -> Claim:
    """That the first of every pair is greater than the second; a number stands for every seed.

    A statement that is not true of all says of how many it is. ``bounds`` consecutive pairs are one thing.
    """
    whole = [(first, np.broadcast_to(np.asarray(second, float), first.shape)) for first, second in pairs]
    claim = all_compared(id, where, statement, "greater", whole, unit=unit)
    if claim.verdict is Verdict.HOLDS or len(whole) == bounds:
        return claim
    above = [difference.low > 0 for difference in simultaneous_intervals(whole)]
    true = sum(all(above[start : start + bounds]) for start in range(0, len(above), bounds))
    return replace(claim, statement=f"{statement} True of {true} of {len(above) // bounds}.")


def within(
    id: str,
    where: str,
    statement: str,
    values: Iterable[Reals],
    low: float,
    high: float,
    unit: str,
    *,
    paper: float | None = None,
) -> Claim:
    """That all values lie between two numbers. The claim's value is the least favourable distance from
    one.
    """
    pairs = [pair for each in values for pair in ((each, low), (high - each, 0.0))]
    claim = all_greater(id, where, statement, pairs, f"{unit} inside the bounds", bounds=2)
    return replace(claim, paper=paper)


def alike(id: str, where: str, statement: str, pairs: Iterable[tuple[Reals, Reals]], factor: float) -> Claim:
    """That the ratio of the two of every pair lies between 1 / ``factor`` and ``factor``."""
    ratios = (first / second for first, second in pairs)
    return within(id, where, statement, ratios, 1 / factor, factor, "ratio")
