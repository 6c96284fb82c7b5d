"""Conditioners that know more than sizes, from Python and TOML: what is recorded, and what is refused in one
line.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import parshall
from parshall import Knowledge, RttAwareMeter, RttRtoMeter, ScenarioError, SmallWindow

TEXT = """
duration = "20 s"
hosts = ["near", "far", "sink"]
routers = ["r", "s"]
record = { edges = { of = ["near->r", "far->r"], interval = "500 ms" } }

[[links]]
between = ["near", "r"]
rate = "100 Mbit/s"
delay = "2 ms"
conditioner.knowledge.exchange_delay = "10 ms"

[[links.conditioner.rules]]
of = "data"
meter = { kind = "fair-excess", cir = "500 kbit/s" }
small_window = {}
if_green = "AF11"
if_yellow = "AF12"
if_red = "AF13"

[[links]]
between = ["far", "r"]
rate = "100 Mbit/s"
delay = "40 ms"
conditioner.knowledge.source = "senders"

[[links.conditioner.rules]]
of = "data"
meter = { kind = "fair-excess", cir = "500 kbit/s" }
if_green = "AF11"
if_yellow = "AF12"
if_red = "AF13"

[[links]]
between = ["r", "s"]
name = "core"
rate = "4 Mbit/s"
delay = "5 ms"
reverse = { queue = "droptail" }
queue.kind = "diffserv"

[[links.queue.queues]]
limit_packets = 60
dropper = "rio-c"
precedences = [
  { dscp = "AF11", min_threshold_packets = 20, max_threshold_packets = 40 },
  { dscp = "AF12", min_threshold_packets = 10, max_threshold_packets = 20 },
  { dscp = "AF13", min_threshold_packets = 5, max_threshold_packets = 10 },
]

[[links]]
between = ["s", "sink"]
rate = "100 Mbit/s"
delay = "1 ms"

[[flows]]
name = "near"
source = "near"
destination = "sink"
transport = { kind = "tcp", recovery = "sack" }
app = "bulk"

[[flows]]
name = "far"
source = "far"
destination = "sink"
transport = { kind = "tcp", recovery = "sack" }
app = "bulk"
"""


@pytest.fixture
def scenario(tmp_path: Path) -> parshall.Scenario:
    path = tmp_path / "edges.toml"
    path.write_text(TEXT)
    found = parshall.load(path)
    assert isinstance(found, parshall.Scenario)
    return found


def test_what_edges_know_is_recorded(scenario: parshall.Scenario) -> None:
    recording = parshall.run(scenario, seed=1)
    edges = recording.columns("edges")
    near = edges["port"] == recording.ports.index("near->r")
    assert 35 <= near.sum() <= 40
    late = edges["time"] > 5
    # Four links there and back, and what waits at the core.
    assert np.all(edges["rtt"][near & late] > 0.016)
    off = np.abs(edges["rtt"][late] / edges["rtt_told"][late] - 1)
    assert off.mean() < 0.1
    assert np.all(np.abs(edges["red_part"]) <= 1)
    aggregates = recording.columns("aggregates")
    assert aggregates["packets_protected"][0] > 0
    assert aggregates["packets_protected"][1] == 0


def test_feedback_divides_evenly(scenario: parshall.Scenario) -> None:
    longer = scenario.model_copy(update={"duration": 80.0, "warm_up": 20.0})
    recording = parshall.run(longer, seed=1)
    near, far = (recording.flow(name).goodput for name in ("near", "far"))
    assert near / far == pytest.approx(1.0, abs=0.1)


def test_a_scenario_with_knowledge_survives_its_file(scenario: parshall.Scenario, tmp_path: Path) -> None:
    assert parshall.Scenario.from_json(scenario.to_json()) == scenario


@pytest.mark.parametrize(
    ("made", "line"),
    [
        (lambda: RttAwareMeter(cir="2 Mbit/s", colours=4), "colours: got 4, expected 2 or 3"),
        (
            lambda: RttRtoMeter(cir="2 Mbit/s", rtt_exponent=-1),
            "rtt_exponent: got -1, expected a number of at least 0",
        ),
        (lambda: Knowledge(source="x"), 'source: got "x", expected "packets" or "senders"'),
        (
            lambda: Knowledge(exchange_interval=0),
            'exchange_interval: got 0, expected a duration above 0 such as "50 ms"',
        ),
        (lambda: SmallWindow(below_packets=0), "below_packets: got 0, expected a number above 0"),
    ],
)
def test_what_cannot_be_is_refused(made: Callable[[], object], line: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        made()
    assert str(refused.value) == line


def test_knowledge_of_a_port_without_a_conditioner_is_refused(scenario: parshall.Scenario) -> None:
    asked = scenario.record.model_copy(update={"edges": parshall.Series(of=("core",), interval=1.0)})
    with pytest.raises(ScenarioError, match=r'record\.edges\.of\[0\]: got "r->s", expected a port whose'):
        parshall.run(scenario.model_copy(update={"record": asked}), seed=1)
