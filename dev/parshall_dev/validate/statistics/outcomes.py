"""Outcomes: the measured values of a study, with the names that they have in ns-2's tables."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Outcome"]


@dataclass(frozen=True)
class Outcome:
    """A measured value."""

    key: str
    """Its column in ns-2's table, without ``out_``."""
    title: str
    unit: str = ""
    scale: float = 1.0
    """From the column to the unit."""
    digits: int = 2
    """Decimals shown."""
    group: str = ""
    """Which part of the network it concerns, where there are several."""
