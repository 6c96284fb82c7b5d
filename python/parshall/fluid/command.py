"""What ``parshall fluid`` does: computes, measures, and writes the page on the fluid model."""

from __future__ import annotations

from pathlib import Path

import click

from parshall.fluid.page import make

__all__ = ["compute_and_write"]


def compute_and_write(seeds: int, threads: int | None, out: str) -> None:
    """The page goes into the folder ``out``, which is made if it is not there. Raises OutputError."""
    click.echo(f"written to {make(Path(out), seeds, threads, click.echo)}")
