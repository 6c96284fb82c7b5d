"""Forecast of a run's time and memory, before it begins."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Expected"]

_LONG_S = 60.0
_MUCH = 0.5
"""Share of the available memory above which a run is warned about."""


@dataclass(frozen=True)
class Expected:
    """Time and memory that a run takes if its links are busy, within a factor of a few.

    A sender that losses hold back sends less.
    """

    packets: float
    """Packets of data that are sent."""
    events: float
    """Events that are executed."""
    seconds: float
    """On one core of today."""
    memory_bytes: float
    """At most at one time, what is recorded included."""

    def __str__(self) -> str:
        return f"about {_count(self.events)} events, {_time(self.seconds)}, {_size(self.memory_bytes)}"

    def warning(self) -> str | None:
        """Warning before a run that takes more than a minute or half of the memory that is available."""
        from parshall import _core

        memory = _core.memory()
        available = float("inf") if memory is None else float(memory[1])
        if self.seconds <= _LONG_S and self.memory_bytes <= _MUCH * available:
            return None
        left = "" if memory is None else f" of {_size(available)} that are available"
        return f"the run will take {self}{left}"


def _count(number: float) -> str:
    for name, size in (("billion", 1e9), ("million", 1e6)):
        if number >= size:
            return f"{_short(number / size)} {name}"
    return f"{float(f'{number:.2g}'):.0f}"


def _short(number: float) -> str:
    """Two digits that mean something."""
    return f"{number:.2g}" if number < 100 else f"{float(f'{number:.2g}'):.0f}"


def _time(seconds: float) -> str:
    if seconds < 1:
        return "less than a second"
    for unit, length in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"{_short(seconds / length)} {unit}"
    return f"{_short(seconds)} s"


def _size(size: float) -> str:
    for unit, length in (("GB", 1e9), ("MB", 1e6)):
        if size >= length:
            return f"{_short(size / length)} {unit}"
    return "less than 1 MB"
