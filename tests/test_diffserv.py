"""DiffServ from Python and TOML: names of code points, what is recorded, and what is refused in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest

import parshall
from parshall import (
    Cbr,
    Conditioner,
    DropTail,
    Dumbbell,
    Flow,
    FlowGroup,
    Link,
    Record,
    Rule,
    Scenario,
    ScenarioError,
    Schedule,
    Tcp,
    TokenBucketMeter,
    Tsw2cmMeter,
    Udp,
    json_schema,
)

TEXT = """
duration = "5 s"
hosts = ["a", "b"]
routers = ["r"]

[[links]]
between = ["a", "r"]
rate = "10 Mbit/s"
delay = "1 ms"

[[links.conditioner.rules]]
flows = ["f*"]
of = "data"
meter = { kind = "trtcm", cir = "1 Mbit/s", cbs_bytes = "4 kB", pir = "2 Mbit/s", pbs_bytes = "6 kB" }
if_green = "AF11"
if_yellow = "af12"
if_red = 14

[[links]]
name = "core"
between = ["r", "b"]
rate = "2 Mbit/s"
delay = "5 ms"
queue = { kind = "diffserv", scheduler = { kind = "drr", weights = [3, 1] }, queues = [
  { limit_packets = 40, dropper = "rio-c", precedences = [
    { dscp = "AF11", min_threshold_packets = 20, max_threshold_packets = 30 },
    { dscp = ["AF12", "AF13"], min_threshold_packets = 5, max_threshold_packets = 15, weight = 0.01 },
  ] },
  { limit_packets = 20, precedences = [{ dscp = ["DF", "LE"] }] },
] }
reverse = { queue = "droptail" }

[[flows]]
name = "f1"
source = "a"
destination = "b"
transport = "tcp"
app = "bulk"

[[flows]]
name = "g"
source = "a"
destination = "b"
dscp = "LE"
transport = "udp"
app = { kind = "cbr", rate = "500 kbit/s" }

