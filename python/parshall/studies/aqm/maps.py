"""The whole grid at a glance: for each metric a figure of small heat maps, capacity by buffer, one for each
queue and load of short flows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parshall import plot
from parshall.report import Figure, Picker
from parshall.studies.aqm.figures import means_table
from parshall.studies.aqm.grid import BUFFERS, CAPACITIES, QUEUES, Cell

if TYPE_CHECKING:
    from parshall.studies.aqm.grid import Part
    from parshall.studies.aqm.results import Results

__all__ = ["VIEWS", "View", "picker"]


@dataclass(frozen=True)
class View:
    """A metric as the maps show it."""

    metric: str
    title: str
    unit: str
    scale: float
    """From the measure's unit to the shown one."""
    decimals: int
    needs_short_flows: bool = False
    """Whether there is nothing to show without short flows."""


VIEWS: Sequence[View] = (
    View("ltrf", "Throughput of long TCP flows", "% of capacity", 100, 1),
    View("ltnrf", "Throughput of long non-responsive flows", "% of capacity", 100, 1),
    View("stf", "Throughput of short flows", "% of capacity", 100, 1, needs_short_flows=True),
    View("normalized", "Normalised throughput of long TCP flows", "% of long flows", 100, 1),
    View("utilization", "Link utilisation", "% of capacity", 100, 1),
    View("relative_delay", "Mean queueing delay", "propagation round trips of 120 ms", 1, 2),
    View("delay_sd", "Deviation of the queueing delay", "ms", 1e3, 1),
    View("drop", "Drop rate of all packets", "%", 100, 2),
    View("ltrf_drop", "Drop rate of long TCP flows", "%", 100, 2),
    View("ltnrf_drop", "Drop rate of long non-responsive flows", "%", 100, 2),
    View("stf_drop", "Drop rate of short flows", "%", 100, 2, needs_short_flows=True),
    View("response_mean", "Mean response time of a short flow", "s", 1, 2, needs_short_flows=True),
    View("response_p95", "95th percentile of the response time", "s", 1, 2, needs_short_flows=True),
)
"""In the order of the list from which a reader picks."""


_ABOVE, _MAP, _BELOW = 0.24, 0.92, 0.42
"""Inches above the maps, of a row of maps, and below them."""


def picker(
    results: Results, part: Part, ident: str, title: str, caption: str, senders: str = "sack"
) -> Picker:
    """One figure a metric, of which one is shown at a time."""
    figures = tuple(_figure(results, part, view, f"{ident}-{view.metric}", senders) for view in VIEWS)
    return Picker(ident, title, "Metric", figures, caption)


def _figure(results: Results, part: Part, view: View, ident: str, senders: str) -> Figure:
    loads = [load for load in part.loads if load or not view.needs_short_flows]
    cells = {
        (queue, load): [
            [Cell(part.name, queue, capacity, buffer, load, senders) for buffer in BUFFERS]
            for capacity in CAPACITIES
        ]
        for queue in part.queues
        for load in loads
    }
    means = {
        place: view.scale * np.array([[results.mean(view.metric, cell).mean for cell in row] for row in rows])
        for place, rows in cells.items()
    }
    low, high = _range(list(means.values()))
    rows, columns = len(part.queues), len(loads)
    height = _ABOVE + _BELOW + _MAP * rows
    with plot.drawing(height, rows=rows, columns=columns) as (canvas, axes):
        # Places are known, and finding them out takes longer than the drawing.
        canvas.set_layout_engine(None)
        canvas.subplots_adjust(
            left=0.165, right=0.995, top=1 - _ABOVE / height, bottom=_BELOW / height, wspace=0.08, hspace=0.12
        )
        for axis, ((queue, load), found) in zip(axes, means.items(), strict=True):
            first, last = load == loads[0], queue == part.queues[-1]
            plot.heat_map(
                axis,
                found,
                low=low,
                high=high,
                text=_text(view),
                rows=[str(capacity) for capacity in CAPACITIES] if first else (),
                columns=list(BUFFERS) if last else (),
            )
            if first:
                axis.set_ylabel(f"{QUEUES[queue]}\nMbit/s")
            if queue == part.queues[0]:
                axis.set_title(f"{load} % short flows", fontsize=8.5)
        canvas.supxlabel("buffer (BWDP)", fontsize=9, y=0.05 / height, va="bottom")
        svg = plot.to_svg(
            canvas,
            ident,
            view.title,
            f"Rows of heat maps, one for each of {', '.join(QUEUES[queue] for queue in part.queues)}; "
            "columns for loads of short flows; each map has capacities down and buffers across.",
        )
    every = [cell for rows_of in cells.values() for row in rows_of for cell in row]
    return Figure(
        ident,
        view.title,
        f"In {view.unit}; means over {results.seeds} seeds. Colours run from {_text(view)(low)} (light) to "
        f"{_text(view)(high)} (dark).",
        svg,
        data=means_table(results, [view.metric], every),
    )


def _text(view: View) -> Callable[[float], str]:
    return lambda value: f"{value:.{view.decimals}f}"


def _range(maps: Sequence[np.ndarray]) -> tuple[float, float]:
    every = np.concatenate([each.ravel() for each in maps])
    finite = every[np.isfinite(every)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
