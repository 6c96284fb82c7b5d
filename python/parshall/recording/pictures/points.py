"""Pictures of a sweep: each metric over a parameter, or point by point where no parameter is a number."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.errors import InputError, shown
from parshall.recording.pictures.strips import Row, Strip, draw_strips
from parshall.recording.pictures.units import arms, quantity_label, scale_of
from parshall.stats import ANY, Interval, mean_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Measured", "plot_points"]

_MOST_ROWS = 60
"""Points that have a row each."""
_MOST_SERIES = 8
"""Curves that a colour and a marker tell apart. More have shades, and no intervals."""
_MOST_SHADES = 200
_NAMED_SHADES = 5
"""Shades that the legend names, from the first curve to the last."""
_MOST_LABELS = 24
"""Values that are no numbers along an axis."""
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
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The range of each metric, to which intervals are cut."""

    def intervals(self, metric: str, scale: float = 1.0) -> list[Interval]:
        """The mean of a metric at each point with its 95 % interval, divided by ``scale``."""
        within = self.ranges.get(metric, ANY)
        found = (mean_interval(list(values), within=within) for values in self.metrics[metric])
        return [each.scaled(1 / scale) for each in found]


def plot_points(
    measured: Measured, metrics: Sequence[str] | str | None = None, x: str | None = None
) -> Figure:
    """Draws means with their 95 % intervals: over the parameter ``x``, unless given the number that has most
    values (of at least three), in a curve for each combination of the others; without such a parameter in a
    row for each point. Of more than eight curves the means are drawn, in shades.

    ``metrics`` are all unless named. Returns the figure. Raises InputError for names that are not there, and
    for more points than a figure of this kind can show.
    """
    chosen = _chosen(measured, metrics)
    if not chosen:
        raise InputError("metrics", "none", "a sweep that has a metric")
    axis = _parameter(measured, x)
    if axis is not None:
        return _over(measured, chosen, axis)
    if len(measured.points) > _MOST_ROWS:
        many = f"{len(measured.points):,} points are too many for a row each"
        raise InputError(
            "x", "none", f"a parameter to draw over, such as x={next(iter(measured.points[0]))!r}: {many}"
        )
    rows = {name: _rows(measured, name) for name in chosen}
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
    return list(dict.fromkeys(names)) or list(measured.metrics)


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


