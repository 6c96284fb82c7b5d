"""Estimators from Python: against pandas, SciPy and plain definitions, against ns-2's own variables, and with
every kind of bad input."""

from __future__ import annotations

import csv
import doctest
import gzip
import json
import threading
import time
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from parshall import estimators
from parshall.estimators import (
    ArimaRto,
    EwmaFilter,
    JacobsonRto,
    JacobsonTicksRto,
    LinuxRto,
    MedianRto,
    QuantileRto,
    RtoEstimator,
    SlidingMad,
    SlidingMedian,
    WeightedMedianRto,
    evaluate_rto,
    rto as rto_module,
    rto_costs,
    rto_filters,
)
from parshall.scenario.parts import Holt, Median

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SHARED = Path(__file__).resolve().parents[2] / "shared"

NO_RULES: dict[str, Any] = {"min_rto": 0.0, "max_rto": 1e9}
"""Leaves the base RTO as it is."""

EVERY_RTO: list[Callable[..., RtoEstimator]] = [
    JacobsonRto,
    JacobsonTicksRto,
    LinuxRto,
    MedianRto,
    lambda **rules: MedianRto(window=9, deviation="mad", **rules),
    lambda **rules: MedianRto(window=200, **rules),
    WeightedMedianRto,
    lambda **rules: WeightedMedianRto(window=9, memory=50, **rules),
    ArimaRto,
    lambda **rules: ArimaRto(Holt(gain=0.5, trend_gain=0.9), **rules),
    lambda **rules: QuantileRto(risk=0.2, **{"min_rto": 1.0, **rules}),
]

EVERY_FILTER: list[Callable[[], Any]] = [
    lambda: SlidingMedian(5),
    lambda: SlidingMedian(90),
    lambda: SlidingMad(6),
    lambda: EwmaFilter(0.2),
]

times = st.floats(0, 10, allow_subnormal=False)
numbers = st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float)


def ascending_median(xs: Sequence[float]) -> float:
    return float(median(xs))


# --- Filters, at every prefix -------------------------------------------------------------------------------


@given(st.integers(1, 130), st.lists(numbers, min_size=1, max_size=300))
def test_sliding_median_is_the_median_of_the_last_k(k: int, xs: list[float]) -> None:
    expected = [ascending_median(xs[max(0, n - k) : n]) for n in range(1, len(xs) + 1)]
    assert SlidingMedian(k).run(xs).tolist() == expected


@pytest.mark.parametrize("k", [1, 2, 5, 64, 65, 1000, 4096])
def test_sliding_median_agrees_with_pandas(k: int) -> None:
    pandas = pytest.importorskip("pandas")
    walk = np.cumsum(np.random.default_rng(k).standard_normal(20_000)).round(2)
    expected = pandas.Series(walk).rolling(k, min_periods=1).median().to_numpy()
    np.testing.assert_allclose(SlidingMedian(k).run(walk), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 5, 64, 65, 500])
def test_sliding_mad_agrees_with_scipy(k: int) -> None:
    deviation = pytest.importorskip("scipy.stats").median_abs_deviation
    xs = np.random.default_rng(k).pareto(1.5, 1000)
    expected = [deviation(xs[max(0, n - k) : n]) for n in range(1, len(xs) + 1)]
    np.testing.assert_allclose(SlidingMad(k).run(xs), expected, rtol=1e-12)


