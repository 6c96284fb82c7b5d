"""Strips: a narrow axis for each quantity, in its own unit, with a row for each mean and its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parshall.recording.pictures.units import arms, quantity_label, scale_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from parshall.stats import Interval

__all__ = ["Distribution", "Row", "Strip", "draw_strips"]

_WIDTH = 5.0
_ROW, _FRAME, _CURVES = 0.2, 0.62, 1.7
"""Heights of a row, of the rest of a strip, and of a panel of distributions, in inches."""


@dataclass(frozen=True)
class Row:
    """A mean with its 95 % interval, and the numbers that it is made of."""

    label: str
    interval: Interval
    values: tuple[float, ...] = ()
    series: int = 0
    """Number of its colour and marker."""


@dataclass(frozen=True)
class Strip:
    """A quantity with its rows."""

    title: str
    unit: str
    """As in ``scale_of``."""
    rows: tuple[Row, ...]
    zero: bool = False
    """True marks zero, for differences."""


@dataclass(frozen=True)
class Distribution:
    """A quantity as a cumulative distribution, a curve for each of several samples."""

    title: str
    unit: str
    curves: tuple[tuple[str, NDArray[np.float64]], ...]
    """Names and samples; NaN stands for what has no value, and the curve ends below 100 %."""


def draw_strips(panels: Sequence[Strip | Distribution], title: str) -> Figure:
    """A figure of panels below one another."""
    from parshall.plot import drawing

    heights = [_FRAME + _ROW * len(panel.rows) if isinstance(panel, Strip) else _CURVES for panel in panels]
    with drawing(
        0.4 + sum(heights),
        rows=len(panels),
        width=_WIDTH,
        paper=True,
        gridspec_kw={"height_ratios": heights},
    ) as (canvas, axes):
        for axis, panel in zip(axes, panels, strict=True):
            if isinstance(panel, Strip):
                _draw_strip(axis, panel)
            else:
                _draw_curves(axis, panel)
        canvas.suptitle(title, fontsize="medium", x=0.02, ha="left", wrap=True)
    return canvas


def _draw_strip(axis: Axes, strip: Strip) -> None:
    from parshall.plot import FAINT, MARKERS, SERIES, shortened

    scale, unit = scale_of(_extent(strip), strip.unit)
    if strip.zero:
        axis.axvline(0, color=FAINT, linewidth=0.9)
    for place, row in enumerate(strip.rows):
        colour, marker = SERIES[row.series % len(SERIES)], MARKERS[row.series % len(MARKERS)]
        values = np.array(row.values, dtype=np.float64) / scale
        values = values[np.isfinite(values)]
        if not values.size:
            continue  # Matplotlib finds no layout around markers that are nowhere.
        axis.plot(
            values, np.full(len(values), place), "|", color=colour, markersize=7, alpha=0.35, clip_on=False
        )
        if not np.isfinite(row.interval.mean):
            continue
        below, above = arms(row.interval)
        axis.errorbar(
            row.interval.mean / scale, place, xerr=[[below / scale], [above / scale]], fmt=marker,
            color=colour, markersize=4, capsize=2.5, linewidth=1.2, clip_on=False,
        )  # fmt: skip
    labels = [shortened(row.label) for row in strip.rows]
    axis.set_yticks(range(len(labels)), labels)
    axis.set_ylim(len(labels) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.margins(x=0.06)
    axis.set_title(quantity_label(strip.title, unit), fontsize="small", fontweight="normal")
    _plain_numbers(axis)


def _extent(strip: Strip) -> list[float]:
    return [value for row in strip.rows for value in (row.interval.mean, *row.values)]


def _plain_numbers(axis: Axes) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.xaxis.set_major_locator(MaxNLocator(5, min_n_ticks=2))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def _draw_curves(axis: Axes, panel: Distribution) -> None:
    """Shares of all that are at most so long."""
    from parshall.plot import SERIES

    known = [sample[np.isfinite(sample)] for _, sample in panel.curves]
    scale, unit = scale_of(np.concatenate(known), panel.unit)
    for number, ((name, sample), finite) in enumerate(zip(panel.curves, known, strict=True)):
        ordered = np.sort(finite) / scale
        shares = 100 * np.arange(1, len(ordered) + 1) / len(sample)
        label = name if len(finite) == len(sample) else f"{name} ({len(finite):,} of {len(sample):,})"
        axis.step(
            np.r_[ordered[:1], ordered], np.r_[0, shares], where="post", color=SERIES[number % len(SERIES)],
            label=label,
        )  # fmt: skip
    axis.set_ylim(-3, 103)
    axis.set_yticks([0, 25, 50, 75, 100], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    axis.set_title(quantity_label(panel.title, unit), fontsize="small", fontweight="normal")
    axis.legend(loc="lower right", fontsize="small")
    _plain_numbers(axis)
