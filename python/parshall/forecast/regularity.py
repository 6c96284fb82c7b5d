"""Regularity of a series' sampling times. Forecasters count samples, not seconds: where
samples come irregularly, one step is now a short time and now a long one, and a user of the forecast
should know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parshall.errors import InputError, counted
from parshall.estimators import arguments

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["MOST_UNUSUAL", "irregular", "sample_times"]

MOST_UNUSUAL = 0.05
"""Share of unusual gaps up to which a series counts as regular."""


def irregular(times: ArrayLike) -> bool:
    """True for irregular samples: more than 5 % of the gaps differ from their median by more than half
    of it.

    ``times`` never decrease. Fewer than three tell nothing, and count as regular.
    """
    stamps = sample_times(times)
    if len(stamps) < 3:
        return False
    gaps = np.diff(stamps)
    usual = float(np.median(gaps))
    return bool(np.mean(np.abs(gaps - usual) > usual / 2) > MOST_UNUSUAL)


def sample_times(times: ArrayLike, count: int | None = None) -> NDArray[np.float64]:
    """Times as an array; finite, never decreasing, and as many as there are samples. Raises InputError."""
    stamps = arguments.samples("times", times)
    if count is not None and len(stamps) != count:
        raise InputError("times", counted(len(stamps), "time"), f"{count}, one for each sample")
    for fault, expected in (
        (~np.isfinite(stamps), "a finite time"),
        (np.diff(stamps, prepend=stamps[:1]) < 0, "a time that is not before the one ahead of it"),
    ):
        if fault.any():
            place = int(np.argmax(fault))
            raise InputError(f"times[{place}]", f"{stamps[place]:g}", expected)
    return stamps
