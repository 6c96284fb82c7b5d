"""Figures of what the chapter does not ask, and of the same cells in ns-2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from parshall import plot
from parshall.report import Figure
from parshall.studies.aqm.figures import means_table
from parshall.studies.aqm.grid import CAPACITIES, LOADS, MODERN, QUEUES, SPREAD, TUNED, TUNED_SPREAD, Cell

if TYPE_CHECKING:
    from parshall.studies.aqm.results import Results

__all__ = ["beside_ns2", "ns2_figure", "tradeoff_figure", "tuned_figure"]

_PANELS = (
    ("ltrf", "long TCP throughput (%)", 100.0),
    ("delay", "mean delay (ms)", 1e3),
    ("ltnrf_drop", "drops of LTNRF (%)", 100.0),
    ("delay_sd", "deviation of delay (ms)", 1e3),
)


_TRADED = {"response_mean": ("response", "s"), "relative_delay": ("delay", "RTTs")}
"""Metrics of :func:`tradeoff_figure`: name and unit on its axis."""


def beside_ns2(results: Results, ns2: pa.Table) -> pa.Table:
    """The rows of ns-2 with the mean of ours in the same cell, and its interval."""
    rows = []
    for row in ns2.to_pylist():
        cell = Cell("grid", row["queue"], row["capacity"], row["buffer"], row["load"])
        found = results.mean(row["metric"], cell)
        rows.append({**row, "ours": found.mean, "low": found.low, "high": found.high})
    return pa.Table.from_pylist(rows)


def tradeoff_figure(results: Results, metric: str, ident: str, title: str) -> Figure:
    """A metric over the share of long TCP flows: a panel for each capacity, a point for each queue."""
    label, unit = _TRADED[metric]
    every = []
    with plot.drawing(6.0, rows=3, sharex=True) as (canvas, axes):
        for axis, capacity in zip(axes, CAPACITIES, strict=True):
            for place, queue in enumerate(MODERN.queues):
                for senders in MODERN.senders:
                    cell = Cell(MODERN.name, queue, capacity, "1", LOADS[-1], senders)
                    x, y = results.mean("ltrf", cell).scaled(100), results.mean(metric, cell)
                    of_chapter = senders == MODERN.senders[0]
                    colour = plot.SERIES[place]
                    axis.plot(
                        x.mean,
                        y.mean,
                        plot.MARKERS[place],
                        color=colour,
                        markersize=6,
                        markerfacecolor=colour if of_chapter else "none",
                        label=QUEUES[queue] if of_chapter else None,
                    )
                    if y.bounded:
                        axis.plot([x.mean, x.mean], [y.low, y.high], color=colour, linewidth=1)
                    every.append(cell)
            axis.set_title(f"{capacity} Mbit/s")
            axis.set_ylabel(f"{label} ({unit})")
            axis.set_ylim(0, None)
        axes[-1].set_xlabel("throughput of long TCP flows (% of capacity)")
        plot.legend_above(canvas, axes[0], columns=3)
        svg = plot.to_svg(canvas, ident, title, "Points of five queues in three panels, filled and hollow.")
    caption = (
        f"1 BWDP, {LOADS[-1]} % short flows. Filled: the chapter's senders; hollow: CUBIC. Down and to the "
        "right is better."
    )
    return Figure(ident, title, caption, svg, data=means_table(results, ["ltrf", metric], every))


def tuned_figure(results: Results) -> Figure:
    """Long TCP flows over the load of short flows: CBR flows in phase on the left, at random on the right."""
    ident, title = "fig-tuned", "RED, tuned RED and DropTail"
    columns = {
        "in phase": {"droptail": "grid", "red-tuned": TUNED.name, "red": "grid"},
        "random starts": {"droptail": SPREAD.name, "red-tuned": TUNED_SPREAD.name, "red": "grid"},
    }
    every = []
    with plot.drawing(5.4, rows=3, columns=2, sharex=True, sharey="row") as (canvas, axes):
        for row, capacity in enumerate(CAPACITIES):
            for column, (phase, queues) in enumerate(columns.items()):
                axis = axes[2 * row + column]
                for place, (queue, part) in enumerate(queues.items()):
                    cells = [Cell(part, queue, capacity, "1", load) for load in LOADS]
                    found = [results.mean("ltrf", cell).scaled(100) for cell in cells]
                    axis.plot(
                        LOADS,
                        [each.mean for each in found],
                        ("-", "-.", "--")[place],
                        marker=plot.MARKERS[place],
                        color=plot.SERIES[place],
                        label=QUEUES[queue],
                    )
                    every += [cell for cell in cells if cell not in every]
                axis.set_title(f"{capacity} Mbit/s, {phase}", fontsize=8.5)
                axis.set_xticks(LOADS)
            axes[2 * row].set_ylabel("long TCP (%)")
        for axis in axes[-2:]:
            axis.set_xlabel("short flows (%)")
        plot.legend_above(canvas, axes[0], columns=3)
        svg = plot.to_svg(
            canvas,
            ident,
            title,
            "Six panels with three lines each: on the left they part, on the right they do not.",
        )
    caption = (
        "Throughput of long TCP flows in % of the capacity, 1 BWDP. RED is drawn in both columns from the "
        "same runs, with CBR flows in phase: it hears nothing of phases."
    )
    return Figure(ident, title, caption, svg, data=means_table(results, ["ltrf"], every))


def ns2_figure(results: Results, ns2: pa.Table) -> Figure:
    """Ours over ns-2's, cell by cell."""
    ident, title = "fig-ns2", "Means in the same cells"
    data = beside_ns2(results, ns2)
    rows = data.to_pylist()
    with plot.drawing(4.2, rows=2, columns=2) as (canvas, axes):
        for axis, (metric, label, scale) in zip(axes, _PANELS, strict=True):
            chosen = [row for row in rows if row["metric"] == metric]
            every = scale * np.array([[row["mean"], row["ours"]] for row in chosen])
            ends = np.array([np.nanmin(every), np.nanmax(every)])
            for place, queue in enumerate(("droptail", "red", "red-ecn")):
                points = [row for row in chosen if row["queue"] == queue]
                x, y = (scale * np.array([row[name] for row in points]) for name in ("mean", "ours"))
                axis.plot(
                    x,
                    y,
                    plot.MARKERS[place],
                    color=plot.SERIES[place],
                    markersize=3.2,
                    label=("DropTail", "RED", "RED-ECN")[place],
                )
            axis.axline((ends[0], ends[0]), slope=1, color=plot.FAINT, linewidth=0.8)
            if metric in ("delay", "delay_sd"):
                plot.log_axes(axis, ends, ends)
            axis.set_title(label, fontsize=8.5)
            axis.set(xlabel="ns-2", ylabel="ours")
        plot.legend_above(canvas, axes[0], columns=3)
        svg = plot.to_svg(canvas, ident, title, "Four panels of points, most of them on the diagonal.")
    caption = "A point is a cell of the grid; on the line both agree."
    return Figure(ident, title, caption, svg, data=data)
