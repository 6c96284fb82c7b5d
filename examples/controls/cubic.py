"""CUBIC (RFC 9438). The engine's own cube root makes its windows those of the engine's CUBIC, to the last
bit.
"""

from __future__ import annotations

from dataclasses import field

import parshall
from parshall.control import cbrt

NEW = 0
"""The kind of an ACK of new data."""


class Cubic(parshall.Control):
    """A window that grows with the cube of the time since the last loss in which it was in use."""

    c: float = 0.4
    beta: float = 0.7

    w_max: float = field(init=False, default=0.0)
    w_prior: float = field(init=False, default=0.0)
    in_epoch: bool = field(init=False, default=False)
    lasted_ps: int = field(init=False, default=0)
    counted_ps: int = field(init=False, default=0)
    k: float = field(init=False, default=0.0)
    plateau: float = field(init=False, default=0.0)
    w_est: float = field(init=False, default=0.0)

    def on_ack(self, ack: parshall.control.Ack) -> None:
        if not ack.may_grow:
            if ack.kind == NEW and not ack.window_limited:
                self.counted_ps = ack.now_ps
            return
        if self.cwnd < self.ssthresh:
            self.counted_ps = ack.now_ps
            self.open(ack.slow_start)
            return
        if not self.in_epoch:
            self.start_epoch(ack.now_ps)
        self.lasted_ps += ack.now_ps - self.counted_ps
        self.counted_ps = ack.now_ps
        t = self.lasted_ps / 1e12
        self.w_est += self.reno_gain() * ack.growth / self.cwnd
        if self.curve(t) < self.w_est:
            self.cwnd = max(self.cwnd, self.w_est)
            return
        target = min(max(self.curve(t + ack.rtt), self.cwnd), 1.5 * self.cwnd)
        self.cwnd += (target - self.cwnd) / self.cwnd * ack.growth

    def start_epoch(self, now_ps: int) -> None:
        """The curve starts at the reduced window and has its plateau where the loss was (section 4.2)."""
        self.in_epoch = True
        self.lasted_ps = 0
        self.counted_ps = now_ps
        self.plateau = max(self.w_max, self.cwnd)
        self.k = cbrt((self.plateau - self.cwnd) / self.c)
        self.w_est = self.cwnd

    def curve(self, t: float) -> float:
        """W_cubic(t), equation 1."""
        x = t - self.k
        return self.c * x * x * x + self.plateau

    def reno_gain(self) -> float:
        """As fast as Reno on average, until W_est is back at the window before the loss (section 4.3)."""
        return 1.0 if self.w_est >= self.w_prior else 3.0 * (1.0 - self.beta) / (1.0 + self.beta)

    def on_loss(self, loss: parshall.control.Loss) -> float:
        window = min(self.cwnd, loss.in_use)
        self.in_epoch = False
        self.w_prior = window
        self.w_max = window * (1.0 + self.beta) / 2.0 if window < self.w_max else window
        return window * self.beta

    def on_timeout(self, loss: parshall.control.Loss) -> float:
        """The next curve has its plateau where congestion avoidance begins (section 4.8)."""
        window = self.on_loss(loss)
        self.w_max = 0.0
        return window

    def on_restart(self, moment: parshall.control.Moment) -> None:
        """The silence does not count (section 4.2)."""
        self.counted_ps = moment.now_ps


@parshall.native
class CompiledCubic(Cubic):
    """Cubic, compiled."""
