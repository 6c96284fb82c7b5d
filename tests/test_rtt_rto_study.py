"""The study of conditioners that know round trip and timeout: its networks beside ns-2 and plain
definitions.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from parshall import run
from parshall.scenario import Record, Series
from parshall_studies.rtt_rto_conditioner import (
    beyond,
    document,
    networks,
    quantities,
    timeouts,
    traffic,
)
from parshall_studies.rtt_rto_conditioner.claims import CAPACITY
from parshall_studies.rtt_rto_conditioner.conditioners import (
    DOCUMENT,
    EDGES,
    FAIR,
    PROFILE,
    RTT,
    RTT_SW,
    STANDARD,
    small_windows,
)
from parshall_studies.rtt_rto_conditioner.networks import Setting, domains, shared

# --- Beside ns-2 --------------------------------------------------------------------------------------------

SEEDS = range(1, 9)
ALIKE = {
    "minrto 0.2": (Setting(), (4, 100, 200)),
    "minrto 1": (Setting(min_rto=1.0), (4, 100, 200)),
    "sens: RIO-D": (Setting(dropper="rio-d"), (20, 200)),
    "sens: WRED": (Setting(dropper="wred"), (20, 200)),
    "sens: Reno": (Setting(recovery="reno"), (200,)),
    "sens: core 20 Mbit/s": (Setting(rate=20e6), (200,)),
    "sens: core buffer 60": (Setting(limit=60), (200,)),
    "sens: 20 flows per aggregate": (Setting(flows=(20, 20)), (20, 200)),
    "sens: 4 flows per aggregate": (Setting(flows=(4, 4)), (20, 200)),
}
"""Settings of ns-2's runs, and the round trips of F2 in ms."""
USUAL = ("minrto 0.2", "sens: RIO-D", "sens: Reno", "sens: 4 flows per aggregate")
"""A round trip of each is run by default; the others in ``make test-all``."""

BASELINES = Path(__file__).parents[2] / "shared/reference/baselines/results/study4_stats.csv"


def _ns2(label: str) -> tuple[dict[str, tuple[float, float]], int]:
    """Mean and standard deviation of what ns-2 found, by its name, and over how many runs."""
    if not BASELINES.is_file():
        pytest.skip("no baselines of ns-2")
    with BASELINES.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["label"] == label]
    return {row["outcome"]: (float(row["mean"]), float(row["sd"])) for row in rows}, int(rows[0]["n"])


def _each() -> Iterator[Any]:
    for label, (_, fars) in ALIKE.items():
        for far in fars:
            marks = () if far == fars[-1] and label in USUAL else pytest.mark.exhaustive
            yield pytest.param(label, far, marks=marks)


@pytest.mark.parametrize(("label", "far"), list(_each()))
def test_the_standard_conditioner_is_that_of_ns2(label: str, far: int) -> None:
    expected, runs = _ns2(f"{label} RTT2 {far} ms")
    setting = replace(ALIKE[label][0], far=far / 1000)
    scenario = shared(DOCUMENT[STANDARD], setting)
    found = [quantities.counts(run(scenario, seed=seed)) for seed in SEEDS]
    for outcome, name, factor in (
        ("f1_mbps", "rate_F1", 1.0),
        ("f2_mbps", "rate_F2", 1.0),
        ("drop_ratio", "lost", 0.01),
    ):
        ours = np.array([factor * each[name] for each in found])
        mean, deviation = expected[outcome]
        error = np.hypot(ours.std(ddof=1) / np.sqrt(ours.size), deviation / np.sqrt(runs))
        # Starts are drawn otherwise, and that is all: four standard errors, or half a per cent.
        assert abs(ours.mean() - mean) < max(4 * error, 0.005 * mean), (outcome, ours.mean(), mean)


# --- Networks -----------------------------------------------------------------------------------------------


