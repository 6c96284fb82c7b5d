"""LMS, NLMS, RLS and the predictors from the Hurst parameter: beside golden numbers, theory and SciPy."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import dblquad
from scipy.linalg import solve_toeplitz

from parshall import theory
from parshall.errors import InputError
from parshall.forecast import Farima, Fbm, Forecaster, Lmmse, Lms, Nlms, Rls, label
from parshall.theory.prediction import prediction_weights

Floats = NDArray[np.float64]

REFERENCE = Path(__file__).parents[2] / "shared/reference/timeseries"
beside = pytest.mark.skipif(not REFERENCE.exists(), reason="the golden numbers are not beside the checkout")

NEVER = 1e300
"""No error is clipped."""


def golden() -> dict[str, Any]:
    series: dict[str, Any] = json.loads((REFERENCE / "golden.json").read_text())["series"]
    return series


def series(name: str) -> Floats:
    xs: Floats = np.loadtxt(REFERENCE / f"series/{name}.csv", skiprows=1)
    return xs


def drawn(autocovariance: Callable[[int], Floats], n: int, seed: int) -> Floats:
    """A Gaussian series with these autocovariances, exactly (circulant embedding)."""
    r = autocovariance(n)
    spectrum = np.fft.rfft(np.concatenate([r, r[-2:0:-1]])).real
    assert spectrum.min() > -1e-9
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal(len(spectrum)) + 1j * rng.standard_normal(len(spectrum))
    noise[[0, -1]] = noise[[0, -1]].real * np.sqrt(2)
    xs: Floats = np.fft.irfft(np.sqrt(spectrum.clip(0)) * noise * np.sqrt(n), 2 * n)[:n]
    return xs


@beside
@pytest.mark.parametrize("kind", ["lms", "nlms"])
def test_lms_and_nlms_forecast_what_the_golden_numbers_do(kind: str) -> None:
    for name, entry in golden().items():
        wanted, xs = entry[kind], series(name)
        step, centre = wanted["step"], wanted["centre"]
        model: Any = (
            Lms(step=step, centre=centre, clip=NEVER)
            if kind == "lms"
            else Nlms(step=step, eps=wanted["eps"], centre=centre, clip=NEVER)
        )
        forecasts = Forecaster(model).run(xs)[:-1]
        errors = xs[20:] - forecasts[19:]
        assert np.mean(np.abs(errors)) == pytest.approx(wanted["mae"], rel=1e-9), name
        assert np.mean(errors**2) == pytest.approx(wanted["mse"], rel=1e-9), name
        scale = np.abs(wanted["forecast"]).max()
        assert forecasts[-50:] == pytest.approx(wanted["forecast"], rel=1e-7, abs=1e-9 * scale), name


@beside
def test_clipping_keeps_nlms_from_exploding_after_an_outlier() -> None:
    wanted, xs = golden()["rtt_ros_wifi_static"]["nlms"], series("rtt_ros_wifi_static")

    def error(**options: Any) -> float:
        forecasts = Forecaster(Nlms(step=wanted["step"], centre=wanted["centre"], **options)).run(xs)
        return float(np.mean(np.abs(xs[20:] - forecasts[19:-1])))

    exploded = error(eps=wanted["eps"], clip=NEVER)
    assert exploded > 1000
    assert error(eps=wanted["eps"]) < 20
    assert error() < 20


@beside
def test_lmmse_has_the_order_the_error_and_the_coefficients_of_the_golden_numbers() -> None:
    for name, entry in golden().items():
        for window in entry["lmmse"]:
            xs = series(name)[window["start"] : window["start"] + window["length"]]
            assert xs.mean() == pytest.approx(window["mean"], rel=1e-12)
            past = xs[-1:-21:-1] - window["mean"]
            ours = Forecaster(Lmmse(order=20, window=window["length"], every=1)).run(xs)[-1]
            predicted = window["mean"] + np.dot(window["coef"], past)
            assert ours == pytest.approx(predicted, rel=1e-6, abs=1e-9), name


def test_an_iterated_forecast_is_the_direct_one_where_the_process_is_an_autoregression_of_the_order() -> None:
    # Direct: the best weights of the same values for the value after next. They are those of the iteration if
    # the autocovariances go on as the autoregression's do, and only then.
    order, ahead = 3, 4
    rho = theory.fgn_autocorrelation(0.9, order)
    a = prediction_weights(0.9, order)
    continued = list(rho)
    for _ in range(ahead):
        continued.append(float(np.dot(a, continued[: -order - 1 : -1])))
    past = np.array([0.7, -1.1, 0.4])
    values = list(past[::-1])
    for _ in range(ahead):
        values.append(float(np.dot(a, values[: -order - 1 : -1])))

    def direct(r: Any) -> float:
        return float(solve_toeplitz(np.array(r[:order]), np.array(r[ahead : ahead + order])) @ past)

    assert values[-1] == pytest.approx(direct(continued), abs=1e-12)
    assert abs(values[-1] - direct(theory.fgn_autocorrelation(0.9, order + ahead))) > 1e-3


def theory_rows() -> list[dict[str, float]]:
    with (REFERENCE / "theory.csv").open() as file:
        return [{name: float(x) for name, x in row.items()} for row in csv.DictReader(file)]


@beside
@pytest.mark.parametrize("process", ["fgn", "farima"])
def test_errors_of_the_best_predictor_are_those_of_the_golden_numbers(process: Any) -> None:
    for row in theory_rows():
        h = row["H"]
        found = theory.prediction_error(h, 20, process=process)
        assert found == pytest.approx(row[f"{process}_mse_ratio"], rel=1e-10), h
        weights = prediction_weights(h, 20, process=process)
        assert weights[[0, -1]] == pytest.approx(
            [row[f"{process}_a1"], row[f"{process}_a20"]], rel=1e-8, abs=1e-12
        ), h


@pytest.mark.parametrize("h", [0.1, 0.3, 0.51, 0.7, 0.85, 0.95])
def test_the_best_weights_are_those_of_scipy(h: float) -> None:
    rho = theory.fgn_autocorrelation(h, 20)
    assert prediction_weights(h, 20) == pytest.approx(solve_toeplitz(rho[:-1], rho[1:]), abs=1e-11)
    rho = theory.farima_autocorrelation(h, 20)
    expected = solve_toeplitz(rho[:-1], rho[1:])
    assert prediction_weights(h, 20, predictor="farima") == pytest.approx(expected, abs=1e-11)
    assert theory.prediction_error(h, predictor="farima", process="farima") == pytest.approx(
        theory.prediction_error(h, process="farima"), rel=1e-10
    )


@pytest.mark.parametrize("h", [0.6, 0.8, 0.95])
def test_the_weights_of_gripenberg_and_norros_are_the_integrals_of_their_formula(h: float) -> None:
    n, b = 4, h - 0.5
    weights = prediction_weights(h, n, predictor="fbm")

    def integrand(s: float, t: float) -> float:
        return float((t * (n - t)) ** -b * (s * (s + n)) ** b / (s + t))

    for j in range(n):
        integral, _ = dblquad(integrand, j, j + 1, 0, 1, epsabs=1e-6, epsrel=1e-6)
        assert weights[j] == pytest.approx(np.sin(np.pi * b) / np.pi * integral, abs=2e-5), j


def test_the_predictors_of_figure_2a_stand_in_the_order_of_theory() -> None:
    for h in np.linspace(0.55, 0.98, 9):
        best, fbm, farima = (
            theory.prediction_error(h, predictor=predictor) for predictor in ("lmmse", "fbm", "farima")
        )
        assert best <= min(fbm, farima) * (1 + 1e-12)
        assert fbm < 1.003 * best, h


@pytest.mark.parametrize("h", [0.6, 0.75, 0.9])
@pytest.mark.parametrize("estimated", [False, True])
def test_errors_on_drawn_noise_are_those_of_theory(h: float, estimated: bool) -> None:
    noises: dict[Any, Callable[[int], Floats]] = {
        "fgn": lambda lags: theory.fgn_autocorrelation(h, lags),
        "farima": lambda lags: theory.farima_autocorrelation(h, lags),
    }
    kinds: dict[Any, Any] = {"fbm": Fbm, "farima": Farima}
    for process, rho in noises.items():
        drawings = [10 + drawn(rho, 2**14, seed) for seed in range(4)]
        for predictor, kind in kinds.items():
            model = kind(window=4000, every=500) if estimated else kind(window=4000, h=h)
            errors = [xs[4000:] - Forecaster(model).run(xs)[3999:-1] for xs in drawings]
            expected = theory.prediction_error(h, predictor=predictor, process=process)
            # 50,000 squared errors, which hardly depend on each other: 2 % is three standard errors. The mean
            # of a window is itself uncertain, and so is H.
            assert np.mean(np.square(errors)) == pytest.approx(expected, rel=0.03), (process, predictor)


@pytest.mark.parametrize("h", [0.7, 0.9])
def test_what_learns_comes_near_the_best_linear_predictor(h: float) -> None:
    xs = 10 + drawn(lambda lags: theory.fgn_autocorrelation(h, lags), 2**15, 7)
    best = theory.prediction_error(h)
    for model, excess in ((Nlms(step=0.02), 0.06), (Rls(memory=4000), 0.04), (Lms(step=0.001), 0.06)):
        errors = xs[8000:] - Forecaster(model).run(xs)[7999:-1]
        assert best * 0.97 < np.mean(errors**2) < best * (1 + excess) * 1.02, label(model)


@pytest.mark.parametrize(
    "model", [Lms(step=0.01), Nlms(), Rls(), Fbm(window=100), Farima(window=100)], ids=label
)
def test_one_sample_at_a_time_is_the_same_as_an_array_and_a_constant_is_forecast(model: Any) -> None:
    xs = 5 + np.random.default_rng(1).standard_normal(400)
    one, whole = Forecaster(model), Forecaster(model)
    assert one.forecast() is None
    assert [one.update(x) for x in xs] == list(whole.run(xs))
    assert one.forecast(steps=3) == whole.forecast(steps=3)
    one.reset()
    assert one.run(np.full(300, 7.0)) == pytest.approx(7.0)


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda: Lms(step=0.0), "step: got 0.0, expected a number above 0"),
        (lambda: Lms(step=0.1, order=101), "order: got 101, expected a whole number from 1 to 100"),
        (lambda: Nlms(step=2.0), "step: got 2, expected a number above 0 and below 2"),
        (lambda: Nlms(clip=0.5), "clip: got 0.5, expected a number of at least 1"),
        (lambda: Nlms(eps=-1.0), "eps: got -1.0, expected a number of at least 0"),
        (lambda: Rls(memory=5), "memory: got 5, expected a whole number of at least 10"),
        (lambda: Fbm(h=1.0), "h: got 1.0, expected a number between 0 and 1"),
        (lambda: Farima(h=0.0), "h: got 0.0, expected a number between 0 and 1"),
        (lambda: Fbm(order=1), "order: got 1, expected a whole number from 2 to 100"),
        (
            lambda: Farima(order=20, window=10),
            "window: got 10, expected a whole number from the order to 1048576",
        ),
        (lambda: Farima(order=20, window=30), "window: got 30, expected at least 32 samples"),
        (lambda: theory.prediction_error(1.0), "h: got 1.0, expected a number above 0 and below 1"),
        (lambda: theory.prediction_error(0.7, 0), "n: got 0, expected a whole number from 1 to 10000"),
        (
            lambda: theory.fgn_autocorrelation(float("nan"), 3),
            "h: got nan, expected a number above 0 and below 1",
        ),
    ],
)
def test_what_cannot_be_is_named(make: Callable[[], object], fault: str) -> None:
    with pytest.raises(InputError) as error:
        make()
    assert str(error.value) == fault
