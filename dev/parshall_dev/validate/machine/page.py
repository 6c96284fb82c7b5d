"""Findings in Markdown: how many cells agree, which part, all numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from parshall.support.files import write_file
from parshall_dev.validate.machine.cells import CONTROLS, QUEUES
from parshall_dev.validate.machine.judge import CONFIDENCE
from parshall_dev.validate.machine.measures import MEASURES
from parshall_studies import study as st

if TYPE_CHECKING:
    from parshall_dev.validate.machine.judge import Judged

__all__ = ["PAGE", "agreement", "numbers", "section", "write"]

PAGE = "linux-machines.md"
PARTING = "°"


def agreement(judged: Sequence[Judged]) -> Iterator[str]:
    """Cells that agree of those that were compared, by queue and control, for each measure."""
    rows: list[tuple[str, ...]] = []
    for queue in QUEUES:
        for control in CONTROLS:
            of = [each for each in judged if (each.cell.place.queue, each.cell.control) == (queue, control)]
            if of:
                rows.append((queue, control, *_counts(of)))
    rows.append(("all", "", *_counts(judged)))
    heads = (st.Column("queue", "text"), st.Column("control", "text"))
    names = (measure.label.split(",")[0] for measure in MEASURES)
    yield from st.markdown(st.Table("agreement", (*heads, *names), rows))


def _counts(judged: Sequence[Judged]) -> Iterator[str]:
    for measure in MEASURES:
        of = [each for each in judged if each.measure == measure]
        near, agreeing = sum(each.near for each in of), sum(each.agrees for each in of)
        yield f"{agreeing} ({near}) of {len(of)}" if of else ""


def numbers(judged: Sequence[Judged]) -> Iterator[str]:
    """All cells: means of Linux and ours with the half-width of the scatter; what parts is marked."""
    rows = []
    for cell, group in groupby(judged, key=lambda each: each.cell):
        found = {each.measure: each for each in group}
        pairs = [_pair(found[measure]) if measure in found else ("", "") for measure in MEASURES]
        rows.append((cell.name, *(each for pair in pairs for each in pair)))
    heads = (head for measure in MEASURES for head in (f"{measure.label}: Linux", "ours"))
    yield from st.markdown(st.Table("cells", (st.Column("cell", "text"), *heads), rows))


def _pair(judged: Judged) -> tuple[str, str]:
    linux, ours = (f"{mean:.{judged.measure.digits}f}" for mean in judged.means)
    return linux, ours if judged.agrees else f"{ours} {PARTING}"


def section(judged: Sequence[Judged], series: str, repeats: int, seeds: int) -> str:
    """The page."""
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
        "# Linux and the simulator",
        "Made by `parshall validate linux --out docs/validation`; [what it means](../validation.md).",
        said,
        "\n".join(agreement(judged)),
        "![What Linux and the simulator come to, a point for each cell](figures/linux-cells.svg)",
        "![The backlog of single runs over time, Linux and the simulator](figures/linux-courses.svg)",
        "## All cells",
        f"{PARTING} marks what parts.",
        "\n".join(numbers(judged)),
    ]
    return "\n\n".join(parts) + "\n"


def _tolerance(relative: float, absolute: float) -> str:
    words = [f"{100 * relative:g} %"] if relative else []
    return " or ".join([*words, *([f"{absolute:g}"] if absolute else [])])


def write(folder: Path, made: str, figures: dict[str, str]) -> Path:
    """Writes the page and its figures into a folder; returns the page. Raises OutputError."""
    page = folder / PAGE
    write_file(page, made)
    for name, svg in figures.items():
        write_file(folder / "figures" / name, svg)
    return page
