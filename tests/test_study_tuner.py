"""The search for settings with the least error."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from parshall_studies.study.tuner import Range, least

RANGES = {"gain": Range(1e-3, 1e4, log=True), "share": Range(0.0, 1.0), "window": Range(1.0, 60.0, log=True)}
BEST = {"gain": 0.5, "share": 0.9, "window": 7.0}


def error(settings: Mapping[str, float]) -> float:
    """A bowl in the coordinates of the search."""
    return sum((r.place(settings[name]) - r.place(BEST[name])) ** 2 for name, r in RANGES.items())


def test_it_finds_the_bottom_of_a_bowl() -> None:
    found, lowest = least(error, RANGES, trials=1500, seed=1)
    assert lowest == error(found) < 1e-3
    assert found["share"] == pytest.approx(0.9, abs=0.03)
    assert found["gain"] == pytest.approx(0.5, rel=0.03)


def test_one_setting_is_searched_as_well() -> None:
    found, _ = least(lambda at: abs(at["share"] - 0.3), {"share": Range(0.0, 1.0)}, trials=300, seed=1)
    assert found["share"] == pytest.approx(0.3, abs=1e-3)


def test_equal_seeds_find_equal_settings() -> None:
    first, again, other = (least(error, RANGES, trials=90, seed=seed)[0] for seed in (1, 1, 2))
    assert first == again != other


def test_it_is_no_worse_than_its_start_and_takes_no_more_trials_than_told() -> None:
    asked = []

    def counted(settings: Mapping[str, float]) -> float:
        asked.append(settings)
        return error(settings)

    assert least(counted, RANGES, BEST, trials=120, seed=3) == (BEST, 0.0)
    assert len(asked) <= 120 + 2


def test_nothing_outside_of_the_ranges_is_tried() -> None:
    def edge(settings: Mapping[str, float]) -> float:
        for name, value in settings.items():
            assert RANGES[name].low <= value <= RANGES[name].high
        return -math.log(settings["gain"]) - settings["share"]

    found, _ = least(edge, RANGES, trials=600, seed=1)
    assert found["gain"] == pytest.approx(1e4, rel=0.1)
