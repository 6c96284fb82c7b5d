"""A rate-based control: it paces at the highest delivery rate of the last round trips, and probes for more.

It hears of a round trip at a time, through a report, and not of each ACK.
"""

from __future__ import annotations

from dataclasses import field

import parshall
from parshall.control import Report


class Probe(parshall.Control):
    """Seven round trips in eight at the rate that was measured, one a quarter above it."""

    report = Report(every="rtt", rate="max delivery_rate", rtt="min min_rtt")

    memory: float = 10.0
    """Round trips that a measured rate counts for."""

    rate: float = field(init=False, default=0.0)
    age: float = field(init=False, default=0.0)
    trips: int = field(init=False, default=0)

    def on_report(self, report: parshall.control.Told) -> None:
        self.trips += 1
        self.age += 1.0
        if report.rate >= self.rate or self.age > self.memory:
            self.rate = report.rate
            self.age = 0.0
        if not self.rate > 0.0:
            return
        starts = self.trips < 8
        probes = starts or self.trips % 8 == 0
        self.pacing_rate = (2.0 if starts else 1.25 if probes else 0.95) * self.rate
        self.cwnd = max(4.0, 2.0 * self.rate * report.rtt)

    def on_loss(self, loss: parshall.control.Loss) -> float:
        return self.cwnd  # the window follows the rate, and the rate follows what is delivered


@parshall.native
class CompiledProbe(Probe):
    """Probe, compiled."""
