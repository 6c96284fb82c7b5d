"""Runs ``parshall validate theory``: measures, writes the page, prints each law's largest deviation."""

from __future__ import annotations

from pathlib import Path

import click

from parshall_dev.theory.page import deviation, measure, write

__all__ = ["measure_and_write"]


def measure_and_write(seeds: int, jobs: int | None, out: str) -> None:
    """The page goes into the folder ``out``, which is made if it is not there. Raises OutputError."""
    from parshall.support.causes import output_errors

    folder = Path(out)
    # First, so that a folder that cannot be written does not cost the runs.
    with output_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    found = measure(seeds, jobs, lambda what: click.echo(f"measuring {what}"))
    page = write(folder, found, seeds)
    width = max(len(comparison.title) for comparison in found.values())
    for comparison in found.values():
        click.echo(
            f"{comparison.title:<{width}}  {comparison.runs:>4} runs, "
            f"largest deviation {deviation(comparison.worst)}"
        )
    click.echo(f"written to {page}")