def test_round_trips_are_those_of_the_document() -> None:
    scenario = shared(DOCUMENT[STANDARD], Setting(far=0.2))
    delays = {link.between: link.delay for link in scenario.links}
    one = [("n1", "e-n1"), ("e-n1", "c1"), ("c1", "c2"), ("c2", "e-n3"), ("e-n3", "n3")]
    other = [("n2", "e-n2"), ("e-n2", "c1"), ("c1", "c2"), ("c2", "e-n4"), ("e-n4", "n4")]
    assert 2 * sum(delays[hop] for hop in one) == pytest.approx(0.02)
    assert 2 * sum(delays[hop] for hop in other) == pytest.approx(0.2)
    several = domains(DOCUMENT[STANDARD], Setting())
    assert len(several.flows) == 5 * networks.FLOWS


def test_edges_that_go_by_sizes_alone_need_no_knowledge() -> None:
    assert [name for name, edge in EDGES.items() if not edge.asks_around] == [STANDARD]


def test_jains_index() -> None:
    assert quantities.jain(np.ones(4)) == 1.0
    assert quantities.jain(np.array([1.0, 0.0, 0.0, 0.0])) == 0.25


# --- What the edges do --------------------------------------------------------------------------------------

SMALL = Setting(flows=(8, 8), rate=2e6, profile=replace(PROFILE, cir=0.4e6, pir=0.6e6), duration=60.0)


def test_round_trips_alone_starve_the_nearer_one() -> None:
    found = quantities.counts(run(shared(EDGES[RTT], Setting(duration=60.0)), seed=1))
    assert found["rate_F1"] < 2.5
    assert found["rate_F2"] > 6.5
    assert found["red_F1"] > found["red_F2"]


def test_small_windows_are_protected() -> None:
    plain, protected = (
        quantities.counts(run(shared(EDGES[name], Setting(duration=60.0)), seed=1)) for name in (RTT, RTT_SW)
    )
    assert plain["protected_F1"] == 0.0
    assert protected["protected_F1"] > 50.0


@pytest.mark.parametrize("flows", [(8, 8), (2, 30)])
def test_feedback_divides_evenly_where_nobody_tuned_it(flows: tuple[int, int]) -> None:
    found = quantities.counts(run(shared(EDGES[FAIR], replace(SMALL, flows=flows)), seed=3))
    assert found["rate_F1"] / found["rate_F2"] == pytest.approx(1.0, abs=0.1)
    assert found["total"] > 1.7


def test_an_edge_that_listens_is_near_what_senders_know() -> None:
    record = Record(edges=Series(of=["edge-F1", "edge-F2"], interval=1.0))
    edge = replace(EDGES[RTT], source="packets")
    found = quantities.errors(run(shared(edge, replace(SMALL, far=0.1), record), seed=1))
    assert found["error_rtt"] < 15.0
    assert found["error_rto"] < 30.0
    assert found["error_window"] < 60.0


def test_no_conditioner_differs_where_nobody_exceeds_the_target() -> None:
    found = [
        traffic.of_telnet(run(traffic.telnet(EDGES[name], traffic.PROFILES["printed"]), seed=1))
        for name in (STANDARD, RTT)
    ]
    assert found[0] == found[1]
    assert found[0]["cut"] == 0.0


# --- Statements ---------------------------------------------------------------------------------------------


def test_printed_rates_count_headers() -> None:
    printed = sum(map(float, document.RATES_AT_100_MS))
    assert CAPACITY < printed < CAPACITY * quantities.WIRE


def test_printed_deviations_are_a_constant_times_their_means() -> None:
    """So they are no deviations of eight samples of response times."""
    for row in document.WEB.values():
        mean, deviation, mean_of_all, deviation_of_all = map(float, row)
        assert deviation / mean == pytest.approx(2.13, abs=0.02)
        assert deviation_of_all / mean_of_all == pytest.approx(2.13, abs=0.02)


def test_green_packets_are_at_most_the_committed_rate_where_protection_is_repaid() -> None:
    setting = replace(SMALL, flows=(40, 40))
    paid, free = (
        quantities.counts(
            run(shared(replace(EDGES[RTT_SW], small_window=small_windows(repay=repay)), setting), seed=1)
        )
        for repay in (True, False)
    )
    bound = setting.profile.cir / 1e6 * (1 + 2 / (setting.duration - setting.warm_up))
    for name in ("F1", "F2"):
        assert paid[f"sent_green_{name}"] < bound + 0.001
    assert free["sent_green_F1"] > bound


