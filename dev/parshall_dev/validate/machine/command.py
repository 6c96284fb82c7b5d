"""The work of ``parshall validate linux`` without a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from parshall.errors import InputError
from parshall_dev.validate.machine.cells import Cell, Place, chosen
from parshall_dev.validate.machine.figures import all_cells, courses, files
from parshall_dev.validate.machine.judge import Judged, judge
from parshall_dev.validate.machine.measures import measures_of
from parshall_dev.validate.machine.ours import simulate
from parshall_dev.validate.machine.page import agreement, numbers, section, write
from parshall_dev.validate.machine.runs import Linux

__all__ = ["compare_machines", "validate_machines"]

_QUICK = "droptail-1M-10ms-*"
_SERIES, _REPEATS, _SEEDS, _OUT = "6.1", 2, 10, "out/linux"


def validate_machines(
    *,
    only: tuple[str, ...],
    quick: bool,
    kernel: str | None,
    repeats: int | None,
    seeds: int | None,
    jobs: int | None,
    out: str | None,
) -> None:
    """With the defaults of options that are not given. Raises what :func:`compare_machines` raises."""
    if quick and only:
        raise click.UsageError("got --quick and --only, expected one of them")
    if quick:
        only, repeats = (_QUICK,), repeats or 1
    compare_machines(only, kernel or _SERIES, repeats or _REPEATS, seeds or _SEEDS, jobs, out or _OUT)


def compare_machines(
    only: Sequence[str], series: str, repeats: int, seeds: int, jobs: int | None, out: str
) -> list[Judged]:
    """Runs the cells in machines and here, prints the tables and writes the page and its figures.

    Raises ParshallError where no machine can run, and UsageError for a pattern that no cell has.
    """
    try:
        cells = chosen(only)
    except InputError as error:
        raise click.UsageError(str(error)) from None
    machines = Linux.open(series)
    wanted = [(place, draw) for draw in range(1, repeats + 1) for place in _places(cells)]
    machines.ensure(wanted, lambda what: click.echo(what, err=True))
    theirs = {
        place: [machines.runs(place, draw) for draw in range(1, repeats + 1)] for place in _places(cells)
    }
    linux = {cell: [runs[cell.name] for runs in theirs[cell.place]] for cell in cells}
    click.echo(f"simulating {len(cells)} cells with {seeds} seeds", err=True)
    found = simulate([(cell, draw) for cell in cells for draw in range(1, seeds + 1)], jobs, None)
    ours = {cell: [found[cell, draw] for draw in range(1, seeds + 1)] for cell in cells}
    judged = judge(
        *(
            {cell: [measures_of(cell, run) for run in runs] for cell, runs in side.items()}
            for side in (linux, ours)
        )
    )
    for line in (*numbers(judged), "", *agreement(judged)):
        click.echo(line)
    first_of = [{cell: runs[0] for cell, runs in side.items()} for side in (linux, ours)]
    drawn = files([all_cells(judged), courses(*first_of)])
    made = section(judged, machines.machine.kernel.release, repeats, seeds)
    click.echo(f"written to {write(Path(out), made, drawn)}")
    return judged


def _places(cells: Sequence[Cell]) -> list[Place]:
    return list(dict.fromkeys(cell.place for cell in cells))
