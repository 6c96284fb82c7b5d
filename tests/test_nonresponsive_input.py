"""Estimators of non-responsive traffic, given their samples in any pieces, and every kind of bad input."""

from __future__ import annotations

import doctest
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.test_nonresponsive_estimators import CAPACITY, METHODS, PROPAGATION, port

from parshall import estimators
from parshall.errors import InputError
from parshall.estimators import (
    NonresponsiveFixedPoint,
    NonresponsiveKaczmarz,
    NonresponsiveRls,
    NonresponsiveSeries,
    Quality,
    UdpCounter,
    counter_differences,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


# --- Streams, pieces, bad input -----------------------------------------------------------------------------

EVERY: list[Callable[..., Any]] = [*METHODS, NonresponsiveFixedPoint]


@pytest.mark.parametrize("make", EVERY)
def test_one_by_one_in_pieces_and_after_a_reset_it_is_the_same(make: Callable[..., Any]) -> None:
    samples = {name: column[:410] for name, column in port(22).samples().items()}
    estimator = make(CAPACITY, PROPAGATION, 0.033)
    whole = estimator.run(**samples)
    estimator.reset()
    pieces = [
        estimator.run(**{name: column[a:b] for name, column in samples.items()})
        for a, b in ((0, 7), (7, 200), (200, 410))
    ]
    one_by_one = make(CAPACITY, PROPAGATION, 0.033)
    rows = zip(*samples.values(), strict=True)
    singly = [one_by_one.update(backlog=q, arrivals=a, drops=d) for q, a, d in rows]
    estimates = [estimate for estimate in singly if estimate is not None]
    for name in NonresponsiveSeries._fields:
        expected = getattr(whole, name)
        np.testing.assert_array_equal(np.concatenate([getattr(piece, name) for piece in pieces]), expected)
        if name != "samples":
            np.testing.assert_array_equal([getattr(estimate, name) for estimate in estimates], expected)


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize("bad", [math.nan, -1.0, math.inf, 1e13])
@pytest.mark.parametrize("field", ["backlog", "arrivals", "drops", "marks"])
def test_a_bad_sample_is_flagged_and_moves_no_parameter(
    make: Callable[..., Any], field: str, bad: float
) -> None:
    good = {"backlog": 20.0, "arrivals": 36.0, "drops": 1.0, "marks": 0.0}
    estimator = make(CAPACITY, PROPAGATION, 0.04, estimation_samples=1)
    for i in range(80):
        estimator.update(**{**good, "drops": float(i % 3)})
    before = estimator.parameters
    estimates = [estimator.update(**{**good, field: bad}) for _ in range(4)]
    assert estimates[-1] is not None
    assert estimates[-1].flags & Quality.BAD_SAMPLE
    assert math.isnan(estimates[-1].share)
    assert estimator.parameters == before


@pytest.mark.parametrize(
    ("field", "value", "settings"),
    [
        ("capacity", "0", {"capacity": 0.0}),
        ("capacity", "NaN", {"capacity": math.nan}),
        ("propagation", "-0.1", {"propagation": -0.1}),
        ("sampling", "0.2 with a round-trip time of 0.1 s", {"sampling": 0.2}),
        ("sampling", "0.033 with a round-trip time of 0.02 s", {"rtt": 0.02}),
        ("rtt", "0", {"rtt": 0.0}),
        ("gamma2", "2", {"gamma2": 2.0}),
        ("backlog_alpha", "1", {"backlog_alpha": 1.0}),
        ("start_n_s", "-1", {"start_n_s": -1.0}),
        ("start_cbr", "-1", {"start_cbr": -1.0}),
        ("form", '"both"', {"form": "both"}),
        ("estimation_samples", "0", {"estimation_samples": 0}),
        ("zero_drops_after", "0", {"zero_drops_after": 0}),
    ],
)
def test_settings_out_of_range_are_named(field: str, value: str, settings: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        NonresponsiveKaczmarz(
            **{"capacity": CAPACITY, "propagation": PROPAGATION, "sampling": 0.033, **settings}
        )
    assert (caught.value.path, caught.value.value) == (field, value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"capacity": "fast"}, "capacity: got"),
        ({"gamma1": True}, "gamma1: got true"),
        ({"form": 2}, "form: got 2, expected a name"),
        ({"count_drops": 1}, "count_drops: got 1, expected a truth value"),
        ({"estimation_samples": 2.5}, "estimation_samples: got 2.5, expected a whole number"),
        ({"gain": 1.0}, "NonresponsiveKaczmarz: got the setting gain, expected one of rtt, form,"),
    ],
)
def test_settings_of_the_wrong_type_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        NonresponsiveKaczmarz(
            **{"capacity": CAPACITY, "propagation": PROPAGATION, "sampling": 0.033, **settings}
        )


