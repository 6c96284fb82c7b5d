"""Draws a comparison: the law with the measured points above, measured over law below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parshall.plot import FAINT, INK, MARKERS, SERIES, drawing, standalone, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from parshall_dev.theory.comparison import Comparison, Panel

__all__ = ["figure"]

PANEL_WIDTH = 4.2
DASHES = ("-", "--", ":")
SHIFT = 1.06
"""Between series, so that intervals at one place do not cover each other in the lower panel."""


def figure(comparison: Comparison) -> str:
    """The figure as an SVG file."""
    columns = len(comparison.panels)
    with drawing(
        5.0,
        rows=2,
        columns=columns,
        width=PANEL_WIDTH * columns,
        sharex="col",
        height_ratios=(3, 2),
    ) as (canvas, axes):
        for column, panel in enumerate(comparison.panels):
            _values(axes[column], panel)
            _ratios(axes[columns + column], panel)
        described = f"{comparison.title}: the law, what was measured with 95 % intervals, and their ratio."
        return standalone(to_svg(canvas, f"theory-{comparison.name}", comparison.title, described))


def _values(axis: Axes, panel: Panel) -> None:
    for curve, dash in zip(panel.curves, DASHES, strict=False):
        axis.plot(curve.x, curve.y, dash, color=INK, linewidth=1.1, label=curve.label)
    for place, series in enumerate(panel.series):
        axis.errorbar(
            [point.x for point in series.points],
            [point.measured.mean for point in series.points],
            yerr=[point.measured.half_width for point in series.points],
            fmt=MARKERS[place],
            color=SERIES[place],
            elinewidth=1.2,
            label=series.label,
        )
    if panel.log_x:
        axis.set_xscale("log")
    if panel.log_y:
        axis.set_yscale("log")
        _plain_numbers(axis)
    axis.set_title(panel.title)
    axis.set_ylabel(panel.y_label)
    axis.legend(loc=panel.legend)


def _ratios(axis: Axes, panel: Panel) -> None:
    axis.axhline(1, color=FAINT, linewidth=1)
    for place, series in enumerate(panel.series):
        shift = SHIFT ** (place - (len(panel.series) - 1) / 2) if panel.log_x else 1.0
        axis.errorbar(
            [point.x * shift for point in series.points],
            [point.ratio.mean for point in series.points],
            yerr=[point.ratio.half_width for point in series.points],
            fmt=MARKERS[place],
            color=SERIES[place],
            elinewidth=1.2,
        )
    axis.set_xlabel(panel.x_label)
    axis.set_ylabel("measured / law")
    axis.ticklabel_format(axis="y", useOffset=False)


def _plain_numbers(axis: Axes) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.yaxis.set_minor_formatter(NullFormatter())
