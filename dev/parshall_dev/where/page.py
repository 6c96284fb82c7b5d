"""``python -m parshall_dev.where.page`` writes docs/where.md: which estimator runs where."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import click

from parshall.own.kinds import KINDS, Kind
from parshall_dev.checkout import ROOT
from parshall_dev.where import rust
from parshall_dev.where.places import PLACES, there
from parshall_dev.where.rows import rows

__all__ = ["PAGE", "page"]

PAGE = "docs/where.md"


def page() -> str:
    """The page in Markdown."""
    text = Path(__file__).with_name("page.md").read_text(encoding="utf-8")
    own = (f"| {_own(kind)} |" for kind in KINDS.values())
    return text.format(table="\n".join(_table()), own="\n".join(own))


def _table() -> Iterator[str]:
    yield f"| | {' | '.join(PLACES)} |"
    yield "|---" * (1 + len(PLACES)) + "|"
    for group, listed in groupby(rows(), lambda row: row.group):
        yield f"| **{group}** |" + " |" * len(PLACES)
        for row in listed:
            cells = (f"`{row.name}`", *(there(row, place) for place in PLACES))
            yield f"| {' | '.join(cells)} |"


def _own(kind: Kind) -> str:
    return f"a {kind.noun} | `parshall.{kind.base}` | `{_header(kind)}` | `{_trait(kind)}`"


def _header(kind: Kind) -> str:
    """The header of a kind. Raises FileNotFoundError."""
    file = ROOT / "python/parshall/own/include" / f"parshall_{kind.name}.h"
    return file.resolve(strict=True).name


def _trait(kind: Kind) -> str:
    """The path of the trait that a type in Rust implements. Raises LookupError."""
    for crate, module in (("control", "user"), ("scenario", "value"), ("sim", "own")):
        for file, text in rust.code(crate).items():
            if f"pub trait {kind.part}:" in text and module in (file.parts[0], file.stem):
                return f"parshall_{crate}::{module}::{kind.part}"
    raise LookupError(f"no trait {kind.part}")


@click.command()
@click.option("--page", "file", default=str(ROOT / PAGE), metavar="FILE", help="The page.")
def write(file: str) -> None:
    """Write the table of what runs where."""
    Path(file).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    write()
