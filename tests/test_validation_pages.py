"""The tables of docs/validation: whole, as their commands write them, and told of in docs/validation.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from parshall_dev.bench.controls_ns3 import page as controls
from parshall_dev.bench.queues import page as queues
from parshall_dev.validate.machine.cells import chosen
from parshall_dev.validate.quic import page as quic
from parshall_dev.validate.statistics.study import STUDIES

DOCS = Path(__file__).parents[1] / "docs"
FOLDER = DOCS / "validation"
PAGES = sorted(FOLDER.glob("*.md"))
_CELLS = re.compile(r"(?<!\\)\|")


def tables(text: str) -> list[list[list[str]]]:
    """Tables of a page, as rows of cells."""
    blocks = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    return [[_CELLS.split(line)[1:-1] for line in block.splitlines()] for block in blocks]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tables_are_whole(page: Path) -> None:
    found = tables(page.read_text(encoding="utf-8"))
    assert found
    for head, rule, *rows in found:
        assert {len(row) for row in (head, rule, *rows)} == {len(head)}
        assert all(set(cell.strip()) <= set("-:") for cell in rule)
        assert rows


def test_each_page_is_told_of() -> None:
    told = (DOCS / "validation.md").read_text(encoding="utf-8")
    assert {f"validation/{page.name}" for page in PAGES} <= set(re.findall(r"\]\(([^)]*)\)", told))
    assert len(tables(told)) < 5, "what a command makes has a file of its own"


def test_pages_begin_as_their_commands_write_them() -> None:
    for name, head in (("queues", queues.HEAD), ("controls", controls.HEAD), ("quic", quic.head())):
        assert (FOLDER / f"{name}.md").read_text(encoding="utf-8").startswith(f"{head}\n")


def test_every_cell_of_the_machines_is_there() -> None:
    _, every = tables((FOLDER / "linux-machines.md").read_text(encoding="utf-8"))
    assert [row[0].strip() for row in every[2:]] == [cell.name for cell in chosen(())]


def test_what_the_statistics_found_is_what_is_said() -> None:
    made, told = (
        re.findall(r"^- study .*$", page.read_text(encoding="utf-8"), re.MULTILINE)
        for page in (FOLDER / "statistics.md", DOCS / "validation.md")
    )
    assert made == told
    assert [line.split()[2].rstrip(":") for line in made] == list(STUDIES)
    means = sum(
        sum(bool(cell.strip()) for cell in row[3:])
        for table in tables((FOLDER / "statistics.md").read_text(encoding="utf-8"))
        if table[0][2].strip() == "*n*"
        for row in table[2:]
        if row[1].strip() == "ours"
    )
    assert means == sum(int(line.split()[3]) for line in made)
