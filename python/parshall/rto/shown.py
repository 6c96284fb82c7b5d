"""A comparison of filters as a table for the terminal and as a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.plot import INK, MARKERS, SERIES, drawing, legend_of, log_axis, standalone, to_svg
from parshall.recording.summary import figure_table
from parshall.rto.filters import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.table import Table

    from parshall.estimators import RtoCosts
    from parshall.rto.comparison import RtoComparison

__all__ = ["figure_of", "remarks", "svg_of", "table_of"]

_HEIGHT = 3.6
_LABELS = ("early timeouts, %", "mean RTO, ms")


def table_of(found: RtoComparison) -> Table:
    """A row for each filter, on all that is judged; * marks the one that the first half chose."""
    table = figure_table("filter", "early", "of all", "mean RTO, ms", "RTO / RTT", "vs Linux")
    today = found.rows[found.today]
    for name, costs in found.rows.items():
        table.add_row(
            f"{name} *" if name == found.chosen else name,
            f"{costs.spurious:,}",
            f"{costs.spurious_share:.2%}",
            f"{1e3 * costs.mean_wait:.4g}",
            f"{costs.normalized_wait:.2f}",
            "" if costs is today else f"{costs.mean_wait / today.mean_wait - 1:+.0%}",
        )
    return table


def remarks(found: RtoComparison) -> list[str]:
    """Notes beside the figures, a sentence each; the last one says which filter to take."""
    least = f"{1e3 * found.min_rto:g} ms" if found.min_rto else "none"
    said = [
        f"{len(found.rtts):,} round trips, the first {found.warm_up} not judged. A timeout is early where "
        "the round trip is longer than the RTO in force; a lost packet waits for that RTO.",
        f"Risk: at most {100 * found.risk:g} % early timeouts (--risk). Least RTO: {least} (--min-rto); "
        f"{found.today} is Linux as it is.",
    ]
    if len(found.rtts) >= found.needed:
        said.append(
            f"quantile is told {100 * found.told:.3g} %, so that the risk holds in what is still to come."
        )
    if found.gaps:
        said.append(f"{found.gaps:,} lost replies were left out.")
    if found.rtts.min() == found.rtts.max():
        said.append("All round trips are equal: nothing tells one filter from another.")
    return [*said, found.advice]


def figure_of(found: RtoComparison) -> Figure:
    """Waiting against early timeouts; nearer to the lower left is better."""
    with drawing(_HEIGHT) as (canvas, axes):
        _draw(found, canvas, axes[0])
        return canvas


def svg_of(found: RtoComparison, title: str) -> str:
    """The figure of :func:`figure_of` as the text of an SVG file."""
    with drawing(_HEIGHT) as (canvas, axes):
        _draw(found, canvas, axes[0])
        text = "Mean RTO against early timeouts, for each filter and over the parameters of four families."
        return standalone(to_svg(canvas, "rto", title, text))


def _draw(found: RtoComparison, canvas: Any, axis: Axes) -> None:
    shown = [costs for family in found.frontier.values() for costs in _best_trades(family)]
    shown += found.rows.values()
    early, wait = _axes_of(shown)
    log_axis(axis.xaxis, [*early, 100 * found.risk])
    log_axis(axis.yaxis, list(wait))
    axis.axvline(100 * found.risk, color=INK, linewidth=0.8, linestyle=":")
    for index, name in enumerate(found.rows):
        look: dict[str, Any] = {"color": SERIES[index % len(SERIES)], "marker": MARKERS[index % len(MARKERS)]}
        if name in FAMILIES:
            x, y = _axes_of(_best_trades(found.frontier[name]))
            axis.plot(x, y, color=look["color"], linewidth=1.2)
        x, y = _axes_of([found.rows[name]])
        axis.plot(
            x,
            y,
            linestyle="none",
            markersize=8,
            markeredgecolor=INK,
            label=name,
            clip_on=False,
            zorder=3,
            **look,
        )
    axis.set_xlabel(_LABELS[0])
    axis.set_ylabel(_LABELS[1])
    axis.set_title(f"dotted: a risk of {100 * found.risk:g} %")
    legend_of(canvas, [axis], columns=3)


def _axes_of(costs: Sequence[RtoCosts]) -> tuple[list[float], list[float]]:
    return [100 * each.spurious_share for each in costs], [1e3 * each.mean_wait for each in costs]


def _best_trades(costs: Sequence[RtoCosts]) -> list[RtoCosts]:
    """Those that no other beats in both costs, from few early timeouts to many."""
    order = sorted(costs, key=lambda each: (each.spurious_share, each.mean_wait))
    least = np.minimum.accumulate([each.mean_wait for each in order])
    before = np.r_[np.inf, least[:-1]]
    return [each for each, floor in zip(order, before, strict=True) if each.mean_wait < floor]
