"""Runs of both sides over the same packets, and how far apart they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from parshall import Pie
from parshall.stats import Interval, difference_interval
from parshall_dev.bench.queues.approximate import approximate
from parshall_dev.bench.queues.loads import DISCIPLINES, LOADS
from parshall_dev.bench.queues.sides import Fates, Ns3Queues, ours

__all__ = ["OUTCOMES", "Row", "compare"]

OUTCOMES = {
    "wait": "mean wait, ms",
    "wait95": "95th percentile, ms",
    "dropped": "dropped, %",
    "throughput": "throughput, Mbit/s",
    "sparse": "wait of sparse flows, ms",
}


@dataclass(frozen=True)
class Row:
    """A load and a discipline: an outcome a seed of either side."""

    load: str
    discipline: str
    seeds: Sequence[int]
    ours: dict[str, list[float]]
    theirs: dict[str, list[float]]
    same_fate: float
    """Share of the packets that both sides sent at the same time, within a microsecond, or both dropped."""
    same_fate_as_approximate: float | None
    """Share with ns-3's arithmetic in the place of ours; None where draws decide."""

    def mean(self, side: str, outcome: str) -> float:
        """Mean of ``ours`` or ``theirs``."""
        return float(np.mean(getattr(self, side)[outcome]))

    def difference(self, outcome: str) -> Interval:
        """Ours less ns-3's, seed by seed: the packets are the same."""
        return difference_interval(self.ours[outcome], self.theirs[outcome])


def compare(
    load: str,
    discipline: str,
    seconds: float,
    seeds: Sequence[int],
    peer: Ns3Queues,
    say: Callable[[str], None],
) -> Row:
    """Raises ProcessError."""
    mine: dict[str, list[float]] = {key: [] for key in OUTCOMES}
    theirs: dict[str, list[float]] = {key: [] for key in OUTCOMES}
    same, approximately = [], []
    for seed in seeds:
        say(f"{load}, {discipline}, seed {seed}")
        arrivals, fates = ours(LOADS[load], DISCIPLINES[discipline], seconds, seed)
        others = peer.fates(arrivals, DISCIPLINES[discipline], seconds, seed)
        for outcomes, side in ((mine, fates), (theirs, others)):
            for key, value in side.outcomes(arrivals, seconds).items():
                outcomes[key].append(value)
        same.append(_same_fate(fates, others))
        queue = DISCIPLINES[discipline].ours
        if not isinstance(queue, Pie):
            approximately.append(_same_fate(approximate(arrivals, seconds, queue), others))
    agreement = float(np.mean(approximately)) if approximately else None
    return Row(load, discipline, seeds, mine, theirs, float(np.mean(same)), agreement)


def _same_fate(one: Fates, other: Fates) -> float:
    apart = np.abs(one.start - other.start)
    neither = np.isnan(one.start) & np.isnan(other.start)
    return float(np.mean(neither | (apart < 1e-6)))
