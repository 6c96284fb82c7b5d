"""`parshall validate traces`: what is exact, where two runs part, and what cannot be compared."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.traces_made import (
    Rows,
    cbr_flow,
    entry,
    folder,
    lines,
    only_verdict,
    own_events,
    rows,
    scenario,
    write_folder,
)

import parshall
from parshall.cli.main import main
from parshall_dev.validate import Event, Events, Folder, load_folder, validate

__all__ = ["entry", "folder", "rows"]


@pytest.fixture
def reference(repository: Path) -> Path:
    folder = repository.parent / "shared" / "reference" / "ns2"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there: nothing to compare with")
    return folder


# ---- ns-2 ------------------------------------------------------------------------------------------------


def test_every_trace_of_ns2_is_exact(
    reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "verdicts.json"
    status = main(["validate", "traces", str(reference), "--json", str(report)])
    shown = capsys.readouterr()
    names = [entry["name"] for entry in json.loads((reference / "scenarios.json").read_text())]
    assert len(names) == 91
    assert shown.err == ""
    assert [line.split()[:2] for line in lines(shown.out)[:-1]] == [[name, "exact"] for name in names]
    assert lines(shown.out)[-1].startswith("91 of 91 exact; ")
    assert status == 0
    verdicts = json.loads(report.read_text())
    assert [verdict["name"] for verdict in verdicts] == names
    assert all(verdict["exact"] and verdict["divergence"] is None for verdict in verdicts)
    assert all(verdict["rows"] > 100 for verdict in verdicts)


# Their README.md says how they were made.
MORE = Path(__file__).parent / "data" / "ns2"


@pytest.mark.parametrize(
    "name", [entry["name"] for entry in json.loads((MORE / "scenarios.json").read_text())]
)
def test_what_the_reference_does_not_show_is_exact_too(name: str) -> None:
    (verdict,) = validate(load_folder(MORE).only([name]))
    assert verdict.fault is None
    assert verdict.divergence is None
    assert verdict.rows > 100


def test_a_wrong_option_is_noticed(reference: Path, tmp_path: Path) -> None:
    """ns-2 with and without its rule against repeated fast retransmits: each trace fits one of them."""
    entries = {entry["name"]: entry for entry in json.loads((reference / "scenarios.json").read_text())}
    wrong = copy.deepcopy(entries["nobugfix_tahoe"])
    wrong["flows"][0]["one_fast_retransmit_per_window"] = True
    del wrong["flows"][0]["ns2_settings"]["bugFix_"]
    write_folder(tmp_path, [wrong], {})
    trace = "nobugfix_tahoe.csv.gz"
    (tmp_path / "traces" / trace).write_bytes((reference / "traces" / trace).read_bytes())
    verdict = only_verdict(tmp_path)
    assert verdict.fault is None
    assert verdict.divergence is not None
    assert verdict.divergence.time_s > 1.0


# ---- Comparing -------------------------------------------------------------------------------------------


def test_a_run_is_exact_to_itself(folder: Path, rows: Rows) -> None:
    kinds = {(row["place"], row["event"], row["kind"], row["note"]) for row in rows}
    assert {("AB", "d", "data", "forced"), ("AB", "d", "data", "queue")} <= kinds
    assert {int(row["flow"]) for row in rows} == {0, 1, 2, 3}
    verdict = only_verdict(folder)
    assert verdict.exact
    assert verdict.rows == len(rows)


def shift(row: dict[str, str], nanoseconds: float) -> None:
    row["time_s"] = repr(float(row["time_s"]) + nanoseconds * 1e-9)


CHANGES: dict[str, Callable[[dict[str, str]], None]] = {
    "number": lambda row: row.update(seq=str(int(row["seq"]) + 1)),
    "size": lambda row: row.update(size_bytes=str(int(row["size_bytes"]) + 8)),
    "2 ns late": lambda row: shift(row, 2),
    "2 ns early": lambda row: shift(row, -2),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("event", ["+", "-", "d", "r"])
def test_a_changed_event_is_where_the_runs_part(
    tmp_path: Path, entry: dict[str, Any], rows: Rows, change: str, event: str
) -> None:
    rows = copy.deepcopy(rows)
    candidates = [i for i, row in enumerate(rows) if row["event"] == event and float(row["time_s"]) > 1.0]
    index = candidates[len(candidates) // 2]
    before = dict(rows[index])
    CHANGES[change](rows[index])
    rows.sort(key=lambda row: float(row["time_s"]))
    divergence = only_verdict(write_folder(tmp_path, [entry], {"mixed": rows})).divergence
    assert divergence is not None
    group = ("place", "event", "kind", "flow")
    assert [str(getattr(divergence.event, name)) for name in group] == [before[name] for name in group]
    assert divergence.time_s == pytest.approx(float(before["time_s"]), abs=3e-9)
    assert divergence.reference is not None
    assert divergence.ours is not None
    assert divergence.ours.seq == int(before["seq"])
    earlier = [row for row in rows[:index] if all(row[name] == before[name] for name in group)]
    assert divergence.index == pytest.approx(len(earlier), abs=1)


def test_a_nanosecond_is_no_difference(tmp_path: Path, entry: dict[str, Any], rows: Rows) -> None:
    rows = copy.deepcopy(rows)
    for index, row in enumerate(rows):
        shift(row, 0.9 if index % 2 else -0.9)
    rows.sort(key=lambda row: float(row["time_s"]))
    assert only_verdict(write_folder(tmp_path, [entry], {"mixed": rows})).exact


def test_events_of_one_instant_may_come_in_any_order(
    tmp_path: Path, entry: dict[str, Any], rows: Rows
) -> None:
    turned = [
        row for _, row in sorted(enumerate(rows), key=lambda item: (float(item[1]["time_s"]), -item[0]))
    ]
    assert turned != rows
    assert only_verdict(write_folder(tmp_path, [entry], {"mixed": turned})).exact


@pytest.mark.parametrize("extra", [True, False])
def test_an_event_that_one_side_lacks_is_told(
    tmp_path: Path, entry: dict[str, Any], rows: Rows, extra: bool
) -> None:
    last = max(i for i, row in enumerate(rows) if (row["event"], row["flow"]) == ("r", "3"))
    changed = (
        [*rows[: last + 1], rows[last], *rows[last + 1 :]] if extra else [*rows[:last], *rows[last + 1 :]]
    )
    divergence = only_verdict(write_folder(tmp_path, [entry], {"mixed": changed})).divergence
    assert divergence is not None
    assert divergence.time_s == pytest.approx(float(rows[last]["time_s"]))
    assert (divergence.ours is None) == extra
    assert (divergence.reference is None) == (not extra)


def test_the_earliest_of_several_is_told(tmp_path: Path, entry: dict[str, Any], rows: Rows) -> None:
    rows = copy.deepcopy(rows)
    for index in (len(rows) * 3 // 4, len(rows) // 2, len(rows) * 2 // 3):
        CHANGES["size"](rows[index])
    divergence = only_verdict(write_folder(tmp_path, [entry], {"mixed": rows})).divergence
    assert divergence is not None
    assert divergence.time_s == pytest.approx(float(rows[len(rows) // 2]["time_s"]))


def test_the_very_end_is_nobodys_promise(tmp_path: Path, entry: dict[str, Any], rows: Rows) -> None:
    for at, exact in ((4 - 1e-15, True), (4.0, True), (4 - 1e-6, False)):
        late = {**rows[-1], "time_s": repr(at)}
        assert only_verdict(write_folder(tmp_path, [entry], {"mixed": [*rows, late]})).exact == exact


def test_context_stands_side_by_side(
    folder: Path, rows: Rows, entry: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    rows = copy.deepcopy(rows)
    index = len(rows) // 2
    CHANGES["number"](rows[index])
    write_folder(folder, [entry], {"mixed": rows})
    assert main(["validate", "traces", str(folder)]) == 1
    shown = lines(capsys.readouterr().out)
    time = f"{float(rows[index]['time_s']):.9f}"
    assert shown[0].split() == ["mixed", "parts", "from", "ns-2", "at", time, "s"]
    assert shown[-1] == f"0 of 1 exact, 1 parts from ns-2; {len(rows)} events"
    start = next(i for i, line in enumerate(shown) if "time (s)" in line)
    context = shown[start + 1 : -1]
    marked = [line for line in context if line.startswith("  >")]
    number = int(rows[index]["seq"])
    # A line for what ns-2 has, a line for what we have; before them, what both have.
    assert any(time in line and f"#{number}" in line for line in marked)
    assert any(time in line and f"#{number - 1}" in line for line in marked)
    assert len(marked) >= 2
    assert all(line.count("flow") == 2 for line in context if line not in marked)
    assert all(line.count("flow") == 1 for line in marked)
    assert max(map(len, shown)) <= 110


# ---- The report ------------------------------------------------------------------------------------------

EVENT = {
    "type": ["object", "null"],
    "properties": {
        "time_s": {"type": "number"},
        "place": {"enum": ["AB", "BA", "host"]},
        "event": {"enum": ["+", "-", "d", "r"]},
        "kind": {"enum": ["data", "ack"]},
        "flow": {"type": "integer"},
        "seq": {"type": "integer"},
        "size_bytes": {"type": "integer"},
        "note": {"enum": ["", "queue", "forced"]},
    },
    "additionalProperties": False,
}
REPORT = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["name", "exact", "rows", "divergence"],
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string"},
            "exact": {"type": "boolean"},
            "rows": {"type": "integer"},
            "divergence": {
                "anyOf": [
                    {"type": "null"},
                    {"type": "object", "required": ["fault"], "maxProperties": 1},
                    {
                        "type": "object",
                        "required": [
                            "time_s", "place", "event", "kind", "flow", "index",
                            "reference", "ours", "context",
                        ],
                        "properties": {"reference": EVENT, "ours": EVENT, "context": {"type": "array"}},
                    },
                ]
            },
        },
    },
}  # fmt: skip


def three(folder: Path, entry: dict[str, Any], rows: Rows) -> Path:
    """One that is exact, one that is not, one that cannot be compared."""
    changed = copy.deepcopy(rows)
    CHANGES["2 ns late"](changed[500])
    changed.sort(key=lambda row: float(row["time_s"]))
    entries = [{**entry, "name": "bad", "flows": "none"}, entry, {**entry, "name": "late"}]
    return write_folder(folder, entries, {"mixed": rows, "late": changed})


def test_the_report_has_every_verdict(
    tmp_path: Path, entry: dict[str, Any], rows: Rows, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, report = three(tmp_path / "three", entry, rows), tmp_path / "report.json"
    report.write_text("old")
    assert main(["validate", "traces", str(folder), "--json", str(report)]) == 1
    shown = capsys.readouterr()
    verdicts = json.loads(report.read_text())
    jsonschema.validate(verdicts, REPORT)
    assert [(v["name"], v["exact"]) for v in verdicts] == [("bad", False), ("mixed", True), ("late", False)]
    assert verdicts[0]["divergence"] == {"fault": lines(shown.err)[0].removeprefix("parshall: ")}
    assert verdicts[2]["divergence"]["time_s"] == float(rows[500]["time_s"])
    assert verdicts[2]["divergence"]["reference"]["time_s"] == pytest.approx(
        float(rows[500]["time_s"]) + 2e-9, abs=1e-12
    )
    assert lines(shown.out)[-1].startswith("1 of 3 exact, 1 parts from ns-2, 1 cannot be compared; ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.json", "three"]


def test_a_report_that_cannot_be_written_is_one_line(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["validate", "traces", str(folder), "--json", str(tmp_path / "file" / "report.json")]) == 1
    assert len(lines(capsys.readouterr().err)) == 1


# ---- The command line ------------------------------------------------------------------------------------


def test_only_some(
    tmp_path: Path, entry: dict[str, Any], rows: Rows, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(three(tmp_path, entry, rows))
    assert main(["validate", "traces", folder, "--only", "mixed"]) == 0
    assert lines(capsys.readouterr().out)[-1].startswith("1 of 1 exact")
    for arguments in (["--only", "mixed", "late"], ["--only", "late", "--only", "mixed"]):
        assert main(["validate", "traces", folder, *arguments]) == 1
        shown = lines(capsys.readouterr().out)
        assert shown[0].split()[:2] == ["mixed", "exact"]
        assert shown[-1].startswith("1 of 2 exact, 1 parts from ns-2")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ([], 2, "DIR"),
        (["{folder}", "--only", "nobody"], 2, 'got "nobody", expected the name of a scenario'),
        (["{folder}", "mixed"], 2, "--only mixed"),
        (["{folder}", "--nonsense"], 2, "--nonsense"),
        (["{folder}/nowhere"], 1, "nowhere: no such folder"),
        (["{folder}/scenarios.json"], 1, "scenarios.json: no such folder"),
        (["{folder}/traces"], 1, "traces/scenarios.json: no such file"),
    ],
)
def test_a_wrong_command_line_is_one_line(
    folder: Path, arguments: list[str], status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", "traces", *(argument.format(folder=folder) for argument in arguments)]) == status
    shown = capsys.readouterr()
    assert len(lines(shown.err)) == 1
    assert message in shown.err
    assert shown.out == ""


# ---- Rebuilding ------------------------------------------------------------------------------------------


def sent(events: Events, flow: int) -> list[Event]:
    chosen = [events[index] for index in range(len(events))]
    return [e for e in chosen if (e.flow, e.event, e.kind) == (flow, "+", "data")]


@pytest.mark.parametrize(
    ("interval", "stop", "count"), [(0.00803, 3.0, 374), (0.01, 1.0, 100), (0.3, 9.0, 14)]
)
def test_a_constant_rate_keeps_its_interval(interval: float, stop: float, count: int) -> None:
    flow = cbr_flow(0, interval_s=interval, start_s=0.0, stop_s=stop, direction="forward")
    events = sent(own_events(scenario("cbr", [flow], forced_drops=[])), 0)
    # Packets leave before the end of the flow and reach the bottleneck before the end of the run.
    assert len(events) == count
    assert {event.size_bytes for event in events} == {500}
    access = 500 * 8 / 20e6 + 0.00345
    assert [e.time_s for e in events] == pytest.approx(
        [access + k * interval for k in range(count)], abs=1e-11
    )


def test_a_syn_is_a_packet_of_its_own_size(rows: Rows) -> None:
    data = [row for row in rows if (row["flow"], row["kind"], row["event"]) == ("2", "data", "r")]
    assert [row["size_bytes"] for row in data[:3]] == ["40", "1000", "1000"]
    assert all(row["size_bytes"] == "1000" for row in data[1:])


def test_a_flow_may_go_the_other_way(rows: Rows) -> None:
    assert {row["place"] for row in rows if row["flow"] == "3"} == {"BA", "host"}
    acks = {row["place"] for row in rows if (row["flow"], row["kind"], row["event"]) == ("0", "ack", "+")}
    assert acks == {"BA"}


def test_a_folder_knows_its_scenarios(folder: Path) -> None:
    loaded = load_folder(folder)
    assert isinstance(loaded, Folder)
    assert [entry.name for entry in loaded.only(["mixed"]).entries] == ["mixed"]
    with pytest.raises(parshall.InputError, match="nobody"):
        loaded.only(["nobody"])
