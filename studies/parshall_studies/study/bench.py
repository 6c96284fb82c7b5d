"""The workbench: what a study measures with. It runs scenarios over seeds and makes tidy tables of what a
function says of each run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np

from parshall_studies.study.results import tidy
from parshall_studies.study.values import SEED, Label

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.progress import Progress

    from parshall.engine.measure import Made
    from parshall.recording import Recording

__all__ = ["Rows", "RunSeries", "Workbench", "tables_of"]

_T = TypeVar("_T")
_R = TypeVar("_R")


@dataclass(frozen=True)
class RunSeries:
    """Several rows of a run: columns of one length, some of them dimensions."""

    dims: Mapping[str, Any]
    numbers: Mapping[str, Any]


Row: TypeAlias = "Mapping[str, float] | RunSeries"
Rows: TypeAlias = "Mapping[str, Row]"
"""Rows that a run adds to each table, by the table's name: one row of numbers, or a series of rows."""


@dataclass
class Workbench:
    """Runs over seeds, measured data, and a line of progress."""

    seeds: Sequence[int]
    jobs: int | None = None
    cache: bool = True
    progress: Progress | None = None
    files: Mapping[str, Path] = field(default_factory=dict)
    """Declared data that is at hand, by the path that it was declared with."""
    full: bool = False
    """True if the whole document is asked for, where the study does less by default."""
    runs: int = 0
    """Runs asked for so far."""

    def measure(
        self,
        what: str,
        variants: Mapping[Any, Made],
        function: Callable[[Any, Recording], Rows | Row],
        *,
        table: str = "",
        dims: Sequence[str] = ("variant",),
        seeds: Sequence[int] | None = None,
        tables: Sequence[str] = ("flows", "ports"),
    ) -> dict[str, pa.Table]:
        """Tidy tables of what ``function(variant, recording)`` says of every run, in bounded memory and on
        all cores; where that is one row of one ``table``, its name is given here. ``dims`` name the parts
        of a variant's key. Variants share their seeds, so that their differences can be paired. Raises as
        :func:`parshall.engine.measure.measure`: a study with a hole in it would compare unequal things.
        """
        found: Any = self.each(what, variants, function, seeds=seeds, tables=tables)
        if table:
            found = {variant: [{table: row} for row in rows] for variant, rows in found.items()}
        return tables_of(found, dims, self._seeds(seeds))

    def each(
        self,
        what: str,
        variants: Mapping[_T, Made],
        function: Callable[[_T, Recording], _R],
        *,
        seeds: Sequence[int] | None = None,
        tables: Sequence[str] = ("flows", "ports"),
    ) -> dict[_T, list[_R]]:
        """Values of ``function(variant, recording)`` for every run, by variant, in the order of seeds."""
        from parshall.engine.measure import measure

        chosen = self._seeds(seeds)
        total = len(variants) * len(chosen)
        self.runs += total
        with self._task(what, total) as advance_to:
            return measure(
                variants,
                chosen,
                function,
                tables=tables,
                jobs=self.jobs,
                cache="default" if self.cache else None,
                progress=lambda done, _: advance_to(done),
            )

    def work(self, what: str, items: Sequence[_T], function: Callable[[_T], _R]) -> list[_R]:
        """``function`` of each item on all cores, in their order; for work that is not a run but spends its
        time in NumPy or in the estimators, which do not hold the interpreter.
        """
        from concurrent.futures import ThreadPoolExecutor

        from parshall.engine.limits import checked_jobs

        with ThreadPoolExecutor(checked_jobs(self.jobs)) as pool, self._task(what, len(items)) as advance_to:
            found = []
            for done, result in enumerate(pool.map(function, items), start=1):
                found.append(result)
                advance_to(done)
            return found

    def _seeds(self, seeds: Sequence[int] | None) -> tuple[int, ...]:
        return tuple(self.seeds if seeds is None else seeds)

    @contextlib.contextmanager
    def _task(self, what: str, total: int) -> Iterator[_Advance]:
        progress = self.progress
        task = progress.add_task(what, total=total) if progress is not None else None

        def advance_to(done: int, /) -> None:
            if progress is not None and task is not None:
                progress.update(task, completed=done)

        yield advance_to
        advance_to(total)


class _Advance(Protocol):
    def __call__(self, done: int, /) -> None: ...


def tables_of(
    found: Mapping[Any, Sequence[Rows]], dims: Sequence[str], seeds: Sequence[int]
) -> dict[str, pa.Table]:
    """Tidy tables of what was found for each variant and seed."""
    builders: dict[str, _Builder] = {}
    for variant, of_seeds in found.items():
        labels = variant if isinstance(variant, tuple) else (variant,)
        for seed, rows in zip(seeds, of_seeds, strict=True):
            place = {**dict(zip(dims, labels, strict=True)), SEED: seed}
            for name, own in rows.items():
                builders.setdefault(name, _Builder()).add(place, own)
    return {name: builder.table() for name, builder in builders.items()}


class _Builder:
    """The columns of a table as they grow."""

    def __init__(self) -> None:
        self.dims: tuple[str, ...] = ()
        self.columns: dict[str, list[Any]] = {}

    def add(self, place: Mapping[str, Label], rows: Row) -> None:
        series = (
            rows
            if isinstance(rows, RunSeries)
            else RunSeries({}, {name: [value] for name, value in rows.items()})
        )
        count = len(next(iter(series.numbers.values())))
        self.dims = (*place, *series.dims)
        for name, label in place.items():
            self.columns.setdefault(name, []).append(_repeated(label, count))
        for name, values in {**series.dims, **series.numbers}.items():
            self.columns.setdefault(name, []).append(np.asarray(values))

    def table(self) -> pa.Table:
        return tidy({name: np.concatenate(parts) for name, parts in self.columns.items()}, self.dims)


def _repeated(label: Label, count: int) -> Any:
    return np.full(count, label, dtype=object if isinstance(label, str) else None)
