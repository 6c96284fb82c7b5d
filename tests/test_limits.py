"""Refusals of too large requests name the place in a line, and the cost of a run is announced beforehand."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.test_interrupts import BULK, network

import parshall
from parshall.errors import InputError, ParshallError, ScenarioError
from parshall.scenario.expected import Expected

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize(
    ("top", "place"),
    [
        ('record = {port_series = {of = ["*"], interval = "1 ps"}}', "record.port_series.interval"),
        ('record = {flow_series = {of = ["*"], interval = "1 ps"}}', "record.flow_series.interval"),
        (
            'record = {responsiveness = {of = ["bottleneck"], interval = "1 ps"}}',
            "record.responsiveness.interval",
        ),
    ],
)
def test_a_series_has_a_most_of_rows(top: str, place: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        parshall.loads(network(top=f'duration = "10 s"\n{top}'))
    assert caught.value.path == place
    assert "at most 4294967296 rows" in caught.value.expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"app": '{kind = "schedule", writes = [[0, 4294967295]]}'}, "flows[0].app.writes[0][1]"),
        ({"bottleneck": 'reverse = {rate = "0.001 bit/s"}'}, "links[1].reverse.rate"),
    ],
)
def test_what_would_wrap_is_refused(change: dict[str, str], message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        parshall.loads(network(**{"transport": "udp", "app": BULK, **change}))  # type: ignore[arg-type]
    assert caught.value.path == message


def test_what_never_happens_is_refused_with_its_line() -> None:
    text = network(top='duration = "10 s"') + 'start = "20 s"\n'
    with pytest.raises(
        ScenarioError, match=r"flows\[0\].start: got 20 s, expected at most the duration, 10 s"
    ):
        parshall.loads(text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seeds": range(10**21)}, "seeds: got more than 1000000 seeds, expected at most 1000000 of them"),
        ({"seeds": [1], "jobs": 99_999}, "jobs: got 99999, expected a whole number from 1 to 1024"),
    ],
)
def test_many_are_too_many(arguments: dict[str, object], message: str) -> None:
    scenario = parshall.loads(network(top='duration = "1 s"'))
    with pytest.raises(InputError) as caught:
        parshall.run_many({"a": scenario}, **arguments)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_a_group_of_a_billion_flows_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "billion.toml"
    file.write_text(
        'duration = "1 s"\n[dumbbell]\nrate = "1 Mbit/s"\ndelay = "1 ms"\naccess_rate = "1 Mbit/s"\n'
        'access_delay = "1 ms"\n[[dumbbell.flows]]\ncount = 1000000000\ntransport = "tcp"\napp = "bulk"\n'
    )
    with pytest.raises(ParshallError, match=r"billion.toml:8: .*count: got 1000000000, expected"):
        parshall.load(file)


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.toml")), ids=lambda file: file.stem)
def test_a_run_takes_about_what_was_expected(file: Path) -> None:
    scenario = parshall.load(file)
    recording = parshall.run(scenario)
    assert 0.2 < scenario.expected.events / recording.events < 5
    sent = recording.table("flows")["packets_sent"].to_numpy().sum()
    assert 0.2 < scenario.expected.packets / max(sent, 1) < 8


def test_what_is_recorded_counts() -> None:
    plain = parshall.loads(network(top='duration = "100 s"')).expected
    packets = parshall.loads(network(top='duration = "100 s"\nrecord = {packets = ["*"]}'))
    assert packets.expected.events >= plain.events
    rows = parshall.run(packets).table("packets").num_rows
    assert 0.3 < packets.expected.memory_bytes / (rows * 56 * 2.5) < 4


def test_a_long_run_is_announced() -> None:
    assert Expected(1, 1e6, 0.2, 1e6).warning() is None
    long = Expected(1, 5e9, 600, 1e6).warning()
    assert long is not None
    assert long.startswith("the run will take about 5 billion events, 10 minutes, 1 MB of ")
    assert Expected(1, 1e6, 0.2, 1e15).warning() is not None
