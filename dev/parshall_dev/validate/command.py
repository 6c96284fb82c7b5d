"""The work of ``parshall validate traces``: verdicts as they come, a summary, and a report as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from parshall.errors import InputError
from parshall.support.files import write_file
from parshall_dev.validate.compared import Compared, validate
from parshall_dev.validate.display import described, summary
from parshall_dev.validate.folder import load_folder

__all__ = ["validate_folder"]


def validate_folder(path: str, only: Sequence[str], report: str | None) -> bool:
    """Compares the scenarios of a folder, all or only those named, and prints the verdicts.

    Returns whether all are exact. Raises ParshallError for a folder that cannot be read and a report that
    cannot be written, and UsageError for a name that is not there.
    """
    folder = load_folder(path)
    if only:
        try:
            folder = folder.only(only)
        except InputError as error:
            raise click.UsageError(str(error)) from None
    width = max(len(entry.name) for entry in folder.entries)
    verdicts = []
    for verdict in validate(folder):
        verdicts.append(verdict)
        for line in described(verdict, width):
            click.echo(line)
        if verdict.fault is not None:
            click.echo(f"parshall: {verdict.fault}", err=True)
    click.echo(summary(verdicts))
    if report is not None:
        _write(verdicts, Path(report))
    return all(verdict.exact for verdict in verdicts)


def _write(verdicts: Sequence[Compared], file: Path) -> None:
    text = json.dumps([verdict.to_dict() for verdict in verdicts], indent=1, ensure_ascii=False)
    write_file(file, text + "\n")
