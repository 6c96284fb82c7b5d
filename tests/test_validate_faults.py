"""Folders of traces that are wrong: each fault is one line, with its place."""

from __future__ import annotations

import copy
import gzip
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.traces_made import COLUMNS, Rows, entry, folder, lines, only_verdict, rows, write_folder

from parshall.cli.main import main
from parshall_dev.validate import load_folder, validate

__all__ = ["entry", "folder", "rows"]

# ---- Bad input -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "scenarios.json:1: is not JSON"),
        ("[\n{]\n]", "scenarios.json:2: is not JSON"),
        ("{}", "scenarios.json: got {}, expected a list of scenarios"),
        ("[]", "scenarios.json: got [], expected a list of scenarios that is not empty"),
        ("[NaN]", "is not JSON: got NaN, expected a finite number"),
        ("\ud800", "is not UTF-8"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_a_file_that_holds_no_scenarios_is_one_line(
    folder: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "scenarios.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    assert main(["validate", "traces", str(folder)]) == 1
    shown = capsys.readouterr()
    assert len(lines(shown.err)) == 1
    assert message in shown.err


def replaced(entry: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy with another value at ``flows[0].variant``; DELETED takes the field away."""
    changed = copy.deepcopy(entry)
    *parents, last = [int(key) if key.isdigit() else key for key in re.findall(r"\w+", path)]
    parent: Any = changed
    for key in parents:
        parent = parent[key]
    if value is DELETED:
        del parent[last]
    else:
        parent[last] = value
    return changed


DELETED = object()


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("duration_s", 0, "got 0, expected a number above 0"),
        ("duration_s", "4", 'got "4", expected a number above 0'),
        ("bottleneck.AB.discipline", "red", 'got "red", expected "droptail"'),
        ("bottleneck.BA.queue_limit_pkts", 0, "got 0, expected a whole number of at least 1"),
        ("bottleneck.AB.rate_bps", -1, "got -1, expected a number above 0"),
        ("bottleneck.AB.loss", 0.1, "got 0.1, expected no field of this name"),
        ("bottleneck.AB", DELETED, "got nothing, expected an object"),
        ("flows[0].variant", "cubic", 'got "cubic", expected "tahoe" or "reno" or'),
        ("flows[0].variant", DELETED, "got nothing, expected"),
        ("flows[0].type", "quic", 'got "quic", expected "tcp" or "cbr"'),
        ("flows[0].id", 7, "got 7, expected 0"),
        ("flows[0].direction", "up", 'got "up", expected "forward" or "reverse"'),
        ("flows[0].pacing", True, "got true, expected no field of this name"),
        ("flows[0].syn_packet", 1, "got 1, expected true or false"),
        ("flows[0].syn_wire_bytes", 40, "got 40, expected nothing, since syn_packet is false"),
        ("flows[2].syn_wire_bytes", 1000, "got 1000, expected fewer than data_wire_bytes, 1000"),
        ("flows[0].delayed_ack_timer_s", 0.1, "got 0.1, expected nothing, since delayed_ack is false"),
        ("flows[0].tick_phase_s", 0.01, "got 0.01, expected less than tick_s, 0.01"),
        ("flows[0].max_rto_s", 0.1, "got 0.1, expected at least min_rto_s, 0.2"),
        ("flows[0].newreno_timer_restart", "never", 'got "never", expected "first partial ACK only" or'),
        ("flows[0].source", [], 'got [], expected "unlimited" or a list of packets added'),
        ("flows[1].source[1].time_s", 0.1, "got 0.1, expected no earlier than the one before, 0.2"),
        ("flows[1].start_s", 0.3, "got 0.3, expected the first time_s of source, 0.2"),
        ("flows[1].vegas.beta_pkts", 4, "got 4, expected 3, what our Vegas aims at"),
        ("flows[2].sack.max_blocks", 4, "got 4, expected 3, what our receiver reports"),
        ("flows[3].interval_s", 0, "got 0, expected a number above 0"),
        ("flows[3].interval_s", 1e-30, "got 1e-30, expected an interval that fits at most 1000000 times"),
        ("flows[0].ns2_classes", ["Agent/TCP"], 'got ["Agent/TCP"], expected ["Agent/TCP/Newreno"'),
        ("flows[0].ns2_settings.window_", 20, "got 20, expected 40, as the fields of the flow say"),
        (
            "flows[0].ns2_settings.maxburst_",
            4,
            "got 4, expected a variable that a field of the flow tells of",
        ),
        ("flows[0].ns2_settings.v_beta_", 3, "got 3, expected no such variable of newreno"),
        ("forced_drops[0].place", "host", 'got "host", expected "AB" or "BA"'),
        ("forced_drops[0].arrival_index", 0, "got 0, expected a whole number of at least 1"),
        ("forced_drops[0].flow", 4, "got 4, expected a flow from 0 to 3"),
    ],
)
def test_a_field_that_is_wrong_is_named(
    folder: Path,
    entry: dict[str, Any],
    rows: Rows,
    path: str,
    value: Any,
    expected: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_folder(folder, [{**replaced(entry, path, value), "name": "bad"}, entry], {"bad": rows})
    assert main(["validate", "traces", str(folder)]) == 1
    shown = capsys.readouterr()
    (line,) = lines(shown.err)
    assert line.startswith(f"parshall: {folder / 'scenarios.json'}: bad.{path}: {expected[:20]}")
    assert expected in line
    # The other one is compared all the same.
    assert [text.split()[:2] for text in lines(shown.out)[:2]] == [["bad", "cannot"], ["mixed", "exact"]]


IGNORED = ("category", "description", "counts")


def leaves(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for index, item in enumerate(value):
            yield from leaves(item, f"{path}[{index}]")
    else:
        yield path


def test_no_field_is_overlooked(tmp_path: Path, entry: dict[str, Any], rows: Rows) -> None:
    """Nonsense in any field is a fault, except where a field says nothing about the run."""
    paths = [path for path in leaves(entry) if path != "name"]
    assert len(paths) > 150
    write_folder(tmp_path, [entry], {"mixed": rows})
    for path in paths:
        write_folder(tmp_path, [replaced(entry, path, {"nonsense": 1})], {})
        verdict = only_verdict(tmp_path)
        if path.startswith(IGNORED):
            assert verdict.exact, path
        else:
            assert verdict.fault is not None, path
            assert path.split(".nonsense")[0] in verdict.fault


@pytest.mark.parametrize("name", ["mixed", "", "../mixed", "..", 7, None])
def test_names_are_files_of_their_own(tmp_path: Path, entry: dict[str, Any], rows: Rows, name: Any) -> None:
    folder = load_folder(write_folder(tmp_path, [entry, {**entry, "name": name}, 5], {"mixed": rows}))
    verdicts = list(validate(folder))
    assert [(v.name, v.exact) for v in verdicts] == [("mixed", True), ("[1]", False), ("[2]", False)]
    assert verdicts[1].fault is not None
    assert "scenarios.json: [1].name: got" in verdicts[1].fault
    assert verdicts[2].fault == f"{tmp_path / 'scenarios.json'}: [2]: got 5, expected an object"


def damaged(change: Callable[[list[str]], object]) -> Callable[[bytes], bytes]:
    def apply(packed: bytes) -> bytes:
        text = gzip.decompress(packed).decode().splitlines()
        change(text)
        return gzip.compress("\n".join(text).encode())

    return apply


def cell(line: int, column: str, value: str) -> Callable[[list[str]], None]:
    def change(text: list[str]) -> None:
        cells = text[line - 1].split(",")
        cells[COLUMNS.index(column)] = value
        text[line - 1] = ",".join(cells)

    return change


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda packed: packed[: len(packed) // 2], "cannot be read as gzip"),
        (lambda packed: packed[:40] + bytes(40) + packed[80:], "cannot be read as gzip"),
        (lambda packed: b"time_s,event", "cannot be read as gzip"),
        (lambda packed: gzip.compress(b"\xff\xfe"), "is not UTF-8"),
        (lambda packed: gzip.compress(b""), ':1: got "", expected the columns time_s,event,'),
        (damaged(lambda text: text.pop(0)), ":1: got"),
        (damaged(cell(1, "seq", "number")), ":1: got"),
        (damaged(cell(9, "time_s", "soon")), ':9: time_s: got "soon", expected seconds, in order'),
        (damaged(cell(9, "time_s", "nan")), ':9: time_s: got "nan", expected seconds, in order'),
        (damaged(cell(9, "time_s", "0.01")), ':9: time_s: got "0.01", expected seconds, in order'),
        (damaged(cell(7, "event", "x")), ':7: event: got "x", expected "+" or "-" or "d" or "r"'),
        (damaged(cell(7, "kind", "nak")), ':7: kind: got "nak", expected "data" or "ack"'),
        (damaged(cell(7, "flow", "4")), ':7: flow: got "4", expected 0 to 3'),
        (damaged(cell(7, "seq", "1.5")), ':7: seq: got "1.5", expected a whole number of at least -1'),
        (damaged(cell(7, "seq", "9" * 30)), ':7: seq: got "999'),
        (
            damaged(cell(7, "size_bytes", "0")),
            ':7: size_bytes: got "0", expected a whole number of at least 1',
        ),
        (damaged(cell(7, "place", "AC")), ':7: place: got "AC", expected "AB" or "BA" or "host"'),
        (damaged(cell(7, "note", "why")), ':7: note: got "why", expected'),
        (damaged(lambda text: text.insert(5, "1,2,3")), ':6: got "1,2,3", expected 8 columns'),
        (damaged(lambda text: text.insert(5, "")), ':6: got "", expected 8 columns'),
        (damaged(lambda text: text.insert(5, '"')), "is not CSV"),
    ],
)
def test_a_damaged_trace_is_one_line(
    folder: Path,
    entry: dict[str, Any],
    rows: Rows,
    damage: Callable[[bytes], bytes],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_folder(folder, [{**entry, "name": "bad"}, entry], {"bad": rows})
    trace = folder / "traces" / "bad.csv.gz"
    trace.write_bytes(damage(trace.read_bytes()))
    assert main(["validate", "traces", str(folder)]) == 1
    shown = capsys.readouterr()
    (line,) = lines(shown.err)
    assert line.startswith(f"parshall: {trace}:")
    assert message in line
    assert lines(shown.out)[1].split()[:2] == ["mixed", "exact"]


def test_a_missing_trace_is_one_line(
    folder: Path, entry: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    write_folder(folder, [{**entry, "name": "lost"}, entry], {})
    assert main(["validate", "traces", str(folder)]) == 1
    shown = capsys.readouterr()
    trace = folder / "traces" / "lost.csv.gz"
    assert shown.err == f"parshall: {trace}: no such file, expected the trace of the scenario\n"
    assert lines(shown.out)[1].split()[:2] == ["mixed", "exact"]
