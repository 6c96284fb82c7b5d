"""The figures of the document: densities, topology, cumulative goodput, RTT and RTO of one flow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parshall import plot
from parshall.report import Figure
from parshall.studies.median_rto import scenarios
from parshall.studies.median_rto.measures import column_of
from parshall.studies.median_rto.scenarios import (
    DOCUMENT_FILTERS,
    FILTERS,
    ORIGINAL,
    Traffic,
    Variant,
    traffic_name,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["document_figures"]

_GOODPUT_FIGURE: Mapping[Traffic, int] = {"exponential": 3, "pareto": 8}
_FIRST_RTT_FIGURE: Mapping[Traffic, int] = {"exponential": 4, "pareto": 9}
_COLOURS = dict(zip(DOCUMENT_FILTERS, (plot.FAINT, *plot.SERIES), strict=False))
_LINES = dict(zip(DOCUMENT_FILTERS, ("-", "-", "--", ":"), strict=True))


def document_figures(goodput: pa.Table, samples: pa.Table) -> Iterator[Figure]:
    """Figures 1 to 12; the two of cumulative goodput stand side by side, so that they can be compared."""
    yield _densities()
    yield _topology()
    for traffic, place in _GOODPUT_FIGURE.items():
        yield _cumulative_goodput(goodput, traffic, place)
    highest = 1.03 * max(float(column_of(samples, name).max(initial=0.0)) for name in ("rtt", "rto"))
    for traffic, first in _FIRST_RTT_FIGURE.items():
        for offset, name in enumerate(DOCUMENT_FILTERS):
            yield _rtt_and_rto(samples, Variant(traffic, "tahoe", name), first + offset, highest)


def _densities() -> Figure:
    """Figure 1: the two densities as the document defines them, and on axes that show the tails."""
    shape, least = 1.7, 1.0
    x = np.linspace(0.0, 10.0, 201)
    pareto = np.where(x >= least, shape * least**shape / np.maximum(x, least) ** (shape + 1), np.nan)
    laws = {"exponential, rate 1": np.exp(-x), "Pareto, shape 1.7, least value 1": pareto}
    with plot.drawing(2.5, columns=2) as (canvas, axes):
        for axis in axes:
            for (label, density), colour, line in zip(laws.items(), plot.SERIES, ("-", "--"), strict=False):
                axis.plot(x, density, line, color=colour, label=label)
            axis.set_xlabel("x")
        axes[0].set_ylabel("density")
        axes[1].set(yscale="log", xscale="log", xlim=(0.5, 10), ylim=(1e-4, 3))
        plot.legend_above(canvas, axes[0], columns=1)
        svg = plot.to_svg(
            canvas,
            "fig-1",
            "Exponential and Pareto densities",
            "Two panels, linear and logarithmic axes. The Pareto density starts at 1 and falls more slowly.",
        )
    return Figure(
        "fig-1",
        "Figure 1. Exponential and Pareto densities",
        "Equations (4) and (6) of the document. Right: on logarithmic axes a heavy tail is a straight line.",
        svg,
        data=pa.table({"x": x, "exponential": laws["exponential, rate 1"], "pareto": pareto}),
    )


def _topology() -> Figure:
    """Figure 2: drawn from the scenario that is run."""
    variant = Variant("exponential", "tahoe", ORIGINAL)
    network = scenarios.study_scenarios()[variant.name]
    count = sum(group.count for group in network.flows)
    access = f"{network.access_rate / 1e6:g} Mbit/s\n{network.access_delay * 1e3:g} ms"
    limit = f"DropTail, {network.queue.limit_packets} packets"
    middle = f"{network.rate / 1e6:g} Mbit/s, {network.delay * 1e3:g} ms\n{limit}"
    height = (count - 1) / 2
    routers = {"s": ("R0", 3.2), "d": ("R1", 6.8)}
    with plot.drawing(2.7) as (canvas, (axis,)):
        axis.set_axis_off()
        axis.set(xlim=(-0.6, 10.6), ylim=(-1.2, count))
        axis.plot([3.2, 6.8], [height, height], color=plot.SERIES[1], linewidth=3, zorder=1)
        for side, x in (("s", 0.0), ("d", 10.0)):
            router, at = routers[side]
            for row in range(count):
                y = count - 1.0 - row
                axis.plot([x, at], [y, height], color=plot.FAINT, linewidth=1, zorder=1)
                _node(axis, x, y, f"{side}{row + 1}", plot.SERIES[0], 13)
            _node(axis, at, height, router, plot.SERIES[1], 19)
            axis.text((x + at) / 2, -0.55, access, ha="center", va="top", fontsize=8.5, color=plot.FAINT)
        axis.text(5, height + 0.6, middle, ha="center", va="bottom", fontsize=8.5)
        svg = plot.to_svg(
            canvas,
            "fig-2",
            "Topology",
            f"A dumbbell: {count} sources on the left, {count} destinations on the right, routers R0 and "
            "R1 between.",
        )
    return Figure(
        "fig-2",
        "Figure 2. Topology",
        "The dumbbell of both cases; source i sends to destination i. All queues are DropTail.",
        svg,
    )


def _node(axis: Axes, x: float, y: float, label: str, colour: str, size: float) -> None:
    axis.plot(x, y, "o", color=colour, markersize=size, zorder=2)
    axis.text(x, y, label, ha="center", va="center_baseline", fontsize=7.5, color=plot.PAPER, zorder=3)


def _cumulative_goodput(series: pa.Table, traffic: Traffic, number: int) -> Figure:
    """Figures 3 and 8: goodput of one run, the scatter over seeds, and what the filters change."""
    ident = f"fig-{number}"
    title = f"Figure {number}. Cumulative goodput, {traffic_name(traffic)} traffic"
    tables = {
        name: series.filter(pc.field("variant") == Variant(traffic, "tahoe", name).name)
        for name in DOCUMENT_FILTERS
    }
    time, base, low, high = (column_of(tables[ORIGINAL], name) for name in ("time", "example", "low", "high"))
    with plot.drawing(4.0, rows=2, sharex=True, gridspec_kw={"height_ratios": (3, 2)}) as (canvas, axes):
        top, bottom = axes
        top.fill_between(time, low, high, color=plot.GRID, linewidth=0, label="95 % of seeds")
        for name, table in tables.items():
            values = column_of(table, "example")
            top.plot(time, values, _LINES[name], color=_COLOURS[name], label=FILTERS[name].label)
            bottom.plot(time, values - base, _LINES[name], color=_COLOURS[name])
        top.set_ylabel("goodput (Mbit)")
        top.legend(loc="upper left")
        bottom.set(xlabel="time (s)", ylabel="less the\noriginal's (Mbit)")
        svg = plot.to_svg(
            canvas,
            ident,
            title,
            "Above, cumulative goodput of four filters in one run, nearly one line, inside a wide band "
            "over seeds. Below, the difference from the original TCP.",
        )
    seed = tables[ORIGINAL]["seed"][0].as_py()
    return Figure(
        ident,
        title,
        f"One run (seed {seed}, the median one), four filters; the band holds 95 % of the runs of the "
        "original TCP over all seeds. Below: the same four less the original.",
        svg,
        data=pa.concat_tables(tables.values()),
    )


def _rtt_and_rto(samples: pa.Table, variant: Variant, number: int, highest: float) -> Figure:
    """Figures 4 to 7 and 9 to 12: RTT samples of one flow, and the RTO after each."""
    rows = samples.filter(pc.field("variant") == variant.name)
    time, rtt, rto = (column_of(rows, name) for name in ("time", "rtt", "rto"))
    ident = f"fig-{number}"
    title = f"Figure {number}. {FILTERS[variant.filter].label}, {traffic_name(variant.traffic)} traffic"
    with plot.drawing(2.4) as (canvas, (axis,)):
        axis.step(time, rto, where="post", color=plot.SERIES[1], label="RTO", linewidth=1.2)
        axis.plot(time, rtt, "o", color=plot.SERIES[0], label="RTT", markersize=2.6)
        axis.set(xlabel="time (s)", ylabel="seconds", xlim=(0, scenarios.DURATION), ylim=(0, highest))
        plot.legend_above(canvas, axis, columns=2)
        svg = plot.to_svg(
            canvas, ident, title, "RTT samples as points, and the RTO as a line of steps, mostly above them."
        )
    seed = rows["seed"][0].as_py() if rows.num_rows else "none"
    return Figure(
        ident,
        title,
        f"Flow 1, seed {seed}: {rows.num_rows} RTT samples. The RTO holds until the next sample.",
        svg,
        data=rows,
    )
