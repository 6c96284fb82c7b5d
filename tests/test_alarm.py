"""The alarm over estimates of a share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import parshall
from parshall import Alarm, InputError
from parshall.estimators import Responsiveness
from parshall_studies.nonresponsive import rules

SHARES = st.lists(st.floats(0, 1, width=16) | st.just(float("nan")), max_size=40)


@given(SHARES, st.floats(0, 1, width=16), st.integers(1, 6), st.integers(1, 6))
def test_k_of_n_is_the_studys_rule(shares: list[float], level: float, one: int, other: int) -> None:
    k, n = sorted((one, other))
    score = rules.k_of_n(np.array([shares]), k, n)[0] if shares else np.zeros(0)
    np.testing.assert_array_equal(Alarm(level=level, k=k, n=n).run(shares), score > level)


@given(SHARES, st.integers(0, 100))
def test_the_cumulative_sum_is_the_studys_rule(shares: list[float], place: int) -> None:
    level = float(rules.LEVELS[place])
    score = rules.cumulative(np.array([shares]))[0] if shares else np.zeros(0)
    np.testing.assert_array_equal(Alarm(level=level, rule="cusum").run(shares), score > level)


@given(SHARES)
def test_one_by_one_is_the_series(shares: list[float]) -> None:
    for rule in ("level", "k-of-n", "cusum"):
        alarm = Alarm(level=0.4, rule=rule)  # type: ignore[arg-type]
        ons = [alarm.update(share) for share in shares]
        assert ons == Alarm(level=0.4, rule=rule).run(shares).tolist()  # type: ignore[arg-type]
        assert alarm.on == (bool(ons) and ons[-1])
        alarm.reset()
        assert not alarm.on


def test_a_doubted_estimate_raises_no_alarm() -> None:
    time = np.arange(6000) * 0.01
    series = Responsiveness().run(
        time=time, flow=np.ones(6000, int), signalled=np.arange(6000) % 50 == 0
    )  # a flow that does not mind
    on = Alarm(level=0.6).watch(series)
    assert np.isnan(series.share[:3]).all(), "it takes time to find out"
    assert not on[:3].any()
    assert on[-1]
    np.testing.assert_array_equal(on, Alarm(level=0.6).run(series.share_lower))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"level": 1.5}, "level: got 1.5, expected a share from 0 to 1"),
        ({"level": 0.5, "k": 6}, "k: got 6, expected a whole number from 1 to n"),
        ({"level": 0.5, "n": 0}, "n: got 0, expected a whole number from 1 to 65536"),
        (
            {"level": 0.5, "rule": "cusum", "most": 0.1},
            "most: got 0.1, expected a number above excess",
        ),
        ({"level": 0.5, "rule": "mean"}, 'rule: got "mean", expected one of level, k-of-n, cusum'),
    ],
)
def test_a_wrong_argument_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Alarm(**arguments)
    assert str(caught.value) == message


def test_it_is_offered_by_the_package() -> None:
    assert parshall.Alarm is Alarm
