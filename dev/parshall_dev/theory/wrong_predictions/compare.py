"""Errors of prediction and fairness: the closed forms beside Monte-Carlo runs of their model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from parshall.stats import mean_interval
from parshall.theory.wrong_predictions import SharedLink, law
from parshall_dev.theory.comparison import Comparison, Curve, Panel, Point, PointSeries
from parshall_dev.theory.wrong_predictions.draws import draw_rectangle
from parshall_dev.theory.wrong_predictions.text import facts

if TYPE_CHECKING:
    from collections.abc import Callable

    from parshall.theory.wrong_predictions import PredictionErrorLaw
    from parshall_dev.theory.wrong_predictions.draws import Drawn

__all__ = ["compare"]

CONNECTIONS, CAPACITY, RTT = 20, 10e6, 0.02
BUFFERS = {"L = 0.8 packets": 800.0, "L = 5 packets": 5000.0, "L = 20 packets": 20_000.0}
"""In bytes. With the first nearly every gamma is in sub-case 1; the last stays in 3 up to gamma = 0.8."""
ERRORS = tuple(round(0.1 * step, 1) for step in range(1, 11))
PREDICTIONS = 100_000
"""Predictions of one run."""


def compare(seeds: int) -> Comparison:
    """T and F over gamma for three buffers. A run is one of the model, not of the simulator."""
    runs = {
        (label, error): [draw_rectangle(_link(label, error), PREDICTIONS, seed) for seed in range(seeds)]
        for label in BUFFERS
        for error in ERRORS
    }
    return Comparison(
        "prediction-error",
        "Errors of prediction",
        (
            _panel(runs, "Throughput", "T, Mbit/s", _throughput, legend="center right"),
            _panel(runs, "Fairness", "F", _fairness, legend="lower left"),
        ),
        len(runs) * seeds,
        facts(CONNECTIONS, CAPACITY, RTT, PREDICTIONS),
    )


def _link(label: str, error: float) -> SharedLink:
    return SharedLink(error, CONNECTIONS, CAPACITY, BUFFERS[label], RTT)


def _throughput(found: PredictionErrorLaw | Drawn) -> float:
    return found.throughput / 1e6


def _fairness(found: PredictionErrorLaw | Drawn) -> float:
    return found.fairness


def _panel(
    runs: dict[tuple[str, float], list[Drawn]],
    title: str,
    unit: str,
    value: Callable[[PredictionErrorLaw | Drawn], float],
    *,
    legend: Literal["lower left", "center right"],
) -> Panel:
    x = tuple(float(error) for error in np.linspace(0, 1, 201))
    curves = tuple(
        Curve(label, x, tuple(value(law(_link(label, error))) for error in x)) for label in BUFFERS
    )
    series = tuple(
        PointSeries(
            label,
            tuple(
                Point(
                    error,
                    value(law(_link(label, error))),
                    mean_interval([value(run) for run in runs[label, error]]),
                )
                for error in ERRORS
            ),
        )
        for label in BUFFERS
    )
    return Panel(title, "largest relative error, γ", unit, curves, series, legend=legend)
