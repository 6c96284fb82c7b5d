"""The figures of the chapter, redrawn: shares over time, and errors over what was varied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parshall import plot, stats
from parshall.report import Figure
from parshall.studies.nonresponsive import cases, shorter
from parshall.studies.nonresponsive import networks as net
from parshall.studies.nonresponsive.contestants import contestant
from parshall.studies.nonresponsive.results import rows_where

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from parshall.studies.nonresponsive.results import Results
    from parshall.studies.nonresponsive.traces import Reals

__all__ = [
    "Curve",
    "curves_figure",
    "over_interval",
    "over_load",
    "over_rtt",
    "over_start",
    "over_threshold",
    "over_time",
    "plain_log",
]

EXAMPLE_SEED = 1
"""The run that is drawn over time."""
_KINDS: Mapping[str, tuple[str, str, str]] = {
    "printed": (plot.SERIES[0], "--", "printed gains"),
    "tuned": (plot.SERIES[1], "-", "tuned settings"),
}
"""Colour, line and label of an estimate."""
_FREE = plot.SERIES[2:]
"""Colours of contestants without settings."""


# --- Over time ----------------------------------------------------------------------------------------------


def over_time(
    results: Results,
    names: Sequence[str],
    ident: str,
    title: str,
    caption: str,
    *,
    extra: tuple[float, float] | None = None,
) -> Figure:
    """One panel a case: the true share in each estimation interval and the estimates of it, one run.

    ``extra`` is a further level (with the time until which it holds, and its label drawn once) of the first
    panel: the share of UDP and short flows together.
    """
    with plot.drawing(0.75 + 1.5 * len(names), rows=len(names), sharex=True) as (canvas, axes):
        for axis, name in zip(axes, names, strict=True):
            _panel(axis, results, name)
            if extra is not None:
                until, level = extra
                start = cases.case(name).start
                axis.plot(
                    [start, until], [level, level], ":", color=plot.FAINT, linewidth=2, label="UDP and short"
                )
            axis.set_title(cases.case(name).label)
            axis.set_ylabel("share")
        axes[-1].set_xlabel("time (s)")
        plot.legend_above(canvas, axes[0], columns=2)
        svg = plot.to_svg(
            canvas,
            ident,
            title,
            "The share of non-responsive packets over time, and lines of estimates near it or away from it.",
        )
    data = results.measures["intervals"].filter(
        pc.is_in(pc.field("case"), value_set=pa.array(list(names))) & (pc.field("seed") == EXAMPLE_SEED)
    )
    return Figure(ident, title, f"{caption} Seed {EXAMPLE_SEED}.", svg, data=data)


def _panel(axis: Axes, results: Results, name: str) -> None:
    row = results.seeds.index(EXAMPLE_SEED)
    times = results.times(name)
    axis.plot(times, results.series(name, "share")[row], color=plot.INK, linewidth=2.2, label="true share")
    colours = iter(_FREE)
    for column in results.drawn:
        if column == "counter":
            continue
        default = (next(colours) if column not in _KINDS else "", "-.", "")
        colour, line, label = _KINDS.get(column, default)
        label = label or contestant(column).label
        axis.plot(times, results.series(name, column)[row], line, color=colour, linewidth=1.1, label=label)
    axis.set(ylim=(-0.02, 1.02), xlim=(cases.case(name).start, times[-1]))


# --- Errors over what was varied ----------------------------------------------------------------------------


class Curve:
    """A line with its intervals: how it looks and what it shows at each place."""

    def __init__(self, label: str, style: int, line: str, values: Callable[[str], Reals]) -> None:
        self.label = label
        self.style = style
        self.line = line
        self.values = values
        """One value a seed, by case."""

    def draw(self, axis: Axes, x: Sequence[float], names: Sequence[str]) -> list[stats.Interval]:
        """Means over seeds with 95 % intervals."""
        found = [stats.mean_interval(self.values(name)) for name in names]
        colour, marker = plot.SERIES[self.style], plot.MARKERS[self.style]
        axis.plot(x, [each.mean for each in found], self.line, color=colour, marker=marker, label=self.label)
        for place, each in zip(x, found, strict=True):
            if each.bounded:
                axis.plot([place, place], [each.low, each.high], color=colour, linewidth=1)
        return found


def curves_figure(
    ident: str,
    title: str,
    caption: str,
    *,
    x: Sequence[float],
    names: Sequence[str],
    curves: Sequence[Curve],
    xlabel: str,
    ylabel: str,
    log: bool = True,
    mark: Callable[[Axes], None] | None = None,
) -> Figure:
    """Errors over something that was varied, one line a contestant."""
    rows = []
    with plot.drawing(3.1) as (canvas, (axis,)):
        for curve in curves:
            found = curve.draw(axis, x, names)
            rows += [
                {"x": place, "line": curve.label, "mean": each.mean, "low": each.low, "high": each.high}
                for place, each in zip(x, found, strict=True)
            ]
        if log:
            plain_log(axis)
        if mark is not None:
            mark(axis)
        axis.set(xlabel=xlabel, ylabel=ylabel)
        plot.legend_above(canvas, axis, columns=1 if max(len(c.label) for c in curves) > 26 else 2)
        svg = plot.to_svg(
            canvas,
            ident,
            title,
            f"{ylabel} against {xlabel}, one line each for: " + "; ".join(c.label for c in curves) + ".",
        )
    return Figure(ident, title, caption, svg, data=pa.Table.from_pylist(rows))


def plain_log(axis: Axes) -> None:
    """A logarithmic axis upwards with plain numbers at the decades and at 2 and 5 between."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    axis.set_yscale("log")
    axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=20))
    axis.yaxis.set_minor_locator(NullLocator())
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.yaxis.set_minor_formatter(NullFormatter())


