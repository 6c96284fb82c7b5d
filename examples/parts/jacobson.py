"""The timeout of RFC 6298: smoothed round trip and deviation (Jacobson and Karels 1988)."""

from __future__ import annotations

import sys
from dataclasses import field

import parshall

LEAST = sys.float_info.min


class Jacobson(parshall.RtoFilter):
    """Mean and deviation with these gains, and so many deviations on top."""

    gain: float = 1 / 8
    deviation_gain: float = 1 / 4
    multiplier: float = 4.0
    seen: bool = field(init=False, default=False)

    def on_sample(self, rtt: float) -> None:
        if not self.seen:
            self.seen = True
            self.srtt = rtt
            self.rttvar = rtt / 2.0
            return
        deviation = abs(rtt - self.srtt)
        self.rttvar += self.deviation_gain * (deviation - self.rttvar)
        if self.rttvar < LEAST:  # below which processors are slow
            self.rttvar = 0.0
        self.srtt += self.gain * (rtt - self.srtt)

    def rto(self) -> float:
        return self.srtt + self.multiplier * self.rttvar


@parshall.native
class CompiledJacobson(Jacobson):
    """Jacobson, compiled."""
