"""Kernel and simulator beside each other, cell by cell: how far they part, and whether seeds explain it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from parshall.stats import Interval, prediction_interval
from parshall.validate.kernel.cells import Cell
from parshall.validate.kernel.reading import Measured

MEASURES = {
    "throughput": ("throughput, % of the link", 2.0, 0.0),
    "delay": ("queueing delay, ms", 1.0, 0.15),
    "loss": ("loss, %", 0.1, 0.15),
    "fairness": ("Jain's index", 0.05, 0.0),
    "share_early": ("throughput before that, %", 5.0, 0.0),
}
"""For a reader, and what is alike whatever seeds do: so much, or this part of the kernel's value."""


@dataclass(frozen=True)
class Compared:
    """A cell on both sides."""

    cell: Cell
    kernel: Measured
    ours: Sequence[Measured]
    """A run a seed."""

    def values(self, measure: str) -> tuple[float, list[float]]:
        """The kernel's, and ours."""
        return getattr(self.kernel, measure), [getattr(each, measure) for each in self.ours]

    def mean(self, measure: str) -> float:
        """Ours, over seeds."""
        _, ours = self.values(measure)
        return sum(ours) / len(ours)

    def difference(self, measure: str) -> float:
        """Ours less the kernel's."""
        return self.mean(measure) - self.values(measure)[0]

    def run(self, measure: str) -> Interval:
        """Where one further run of ours would fall."""
        return prediction_interval(self.values(measure)[1])

    def alike(self, measure: str) -> bool:
        """Whether the kernel's value might be a run of ours, or is near to the mean of them."""
        kernel, _ = self.values(measure)
        _, least, part = MEASURES[measure]
        near = max(least, part * abs(kernel))
        return self.run(measure).contains(kernel) or abs(self.difference(measure)) <= near


@dataclass(frozen=True)
class Row:
    """Cells of one queue and control."""

    queue: str
    control: str
    cells: int
    alike: Mapping[str, int]
    """Of each measure, in how many cells it is alike."""
    typical: Mapping[str, float]
    """Of each measure, the median size of the difference."""


def rows(found: Iterable[Compared]) -> list[Row]:
    """By queue and control, in the order of the grid."""
    groups: dict[tuple[str, str], list[Compared]] = {}
    for each in found:
        groups.setdefault((each.cell.queue, each.cell.control), []).append(each)
    return [
        Row(
            *key,
            len(group),
            {measure: sum(each.alike(measure) for each in group) for measure in MEASURES},
            {measure: median(abs(each.difference(measure)) for each in group) for measure in MEASURES},
        )
        for key, group in groups.items()
    ]
