"""The guide to sweeps: what it shows is what happens. ``python tests/test_sweep_guide.py`` writes it anew."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
GUIDE = REPOSITORY / "docs" / "guide" / "sweep.md"
BLOCK = re.compile(r"^```(?P<kind>\S*)(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)


def shown(kind: str, info: str, text: str, folder: Path) -> str:
    """Expected content of a block of the guide: a file, a command's output, a query's result."""
    if info.startswith(" file="):
        return (REPOSITORY / info.removeprefix(" file=")).read_text()
    if kind == "console":
        command = text.splitlines()[0].removeprefix("$ ")
        return f"$ {command}\n{output(command, folder)}"
    if kind == "sql":
        query = text.split("\n\n", maxsplit=1)[0].rstrip() + "\n"
        return f"{query}\n{result(query, folder)}"
    return text


def output(command: str, folder: Path) -> str:
    """Output of a command; paths in it are those of the repository."""
    program, *arguments = command.split()
    paths = [str(REPOSITORY / word) if word.startswith("examples/") else word for word in arguments]
    binary = sys.executable if program == "python" else Path(sys.executable).parent / program
    done = subprocess.run([binary, *paths], cwd=folder, capture_output=True, text=True, check=True)
    return "\n".join(line.rstrip() for line in done.stdout.strip("\n").splitlines()) + "\n"


def result(query: str, folder: Path) -> str:
    """The rows of a query as comments below it."""
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    found = duckdb.sql(query.replace("out/queues", str(folder / "out" / "queues")))
    rows = [tuple(found.columns), *found.fetchall()]
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(found.columns))]
    lines = (
        "  ".join(f"{value!s:>{width}}" for value, width in zip(row, widths, strict=True)) for row in rows
    )
    return "".join(f"-- {line}\n" for line in lines)


def renewed(text: str, folder: Path) -> str:
    """The guide with every block as it should be, from the top to the bottom."""

    def block(match: re.Match[str]) -> str:
        content = shown(match["kind"], match["info"], match["text"], folder)
        return f"```{match['kind']}{match['info']}\n{content}```"

    return BLOCK.sub(block, text)


def test_the_guide_shows_what_happens(tmp_path: Path) -> None:
    text = GUIDE.read_text()
    assert renewed(text, tmp_path) == text, "python tests/test_sweep_guide.py writes it anew"


def test_python_blocks_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = [match["text"] for match in BLOCK.finditer(GUIDE.read_text()) if match["kind"] == "python"]
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), names)
        assert capsys.readouterr().out
    assert len(blocks) == 2
    assert (tmp_path / "out" / "sweep" / "sweep.json").exists()


@pytest.mark.parametrize("path", re.findall(r"\]\((?!http)([^)#]+)[^)]*\)", GUIDE.read_text()))
def test_links_lead_somewhere(path: str) -> None:
    assert (GUIDE.parent / path).exists()


def _write(renew: Callable[[str, Path], str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PARSHALL_CACHE"] = str(Path(folder) / "cache")
        GUIDE.write_text(renew(GUIDE.read_text(), Path(folder)))


if __name__ == "__main__":
    _write(renewed)
