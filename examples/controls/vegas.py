"""A delay-based control: Vegas's window (Brakmo and Peterson 1995)."""

from __future__ import annotations

import math
from dataclasses import field

import parshall


class Vegas(parshall.Control):
    """Keeps between ``alpha`` and ``beta`` of its own packets in queues."""

    alpha: float = 1.0
    beta: float = 3.0
    gamma: float = 1.0

    base_rtt: float = field(init=False, default=math.inf)
    least_rtt: float = field(init=False, default=math.inf)
    round_end: int = field(init=False, default=0)
    grows: bool = field(init=False, default=True)

    def on_ack(self, ack: parshall.control.Ack) -> None:
        if not ack.may_grow:
            return
        self.base_rtt = min(self.base_rtt, ack.rtt)
        self.least_rtt = min(self.least_rtt, ack.rtt)
        if self.grows and self.cwnd < self.ssthresh:
            self.open(ack.slow_start)
        if ack.high_ack >= self.round_end:
            self.decide(self.least_rtt)
            self.least_rtt = math.inf
            self.round_end = ack.next_seq

    def decide(self, rtt: float) -> None:
        """Once per round trip."""
        queued = self.cwnd * (1.0 - self.base_rtt / rtt)
        if self.cwnd < self.ssthresh:
            self.grows = not self.grows
            if queued > self.gamma:
                self.cwnd = min(self.cwnd * self.base_rtt / rtt + 1.0, self.cwnd)
                self.ssthresh = min(self.cwnd, self.ssthresh)
        elif queued > self.beta:
            self.cwnd = max(self.cwnd - 1.0, 2.0)
            self.ssthresh = min(self.ssthresh, self.cwnd)
        elif queued < self.alpha:
            self.cwnd += 1.0


@parshall.native
class CompiledVegas(Vegas):
    """The same, compiled."""
