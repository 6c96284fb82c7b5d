"""qlog of simulated flows, read by a reader of our own, and logs of several drafts as one."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parshall import (
    DropTail,
    Dumbbell,
    FlowGroup,
    InputError,
    ParshallError,
    Record,
    Recording,
    Tcp,
    merge_qlogs,
    run,
)

STATES = {"slow_start", "congestion_avoidance", "application_limited", "recovery"}
"""States of congestion control that the draft's NewReno names."""


def recorded(**record: Any) -> Recording:
    bell = Dumbbell(
        duration="5 s",
        rate="2 Mbit/s",
        delay="20 ms",
        queue=DropTail(limit_packets=10),
        access_rate="1 Gbit/s",
        access_delay="1 ms",
        flows=[FlowGroup(count=2, transport=Tcp(), app="bulk")],
        record=Record(**record),
    )
    return run(bell, seed=3)


def read(text: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Header and events of a text sequence (RFC 7464)."""
    assert (text[0], text[-1]) == ("\x1e", "\n")
    records = [json.loads(record) for record in text[1:].split("\x1e")]
    return records[0], records[1:]


def test_the_header_names_schema_and_clock() -> None:
    header, events = read(recorded(window="*").qlog())
    assert header["file_schema"] == "urn:ietf:params:qlog:file:sequential"
    assert header["serialization_format"] == "application/qlog+json-seq"
    trace = header["trace"]
    assert trace["event_schemas"]
    assert all(":events:quic" in schema for schema in trace["event_schemas"])
    assert trace["common_fields"]["reference_time"] == {"clock_type": "monotonic", "epoch": "unknown"}
    assert all({"time", "name", "data"} <= event.keys() for event in events)
    times = [event["time"] for event in events]
    assert times == sorted(times)


def test_metrics_are_those_of_the_recording() -> None:
    recording = recorded(window="*", rtt="*")
    for flow in map(recording.flow, recording.flows):
        _, events = read(recording.qlog([flow.name]))
        assert {event["group_id"] for event in events} == {flow.name}
        last: dict[str, float] = {}
        for event in events:
            if event["name"] == "quic:recovery_metrics_updated":
                assert all(last.get(key) != value for key, value in event["data"].items())
                last.update(event["data"])
        window = flow.window
        assert last["congestion_window"] == round(float(window.cwnd[-1]) * 1000)
        assert last["smoothed_rtt"] == pytest.approx(1e3 * window.srtt[-1])
        assert last["min_rtt"] == pytest.approx(1e3 * np.min(flow.rtt.rtt))
        assert last["latest_rtt"] == pytest.approx(1e3 * flow.rtt.rtt[-1])


def test_a_loss_is_a_change_of_state() -> None:
    recording = recorded(window=["*"])
    name = recording.flows[0]
    _, events = read(recording.qlog([name]))
    states = [event["data"] for event in events if event["name"] == "quic:congestion_state_updated"]
    assert states[0] == {"new": "slow_start"}
    assert all(one["new"] == other["old"] for one, other in itertools.pairwise(states))
    assert {state["new"] for state in states} <= STATES
    recoveries = sum(state["new"] == "recovery" for state in states)
    flow = recording.flow(name)
    assert 1 <= recoveries <= flow.fast_retransmits + flow.timeouts + 1


def test_what_is_not_recorded_is_named() -> None:
    with pytest.raises(ParshallError, match=r"name flows in record\.window"):
        recorded().qlog()
    recording = recorded(window=["tcp1"]) if "tcp1" in recorded().flows else recorded(rtt="*")
    with pytest.raises(ParshallError, match=r"name it in record\.window"):
        recording.qlog([recording.flows[-1]])
    with pytest.raises(ParshallError, match="flow"):
        recorded(window="*").qlog(["nobody"])


def contained(*events: dict[str, Any], **common: Any) -> str:
    trace = {"vantage_point": {"type": "client"}, "common_fields": common, "events": list(events)}
    return json.dumps({"qlog_version": "0.3", "traces": [trace]})


def test_logs_are_merged_on_one_clock(tmp_path: Path) -> None:
    relative = contained(
        {"time": 0, "name": "a", "data": {}}, {"time": 5, "name": "b", "data": {}}, time_format="delta"
    )
    relative = relative.replace('"time": 5', '"time": 5.5')
    absolute = contained(
        {"time": 1.6e12, "name": "c", "data": {}},
        {"time": 1.6e12 + 4, "name": "d", "data": {}},
        time_format="absolute",
        group_id="g",
    )
    rows = json.dumps(
        {
            "qlog_version": "draft-02",
            "traces": [
                {
                    "event_fields": ["relative_time", "category", "event", "data"],
                    "events": [[3, "recovery", "metrics_updated", {"cwnd": 1}]],
                }
            ],
        }
    )
    file = tmp_path / "own.sqlog"
    file.write_text(recorded(window="*").qlog(), encoding="utf-8")
    logs: dict[str, str | Path] = {"one": relative, "two": absolute, "three": rows, "own": file}
    _, events = read(merge_qlogs(logs, {"two": 0.001}))
    found = {
        (event["group_id"], event["name"]): event["time"] for event in events if event["group_id"] != "own"
    }
    assert found[("one", "a")] == 0
    assert found[("one", "b")] == 5.5
    assert found[("two/g", "c")] == 1
    assert found[("two/g", "d")] == 5
    assert found[("three", "recovery:metrics_updated")] == 3
    times = [event["time"] for event in events]
    assert times == sorted(times)
    assert sum(event["group_id"].startswith("own/") for event in events) == len(read(file.read_text())[1])


@pytest.mark.parametrize(
    ("log", "message"),
    [
        ("", "a header with a trace"),
        ("nothing", "JSON"),
        ('{"trace": {}}\n[1]', "an object"),
        ('{"trace": {}}\n{"time": "soon", "name": "a"}', "milliseconds"),
        ('{"trace": {}}\n{"name": "a"}', "milliseconds"),
    ],
)
def test_what_is_no_qlog_is_named(log: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        merge_qlogs({"client": log})
    assert "client" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_start_without_a_log_is_named() -> None:
    with pytest.raises(InputError, match="one of a"):
        merge_qlogs({"a": contained()}, {"b": 1.0})


def test_a_log_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ParshallError, match="expected a qlog"):
        merge_qlogs({"a": tmp_path / "none.sqlog"})
