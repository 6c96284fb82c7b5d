"""Metrics of one's own in a sweep: what they are handed, and what becomes of numbers that are none."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parshall
from parshall import Dumbbell, Record, Recording, Series
from parshall.engine.cache import Cache
from parshall.sweep import StopRule, Sweep


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_seeds_are_spent_on_what_they_cannot_narrow(bell: Dumbbell, value: float) -> None:
    rule = StopRule(metric="m", relative=0.1, min_seeds=3, max_seeds=50)
    result = Sweep(bell, {"rate": [1e6]}, metrics={"m": lambda _: value}, stop=rule).run()
    assert [len(seeds) for seeds in result.seeds] == [3]
    assert not result.interval("m", result.points[0]).bounded


def test_a_metric_that_exists_sometimes_has_more_seeds(bell: Dumbbell) -> None:
    def sometimes(recording: Recording) -> float:
        return recording.seed * 1.0 if recording.seed > 3 else math.nan

    rule = StopRule(metric="m", relative=0.01, min_seeds=4, max_seeds=8)
    result = Sweep(bell, {"rate": [1e6]}, metrics={"m": sometimes}, stop=rule).run()
    assert [len(seeds) for seeds in result.seeds] == [8]


# --- Recordings are whole -----------------------------------------------------------------------------------

METRICS: dict[str, Any] = {
    "events": lambda run: run.events,
    "rtt": lambda run: float(np.mean(run.flow(run.flows[0]).rtt.rtt)),
    "held": lambda run: float(np.max(run.port("bottleneck").series.backlog_packets)),
    "captured": lambda run: sum(map(len, run.pcap.values())),
    "packets": lambda run: len(run.columns("packets")["time"]),
    "goodput": "goodput",
}


def recorded(bell: Dumbbell) -> Dumbbell:
    record = Record(
        rtt=["*"],
        packets=["bottleneck"],
        pcap=["bottleneck"],
        port_series=Series(of=["bottleneck"], interval="100 ms"),
    )
    return bell.replace("record", record)


@pytest.mark.parametrize("kept", [True, False])
def test_a_metric_is_handed_everything_that_was_recorded(bell: Dumbbell, kept: bool, tmp_path: Path) -> None:
    whole = recorded(bell)
    sweep = Sweep(whole, {"rate": [1e6, 2e6]}, seeds=2, metrics=METRICS)
    cache = Cache(tmp_path) if kept else None
    results = [sweep.run(cache=cache), sweep.run(cache=cache)]
    assert results[1].executed == (0 if kept else 4)
    for result in results:
        for row in result.table().to_pylist():
            alone = parshall.run(whole.replace("rate", row["rate"]), row["seed"])
            expected = {
                name: metric(alone) if callable(metric) else row[name] for name, metric in METRICS.items()
            }
            assert {name: row[name] for name in METRICS} == expected
            assert row["captured"] > 1000
        assert all(set(block.tables) == {"flows", "ports"} for block in result._blocks)


def test_what_a_metric_says_of_a_run_is_kept_beside_what_failed(bell: Dumbbell) -> None:
    """Runs that have finished are stored before a metric that fails ends the sweep."""

    def fails(recording: Recording) -> float:
        raise ValueError("mine")

    sweep = Sweep(bell, {"rate": [1e6]}, seeds=3)
    with pytest.raises(parshall.ParshallError, match=r"metric m of scenario .*: ValueError: mine"):
        Sweep(bell, {"rate": [1e6]}, seeds=3, metrics={"m": fails}).run()
    assert sweep.run().executed == 0
