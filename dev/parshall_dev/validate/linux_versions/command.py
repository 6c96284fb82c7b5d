"""The work of ``parshall validate linux-versions``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from parshall.support.files import write_file
from parshall_dev.validate.linux_versions.page import page
from parshall_dev.validate.linux_versions.seen import find, keep, kept

__all__ = ["compare_versions"]


def compare_versions(run: Sequence[str], out: str | None) -> None:
    """Runs the kernels of the series in `run`, keeps what they did, and prints or writes the page.

    Raises ParshallError where no machine can run.
    """
    kernels = kept()
    for series in run:
        click.echo(f"Linux {series} in a machine, some minutes", err=True)
        kernels[series] = find(series)
        keep(kernels)
    text = page(kept())
    if out is None:
        click.echo(text, nl=False)
    else:
        write_file(Path(out), text)
        click.echo(f"written to {out}")
