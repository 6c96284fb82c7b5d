"""Results of a sweep: tidy tables with the parameters in front, summaries, and paired differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from parshall.engine.runs import Failure, raise_for
from parshall.errors import InputError, shown
from parshall.recording.assemble import assembled
from parshall.recording.columns import indices, named, numbers, table
from parshall.stats import ANY, Interval, difference_interval, mean_interval
from parshall.support.words import listed
from parshall.sweep.points import Point

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from matplotlib.figure import Figure

    from parshall.recording.tables import Block, Key
    from parshall.sweep.base import Label

__all__ = ["RUNS", "Failure", "SweepResult"]

RUNS = "runs"
"""The table with a row for each run: parameters, seed, metrics."""


@dataclass(frozen=True, repr=False)
class SweepResult:
    """The tables of a sweep. Equal sweeps give equal tables, bit for bit, wherever their runs were done."""

    points: tuple[Point, ...]
    """In the order of the design."""
    seeds: tuple[tuple[int, ...], ...]
    """The seeds of each point; they differ only in how many there are, and only under a stop rule."""
    metrics: tuple[str, ...]
    """Names of the metrics."""
    tables: tuple[str, ...]
    """Tables that were read back besides ``runs``."""
    executed: int
    """Runs that were done now; the others were in the cache."""
    failures: tuple[Failure, ...]
    """Runs that are missing from the tables, and why."""
    _values: Mapping[Key, tuple[float, ...]] = field(repr=False)
    _blocks: Sequence[Block] = field(repr=False)
    units: Mapping[str, str] = field(default_factory=dict)
    """Units of parameters and metrics: ``bit/s``, ``s``, ``bytes``, ``packets`` or ``share`` (of 1)."""
    title: str = ""
    """For people."""
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The range of each metric, to which intervals of its mean are cut."""

    def __repr__(self) -> str:
        seeds = sum(map(len, self.seeds))
        failed = f", {len(self.failures)} of them failed" if self.failures else ""
        by = f" of {listed(list(self.parameters))}" if self.parameters else ""
        return (
            f"<SweepResult {len(self.points)} points{by}, {seeds} runs{failed}: {listed(list(self.metrics))}>"
        )

    def _repr_html_(self) -> str:
        """For notebooks: the first metric at each point, with its interval."""
        from parshall.recording.pictures import intervals_html

        metric = self.metrics[0]
        rows = [
            (", ".join(f"{name} {label}" for name, label in point.parameters.items()), point)
            for point in self.points
        ]
        there = [(name, point) for name, point in rows if self.values(metric, point)]
        return intervals_html(
            repr(self), metric, [(name, self.interval(metric, point)) for name, point in there]
        )

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters, which are the first columns of every table."""
        return tuple(self.points[0].parameters)

    def table(self, name: str = RUNS) -> pa.Table:
        """A table with the parameters and ``seed`` in front, point by point and seed by seed: ``runs`` has
        a row for each run, with the metrics; ``flows`` and ``ports`` have a row for each flow and port of
        each run, with the counters that docs/architecture.md lists. Runs that failed have no rows.
        """
        if not isinstance(name, str) or name not in (RUNS, *self.tables):
            raise InputError("table", shown(name), f"one of {', '.join((RUNS, *self.tables))}")
        if name == RUNS:
            return self._runs()
        return self._rows(name)

    def to_pandas(self, name: str = RUNS) -> pd.DataFrame:
        """A table as a pandas data frame."""
        from parshall.recording.frames import to_pandas

        return to_pandas(self.table(name))

    def to_polars(self, name: str = RUNS) -> pl.DataFrame:
        """A table as a Polars data frame."""
        from parshall.recording.frames import to_polars

        return to_polars(self.table(name))

    def plot(self, metrics: Sequence[str] | str | None = None, x: str | None = None) -> Figure:
        """Draws metrics with their 95 % intervals over the parameter ``x``, unless given the number that has
        most values; where no parameter is a number with three values, in a row for each point.

        ``metrics`` are all unless named. Returns the Matplotlib figure. Raises InputError for names that are
        not there.
        """
        from parshall.recording.pictures import Measured, plot_points

        values = {
            name: [list(self.values(name, point).values()) for point in self.points] for name in self.metrics
        }
        points = tuple(dict(point.parameters) for point in self.points)
        return plot_points(Measured(self.title, points, values, self.units, self.ranges), metrics, x)

    def write(self, folder: str | Path, partition: Sequence[str] | None = None) -> Path:
        """Writes every table as a partitioned Parquet data set; see :func:`parshall.sweep.dataset.write`."""
        from parshall.sweep.dataset import write

        return write(self, folder, partition)

    @cached_property
    def _places(self) -> dict[int, int]:
        """Indices of the points by their identities: to compare them all would take hours."""
        return {id(point): index for index, point in enumerate(self.points)}

    def values(self, metric: str, point: Point) -> dict[int, float]:
        """A metric of one point by seed, without the runs that failed."""
        column = self._metric(metric)
        index = self._places.get(id(point))
        if index is None and isinstance(point, Point) and point in self.points:
            index = self.points.index(point)
        if index is None:
            raise InputError(
                "point", shown(point), f"one of the {len(self.points)} points of the sweep, as in points[0]"
            )
        seeds = self.seeds[index]
        keys = ((seed, (point.hash, seed)) for seed in seeds)
        return {seed: self._values[key][column] for seed, key in keys if key in self._values}

    def interval(self, metric: str, point: Point) -> Interval:
        """The mean of a metric at a point over its seeds, with its 95 % Student-t interval. The interval of a
        quantity that is never below 0, or never above 1, is cut there.
        """
        values = list(self.values(metric, point).values())
        return mean_interval(values, within=self.ranges.get(metric, ANY))

    def summary(self) -> pa.Table:
        """A row for each point and metric: parameters, ``metric``, ``mean``, ``low``, ``high`` (95 %) and
        ``n``, the number of seeds.
        """
        rows = [
            (index, metric, self.interval(metric, point))
            for index, point in enumerate(self.points)
            for metric in self.metrics
        ]
        return self._intervals(rows)

    def differences(self, parameter: str, baseline: Label) -> pa.Table:
        """Each value of a parameter against ``baseline``, all other parameters being equal: the mean
        difference seed by seed, with its 95 % interval, in the columns of :meth:`summary`.

        Points share their seeds, so what a seed does to both cancels, and these intervals are narrower than
        those of the means. Of points with unequal numbers of seeds the common ones are compared.
        """
        if not isinstance(parameter, str) or parameter not in self.parameters:
            raise InputError("parameter", shown(parameter), f"one of {', '.join(self.parameters)}")
        if not isinstance(baseline, str | Real):
            raise InputError("baseline", shown(baseline), f"a value of {parameter}")
        by_rest = {
            _rest(point, parameter): point for point in self.points if point.parameters[parameter] == baseline
        }
        if not by_rest:
            known = dict.fromkeys(str(point.parameters[parameter]) for point in self.points)
            raise InputError("baseline", shown(baseline), f"one of {', '.join(known)}")
        rows = []
        for index, point in enumerate(self.points):
            base = by_rest.get(_rest(point, parameter))
            if base is not None and base is not point:
                rows += [(index, metric, self._difference(metric, point, base)) for metric in self.metrics]
        return self._intervals(rows)

    def raise_for_failures(self) -> None:
        """Raises RunError if a run failed."""
        raise_for(self.failures)

    def _metric(self, name: str) -> int:
        if not isinstance(name, str) or name not in self.metrics:
            raise InputError("metric", shown(name), f"one of {', '.join(self.metrics)}")
        return self.metrics.index(name)

    def _difference(self, metric: str, point: Point, base: Point) -> Interval:
        own, other = self.values(metric, point), self.values(metric, base)
        common = [seed for seed in own if seed in other]
        return difference_interval([own[seed] for seed in common], [other[seed] for seed in common])

    def _intervals(self, rows: Sequence[tuple[int, str, Interval]]) -> pa.Table:
        codes = np.array([index for index, _, _ in rows], dtype=np.int32)
        metric = np.array([self.metrics.index(name) for _, name, _ in rows], dtype=np.int32)
        ends = {
            name: numbers(np.array([getattr(interval, name) for _, _, interval in rows], dtype=np.float64))
            for name in ("mean", "low", "high")
        }
        count = numbers(np.array([interval.n for _, _, interval in rows], dtype=np.int64))
        return table({**self._labels(codes), "metric": named(metric, self.metrics), **ends, "n": count})

    def _runs(self) -> pa.Table:
        keys = [
            (index, (point.hash, seed))
            for index, (point, seeds) in enumerate(zip(self.points, self.seeds, strict=True))
            for seed in seeds
        ]
        there = [(index, key) for index, key in keys if key in self._values]
        codes = np.array([index for index, _ in there], dtype=np.int32)
        seeds = np.array([seed for _, (_, seed) in there], dtype=np.int64)
        cells = np.array([self._values[key] for _, key in there], dtype=np.float64)
        cells = cells.reshape(len(there), len(self.metrics))
        metrics = {name: numbers(np.ascontiguousarray(cells[:, i])) for i, name in enumerate(self.metrics)}
        return table({**self._labels(codes), "seed": numbers(seeds), **metrics})

    def _rows(self, name: str) -> pa.Table:
        variants = {str(index): point.scenario for index, point in enumerate(self.points)}
        longest = max(self.seeds, key=len)
        whole = assembled(self._blocks, name, variants, [point.hash for point in self.points], longest)
        if whole is None:
            self.raise_for_failures()
            raise InputError("table", shown(name), "a table that a scenario of the sweep records")
        codes = indices(whole["variant"], list(variants))
        if any(len(seeds) < len(longest) for seeds in self.seeds):
            asked = self._asked(codes, np.asarray(whole["seed"]), longest)
            whole, codes = whole.filter(numbers(asked)), codes[asked]
        rest = {column: whole[column] for column in whole.column_names if column != "variant"}
        return table({**self._labels(codes), **rest})

    def _asked(self, codes: Any, seeds: Any, longest: Sequence[int]) -> Any:
        """Rows of runs that their own point asked for: another point may have the same scenario."""
        place = {seed: index for index, seed in enumerate(longest)}
        number = np.array([place[seed] for seed in seeds.tolist()], dtype=np.int64)
        return number < np.array([len(own) for own in self.seeds])[codes]

    def _labels(self, codes: Any) -> dict[str, pa.Array]:
        """A column for each parameter, for rows whose points are given by number."""
        return {
            name: _column([point.parameters[name] for point in self.points], codes)
            for name in self.parameters
        }


def _rest(point: Point, parameter: str) -> tuple[Label, ...]:
    return tuple(label for name, label in point.parameters.items() if name != parameter)


def _column(labels: Sequence[Label], codes: Any) -> pa.Array:
    """Labels by code: truth values, whole numbers, numbers, or else text."""
    for kinds, kind in (((bool,), np.bool_), ((int,), np.int64), ((int, float), np.float64)):
        if all(
            isinstance(label, kinds) and (bool in kinds or not isinstance(label, bool)) for label in labels
        ):
            return numbers(np.array(labels, dtype=kind)[codes])
    texts = [str(label) for label in labels]
    distinct = list(dict.fromkeys(texts))
    code = {text: index for index, text in enumerate(distinct)}
    return named(np.array([code[text] for text in texts], dtype=np.int32)[codes], distinct)
