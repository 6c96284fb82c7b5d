"""Frontier plots: for each family of filters, the best trades of the two costs over all its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parshall import plot
from parshall.report import Figure
from parshall.studies.median_rto.measures import column_of
from parshall.studies.median_rto.scenarios import TRAFFICS, traffic_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["live_frontiers", "series_frontiers"]

_STYLE: Mapping[str, tuple[str, str, str]] = {
    "Jacobson": (plot.SERIES[0], "o", "-"),
    "Median": (plot.SERIES[1], "s", "--"),
    "Median, MAD": (plot.SERIES[2], "^", "-."),
    "Weighted median": (plot.SERIES[3], "D", ":"),
}
"""Colour, marker and line of each family."""


def series_frontiers(costs: pa.Table) -> Iterator[Figure]:
    """One figure for each series of RTTs."""
    for series in dict.fromkeys(costs["series"].to_pylist()):
        rows = costs.filter(pc.field("series") == series)
        samples = rows["samples"][0].as_py()
        yield _frontier(
            "frontier-" + "".join(c if c.isalnum() else "-" for c in series.lower()),
            f"Costs on {series}",
            [
                _Settings(
                    family, 100 * column_of(part, "spurious_share"), column_of(part, "normalized_wait"), part
                )
                for family, part in _families(rows)
            ],
            ("RTTs longer than the RTO (%)", "mean RTO in force / mean RTT"),
            f"{samples:,} RTT samples judged. Each line joins the settings of one family that no other "
            "setting of it beats in both costs; the large mark is the setting of its source. Lower left "
            "is better.",
            rows,
        )


def live_frontiers(costs: pa.Table) -> Iterator[Figure]:
    """The same two costs as they came about in runs of the simulator, one figure for each kind of traffic."""
    for traffic in TRAFFICS:
        rows = costs.filter(pc.field("traffic") == traffic)
        seeds = rows["n"][0].as_py()
        yield _frontier(
            f"live-frontier-{traffic}",
            f"Costs in the simulator, {traffic_name(traffic)} traffic",
            [
                _Settings(family, column_of(part, "spurious_timeouts"), column_of(part, "timeout_wait"), part)
                for family, part in _families(rows)
            ],
            ("spurious timeouts a run", "waiting for timeouts (s a run)"),
            f"Means over {seeds} seeds, six Tahoe flows together. Every filter runs inside its senders, so "
            "the timeouts that it causes change the traffic. Lines and marks as before.",
            rows,
        )


@dataclass(frozen=True)
class _Settings:
    """The settings of one family: two costs each."""

    family: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    rows: pa.Table

    def best(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The settings that no other beats in both costs, in order of the first."""
        order = np.lexsort((self.y, self.x))
        x, y = self.x[order], self.y[order]
        lowest = np.r_[np.inf, np.minimum.accumulate(y)[:-1]]
        return x[y < lowest], y[y < lowest]

    def standard(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The setting of the filter's source."""
        chosen = np.asarray(self.rows["standard"].to_pylist(), dtype=bool)
        return self.x[chosen], self.y[chosen]


def _families(rows: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    for family in _STYLE:
        part = rows.filter(pc.field("family") == family)
        if part.num_rows:
            yield family, part


def _frontier(
    ident: str,
    title: str,
    families: Sequence[_Settings],
    labels: tuple[str, str],
    caption: str,
    data: pa.Table,
) -> Figure:
    with plot.drawing(3.3) as (canvas, (axis,)):
        for each in families:
            colour, marker, line = _STYLE[each.family]
            axis.plot(each.x, each.y, marker, color=colour, markersize=2, alpha=0.35)
            axis.plot(*each.best(), line, color=colour, marker=marker, markersize=3.5, label=each.family)
            axis.plot(*each.standard(), marker, color=colour, markersize=10, mec=plot.INK, mew=1.2)
        plot.log_axes(
            axis, np.concatenate([each.x for each in families]), np.concatenate([each.y for each in families])
        )
        axis.set(xlabel=labels[0], ylabel=labels[1])
        plot.legend_above(canvas, axis, columns=2)
        svg = plot.to_svg(
            canvas,
            ident,
            title,
            f"Each mark is one setting of a filter: across, {labels[0]}; up, {labels[1]}. One line a "
            "family of filters.",
        )
    return Figure(ident, title, caption, svg, data=data)
