"""Figures that the chapter does not have: the dither, the phase effect behind Table III, and the alarm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from parshall import plot
from parshall.report import Figure
from parshall.studies.nonresponsive import alarm, cases
from parshall.studies.nonresponsive.contestants import contestant
from parshall.studies.nonresponsive.phase import QUEUES, SWEEPS
from parshall.studies.nonresponsive.results import rows_where
from parshall.studies.nonresponsive.rules import RULES, SINGLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from parshall.studies.nonresponsive.traces import Reals
    from parshall.study import Measures

__all__ = ["alarm_figures", "detection_curve", "dither_figure", "phase_figures"]

_QUEUE_LINES: Mapping[str, str] = dict(zip(QUEUES, ("-", "--", "-."), strict=True))
_NS2_QUEUES = ("droptail", "red-full")
_RULE_CROWDS = ("none", "large")
"""Flash crowds under which alarms over several intervals are drawn."""
_RULE_ESTIMATORS = ("zero-drops", "kalman", "responsiveness")
"""Estimators that they are drawn for: the document's, a filter of its model, and the one without tuning."""
_RULE_LINES = ("-", "--", ":")


# --- The dither ---------------------------------------------------------------------------------------------


def dither_figure(measures: Measures) -> Figure:
    """The estimate over time at a port that hardly drops, without and with the dither."""
    rows = measures["dither_intervals"]
    seed = min(rows["seed"].to_pylist())
    rows = rows_where(rows, seed=seed)
    ident, title = "dither", "A port that hardly drops, without and with a dither"
    with plot.drawing(3.6, rows=2, sharex=True) as (canvas, axes):
        for axis, dithered in zip(axes, (False, True), strict=True):
            own = rows_where(rows, dither=dithered)
            times = own["time"].to_numpy()
            axis.plot(times, own["share"].to_numpy(), color=plot.INK, linewidth=2.2, label="true share")
            axis.plot(times, own["estimate"].to_numpy(), "-.", color=plot.SERIES[2], label="Responsiveness")
            axis.set_title("with a dither" if dithered else "the queue's own drops alone")
            axis.set(ylabel="share", ylim=(-0.02, 1.02), xlim=(times[0], times[-1]))
        axes[-1].set_xlabel("time (s)")
        plot.legend_above(canvas, axes[0], columns=2)
        svg = plot.to_svg(
            canvas, ident, title, "The true share over time and the estimate, without and with the dither."
        )
    label = cases.case(rows["case"][0].as_py()).label
    return Figure(ident, title, f"{label[0].upper()}{label[1:]}. Seed {seed}.", svg, data=rows)


# --- The phase effect ---------------------------------------------------------------------------------------


def phase_figures(measures: Measures) -> Iterator[Figure]:
    """TCP's share over each thing that breaks the phase."""
    ours, ns2 = measures["phase"], measures.get("phase_ns2")
    for sweep, xlabel in SWEEPS.items():
        ident = f"phase-{sweep}"
        title = f"Table III over {xlabel.rpartition(' (')[0]}"
        rows = rows_where(ours, sweep=sweep)
        theirs = None if ns2 is None else rows_where(ns2, sweep=sweep)
        with plot.drawing(3.3) as (canvas, (axis,)):
            for place, (queue, label) in enumerate(QUEUES.items()):
                x, y = _mean_points(rows_where(rows, queue=queue))
                marker = plot.MARKERS[place] if sweep != "rtt" else None
                colour, line = plot.SERIES[place], _QUEUE_LINES[queue]
                axis.plot(x, y, line, color=colour, marker=marker, label=label)
                if theirs is not None and theirs.num_rows and queue in _NS2_QUEUES:
                    _ns2_marks(axis, rows_where(theirs, queue=queue), place, label)
            _scale(axis, sweep)
            axis.set(xlabel=xlabel, ylabel="TCP's share of the link (%)", ylim=(0, 100))
            plot.legend_above(canvas, axis, columns=2)
            svg = plot.to_svg(
                canvas,
                ident,
                title,
                f"TCP's share against {xlabel}: high and periodic for DropTail, flat for RED(15, 45, 0.1).",
            )
        seeds = len(set(rows["seed"].to_pylist()))
        yield Figure(
            ident, title, _caption(sweep, seeds, theirs is not None and theirs.num_rows > 0), svg, rows
        )


def _caption(sweep: str, seeds: int, with_ns2: bool) -> str:
    captions = {
        "rtt": "22 CBR flows in phase, 35 TCP flows. DropTail protects TCP where the round trip is a "
        "multiple of the 8 ms at which a CBR flow sends (104, 112, 120, 128, 136 ms) and near it.",
        "spread": "A round trip of 120 ms. The starts of the CBR flows are drawn from this span; at 8 ms, "
        "one period, phases are random.",
        "tcp-jitter": "A round trip of 120 ms. Each TCP packet is held back by a random time up to this.",
        "cbr-jitter": "A round trip of 120 ms. Each CBR packet is held back by a random time up to this.",
    }
    tail = " Large marks: ns-2.35." if with_ns2 else ""
    return f"{captions[sweep]} Means over {seeds} seeds.{tail}"


