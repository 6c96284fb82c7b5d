"""Metrics of one's own in a sweep: what they are handed, and what becomes of numbers that are none."""

from __future__ import annotations

import math

import pytest

from parshall import Dumbbell, Recording
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
