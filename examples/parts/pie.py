"""PIE: drops by a probability that follows the queueing delay (RFC 8033, the basic scheme)."""

from __future__ import annotations

from dataclasses import field

import parshall
from parshall.own import DROP, MARK, PASS


class Pie(parshall.Queue):
    """Times are seconds, but for those in picoseconds that end in ``_ps``: 15 ms and 150 ms."""

    target: float = 0.015
    update_ps: int = 15_000_000_000
    alpha: float = 0.125
    beta: float = 1.25
    max_burst_ps: int = 150_000_000_000
    limit: int = 1000
    mean_packet_bytes: int = 1000
    ecn: bool = False
    mark_below: float = 0.1
    probability: float = field(init=False, default=0.0)
    delay: float = field(init=False, default=0.0)
    delay_before: float = field(init=False, default=0.0)
    burst_ps: int = field(init=False, default=0)
    next_update: int = field(init=False, default=0)

    def on_start(self) -> None:
        self.next_update = self.update_ps
        self.burst_ps = self.max_burst_ps

    def on_arrival(self, packet: parshall.own.QueuedPacket) -> int:
        self.catch_up(packet.now_ps + 1)
        if packet.packets >= self.limit:
            return DROP
        strikes = self.strikes(packet.bytes)
        half = self.target / 2.0
        if self.probability == 0.0 and self.delay < half and self.delay_before < half:
            self.burst_ps = self.max_burst_ps
        if not strikes:
            return PASS
        if self.ecn and packet.ecn_capable and self.probability < self.mark_below:
            return MARK
        return DROP

    def on_departure(self, packet: parshall.own.QueuedPacket) -> int:
        self.catch_up(packet.now_ps)
        self.delay = packet.waited if packet.bytes > 0 else 0.0
        return PASS

    def strikes(self, waiting_bytes: int) -> bool:
        """True for a packet that finds room and is dropped or marked."""
        is_short = self.delay_before < self.target / 2.0 and self.probability < 0.2
        if self.burst_ps > 0 or is_short or waiting_bytes <= 2 * self.mean_packet_bytes:
            return False
        return self.random() < self.probability

    def catch_up(self, until: int) -> None:
        """Makes up for the updates before a time in picoseconds."""
        while self.next_update < until:
            self.next_update += self.update_ps
            self.update()

    def update(self) -> None:
        """Sets the probability anew."""
        error = self.delay - self.target
        step = self.alpha * error + self.beta * (self.delay - self.delay_before)
        self.probability += step / self.divisor()
        if self.delay == 0.0 and self.delay_before == 0.0:
            self.probability *= 0.98
        self.probability = min(max(self.probability, 0.0), 1.0)
        self.burst_ps = max(self.burst_ps - self.update_ps, 0)
        self.delay_before = self.delay

    def divisor(self) -> float:
        """Steps are small while the probability is."""
        p = self.probability
        if p < 1e-6:
            return 2048.0
        if p < 1e-5:
            return 512.0
        if p < 1e-4:
            return 128.0
        if p < 1e-3:
            return 32.0
        if p < 1e-2:
            return 8.0
        return 2.0 if p < 1e-1 else 1.0


@parshall.native
class CompiledPie(Pie):
    """Compiled."""
