"""Estimators of a timeout and their filters: arrays of all kinds, and every kind of bad input."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.test_estimators import EVERY_RTO

from parshall.errors import InputError
from parshall.estimators import (
    ArimaRto,
    EwmaFilter,
    JacobsonRto,
    JacobsonTicksRto,
    MedianRto,
    QuantileRto,
    RtoEstimator,
    SlidingMad,
    SlidingMedian,
    WeightedMedianRto,
    evaluate_rto,
)

if TYPE_CHECKING:
    from collections.abc import Callable


# --- Arrays of all kinds ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given_as",
    [
        list,
        tuple,
        np.array,
        lambda xs: np.array(xs, dtype=np.float32),
        lambda xs: np.array([xs, xs]).T[:, 0],
        lambda xs: np.array(xs)[::-1][::-1],
        lambda xs: [Fraction(x) for x in xs],
        np.ma.MaskedArray,
        lambda xs: pytest.importorskip("pandas").Series(xs, index=[9, 8, 7, 6]),
    ],
)
def test_any_series_of_numbers_will_do(given_as: Callable[[list[float]], Any]) -> None:
    xs = [0.5, 0.25, 2.0, 1.0]
    np.testing.assert_array_equal(JacobsonRto().run(given_as(xs)), JacobsonRto().run(np.array(xs)))
    np.testing.assert_array_equal(SlidingMedian(3).run(given_as(xs)), [0.5, 0.375, 0.5, 1.0])


def test_whole_numbers_and_read_only_arrays_will_do() -> None:
    fixed = np.array([1, 2, 3])
    fixed.flags.writeable = False
    assert SlidingMedian(3).run(fixed).tolist() == [1, 1.5, 2]
    assert JacobsonRto(min_rto=0).update(1) == 3.0
    assert JacobsonRto(min_rto=0).update(np.float32(1)) == 3.0


@pytest.mark.parametrize("make", EVERY_RTO)
def test_an_empty_series_gives_an_empty_one(make: Callable[..., RtoEstimator]) -> None:
    series: list[Any] = [[], np.array([]), np.array([], dtype=int)]
    for empty in series:
        assert make().run(empty).shape == (0,)
        assert [column.shape for column in make().run_full(empty, [])] == [(0,)] * 3


def test_the_result_is_the_callers_own() -> None:
    rtts = np.array([0.5, 0.5])
    first = JacobsonRto().run(rtts)
    first[:] = -1
    assert JacobsonRto().run(rtts).tolist() == [1.5, 1.25]
    assert rtts.tolist() == [0.5, 0.5]


def test_a_rule_that_there_is_not_is_named() -> None:
    with pytest.raises(TypeError, match=r"MedianRto: got an unknown argument least, expected .*min_rto"):
        MedianRto(least=0.2)  # type: ignore[call-arg]


# --- Bad input ----------------------------------------------------------------------------------------------

RTT = "a round-trip time: a finite number of seconds, at least 0"

BAD_VALUES: list[tuple[Callable[[], object], str]] = [
    (lambda: MedianRto(window=0), "window: got 0, expected a whole number from 1 to 16777216"),
    (lambda: MedianRto(window=-5), "window: got -5, expected a whole number from 1 to 16777216"),
    (lambda: MedianRto(window=2**24 + 1), "window: got 16777217, expected a whole number from 1 to 16777216"),
    (lambda: MedianRto(window=2**70), f"window: got {2**70}, expected a whole number from 1 to 16777216"),
    (lambda: MedianRto(deviation="sd"), 'deviation: got "sd", expected "ewma" or "mad"'),  # type: ignore[arg-type]
    (lambda: MedianRto(deviation_gain=0), "deviation_gain: got 0, expected a number above 0 and at most 1"),
    (lambda: JacobsonRto(gain=1.5), "gain: got 1.5, expected a number above 0 and at most 1"),
    (lambda: JacobsonRto(multiplier=-1), "multiplier: got -1, expected a finite number of at least 0"),
    (lambda: JacobsonRto(min_rto=-1), "min_rto: got -1, expected a finite number of seconds, at least 0"),
    (
        lambda: JacobsonRto(max_rto=0.5),
        "max_rto: got 0.5, expected a finite number of seconds above 0, not less than min_rto",
    ),
    (lambda: JacobsonRto(initial_rto=0), "initial_rto: got 0, expected a finite number of seconds above 0"),
    (lambda: JacobsonTicksRto(tick=0), "tick: got 0, expected a finite number of seconds above 0"),
    (lambda: ArimaRto(multiplier=-1), "multiplier: got -1, expected a finite number of at least 0"),
    (lambda: WeightedMedianRto(window=64), "window: got 64, expected a whole number from 1 to 63"),
    (lambda: WeightedMedianRto(decay=0), "decay: got 0, expected a number above 0 and at most 1"),
    (lambda: WeightedMedianRto(memory=0), "memory: got 0, expected at least 1 sample, or none for all"),
    (
        lambda: WeightedMedianRto(feedback=9),
        "feedback: got 9, expected a weight of at least 0, and no more than all samples weigh together",
    ),
    (lambda: QuantileRto(risk=0), "risk: got 0, expected a share from 0.000001 to 0.2"),
    (lambda: SlidingMedian(0), "window: got 0, expected a whole number from 1 to 16777216"),
    (lambda: SlidingMad(0), "window: got 0, expected a whole number from 1 to 16777216"),
    (lambda: EwmaFilter(float("nan")), "gain: got NaN, expected a number above 0 and at most 1"),
    (lambda: JacobsonRto().update(-0.1), f"rtt: got -0.1, expected {RTT}"),
    (lambda: JacobsonRto().update(float("nan")), f"rtt: got NaN, expected {RTT}"),
    (lambda: JacobsonRto().update(-1, retransmitted=True), f"rtt: got -1, expected {RTT}"),
    (lambda: MedianRto().run([0.1, 0.2, -0.3, -0.4]), f"rtts[2]: got -0.3, expected {RTT}"),
    (lambda: MedianRto().run([0.1] * 500 + [np.inf]), f"rtts[500]: got inf, expected {RTT}"),
    (lambda: MedianRto().run_full([np.nan]), f"rtts[0]: got NaN, expected {RTT}"),
    (lambda: MedianRto().run(np.array([0.1, None])), f"rtts[1]: got NaN, expected {RTT}"),
    (lambda: MedianRto().run(np.ma.MaskedArray([1, 2], [False, True])), f"rtts[1]: got NaN, expected {RTT}"),
    (lambda: MedianRto().run([[0.1], [0.2]]), "rtts: got an array of shape (2, 1), expected one dimension"),
    (lambda: MedianRto().run(0.1), "rtts: got an array of shape (), expected one dimension"),
    (
        lambda: MedianRto().run([0.1], [True, False]),
        "retransmitted: got 2 flags, expected one flag for each of 1 samples",
    ),
    (
        lambda: MedianRto().run([0.1], [[True]]),
        "retransmitted: got an array of shape (1, 1), expected one dimension",
    ),
    (lambda: SlidingMedian(3).run([1.0, -np.inf]), "xs[1]: got -inf, expected a finite number"),
    (lambda: EwmaFilter(0.5).update(float("inf")), "x: got inf, expected a finite number"),
    (lambda: evaluate_rto([0.1, -0.1], MedianRto()), f"rtts[1]: got -0.1, expected {RTT}"),
    (lambda: evaluate_rto([0.1], MedianRto()), "rtts: got 1 sample, expected more than the 1 of warm_up"),
]

BAD_TYPES: list[tuple[Callable[[], object], str]] = [
    (lambda: MedianRto(window=2.5), "window: got 2.5, expected a whole number"),  # type: ignore[arg-type]
    (lambda: MedianRto(window="5"), 'window: got "5", expected a whole number'),  # type: ignore[arg-type]
    (lambda: MedianRto(window=True), "window: got true, expected a whole number"),
    (lambda: MedianRto(min_rto="1 s"), 'min_rto: got "1 s", expected a number'),  # type: ignore[arg-type]
    (lambda: JacobsonRto(gain=None), "gain: got nothing, expected a number"),  # type: ignore[arg-type]
    (lambda: JacobsonRto().update("0.1"), 'rtt: got "0.1", expected a number of seconds'),  # type: ignore[arg-type]
    (lambda: EwmaFilter(0.5).update(None), "x: got nothing, expected a number"),  # type: ignore[arg-type]
    (lambda: MedianRto().run("0.1"), 'rtts: got "0.1", expected an array of numbers'),
    (lambda: MedianRto().run(["0.1"]), 'rtts: got ["0.1"], expected an array of numbers'),
    (lambda: MedianRto().run([True]), "rtts: got [true], expected an array of numbers"),
    (lambda: MedianRto().run([0.1 + 0j]), "rtts: got"),
    (
        lambda: MedianRto().run([[0.1], [0.1, 0.2]]),
        "rtts: got [[0.1], [0.1, 0.2]], expected an array of numbers",
    ),
    (lambda: MedianRto().run(np.array([1], dtype="m8[s]")), "rtts: got"),
    (lambda: MedianRto().run([0.1], [1]), "retransmitted: got [1], expected an array of truth values"),
    (lambda: evaluate_rto([0.1, 0.1], "median"), 'estimator: got "median", expected an estimator'),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("act", "message"), BAD_VALUES)
def test_a_bad_value_is_named_in_one_line(act: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        act()
    assert isinstance(caught.value, ValueError)
    assert str(caught.value) == message


@pytest.mark.parametrize(("act", "message"), BAD_TYPES)
def test_a_bad_type_is_named_in_one_line(act: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        act()
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("make", EVERY_RTO)
def test_a_refused_series_changes_nothing(make: Callable[..., RtoEstimator]) -> None:
    rto = make()
    rto.update(0.5)
    rto.on_timeout()
    before = (rto.rto, rto.srtt, rto.rttvar, rto.backoff)
    with pytest.raises(InputError):
        rto.run([0.1] * 1000 + [-1.0])
    assert (rto.rto, rto.srtt, rto.rttvar, rto.backoff) == before
