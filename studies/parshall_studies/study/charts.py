"""Figures and tables that are declared before anything has run: lines, rows and columns are expressions, or
columns of tables, and places say what a reader calls their labels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeAlias, TypeVar

import numpy as np

from parshall.stats import known_mean
from parshall_studies.study.figures import (
    Axis,
    Figure,
    Look,
    Mark,
    Numbers,
    Panel,
    Picker,
    Style,
    Trace,
    drawn,
    of_intervals,
)
from parshall_studies.study.quantity import Expression, quantity
from parshall_studies.study.tables import Cell, Number, Table
from parshall_studies.study.values import SEED, Values

if TYPE_CHECKING:
    from parshall_studies.study.claims import Judgements
    from parshall_studies.study.results import Results

__all__ = [
    "Course",
    "Item",
    "Line",
    "Made",
    "Means",
    "Place",
    "Shown",
    "Spread",
    "columns",
    "drawing",
    "each",
    "means_table",
]

Item: TypeAlias = "Figure | Picker | Table"
Kind = TypeVar("Kind")
Place: TypeAlias = "tuple[str, Mapping[str, Any]]"
"""Readers' names of some labels, and the labels by the names of their dimensions."""
Places: TypeAlias = "Sequence[Place] | Callable[[Results], Sequence[Place]] | str"
"""Some, those that a function finds in results, or every label of ``table.dimension`` under its own name."""
Column: TypeAlias = "Expression | str | tuple[Expression | str, int]"
"""Column. A text names a column as ``table.column``; with a number of decimals it is the mean alone."""
Looks: TypeAlias = "Look | Mapping[Any, Look]"
"""One, or one for each label of a dimension."""


class Shown(Protocol):
    """Figures and tables that are made when there are results."""

    @property
    def tables(self) -> frozenset[str]:
        """The tables that they need: where one is absent they are left out."""

    def made(self, results: Results, judged: Judgements) -> Item | Iterable[Item]:
        """Makes tables and figures of results."""


@dataclass(frozen=True)
class Made(Generic[Kind]):
    """Result of a function of results and verdicts."""

    made: Callable[[Results, Judgements], Kind]
    tables: frozenset[str] = frozenset()


def each(words: str, **dims: Mapping[Any, Any] | Iterable[Any]) -> list[Place]:
    """Every combination of labels, the last dimension changing first, in ``words``, where ``{dimension}``
    stands for a label, or for what it is mapped to.
    """
    every = [
        labels.items() if isinstance(labels, Mapping) else [(label, label) for label in labels]
        for labels in dims.values()
    ]
    return [
        (
            words.format(**{dim: said for dim, (_, said) in zip(dims, found, strict=True)}),
            {dim: label for dim, (label, _) in zip(dims, found, strict=True)},
        )
        for found in product(*every)
    ]


def _found(places: Places, results: Results) -> Sequence[Place]:
    if isinstance(places, str):
        table, dim = places.split(".")
        return [(str(label), {dim: label}) for label in results.labels(table, dim)]
    return places(results) if callable(places) else places


# --- Lines --------------------------------------------------------------------------------------------------


class Line(Protocol):
    """Traces of results that are there later."""

    @property
    def tables(self) -> frozenset[str]:
        """The tables that they need."""

    def at(self, where: Mapping[str, Any], column: str) -> Line:
        """A copy at some labels, and of another column if one is named."""

    def traces(self, results: Results) -> Iterator[Trace]:
        """The traces, of these results."""


