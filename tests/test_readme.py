"""Examples of the README work as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from parshall_dev.bench import readme

README = Path(__file__).parent.parent / "README.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(), re.DOTALL)


@pytest.mark.parametrize("code", blocks("python"))
def test_python_blocks_run(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, str(README), "exec"), {})
    assert capsys.readouterr().out


@pytest.mark.parametrize("path", re.findall(r"\]\((?!http)([^)#]+)\)", README.read_text()))
def test_links_lead_somewhere(path: str) -> None:
    assert (README.parent / path).exists()


def test_the_table_of_neighbours_is_what_commands_found() -> None:
    """``python -m parshall_dev.bench.readme`` makes it anew."""
    text = README.read_text()
    assert text.partition(readme.BEGIN)[2].partition(readme.END)[0] == readme.table()


def test_nothing_is_said_of_a_neighbour_that_was_not_measured() -> None:
    cells = [line.split("|")[5].strip() for line in readme.table().splitlines()[2:]]
    performance = (README.parent / "docs/performance.md").read_text()
    measured = re.findall(r"^\| (P\d) \| htsim \|", performance, re.MULTILINE)
    memory = "P2" in measured
    assert sum(cell != "not measured" for cell in cells) == len(measured) + memory


def test_it_is_read_in_a_minute() -> None:
    assert len(README.read_text().split()) < 900
