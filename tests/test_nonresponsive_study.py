"""The study of non-responsive traffic: its networks, what the router sees against plain definitions, and
Table III.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.nonresponsive_traces import made_traces, short_case

from parshall import run
from parshall.estimators.responsiveness import share_or_middle
from parshall.scenario import Cbr, Transfer
from parshall_studies.nonresponsive import alarm, cases, networks, phase
from parshall_studies.nonresponsive.cases import Case
from parshall_studies.nonresponsive.contestants import HOP_TRAINING, TRAINING, contestant
from parshall_studies.nonresponsive.document import ERRORS, TABLE_2, TABLE_3
from parshall_studies.nonresponsive.networks import ESTIMATION
from parshall_studies.nonresponsive.traces import by_interval, stacked, traces_of
from parshall_studies.study.results import dimensions_of

SHARED = Path(__file__).parents[2] / "shared"

# --- Set-up -------------------------------------------------------------------------------------------------


def test_cases_are_told_apart_and_cover_what_is_printed() -> None:
    names = [case.name for case in cases.all_cases()]
    assert len(names) == len(set(names))
    assert len({case.network.hash for case in cases.all_cases()}) == len(names)
    needed = {*TRAINING, *HOP_TRAINING, *cases.TRANSFER, *(error.case for error in ERRORS)}
    assert needed <= set(names)
    assert {f"hops/{count}" for count, _ in TABLE_2} <= set(names)
    assert {link for _, link in TABLE_2} == {1, 2, 3}
    for row in TABLE_3.values():
        assert float(row[0]) + float(row[1]) == pytest.approx(100, abs=0.2)  # shares of one link


def _round_trips(case: Case) -> Counter[float]:
    """Round trips without queueing of the TCP flows, in milliseconds, from links and routes."""
    network = case.network.scenario()
    delays = {frozenset(link.between): link.delay for link in network.links}
    found = []
    for flow in network.flows:
        if flow.transport.kind == "tcp":
            path = (flow.source, "r0", "r1", flow.destination)
            one_way = sum(delays[frozenset(hop)] for hop in pairwise(path))
            found.append(round(2e3 * one_way, 6))
    return Counter(found)


def test_round_trips_are_the_documents() -> None:
    assert _round_trips(cases.case("load/22")) == {100.0: 35}
    assert _round_trips(cases.case("load/22/rtt-120")) == {120.0: 35}
    for milliseconds in cases.RTTS:
        assert _round_trips(cases.case(f"rtt/{milliseconds}")) == {float(milliseconds): 35}
    spread = sorted(_round_trips(cases.case("rtt-range")))
    assert (spread[0], spread[-1], len(spread)) == (24.4, 175.5, 35)
    assert cases.case("rtt-range").r0 == 0.09


def test_pulses_are_a_square_wave() -> None:
    groups = networks.pulses(6, 20.0)
    assert [(group.start, group.stop) for group in groups] == [(40.0 * i, 40.0 * i + 20.0) for i in range(8)]
    assert {group.count for group in groups} == {6}
    assert {group.start_spread for group in groups} == {0.008}
    assert len(networks.pulses(6, 100.0)) == 2
    assert len(networks.pulses(6, 5.0)) == 32


def test_short_flows_are_1500_transfers_in_50_seconds() -> None:
    flows = [flow for flow in cases.case("short").network.scenario().flows if flow.name.startswith("s")]
    assert len(flows) == 300 * 5
    assert {flow.app for flow in flows} == {Transfer(packets=20)}
    assert {(flow.start, flow.start_spread) for flow in flows} == {(100.0, 50.0)}


def test_the_flow_sets_of_figure_11() -> None:
    network = cases.case("hops/22-uneven").network.scenario()
    ends = {
        flow.name: (link_of(network, flow.source)[1], link_of(network, flow.destination)[0])
        for flow in network.flows
    }
    kinds = {flow.name: flow.transport.kind for flow in network.flows}
    counted = Counter((kinds[name], *ends[name]) for name in ends)
    assert counted == {
        ("tcp", "r1", "r3"): 17,
        ("tcp", "r1", "r4"): 18,
        ("udp", "r1", "r3"): 6,
        ("udp", "r1", "r4"): 16,
        ("tcp", "r2", "r3"): 17,
        ("udp", "r2", "r3"): 11,
        ("tcp", "r2", "r4"): 18,
        ("udp", "r2", "r4"): 6,
    }


def link_of(network: Any, host: str) -> tuple[str, str]:
    return next(link.between for link in network.links if host in link.between)


def test_loads_below_60_percent_end_at_16_flows() -> None:
    """Checks the chapter's statement about loads below 60 % with up to 16 CBR flows."""
    shares = {}
    for count in (16, 18):
        case = cases.case(f"load/{count}")
        shares[count] = traces_of(case, run(case.network, seed=1)).true_share.mean()
    assert shares[16] < 0.6 < shares[18]


