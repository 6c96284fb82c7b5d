"""Means of many runs with their intervals: one metric, flow by flow and variant by variant."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from parshall.errors import InputError, shown
from parshall.recording.pictures.units import arms
from parshall.stats import AT_LEAST_ZERO, mean_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from parshall.engine.ensemble import Ensemble

    Values = Mapping[str, Mapping[str, list[float]]]

__all__ = ["plot_metric"]

_MOST_FLOWS = 12
"""Flows that have a row each; of more there is their sum."""
_MOST_SERIES = 8
"""Variants, or flows, that a colour and a marker tell apart."""
_MOST_ROWS = 200
_ROW = 0.2
"""Height of a mean, in inches."""


def plot_metric(ensemble: Ensemble, metric: str) -> Figure:
    """Draws a column of the table of flows, or their ``goodput`` in Mbit/s: the mean over the seeds with its
    95 % interval. Each flow has a row, in which each variant has its colour and marker; of more than twelve
    flows the sum is drawn. More than eight variants have a row each, and flows have the colours.

    Returns the figure. Raises InputError for a column that is not there or holds no numbers, and for more
    variants than a figure can show.
    """
    from parshall.plot import drawing, shortened

    by_flow = _by_flow(ensemble, metric)
    apart = len(ensemble.variants) <= _MOST_SERIES
    if len(by_flow) > (_MOST_FLOWS if apart else _MOST_SERIES):
        by_flow = {"all flows": _sums(by_flow, ensemble)}
    by_series = _by_variant(by_flow, list(ensemble.variants)) if apart else by_flow
    rows = list(by_flow) if apart else list(ensemble.variants)
    if len(rows) > _MOST_ROWS:
        expected = f"at most {_MOST_ROWS} for a figure; ensemble.table('flows') has the numbers of all"
        raise InputError("variants", f"{len(rows):,}", expected)
    with drawing(0.8 + _ROW * len(rows) * len(by_series), width=6.0, paper=True) as (canvas, (axis,)):
        _draw(axis, by_series, rows)
        named = [shortened(row) for row in rows]
        axis.set_yticks(range(len(rows)), named)
        axis.set_ylim(len(rows) - 0.5, -0.5)
        axis.set_xlabel(_label(metric, len(ensemble.seeds)))
        if len(by_series) > 1:
            axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
    return canvas


def _draw(axis: Axes, by_series: Values, rows: Sequence[str]) -> None:
    from parshall.plot import MARKERS, SERIES, shortened

    for number, (name, values) in enumerate(by_series.items()):
        known = ((place, values[row]) for place, row in enumerate(rows) if row in values)
        every = [(place, mean_interval(own, within=AT_LEAST_ZERO)) for place, own in known]
        there = [(place, interval) for place, interval in every if math.isfinite(interval.mean)]
        shift = 0.7 * ((number + 0.5) / len(by_series) - 0.5)
        reach = np.array([arms(interval) for _, interval in there]).reshape(-1, 2)
        axis.errorbar(
            [interval.mean for _, interval in there],
            [place + shift for place, _ in there],
            xerr=reach.T,
            fmt=MARKERS[number],
            color=SERIES[number],
            markersize=4,
            capsize=2.5,
            linewidth=1.2,
            label=shortened(name),
        )


def _label(metric: str, seeds: int) -> str:
    name = "goodput, Mbit/s" if metric == "goodput" else metric.replace("_", " ")
    return f"{name} (mean and 95 % interval over {seeds} seed{'' if seeds == 1 else 's'})"


def _by_variant(by_flow: Values, variants: Sequence[str]) -> dict[str, dict[str, list[float]]]:
    """The values of each variant, by flow."""
    return {
        variant: {flow: values[variant] for flow, values in by_flow.items() if variant in values}
        for variant in variants
    }


def _sums(by_flow: Values, ensemble: Ensemble) -> dict[str, list[float]]:
    """The sum over all flows, by variant and seed by seed; a variant whose runs all failed has none."""
    there = {
        variant: [values[variant] for values in by_flow.values() if variant in values]
        for variant in ensemble.variants
    }
    return {variant: np.sum(own, axis=0).tolist() for variant, own in there.items() if own}


def _by_flow(ensemble: Ensemble, metric: str) -> dict[str, dict[str, list[float]]]:
    """The values of each flow, by variant, seed by seed."""
    table = ensemble.table("flows")
    numbers = [
        field.name
        for field in table.schema
        if str(field.type) in ("int64", "double") and field.name != "seed"
    ]
    if not isinstance(metric, str) or metric not in ("goodput", *numbers):
        raise InputError("metric", shown(metric), f"one of goodput, {', '.join(numbers)}")
    found: dict[str, dict[str, list[float]]] = {}
    columns = [table[name].to_pylist() for name in ("flow", "variant")]
    for flow, variant, value in zip(*columns, _values(ensemble, metric), strict=True):
        found.setdefault(flow, {}).setdefault(variant, []).append(value)
    return found


def _values(ensemble: Ensemble, metric: str) -> list[float]:
    table = ensemble.table("flows")
    if metric != "goodput":
        return [float(value) for value in table[metric].to_pylist()]
    seconds = {name: each.duration - each.warm_up for name, each in ensemble.variants.items()}
    rows = zip(table["variant"].to_pylist(), table["bytes_delivered"].to_pylist(), strict=True)
    return [8e-6 * delivered / seconds[variant] for variant, delivered in rows]