def _ns2_marks(axis: Axes, rows: pa.Table, place: int, label: str) -> None:
    x, y = _mean_points(rows)
    axis.plot(
        x,
        y,
        plot.MARKERS[place],
        color=plot.SERIES[place],
        mec=plot.INK,
        markersize=7,
        label=f"{label}, ns-2",
    )


def _mean_points(rows: pa.Table) -> tuple[Reals, Reals]:
    x, index = np.unique(rows["x"].to_numpy(), return_inverse=True)
    y = np.bincount(index, weights=rows["tcp_share"].to_numpy()) / np.bincount(index)
    return x, np.asarray(y)


def _scale(axis: Axes, sweep: str) -> None:
    """Spreads and jitters span decades and start at 0."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    if sweep == "rtt":
        axis.set_xticks(range(100, 141, 8))
        return
    axis.set_xscale("symlog", linthresh=0.1, linscale=0.4)
    axis.xaxis.set_major_locator(FixedLocator([0, 0.1, 0.3, 1, 3, 10]))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_xlim(-0.02, 20)


# --- The alarm ----------------------------------------------------------------------------------------------


def alarm_figures(measures: Measures) -> Iterator[Figure]:
    """ROC curves, and time to detect over false alarms, for each size of the flash crowd."""
    for case in alarm.alarm_cases():
        crowd = case.name.partition("/")[2]
        yield _roc(rows_where(measures["roc"], case=case.name, rule=SINGLE.name), crowd)
        yield _detection(rows_where(measures["detection"], case=case.name, rule=SINGLE.name), crowd)
    for crowd in _RULE_CROWDS:
        yield _rules_roc(rows_where(measures["roc"], case=f"alarm/{crowd}"), crowd)
        yield _rules_detection(rows_where(measures["detection"], case=f"alarm/{crowd}"), crowd)


def _crowd(crowd: str) -> str:
    return "no flash crowd" if crowd == "none" else f"a {crowd} flash crowd"


def _roc(rows: pa.Table, crowd: str) -> Figure:
    ident, title = f"roc-{crowd}", f"Alarm with {_crowd(crowd)}: ROC curve"
    with plot.drawing(3.6) as (canvas, (axis,)):
        axis.plot([0, 100], [0, 100], color=plot.GRID, linewidth=1)
        for place, name in enumerate(_estimators(rows)):
            own = rows_where(rows, estimator=name)
            axis.plot(
                100 * own["false_rate"].to_numpy(),
                100 * own["hit_rate"].to_numpy(),
                _line(place),
                color=_colour(place),
                label=contestant(name).label,
                linewidth=1.3,
            )
        axis.set(xlabel="alarm without attack (% of intervals)", ylabel="alarm in attack (% of intervals)")
        axis.set(xlim=(-2, 102), ylim=(-2, 102))
        plot.legend_above(canvas, axis, columns=1)
        svg = plot.to_svg(canvas, ident, title, "One curve an estimator; the upper left corner is best.")
    return Figure(
        ident,
        title,
        f"An attack is a true share above {100 * alarm.LIMIT:g} %. Each curve is one estimator with its "
        "alarm level from 0 to 1; settings as tuned on the training cases.",
        svg,
        data=rows,
    )


def _detection(rows: pa.Table, crowd: str) -> Figure:
    ident, title = f"detection-{crowd}", f"Alarm with {_crowd(crowd)}: time to detect"
    points: list[dict[str, object]] = []
    with plot.drawing(3.6) as (canvas, (axis,)):
        for place, name in enumerate(_estimators(rows)):
            own = rows_where(rows, estimator=name)
            levels, delay, false = detection_curve(own)
            axis.plot(
                false,
                delay,
                _line(place),
                color=_colour(place),
                label=contestant(name).label,
                marker=".",
                markersize=3,
                linewidth=1.1,
            )
            points += [
                {"estimator": name, "level": level, "false_alarms_per_hour": f, "delay": d}
                for level, f, d in zip(levels, false, delay, strict=True)
            ]
        _detection_axes(axis)
        plot.legend_above(canvas, axis, columns=1)
        svg = plot.to_svg(canvas, ident, title, "One curve an estimator; lower left is best.")
    return Figure(
        ident,
        title,
        "Each mark is one alarm level; an attack that is never seen counts with its whole length. A false "
        "alarm is the alarm going on without attack; one that stays on counts again each minute.",
        svg,
        data=pa.Table.from_pylist(points),
    )


def _rules_roc(rows: pa.Table, crowd: str) -> Figure:
    ident, title = f"roc-rules-{crowd}", f"Alarms over several intervals with {_crowd(crowd)}: ROC curve"
    with plot.drawing(3.6) as (canvas, (axis,)):
        axis.plot([0, 100], [0, 100], color=plot.GRID, linewidth=1)
        for colour, line, own in _by_rule(rows):
            x, y = 100 * own["false_rate"].to_numpy(), 100 * own["hit_rate"].to_numpy()
            axis.plot(x, y, line, color=colour, linewidth=1.3)
        _rules_legend(axis, rows)
        axis.set(xlabel="alarm without attack (% of intervals)", ylabel="alarm in attack (% of intervals)")
        axis.set(xlim=(-2, 102), ylim=(-2, 102))
        plot.legend_above(canvas, axis, columns=2)
        svg = plot.to_svg(
            canvas, ident, title, "A colour an estimator, a line a rule; the upper left corner is best."
        )
    data = pa.concat_tables([rows_where(rows, estimator=name) for name in _drawn(rows)])
    return Figure(ident, title, f"Colours are estimators, lines are rules: {_rules_text()}.", svg, data=data)


def _rules_detection(rows: pa.Table, crowd: str) -> Figure:
    ident = f"detection-rules-{crowd}"
    title = f"Alarms over several intervals with {_crowd(crowd)}: time to detect"
    points: list[dict[str, object]] = []
    with plot.drawing(3.6) as (canvas, (axis,)):
        for colour, line, own in _by_rule(rows):
            levels, delay, false = detection_curve(own)
            axis.plot(false, delay, line, color=colour, linewidth=1.2)
            names = {name: own[name][0].as_py() for name in ("estimator", "rule")}
            points += [
                {**names, "level": level, "false_alarms_per_hour": f, "delay": d}
                for level, f, d in zip(levels, false, delay, strict=True)
            ]
        _rules_legend(axis, rows)
        _detection_axes(axis)
        plot.legend_above(canvas, axis, columns=2)
        svg = plot.to_svg(canvas, ident, title, "A colour an estimator, a line a rule; lower left is best.")
    return Figure(
        ident,
        title,
        f"Colours are estimators, lines are rules: {_rules_text()}. An attack that is never seen counts with "
        "its whole length.",
        svg,
        data=pa.Table.from_pylist(points),
    )


def _by_rule(rows: pa.Table) -> Iterator[tuple[str, str, pa.Table]]:
    """Colour, line and rows of each curve."""
    for place, name in enumerate(_drawn(rows)):
        for rule, line in zip(RULES, _RULE_LINES, strict=True):
            yield _colour(place), line, rows_where(rows, estimator=name, rule=rule.name)


def _drawn(rows: pa.Table) -> list[str]:
    return [name for name in _RULE_ESTIMATORS if name in _estimators(rows)]


def _rules_legend(axis: Axes, rows: pa.Table) -> None:
    for place, name in enumerate(_drawn(rows)):
        axis.plot([], [], color=_colour(place), label=contestant(name).label)
    for rule, line in zip(RULES, _RULE_LINES, strict=True):
        axis.plot([], [], line, color=plot.INK, label=rule.label)


def _rules_text() -> str:
    return (
        f"the estimate of one interval above a level, {RULES[1].label} above it, or the cumulative sum of "
        "what estimates are above it"
    )


def detection_curve(rows: pa.Table) -> tuple[Reals, Reals, Reals]:
    """Levels of one estimator and rule, with the means over runs of the seconds to detect and the false
    alarms an hour.
    """
    levels, index = np.unique(rows["level"].to_numpy(), return_inverse=True)
    count = np.bincount(index)
    delay = np.bincount(index, weights=rows["delay"].to_numpy()) / count
    false = np.bincount(index, weights=rows["false_alarms_per_hour"].to_numpy()) / count
    return levels, np.asarray(delay), np.asarray(false)


def _detection_axes(axis: Axes) -> None:
    axis.set(xlabel="false alarms an hour", ylabel="seconds to the first alarm")
    axis.set_xscale("symlog", linthresh=1)
    axis.set_xlim(left=-0.1)
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.xaxis.set_minor_formatter(lambda value, _: "")
    axis.set_ylim(-1, alarm.ATTACK[1] - alarm.ATTACK[0] + 2)


def _estimators(rows: pa.Table) -> list[str]:
    return list(dict.fromkeys(rows["estimator"].to_pylist()))


def _colour(place: int) -> str:
    return plot.SERIES[place % len(plot.SERIES)]


def _line(place: int) -> str:
    return ("-", "--", "-.", ":")[place % 4]
