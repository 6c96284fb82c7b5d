"""`parshall validate linux`: a real kernel after outages, silence, stalls and reordering, and ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from parshall.cli.main import main
from parshall_dev.validate.regimes.judging import Judged, Point, Sum, judge
from parshall_dev.validate.regimes.network import network_of
from parshall_dev.validate.regimes.reading import is_regimes, read_asked, read_seen

FOLDER = Path(__file__).parents[2] / "shared" / "reference" / "linux-regimes"
ASKED: dict[str, Any] = {
    "name": "x",
    "category": "timeouts",
    "rate_mbit": 20,
    "base_rtt_ms": 40,
    "limit_packets": 67,
    "duration_s": 11,
    "flows": [{"cc": "cubic", "connect_s": 1, "writes": [[2, 10, 0.5, 3], [5, -1], "close"]}],
    "events": [
        {"kind": "outage", "from_s": 4, "to_s": 4.3, "both_ways": True},
        {"kind": "hold", "from_s": 5, "to_s": 6},
        {"kind": "rate", "at_s": 7, "mbit": 0},
        {"kind": "rate", "at_s": 8, "mbit": 2},
        {"kind": "reorder", "probability": 0.02, "extra_ms": 10.0, "from_s": 3, "to_s": 15},
    ],
    "tcp_slow_start_after_idle": 0,
    "phases_s": [0, 4, 11],
    "repeats": [1],
}


def written(folder: Path, *changes: dict[str, Any]) -> Path:
    (folder / "scenarios.json").write_text(json.dumps([{**ASKED, **each} for each in changes]))
    return folder


def test_path_events_and_writes_are_those_of_the_emulator(tmp_path: Path) -> None:
    (asked,) = read_asked(written(tmp_path, {}))
    network = network_of(asked)
    bottleneck = network.links[1]
    assert bottleneck.queue.limit_packets == 66  # theirs counts the packet in transmission
    assert [event.kind for event in bottleneck.events] == [
        "outage",
        "stall",
        "rate-change",
        "rate-change",
        "reordering",
    ]
    assert [event.kind for event in bottleneck.reverse.events] == ["outage"]
    (flow,) = network.flows
    assert flow.start == 1.0
    assert flow.app.writes[:3] == ((1.0, 10), (1.5, 10), (2.0, 10))
    assert flow.app.writes[3][0] == 4.0
    assert flow.transport.idle_restart == "never"


def test_what_is_near_enough() -> None:
    assert [Point(0, "", 100, 104, ours, 0.1).agrees for ours in (90, 102, 114, 115)] == [
        True,
        True,
        True,
        False,
    ]
    assert Point(0, "", 5, 5, 7, 0.1).agrees
    assert not Point(0, "", 5, 5, 8, 0.2).agrees
    assert [Sum((9, 12), ours).agrees for ours in (6, 16, 17)] == [True, True, False]
    assert Sum((0, 0), 2).agrees


def test_a_folder_that_is_faulty_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flow = ASKED["flows"][0]
    for change in (
        {"events": [{"kind": "flood"}]},
        {"flows": [{**flow, "cc": "vegas"}]},
        {"flows": [{**flow, "writes": [[1, 2, 3]]}]},
        {"rate_mbit": -1},
        {},  # no summary
    ):
        assert main(["validate", "linux", str(written(tmp_path, change))]) == 1
        assert capsys.readouterr().err.count("\n") == 1


@pytest.fixture(scope="module")
def brief() -> dict[str, Judged]:
    """Runs with pauses, which take a second."""
    if not FOLDER.is_dir():
        pytest.skip("needs ../shared/reference/linux-regimes")
    names = ("idle_cubic_ss1", "idle_reno_ss0", "idle_cubic_ss0", "idle_reno_ss1")
    return {
        asked.name: judge(asked, read_seen(FOLDER, asked))
        for asked in read_asked(FOLDER)
        if asked.name in names
    }


def test_idle_senders_do_as_linux_does(brief: dict[str, Judged]) -> None:
    assert is_regimes(FOLDER)
    assert len(brief) == 4
    for name, each in brief.items():
        assert each.differs == (), name
        assert len(each.points) >= 20


def test_the_page_is_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    if not FOLDER.is_dir():
        pytest.skip("needs ../shared/reference/linux-regimes")
    assert main(["validate", "linux", str(FOLDER)]) == 0
    file = Path(__file__).parents[1] / "docs" / "validation" / "linux-regimes.md"
    assert file.read_text(encoding="utf-8") == capsys.readouterr().out, "write there what the command prints"
