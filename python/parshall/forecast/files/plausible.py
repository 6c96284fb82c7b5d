"""Times that are no round trips: one takes longer than nothing, and no longer than the run that it is of."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

__all__ = ["plausible"]

_COARSE = 10
"""Zeros are round trips below the last digit, if the others are not longer than this many steps of it."""


def plausible(
    values: Sequence[float], steps: Sequence[float], times: Sequence[float] | None
) -> tuple[list[float], list[str]]:
    """Seconds without those that are no round trips, which are NaN, and a remark on each kind.

    ``steps`` are the seconds of the last digit of each value, 0 if that is not known.
    """
    kept = list(values)
    remarks = []
    zeros = [place for place, value in enumerate(kept) if value == 0]
    if zeros:
        step = _finest(kept, max(steps[place] for place in zeros))
        coarse = step > 0 and _usual(kept) <= _COARSE * step
        for place in zeros:
            kept[place] = step / 2 if coarse else math.nan
        times_are = "1 time is 0" if len(zeros) == 1 else f"{len(zeros)} times are 0"
        how = (
            f"below the last digit, taken for {step / 2:g} s"
            if coarse
            else "no round trip, left out as a gap"
        )
        remarks.append(f"{times_are}: {how}.")
    limit = _longest_possible(kept, times)
    long = [place for place, value in enumerate(kept) if value > limit]
    if long:
        what = "1 time is" if len(long) == 1 else f"{len(long)} times are"
        remarks.append(
            f"{what} longer than the whole run ({kept[long[0]]:,.6g} s is the first): left out as gaps."
        )
        for place in long:
            kept[place] = math.nan
    return kept, remarks


def _finest(values: Sequence[float], step: float) -> float:
    """The step of values whose last digits are all zeros, as of whole milliseconds printed as 2.000."""
    above = [value for value in values if value > 0]
    while step > 0 and len(above) >= 2 and all(_divides(10 * step, value) for value in above):
        step *= 10
    return step


def _divides(step: float, value: float) -> bool:
    return abs(value / step - round(value / step)) < 1e-6 and round(value / step) > 0


def _longest_possible(values: Sequence[float], times: Sequence[float] | None) -> float:
    """Seconds that no round trip of a run exceeds; infinite if its times are not known.

    Times of receipt begin after the first request was sent: ten usual round trips are let pass.
    """
    if times is None or len(times) < 3:
        return math.inf
    return times[-1] - times[0] + _COARSE * _usual(values)


def _usual(values: Sequence[float]) -> float:
    above = [value for value in values if value > 0]
    return statistics.median(above) if above else 0.0
