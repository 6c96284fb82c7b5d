"""What was found, in Markdown: how many cells agree, which part, all numbers; and its place in a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from parshall.errors import OutputError
from parshall.support.files import failing_as, staged
from parshall_dev.validate.machine.cells import CONTROLS, QUEUES
from parshall_dev.validate.machine.judge import CONFIDENCE
from parshall_dev.validate.machine.measures import MEASURES

if TYPE_CHECKING:
    from parshall_dev.validate.machine.judge import Judged

__all__ = ["PAGE", "agreement", "numbers", "section", "write"]

PAGE = "validation.md"
BEGIN = "<!-- made by parshall validate linux --out docs -->"
END = "<!-- end of what parshall validate linux makes -->"
PARTING = "°"


def agreement(judged: Sequence[Judged]) -> Iterator[str]:
    """Cells that agree of those that were compared, by queue and control, for each measure."""
    yield f"| queue | control | {' | '.join(measure.label.split(',')[0] for measure in MEASURES)} |"
    yield f"|---|---|{'--:|' * len(MEASURES)}"
    for queue in QUEUES:
        for control in CONTROLS:
            of = [each for each in judged if (each.cell.place.queue, each.cell.control) == (queue, control)]
            if of:
                yield f"| {queue} | {control} | {' | '.join(_counts(of))} |"
    yield f"| all | | {' | '.join(_counts(judged))} |"


def _counts(judged: Sequence[Judged]) -> Iterator[str]:
    for measure in MEASURES:
        of = [each for each in judged if each.measure == measure]
        near, agreeing = sum(each.near for each in of), sum(each.agrees for each in of)
        yield f"{agreeing} ({near}) of {len(of)}" if of else ""


def numbers(judged: Sequence[Judged]) -> Iterator[str]:
    """All cells: means of Linux and ours with the half-width of the scatter; what parts is marked."""
    heads = [f"{measure.label}: Linux | ours" for measure in MEASURES]
    yield f"| cell | {' | '.join(heads)} |"
    yield f"|---|{'--:|--:|' * len(MEASURES)}"
    for cell, group in groupby(judged, key=lambda each: each.cell):
        found = {each.measure: each for each in group}
        cells = [_pair(found[measure]) if measure in found else " | " for measure in MEASURES]
        yield f"| {cell.name} | {' | '.join(cells)} |"


def _pair(judged: Judged) -> str:
    linux, ours = (f"{mean:.{judged.measure.digits}f}" for mean in judged.means)
    return f"{linux} | {ours}{'' if judged.agrees else f' {PARTING}'}"


def section(judged: Sequence[Judged], series: str, repeats: int, seeds: int) -> str:
    """What stands between the markers."""
    cells = len({each.cell for each in judged})
    agreeing, near = (sum(getattr(each, what) for each in judged) for what in ("agrees", "near"))
    tolerances = "; ".join(
        f"{measure.label} {_tolerance(measure.relative, measure.absolute)}" for measure in MEASURES
    )
    said = (
        f"Linux {series}, {cells} cells, {repeats} runs of each there and {seeds} here. Of {len(judged)} "
        f"comparisons {agreeing} agree ({100 * agreeing / len(judged):.0f} %), {near} of them because the "
        f"means are near: {tolerances}. The others are no farther apart than runs scatter, by Student's "
        f"{100 * CONFIDENCE:.0f} % interval for the difference of two means. In parentheses: those that are "
        "near."
    )
    parts = [
        BEGIN,
        said,
        "\n".join(agreement(judged)),
        "![What Linux and the simulator come to, a point for each cell](figures/linux-cells.svg)",
        "![The backlog of single runs over time, Linux and the simulator](figures/linux-courses.svg)",
        "<details><summary>All cells</summary>",
        f"{PARTING} marks what parts.",
        "\n".join(numbers(judged)),
        "</details>",
        END,
    ]
    return "\n\n".join(parts)


def _tolerance(relative: float, absolute: float) -> str:
    words = [f"{100 * relative:g} %"] if relative else []
    return " or ".join([*words, *([f"{absolute:g}"] if absolute else [])])


def write(folder: Path, made: str, figures: dict[str, str]) -> Path:
    """Puts the section between its markers in the folder's page, or into a new page, and writes the figures.

    Raises OutputError, also for a page that has no such place.
    """
    page = folder / PAGE
    with failing_as(folder):
        (folder / "figures").mkdir(parents=True, exist_ok=True)
        text = _placed(page, made)
        for name, svg in figures.items():
            (folder / "figures" / name).write_text(svg, encoding="utf-8")
        with staged(folder) as stage:
            (stage / PAGE).write_text(text, encoding="utf-8")
            (stage / PAGE).replace(page)
    return page


def _placed(page: Path, made: str) -> str:
    if not page.exists():
        return f"# Linux and the simulator\n\n{made}\n"
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise OutputError(str(page), f"has no lines {BEGIN} and {END} for the tables to stand between")
    return before + made + after