@dataclass(frozen=True)
class Means:
    """Means over seeds with their intervals, over the labels of a dimension; numbers of what has no seeds."""

    of: Expression | str
    over: str
    look: Looks
    by: str = ""
    """The dimension that has a line for each label, with its look."""
    places: Mapping[Any, float] | Expression | None = None
    """Where labels of ``over`` stand, if not at the number that they are, or, of words, in rows from 0 on; an
    expression stands for its means.
    """
    style: Style = "line"
    across: bool = False
    """True if means lie along the x axis, and labels along the other."""
    bare: bool = False
    """True if intervals are left out, as where they would hide the line."""
    label: bool = True
    """True if the legend names it."""

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it needs."""
        also = self.places.tables if isinstance(self.places, Expression) else frozenset()
        return quantity(self.of).tables | also

    def at(self, where: Mapping[str, Any], column: str = "") -> Means:
        """A copy at some labels, and of another column."""
        of = quantity(self.of, **where)
        of = of.measuring(column) if column else of
        places = self.places.at(**where) if isinstance(self.places, Expression) else self.places
        return replace(self, of=of, places=places, look=_look(self.look, where.get(self.by)))

    def traces(self, results: Results) -> Iterator[Trace]:
        """A line for each look."""
        for where, look in _looks(self.look, self.by):
            values = quantity(self.of, **where).values(results)
            if {*values.dims} - {SEED} != {self.over}:
                raise LookupError(f"{self.of}: got the dimensions {', '.join(values.dims)}, not {self.over}")
            places = self._places(values, where, results)
            if SEED in values.dims:
                line = of_intervals(look, places, list(values.intervals().values()))
            else:
                line = Trace(look, places, values.array)
            if self.bare:
                line = replace(line, low=None, high=None)
            if self.across:
                line = replace(line, x=line.y, y=line.x, across=True)
            yield replace(line, style=self.style, label=self.label)

    def _places(self, values: Values, where: Mapping[str, Any], results: Results) -> Numbers:
        if isinstance(self.places, Expression):
            at = self.places.at(**where).values(results)
            return (at.mean(SEED) if SEED in at.dims else at).along(self.over)
        labels = values.labels[self.over]
        if self.places is not None:
            return [self.places[label] for label in labels]
        return [float(row if isinstance(label, str) else label) for row, label in enumerate(labels)]


@dataclass(frozen=True)
class Course:
    """A column of a table over another one, row by row."""

    table: str
    x: str
    y: str
    look: Looks
    by: str = ""
    """The dimension that has a line for each label, with its look."""
    where: Mapping[str, Any] = field(default_factory=dict)
    """Labels of the rows."""
    style: Style = "line"
    until: float = math.inf
    """Rows from this ``x`` on are left out."""

    @property
    def tables(self) -> frozenset[str]:
        """The table."""
        return frozenset({self.table})

    def at(self, where: Mapping[str, Any], column: str = "") -> Course:
        """A copy at some labels, and of another column."""
        look = _look(self.look, where.get(self.by))
        return replace(self, where={**self.where, **where}, y=column or self.y, look=look)

    def traces(self, results: Results) -> Iterator[Trace]:
        """A line for each look."""
        for where, look in _looks(self.look, self.by):
            rows = results.rows(self.table, **self.where, **where)
            x, y = rows[self.x].to_numpy(), rows[self.y].to_numpy()
            yield Trace(look, x[x < self.until], y[x < self.until], style=self.style)


def _look(looks: Looks, label: Any) -> Looks:
    """Look of a label, where there is one for each."""
    return looks[label] if isinstance(looks, Mapping) and label is not None else looks


def _looks(looks: Looks, by: str) -> list[tuple[dict[str, Any], Look]]:
    """Looks with the labels that they are for."""
    return (
        [({by: label}, look) for label, look in looks.items()]
        if isinstance(looks, Mapping)
        else [({}, looks)]
    )


@dataclass(frozen=True)
class Spread:
    """A band that holds 90 % of the seeds, over the labels of a dimension, which are numbers."""

    of: Expression | str
    over: str
    look: Look

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it needs."""
        return quantity(self.of).tables

    def at(self, where: Mapping[str, Any], column: str = "") -> Spread:
        """A copy at some labels, and of another column."""
        of = quantity(self.of, **where)
        return replace(self, of=of.measuring(column) if column else of)

    def traces(self, results: Results) -> Iterator[Trace]:
        """The band, of these results."""
        values = quantity(self.of).values(results)
        runs, places = values.along(self.over, SEED), [float(label) for label in values.labels[self.over]]
        low, high = np.quantile(runs, (0.05, 0.95), axis=1)
        yield Trace(self.look, places, runs.mean(axis=1), low, high)


def drawing(
    id: str,
    lines: Sequence[Line | Trace],
    x: Axis,
    y: Axis | Mapping[str, Axis],
    *,
    panels: Places = (("", {}),),
    bands: Sequence[Line] = (),
    marks: Sequence[Mark] = (),
    **options: Any,
) -> Made[Figure]:
    """A figure of lines, with a panel for each place; where ``y`` has axes by columns, for each column and
    place. Other options are those of :func:`drawn`.
    """
    axes: Mapping[str, Axis] = {"": y} if isinstance(y, Axis) else y

    def made(results: Results, judged: object) -> Figure:
        def traces(lines: Sequence[Line | Trace], where: Mapping[str, Any], column: str) -> list[Trace]:
            every = (
                [line] if isinstance(line, Trace) else line.at(where, column).traces(results)
                for line in lines
            )
            return [trace for own in every for trace in own]

        every = [
            Panel(
                traces(lines, where, column),
                title,
                own if column else None,
                marks=marks,
                bands=traces(bands, where, column),
            )
            for column, own in axes.items()
            for title, where in _found(panels, results)
        ]
        return drawn(id, every, x, next(iter(axes.values())), **options)

    later = [line for line in (*lines, *bands) if not isinstance(line, Trace)]
    return Made(made, frozenset().union(*(line.tables for line in later)))


# --- Tables -------------------------------------------------------------------------------------------------


def means_table(
    id: str,
    head: str,
    rows: Places,
    columns: Mapping[str, Column] | Sequence[tuple[str, Column]],
    kind: Literal["records", "matrix"] = "records",
) -> Made[Table]:
    """A table of means over seeds with their intervals: a row for each place, under ``head``, and columns by
    their heads.
    """
    heads, parts = zip(*(columns.items() if isinstance(columns, Mapping) else columns), strict=True)
    every = [_parted(column) for column in parts]

    def made(results: Results, judged: object) -> Table:
        cells = [
            (words, *(_cell(of.at(**where).values(results), decimals) for of, decimals in every))
            for words, where in _found(rows, results)
        ]
        return Table(id, (head, *heads), cells, kind)

    return Made(made, frozenset().union(*(of.tables for of, _ in every)))


def columns(table: str, **heads: str) -> dict[str, Column]:
    """Columns of a table, each with its head."""
    return {head: f"{table}.{column}" for column, head in heads.items()}


def _parted(column: Column) -> tuple[Expression, int | None]:
    of, decimals = column if isinstance(column, tuple) else (column, None)
    return quantity(of), decimals


def _cell(values: Values, decimals: int | None) -> Cell:
    if decimals is None and SEED in values.dims:
        return values.interval()
    mean = known_mean(values.array)
    return mean if decimals is None else Number(mean, decimals=decimals)
