"""The grid: control, queue, rate, round trip and number of flows, and the settings that both sides share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

CONTROLS = {"reno": "Reno", "cubic": "CUBIC", "bbr": "BBR"}
QUEUES = {"pfifo": "DropTail", "red": "RED", "codel": "CoDel", "pie": "PIE", "fq_codel": "FQ-CoDel"}
RATES = (1e6, 3e6, 6e6)
"""Bit/s of the bottleneck, Ethernet's headers included."""
ROUND_TRIPS = (0.010, 0.050, 0.200)
"""Seconds, without queueing."""
FLOWS = (1, 4, 16)

DURATION, WARM_UP = 10.0, 3.0
"""Seconds of a run, and of its beginning that throughput, delay and loss leave out."""
PAYLOAD, HEADERS = 1448, 66
"""TCP with time stamps, IP, Ethernet."""
PACKET = PAYLOAD + HEADERS
EVERY = 0.050
"""Seconds between looks at the backlog."""

RED_MOST = 0.1
CODEL_TARGET, CODEL_INTERVAL = 0.005, 0.100
PIE_TARGET = 0.015


@dataclass(frozen=True)
class Cell:
    """One comparison."""

    control: str
    queue: str
    rate: float
    round_trip: float
    flows: int

    @property
    def name(self) -> str:
        """Such as ``cubic/red/4M/50ms/16``."""
        rate, trip = f"{self.rate / 1e6:g}M", f"{1e3 * self.round_trip:g}ms"
        return f"{self.control}/{self.queue}/{rate}/{trip}/{self.flows}"

    @property
    def limit(self) -> int:
        """Packets that the queue holds: two bandwidth-delay products, 50 at least."""
        return max(50, round(2 * self.rate * self.round_trip / (8 * PACKET)))

    @property
    def thresholds(self) -> tuple[int, int]:
        """RED's, in packets."""
        return self.limit // 6, self.limit // 2


def cells() -> Iterator[Cell]:
    """All of them; those that a machine runs one after the other lie together."""
    for rate, trip, queue, control, flows in product(RATES, ROUND_TRIPS, QUEUES, CONTROLS, FLOWS):
        yield Cell(control, queue, rate, trip, flows)


def machines(chosen: list[Cell]) -> list[list[Cell]]:
    """Cells by the machine that runs them: those with one link and one queue."""
    found: dict[tuple[float, float, str], list[Cell]] = {}
    for cell in chosen:
        found.setdefault((cell.rate, cell.round_trip, cell.queue), []).append(cell)
    return list(found.values())
