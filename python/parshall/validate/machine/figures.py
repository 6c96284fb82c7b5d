"""What was found, drawn: all cells in one sheet, and single runs over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from parshall import plot
from parshall.study.figures import Axis, Figure, Look, Panel, Trace, drawn, looks
from parshall.validate.machine.cells import QUEUES, Cell, Place
from parshall.validate.machine.measures import MEASURES
from parshall.validate.machine.reading import LINE_S, Run

if TYPE_CHECKING:
    from parshall.validate.machine.judge import Judged

__all__ = ["SHOWN", "all_cells", "courses", "files"]

SHOWN = tuple(Cell(Place(queue, 3, 50), "cubic", 4) for queue in QUEUES)
"""Cells whose first runs are drawn over time."""

_LABELS = {"reno": "Reno", "cubic": "CUBIC", "bbr": "BBR"}
_LOGARITHMIC = ("delay", "loss", "steady")
_LINUX, _OURS = (
    Look("Linux", plot.INK, width=1.3),
    Look("the simulator", plot.SERIES[0], line="--", width=1.3),
)


def all_cells(judged: Sequence[Judged]) -> Figure:
    """A point for each cell and measure, ours over Linux's."""
    of = {name: look(size=3.0, hollow=True, line="") for name, look in looks(_LABELS).items()}
    panels = []
    for measure in MEASURES:
        axis = Axis(f"Linux: {measure.label}", log=measure.key in _LOGARITHMIC or measure.key == "throughput")
        ours = Axis("the simulator", log=axis.log)
        traces = []
        for control, look in of.items():
            pairs = [
                each.means for each in judged if each.measure == measure and each.cell.control == control
            ]
            traces.append(Trace(look, [a for a, _ in pairs], [b for _, b in pairs], style="points"))
        panels.append(Panel((_equal(traces), *traces), x=axis, y=ours))
    return drawn(
        "linux-cells",
        panels,
        Axis("Linux"),
        Axis("the simulator"),
        columns=2,
        height=8.6,
        share=(False, False),
        legend=3,
    ).with_words("What Linux and the simulator come to, a point for each cell", "")


def _equal(traces: Sequence[Trace]) -> Trace:
    """Where both sides are equal, with points enough for any scale."""
    values = np.concatenate([np.concatenate([trace.x, trace.y]) for trace in traces])
    low, high = float(values.min()), float(values.max())
    evenly = np.linspace(low, high, 200)
    line = np.unique(np.concatenate([evenly, np.geomspace(max(low, 1e-3 * high), max(high, 1e-9), 200)]))
    return Trace(Look("equal", plot.FAINT, width=0.8), line, line, label=False)


def courses(linux: Mapping[Cell, Run], ours: Mapping[Cell, Run]) -> Figure | None:
    """The backlog of the first run of some cells over time; nothing where none of them was run."""
    panels = []
    for cell in SHOWN:
        if cell in linux:
            traces = []
            for look, run in ((_LINUX, linux[cell]), (_OURS, ours[cell])):
                times = LINE_S * (np.arange(len(run.backlog)) + 0.5)
                traces.append(Trace(look, times, run.backlog / 1e3))
            panels.append(Panel(tuple(traces), cell.name))
    if not panels:
        return None
    return drawn(
        "linux-courses", panels, Axis("time", "s"), Axis("backlog", "kB"), height=1.6 * len(panels) + 0.6
    ).with_words("The backlog in single runs of Linux and of the simulator", "")


def files(figures: Sequence[Figure | None]) -> dict[str, str]:
    """Figures as files by their names."""
    return {
        f"{figure.id}.svg": plot.standalone(figure.titled_svg) for figure in figures if figure is not None
    }