def test_an_attack_and_a_flash_crowd_come_one_after_the_other() -> None:
    flows = alarm.alarm_case("large").network.scenario().flows
    attackers = [flow for flow in flows if flow.name.startswith("a")]
    crowd = [flow for flow in flows if flow.name.startswith("s")]
    assert {(flow.start, flow.stop) for flow in attackers} == {alarm.ATTACK}
    assert {(flow.start, flow.start + flow.start_spread) for flow in crowd} == {alarm.CROWD}
    assert (len(attackers), len(crowd)) == (14, 3600)
    quiet = alarm.alarm_case("none").network.scenario().flows
    assert {flow.name for flow in flows} - {flow.name for flow in quiet} == {flow.name for flow in crowd}


def _points() -> dict[tuple[str, str, float], phase.Point]:
    return {(point.sweep, point.queue, float(point.x)): point for point in phase.sweep_points()}


def test_table_3_changes_one_thing_at_a_time() -> None:
    points = _points()
    assert len(points) == len(list(phase.sweep_points()))
    jittered = points["cbr-jitter", "droptail", 3.0].network.scenario()
    plain = points["spread", "droptail", 0.0].network.scenario()
    slow = {link.between[0] for link in jittered.links if link.jitter is not None}
    assert slow == {flow.source for flow in jittered.flows if isinstance(flow.app, Cbr)}
    assert len(slow) == 22
    assert points["cbr-jitter", "droptail", 0.0].network.scenario().hash == plain.hash
    assert {flow.start_spread for flow in plain.flows if isinstance(flow.app, Cbr)} == {0.0}


# --- What the router sees -----------------------------------------------------------------------------------


def test_the_true_share_is_that_of_the_packets() -> None:
    case = short_case()
    network = case.network.replace("record.packets", ("bottleneck",))
    first = 80  # the first whole estimation interval after 2 s, which is sample 61
    for seed in (1, 2):
        recording = run(network, seed=seed)
        found = traces_of(case, recording)
        packets = recording.to_pandas("packets")
        own = packets[packets["event"] == 0]
        edges = 0.033 * np.arange(first, first + found.arrivals.shape[1] + 1)
        udp = own["flow"].astype(str).str.startswith("c").to_numpy()
        times = own["time"].to_numpy()
        # An arrival at the very instant of a sample is in it.
        expected = np.diff(np.searchsorted(np.sort(times), edges, side="right"))
        expected_udp = np.diff(np.searchsorted(np.sort(times[udp]), edges, side="right"))
        assert np.abs(found.arrivals[0] - expected).sum() <= 2  # 33 ms times n is not exact in binary
        assert np.abs(found.udp[0] - expected_udp).sum() <= 2
        whole = len(expected) // ESTIMATION * ESTIMATION
        shares = expected_udp[:whole].reshape(-1, ESTIMATION).sum(1) / expected[:whole].reshape(
            -1, ESTIMATION
        ).sum(1)
        assert found.true_share[0] == pytest.approx(shares, abs=2e-3)
        assert found.times[0] == pytest.approx(0.033 * (first + ESTIMATION))
        assert 0.5 < found.true_share.mean() < 0.9


def test_what_an_observer_saw_is_in_step_with_the_samples() -> None:
    case = short_case()
    recording = run(case.network, seed=1)
    found, observed = traces_of(case, recording), recording.columns("responsiveness")
    kept = observed["time"] > found.start + 1e-6
    assert observed["time"][kept] == pytest.approx(found.times)
    share = share_or_middle(*(observed[name][kept] for name in ("share", "share_lower", "share_upper")))
    assert found.recorded["responsiveness"][0] == pytest.approx(share)
    assert by_interval(found.drops)[0] == pytest.approx(found.signals[0], abs=2)
    assert found.signals.sum() == pytest.approx(found.drops.sum(), rel=0.05)


def test_runs_of_a_case_are_stacked_in_their_order() -> None:
    case = short_case()
    runs = [traces_of(case, run(case.network, seed=seed)) for seed in (1, 2)]
    both = stacked(runs)
    assert (both.start, both.sampling) == (runs[0].start, runs[0].sampling)
    for row, one in enumerate(runs):
        for name in ("backlog", "arrivals", "drops", "udp", "bytes", "signals", "true_share", "drop_rate"):
            assert np.array_equal(getattr(both, name)[row], getattr(one, name)[0])
        recorded = (each.recorded["responsiveness"] for each in (both, one))
        assert np.array_equal(next(recorded)[row], next(recorded)[0])