def _rows(measured: Measured, metric: str) -> tuple[Row, ...]:
    last = list(measured.points[0])[-1:]
    groups = list(dict.fromkeys(point[name] for point in measured.points for name in last))
    return tuple(
        Row(
            _named(measured, point) or "the scenario",
            interval,
            tuple(own),
            groups.index(point[last[0]]) if last else 0,
        )
        for point, interval, own in zip(
            measured.points, measured.intervals(metric), measured.metrics[metric], strict=True
        )
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


@dataclass(frozen=True)
class _Curve:
    """Points with the same values of all other parameters."""

    name: str
    members: tuple[int, ...]
    """Numbers of the points, along the axis."""


def _over(measured: Measured, metrics: Sequence[str], x: str) -> Figure:
    from parshall.plot import drawing, legend_of

    places, ticks, unit = _places(measured, x)
    curves = _curves(measured, x, places)
    with drawing(0.9 + _HEIGHT * len(metrics), rows=len(metrics), width=_WIDTH, paper=True, sharex=True) as (
        canvas,
        axes,
    ):
        for axis, name in zip(axes, metrics, strict=True):
            means = [each.mean for each in measured.intervals(name)]
            scale, own_unit = scale_of(means, measured.units.get(name, ""))
            _draw_curves(axis, places, measured.intervals(name, scale), curves)
            _label(axis, quantity_label(name, own_unit))
        if ticks is not None:
            _name_places(axes[-1], ticks)
        elif _is_wide(places):
            _logarithmic(axes[-1], places)
        axes[-1].set_xlabel(quantity_label(x, unit))
        if len(curves) > 1:
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
    if len(known) > _MOST_LABELS:
        expected = (
            f"a parameter whose values are numbers, or has at most {_MOST_LABELS}: {x} has {len(known):,}"
        )
        raise InputError("x", shown(x), expected)
    return [float(known.index(str(label))) for label in labels], known, ""


def _curves(measured: Measured, x: str, places: Sequence[float]) -> list[_Curve]:
    """The curves, or one of all points where no two differ in ``x`` alone, as in a design that is no grid."""
    found: dict[tuple[tuple[str, Any], ...], list[int]] = {}
    for number in sorted(range(len(measured.points)), key=lambda number: places[number]):
        others = tuple((name, value) for name, value in measured.points[number].items() if name != x)
        found.setdefault(others, []).append(number)
    if len(found) > _MOST_SERIES and len(found) > len(measured.points) // 2:
        return [_Curve("", tuple(range(len(measured.points))))]
    if len(found) > _MOST_SHADES:
        raise InputError(
            "x",
            shown(x),
            f"another parameter, or a sweep of fewer values: {len(found):,} combinations of the others are "
            f"more than {_MOST_SHADES} curves; the table of runs has the numbers of all",
        )
    order = list(
        dict.fromkeys(
            tuple((name, value) for name, value in point.items() if name != x) for point in measured.points
        )
    )
    return [_Curve(_named(measured, dict(others)), tuple(found[others])) for others in order]


def _draw_curves(
    axis: Axes, places: Sequence[float], intervals: Sequence[Interval], curves: Sequence[_Curve]
) -> None:
    from parshall.plot import MARKERS, SERIES, shortened

    if len(curves) > _MOST_SERIES:
        _draw_shades(axis, places, intervals, curves)
        return
    for number, curve in enumerate(curves):
        there = [member for member in curve.members if math.isfinite(intervals[member].mean)]
        xs = [places[member] for member in there]
        reach = np.array([arms(intervals[member]) for member in there]).reshape(-1, 2)
        many = len(xs) > _MOST_SHADES
        axis.errorbar(
            xs, [intervals[member].mean for member in there], yerr=None if many else reach.T,
            fmt="." if many else MARKERS[number], linestyle="-" if len(set(xs)) == len(xs) else "none",
            color=SERIES[number], markersize=2 if many else 4, capsize=2.5, linewidth=1.2,
            label=shortened(curve.name) or None,
        )  # fmt: skip


def _draw_shades(
    axis: Axes, places: Sequence[float], intervals: Sequence[Interval], curves: Sequence[_Curve]
) -> None:
    """Curves of means, from light to dark in the order of the sweep, some of them named."""
    import matplotlib as mpl

    from parshall.plot import shortened

    last = len(curves) - 1
    named = {round(last * part / (_NAMED_SHADES - 1)) for part in range(_NAMED_SHADES)}
    for number, curve in enumerate(curves):
        axis.plot(
            [places[member] for member in curve.members],
            [intervals[member].mean for member in curve.members],
            color=mpl.colormaps["viridis_r"](0.1 + 0.9 * number / last),
            linewidth=0.8,
            label=shortened(curve.name) if number in named else None,
        )


def _label(axis: Axes, title: str) -> None:
    """The axis of a metric, which begins at zero where that leaves its curves apart."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    least, most = axis.dataLim.intervaly
    if least == most == 0:
        axis.set_ylim(-0.05, 1)
    elif 0 <= least < 0.4 * most:
        axis.set_ylim(-0.03 * most, 1.06 * most)
    axis.yaxis.set_major_locator(MaxNLocator(4, min_n_ticks=2))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_ylabel(",\n".join(title.rsplit(", ", 1)))


def _name_places(axis: Axes, labels: Sequence[str]) -> None:
    """Labels along an axis, upright where they would overlap."""
    from parshall.plot import shortened

    room = _WIDTH / max(len(labels), 1) / 0.09  # characters that fit beside one another
    upright = max(map(len, labels), default=0) > room
    axis.set_xticks(range(len(labels)), [shortened(label) for label in labels], rotation=90 if upright else 0)


def _is_wide(places: Sequence[float]) -> bool:
    return min(places) > 0 and max(places) / min(places) >= 20


def _logarithmic(axis: Axes, places: Sequence[float]) -> None:
    from parshall.plot import log_axis

    log_axis(axis.xaxis, sorted(set(places)))