def test_equations_of_a_run() -> None:
    record = Record(edges=Series(of=["edge-F1", "edge-F2"], interval=1.0), rtt=["F1-1", "F2-1"])
    found = quantities.equations(run(shared(EDGES[RTT], replace(SMALL, flows=(2, 2)), record), seed=1))
    assert found["eq3_F1"] < found["eq1_F1"]
    assert found["measured_F2"] > 0.0
    assert found["single_F1"] < 30.0


@pytest.mark.parametrize("loss", [1e-6, 0.01, 0.3])
def test_losses_by_equation_6_give_both_the_same(loss: float) -> None:
    (rtt, rto), (other_rtt, other_rto) = (0.05, 0.25), (0.13, 0.6)
    found = quantities._ratios((rtt, rto, loss), (other_rtt, other_rto, loss))
    other_loss = found["ratio_6"] * loss
    first, second = rtt * loss**0.5 + rto * loss, other_rtt * other_loss**0.5 + other_rto * other_loss
    assert first == pytest.approx(second)
    assert found["ratio_9"] == pytest.approx(((rtt / other_rtt) ** 2 * rto / other_rto) ** 0.5)


# --- Timeouts -----------------------------------------------------------------------------------------------


def _timed(backoffs: list[int]) -> Any:
    """A run of one connection whose timer is backed off so, second by second, after a warm-up of 1.5 s."""
    count = len(backoffs)
    columns = {"flow": np.zeros(count), "time": np.arange(count), "cwnd": np.ones(count)}
    table = {name: column.astype(float) for name, column in columns.items()}
    return SimpleNamespace(
        columns=lambda _: {**table, "backoff": np.array(backoffs)}, scenario=SimpleNamespace(warm_up=1.5)
    )


@pytest.mark.parametrize(
    ("backoffs", "seen", "repeated"),
    [([1, 1, 1, 1], 0, 0), ([1, 1, 2, 1, 2], 2, 0), ([1, 1, 2, 4, 8, 1, 2], 4, 2), ([1, 2, 4, 4], 1, 1)],
)
def test_timeouts_come_back_to_back_while_the_timer_is_backed_off(
    backoffs: list[int], seen: int, repeated: int
) -> None:
    assert timeouts._seen(_timed(backoffs), [0])[:2] == (seen, repeated)


def test_watched_timeouts_are_all_that_there_are() -> None:
    setting = replace(SMALL, flows=(8, 8))
    recording = run(shared(EDGES[STANDARD], setting, Record(window=timeouts._watched(8))), seed=1)
    counted = int(recording.columns("flows")["timeouts"].sum())
    assert timeouts._seen(recording, range(16))[0] == counted > 0
    found = timeouts.of_timeouts(recording)
    assert found["timeouts"] == pytest.approx(counted / (setting.duration - setting.warm_up))
    assert 0.0 < found["repeated"] < found["timeouts"]


def test_telnet_waits_for_the_congested_links_alone() -> None:
    slow, fast = (
        traffic.of_telnet(run(traffic.telnet(EDGES[STANDARD], traffic.PROFILES["printed"], rate), seed=1))
        for rate in (traffic.RATE, traffic.IDLE_RATE)
    )
    assert fast["all"] < min(0.1, slow["all"] / 10)


def test_a_shaper_lets_no_more_pass_than_the_profile_has() -> None:
    solution = beyond.SOLUTIONS[beyond.SHAPER]
    shaped = replace(solution, options={**(solution.options or {}), "flows": (4, 4), "duration": 40.0})
    recording = run(shaped.network(far=0.1), seed=1)
    bits = [8 * recording.port(f"edge-{name}").bytes_departed for name in ("F1", "F2")]
    assert bits == pytest.approx([20 * PROFILE.cir] * 2, rel=0.01)
