"""Additive increase, multiplicative decrease (RFC 5681), with both as parameters."""

from __future__ import annotations

import parshall


class Aimd(parshall.Control):
    """``increase`` packets a round trip up, and what is left after a loss down."""

    increase: float = 1.0
    left: float = 0.5

    def on_ack(self, ack: parshall.control.Ack) -> None:
        if not ack.may_grow:
            return
        if self.cwnd < self.ssthresh:
            self.open(ack.slow_start)
        else:
            self.cwnd += self.increase * ack.growth / self.cwnd

    def on_loss(self, loss: parshall.control.Loss) -> float:
        return self.left * loss.in_use


@parshall.native
class CompiledAimd(Aimd):
    """Aimd, compiled."""
