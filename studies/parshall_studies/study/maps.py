"""A grid at a glance: rows and columns of small heat maps, with a number in each cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall import plot
from parshall_studies.study.figures import UNTITLED, Figure, Picker
from parshall_studies.study.values import SEED, Label, Values
from parshall_studies.study.words import number

if TYPE_CHECKING:
    import pyarrow as pa

    from parshall_studies.study.results import Results

__all__ = ["Dimension", "GridMap", "GridMaps", "View", "map_figure"]

_ABOVE, _MAP, _BELOW = 0.24, 0.92, 0.42
"""Inches above the maps, of a row of maps, and below them."""


@dataclass(frozen=True)
class Dimension:
    """A dimension of the values, with what a reader calls its labels."""

    name: str
    labels: Mapping[Any, str]
    title: str = ""

    def of(self, values: Values) -> Dimension:
        """The labels that the values have."""
        return replace(
            self,
            labels={each: text for each, text in self.labels.items() if each in values.labels[self.name]},
        )


@dataclass(frozen=True)
class View:
    """A metric as maps show it."""

    metric: str
    title: str
    unit: str
    scale: float = 1.0
    """From the metric's unit to the one that is shown."""
    decimals: int = 1
    where: Mapping[str, Sequence[Label]] = field(default_factory=dict)
    """Labels to which the metric is confined, where it is not there for all."""


@dataclass(frozen=True)
class GridMap:
    """Rows of a table that are seen together, through several metrics."""

    id: str
    title: str
    table: str
    where: Mapping[str, Any] = field(default_factory=dict)
    caption: str = ""


@dataclass(frozen=True)
class GridMaps:
    """A picker for each grid whose table is there. They stand side by side, so the colours of a metric mean
    the same in all of them.
    """

    views: Sequence[View]
    chosen: Sequence[GridMap]
    dims: tuple[Dimension, ...]
    """They run down and across a figure, then down and across each map."""
    tables: frozenset[str] = frozenset()

    def made(self, results: Results, judged: object = None) -> Iterator[Picker]:
        """The pickers."""
        del judged
        there = [grid for grid in self.chosen if grid.table in results]
        figures: dict[str, list[Figure]] = {grid.id: [] for grid in there}
        for view in self.views if there else ():
            values = {grid.id: _viewed(results, view, grid, self.dims) for grid in there}
            between = _range(list(values.values()))
            caption = f"In {view.unit}; means over {len(results.seeds)} seeds."
            for id, found in values.items():
                name = (f"{id}-{view.metric}", view.title)
                figures[id].append(map_figure(*name, caption, found, self.dims, view.decimals, between))
        for grid in there:
            yield Picker(grid.id, grid.title, "Metric", tuple(figures[grid.id]), grid.caption)


def _viewed(results: Results, view: View, grid: GridMap, dims: tuple[Dimension, ...]) -> Values:
    confined = {
        dim: [label for label in results.labels(grid.table, dim) if label in labels]
        for dim, labels in view.where.items()
    }
    values = results.values(grid.table, view.metric, **{**grid.where, **confined})
    kept = {dim.name: [label for label in dim.labels if label in values.labels[dim.name]] for dim in dims}
    return values.at(**kept).mapped(lambda array: view.scale * array)


def _range(values: Sequence[Values]) -> tuple[float, float]:
    """The least and the greatest mean."""
    every = np.concatenate([each.mean(SEED).array.ravel() for each in values])
    finite = every[np.isfinite(every)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)


def map_figure(
    id: str,
    title: str,
    caption: str,
    values: Values,
    dims: tuple[Dimension, ...],
    decimals: int,
    between: tuple[float, float],
) -> Figure:
    """Means over seeds. ``dims`` run down and across the figure, then down and across each map; colours go
    from light to dark ``between`` two numbers.
    """
    rows, columns, down, across = (dim.of(values) for dim in dims)
    means = values.mean(SEED).along(*(dim.name for dim in dims))
    low, high = between

    def text(value: float) -> str:
        return f"{value:.{decimals}f}"

    height = _ABOVE + _BELOW + _MAP * len(rows.labels)
    with plot.drawing(height, rows=len(rows.labels), columns=len(columns.labels)) as (canvas, axes):
        # Places are known, and finding them out takes longer than the drawing.
        canvas.set_layout_engine(None)
        canvas.subplots_adjust(
            left=0.165, right=0.995, top=1 - _ABOVE / height, bottom=_BELOW / height, wspace=0.08, hspace=0.12
        )
        for axis, (row, column) in zip(
            axes, product(range(len(rows.labels)), range(len(columns.labels))), strict=True
        ):
            plot.heat_map(
                axis,
                means[row, column],
                low=low,
                high=high,
                text=text,
                rows=list(down.labels.values()) if column == 0 else (),
                columns=list(across.labels.values()) if row == len(rows.labels) - 1 else (),
            )
            if column == 0:
                axis.set_ylabel(f"{list(rows.labels.values())[row]}\n{down.title}")
            if row == 0:
                axis.set_title(list(columns.labels.values())[column], fontsize=8.5)
        canvas.supxlabel(across.title, fontsize=9, y=0.05 / height, va="bottom")
        svg = plot.to_svg(canvas, id, UNTITLED, _described(values, rows))
    shades = f"Colours run from {text(low)} (light) to {text(high)} (dark)."
    return Figure(id, svg, _data(values), title, f"{caption} {shades}")


def _described(values: Values, rows: Dimension) -> str:
    parts = []
    for label, name in rows.labels.items():
        own = values.at(**{rows.name: label}).mean(SEED).array
        finite = own[np.isfinite(own)]
        if finite.size:
            parts.append(f"{name} from {number(float(finite.min()))} to {number(float(finite.max()))}")
    return f"Heat maps: {'; '.join(parts)}."


def _data(values: Values) -> pa.Table:
    import pyarrow as pa

    rows = []
    others = [dim for dim in values.dims if dim != SEED]
    for labels, found in values.intervals().items():
        ends = (found.low, found.high) if found.bounded else (None, None)
        rows.append(
            {
                **dict(zip(others, labels, strict=True)),
                "mean": found.mean,
                "low": ends[0],
                "high": ends[1],
                "n": found.n,
            }
        )
    return pa.Table.from_pylist(rows)
