"""Pictures of a sweep: each metric over a parameter, or point by point where no parameter is a number."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from parshall.errors import InputError, shown
from parshall.recording.pictures.strips import Row, Strip, draw_strips
from parshall.recording.pictures.units import quantity_label, scale_of
from parshall.stats import mean_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Measured", "plot_points"]

_MOST_ROWS = 60
"""Points that have a row each."""
_MOST_SERIES = 8
"""Curves that can be told apart; of more the points are drawn without lines."""
_WIDTH, _HEIGHT = 5.0, 1.7


@dataclass(frozen=True)
class Measured:
    """Metrics at the points of a sweep."""

    title: str
    points: tuple[Mapping[str, Any], ...]
    """Labels of each point, by parameter."""
    metrics: Mapping[str, Sequence[Sequence[float]]]
    """By the name of the metric, its values at each point."""
    units: Mapping[str, str]
    """Units of parameters and metrics, where they have one."""


def plot_points(
    measured: Measured, metrics: Sequence[str] | str | None = None, x: str | None = None
) -> Figure:
    """Draws means with their 95 % intervals: over the parameter ``x``, unless given the number that has most
    values (of at least three), in a curve for each combination of the others; without such a parameter in a
    row for each point.

    ``metrics`` are all unless named. Returns the figure. Raises InputError for names that are not there.
    """
    chosen = {name: measured.metrics[name] for name in _chosen(measured, metrics)}
    if not chosen:
        raise InputError("metrics", "none", "a sweep that has a metric")
    axis = _parameter(measured, x)
    if axis is not None:
        return _over(measured, chosen, axis)
    if len(measured.points) > _MOST_ROWS:
        raise InputError(
            "x", "none", f"a parameter: {len(measured.points)} points are too many for a row each"
        )
    rows = {name: _rows(measured, values) for name, values in chosen.items()}
    strips = [Strip(name, measured.units.get(name, ""), own) for name, own in rows.items()]
    return draw_strips(strips, measured.title)


def _chosen(measured: Measured, metrics: Sequence[str] | str | None) -> Sequence[str]:
    """Names of the metrics to draw: those asked for, or all."""
    if metrics is None:
        return list(measured.metrics)
    if not isinstance(metrics, Iterable):
        raise InputError("metrics", shown(metrics), "names of metrics")
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    for name in names:
        if not isinstance(name, str) or name not in measured.metrics:
            raise InputError("metrics", shown(name), f"one of {', '.join(measured.metrics)}")
    return names or list(measured.metrics)


def _parameter(measured: Measured, x: str | None) -> str | None:
    """The parameter along the axis, if there is one."""
    names = list(measured.points[0])
    if x is not None:
        if not isinstance(x, str) or x not in names:
            raise InputError("x", shown(x), f"one of {', '.join(names) or 'no parameter'}")
        return x
    counts = {name: len({point[name] for point in measured.points}) for name in names}
    numbers = [
        name for name in names if counts[name] > 2 and all(_is_number(p[name]) for p in measured.points)
    ]
    return max(numbers, key=lambda name: counts[name], default=None)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _rows(measured: Measured, values: Sequence[Sequence[float]]) -> tuple[Row, ...]:
    last = list(measured.points[0])[-1:]
    groups = list(dict.fromkeys(point[name] for point in measured.points for name in last))
    return tuple(
        Row(
            _named(measured, point) or "the scenario",
            mean_interval(own),
            tuple(own),
            groups.index(point[last[0]]) if last else 0,
        )
        for point, own in zip(measured.points, values, strict=True)
    )


def _named(measured: Measured, labels: Mapping[str, Any]) -> str:
    return ", ".join(label_text(name, value, measured.units.get(name, "")) for name, value in labels.items())


def label_text(name: str, value: Any, unit: str) -> str:
    """A parameter's value for people: a number with its unit and the last word of the parameter's name."""
    if isinstance(value, str):
        return value
    last = name.rpartition(".")[2]
    if not _is_number(value):
        return f"{last} {value}"
    scale, shown_unit = scale_of([value], unit)
    return f"{last} {value / scale:,.6g} {shown_unit}".rstrip()


# --- Over a parameter ---------------------------------------------------------------------------------------


def _over(measured: Measured, chosen: Mapping[str, Sequence[Sequence[float]]], x: str) -> Figure:
    from parshall.plot import drawing, legend_of

    places, ticks, unit = _places(measured, x)
    series = _series(measured, x)
    with drawing(0.9 + _HEIGHT * len(chosen), rows=len(chosen), width=_WIDTH, paper=True, sharex=True) as (
        canvas,
        axes,
    ):
        for axis, (name, values) in zip(axes, chosen.items(), strict=True):
            every = [value for own in values for value in own]
            scale, own_unit = scale_of(every, measured.units.get(name, ""))
            _draw_curves(axis, places, [[value / scale for value in own] for own in values], series)
            _label(
                axis,
                quantity_label(name, own_unit),
                all(value >= 0 for value in every if not math.isnan(value)),
            )
        if ticks is not None:
            axes[-1].set_xticks(range(len(ticks)), ticks)
        elif _is_wide(places):
            _logarithmic(axes[-1], places)
        axes[-1].set_xlabel(quantity_label(x, unit))
        if len(series) > 1:
            legend_of(canvas, axes, columns=3)
        elif measured.title:
            canvas.suptitle(measured.title, fontsize="medium", x=0.02, ha="left", wrap=True)
    return canvas


def _places(measured: Measured, x: str) -> tuple[list[float], list[str] | None, str]:
    """Where each point is along the axis: its number, or the place of its label."""
    labels = [point[x] for point in measured.points]
    if all(map(_is_number, labels)):
        scale, unit = scale_of(labels, measured.units.get(x, ""))
        return [label / scale for label in labels], None, unit
    known = list(dict.fromkeys(map(str, labels)))
    return [float(known.index(str(label))) for label in labels], known, ""


def _series(measured: Measured, x: str) -> list[tuple[str, list[int]]]:
    """The name of each curve and the numbers of its points."""
    found: dict[tuple[tuple[str, Any], ...], list[int]] = {}
    for number, point in enumerate(measured.points):
        others = tuple((name, value) for name, value in point.items() if name != x)
        found.setdefault(others, []).append(number)
    if len(found) <= _MOST_SERIES:
        return [(_named(measured, dict(others)), numbers) for others, numbers in found.items()]
    return [("", list(range(len(measured.points))))]


def _draw_curves(
    axis: Axes,
    places: Sequence[float],
    values: Sequence[Sequence[float]],
    series: Sequence[tuple[str, Sequence[int]]],
) -> None:
    from parshall.plot import MARKERS, SERIES

    for number, (name, members) in enumerate(series):
        ordered = sorted(members, key=lambda member: places[member])
        xs = [places[member] for member in ordered]
        intervals = [mean_interval(list(values[member])) for member in ordered]
        halves = [each.half_width if each.bounded else 0.0 for each in intervals]
        lined = len(set(xs)) == len(xs)
        axis.errorbar(
            xs, [each.mean for each in intervals], yerr=halves, fmt=MARKERS[number % len(MARKERS)],
            linestyle="-" if lined else "none", color=SERIES[number % len(SERIES)], markersize=4, capsize=2.5,
            linewidth=1.2, label=name or None, clip_on=False,
        )  # fmt: skip


def _label(axis: Axes, title: str, positive: bool) -> None:
    """The axis of a metric, which begins at zero where that leaves its curves apart."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    low, high = axis.get_ylim()
    if positive and -0.1 * high < low < 0.4 * high:
        axis.set_ylim(0, high)
    axis.yaxis.set_major_locator(MaxNLocator(4, min_n_ticks=2))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_ylabel(",\n".join(title.rsplit(", ", 1)))


def _is_wide(places: Sequence[float]) -> bool:
    return min(places) > 0 and max(places) / min(places) >= 20


def _logarithmic(axis: Axes, places: Sequence[float]) -> None:
    from parshall.plot import log_axis

    log_axis(axis.xaxis, sorted(set(places)))
