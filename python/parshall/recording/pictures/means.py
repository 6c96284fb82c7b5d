"""Means of many runs with their intervals: one metric, variant by variant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parshall.errors import InputError, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from parshall.engine.ensemble import Ensemble

__all__ = ["plot_metric"]

_MOST_GROUPS = 12


def plot_metric(ensemble: Ensemble, metric: str) -> Figure:
    """Draws a column of the table of flows, or their ``goodput`` in Mbit/s: the mean over the seeds with its
    95 % interval, of each variant and each flow; of more than twelve flows, of their sum.

    Returns the figure. Raises InputError for a column that is not there or holds no numbers.
    """
    from parshall.plot import MARKERS, SERIES, drawing
    from parshall.stats import mean_interval

    by_flow = _by_flow(ensemble, metric)
    variants = list(ensemble.variants)
    with drawing(0.7 + 0.32 * len(variants) * max(1, len(by_flow)) ** 0.5, width=6.0) as (canvas, (axis,)):
        for number, (flow, values) in enumerate(by_flow.items()):
            shift = 0.0 if len(by_flow) == 1 else 0.7 * (number / (len(by_flow) - 1) - 0.5)
            there = [(place, variant) for place, variant in enumerate(variants) if variant in values]
            for place, variant in there:
                sample = np.asarray(values[variant])
                mean = float(sample.mean())
                half = mean_interval(sample).half_width if len(sample) > 1 else 0.0
                axis.errorbar(
                    mean,
                    place + shift,
                    xerr=half,
                    fmt=MARKERS[number % len(MARKERS)],
                    color=SERIES[number % len(SERIES)],
                    markersize=4,
                    capsize=2.5,
                    linewidth=1.2,
                    label=flow if place == there[0][0] else None,
                )
        axis.set_yticks(range(len(variants)), variants)
        axis.invert_yaxis()
        axis.set_xlabel(_label(metric, len(ensemble.seeds)))
        if len(by_flow) > 1:
            axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize="small")
    return canvas


def _label(metric: str, seeds: int) -> str:
    name = "goodput, Mbit/s" if metric == "goodput" else metric.replace("_", " ")
    return f"{name} (mean and 95 % interval over {seeds} seeds)"


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
    if len(found) <= _MOST_GROUPS:
        return found
    sums = {
        variant: np.sum([own[variant] for own in found.values() if variant in own], axis=0).tolist()
        for variant in ensemble.variants
    }
    return {"all flows": sums}


def _values(ensemble: Ensemble, metric: str) -> list[float]:
    table = ensemble.table("flows")
    if metric != "goodput":
        return [float(value) for value in table[metric].to_pylist()]
    seconds = {name: each.duration - each.warm_up for name, each in ensemble.variants.items()}
    rows = zip(table["variant"].to_pylist(), table["bytes_delivered"].to_pylist(), strict=True)
    return [8e-6 * delivered / seconds[variant] for variant, delivered in rows]
