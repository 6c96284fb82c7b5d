"""What ``parshall validate linux`` does without a folder: machines, the simulator, a table."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

import click

from parshall.ensemble import checked_jobs
from parshall.errors import InputError, shown
from parshall.measure import measure
from parshall.progress import progress_bar
from parshall.validate.kernel import machines, ours
from parshall.validate.kernel.cells import Cell, cells
from parshall.validate.kernel.compare import Compared
from parshall.validate.kernel.page import table, write

if TYPE_CHECKING:
    from rich.console import Console

    from parshall.validate.kernel.reading import Measured

SERIES = ("6.1", "6.12")
SEEDS = 10


def validate_kernel(
    series: str, only: Sequence[str], seeds: int, jobs: int | None, out: str | None, console: Console
) -> None:
    """Compares cells, all or those that a pattern such as ``cubic/*/1M/*`` names, and prints the table."""
    chosen = _chosen(only)
    found = compare(series, chosen, seeds, jobs, console)
    for line in table(found):
        click.echo(line)
    if out is not None:
        told = (
            f"Debian's kernel {series}, {len(found)} cells, one run each, beside {seeds} seeds of the "
            "simulator. A cell is alike where the kernel's value lies in the 95 % prediction interval of a "
            "run of ours, or close to the mean of ours; the number is the median size of the difference."
        )
        write(Path(out), found, told)
        click.echo(f"written to {out}")


def compare(
    series: str, chosen: Sequence[Cell], seeds: int, jobs: int | None, console: Console
) -> list[Compared]:
    """Every cell on both sides, in the order of the grid."""
    kernel: dict[str, Measured] = {}
    with progress_bar(console) as progress:
        task = progress.add_task("Machines", total=len(chosen))
        for each in machines.run(series, chosen, checked_jobs(jobs)):
            kernel |= each
            progress.update(task, completed=len(kernel))
        task = progress.add_task("Simulator", total=len(chosen) * seeds)
        simulated = measure(
            {cell: ours.network(cell) for cell in chosen},
            range(1, seeds + 1),
            ours.of_run,
            tables=ours.TABLES,
            jobs=jobs,
            progress=lambda done, _: progress.update(task, completed=done),
        )
    return [Compared(cell, kernel[cell.name], simulated[cell]) for cell in chosen]


def _chosen(only: Sequence[str]) -> list[Cell]:
    every = list(cells())
    for pattern in only:
        if not any(fnmatch(cell.name, pattern) for cell in every):
            expected = "a pattern of names such as cubic/red/1M/50ms/16 or bbr/*"
            raise InputError("only", shown(pattern), expected)
    return [cell for cell in every if not only or any(fnmatch(cell.name, pattern) for pattern in only)]
