"""Long memory: the Hurst parameter of a series with its standard error, level shifts that look like it, and
exact paths of processes that have it.

>>> noise = fgn(h=0.8, n=4096, seed=1)
>>> found = hurst(noise)
>>> low, high = found.interval(0.95)
>>> low < 0.8 < high
True
>>> found.flags
frozenset()

A level shift, a trend and a unit root raise estimates of H as long memory does: :func:`level_shifts` tells
the first two apart from it, and every estimate has a flag. :func:`hurst_all` holds all methods side by side.

Everything here is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parshall.long_memory.estimates import METHODS, HurstEstimate, hurst, hurst_all
    from parshall.long_memory.plots import plot_all
    from parshall.long_memory.processes import aggregate, farima, fgn, theoretical_autocovariance
    from parshall.long_memory.shifts import LevelShifts, level_shifts

__all__ = [
    "METHODS",
    "HurstEstimate",
    "LevelShifts",
    "aggregate",
    "farima",
    "fgn",
    "hurst",
    "hurst_all",
    "level_shifts",
    "plot_all",
    "theoretical_autocovariance",
]

_HOMES = (
    "parshall.long_memory.processes",
    "parshall.long_memory.shifts",
    "parshall.long_memory.estimates",
    "parshall.long_memory.plots",
)
"""Modules that offer the names above, those that import little first."""


def __getattr__(name: str) -> Any:
    """Imports the module that a name lives in."""
    if name in __all__:
        for home in _HOMES:
            module = import_module(home)
            if name in module.__all__:
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
