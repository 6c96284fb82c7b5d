"""Rules that the study's statements share, all made of :func:`parshall.claims.all_compared`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from parshall.claims import Claim, all_compared

if TYPE_CHECKING:
    from parshall.studies.aqm.results import Reals

__all__ = ["SHARE", "alike", "all_greater"]

SHARE = "share of capacity"
"""A unit."""


def all_greater(
    id: str, where: str, statement: str, pairs: Iterable[tuple[Reals, Reals | float]], unit: str = ""
) -> Claim:
    """That the first of every pair is greater than the second; a number stands for every seed."""
    whole = [(first, np.broadcast_to(np.asarray(second, float), first.shape)) for first, second in pairs]
    return all_compared(id, where, statement, "greater", whole, unit=unit)


def alike(
    id: str,
    where: str,
    statement: str,
    pairs: Iterable[tuple[Reals, Reals]],
    factor: float,
    unit: str = "ratio less bound",
) -> Claim:
    """That the ratio of the two of every pair lies between 1 / ``factor`` and ``factor``.

    The claim's value is the least favourable distance from a bound, as a ratio: above zero is inside.
    """
    ratios = [first / second for first, second in pairs]
    inside = [
        pair for ratio in ratios for pair in ((ratio, 1 / factor), (np.full_like(ratio, factor), ratio))
    ]
    return all_greater(id, where, statement, inside, unit)
