"""The time sliding window marker of two colours: what exceeds the committed rate is red, at random.

Clark and Fang 1998.
"""

from __future__ import annotations

from dataclasses import field

import parshall
from parshall.own import GREEN, RED


class SlidingWindow(parshall.Marker):
    """Averages the rate over ``window`` seconds; ``cir`` is in bit/s."""

    cir: float = 500_000.0
    window: float = 1.0
    rate: float = field(init=False, default=-1.0)
    """Bytes a second; below 0 before the first packet."""
    last: float = field(init=False, default=0.0)

    def colour(self, packet: parshall.own.MeteredPacket) -> int:
        committed = self.cir / 8.0
        before = committed if self.rate < 0.0 else self.rate
        self.rate = (before * self.window + packet.metered) / (packet.now - self.last + self.window)
        self.last = packet.now
        if self.rate > committed and self.random() < (self.rate - committed) / self.rate:
            return RED
        return GREEN


@parshall.native
class CompiledSlidingWindow(SlidingWindow):
    """Compiled form of it."""
