"""Measures of the comparison: throughput, queueing delay, loss, shares, and how soon a run is steady."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parshall.stats import jain
from parshall_dev.validate.machine.reading import LINE_S, Run

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall_dev.validate.machine.cells import Cell

__all__ = ["MEASURES", "Measure", "measures_of"]

_WINDOW = 10
"""Steps that a look at shares takes together: 2 s."""
_NEARLY = 0.9


@dataclass(frozen=True)
class Measure:
    """A number of a run."""

    key: str
    label: str
    digits: int
    relative: float
    absolute: float
    """Two means agree if they differ by less than one of these: a share of Linux's, or so much."""


MEASURES = (
    Measure("throughput", "throughput, Mbit/s", 2, 0.02, 0.0),
    Measure("delay", "queueing delay, ms", 1, 0.10, 1.0),
    Measure("loss", "loss, %", 2, 0.15, 0.2),
    Measure("jain", "Jain's index", 2, 0.0, 0.05),
    Measure("steady", "steady after, s", 1, 0.15, 0.5),
)


def measures_of(cell: Cell, run: Run) -> dict[str, float]:
    """The numbers of a run by the keys of ``MEASURES``.

    Throughput is what receivers got, delay the mean backlog over the rate at which bytes left, both from the
    second on from which the place counts, as is Jain's index of the flows' bytes. Loss is of the whole run.
    Steady is the end of the first 2 s in which receivers got nine tenths of what they get in the second half
    of the run, and in which Jain's index is nine tenths of its mean over the spans of 2 s there.
    """
    counted = slice(round(cell.place.counted_from / LINE_S), None)
    seconds = cell.place.seconds - cell.place.counted_from
    sent = run.sent_bytes[counted].sum() / seconds
    arrived = run.sent.sum() + run.dropped.sum()
    return {
        "throughput": 8e-6 * run.taken[counted].sum() / seconds,
        "delay": 1e3 * run.backlog[counted].mean() / sent if sent else 0.0,
        "loss": 100 * run.dropped.sum() / arrived if arrived else 0.0,
        "jain": float(np.nan_to_num(jain(run.taken[counted].sum(axis=0)))),  # 0 where nothing was got
        "steady": _steady(run.taken),
    }


def _steady(taken: NDArray[np.float64]) -> float:
    sums = np.cumsum(np.vstack([np.zeros(taken.shape[1]), taken]), axis=0)
    spans = sums[_WINDOW:] - sums[:-_WINDOW]
    total, shares = spans.sum(axis=1), np.nan_to_num([jain(span) for span in spans])
    later = slice(len(taken) // 2, None)
    steady = (total >= _NEARLY * total[later].mean()) & (shares >= _NEARLY * shares[later].mean())
    return float(LINE_S * (_WINDOW + np.argmax(steady)))