[record]
packets = "core"
class_state = ["a->r", "core"]
"""


@pytest.fixture
def scenario() -> Scenario:
    return parshall.loads(TEXT)


def test_names_of_code_points_are_those_of_the_rfcs() -> None:
    # RFC 2474, 2597, 3246, 5865, 8622.
    bits = {
        "DF": "000000",
        "CS3": "011000",
        "AF11": "001010",
        "AF23": "010110",
        "AF42": "100100",
        "EF": "101110",
        "LE": "000001",
    }
    for name, expected in bits.items():
        for given in (name, name.lower(), int(expected, 2)):
            group = FlowGroup(transport="tcp", app="bulk", dscp=given)
            assert f"{group.dscp:06b}" == expected


def test_a_file_says_the_same_as_what_it_is_written_as(scenario: Scenario) -> None:
    assert parshall.loads(scenario.to_toml()) == scenario
    assert Scenario.from_json(scenario.to_json()) == scenario
    rule = scenario.links[0].conditioner.rules[0] if scenario.links[0].conditioner else None
    assert rule is not None
    assert (rule.if_green, rule.if_yellow, rule.if_red) == (10, 12, 14)
    plain: dict[str, Any] = {"conditioner": {"rules": [{"dscp": "EF", "if_green": "drop"}]}}
    link = {"between": ["a", "b"], "rate": 1, "delay": 0, **plain}
    schema = {**Link.table_schema(), "$defs": json_schema()["$defs"]}
    jsonschema.validate(link, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**link, "conditioner": {"rules": [{"dscp": "AF14"}]}}, schema)


def test_what_is_recorded(scenario: Scenario) -> None:
    recording = parshall.run(scenario, seed=1)
    assert {"aggregates", "classes", "class_state", "averages"} <= set(recording.tables)
    assert set(recording.tables) - {"flows", "ports"} == scenario.recorded_tables()
    classes = {row["dscp"]: row for row in recording.table("classes").to_pylist()}
    assert set(classes) == {0, 1, 10, 12, 14}
    assert classes[1]["packets_arrived"] == recording.flow("g").packets_sent
    (aggregate,) = recording.table("aggregates").to_pylist()
    coloured = [aggregate[f"packets_{colour}"] for colour in ("green", "yellow", "red")]
    assert min(coloured) > 10
    assert sum(coloured) == recording.flow("f1").packets_sent
    packets = recording.table("packets").to_pylist()
    dropped = [row for row in packets if row["event"] == 2]
    assert dropped
    assert {row["reason"] for row in dropped} <= {0, 2, 3}
    assert {row["dscp"] for row in packets if row["flow"] == "g"} == {1}


def test_without_classes_there_are_no_columns_of_them() -> None:
    links = [Link(between=("a", "b"), rate=1e6, delay=0, name="l")]
    flow = {"source": "a", "destination": "b", "transport": Tcp(), "app": {"kind": "bulk"}}
    plain = Scenario(
        duration=1, hosts=["a", "b"], links=links, flows=[Flow(name="f", **flow)], record=Record(packets="*")
    )
    marked = plain.replace("flows[0].dscp", "EF")
    columns = [set(parshall.run(each).columns("packets")) for each in (plain, marked)]
    assert columns[1] - columns[0] == {"dscp", "reason"}
    assert set(parshall.run(marked).columns("packets")["dscp"]) == {46}


def test_a_policer_keeps_a_rate() -> None:
    police = Conditioner(
        rules=[Rule(flows=["call*"], meter=TokenBucketMeter(cir="1 Mbit/s", cbs_bytes=3000), if_red="drop")]
    )
    bell = Dumbbell(
        duration="20 s",
        rate="10 Mbit/s",
        delay="1 ms",
        access_rate="100 Mbit/s",
        access_delay="1 ms",
        flows=[
            FlowGroup(
                name="call", transport=Udp(payload_bytes=972, header_bytes=28), app=Cbr(rate="2 Mbit/s")
            )
        ],
    )
    scenario = bell.scenario().replace("links[bottleneck].conditioner", police)
    recording = parshall.run(scenario)
    (aggregate,) = recording.table("aggregates").to_pylist()
    # What the bucket holds at the start, and a rate.
    expected = (3000 + 20 * 1e6 / 8) / 1000
    assert aggregate["packets_green"] == pytest.approx(expected, abs=2)
    assert recording.flow("call1").packets_dropped == aggregate["packets_red"] == aggregate["packets_dropped"]
    assert recording.port("bottleneck").packets_dropped == aggregate["packets_red"]


def test_packets_of_a_schedule_have_their_sizes() -> None:
    payloads = [100, 1400, 700]
    scenario = Scenario(
        duration=2,
        hosts=["a", "b"],
        links=[Link(between=("a", "b"), rate=1e7, delay=0.001, queue=DropTail())],
        flows=[
            Flow(
                name="f",
                source="a",
                destination="b",
                transport=Udp(payload_bytes=500, header_bytes=28),
                app=Schedule(writes=[(0.1 * i, 2) for i in range(5)], payloads=payloads),
            )
        ],
        record=Record(deliveries="f"),
    )
    recording = parshall.run(scenario)
    sizes = [int(size) for size in recording.columns("packets")["size_bytes"]]
    expected = [payloads[i % 3] for i in range(10)]
    assert sizes == [size + 28 for size in expected]
    assert recording.flow("f").bytes_sent == sum(sizes)
    assert recording.flow("f").bytes_delivered == sum(expected)


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        (
            'pir = "2 Mbit/s"',
            'pir = "900 kbit/s"',
            "links[0].conditioner.rules[0].meter.pir: got 900 kbit/s, expected at least cir, 1 Mbit/s",
        ),
        (
            'cbs_bytes = "4 kB"',
            "cbs_bytes = 1000",
            "links[0].conditioner.rules[0].meter.cbs_bytes: got 1000, "
            "expected at least a packet of this aggregate, 1040 bytes",
        ),
        (
            'if_green = "AF11"',
            'if_green = "AF14"',
            'links[0].conditioner.rules[0].if_green: got "AF14", expected a code point from 0 to 63, '
            'or a name such as AF11, EF, CS1 or DF, or "drop"',
        ),
        (
            'dscp = "LE"',
            "dscp = 64",
            "flows[1].dscp: got 64, expected a code point from 0 to 63, or a name "
            "such as AF11, EF, CS1 or DF",
        ),
        (
            'flows = ["f*"]',
            'flows = ["h*"]',
            'links[0].conditioner.rules[0].flows[0]: got "h*", '
            "expected the name of a flow, in which * stands for any text",
        ),
        (
            'of = "data"',
            'of = "acks"',
            'links[0].conditioner.rules[0].flows: got "f*", expected an aggregate that crosses a->r',
        ),
        (
            "max_threshold_packets = 15",
            "max_threshold_packets = 4",
            "links[1].queue.queues[0].precedences[1].max_threshold_packets: got 4.0, "
            "expected at least min_threshold_packets, 5",
        ),
        (
            ", weights = [3, 1]",
            "",
            "links[1].queue.scheduler.weights: got nothing, expected a value: Weight of each queue",
        ),
        (
            "weights = [3, 1]",
            "weights = [3, 1, 1]",
            "links[1].queue.scheduler.weights: got [3, 1, 1], expected 2 weights, one for each queue",
        ),
        (
            '["AF12", "AF13"]',
            '"AF12"',
            "links[0].conditioner.rules[0].if_red: got 14, "
            "expected a code point that a precedence of the queue of r->b names",
        ),
    ],
)
def test_what_cannot_be_is_one_line(before: str, after: str, line: str, tmp_path: Path) -> None:
    assert before in TEXT
    file = tmp_path / "scenario.toml"
    file.write_text(TEXT.replace(before, after))
    with pytest.raises(ScenarioError) as refused:
        parshall.load(file)
    assert line in str(refused.value)
    assert "\n" not in str(refused.value)


def test_rates_of_zero_have_a_meaning_for_meters() -> None:
    assert Tsw2cmMeter(cir=0).canonical() == {"kind": "tsw2cm", "cir": 0}
