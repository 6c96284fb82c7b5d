"""Units of axes: the largest that leaves numbers that can be read, such as Mbit/s for 2000000 bit/s."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from parshall.stats import Interval

__all__ = ["arms", "quantity_label", "scale_of", "with_interval"]

_SCALES = {
    "bit/s": ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")),
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")),
    "bytes": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "bytes")),
    "share": ((1e-2, "%"),),
}


def scale_of(values: Iterable[float], unit: str) -> tuple[float, str]:
    """The number that values are divided by, and the name of what they are then in."""
    scales = _SCALES.get(unit)
    if scales is None:
        return 1.0, unit
    known = np.abs(np.array([value for value in values if np.isfinite(value)] or [0.0]))
    most = float(known.max())
    # A second is not 1000 ms, but a quantity that stays below one is read in the smaller unit.
    return next(((scale, name) for scale, name in scales if most >= scale), scales[-1])


def quantity_label(name: str, unit: str) -> str:
    """The name of a quantity with its unit, as axes have it."""
    return f"{name}, {unit}" if unit else name


def arms(interval: Interval) -> tuple[float, float]:
    """Reach of an interval below and above its mean, for error bars; none where it is unbounded."""
    if not interval.bounded:
        return 0.0, 0.0
    return max(interval.mean - interval.low, 0.0), max(interval.high - interval.mean, 0.0)


def with_interval(interval: Interval, mean: Callable[[float], str], half: Callable[[float], str]) -> str:
    """A mean with half of its interval, or with its ends where the range of the quantity cuts it."""
    if not interval.bounded:
        return mean(interval.mean)
    if interval.symmetric:
        return f"{mean(interval.mean)} ± {half(interval.half_width)}"
    return f"{mean(interval.mean)} ({mean(interval.low)} to {mean(interval.high)})"
