"""The mixture and the timeout by risk on kinds of series that neither was designed on: handovers, full
buffers, routes that change, retries and more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from parshall import QuantileRto, evaluate_rto, forecast

Floats = NDArray[np.float64]

N = 6000
SKIPPED = 500
EXPERTS = [
    forecast.LastValue(),
    *(forecast.Ewma(gain=2.0**-power) for power in range(1, 9)),
    *(forecast.Median(window=window) for window in (3, 5, 9, 21, 51, 101, 201)),
    forecast.Holt(gain=1 / 8, trend_gain=1 / 64),
    forecast.AdaptiveEwma(),
    forecast.Lmmse(),
    forecast.ArimaRecursive(),
    forecast.Arima.jeyasekar_2014(),
]


def handovers(rng: np.random.Generator) -> Floats:
    """A satellite's next pass every 75 samples."""
    levels = np.repeat(rng.uniform(25, 60, N // 75 + 1), 75)[:N]
    return levels + rng.gamma(2, 3, N)


def full_buffer(rng: np.random.Generator) -> Floats:
    """A loss-based flow fills a buffer and empties it, in whole milliseconds."""
    return np.round(20 + 180 * ((np.arange(N) % 137) / 137) ** 1.5 + rng.exponential(2, N))


def two_routes(rng: np.random.Generator) -> Floats:
    """A path that changes after some 300 samples, and back."""
    second = np.cumsum(rng.random(N) < 1 / 300) % 2
    return np.where(second == 1, 55.0, 40.0) + rng.exponential(1.5, N)


def days(rng: np.random.Generator) -> Floats:
    return 30 + 10 * np.sin(np.arange(N) / 318) + rng.lognormal(0.5, 1.0, N)


def retries(rng: np.random.Generator) -> Floats:
    return 3 + 2.5 * rng.geometric(0.6, N) + rng.exponential(0.4, N)


def heavy_tail(rng: np.random.Generator) -> Floats:
    return 20 + 5 * rng.pareto(1.6, N)


def spikes(rng: np.random.Generator) -> Floats:
    return 10 + rng.normal(0, 0.2, N) + (rng.random(N) < 0.01) * rng.uniform(50, 500, N)


def drift(rng: np.random.Generator) -> Floats:
    return 50 + 0.01 * np.arange(N) + np.cumsum(rng.normal(0, 0.05, N)) + rng.normal(0, 2, N)


def waves(rng: np.random.Generator) -> Floats:
    """An autoregression of second order that swings with a period of 21 samples."""
    noise, x = rng.standard_normal(N), np.zeros(N)
    for i in range(2, N):
        x[i] = 1.8150 * x[i - 1] - 0.9025 * x[i - 2] + noise[i]
    return 100 + x


def bursts(rng: np.random.Generator) -> Floats:
    """Times of much noise and of little (GARCH)."""
    x, variance = np.zeros(N), 1.0
    for i in range(N):
        x[i] = np.sqrt(variance) * rng.standard_normal()
        variance = 0.05 + 0.1 * x[i] ** 2 + 0.88 * variance
    return 50 + x


def beacons(rng: np.random.Generator) -> Floats:
    """Every 15th sample waits for a beacon."""
    return 10 + 5 * (np.arange(N) % 15 == 0) * rng.gamma(4, 2, N) + rng.normal(0, 0.5, N)


KINDS: Mapping[Callable[[np.random.Generator], Floats], tuple[float, float]] = {
    **dict.fromkeys(
        (handovers, full_buffer, two_routes, days, retries, heavy_tail, spikes, drift, waves, bursts),
        (1.0, 1.0),
    ),
    beacons: (1.0, 3.0),
}
"""By what per cent the mixture may be worse than the best expert: absolute errors, squared errors. A beacon
every 15th sample is what it does not manage by squared error.
"""


@pytest.mark.parametrize("kind", KINDS)
def test_the_mixture_is_as_good_as_the_best_of_all(kind: Callable[[np.random.Generator], Floats]) -> None:
    models = {str(place): model for place, model in enumerate(EXPERTS)}
    models |= {loss: forecast.Mixture(loss=loss) for loss in ("absolute", "squared")}  # type: ignore[arg-type]
    series = kind(np.random.default_rng(20_261_122))
    found = forecast.evaluate(series, models, warm_up=SKIPPED)
    for loss, error, allowed in zip(("absolute", "squared"), ("mae", "rmse"), KINDS[kind], strict=True):
        best = min(getattr(found.score(name), error) for name in models if name.isdigit())
        worse = 100 * (getattr(found.score(loss), error) / best - 1)
        assert worse <= allowed, f"{error}: {worse:.2f} % worse than the best"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("risk", [0.01, 0.03, 0.1])
def test_the_risk_is_kept(kind: Callable[[np.random.Generator], Floats], risk: float) -> None:
    series = np.abs(kind(np.random.default_rng(7))) / 1000
    costs = evaluate_rto(series, QuantileRto(risk=risk), warm_up=10)
    # A quarter of the risk, and what chance adds to it where few early timeouts are allowed.
    chance = 2 / np.sqrt(risk * costs.samples)
    assert abs(costs.spurious / costs.samples / risk - 1) <= max(0.25, chance)


def test_the_interval_holds_what_it_says() -> None:
    for kind in KINDS:
        series = kind(np.random.default_rng(3))
        score = forecast.evaluate(series, {"mean": forecast.Ewma(gain=1 / 8)}, warm_up=SKIPPED).score("mean")
        assert abs(score.coverage - 0.9) < 0.015, kind.__name__
