"""Rendering of results in a notebook: a line that names them, and a small picture."""

from __future__ import annotations

import base64
import io
from html import escape
from typing import TYPE_CHECKING

from parshall.recording.pictures.means import plot_metric
from parshall.recording.pictures.panels import panels_of
from parshall.recording.pictures.sheet import plot_recording
from parshall.recording.pictures.units import arms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from parshall.engine.ensemble import Ensemble
    from parshall.recording.recording import Recording
    from parshall.stats import Interval

__all__ = ["ensemble_html", "intervals_html", "recording_html"]

_MOST_ROWS = 20
"""Rows of a picture or table that is still small."""


def recording_html(recording: Recording) -> str:
    """The sheet of what was recorded over time, or the goodput of the flows where nothing was."""
    panels = panels_of(recording, recording.flows, [])
    if any(panel.missing is None for panel in panels):
        return _block(repr(recording), _image(plot_recording(recording)))
    names = recording.flows[:_MOST_ROWS]
    rows = [(name, f"{recording.flow(name).goodput / 1e6:.4g}") for name in names]
    return _block(repr(recording), _table(("flow", "goodput, Mbit/s"), rows, len(recording.flows)))


def ensemble_html(ensemble: Ensemble) -> str:
    """The goodput of each variant with its interval."""
    drawn = len(ensemble.variants) <= _MOST_ROWS and len(ensemble.failures) == 0
    picture = _image(plot_metric(ensemble, "goodput")) if drawn and "flows" in ensemble.tables else ""
    return _block(repr(ensemble), picture)


def intervals_html(text: str, metric: str, rows: Sequence[tuple[str, Interval]]) -> str:
    """Means of a metric with their 95 % intervals: a picture of few rows, a table of the first of many."""
    if len(rows) > _MOST_ROWS:
        shown = [(name, f"{one.mean:.4g}", f"{one.low:.4g} to {one.high:.4g}") for name, one in rows]
        return _block(text, _table(("point", metric, "95 % interval"), shown[:_MOST_ROWS], len(rows)))
    return _block(text, _image(_plot_intervals(metric, rows)))


def _plot_intervals(metric: str, rows: Sequence[tuple[str, Interval]]) -> Figure:
    from parshall.plot import SERIES, drawing, shortened

    with drawing(0.7 + 0.32 * len(rows), width=6.0) as (canvas, (axis,)):
        for place, (_, interval) in enumerate(rows):
            below, above = arms(interval)
            axis.errorbar(
                interval.mean,
                place,
                xerr=[[below], [above]],
                fmt="o",
                color=SERIES[0],
                markersize=4,
                capsize=2.5,
            )
        axis.set_yticks(range(len(rows)), [shortened(name) for name, _ in rows])
        axis.margins(y=0.5 / len(rows))
        axis.invert_yaxis()
        axis.set_xlabel(f"{metric} (mean and 95 % interval)")
    return canvas


def _image(figure: Figure) -> str:
    target = io.BytesIO()
    figure.savefig(target, format="png", dpi=90, bbox_inches="tight")
    data = base64.b64encode(target.getvalue()).decode("ascii")
    return f'<img alt="" style="max-width:100%" src="data:image/png;base64,{data}">'


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], all_rows: int) -> str:
    first = "".join(f"<th>{escape(name)}</th>" for name in head)
    cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    more = f"<p>and {all_rows - len(rows):,} more</p>" if all_rows > len(rows) else ""
    return f"<table><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table>{more}"


def _block(text: str, content: str) -> str:
    return f"<div><p>{escape(text)}</p>{content}</div>"
