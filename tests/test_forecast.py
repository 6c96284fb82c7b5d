"""Forecasters, their intervals, the evaluation, files of one's own, and the command."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parshall.errors import InputError
from parshall.forecast import (
    DEFAULT_MODELS,
    AdaptiveEwma,
    Arima,
    ArimaRecursive,
    Constant,
    Ewma,
    Forecaster,
    Holt,
    LastValue,
    Lmmse,
    Median,
    Mixture,
    diebold_mariano,
    evaluate,
    holm,
    irregular,
    label,
    read,
)

SHARED = Path(__file__).parents[1] / ".." / "shared"
CONTEST = SHARED / "reference/timeseries/contest.csv"
GOLDEN = SHARED / "reference/timeseries/golden.json"
RTTS = SHARED / "data/rtt"
beside = pytest.mark.skipif(
    not (CONTEST.exists() and RTTS.exists()), reason="no reference numbers beside the checkout"
)

METHODS = {
    "last": LastValue(),
    **{f"ewma_1/{2**s}": Ewma(gain=0.5**s) for s in range(1, 7)},
    "srtt_rfc6298_1/8": Ewma(gain=1 / 8),
    **{f"median_{k}": Median(window=k) for k in (3, 5, 7, 9, 21)},
    **{f"extra_median_{k}": Median(window=k) for k in (51, 101)},
    **{f"extra_ewma_1/{k}": Ewma(gain=1 / k) for k in (128, 256)},
    "arima211_paper": Arima.jeyasekar_2014(),
    "holt_1/8_1/64": Holt(gain=1 / 8, trend_gain=1 / 64),
}


def noise(n: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n)


@beside
@pytest.mark.parametrize(
    "name", ["4g-fiber-1k", "wifi-repeater-fiber-1k", "wifi-fiber-64k", "ros-wifi-static"]
)
def test_errors_are_those_of_the_contest_to_all_printed_digits(name: str) -> None:
    with CONTEST.open() as file:
        printed = {row["method"]: row for row in csv.DictReader(file) if row["series"] == name}
    series = read(RTTS / f"{name}.csv.gz")
    found = evaluate(series.rtts[:20_000], METHODS, warm_up=2000)
    for method in METHODS:
        score, row = found.score(method), printed[method]
        assert score.scored == int(row["scored"])
        assert (f"{1e3 * score.mae:.6g}", f"{1e3 * score.rmse:.6g}") == (row["mae_ms"], row["rmse_ms"]), (
            method
        )
        assert f"{score.mae_vs_ewma:.2f}" == row["mae_vs_srtt_percent"].replace("-0.00", "0.00"), method


@beside
def test_lmmse_predicts_what_the_golden_numbers_do() -> None:
    for name, entry in json.loads(GOLDEN.read_text())["series"].items():
        xs = np.loadtxt(GOLDEN.parent / f"series/{name}.csv", skiprows=1)
        for window in entry["lmmse"]:
            start, length = window["start"], window["length"]
            ours = Forecaster(Lmmse(order=20, window=length, every=1)).run(xs[start : start + length])[-1]
            assert ours == pytest.approx(window["prediction_of_next"], rel=1e-6, abs=1e-9), name


@beside
@pytest.mark.parametrize(("loss", "what"), [("absolute", "mae"), ("squared", "rmse")])
@pytest.mark.parametrize(
    "name", ["4g-fiber-1k", "wifi-repeater-fiber-1k", "wifi-fiber-64k", "ros-wifi-static"]
)
def test_the_mixture_is_within_one_percent_of_the_best(name: str, loss: Any, what: str) -> None:
    best = METHODS | {"lmmse": Lmmse(), "adaptive": AdaptiveEwma(), "recursive": ArimaRecursive()}
    found = evaluate(read(RTTS / f"{name}.csv.gz").rtts[:20_000], {**best, "mixture": Mixture(loss=loss)})
    least = min(getattr(found.score(each), what) for each in best)
    assert getattr(found.score("mixture"), what) < 1.01 * least


@pytest.mark.parametrize("model", DEFAULT_MODELS, ids=label)
def test_one_sample_at_a_time_is_the_same_as_an_array(model: Any) -> None:
    xs = 20 + noise(300)
    one, whole = Forecaster(model), Forecaster(model)
    singly = [one.update(x) for x in xs]
    np.testing.assert_array_equal(singly, whole.run(xs))
    assert one.forecast(7) == whole.forecast(7)
    assert one.interval() == whole.interval()
    one.reset()
    assert one.interval() is None
    assert one.forecast() is None


@pytest.mark.parametrize("model", DEFAULT_MODELS, ids=label)
def test_intervals_hold_what_they_are_asked_to(model: Any) -> None:
    level = np.repeat([20.0, 60.0, 30.0], 2000)
    intervals = Forecaster(model, coverage=0.9).run_intervals(level + noise(6000))
    inside = (intervals.lower[:-1] <= (level + noise(6000))[1:]) & (
        (level + noise(6000))[1:] <= intervals.upper[:-1]
    )
    assert inside[20:].mean() == pytest.approx(0.9, abs=0.015)


def test_a_forecast_further_ahead_is_compared_with_the_sample_that_it_is_of() -> None:
    xs = np.arange(100.0)
    found = evaluate(xs, [LastValue(), Holt(gain=1, trend_gain=1)], horizons=(1, 5), warm_up=20)
    assert found.score("last value", 5).mae == 5
    assert found.score("Holt 1 1", 5).mae == pytest.approx(0)
    assert found.score("Holt 1 1", 5).mae_vs_last == pytest.approx(-100)


def test_a_constant_series_is_flagged_and_nothing_is_nan() -> None:
    found = evaluate(np.full(100, 7.0))
    assert found.constant
    for score in found.scores:
        assert all(math.isfinite(value) for value in score[1:]), score
        assert (score.mae, score.mae_vs_ewma, score.coverage) == (0, 0, 1)
    assert found.compare("last value", "EWMA 1/8").p_value == 1


def test_gaps_are_left_out_and_counted() -> None:
    xs = 20 + noise(200)
    gappy = np.insert(xs, [50, 51, 120], math.nan)
    whole, found = evaluate(xs), evaluate(gappy, times=np.arange(203.0))
    assert (found.gaps, found.samples) == (3, 200)
    assert found.score("EWMA 1/8") == whole.score("EWMA 1/8")
    assert (found.irregular, whole.irregular) == (False, None)


def test_irregular_times_are_told() -> None:
    regular = np.arange(100.0)
    drawn = np.cumsum(np.random.default_rng(1).exponential(size=100))
    assert (irregular(regular), irregular(drawn), irregular([1.0, 2.0])) == (False, True, False)
    forecaster = Forecaster(LastValue())
    forecaster.run(regular, times=drawn)
    assert forecaster.irregular is True
    forecaster.run(regular)
    assert forecaster.irregular is None
    assert evaluate(regular, times=drawn).irregular is True


def test_diebold_mariano_agrees_with_the_formula_and_knows_chance_from_difference() -> None:
    first, second = np.abs(noise(400, 1)), np.abs(noise(400, 2))
    d = first - second
    plain = d.mean() / math.sqrt(d.var() / 400) * math.sqrt(399 / 400)
    assert diebold_mariano(first, second, lags=0).statistic == pytest.approx(plain)
    assert diebold_mariano(first, second + 1).p_value < 1e-9
    assert diebold_mariano(first, second).statistic == -diebold_mariano(second, first).statistic
    rejected = [
        diebold_mariano(noise(200, s) ** 2, noise(200, 1000 + s) ** 2).p_value < 0.05 for s in range(400)
    ]
    assert 0.02 < np.mean(rejected) < 0.09


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: evaluate([1.0, 2.0, 3.0]), r"series: got 3 samples, expected at least 11 \(warm-up 1 .*"),
        (
            lambda: evaluate([1.0, math.inf] * 50),
            r"series\[1\]: got inf, expected a finite number, or NaN for a gap",
        ),
        (
            lambda: evaluate(np.ones(50), times=np.ones(49)),
            "times: got 49 times, expected 50, one for each sample",
        ),
        (
            lambda: evaluate(np.ones(50), times=-np.arange(50.0)),
            r"times\[1\]: got -1, expected a time that is not .*",
        ),
        (lambda: evaluate(np.ones(50), []), "models: got none, expected at least one"),
        (
            lambda: evaluate(np.ones(50), horizons=()),
            r"horizons: got \[\], expected whole numbers of at least 1",
        ),
        (lambda: evaluate(np.ones(50)).score("EWMA 1/9"), 'name: got "EWMA 1/9", expected one of .*'),
        (lambda: Forecaster(LastValue()).update(math.nan), "x: got NaN, expected a finite number"),
        (lambda: Forecaster(LastValue()).run([1.0, math.nan]), r"xs\[1\]: got NaN, expected a finite number"),
        (
            lambda: Forecaster(LastValue(), coverage=1),
            "coverage: got 1, expected a number above 0 and below 1",
        ),
        (lambda: Forecaster(LastValue()).forecast(0), "steps: got 0, expected a whole number of at least 1"),
        (lambda: Lmmse(order=30, window=20), "window: got 20, expected a whole number above the order .*"),
        (lambda: ArimaRecursive(p=0, q=0), "p: got 0, expected p or q above 0"),
        (lambda: ArimaRecursive(p=6), "p: got 6, expected a whole number from 0 to 5"),
    ],
)
def test_what_cannot_be_is_one_line(call: Any, line: str) -> None:
    with pytest.raises(InputError, match=f"^{line}$"):
        call()


def test_labels_are_distinct() -> None:
    assert len({label(model) for model in DEFAULT_MODELS}) == len(DEFAULT_MODELS)
    assert [label(Ewma(gain=0.3)), label(Constant(value=2)), label(Arima(d=1, ma=[0.5]))] == [
        "EWMA 3/10",
        "constant 2",
        "ARIMA(0,1,1)",
    ]


def test_models_with_one_label_are_all_compared() -> None:
    models = [Arima(ar=[0.9], d=0, ma=[]), Arima(ar=[0.1], d=0, ma=[]), LastValue(), LastValue()]
    found = evaluate(noise(300), models)
    assert found.names == ("ARIMA(1,0,0)", "ARIMA(1,0,0) (2)", "last value", "last value (2)")
    assert found.score("ARIMA(1,0,0)").mae != found.score("ARIMA(1,0,0) (2)").mae
    assert found.score("last value").mae == found.score("last value (2)").mae


def test_the_best_by_squares_may_be_another_than_by_amounts() -> None:
    rng = np.random.default_rng(3)
    # Most samples are alike, a few far off: the median is best by amounts, the mean by squares.
    series = np.where(rng.random(4000) < 0.2, 10.0, 0.0) + rng.normal(0, 0.1, 4000)
    found = evaluate(series, {"median": Median(window=201), "mean": Ewma(gain=1 / 200)})
    for loss in ("absolute", "mae"):
        assert found.best(loss) == "median"
    for loss in ("squared", "mse", "rmse"):
        assert found.best(loss) == "mean"
    with pytest.raises(
        InputError, match=r'^loss: got "mad", expected one of absolute, mae, squared, mse, rmse$'
    ):
        found.best("mad")
    with pytest.raises(InputError, match=r"^horizon: got 2, expected one of 1$"):
        found.best(horizon=2)
    with pytest.raises(InputError, match=r"^horizon: got 3, expected one of 1$"):
        found.table(3)


def test_holm_is_as_others_compute_it() -> None:
    # p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm") of R
    assert holm([0.03, 0.01, 0.05, 0.02, 0.04]) == pytest.approx([0.09, 0.05, 0.09, 0.08, 0.09])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_many_forecasters_that_are_no_better_rarely_seem_so() -> None:
    """Twelve forecasters against one, all of them off by the same amount in directions of their own."""
    plain = corrected = 0
    for seed in range(200):
        losses = np.random.default_rng(seed).normal(size=(13, 400)) ** 2
        p_values = [diebold_mariano(loss, losses[0]).p_value for loss in losses[1:]]
        plain += min(p_values) < 0.05
        corrected += min(holm(p_values)) < 0.05
    assert plain > 50
    assert corrected < 20


def test_comparisons_of_all_allow_for_their_number() -> None:
    found = evaluate(noise(400), unit="ms")
    alone = {name: found.compare(name, "EWMA 1/8") for name in found.names if name != "EWMA 1/8"}
    together = found.compare_all("EWMA 1/8")
    assert together.keys() == alone.keys()
    for name, each in together.items():
        assert each.p_value >= alone[name].p_value
        assert each.statistic == alone[name].statistic
    assert [each.p_value for each in together.values()] == holm([each.p_value for each in alone.values()])