def test_a_form_that_is_not_known_is_named() -> None:
    message = r'^form: got "two-hop", expected "basic", "multi-hop" or "cbr"$'
    with pytest.raises(InputError, match=message):
        NonresponsiveKaczmarz(CAPACITY, PROPAGATION, 0.033, form="two-hop")  # type: ignore[arg-type]


def test_the_fixed_point_form_names_what_it_cannot_do() -> None:
    for settings in ({"form": "cbr"}, {"count_drops": True}, {"derivative_alpha": 0.5}):
        with pytest.raises(InputError, match=r"^form: "):
            NonresponsiveFixedPoint(CAPACITY, PROPAGATION, 0.033, **settings)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^tick_ms: got 0"):
        NonresponsiveFixedPoint(CAPACITY, PROPAGATION, 0.033, tick_ms=0)
    with pytest.raises(InputError, match=r"^sampling: got 120 ms in whole ticks"):
        NonresponsiveFixedPoint(CAPACITY, PROPAGATION, 0.033, tick_ms=120)


def test_arrays_that_do_not_fit_are_named() -> None:
    estimator = NonresponsiveRls(CAPACITY, PROPAGATION, 0.033)
    with pytest.raises(InputError, match=r"^drops: got 1 numbers, expected 2, one for each of backlog$"):
        estimator.run(backlog=[1, 2], arrivals=[1, 2], drops=[1])
    with pytest.raises(InputError, match=r"^arrivals: got an array of shape"):
        estimator.run(backlog=[1, 2], arrivals=[[1, 2]], drops=[1, 2])
    with pytest.raises(TypeError, match=r"^backlog: got"):
        estimator.run(backlog=["a"], arrivals=[1], drops=[1])
    with pytest.raises(InputError, match=r"^udp: got 1 numbers"):
        UdpCounter(2).run(arrived=[1, 2], udp=[1])
    with pytest.raises(InputError, match=r"^estimation_samples: got 0"):
        UdpCounter(0)


def test_counters_that_wrap_count_on_and_those_that_go_back_do_not() -> None:
    counts = np.random.default_rng(2).integers(0, 500, 1000)
    for bits in (32, 64):
        start = 2**bits - 100_000
        readings = np.array([(start + int(total)) % 2**bits for total in np.cumsum(counts)], dtype=np.uint64)
        assert np.any(np.diff(readings.astype(float)) < 0)
        np.testing.assert_array_equal(counter_differences(readings, bits=bits)[1:], counts[1:])
    np.testing.assert_array_equal(counter_differences([7, 9, 3, 4]), [np.nan, 2, np.nan, 1])
    np.testing.assert_array_equal(counter_differences([7, 9, 5000], most=100), [np.nan, 2, np.nan])
    with pytest.raises(InputError, match=r"^readings\[1\]: got -3, expected a count"):
        counter_differences([1, -3])
    with pytest.raises(InputError, match=r"^bits: got 16, expected 32 or 64"):
        counter_differences([1, 2], bits=16)
    with pytest.raises(TypeError, match=r"^readings: got"):
        counter_differences([0.5])


def test_a_counter_that_went_back_flags_its_interval() -> None:
    arrivals = np.cumsum(np.full(42, 120))
    arrivals[30:] -= 1000
    estimator = NonresponsiveKaczmarz(CAPACITY, PROPAGATION, 0.033)
    counts = counter_differences(arrivals)
    series = estimator.run(backlog=np.full(42, 20.0), arrivals=counts, drops=np.full(42, 2.0))
    assert (series.flags & Quality.BAD_SAMPLE).astype(bool).tolist() == [True, True]
    assert np.all((series.share > 0) & (series.share < 1))


def test_a_repr_makes_the_estimator_again() -> None:
    names = {make.__name__: make for make in EVERY}
    for make in EVERY:
        text = repr(make(CAPACITY, PROPAGATION, 0.033, rtt=0.12, count_drops=False))
        assert repr(eval(text, names)) == text


def test_docstring_examples() -> None:
    results = doctest.testmod(estimators.nonresponsive)
    assert results.attempted >= 8
    assert results.failed == 0
