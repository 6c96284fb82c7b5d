"""The figures of the page on the fluid model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.fluid.setting import CHAPTER, LADDER
from parshall.fluid.study import (
    CYCLE,
    GRID_DELAYS,
    GRID_FLOWS,
    LOADS,
    RATES,
    SHOWN,
    STEP,
    Rest,
    Swing,
    Trace,
    rest_of,
)
from parshall.plot import FAINT, INK, MARKERS, SERIES, drawing, legend_above, standalone, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from parshall.fluid.measured import Measured
    from parshall.fluid.setting import Setting
    from parshall.fluid.study import Reals

__all__ = ["NAMES", "draw_loads", "draw_region", "draw_swings", "draw_traces"]

NAMES = {
    "document": "the document",
    "drops": "drops leave, as RED spaces them",
    "periodic": "W = √(1.5/p)",
    "whole": "whole packets, a pause",
    "timeouts": "timeouts (Padhye)",
}
DASHES: dict[str, Any] = {
    "document": "-",
    "drops": "--",
    "periodic": "-.",
    "whole": (0, (7, 2)),
    "timeouts": ":",
}
PANEL = 4.2


def draw_loads(found: list[tuple[Setting, Measured, dict[str, Rest | None]]]) -> str:
    """Rest against load: share, queue and loss."""
    loads = np.arange(LOADS[0], LOADS[-1] + 1)
    with drawing(8.2, rows=3, sharex=True) as (canvas, axes):
        for place, name in enumerate(LADDER):
            rests = [rest_of(CHAPTER.with_(cbr=load).model(name)) for load in loads.tolist()]
            for axis, field in zip(axes, ("share", "queue", "loss"), strict=True):
                values = np.array([np.nan if r is None else getattr(r.equilibrium, field) for r in rests])
                axis.plot(loads, values, linestyle=DASHES[name], color=SERIES[place], label=NAMES[name])
        for axis, field in zip(axes, ("share", "queue", "loss"), strict=True):
            means = [getattr(measured, field) for _, measured, _ in found]
            axis.errorbar(
                [setting.cbr for setting, _, _ in found],
                [interval.mean for interval in means],
                yerr=[interval.half_width for interval in means],
                fmt="o",
                color=INK,
                elinewidth=1.2,
                zorder=5,
                label="packets",
            )
        for axis, label in zip(
            axes, ("non-responsive share", "queue, packets", "share of arrivals lost"), strict=True
        ):
            axis.set_ylabel(label)
        axes[-1].set_xlabel("CBR flows of 1 Mbit/s")
        legend_above(canvas, axes[0], columns=2)
        return _svg(canvas, "equilibrium", "Rest against load", "Fluid models and packets, 95 % intervals.")


def draw_traces(step: tuple[Trace, Reals, dict[str, Trace]], swinging: tuple[Trace, dict[str, Trace]]) -> str:
    """A load that comes and goes above, a cycle below."""
    mean, deviation, models = step
    with drawing(6.0, rows=2) as (canvas, axes):
        above, below = axes
        shown = mean.time >= STEP[0] - 5
        above.fill_between(
            mean.time[shown],
            (mean.queue - deviation)[shown],
            (mean.queue + deviation)[shown],
            color=FAINT,
            alpha=0.25,
            linewidth=0,
        )
        above.plot(mean.time[shown], mean.queue[shown], color=INK, linewidth=1.0, label="packets")
        _models(above, models, STEP[0] - 5)
        above.set_title("40 CBR flows come at 15 s and go at 25 s")
        packets, cycles = swinging
        below.plot(packets.time, packets.queue, color=INK, linewidth=1.0)
        _models(below, cycles, CYCLE[0])
        below.set_title("35 TCP and 8 CBR flows, 28 Mbit/s, 100 ms")
        for axis in axes:
            axis.set_ylabel("queue, packets")
            axis.set_ylim(bottom=0)
        below.set_xlabel("time, s")
        legend_above(canvas, above, columns=3)
        return _svg(
            canvas,
            "trajectory",
            "Queues in time",
            "Packets: mean and deviation over runs above, one run below.",
        )


def draw_swings(found: list[tuple[int, Swing, dict[str, Swing]]]) -> str:
    """Deviation and frequency of the queue against the number of flows."""
    flows = [each for each, _, _ in found]
    with drawing(5.4, rows=2, sharex=True) as (canvas, axes):
        for axis, field in zip(axes, ("deviation", "frequency"), strict=True):
            for name in SHOWN:
                values = [getattr(models[name], field) for _, _, models in found]
                place = LADDER.index(name)
                axis.plot(
                    flows,
                    values,
                    marker=MARKERS[place],
                    linestyle=DASHES[name],
                    color=SERIES[place],
                    label=NAMES[name],
                )
            axis.plot(
                flows, [getattr(packets, field) for _, packets, _ in found], "o", color=INK, label="packets"
            )
            axis.set_xscale("log")
            axis.set_ylim(bottom=0)
        _plain_ticks(axes[1], [20, 50, 100, 200])
        axes[0].set_ylabel("deviation of the queue, packets")
        axes[1].set_ylabel("frequency, 1/s")
        axes[1].set_xlabel("TCP flows")
        legend_above(canvas, axes[0], columns=3)
        return _svg(canvas, "swing", "How the queue swings", "Fluid models and packets against flows.")


def draw_region(growth: dict[tuple[float, str, float], NDArray[np.float64]]) -> str:
    """Where rest is stable, over flows and round-trip time, for three capacities."""
    curves = [("document", 0.0), ("whole", 0.0), ("whole", 0.5)]
    with drawing(8.6, rows=len(RATES), sharex=True) as (canvas, axes):
        for axis, rate in zip(axes, RATES, strict=True):
            pause = growth[rate, "whole", 0.0]
            axis.contourf(
                GRID_FLOWS,
                GRID_DELAYS * 1000,
                pause,
                levels=[np.nanmin(pause) - 1, 0],
                colors=[SERIES[3]],
                alpha=0.15,
            )
            for (name, share), dash in zip(curves, ("-", DASHES["whole"], ":"), strict=True):
                axis.contour(
                    GRID_FLOWS,
                    GRID_DELAYS * 1000,
                    growth[rate, name, share],
                    levels=[0.0],
                    colors=[SERIES[LADDER.index(name)]],
                    linestyles=[dash],
                )
                label = NAMES[name] + (", half of the load CBR" if share else "")
                axis.plot([], [], linestyle=dash, color=SERIES[LADDER.index(name)], label=label)
            axis.set_xscale("log")
            axis.set_yscale("log")
            _plain_ticks(axis, [5, 10, 20, 50, 100, 200], [10, 20, 50, 100, 200, 400])
            axis.set_title(f"{rate / 1e6:g} Mbit/s")
            axis.set_ylabel("round trip, ms")
        axes[-1].set_xlabel("TCP flows")
        legend_above(canvas, axes[0], columns=1)
        return _svg(canvas, "stability", "Where rest is stable", "Shaded: stable in the model with a pause.")


def _models(axis: Axes, models: dict[str, Trace], begin: float) -> None:
    for name, trace in models.items():
        shown = trace.time >= begin
        place = LADDER.index(name)
        axis.plot(
            trace.time[shown],
            trace.queue[shown],
            linestyle=DASHES[name],
            color=SERIES[place],
            label=NAMES[name],
            zorder=3,
        )


def _plain_ticks(axis: Axes, x: list[float], y: list[float] | None = None) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

    for side, ticks in ((axis.xaxis, x), (axis.yaxis, y)):
        if ticks is not None:
            side.set_major_locator(FixedLocator(ticks))
            side.set_minor_locator(NullLocator())
            side.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            side.set_minor_formatter(NullFormatter())


def _svg(canvas: Canvas, name: str, title: str, description: str) -> str:
    return standalone(to_svg(canvas, f"fluid-{name}", title, description))
