"""Tails and impulses of round-trip times, and what filters make of an impulse, an edge and noise.

The document says that round-trip times are impulsive and heavy-tailed, and that a median eliminates impulses.
The one is looked at in series, the other is a property of the filters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall_studies import study as st
from parshall_studies.median_rto.scenarios import PARETO_SHAPE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.estimators import RtoEstimator
    from parshall_studies.median_rto.costs import Parts

    Reals = NDArray[np.float64]

EXPONENTIAL_TAIL = math.log(100 / 2) / math.log(10 / 2)
""":func:`tail_ratio` of an exponential law: more is a heavier tail than that, as the document has it."""
OFTEN = 0.01
"""Share of samples from which on impulses are called frequent."""
_STANDS_OUT = 1.5
FILTERS: Mapping[str, str] = {"mean": "mean", "ewma": "median, reading (a)", "mad": "median, reading (b)"}
"""Filters whose answers are looked at; the medians are of 5, with either reading of the deviation."""
SIGNALS: Mapping[str, str] = {
    "impulse": "One sample stands out above",
    "dip": "One sample stands out below",
    "step": "All samples from one on",
}
_BEFORE, _AFTER = 200, 30
"""Samples before a signal, in which filters settle, and those from it on."""
_LEVEL, _HEIGHT = 0.3, 2.7
"""Seconds: round-trip times before a signal, and how much it adds; a dip falls from the sum to the level."""
LAWS: Mapping[str, str] = {
    "gaussian": "Gaussian, deviation a tenth of the mean",
    "pareto-2.5": f"Pareto, shape {PARETO_SHAPE:g}",
    "pareto-1.7": "Pareto, shape 1.7",
}
"""Laws of independent samples: the one for which the document finds the mean good, that of its sources, and
that of its Figure 1."""
_SAMPLES = 2000
SAMPLE_COUNTS = (20, 2000)
"""Samples after which the mean's estimate is looked at: few, and a hundred times as many."""
_SERIES = 20
"""Series of samples that are drawn for each seed."""


def measure(seeds: Sequence[int], measured: Mapping[str, Parts]) -> st.Measures:
    """Answers of the filters, their errors on independent samples, and the shape of the measured series."""
    tables: dict[str, Any] = {
        "answers": _answers(),
        "laws": _laws(seeds),
        "convergence": _convergence(seeds),
    }
    if measured:
        columns = {
            "series": list(measured),
            "tail": [tail_ratio(np.concatenate(parts)) for parts in measured.values()],
            "impulses": [impulse_share(parts) for parts in measured.values()],
        }
        tables["measured_shape"] = st.tidy(columns, ("series",))
    return tables


def tail_ratio(rtts: Reals) -> float:
    """Distance of the 99 % quantile from the median over that of the 90 % quantile: 1.8 for a Gaussian law,
    :data:`EXPONENTIAL_TAIL` for an exponential one, 4.2 for a Pareto law of shape 2.5. NaN without a spread.
    """
    if not len(rtts):
        return math.nan
    middle, high, highest = np.quantile(rtts, (0.5, 0.9, 0.99))
    return float((highest - middle) / (high - middle)) if high > middle else math.nan


def impulse_share(parts: Parts) -> float:
    """Share of samples that stand alone: more than half as much again as both neighbours, or less than two
    thirds of both.
    """
    alone, count = 0, 0
    for part in parts:
        before, own, after = part[:-2], part[1:-1], part[2:]
        above = own > _STANDS_OUT * np.maximum(before, after)
        below = _STANDS_OUT * own < np.minimum(before, after)
        alone += int((above | below).sum())
        count += len(own)
    return alone / count if count else math.nan


def _filters() -> Mapping[str, Callable[[], RtoEstimator]]:
    from parshall.estimators import JacobsonRto, MedianRto

    return {
        "mean": lambda: JacobsonRto(min_rto=0.0),
        "ewma": lambda: MedianRto(window=5, min_rto=0.0),
        "mad": lambda: MedianRto(window=5, deviation="mad", min_rto=0.0),
    }


def _answers() -> Any:
    """Estimate and timeout beside the level of before, as shares of the signal's height and in its direction;
    ``after`` counts the samples from the signal on.
    """
    columns: dict[str, list[Any]] = {name: [] for name in ("signal", "filter", "after", "estimate", "rto")}
    for signal in SIGNALS:
        level, height = (_LEVEL + _HEIGHT, -_HEIGHT) if signal == "dip" else (_LEVEL, _HEIGHT)
        rtts = np.full(_BEFORE + _AFTER, level)
        rtts[_BEFORE : None if signal == "step" else _BEFORE + 1] += height
        for name, make in _filters().items():
            found = make().run_full(rtts)
            columns["signal"] += [signal] * _AFTER
            columns["filter"] += [name] * _AFTER
            columns["after"] += list(range(1, _AFTER + 1))
            for column, values in (("estimate", found.srtt), ("rto", found.rto)):
                columns[column] += ((values[_BEFORE:] - level) / height).tolist()
    return st.tidy(columns, ("signal", "filter", "after"))


def _laws(seeds: Sequence[int]) -> Any:
    """Mean distance of an estimate from what it estimates, over that: the mean of the law, or its median."""
    columns: dict[str, list[Any]] = {name: [] for name in ("law", "filter", "seed", "error")}
    for law in LAWS:
        for seed in seeds:
            rtts, average, middle = _drawn(law, np.random.default_rng(seed))
            for name, target in (("mean", average), ("ewma", middle)):
                estimate = _filters()[name]().run_full(rtts).srtt[_BEFORE:]
                columns["law"].append(law)
                columns["filter"].append(name)
                columns["seed"].append(seed)
                columns["error"].append(float(np.abs(estimate / target - 1).mean()))
    return st.tidy(columns, ("law", "filter", "seed"))


def _convergence(seeds: Sequence[int]) -> Any:
    """Distance of the mean's estimate from the mean of a Gaussian law after so many samples, over the latter,
    averaged over some series: ``each`` of the last estimate, ``average`` of the average of all so far.
    """
    columns: dict[str, list[Any]] = {name: [] for name in ("samples", "seed", "each", "average")}
    for seed in seeds:
        random = np.random.default_rng(seed)
        estimates = np.array([_mean_of_gaussian(random) for _ in range(_SERIES)])
        for count in SAMPLE_COUNTS:
            so_far = estimates[:, :count]
            columns["samples"].append(count)
            columns["seed"].append(seed)
            columns["each"].append(float(np.abs(so_far[:, -1] - 1).mean()))
            columns["average"].append(float(np.abs(so_far.mean(axis=1) - 1).mean()))
    return st.tidy(columns, ("samples", "seed"))


def _mean_of_gaussian(random: np.random.Generator) -> Reals:
    """The mean's estimates after each sample of a Gaussian law whose mean is 1."""
    found: Reals = _filters()["mean"]().run_full(_drawn("gaussian", random)[0]).srtt
    return found


def _drawn(law: str, random: np.random.Generator) -> tuple[Reals, float, float]:
    """Samples, and the mean and the median of their law."""
    if law == "gaussian":
        return random.normal(1.0, 0.1, _SAMPLES), 1.0, 1.0
    shape = float(law.removeprefix("pareto-"))
    return 1 + random.pareto(shape, _SAMPLES), shape / (shape - 1), 2 ** (1 / shape)
