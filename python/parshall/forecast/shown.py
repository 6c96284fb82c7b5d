"""An evaluation as a table for the terminal and as a figure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from parshall.forecast.files.numbers import in_unit
from parshall.plot import MARKERS, SERIES, drawing, legend_of, log_axis, standalone, to_svg
from parshall.recording.summary import figure_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

    from parshall.forecast.evaluation import Evaluation, Score

__all__ = ["figure_of", "remarks", "svg_of", "table_of"]

_MOST_LINES = len(SERIES)
BASE = "EWMA 1/8"
"""The forecaster that others are compared with: TCP's srtt."""
_KEPT = ("last value", "EWMA 1/8", "mixture, absolute", "mixture, squared")
"""Lines that a figure shows whatever their errors."""


def table_of(evaluation: Evaluation, horizon: int) -> Table:
    """Scores at one horizon, a row each. Percentages are against the last value and against EWMA 1/8; the
    p-value is of the difference from the latter (Diebold-Mariano, absolute errors), with Holm's correction
    for the number of forecasters.
    """
    unit = f", {evaluation.unit}" if evaluation.unit else ""
    table = figure_table(
        f"{horizon} ahead", f"MAE{unit}", "vs last", "vs EWMA", "p-value", f"RMSE{unit}", "vs last",
        "vs EWMA", "coverage", f"width{unit}",
    )  # fmt: skip
    least = {
        what: min(getattr(s, what) for s in evaluation.scores if s.horizon == horizon)
        for what in ("mae", "rmse")
    }
    known = BASE in evaluation.names
    chances = evaluation.compare_all(BASE, "absolute", horizon) if known else {}
    for score in evaluation.scores:
        if score.horizon == horizon:
            p = chances[score.model].p_value if score.model in chances else None
            table.add_row(*_row(evaluation, score, least, p))
    return table


def _row(evaluation: Evaluation, score: Score, least: dict[str, float], p: float | None) -> list[str]:
    marked = {what: "*" if getattr(score, what) == least[what] else " " for what in least}
    scale = in_unit(evaluation.unit)
    return [
        score.model,
        f"{score.mae * scale:.6g}{marked['mae']}",
        _percent(score.mae_vs_last),
        _percent(score.mae_vs_ewma),
        "" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}",
        f"{score.rmse * scale:.6g}{marked['rmse']}",
        _percent(score.rmse_vs_last),
        _percent(score.rmse_vs_ewma),
        f"{score.coverage:.1%}",
        f"{score.width * scale:.4g}",
    ]


def _percent(value: float) -> str:
    return f"{value:+.2f} %" if math.isfinite(value) else "more"


def remarks(evaluation: Evaluation) -> list[str]:
    """Notes beside the figures, a sentence each."""
    said = [
        f"{evaluation.samples} samples, the first {evaluation.warm_up} not scored; * marks the least error; "
        f"nominal coverage of the intervals {evaluation.wanted:.0%}."
    ]
    if BASE in evaluation.names and len(evaluation.names) > 1:
        said.append(
            f"p-value: of a mean absolute error that differs from that of {BASE} (Diebold-Mariano), "
            f"with Holm's correction for {len(evaluation.names) - 1} comparisons."
        )
    if evaluation.gaps:
        said.append(f"{evaluation.gaps} gaps (lost replies) were left out.")
    if evaluation.irregular:
        said.append("Samples come at irregular times: a step ahead is a sample, not a fixed time.")
    if evaluation.constant:
        said.append("The series is constant: forecasters cannot be compared on it.")
    return said


def figure_of(evaluation: Evaluation) -> Figure:
    """Error against horizon, in percent of the last value's, for at most eight forecasters."""
    with drawing(3.1, columns=2, width=8.4) as (canvas, axes):
        _draw(evaluation, canvas, axes)
        return canvas


def svg_of(evaluation: Evaluation, title: str) -> str:
    """The figure as the text of an SVG file."""
    with drawing(3.1, columns=2, width=8.4) as (canvas, axes):
        _draw(evaluation, canvas, axes)
        description = (
            "Mean absolute error and root mean squared error of forecasters against the number of samples "
            "ahead, in percent of those of the last value."
        )
        return standalone(to_svg(canvas, "forecast", title, description))


def _draw(evaluation: Evaluation, canvas: Any, axes: Any) -> None:
    names = _lines(evaluation)
    for axis, what, title in (
        (axes[0], "mae", "Mean absolute error"),
        (axes[1], "rmse", "Root mean squared error"),
    ):
        for index, name in enumerate(names):
            scores = [evaluation.score(name, horizon) for horizon in evaluation.horizons]
            percent = [100 + getattr(score, f"{what}_vs_last") for score in scores]
            axis.plot(
                evaluation.horizons,
                percent,
                color=SERIES[index],
                marker=MARKERS[index],
                label=name,
                clip_on=False,
            )
        axis.set_title(title)
        axis.set_ylabel("% of the last value's")
        axis.set_xlabel("samples ahead")
        if len(evaluation.horizons) > 1:
            log_axis(axis.xaxis, evaluation.horizons)
        else:
            axis.set_xticks(evaluation.horizons)
    legend_of(canvas, axes, columns=4)


def _lines(evaluation: Evaluation) -> list[str]:
    """Those that every figure shows, and the best of the others at the first horizon."""
    first = evaluation.horizons[0]
    kept = [name for name in evaluation.names if name in _KEPT]
    others = [name for name in evaluation.names if name not in _KEPT]
    others.sort(key=lambda name: evaluation.score(name, first).mae + evaluation.score(name, first).rmse)
    shown = {*kept, *others[: _MOST_LINES - len(kept)]}
    return [name for name in evaluation.names if name in shown][:_MOST_LINES]
