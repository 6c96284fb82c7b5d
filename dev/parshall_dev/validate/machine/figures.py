"""Figures of the findings: all cells in one sheet, and single runs over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from parshall import plot
from parshall_dev.validate.machine.cells import QUEUES, Cell, Place
from parshall_dev.validate.machine.measures import MEASURES, Measure
from parshall_dev.validate.machine.reading import LINE_S, Run
from parshall_studies.study.figures import Axis, Figure, Look, Mark, Panel, Trace, drawn, looks

if TYPE_CHECKING:
    from parshall_dev.validate.machine.judge import Judged

__all__ = ["SHOWN", "all_cells", "courses", "files"]

SHOWN = tuple(Cell(Place(queue, 3, 50), "cubic", 4) for queue in QUEUES)
"""Cells whose first runs are drawn over time."""

_LABELS = {"reno": "Reno", "cubic": "CUBIC", "bbr": "BBR"}
_LEAST = {"loss": 0.05}
"""Least value that is drawn, since an axis is logarithmic."""
_LINUX, _OURS = (
    Look("Linux", plot.INK, width=1.3),
    Look("the simulator", plot.SERIES[0], line="--", width=1.3),
)


def all_cells(judged: Sequence[Judged]) -> Figure:
    """A point for each cell and measure, ours over Linux's."""
    of = {name: look(size=3.0, hollow=True, line="") for name, look in looks(_LABELS).items()}
    panels = [
        _panel(measure, [each for each in judged if each.measure == measure], of) for measure in MEASURES
    ]
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


def _panel(measure: Measure, judged: Sequence[Judged], of: Mapping[str, Look]) -> Panel:
    """Both axes are the same, so that the diagonal is where the two sides agree."""
    least, log = _LEAST.get(measure.key, 0.0), measure.key != "jain"
    pairs = {
        control: [
            [max(mean, least) for mean in each.means] for each in judged if each.cell.control == control
        ]
        for control in of
    }
    values = [value for points in pairs.values() for point in points for value in point if value > 0]
    low, high = (min(values), max(values)) if values else (0.1, 1.0)
    limits = (low / 1.15, high * 1.15) if log else (0.0, 1.03)
    label = f"Linux: {measure.label}" + (f", {least:g} at least" if least else "")
    traces = tuple(
        Trace(look, [x for x, _ in pairs[control]], [y for _, y in pairs[control]], style="points")
        for control, look in of.items()
    )
    x, y = (Axis(text, log=log, limits=limits) for text in (label, "the simulator"))
    return Panel(traces, x=x, y=y, marks=(Mark(),))


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
