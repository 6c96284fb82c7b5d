"""``python -m parshall_dev.writing`` finds code that writes a file into its place.

A reader can meet half of such a file, and keeps half of it when the disk is full.

The package and the studies write through ``parshall.support.files`` alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click

from parshall_dev.checkout import ROOT

__all__ = ["writes", "writes_of"]

_FOLDERS = ("python/parshall", "studies/parshall_studies")

_NAMES = {
    *("write_text", "write_bytes", "touch", "symlink_to", "hardlink_to", "tofile", "dump"),
    *("savefig", "imsave", "savez", "savez_compressed", "savetxt"),
    *("write_table", "write_csv", "write_feather", "write_parquet", "write_dataset"),
    *("ParquetWriter", "OSFile"),
    *("to_parquet", "to_csv", "to_feather", "to_pickle", "to_excel", "to_hdf"),
    *("copyfile", "copy2", "copytree", "NamedTemporaryFile", "mkstemp", "mkdtemp", "TemporaryDirectory"),
}
"""Functions and methods that write a file, or make one to write to."""

_MODE = re.compile(r"(?=.*[wax+])[rwaxbt+]{1,3}")

_ALLOWED = {
    "support/files.py": "the door itself",
    "support/moves.py": "journals, in stages",
    "support/stages.py": "stages",
    "capture/spool.py": "rows that wait in a stage, and tables that are written into one",
    "own/library.py": "copies for the loader, in a temporary folder",
    "plot.py": "figures in memory",
    "recording/pictures/notebook.py": "figures in memory",
    "capture/shown.py": "text in memory",
    "study/html.py": "text in memory",
}
"""Files that may call them, and what for."""


def writes_of(text: str) -> Iterator[tuple[int, str]]:
    """Line and name of each call in a Python file that writes into a place."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        called = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
        if called in _NAMES or (called == "open" and _opens_to_write(node)):
            yield node.lineno, called


def writes(folder: Path) -> Iterator[tuple[Path, int, str]]:
    """Such calls in the files below a folder, but for those that are allowed."""
    for file in sorted(folder.rglob("*.py")):
        if not file.as_posix().endswith(tuple(f"/{name}" for name in _ALLOWED)):
            yield from ((file, *each) for each in writes_of(file.read_text(encoding="utf-8")))


def _opens_to_write(call: ast.Call) -> bool:
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    texts = [each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return any(_MODE.fullmatch(text) for text in texts)


@click.command()
def main() -> None:
    """Name the calls; the status is 1 if there are any."""
    found = [each for folder in _FOLDERS for each in writes(ROOT / folder)]
    for file, line, called in found:
        place = f"{file.relative_to(ROOT)}:{line}"
        click.echo(f"{place}: {called}, expected a function of parshall.support.files", err=True)
    if found:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
