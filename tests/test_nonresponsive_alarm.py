"""The share's estimate as an alarm, in the study nonresponsive: rules, areas, delays and false alarms by
their definitions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tests.nonresponsive_traces import Seen, entry_of

from parshall_studies.nonresponsive import alarm
from parshall_studies.nonresponsive.contestants import contestant
from parshall_studies.nonresponsive.rules import EXCESS, LEVELS, RULES, SINGLE
from parshall_studies.nonresponsive.traces import Traces
from parshall_studies.study import Results


def _attacked() -> Traces:
    """An attack from 150 to 210 s in 300 s, seen from 100 s on."""
    times = 100.0 + 0.033 * np.arange(1, 6001)
    udp = np.where((times > 150) & (times <= 210), 96.0, 36.0)[None]
    flat = np.full((1, 6000), 120.0)
    return Traces(0.033, 100.0, flat, flat, flat * 0, udp, flat)


def _alarms(shares: Callable[[Traces], np.ndarray]) -> Results:
    """Measures of alarms on given estimates."""
    told = replace(contestant("counter"), run=lambda case, seen, settings: shares(seen))
    entry = replace(entry_of("counter"), contestant=told)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alarm, "traces_of", lambda case, seen: seen)
        return Results(alarm.measure(Seen([_attacked()]), [entry]))


_ALARM = {"crowd": "none", "estimator": "counter", "seed": 1}


def _at_level(results: Results, percent: int, rule: str = SINGLE.name) -> dict[str, float]:
    columns = ("hits", "attacks", "falses", "others", "delay", "false_alarms_per_hour")
    level = float(LEVELS[percent])
    return {
        column: float(results.values("alarms", column, **_ALARM, rule=rule, level=level).array)
        for column in columns
    }


def test_a_perfect_estimate_is_a_perfect_alarm() -> None:
    results = _alarms(lambda seen: seen.true_share)
    found = []
    for percent in (10, 60, 90):
        row = _at_level(results, percent)
        found.append((row["hits"] / row["attacks"], row["falses"] / row["others"]))
    assert found == [(1.0, 1.0), (1.0, 0.0), (0.0, 0.0)]
    assert row["attacks"] == pytest.approx(60 / 0.66, abs=1)
    assert row["attacks"] + row["others"] == 300
    assert results.values("areas", "area", **_ALARM, rule=SINGLE.name).array == 1.0


def test_the_area_is_the_probability_of_the_right_order() -> None:
    """Over pairs of an interval of the attack and another one, a tie counting for a half."""
    rng = np.random.default_rng(3)
    seen = _attacked()
    shares = np.round(seen.true_share + rng.normal(0, 0.4, seen.true_share.shape), 1)
    attack = seen.true_share > alarm.LIMIT
    pairs = shares[attack][:, None] - shares[~attack][None]
    found = _alarms(lambda seen: shares).values("areas", "area", **_ALARM, rule=SINGLE.name).array
    assert found == pytest.approx(np.mean((pairs > 0) + 0.5 * (pairs == 0)))
    assert 0.6 < found < 0.95
    assert np.isnan(alarm.area(shares[0], np.zeros(shares.shape[1], bool)))


def test_detection_waits_and_false_alarms_are_counted_once() -> None:
    def late(seen: Traces) -> np.ndarray:
        """Ten seconds late, and one false alarm of several intervals at 120 s."""
        times = seen.times
        return np.where((times > 160) & (times < 210) | (times > 120) & (times < 125), 0.9, 0.1)[None]

    row = _at_level(_alarms(late), 50)
    assert row["delay"] == pytest.approx(10, abs=1)
    quiet_hours = (6000 * 0.033 - 60) / 3600
    assert row["false_alarms_per_hour"] == pytest.approx(1 / quiet_hours, rel=0.05)
    row = _at_level(_alarms(lambda seen: 0 * seen.true_share), 50)
    assert (row["delay"], row["false_alarms_per_hour"]) == (60.0, 0.0)


def test_an_alarm_that_stays_on_counts_again_each_minute() -> None:
    """Always on from 100 to 298 s but for the attack: a minute before it, and 88 s that it left over."""
    row = _at_level(_alarms(lambda seen: np.ones_like(seen.true_share)), 50)
    quiet_hours = (6000 * 0.033 - 60) / 3600
    assert row["false_alarms_per_hour"] == pytest.approx((1 + 1) / quiet_hours, rel=0.05)
    assert row["delay"] == pytest.approx(0, abs=1)


def test_a_score_is_the_highest_level_with_an_alarm() -> None:
    """Each rule by its definition: an alarm at every level, interval by interval."""
    estimates = np.random.default_rng(11).uniform(0, 1, (4, 60))
    estimates[1, 7:9] = np.nan
    known = np.nan_to_num(estimates)
    for rule in RULES:
        scores = rule.score(estimates)
        for level in LEVELS:
            on = np.zeros(estimates.shape, bool)
            for row, place in np.ndindex(*estimates.shape):
                if rule.name == "cusum":
                    total = 0.0
                    for share in estimates[row, : place + 1]:
                        total = max(0.0, min(0.6, total + (-0.6 if np.isnan(share) else share - level)))
                    on[row, place] = total > EXCESS
                else:
                    length, needed = (1, 1) if rule is SINGLE else (5, 4)
                    seen = known[row, max(0, place + 1 - length) : place + 1]
                    on[row, place] = (seen > level).sum() >= needed
            assert np.array_equal(scores > level, on), (rule.name, level)


def test_several_intervals_wait_and_are_not_moved_by_one() -> None:
    def spike(seen: Traces) -> np.ndarray:
        return np.where(np.abs(seen.times - 120) < 0.4, 1.0, seen.true_share)

    results = _alarms(spike)
    rows = {rule.name: _at_level(results, 50, rule.name) for rule in RULES[:2]}
    assert rows["single"]["false_alarms_per_hour"] > 0
    assert rows["k-of-n"]["false_alarms_per_hour"] == 0
    assert rows["k-of-n"]["delay"] == pytest.approx(rows["single"]["delay"] + 3 * 0.66)
