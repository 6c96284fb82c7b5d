"""What a reader is shown: a table by queue and control, a figure of all cells, and each cell as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from parshall import plot
from parshall import study as st
from parshall.errors import ParshallError
from parshall.files import failing_as
from parshall.plot import standalone
from parshall.validate.kernel import cells as grid
from parshall.validate.kernel.compare import MEASURES, Compared, rows

BEGIN, END = (
    "<!-- what parshall validate linux makes -->",
    "<!-- end of what parshall validate linux makes -->",
)
FIGURE, TABLE = "validation-linux.svg", "validation-linux.csv"
_SHOWN = ("throughput", "delay", "loss", "fairness")
_LOG = {"delay": True}


def table(found: Sequence[Compared]) -> Iterator[str]:
    """As Markdown, line by line: how many cells are alike, and the median size of the difference."""
    heads = [MEASURES[measure][0] for measure in MEASURES]
    yield f"| queue | control | cells | {' | '.join(heads)} |"
    yield f"|---|---|--:|{'--:|' * len(heads)}"
    for row in rows(found):
        told = [f"{row.alike[each]} alike, {row.typical[each]:.2g}" for each in MEASURES]
        names = f"{grid.QUEUES[row.queue]} | {grid.CONTROLS[row.control]}"
        yield f"| {names} | {row.cells} | {' | '.join(told)} |"
    told = [f"{sum(each.alike(measure) for each in found)} alike" for measure in MEASURES]
    yield f"| all | | {len(found)} | {' | '.join(told)} |"


def figure(found: Sequence[Compared]) -> st.Figure:
    """Ours over the kernel's, a point a cell."""
    panels = []
    for measure in _SHOWN:
        label, unit = _split(MEASURES[measure][0])
        traces = []
        for place, (queue, name) in enumerate(grid.QUEUES.items()):
            own = [each for each in found if each.cell.queue == queue]
            look = st.Look(name, plot.SERIES[place], plot.MARKERS[place], size=3.5, alpha=0.7)
            x = [each.values(measure)[0] for each in own]
            traces.append(st.Trace(look, x, [each.mean(measure) for each in own], style="points"))
        ends = [value for each in found for value in (each.values(measure)[0], each.mean(measure))]
        line = [min(ends), max(ends)]
        traces.append(st.Trace(st.Look("equal", plot.FAINT, width=0.8), line, line))
        log = _LOG.get(measure, False)
        panels.append(
            st.Panel(
                tuple(traces),
                x=st.Axis(f"{label} in the kernel", unit, log=log),
                y=st.Axis(f"{label},\nsimulator", unit, log=log),
            )
        )
    axis = st.Axis("kernel")
    drawn = st.drawn("validation-linux", panels, axis, axis, height=11.0, legend=3)
    return drawn.with_words("Kernel and simulator", "A point is a cell; ours is the mean over seeds.")


def as_csv(found: Sequence[Compared]) -> str:
    """Every cell: the kernel's value, the mean of ours, and where one further run of ours would fall."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    sides = ("kernel", "ours", "low", "high")
    measured = [f"{measure}_{side}" for measure in MEASURES for side in sides]
    writer.writerow(["queue", "control", "rate_bps", "round_trip_s", "flows", *measured])
    for each in found:
        cell = each.cell
        numbers: list[float] = []
        for measure in MEASURES:
            run = each.run(measure)
            numbers += [each.values(measure)[0], each.mean(measure), run.low, run.high]
        place = [cell.queue, cell.control, f"{cell.rate:g}", f"{cell.round_trip:g}", cell.flows]
        writer.writerow([*place, *(f"{number:.6g}" for number in numbers)])
    return text.getvalue()


def write(file: Path, found: Sequence[Compared], told: str) -> None:
    """Puts the table between the marks of a page, or makes one of it; figure and CSV lie in ``figures``."""
    body = "\n".join(
        [
            BEGIN,
            "",
            told,
            "",
            *table(found),
            "",
            f"![Kernel and simulator, a point a cell](figures/{FIGURE})",
            "",
            f"Every cell is in [figures/{TABLE}](figures/{TABLE}).",
            "",
            END,
        ]
    )
    with failing_as(file):
        page = file.read_text(encoding="utf-8") if file.exists() else f"{BEGIN}{END}\n"
        if BEGIN not in page or END not in page:
            raise ParshallError(f"{file}: no line {BEGIN}, expected a new file or a page with such marks")
        folder = file.parent / "figures"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / FIGURE).write_text(standalone(figure(found).titled_svg), encoding="utf-8")
        (folder / TABLE).write_text(as_csv(found), encoding="utf-8")
        marks = f"{re.escape(BEGIN)}.*?{re.escape(END)}"
        file.write_text(re.sub(marks, lambda _: body, page, flags=re.DOTALL), encoding="utf-8")


def _split(label: str) -> tuple[str, str]:
    name, _, unit = label.partition(", ")
    return name, unit
