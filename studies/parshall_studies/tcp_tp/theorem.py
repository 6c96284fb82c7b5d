"""Theorem 1 in each reading of equation (10), and Figure 8 for other links: what no run is needed for.

With equal round trips and exact forecasts a step of TCP-TP is a map of shares: a connection that is forecast
the share f of the link is given 1 / N of it, N being 1 / f made whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from parshall.theory.wrong_predictions import SharedLink, law
from parshall_studies import study as st
from parshall_studies.tcp_tp.printed_figure import PACKET_BYTES, shortfall_fairness

_WHOLE: Mapping[str, Callable[[float], int]] = {
    "up": math.ceil,
    "nearest": lambda n: max(math.floor(n + 0.5), 1),
    "down": lambda n: max(math.floor(n), 1),
}
WAYS: Mapping[str, str] = {
    "up": "N rounded up, as printed",
    "nearest": "N to the nearest",
    "down": "N rounded down",
    "spare": "N rounded up, f = C - r(t)",
}
"""Readings of (10): in the last one f has what the link has left, which no sender can know."""
COUNTS = (2, 3, 5, 10, 20)
LOADS = (0.3, 0.6, 0.9)
"""Parts of the link that are used before a step: all below the capacity line."""
SHAPES: Mapping[str, str] = {"equal": "equal shares", "unequal": "the first has three times another's share"}
CAPACITIES, CONNECTIONS, BUFFERS = (10e6, 100e6), (5, 20, 100), (20, 40, 100)
"""Other C in bit/s, N, and L in packets."""
_NUDGE = 1e-9
"""So that a share of exactly one part of a whole number is that."""


def tables() -> st.Measures:
    """Both."""
    return {"theorem": _theorem(), "figure_8_others": _others()}


def step(shares: list[float], way: str) -> list[float]:
    """Shares after a step from these, with exact forecasts."""
    spare = 1 - sum(shares) if way == "spare" else 0.0
    whole = _WHOLE.get(way, math.ceil)
    nudge = _NUDGE if whole is math.ceil else -_NUDGE
    return [1 / whole(1 / (share + spare) - nudge) for share in shares]


def _theorem() -> Any:
    """Sum of the shares after a step, and the largest relative distance of one from the fair share."""
    columns: dict[str, list[Any]] = {
        name: [] for name in ("way", "count", "load", "shape", "total", "distance")
    }
    for way, count, load, shape in product(WAYS, COUNTS, LOADS, SHAPES):
        first = 3 if shape == "unequal" else 1
        unit = load / (first + count - 1)
        found = step([first * unit] + [unit] * (count - 1), way)
        row = (way, count, load, shape, sum(found), max(abs(share * count - 1) for share in found))
        for column, value in zip(columns.values(), row, strict=True):
            column.append(value)
    return st.tidy(columns, ("way", "count", "load", "shape"))


def _others() -> Any:
    """Figure 8's right end with L not divided by the round trip, which gives the printed figure."""
    columns: dict[str, list[Any]] = {
        name: [] for name in ("capacity", "connections", "buffer", "shortfall_fairness", "fairness")
    }
    for capacity, connections, buffer in product(CAPACITIES, CONNECTIONS, BUFFERS):
        link = SharedLink(1.0, connections, capacity, buffer * PACKET_BYTES, 1.0)
        found = law(link)
        shortfall = shortfall_fairness(found.throughput, link.share)
        row = (capacity, connections, buffer, shortfall, found.fairness)
        for column, value in zip(columns.values(), row, strict=True):
            column.append(value)
    return st.tidy(columns, ("capacity", "connections", "buffer"))
