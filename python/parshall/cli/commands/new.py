"""The command ``new``: a commented scenario to start from."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from parshall.errors import InputError, OutputError, shown
from parshall.support.files import write_file
from parshall.support.terminal import echo

__all__ = ["KINDS", "write_new"]

KINDS = ("dumbbell", "parking-lot", "red")


def write_new(file: str, kind: str, force: bool) -> None:
    """Writes the scenario of a kind into a file; ``force`` replaces one that is there.

    Raises InputError for a name that ends otherwise, and OutputError for a file that is there.
    """
    target = Path(file)
    if target.suffix != ".toml":
        raise InputError("FILE", shown(file), "a name that ends in .toml")
    if target.exists() and not force:
        raise OutputError(file, "already exists; --force overwrites it")
    text = (files("parshall.cli.commands") / "templates" / f"{kind}.toml").read_text(encoding="utf-8")
    write_file(target, text)
    echo(f"{file} written; parshall run {file} runs it")
