"""The figures of the chapter, redrawn with intervals over seeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from parshall import plot
from parshall.report import Figure
from parshall.studies.aqm.grid import BUFFERS, CAPACITIES, LOADS, QUEUES, Cell

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from parshall.studies.aqm.results import Results

__all__ = ["document_figures", "means_table"]

_HIGH = 30
_STYLE = {
    "droptail": (plot.SERIES[0], "o", "-"),
    "red": (plot.SERIES[1], "s", "--"),
    "red-ecn": (plot.SERIES[2], "^", ":"),
}
"""Colour, marker and line of a queue."""
_QUEUES = tuple(_STYLE)


def document_figures(results: Results) -> Iterator[Figure]:
    """Figures 26 to 31."""
    yield _figure_26(results)
    yield _over_delay(
        results,
        Axis("ltrf", "long TCP (share)", 1.0),
        "grid",
        "fig-27",
        "Figure 27. Long TCP throughput over delay",
        "30 % short flows. From left to right on each line: 1/3, 1 and 3 BWDP of buffer.",
    )
    yield _over_delay(
        results,
        Axis("delay_sd", "deviation (ms)", 1e3),
        "on-off",
        "fig-28",
        "Figure 28. Deviation of the delay over its mean",
        "30 % short flows, LTNRF on for 20 s and off for 20 s. From left to right: 1/3, 1 and 3 BWDP.",
    )
    yield _figure_29(results)
    yield _over_load(
        results,
        "normalized",
        "fig-30",
        "Figure 30. Normalised long TCP throughput",
        "normalised",
        "Long TCP throughput over that of all long flows. 1 BWDP.",
    )
    yield _over_load(
        results,
        "relative_delay",
        "fig-31",
        "Figure 31. Relative delay over the load of short flows",
        "delay (RTTs)",
        "Mean queueing delay in propagation round trips of 120 ms. 1 BWDP.",
    )


@dataclass(frozen=True)
class Axis:
    """A metric on an axis."""

    metric: str
    label: str
    scale: float


def means_table(results: Results, metrics: Sequence[str], cells: Iterable[Cell]) -> pa.Table:
    """What is drawn: one row a metric of a cell, with the 95 % interval of its mean."""
    rows = []
    for metric in metrics:
        for cell in cells:
            found = results.mean(metric, cell)
            rows.append(
                {
                    "metric": metric,
                    "queue": cell.queue,
                    "senders": cell.senders,
                    "capacity_mbps": cell.capacity,
                    "buffer_bwdp": cell.buffer,
                    "short_flow_load": cell.load,
                    "mean": found.mean,
                    "low": found.low if found.bounded else None,
                    "high": found.high if found.bounded else None,
                    "n": found.n,
                }
            )
    return pa.Table.from_pylist(rows)


def _line(
    axis: Axes, results: Results, x: Sequence[float], metric: str, cells: Sequence[Cell], scale: float = 1.0
) -> None:
    """Means over seeds with their intervals, in the style of the cells' queue."""
    colour, marker, line = _STYLE[cells[0].queue]
    found = [results.mean(metric, cell).scaled(scale) for cell in cells]
    label = QUEUES[cells[0].queue]
    axis.plot(x, [each.mean for each in found], line, color=colour, marker=marker, label=label)
    for place, each in zip(x, found, strict=True):
        if each.bounded:
            axis.plot([place, place], [each.low, each.high], color=colour, linewidth=1)


