"""An exponentially weighted mean as a forecaster: its level is what it forecasts."""

from __future__ import annotations

from dataclasses import field

import parshall


class Ewma(parshall.Forecaster):
    """The mean, of which the newest sample has the weight ``gain``."""

    gain: float = 1 / 8
    level: float = field(init=False, default=0.0)
    seen: bool = field(init=False, default=False)

    def update(self, x: float) -> None:
        self.level = self.level + self.gain * (x - self.level) if self.seen else x
        self.seen = True

    def forecast(self) -> float | None:
        if not self.seen:
            return None
        return self.level


@parshall.native
class CompiledEwma(Ewma):
    """Ewma, compiled."""