@pytest.mark.parametrize("gain", [0.01, 0.25, 1.0])
def test_ewma_agrees_with_pandas(gain: float) -> None:
    pandas = pytest.importorskip("pandas")
    xs = np.random.default_rng(0).standard_normal(2000)
    expected = pandas.Series(xs).ewm(alpha=gain, adjust=False).mean().to_numpy()
    np.testing.assert_allclose(EwmaFilter(gain).run(xs), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("make", EVERY_FILTER)
def test_a_filter_run_in_pieces_or_one_by_one_gives_the_same(make: Callable[[], Any]) -> None:
    xs = np.random.default_rng(7).standard_normal(500)
    whole = make().run(xs)
    in_pieces, one_by_one = make(), make()
    assert in_pieces.value is None
    pieces = [in_pieces.run(piece) for piece in np.split(xs, [1, 3, 200])]
    np.testing.assert_array_equal(np.concatenate(pieces), whole)
    assert [one_by_one.update(x) for x in xs] == whole.tolist()
    assert one_by_one.value == whole[-1]
    one_by_one.reset()
    assert one_by_one.value is None
    np.testing.assert_array_equal(one_by_one.run(xs), whole)


# --- Timeouts, at every prefix ------------------------------------------------------------------------------


@given(st.lists(times, min_size=1, max_size=60))
def test_jacobson_is_rfc_6298(rtts: list[float]) -> None:
    series = JacobsonRto(**NO_RULES).run_full(rtts)
    srtt, rttvar = rtts[0], rtts[0] / 2
    for n, rtt in enumerate(rtts):
        if n > 0:
            rttvar = 3 / 4 * rttvar + 1 / 4 * abs(srtt - rtt)
            srtt = 7 / 8 * srtt + 1 / 8 * rtt
        assert series.srtt[n] == pytest.approx(srtt, abs=1e-12)
        assert series.rttvar[n] == pytest.approx(rttvar, abs=1e-12)
        assert series.rto[n] == pytest.approx(srtt + 4 * rttvar, abs=1e-11)


@given(st.integers(1, 12), st.lists(times, min_size=1, max_size=60))
def test_median_replaces_the_mean_and_the_deviation_stays_weighted(k: int, rtts: list[float]) -> None:
    series = MedianRto(k, **NO_RULES).run_full(rtts)
    srtt, rttvar = rtts[0], rtts[0] / 2
    for n, rtt in enumerate(rtts):
        if n > 0:
            rttvar = 3 / 4 * rttvar + 1 / 4 * abs(rtt - srtt)
            srtt = ascending_median(rtts[max(0, n + 1 - k) : n + 1])
        assert series.srtt[n] == srtt
        assert series.rttvar[n] == pytest.approx(rttvar, abs=1e-12)
        assert series.rto[n] == pytest.approx(srtt + 4 * rttvar, abs=1e-11)


@given(st.integers(1, 12), st.lists(times, min_size=2, max_size=60))
def test_median_with_the_median_absolute_deviation(k: int, rtts: list[float]) -> None:
    series = MedianRto(k, deviation="mad", **NO_RULES).run_full(rtts)
    assert series.rto[0] == 3 * rtts[0]
    for n in range(2, len(rtts) + 1):
        window = rtts[max(0, n - k) : n]
        srtt = ascending_median(window)
        rttvar = ascending_median([abs(rtt - srtt) for rtt in window])
        assert (series.srtt[n - 1], series.rttvar[n - 1]) == (srtt, rttvar)
        assert series.rto[n - 1] == srtt + 4 * rttvar


@given(st.lists(times, min_size=1, max_size=60))
def test_the_forecast_of_equation_24_replaces_the_mean(rtts: list[float]) -> None:
    """Jeyasekar et al. 2014, with the indices that the derivation gives and RTT1 = RTT2 = RTT3 at first."""
    series = ArimaRto(**NO_RULES).run_full(rtts)
    phi1, phi2, theta = -0.36251, 0.17573, -0.95108
    forecast, srtt, rttvar, error = rtts[0], rtts[0], rtts[0] / 2, 0.0
    for n, x in enumerate(rtts):
        if n > 0:
            rttvar = 3 / 4 * rttvar + 1 / 4 * abs(x - srtt)
            error = x - forecast
        before, long_before = rtts[max(n - 1, 0)], rtts[max(n - 2, 0)]
        forecast = (1 + phi1) * x + (phi2 - phi1) * before - phi2 * long_before + theta * error
        srtt = forecast if forecast >= 0 else x
        assert series.srtt[n] == pytest.approx(srtt, abs=1e-9)
        assert series.rttvar[n] == pytest.approx(rttvar, abs=1e-9)
        assert series.rto[n] == pytest.approx(srtt + 4 * rttvar, abs=1e-8)


@given(st.integers(1, 12), st.lists(times, min_size=1, max_size=60))
def test_a_median_is_a_forecast_too(k: int, rtts: list[float]) -> None:
    forecast, median = ArimaRto(Median(window=k), **NO_RULES), MedianRto(k, **NO_RULES)
    np.testing.assert_array_equal(forecast.run(rtts), median.run(rtts))


def weighted_median(weighted: list[tuple[float, Fraction]]) -> float:
    """The middle of all values that minimise the weighted sum of distances."""

    def cost(y: float) -> Fraction:
        return sum((w * abs(Fraction(x) - Fraction(y)) for x, w in weighted), Fraction(0))

    least = min(cost(x) for x, _ in weighted)
    minimisers = [x for x, _ in weighted if cost(x) == least]
    return (min(minimisers) + max(minimisers)) / 2


@given(st.lists(times, min_size=1, max_size=25))
def test_weighted_median_minimises_the_weighted_distance(rtts: list[float]) -> None:
    series = WeightedMedianRto(**NO_RULES).run_full(rtts)
    srtt = rtts[0]
    for n in range(len(rtts)):
        if n > 0:
            newest_first = rtts[n::-1][:5]
            samples = [(rtt, Fraction(7, 8) ** lag) for lag, rtt in enumerate(newest_first)]
            srtt = weighted_median([*samples, (srtt, Fraction(1, 2))])
        assert series.srtt[n] == srtt


def test_weighted_median_scales_with_the_relative_deviation() -> None:
    rtts = np.random.default_rng(3).pareto(2.5, 300) + 0.1
    series = WeightedMedianRto(multiplier=4.5, **NO_RULES).run_full(rtts)
    counts = np.arange(1, len(rtts) + 1)
    means = np.cumsum(rtts) / counts
    zeta = np.cumsum(np.abs(rtts - means)) / counts / means
    zeta[:4] = np.maximum(zeta[:4], 0.5)
    np.testing.assert_allclose(series.rto, (1 + 4.5 * zeta) * series.srtt, rtol=1e-12)
    np.testing.assert_allclose(series.rttvar, zeta * series.srtt, rtol=1e-12)


@pytest.mark.parametrize("make", EVERY_RTO)
def test_a_timeout_run_in_pieces_or_one_by_one_gives_the_same(make: Callable[..., RtoEstimator]) -> None:
    rng = np.random.default_rng(11)
    rtts, again = rng.exponential(0.3, 400), rng.random(400) < 0.2
    whole = make().run(rtts, again)
    in_pieces, one_by_one, full = make(), make(), make()
    pieces = [in_pieces.run(rtts[a:b], again[a:b]) for a, b in [(0, 1), (1, 150), (150, 400)]]
    np.testing.assert_array_equal(np.concatenate(pieces), whole)
    singly = [one_by_one.update(rtt, retransmitted=flag) for rtt, flag in zip(rtts, again, strict=True)]
    assert singly == whole.tolist()
    series = full.run_full(rtts, again)
    np.testing.assert_array_equal(series.rto, whole)
    assert (full.srtt, full.rttvar, full.rto) == (series.srtt[-1], series.rttvar[-1], whole[-1])


@pytest.mark.parametrize("make", EVERY_RTO)
def test_a_reset_estimator_is_a_fresh_one(make: Callable[..., RtoEstimator]) -> None:
    rtts = np.random.default_rng(5).exponential(0.3, 300)
    used, fresh = make(), make()
    used.run(rtts)
    for _ in range(7):
        used.on_timeout()
    used.reset()
    assert (used.rto, used.srtt, used.rttvar, used.backoff) == (1.0, None, None, 1)
    np.testing.assert_array_equal(used.run(rtts[::-1]), fresh.run(rtts[::-1]))


# --- The rules around every estimator -----------------------------------------------------------------------


@given(
    st.sampled_from(EVERY_RTO),
    st.lists(st.sampled_from(["timeout", "ambiguous", "new ack"]) | times, max_size=40),
    st.floats(0, 1),
    st.floats(1, 60),
)
def test_minimum_before_backoff_maximum_after_and_karn(
    make: Callable[..., RtoEstimator], events: list[Any], low: float, high: float
) -> None:
    ruled = make(min_rto=low, max_rto=high, initial_rto=1.0)
    base = make(min_rto=0.0, max_rto=1e12, initial_rto=1.0)
    backoff, timeouts_since_sample = 1, 0
    for event in events:
        if event == "timeout":
            backoff = min(64, 2 * backoff)
            timeouts_since_sample += 1
            assert ruled.on_timeout() == ruled.rto
        elif event == "ambiguous":
            assert ruled.update(5.0, retransmitted=True) == ruled.rto
        elif event == "new ack":
            ruled.reset_backoff()
            backoff = 1
        else:
            if timeouts_since_sample > 3 and isinstance(base, JacobsonTicksRto):
                return  # its filter has learnt of a long backoff, which `base` has not
            ruled.update(event)
            base.update(event)
            backoff, timeouts_since_sample = 1, 0
        assert ruled.backoff == backoff
        assert ruled.rto == min(high, max(low, base.rto) * backoff)


def test_granularity_bounds_the_deviation() -> None:
    constant = [0.25] * 5000
    assert JacobsonRto(min_rto=0, granularity=0.1).run(constant)[-1] == 0.35
    assert MedianRto(min_rto=0, granularity=0.1).run(constant)[-1] == 0.35
    # A clock of whole ticks has its granularity inside.
    assert JacobsonTicksRto(tick=0.01, min_rto=0, granularity=0.1).run(constant)[-1] < 0.3


def test_ambiguous_samples_keep_the_backoff_until_a_clear_one() -> None:
    rto = JacobsonRto(min_rto=0.2)
    rto.update(0.5)
    assert [rto.on_timeout() for _ in range(7)] == [3, 6, 12, 24, 48, 60, 60]
    assert rto.run([0.5, 0.5, 0.5], [True, True, False]).tolist() == [60, 60, 1.25]
    assert rto.backoff == 1


def test_a_long_backoff_makes_a_tick_clock_start_again_but_keep_its_rto() -> None:
    rto = JacobsonTicksRto(tick=0.01, min_rto=0.2, initial_rto=3.0)
    assert rto.update(0.13) == pytest.approx(0.39)
    for _ in range(4):
        rto.on_timeout()
    assert rto.srtt is None
    assert rto.rto == pytest.approx(16 * 0.39)
    assert rto.update(0.2) == pytest.approx(0.6)
    assert rto.srtt == pytest.approx(0.2)


# --- ns-2's own variables -----------------------------------------------------------------------------------


def ns2_scenarios() -> list[Any]:
    path = SHARED / "reference" / "ns2" / "scenarios.json"
    return json.loads(path.read_text()) if path.exists() else []


def ns2_rows(name: str, flow: int) -> Iterator[dict[str, str]]:
    path = SHARED / "reference" / "ns2" / "traces" / f"{name}.cwnd.csv.gz"
    with gzip.open(path, "rt") as lines:
        yield from (row for row in csv.DictReader(lines) if int(row["flow"]) == flow)


def follow_ns2(rto: RtoEstimator, tick: float, rows: Iterator[dict[str, str]]) -> int:
    """Feed the samples and timeouts that the rows show, compare what each row says, and count the samples."""
    samples = 0
    seen = ("0", "0", next(rows)["rttvar_ticks_x4"])
    for row in rows:
        variables = (row["rtt_ticks"], row["srtt_ticks_x8"], row["rttvar_ticks_x4"])
        backoff = int(row["backoff"])
        if backoff < rto.backoff or (variables != seen and row["srtt_ticks_x8"] != "0"):
            rto.update(int(row["rtt_ticks"]) * tick)
            samples += 1
        while rto.backoff < backoff:
            rto.on_timeout()
        seen = variables
        assert rto.backoff == backoff, row
        assert rto.rto == pytest.approx(float(row["rto_s"]), abs=1e-9), row
        assert round((rto.srtt or 0) / tick * 8) == int(row["srtt_ticks_x8"]), row
        if rto.rttvar is not None:
            assert round(rto.rttvar / tick * 4) == int(row["rttvar_ticks_x4"]), row
    return samples


@pytest.mark.skipif(
    not ns2_scenarios(), reason="needs the reference traces of ns-2 in ../shared/reference/ns2"
)
def test_the_tick_estimator_has_the_values_of_ns2_in_every_trace() -> None:
    samples = 0
    for scenario in ns2_scenarios():
        for flow in scenario["flows"]:
            if flow["type"] != "tcp":
                continue
            rto = JacobsonTicksRto(
                tick=flow["tick_s"],
                min_rto=flow["min_rto_s"],
                max_rto=flow["max_rto_s"],
                initial_rto=flow["initial_rto_s"],
            )
            samples += follow_ns2(rto, flow["tick_s"], ns2_rows(scenario["name"], flow["id"]))
    assert samples > 1000


# --- The two costs ------------------------------------------------------------------------------------------


def plain_costs(rtts: list[float], rto: RtoEstimator, warm_up: int, karn: bool) -> tuple[int, float]:
    spurious, waits = 0, 0.0
    for n, rtt in enumerate(rtts):
        if n < warm_up:
            rto.update(rtt)
            continue
        waits += rto.rto
        late = rtt > rto.rto
        spurious += late
        if late and karn:
            expiry = rto.rto
            while expiry < rtt and rto.backoff < 64:
                expiry += rto.on_timeout()
        else:
            rto.update(rtt)
    return spurious, waits


@given(
    st.sampled_from(EVERY_RTO),
    st.lists(times, min_size=4, max_size=60),
    st.integers(0, 3),
    st.booleans(),
    st.sampled_from([0.0, 0.2, 1.0]),
)
def test_costs_are_those_of_a_plain_loop(
    make: Callable[..., RtoEstimator], rtts: list[float], warm_up: int, karn: bool, low: float
) -> None:
    used = make(min_rto=low)
    used.update(9.0)  # must not be seen by the judged copy
    costs = evaluate_rto(rtts, used, warm_up=warm_up, karn=karn)
    spurious, waits = plain_costs(rtts, make(min_rto=low), warm_up, karn)
    assert (costs.samples, costs.spurious) == (len(rtts) - warm_up, spurious)
    assert costs.total_wait == pytest.approx(waits)
    assert costs.total_rtt == pytest.approx(sum(rtts[warm_up:]))
    assert costs.spurious_share == spurious / costs.samples
    assert costs.mean_wait == costs.total_wait / costs.samples
    if costs.total_rtt > 0:
        assert costs.normalized_wait == pytest.approx(costs.mean_wait / (costs.total_rtt / costs.samples))
    assert used.srtt == make(min_rto=low).run_full([9.0]).srtt[0]


@given(st.lists(times, min_size=2, max_size=80), st.floats(0.5, 4), st.floats(0, 4))
def test_a_more_patient_estimator_waits_longer_and_errs_less(
    rtts: list[float], multiplier: float, more: float
) -> None:
    hasty = evaluate_rto(rtts, MedianRto(multiplier=multiplier, **NO_RULES))
    patient = evaluate_rto(rtts, MedianRto(multiplier=multiplier + more, **NO_RULES))
    assert patient.total_wait >= hasty.total_wait
    assert patient.spurious <= hasty.spurious


def test_costs_by_hand() -> None:
    # RTOs in force: 0.1 + 4 * 0.05, then 0.1 + 4 * 0.0375, then with rttvar = 0.75 * 0.0375 + 0.25 * 0.3 and
    # srtt = 0.1 + 0.3 / 8.
    costs = evaluate_rto([0.1, 0.1, 0.4, 0.1], JacobsonRto(min_rto=0))
    assert (costs.samples, costs.spurious) == (3, 1)
    assert costs.total_wait == pytest.approx(0.3 + 0.25 + 0.55)
    assert costs.total_rtt == pytest.approx(0.6)
    # With Karn's rule the late sample says nothing and its two expiries quadruple the next RTO.
    karn = evaluate_rto([0.1, 0.1, 0.8, 0.1], JacobsonRto(min_rto=0), karn=True)
    assert karn.total_wait == pytest.approx(0.3 + 0.25 + 4 * 0.25)


def test_costs_of_packets_that_take_no_time() -> None:
    costs = evaluate_rto([0.0, 0.0], JacobsonRto())
    assert costs.mean_wait == 1.0
    assert np.isnan(costs.normalized_wait)


def test_an_estimator_says_how_it_was_made() -> None:
    made = MedianRto(window=7, deviation="mad", min_rto=0.2)
    assert repr(made).startswith("MedianRto(window=7, deviation='mad', deviation_gain=0.25, multiplier=4.0, ")
    again = eval(repr(made))
    np.testing.assert_array_equal(again.run([0.1, 0.5]), made.run([0.1, 0.5]))
    assert repr(SlidingMedian(5)) == "SlidingMedian(window=5)"
    assert repr(WeightedMedianRto(memory=9)).count("memory=9") == 1
    assert repr(ArimaRto(Median(window=3))).count("Median(window=3)") == 1


def test_the_examples_in_the_documentation_are_right() -> None:
    modules = (estimators, rto_module, rto_costs, rto_filters)
    offered = {name: getattr(estimators, name) for name in estimators.__all__} | {"np": np}
    results = [doctest.testmod(module, extraglobs=offered) for module in modules]
    assert sum(each.attempted for each in results) > 10
    assert all(each.attempted and not each.failed for each in results)


# --- Threads and time ---------------------------------------------------------------------------------------


def test_other_threads_run_while_a_series_is_filtered() -> None:
    rtts = np.full(20_000_000, 0.1)
    worker = threading.Thread(target=MedianRto(window=1001).run, args=(rtts,))
    worker.start()
    turns = 0
    while worker.is_alive():
        turns += 1
        time.sleep(0.001)
    # With the GIL held, this thread would get one or two turns, before and after.
    assert turns > 20
