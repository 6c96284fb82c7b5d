"""Invariants of every run: nothing is delivered that was not carried, and each thing has one name."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.simulations_drawn import dumbbells

import parshall
from parshall import Bulk, Cbr, Dumbbell, FlowGroup, RateChange, Recording, Tcp, Transfer, Udp
from parshall.cli.commands.figures import of_recording
from parshall.cli.commands.outcome import ensemble_as_json, recording_as_json
from parshall.recording.capacity import mean_rate
from parshall.recording.fairness import compared_flows
from parshall.recording.pictures.panels import panels_of
from parshall.recording.summary import print_summary
from parshall.stats import jain
from parshall.support.console import PlainConsole
from parshall.sweep.metric import metrics_of

drawn = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
seeds = st.integers(0, 99)


def largest_packet(recording: Recording) -> int:
    transports = [flow.transport for flow in recording.scenario.flows]
    return max(each.payload_bytes + each.header_bytes for each in transports)


@drawn
@given(dumbbells(), seeds)
def test_no_flow_delivers_more_than_it_receives(bell: Dumbbell, seed: int) -> None:
    recording = parshall.run(bell, seed=seed)
    flows = recording.columns("flows")
    payload = np.array([flow.transport.payload_bytes for flow in recording.scenario.flows])
    assert (flows["packets_delivered"] <= flows["packets_received"]).all()
    assert (flows["bytes_delivered"] == payload * flows["packets_delivered"]).all()
    if "transfers" in recording.tables:
        rows = recording.columns("transfers")
        done = (rows["start"] >= recording.scenario.warm_up) & np.isfinite(rows["end"])
        of_transfers = np.bincount(rows["flow"][done], rows["bytes"][done], minlength=len(payload))
        assert (of_transfers <= flows["bytes_delivered"]).all()


@drawn
@given(dumbbells(), seeds)
def test_no_port_carries_more_than_it_can(bell: Dumbbell, seed: int) -> None:
    recording = parshall.run(bell, seed=seed)
    seconds, packet = recording.counted_seconds, 8 * largest_packet(recording)
    for number, name in enumerate(recording.ports):
        port = recording.port(name)
        could = mean_rate(recording.scenario, number) * seconds
        capacity = recording.scenario.links[0].capacity if number == 0 else None
        opportunity = 8 * capacity.bytes if capacity else 0  # one at the last instant
        # A packet may be in transmission at the beginning.
        assert 8 * port.bytes_departed <= could + packet + opportunity, name
        assert np.isnan(port.utilization) or 0 <= port.utilization <= 1
        metric = metrics_of([f"port:{name}.utilization"])[f"port:{name}.utilization"]
        assert metric.of(recording.scenario)(recording._result, seed) == pytest.approx(
            port.utilization, nan_ok=True
        )


@drawn
@given(dumbbells(), seeds)
def test_no_flow_is_drawn_above_the_rate_of_the_link(bell: Dumbbell, seed: int) -> None:
    scenario = parshall.run(bell, seed=seed).scenario
    recording = parshall.run(bell, seed=seed)
    link = scenario.links[0]
    most = max(link.rate, *(event.rate for event in link.events if event.kind == "rate-change"), 0.0)
    if (
        link.capacity is not None
        or link.jitter is not None
        or any(event.kind in ("delay-change", "reordering") for event in link.events)
    ):
        return  # Packets may arrive closer to one another than they left.
    (panel,) = [panel for panel in panels_of(recording, recording.flows, []) if "delivered" in panel.title]
    for line in panel.lines:
        # Of at least three samples' time; two packets more may arrive in it than the rate lets through.
        assert (1e6 * line.value <= most + 2 * 8 * largest_packet(recording) / 0.05).all(), line.name


@drawn
@given(dumbbells(), seeds)
def test_a_port_has_one_name(bell: Dumbbell, seed: int) -> None:
    recording = parshall.run(bell, seed=seed)
    names = list(recording.ports)
    assert names == list(recording.scenario.port_names)
    assert names[0] == "bottleneck"
    assert [recording.port(name).name for name in names] == names
    assert [recording.port(name).name for name in recording.scenario.ports] == names
    assert recording.table("ports")["port"].to_pylist() == names
    assert set(recording.table("port_series")["port"].to_pylist()) == set(names)
    panels = panels_of(recording, [], names)
    assert {line.name for panel in panels for line in panel.lines} <= set(names)


def fairness_everywhere(recording: Recording) -> list[float]:
    """Jain's index as each surface has it."""
    metric = metrics_of(["fairness"])["fairness"].of(recording.scenario)
    said = io.StringIO()
    print_summary(recording, PlainConsole(file=said, width=200))
    printed = [float(part.split()[0]) for part in said.getvalue().split("fairness ")[1:]]
    found = [
        metric(recording._result, recording.seed),
        recording_as_json(recording)["fairness"],
        of_recording(recording).values["fairness (Jain)"],
        *printed,
    ]
    return [float("nan") if value is None else value for value in found]


