"""Lines over time, one for each flow or port: cut to a range of time, or many of them as quantile bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]

__all__ = ["QUANTILES", "Bands", "Line", "bands_of", "cut"]

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Quantiles over flows that stand for many lines."""

_INSTANTS = 300
"""Instants at which quantiles are taken, about one for each pixel."""


@dataclass(frozen=True)
class Line:
    """A quantity of one flow or port over time."""

    name: str
    time: Reals
    """Seconds."""
    value: Reals
    steps: bool = True
    """True for a value that holds until the next one, False for a mean since the last one."""


@dataclass(frozen=True)
class Bands:
    """Quantiles over many lines at instants."""

    count: int
    """Number of lines."""
    time: Reals
    """Seconds."""
    quantiles: Reals
    """A row for each of ``QUANTILES``; NaN where no line has a value."""


def cut(line: Line, start: float, end: float) -> Line:
    """The part of a line between two instants, with the nearest sample on either side."""
    first = max(int(np.searchsorted(line.time, start, "right")) - 1, 0)
    last = int(np.searchsorted(line.time, end, "left")) + 1
    return replace(line, time=line.time[first:last], value=line.value[first:last])


def bands_of(lines: Sequence[Line], start: float, end: float) -> Bands:
    """The quantiles over lines between two instants."""
    grid = np.linspace(start, end, _INSTANTS)
    return Bands(len(lines), grid, _quantiles(np.stack([_at(line, grid) for line in lines])))


def _at(line: Line, grid: Reals) -> Reals:
    """Values of a line at instants; NaN before its first sample, and after the last one of a mean."""
    if line.steps:
        place = np.searchsorted(line.time, grid, "right") - 1
        return np.where(place >= 0, line.value[np.maximum(place, 0)], np.nan)
    place = np.searchsorted(line.time, grid, "left")
    last = len(line.time) - 1
    return np.where(place <= last, line.value[np.minimum(place, last)], np.nan)


def _quantiles(values: Reals) -> Reals:
    """Quantiles of each column over its values that exist. One sort of all is far faster than nanquantile."""
    ordered = np.sort(values, axis=0)  # NaN comes last
    known = np.isfinite(ordered).sum(axis=0)
    columns = np.arange(values.shape[1])
    found = []
    for share in QUANTILES:
        place = share * np.maximum(known - 1, 0)
        low = place.astype(np.int64)
        high = np.minimum(low + 1, np.maximum(known - 1, 0))
        below, above = ordered[low, columns], ordered[high, columns]
        found.append(np.where(known > 0, below + (place - low) * (above - below), np.nan))
    return np.stack(found)
