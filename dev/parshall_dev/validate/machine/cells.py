"""Cells of the comparison: queue disciplines, rates, round trips, congestion controls and numbers of flows.

A place is a queue at a rate and a round trip; a machine runs all cells of a place one after the other. The
parameters of the queues are here, once for both sides.
"""

from __future__ import annotations

import fnmatch
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from parshall.errors import InputError

__all__ = [
    "CONTROLS",
    "FLOWS",
    "PACKET",
    "QUEUES",
    "Cell",
    "Place",
    "RedShape",
    "cells",
    "chosen",
    "starts_ms",
]

QUEUES = ("droptail", "red", "codel", "pie", "fq-codel")
RATES = (1, 3, 10)
"""Mbit/s."""
RTTS = (10, 50, 200)
"""Milliseconds."""
CONTROLS = ("reno", "cubic", "bbr")
FLOWS = (1, 4, 16)

PACKET = 1514
"""Bytes of a full packet as a queue discipline of Linux counts it: 1448 of data, 52 of headers, 14 of
Ethernet."""
_SECONDS = {1: (20, 5), 3: (15, 4), 10: (12, 3)}
"""Duration of a run at a rate, and the time from which it counts."""
_LEAST_LIMIT = 50
_START_STEP_MS, _START_SPREAD_MS = 5, 1000


@dataclass(frozen=True)
class RedShape:
    """RED's parameters, in packets and in tc's words."""

    low: int
    high: int
    burst: int
    """Burst from which tc makes the weight."""

    @property
    def weight_log(self) -> int:
        """The weight of the queue in its average is two to the power of minus this; tc's rule (tc_red.c)."""
        most = self.burst + 1 - self.low
        for log in range(1, 32):
            weight = 0.5**log
            if most <= (1 - (1 - weight) ** self.burst) / weight:
                return log
        raise AssertionError("a burst that no weight lets through")


@dataclass(frozen=True)
class Place:
    """A queue at a rate and a round trip."""

    queue: str
    rate_mbit: int
    rtt_ms: int

    @property
    def name(self) -> str:
        return f"{self.queue}-{self.rate_mbit}M-{self.rtt_ms}ms"

    @property
    def seconds(self) -> int:
        """Duration of a run."""
        return _SECONDS[self.rate_mbit][0]

    @property
    def counted_from(self) -> int:
        """The second from which on goodput, delay and shares count."""
        return _SECONDS[self.rate_mbit][1]

    @property
    def packet_s(self) -> float:
        """Seconds that a full packet takes."""
        return 8 * PACKET / (self.rate_mbit * 1e6)

    @property
    def limit(self) -> int:
        """Packets that may wait: two bandwidth-delay products."""
        return max(_LEAST_LIMIT, math.ceil(2e-3 * self.rtt_ms / self.packet_s))

    @property
    def red(self) -> RedShape:
        low, high = self.limit // 6, self.limit // 2
        # What tc's manual recommends.
        return RedShape(low, high, math.ceil((2 * low + high) / 3))

    def cells(self) -> list[Cell]:
        return [Cell(self, control, flows) for control, flows in product(CONTROLS, FLOWS)]


@dataclass(frozen=True)
class Cell:
    """So many flows of a congestion control at a place."""

    place: Place
    control: str
    flows: int

    @property
    def name(self) -> str:
        return f"{self.place.name}-{self.control}-{self.flows}"


def cells() -> list[Cell]:
    """All of them, place by place."""
    places = [Place(queue, rate, rtt) for rate, rtt, queue in product(RATES, RTTS, QUEUES)]
    return [cell for place in places for cell in place.cells()]


def chosen(patterns: Sequence[str]) -> list[Cell]:
    """Cells whose names match one of the patterns; all without any. ``InputError`` for one without match."""
    found: dict[Cell, None] = {} if patterns else dict.fromkeys(cells())
    for pattern in patterns:
        matching = [cell for cell in cells() if fnmatch.fnmatchcase(cell.name, pattern)]
        if not matching:
            example = Cell(Place("red", 1, 50), "bbr", 4).name
            raise InputError(
                "--only", pattern, f"the name of a cell such as {example}, or a pattern like red-1M-*"
            )
        found |= dict.fromkeys(matching)
    return [cell for cell in cells() if cell in found]


def starts_ms(flows: int, draw: int) -> list[int]:
    """When the flows of a run start, within a second: another draw is another repeat of the run."""
    steps = range(0, _START_SPREAD_MS, _START_STEP_MS)
    drawn = random.Random(f"{flows} flows, draw {draw}").sample(steps, flows)
    return sorted(drawn)
