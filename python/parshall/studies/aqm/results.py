"""The table of runs, asked for one metric of one cell at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parshall import stats
from parshall.columns import values
from parshall.studies.aqm.grid import Cell
from parshall.studies.aqm.measures import METRICS

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]

__all__ = ["Results"]


@dataclass(frozen=True)
class Results:
    """One metric of one cell: one value a seed, so that cells can be compared in pairs."""

    table: pa.Table
    """Of :func:`parshall.studies.aqm.measures.measure_runs`."""

    @cached_property
    def _rows(self) -> Mapping[Cell, NDArray[np.int64]]:
        """The rows of each cell, in the order of its seeds."""
        keys = ("part", "queue", "capacity", "buffer", "load", "senders")
        columns = [self.table[key].to_pylist() for key in keys]
        seeds = values(self.table["seed"])
        found: dict[Cell, list[int]] = {}
        for index, key in enumerate(zip(*columns, strict=True)):
            found.setdefault(Cell(*key), []).append(index)
        return {cell: np.array(sorted(rows, key=lambda row: seeds[row])) for cell, rows in found.items()}

    @cached_property
    def _columns(self) -> Mapping[str, Reals]:
        return {name: values(self.table[name]) for name in METRICS}

    @property
    def cells(self) -> list[Cell]:
        """Every cell that was run."""
        return list(self._rows)

    @cached_property
    def seeds(self) -> int:
        """How many seeds each cell was run with."""
        return len(next(iter(self._rows.values())))

    def of(self, metric: str, cell: Cell) -> Reals:
        """One value a seed."""
        found: Reals = self._columns[metric][self._rows[cell]]
        return found

    def at(
        self,
        metric: str,
        queue: str,
        capacity: int,
        buffer: str,
        load: int,
        *,
        part: str = "grid",
        senders: str = "sack",
    ) -> Reals:
        """One value a seed, of the cell with these coordinates."""
        return self.of(metric, Cell(part, queue, capacity, buffer, load, senders))

    def mean(self, metric: str, cell: Cell) -> stats.Interval:
        """Its mean over seeds with the 95 % interval."""
        return stats.mean_interval(self.of(metric, cell))
