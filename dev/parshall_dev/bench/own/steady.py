"""A source with a packet every millisecond, as a class and compiled; ``steady.c`` is the same in C."""

from __future__ import annotations

import parshall

__all__ = ["CompiledSteady", "Steady"]


class Steady(parshall.Source):
    """See above."""

    def on_time(self, now: float) -> None:
        """Writes a packet."""
        self.write(1)
        self.wake_in = 0.001


@parshall.native
class CompiledSteady(Steady):
    """Compiled."""