def _error(results: Results, estimator: str, kind: str, measure: str = "mse") -> Callable[[str], Reals]:
    return lambda name: results.score(name, estimator, kind, measure)


def over_load(results: Results) -> Iterator[Figure]:
    """Figure 4, once for each kind of settings."""
    names = [f"load/{count}" for count in cases.LOADS]
    x = [100 * float(np.mean(results.score(name, "basic", "tuned", "mean_share"))) for name in names]
    for kind, (_, _, what) in _KINDS.items():
        yield curves_figure(
            f"fig-4-{kind}",
            f"Figure 4. Basic and modified algorithm, {what}",
            f"Mean square error over {len(results.seeds)} seeds with 95 % intervals, under "
            f"{cases.LOADS[0]} to {cases.LOADS[-1]} CBR flows.",
            x=x,
            names=names,
            curves=[
                Curve("basic", 0, "-", _error(results, "basic", kind)),
                Curve("modified", 1, "--", _error(results, "zero-drops", kind)),
                Curve("modified, whole numbers", 4, ":", _error(results, "fixed-point", kind)),
                Curve("one number", 3, ":", _error(results, "constant", "tuned")),
            ],
            xlabel="non-responsive share of arrivals (%)",
            ylabel="mean square error",
        )


def over_interval(results: Results) -> Iterator[Figure]:
    """The remark on Figure 5: error over the length of the estimation interval, once for each load."""
    x = [1e3 * samples * net.SAMPLING for samples in shorter.SAMPLES]

    def error(half: int, estimator: str, kind: str) -> Callable[[str], Reals]:
        return lambda samples: results.interval_error(half, int(samples), estimator, kind)

    for half in shorter.HALVES:
        yield curves_figure(
            f"fig-5-interval-{half}",
            f"Figure 5, text. Shorter estimation intervals, {half} s on and off",
            f"Mean square error against the share in each {x[-1]:.0f} ms, {len(results.seeds)} seeds: an "
            "estimate holds for all of its interval. A shorter one pays where a curve rises to the right.",
            x=x,
            names=[str(samples) for samples in shorter.SAMPLES],
            curves=[
                *(
                    Curve(f"modified, {what}", place, line, error(half, "zero-drops", kind))
                    for place, (kind, (_, line, what)) in enumerate(_KINDS.items())
                ),
                Curve("Responsiveness", 2, "-.", error(half, "responsiveness", "none")),
            ],
            xlabel="estimation interval (ms)",
            ylabel="mean square error",
        )


