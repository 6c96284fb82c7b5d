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
    round_ps: int = field(init=False, default=0)
    grows: bool = field(init=False, default=True)

    def on_ack(self, ack: parshall.control.Ack) -> None:
        if not ack.may_grow:
            return
        self.base_rtt = min(self.base_rtt, ack.rtt)
        self.least_rtt = min(self.least_rtt, ack.rtt)
        if self.grows and self.cwnd < self.ssthresh:
            self.open(ack.slow_start)
        if ack.now_ps - round(1e12 * ack.rtt) >= self.round_ps:
            self.decide(self.least_rtt)
            self.start_round(ack.now_ps)

    def start_round(self, now_ps: int) -> None:
        """It ends when a packet is acknowledged that was sent from now on."""
        self.least_rtt = math.inf
        self.round_ps = now_ps

    def decide(self, rtt: float) -> None:
        """Once per round trip."""
        queued = self.cwnd * (1.0 - self.base_rtt / rtt)
        if self.cwnd < self.ssthresh:
            self.grows = not self.grows
            if queued > self.gamma:
                self.cwnd = max(min(self.cwnd * self.base_rtt / rtt + 1.0, self.cwnd), 2.0)
                self.ssthresh = min(self.cwnd, self.ssthresh)
        elif queued > self.beta:
            self.cwnd = max(self.cwnd - 1.0, 2.0)
            self.ssthresh = min(self.ssthresh, self.cwnd)
        elif queued < self.alpha:
            self.cwnd += 1.0

    def on_timeout(self, loss: parshall.control.Loss) -> float:
        """Rounds begin anew, and the window grows in the next."""
        self.start_round(0)
        self.grows = True
        return loss.in_use / 2.0

    def on_restart(self, moment: parshall.control.Moment) -> None:
        self.start_round(0)


@parshall.native
class CompiledVegas(Vegas):
    """Vegas, compiled."""