def _figure_26(results: Results) -> Figure:
    ident, title = "fig-26", "Figure 26. Mean queueing delay over buffer size"
    cells = {queue: [Cell("grid", queue, 35, buffer, _HIGH) for buffer in BUFFERS] for queue in _QUEUES}
    with plot.drawing(2.6) as (canvas, (axis,)):
        for chosen in cells.values():
            _line(axis, results, list(BUFFERS.values()), "delay", chosen, 1e3)
        axis.set(xlabel="buffer (BWDP)", ylabel="delay (ms)", ylim=(0, None))
        axis.set_xticks(list(BUFFERS.values()), list(BUFFERS))
        plot.legend_above(canvas, axis, columns=3)
        svg = plot.to_svg(
            canvas, ident, title, "Three nearly straight lines that rise; DropTail's is the steepest."
        )
    every = [cell for chosen in cells.values() for cell in chosen]
    caption = "35 Mbit/s, 30 % short flows."
    return Figure(ident, title, caption, svg, data=means_table(results, ["delay"], every))


def _over_delay(results: Results, y: Axis, part: str, ident: str, title: str, caption: str) -> Figure:
    """Three panels, one a capacity: a metric over the mean delay, along growing buffers."""
    every = []
    with plot.drawing(5.4, rows=3, sharex=True) as (canvas, axes):
        for axis, capacity in zip(axes, CAPACITIES, strict=True):
            for queue in _QUEUES:
                cells = [Cell(part, queue, capacity, buffer, _HIGH) for buffer in BUFFERS]
                x = [1e3 * results.mean("delay", cell).mean for cell in cells]
                _line(axis, results, x, y.metric, cells, y.scale)
                every += cells
            axis.set_title(f"{capacity} Mbit/s")
            axis.set_ylabel(y.label)
        axes[-1].set_xlabel("mean queueing delay (ms)")
        plot.legend_above(canvas, axes[0], columns=3)
        svg = plot.to_svg(
            canvas, ident, title, "One line of three points a queue; DropTail's points are furthest right."
        )
    return Figure(ident, title, caption, svg, data=means_table(results, ["delay", y.metric], every))


def _figure_29(results: Results) -> Figure:
    """Three panels, one a buffer: the relative delay over capacity."""
    ident, title = "fig-29", "Figure 29. Relative delay over capacity"
    every = []
    with plot.drawing(5.4, rows=3, sharex=True) as (canvas, axes):
        for axis, buffer in zip(axes, BUFFERS, strict=True):
            for queue in _QUEUES:
                cells = [Cell("grid", queue, capacity, buffer, _HIGH) for capacity in CAPACITIES]
                _line(axis, results, CAPACITIES, "relative_delay", cells)
                every += cells
            axis.set_title(f"{buffer} BWDP")
            axis.set_ylabel("delay (RTTs)")
            axis.set_ylim(0, None)
        axes[-1].set_xlabel("capacity (Mbit/s)")
        axes[-1].set_xticks(CAPACITIES)
        plot.legend_above(canvas, axes[0], columns=3)
        svg = plot.to_svg(
            canvas, ident, title, "Nearly level lines; DropTail's is the highest in each panel."
        )
    caption = "30 % short flows. Mean queueing delay in propagation round trips of 120 ms."
    return Figure(ident, title, caption, svg, data=means_table(results, ["relative_delay"], every))


def _over_load(results: Results, metric: str, ident: str, title: str, ylabel: str, caption: str) -> Figure:
    """Three panels, one a capacity: a metric over the load of short flows."""
    every = []
    with plot.drawing(5.4, rows=3, sharex=True, sharey=True) as (canvas, axes):
        for axis, capacity in zip(axes, CAPACITIES, strict=True):
            for queue in _QUEUES:
                cells = [Cell("grid", queue, capacity, "1", load) for load in LOADS]
                _line(axis, results, LOADS, metric, cells)
                every += cells
            axis.set_title(f"{capacity} Mbit/s")
            axis.set_ylabel(ylabel)
        axes[-1].set_xlabel("load of short flows (%)")
        axes[-1].set_xticks(LOADS)
        plot.legend_above(canvas, axes[0], columns=3)
        svg = plot.to_svg(canvas, ident, title, "One line a queue in each of three panels.")
    return Figure(ident, title, caption, svg, data=means_table(results, [metric], every))
