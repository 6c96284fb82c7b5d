"""A terminal shows what files say and never obeys it; its width cuts no number; streams may be closed."""

from __future__ import annotations

import io
import json
import logging
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from rich.table import Table
from tests.written_results import SMALL, writers

import parshall
from parshall.cli.main import main
from parshall.cli.surroundings import take_warnings
from parshall.support.console import PlainConsole
from parshall.support.terminal import escaped

TITLES = {
    "brackets": "Queues [draft] of [/s] [a] :smile: [link=http://x]y[/link]",
    "a colour": "red \x1b[31mtext\x07",
    "an old control": "\x9b31m and \x7f",
    "another direction": "abc \u202edcba\u2066",
    "lines": "one\ntwo\rthree\ttab",
    "right to left": "עברית وعربية",
    "long": "long " * 100 + "end",
}
"""Scenarios and sweeps refuse titles with characters that are not printed."""

OBEYED = {*map(chr, (*range(10), *range(11, 32), *range(127, 160))), "\u202e", "\u2066"}
"""Characters that a terminal obeys, but for the end of a line."""

PING = "PING x (192.0.2.1) 56(84) bytes of data.\n" + "".join(
    f"64 bytes from 192.0.2.1: icmp_seq={n} ttl=50 time={20 + n * n % 37}.{n % 10} ms\n"
    for n in range(1, 301)
)
NUMBER = re.compile(r"[-+]?\d[\d,.]*%?")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Inputs of commands by name."""
    place = tmp_path_factory.mktemp("inputs")
    write = writers(place)
    write["recording"](place / "rec", 1)
    write["ensemble"](place / "many", 2)
    write["sweep"](place / "swept", 2)
    (place / "ping.txt").write_text(PING)
    (place / "a.toml").write_text(SMALL.format(top="", flows=3))
    (place / "long.toml").write_text(
        SMALL.format(top="", flows=1).replace(
            "count", 'name = "a-flow-whose-name-is-quite-long-indeed-", count'
        )
    )
    (place / "sweep.toml").write_text(
        'seeds = 2\nscenario = "a.toml"\n[parameters]\n"links[bottleneck].rate" = ["2 Mbit/s", "4 Mbit/s"]\n'
        '"links[bottleneck].delay" = ["5 ms"]\n'
    )
    names = ("rec", "many", "swept", "ping.txt", "a.toml", "long.toml", "sweep.toml", "2.pcap")
    return {name.partition(".")[0] if name != "2.pcap" else "pcap": str(place / name) for name in names}


COMMANDS = {
    "run": "run {a}",
    "run, long names": "run {long}",
    "run --seeds": "run {a} --seeds 2",
    "compare": "compare {rec} {rec}",
    "compare many": "compare {many} {many}",
    "compare a sweep": "compare {swept} {swept}",
    "sweep": "sweep {sweep} --out {out}",
    "sweep --dry-run": "sweep {sweep} --dry-run",
    "capture": "capture {pcap}",
    "rto": "rto {ping} --out {out}",
    "forecast": "forecast {ping} --out {out}",
    "hurst": "hurst {ping} --out {out}",
    "check": "check {a} --routes",
    "plot": "plot {rec} --out {out}/f.svg",
    "plot many": "plot {many} --out {out}/f.svg",
    "new": "new {out}/f.toml",
    "cache": "cache",
}


def arguments(command: str, made: dict[str, str], place: Path) -> list[str]:
    return [part.format(**made, out=place / "out") for part in COMMANDS[command].split(" ")]


# --- Titles -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TITLES)
def test_a_title_is_printed_as_it_is(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = f"title = {json.dumps(TITLES[kind])}".replace("\x7f", "\\u007f")
    scenario, sweep = tmp_path / "[b] s.toml", tmp_path / "sweep.toml"
    scenario.write_text(SMALL.format(top=said, flows=1), encoding="utf-8")
    (tmp_path / "plain.toml").write_text(SMALL.format(top="", flows=1))
    swept = 'seeds = 2\nscenario = "plain.toml"\n[parameters]\n"duration" = ["0.1 s", "0.2 s"]\n'
    sweep.write_text(f"{said}\n{swept}", encoding="utf-8")
    recorded = str(tmp_path / "[i] rec")
    for command in (
        ["run", str(scenario), "--out", recorded],
        ["sweep", str(sweep), "--out", str(tmp_path / "swept"), "--no-cache"],
    ):
        status = main(command)
        out, err = capsys.readouterr()
        assert status == (0 if TITLES[kind].isprintable() else 1)
        assert not OBEYED & {*out, *err}
        if status == 0:  # a table's own title is folded where it is longer than the table
            assert "".join(TITLES[kind].split()) in "".join(out.split())
    if kind == "brackets":
        assert main(["compare", recorded, recorded]) == main(["check", str(scenario)]) == 0
        assert recorded in (out := capsys.readouterr().out)
        assert str(scenario) in out


def test_what_is_escaped_is_only_what_a_terminal_obeys() -> None:
    for code in range(sys.maxunicode + 1):
        shown = escaped(chr(code))
        if shown != chr(code) and not 0xD800 <= code < 0xE000:
            assert shown.isascii()
            assert code >= 0x7F or code < 0x20
            assert code < 0x7F or json.loads(f'"{shown}"') == chr(code)
    assert escaped("µ ± é 中 🙂 \udcff") == "µ ± é 中 🙂 \\udcff"


def test_a_name_in_an_error_is_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "no\x1b[2Jthing.toml"]) == 1
    assert r"no\x1b[2Jthing.toml" in capsys.readouterr().err


# --- Narrow terminals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("cache", "plot", "plot many")])
def test_no_number_is_cut_on_a_narrow_terminal(
    command: str,
    made: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def numbers() -> set[str]:
        assert main(arguments(command, made, tmp_path)) == 0
        out = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", capsys.readouterr().out)
        assert "…" not in out
        for width in widths:
            assert max(map(len, out.splitlines())) <= width or "out" in out
        # Seconds of the clock, and what differs from call to call.
        out = re.sub(r"\d+\s+done\s+now|read\s+in\s+\S+|\S*/\S*", "", out)
        return {word for word in out.split() if NUMBER.fullmatch(word)}

    widths: list[int] = []
    whole = numbers()
    (tmp_path / "out/f.toml").unlink(missing_ok=True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    for width in (40, 60, 80):
        monkeypatch.setenv("COLUMNS", str(width))
        widths[:] = [width]
        assert whole <= numbers()
        (tmp_path / "out/f.toml").unlink(missing_ok=True)


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize("columns", [1, 2, 7, 20])
def test_every_cell_of_a_table_is_there_in_parts(width: int, columns: int) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("name of a flow")
    for number in range(columns):
        table.add_column(f"a heading of column {number}", justify="left" if number % 5 == 4 else "right")
    for row in range(3):
        cells = (f"{10**number + row:,} Mbit/s" for number in range(columns))
        table.add_row(f"a flow whose name is rather long, number {row}", *cells)
    console = PlainConsole(force_terminal=True, width=width, record=True, file=io.StringIO())
    console.show(table)
    lines = console.export_text().splitlines()
    assert max(map(len, lines)) <= width
    words = " ".join(lines).split()
    for number in range(min(columns, 14)):
        for row in range(3):
            assert f"{10**number + row:,}" in words


# --- Streams and warnings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_warns(
    command: str, made: dict[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Warnings are errors here."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main(arguments(command, made, tmp_path)) == 0
    assert not re.search("Warning|Traceback", capfd.readouterr().err)


def test_closed_streams_end_quietly(tmp_path: Path) -> None:
    """Each alone, and all of them."""
    (tmp_path / "a.toml").write_text(SMALL.format(top="", flows=1))
    given = {
        "run a.toml --out rec <&- >&- 2>&-": 0,
        "run a.toml >&-": 0,
        "check a.toml 2>&-": 0,
        "run - <&-": 1,
        "capture - <&- 2>&-": 1,
    }
    for line, status in given.items():
        shell = ["sh", "-c", f"{sys.executable} -m parshall {line}"]
        done = subprocess.run(shell, capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False)
        assert done.returncode == status, line
        assert done.stderr.count("\n") == (line == "run - <&-"), done.stderr
    assert main(["check", str(tmp_path / "rec")]) == 0


def test_warnings_of_libraries_are_dropped_and_those_of_own_code_are_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "warnoptions", [])
    monkeypatch.setattr(logging, "lastResort", logging.lastResort)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        take_warnings()
        for file in (np.__file__, parshall.__file__, json.__file__, "<string>"):
            warnings.warn_explicit("of a library", UserWarning, file, 1)
        warnings.warn_explicit("mine\nof two lines", UserWarning, "/home/me/own.py", 8)
    assert capsys.readouterr().err == "parshall: /home/me/own.py:8: mine of two lines\n"
