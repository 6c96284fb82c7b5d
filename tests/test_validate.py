"""`parshall validate traces`: what is exact, where two runs part, and what cannot be compared."""

from __future__ import annotations

import copy
import csv
import gzip
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import parshall
from parshall.cli.main import main
from parshall_dev.validate import Compared, Event, Events, Folder, load_folder, validate
from parshall_dev.validate.events import recorded_events
from parshall_dev.validate.fields import Fields
from parshall_dev.validate.rebuild import rebuild

COLUMNS = ("time_s", "event", "kind", "flow", "seq", "size_bytes", "place", "note")
Rows = list[dict[str, str]]


def port(rate: int = 1_000_000, delay: float = 0.02, limit: int = 12) -> dict[str, Any]:
    return {"rate_bps": rate, "delay_s": delay, "queue_limit_pkts": limit, "discipline": "droptail"}


def links(delay: float) -> dict[str, Any]:
    return {
        "source_access_link": port(20_000_000, delay, 5000),
        "destination_access_link": port(25_000_000, delay, 5000),
    }


def tcp_flow(index: int, variant: str, **changes: Any) -> dict[str, Any]:
    sack = variant == "sack1"
    sender = {"reno": "/Reno", "newreno": "/Newreno", "sack1": "/Sack1", "vegas": "/Vegas"}.get(variant, "")
    flow = {
        "id": index,
        "type": "tcp",
        "direction": "forward",
        **links(0.00123 + index / 1000),
        "variant": variant,
        "data_wire_bytes": 1000,
        "ack_wire_bytes": 40,
        "syn_packet": False,
        "syn_wire_bytes": None,
        "initial_window_pkts": 2,
        "max_window_pkts": 40,
        "initial_ssthresh_pkts": 40,
        "delayed_ack": False,
        "delayed_ack_timer_s": None,
        "tick_s": 0.01,
        "tick_phase_s": 0.0034,
        "min_rto_s": 0.2,
        "max_rto_s": 60.0,
        "initial_rto_s": 3.0,
        "limited_transmit": False,
        "dupack_threshold": 3,
        "one_fast_retransmit_per_window": True,
        "restart_after_idle": True,
        "start_s": 0.1 + index / 10,
        "source": "unlimited",
        "ns2_classes": [f"Agent/TCP{sender}", "Agent/TCPSink" + ("/Sack1" if sack else "")],
        "ns2_settings": {"packetSize_": 1000, "window_": 40, "syn_": "false", "bugFix_": "true"},
    }
    if sack:
        flow["sack"] = {"max_blocks": 3, "bytes_per_block": 8}
    if variant == "vegas":
        flow["vegas"] = {"alpha_pkts": 1, "beta_pkts": 3, "gamma_pkts": 1}
    if variant == "newreno":
        flow["newreno_timer_restart"] = "first partial ACK only"
    return {**flow, **changes}


def cbr_flow(index: int, **changes: Any) -> dict[str, Any]:
    flow = {
        "id": index,
        "type": "cbr",
        "direction": "reverse",
        **links(0.00345),
        "packet_wire_bytes": 500,
        "interval_s": 0.00803,
        "start_s": 0.5003,
        "stop_s": 2.0,
    }
    return {**flow, **changes}


def scenario(name: str, flows: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    entry = {
        "name": name,
        "category": "made up",
        "description": "A small one.",
        "duration_s": 4,
        "bottleneck": {"AB": port(), "BA": port(delay=0.03)},
        "flows": flows,
        "forced_drops": [
            {
                "place": "AB",
                "arrival_index": 30,
                "flow": 0,
                "kind": "data",
                "seq": 29,
                "transmission": 1,
                "time_s": 1.0,
            }
        ],
        "counts": {"AB": {"arrivals": 1}},
    }
    return {**entry, **changes}


def all_kinds() -> list[dict[str, Any]]:
    """One flow of each kind; the second one writes now and then, the third has a SYN and delayed ACKs."""
    written = [{"time_s": 0.2, "packets_added": 30}, {"time_s": 1.7, "packets_added": 30}]
    delayed = {
        "syn_packet": True,
        "syn_wire_bytes": 40,
        "delayed_ack": True,
        "delayed_ack_timer_s": 0.05,
        "ns2_classes": ["Agent/TCP/Sack1", "Agent/TCPSink/Sack1/DelAck"],
        "ns2_settings": {"packetSize_": 960, "useHeaders_": "true", "singledup_": 0, "numdupacks_": 3},
    }
    return [
        tcp_flow(0, "newreno"),
        tcp_flow(1, "vegas", source=written),
        tcp_flow(2, "sack1", **delayed),
        cbr_flow(3),
    ]


def own_events(entry: dict[str, Any]) -> Events:
    rebuilt = rebuild(Fields(entry, "test"))
    return recorded_events(parshall.run(rebuilt.scenario), rebuilt.flows, rebuilt.ports)


def rows_of(events: Events) -> Rows:
    return [
        {name: repr(v) if isinstance(v, float) else str(v) for name, v in vars(events[index]).items()}
        for index in range(len(events))
    ]


def write_trace(file: Path, rows: Rows) -> None:
    text = io.StringIO()
    # The code points of packets have a column in traces of queues for classes only.
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    file.write_bytes(gzip.compress(text.getvalue().encode()))


def write_folder(folder: Path, entries: list[Any], traces: dict[str, Rows]) -> Path:
    (folder / "traces").mkdir(parents=True, exist_ok=True)
    (folder / "scenarios.json").write_text(json.dumps(entries))
    for name, rows in traces.items():
        write_trace(folder / "traces" / f"{name}.csv.gz", rows)
    return folder


@pytest.fixture(scope="module")
def entry() -> dict[str, Any]:
    return scenario("mixed", all_kinds())


@pytest.fixture(scope="module")
def rows(entry: dict[str, Any]) -> Rows:
    return rows_of(own_events(entry))


@pytest.fixture
def folder(tmp_path: Path, entry: dict[str, Any], rows: Rows) -> Path:
    """Our own run, written down as if it were a reference."""
    return write_folder(tmp_path / "reference", [entry], {"mixed": rows})


@pytest.fixture
def reference(repository: Path) -> Path:
    folder = repository.parent / "shared" / "reference" / "ns2"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there: nothing to compare with")
    return folder


def only_verdict(folder: Path) -> Compared:
    (verdict,) = validate(load_folder(folder))
    return verdict


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


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
