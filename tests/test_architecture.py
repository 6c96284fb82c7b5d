"""docs/architecture.md names types and files that are there."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PAGE = "docs/architecture.md"
_DEFINED = re.compile(r"\b(?:struct|enum|trait|class|type|const)\s+([A-Z]\w+)")
_NAMED = re.compile(r"`([A-Z][a-z]\w+)`")


@cache
def sources(repository: Path) -> list[Path]:
    folders = [
        *(repository / "crates").glob("*/src"),
        *(repository / each for each in ("python", "dev", "studies")),
    ]
    files = (file for folder in folders for file in folder.rglob("*") if file.suffix in (".rs", ".py"))
    return [file for file in files if not {"tests", "tests.rs"} & set(file.parts)]


def defined(repository: Path, below: str = "") -> set[str]:
    """Types that sources in a folder define, and Python's own."""
    known = set(dir(builtins))
    for file in sources(repository):
        if file.is_relative_to(repository / below):
            known.update(_DEFINED.findall(file.read_text(encoding="utf-8")))
    return known


def test_types_are_there(repository: Path) -> None:
    named = set(_NAMED.findall((repository / PAGE).read_text(encoding="utf-8")))
    assert len(named) > 50
    assert named - defined(repository) == set()


def extensions(page: str) -> Iterator[tuple[str, set[str]]]:
    """The crate of each kind of thing that can be added to one, and the types that its row names."""
    for line in page.splitlines():
        row = [cell.strip() for cell in line[1:-1].split("|")]
        if len(row) == 4 and (crate := re.search(r"`(crates/\w+)/", row[2])):
            yield crate[1], set(_NAMED.findall(f"{row[1]} {row[3]}"))


def test_types_to_extend_are_in_the_crate_of_their_row(repository: Path) -> None:
    found = list(extensions((repository / PAGE).read_text(encoding="utf-8")))
    assert len(found) > 10
    known = {crate: defined(repository, crate) for crate, _ in found}
    assert [(crate, named - known[crate]) for crate, named in found if named - known[crate]] == []


def test_files_are_there(repository: Path) -> None:
    """A name that several files have stands with as much of its path as tells them apart."""
    folders = (repository / each for each in ("crates", "python", "dev", "studies", "tests"))
    there = {
        f"/{file.relative_to(repository).as_posix()}" for folder in folders for file in folder.rglob("*.*")
    }
    named = set(re.findall(r"`([a-z0-9_/]+\.(?:rs|py))`", (repository / PAGE).read_text(encoding="utf-8")))
    assert len(named) > 30
    found = {name: sorted(file for file in there if file.endswith(f"/{name}")) for name in named}
    assert {name: files for name, files in found.items() if len(files) != 1} == {}