def test_udp_arrivals_are_counted_from_the_warm_up_on() -> None:
    network = short_case(warm_up=4.0).network
    series = run(network, seed=3).port("bottleneck").series
    assert series is not None
    counted = np.asarray(series.packets_arrived_udp)
    assert counted[np.asarray(series.time) < 4.0].max() == 0
    assert 3 * 125 * 3.5 < counted[-1] < 3 * 125 * 4.1
    assert np.all(counted <= np.asarray(series.packets_arrived))


def test_a_count_of_bytes_forgets_headers_only() -> None:
    found = made_traces(share=0.5, runs=2)
    headers = replace(found, bytes=1000 * found.udp + 1040 * (found.arrivals - found.udp))
    counted = contestant("counter").run(cases.case("load/22"), headers, {})
    assert counted == pytest.approx(0.5 * 1000 / (0.5 * 1000 + 0.5 * 1040))
    assert headers.true_share == pytest.approx(0.5)


def test_intervals_are_whole() -> None:
    counts = np.arange(2 * 47, dtype=float).reshape(2, 47)
    assert by_interval(counts).shape == (2, 2)
    assert by_interval(counts)[0, 1] == sum(range(20, 40))


# --- Table III ----------------------------------------------------------------------------------------------


def test_shares_of_the_link_are_of_delivered_bytes() -> None:
    found = {}
    for spread in (0.0, 16.0):
        recording = run(_points()["spread", "droptail", spread].network, seed=1)
        port, row = recording.port("r0->r1"), phase.of_run(recording)
        assert 8 * port.bytes_departed / 40 == pytest.approx(networks.RATE, rel=0.05)
        assert row["drop_rate"] == pytest.approx(100 * port.packets_dropped / port.packets_arrived)
        names = recording.flows
        received = {name: recording.flow(name).packets_received for name in names}
        tcp = sum(1040 * received[name] for name in names if name.startswith("t"))
        cbr = sum(1000 * received[name] for name in names if name.startswith("c"))
        assert row["tcp_share"] == pytest.approx(100 * tcp / (tcp + cbr))
        found[spread] = row["tcp_share"]
    assert found[0.0] > 60  # the phase effect itself
    assert found[16.0] < 35


def test_points_of_ns2_are_read() -> None:
    (data,) = phase.DATA
    file = SHARED / "reference" / "baselines" / data.path
    if not file.is_file():
        pytest.skip(f"{file} is not there")
    assert hashlib.sha256(file.read_bytes()).hexdigest() == data.sha256
    table = phase.ns2_points(file)
    assert dimensions_of(table) == phase.DIMS
    found = {(row["sweep"], row["queue"], row["x"]): row["tcp_share"] for row in table.to_pylist()}
    assert len(found) == table.num_rows
    assert found["rtt", "droptail", 120.0] == pytest.approx(70, abs=2)
    assert found["rtt", "droptail", 118.0] == pytest.approx(23.5, abs=0.5)
    assert found["spread", "red-full", 8.0] == pytest.approx(27, abs=3)
    assert found["tcp-jitter", "droptail", 10.0] == pytest.approx(35.6, abs=0.5)


def test_points_of_ns2_are_measured_where_they_are_at_hand(tmp_path: Path) -> None:
    asked: list[tuple[str, tuple[int, ...]]] = []

    class Bench:
        seeds = (1, 2, 3, 4, 5)
        files: Mapping[str, Path] = {}

        def measure(
            self, what: str, variants: Any, function: Any, *, table: str, dims: Any, seeds: Any
        ) -> Any:
            asked.append((table, tuple(seeds)))
            return {table: None}

    assert set(phase.measure(Bench(), (1, 2))) == {"table_3", "phase"}
    assert asked == [("table_3", (1, 2, 3, 4, 5)), ("phase", (1, 2))]
    file = SHARED / "reference" / "baselines" / phase.DATA[0].path
    if file.is_file():
        Bench.files = {phase.DATA[0].path: file}
        assert set(phase.measure(Bench(), (1, 2))) == {"table_3", "phase", "phase_ns2"}


def test_the_guide_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[1] / "docs" / "guide" / "nonresponsive.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(example, "docs/guide/nonresponsive.md", "exec"), {"__name__": "example"})
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert all(0 <= float(line.split()[0]) <= 1 for line in lines)


def test_the_guide_explains_every_flag() -> None:
    from parshall.estimators import Quality

    page = (Path(__file__).parents[1] / "docs" / "guide" / "nonresponsive.md").read_text(encoding="utf-8")
    assert {flag.name for flag in Quality} <= set(re.findall(r"^\| `([A-Z_]+)` \|", page, re.MULTILINE))
