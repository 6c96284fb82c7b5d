"""Bursts and silences of random length, over TCP or UDP, as a class and compiled; ``on_off.c`` has them in C.

In a scenario: ``app = { kind = "user", source = "on_off:OnOff", values = { rate = 2e6 } }``.
"""

from __future__ import annotations

from dataclasses import field

import parshall
from parshall.control import log


class OnOff(parshall.Source):
    """Exponential bursts at ``rate`` bits of data a second and silences; means are in seconds."""

    rate: float = 1e6
    on: float = 0.5
    off: float = 0.5
    left: float = field(init=False, default=0.0)
    """Packets of this burst that are still to be written; a fraction is one."""

    def on_time(self, now: float) -> None:
        gap = 8.0 * self.payload_bytes / self.rate
        self.wake_in = gap
        if self.left > 0.0:
            self.write(1)
            self.left -= 1.0
        if self.left <= 0.0:
            self.wake_in = gap + self.length(self.off)
            self.left = self.length(self.on) / gap

    def length(self, mean: float) -> float:
        return -mean * log(1.0 - self.random())


@parshall.native
class CompiledOnOff(OnOff):
    """Compiled."""