def over_rtt(results: Results) -> Iterator[Figure]:
    """Figure 8: error and relative error over the round trip, R0 fixed."""
    names = [f"rtt/{ms}" for ms in cases.RTTS]
    x = [float(ms) for ms in cases.RTTS]
    yield curves_figure(
        "fig-8-a",
        "Figure 8 (a). Mean square error over round-trip time",
        f"22 CBR flows, R0 fixed at 120 ms; {len(results.seeds)} seeds.",
        x=x,
        names=names,
        curves=[
            Curve(what, place, line, _error(results, "zero-drops", kind))
            for place, (kind, (_, line, what)) in enumerate(_KINDS.items())
        ],
        xlabel="round-trip time without queueing (ms)",
        ylabel="mean square error",
    )

    def percent(kind: str) -> Callable[[str], Reals]:
        return lambda name: 100 * results.score(name, "zero-drops", kind, "relative_error")

    def band(axis: Axes) -> None:
        axis.axhspan(-10, 10, color=plot.GRID, zorder=0)
        axis.axhline(0, color=plot.FAINT, linewidth=0.8)
        axis.axvline(120, color=plot.FAINT, linewidth=0.8, linestyle=":")

    yield curves_figure(
        "fig-8-b",
        "Figure 8 (b). Relative error over round-trip time",
        "Above zero the non-responsive share is over-estimated. The band is the 10 % that the text claims, "
        "the dotted line R0.",
        x=x,
        names=names,
        curves=[
            Curve(what, place, line, percent(kind))
            for place, (kind, (_, line, what)) in enumerate(_KINDS.items())
        ],
        xlabel="round-trip time without queueing (ms)",
        ylabel="relative error (%)",
        log=False,
        mark=band,
    )


def over_threshold(results: Results) -> Iterator[Figure]:
    """Figure 10, once for each kind of settings."""
    names = ["load/22", *(f"min-th/{minimum}" for minimum in cases.MIN_THRESHOLDS[1:])]
    for kind, (_, _, what) in _KINDS.items():
        yield curves_figure(
            f"fig-10-{kind}",
            f"Figure 10. With and without l(t), {what}",
            f"22 CBR flows, RED's upper threshold at 45 packets; {len(results.seeds)} seeds. The drop rate "
            f"is {_drops(results, names[0])} % at the lowest threshold and {_drops(results, names[-1])} % "
            "at the highest.",
            x=[float(minimum) for minimum in cases.MIN_THRESHOLDS],
            names=names,
            curves=[
                Curve("without l(t)", 0, "-", _error(results, "zero-drops", kind)),
                Curve("with l(t)", 1, "--", _error(results, "with-drops", kind)),
            ],
            xlabel="lower threshold of RED (packets)",
            ylabel="mean square error",
        )


def _drops(results: Results, name: str) -> str:
    return f"{100 * float(np.mean(results.score(name, 'zero-drops', 'tuned', 'drop_rate'))):.2f}"


def over_start(results: Results) -> Iterator[Figure]:
    """What the start value does: not in the document."""
    starts = results.measures["starts"]
    for kind, (_, _, what) in _KINDS.items():
        ident = f"start-{kind}"
        title = f"Error over the start value, {what}"
        rows = rows_where(starts, settings=kind)
        with plot.drawing(3.1) as (canvas, (axis,)):
            for place, name in enumerate(dict.fromkeys(rows["case"].to_pylist())):
                own = rows_where(rows, case=name)
                x, y = _means(own, "start_share", "mse")
                colour, marker = plot.SERIES[place], plot.MARKERS[place]
                axis.plot(100 * x, y, color=colour, marker=marker, label=cases.case(name).label)
                true = 100 * float(np.mean(results.score(name, "basic", kind, "mean_share")))
                axis.axvline(true, color=colour, linestyle=":", linewidth=1)
            axis.set(
                xlabel="start value of the share (%)",
                ylabel="mean square error",
                xlim=(0, 100),
            )
            plain_log(axis)
            plot.legend_above(canvas, axis, columns=3)
            svg = plot.to_svg(
                canvas, ident, title, "Mean square error against the start value; one line a load."
            )
        yield Figure(
            ident,
            title,
            f"The basic algorithm under three loads, {len(results.seeds)} seeds; dotted: the true mean "
            "shares. A valley means that the estimate stays near where it started; valleys at different "
            "places, that no one start value serves all loads.",
            svg,
            data=rows,
        )


def _means(rows: pa.Table, x: str, y: str) -> tuple[Reals, Reals]:
    places, index = np.unique(rows[x].to_numpy(), return_inverse=True)
    sums = np.bincount(index, weights=rows[y].to_numpy())
    return places, np.asarray(sums / np.bincount(index))