@drawn
@given(dumbbells(), seeds)
def test_fairness_is_that_of_flows_of_one_kind_everywhere(bell: Dumbbell, seed: int) -> None:
    recording = parshall.run(bell, seed=seed)
    kinds = [(flow.transport.kind, flow.app.kind) for flow in recording.scenario.flows]
    bulk = [name for name, kind in zip(recording.flows, kinds, strict=True) if kind[1] == "bulk"]
    compared = bulk or (list(recording.flows) if len(set(kinds)) == 1 else [])
    assert [recording.flows[index] for index in compared_flows(recording.scenario)] == compared
    if len(compared) > 1:
        expected = jain([recording.flow(name).bytes_delivered for name in compared])
        for value in fairness_everywhere(recording):
            assert value == pytest.approx(expected, abs=6e-4, nan_ok=True)


# --- Cases --------------------------------------------------------------------------------------------------


def bell(*flows: FlowGroup, **others: Any) -> Dumbbell:
    return Dumbbell(
        duration="4 s", rate="10 Mbit/s", delay="10 ms", access_rate="100 Mbit/s", access_delay="1 ms",
        flows=list(flows) or [FlowGroup(transport=Tcp(), app=Bulk(), count=2)], **others,
    )  # fmt: skip


def test_a_call_beside_bulk_flows_does_not_change_their_fairness() -> None:
    bulk = FlowGroup(name="bulk", transport=Tcp(), app=Bulk(), count=2)
    call = FlowGroup(name="call", transport=Udp(), app=Cbr(rate="64 kbit/s"))
    few = FlowGroup(name="few", transport=Tcp(), app=Transfer(packets=10))
    recording = parshall.run(bell(bulk, call, few), seed=1)
    assert min(fairness_everywhere(recording)) > 0.9


def test_flows_of_several_kinds_without_bulk_flows_have_no_fairness() -> None:
    calls = FlowGroup(name="call", transport=Udp(), app=Cbr(rate="64 kbit/s"), count=3)
    few = FlowGroup(name="few", transport=Tcp(), app=Transfer(packets=10))
    assert min(fairness_everywhere(parshall.run(bell(calls), seed=1))) > 0.99
    recording = parshall.run(bell(calls, few), seed=1)
    assert recording_as_json(recording)["fairness"] is None
    said = io.StringIO()
    print_summary(recording, PlainConsole(file=said, width=200))
    assert "fairness" not in said.getvalue()
    with pytest.raises(parshall.ParshallError, match="bulk"):
        metrics_of(["fairness"])["fairness"].of(recording.scenario)
    ensemble = parshall.run_many(bell(calls, few), seeds=2)
    assert ensemble_as_json(ensemble, recording.scenario)["fairness"] == [None, None]


@pytest.mark.parametrize(
    ("warm_up", "changes", "expected"),
    [
        (0.0, [], 10e6),
        (0.0, [(2.0, 20e6)], 15e6),
        (1.0, [(2.0, 40e6)], (10e6 + 2 * 40e6) / 3),
        (2.0, [(1.0, 40e6)], 40e6),
        (1.0, [(2.0, 0.0), (3.0, 30e6)], (10e6 + 30e6) / 3),
        (0.0, [(9.0, 1e6)], 10e6),
    ],
)
def test_the_rate_of_a_link_is_its_mean_in_the_counted_time(
    warm_up: float, changes: list[tuple[float, float]], expected: float
) -> None:
    events = [RateChange(at=at, rate=rate) for at, rate in changes]
    recording = parshall.run(bell(warm_up=warm_up, events=events), seed=1)
    assert recording.port("bottleneck").rate == pytest.approx(expected)


def test_a_recording_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    """Its ports were all called ``a->b``."""
    recording = parshall.run(bell(), seed=1)
    names = {"flows": list(recording.flows), "ports": list(recording.scenario.ports)}
    earlier = Recording(recording.scenario, 1, {**recording._result, "names": names})
    again = Recording.load(earlier.save(tmp_path / "kept"))
    assert again.ports == recording.ports != earlier.ports
    assert again.table("ports").equals(recording.table("ports"))
