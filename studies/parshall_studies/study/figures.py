"""Figures as values: panels of traces, and grids of small maps. What is drawn is also the figure's data,
and the text for those who do not see it is computed from them.

A thing that is drawn has one :class:`Look` in all figures of a study.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from parshall import plot
from parshall_studies.study.words import number

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from parshall.stats import Interval

__all__ = [
    "UNTITLED",
    "Axis",
    "Figure",
    "Look",
    "Mark",
    "Panel",
    "Picker",
    "Trace",
    "drawn",
    "looks",
    "of_intervals",
    "rows_axis",
]

UNTITLED = "[untitled]"
"""Stands in a drawing where its title will."""

Label = TypeVar("Label")
Style: TypeAlias = Literal["line", "points", "steps", "bars"]
Line: TypeAlias = "str | tuple[int, tuple[int, ...]]"
"""A line as Matplotlib names it, or its dashes."""
Numbers: TypeAlias = "Sequence[float] | NDArray[Any]"


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with its caption."""

    id: str
    svg: str
    """An element made by :func:`parshall.plot.to_svg` with the same id."""
    data: pa.Table | None = None
    """Drawn numbers; offered to the reader as CSV. A drawing without numbers is offered itself."""
    title: str = ""
    """The page may give title and caption instead."""
    caption: str = ""
    """Caption: what is shown, and what is to be seen in it."""

    def with_words(self, title: str, caption: str) -> Figure:
        """A copy under a title of the page's."""
        return replace(self, title=title, caption=caption)

    @property
    def titled_svg(self) -> str:
        """The drawing with its title, for those who do not see it."""
        return self.svg.replace(UNTITLED, html.escape(self.title), 1)


@dataclass(frozen=True, slots=True)
class Picker:
    """Figures of which a reader sees one at a time, such as one grid seen through several metrics.

    The choice needs a script; without one, and on paper, all figures are there one after another.
    """

    id: str
    title: str
    label: str
    """Name of the choice: ``Metric``."""
    figures: tuple[Figure, ...]
    """In the order of the list; the first is shown at first. Their titles are what is picked from."""
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """Look of a thing in every figure."""

    label: str
    colour: str = plot.INK
    marker: str = ""
    line: Line = "-"
    width: float = 1.5
    hollow: bool = False
    size: float | None = None
    """Size of the marker, in points, if not the common one."""
    edge: str | None = None
    """Colour of the marker's edge, if not its own."""
    alpha: float = 1.0
    """Less lets what is behind it be seen."""

    def __call__(self, **changes: Any) -> Look:
        """A copy with other values."""
        return replace(self, **changes)


_LINES: tuple[Line, ...] = (
    *("-", "--", "-.", ":"),
    *((0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)), (0, (3, 1, 1, 1))),
)


def looks(labels: Mapping[Label, str], **changes: Any) -> dict[Label, Look]:
    """A look for each thing: a colour, a marker and a line of its own, unless ``changes`` say otherwise."""
    own = zip(labels.items(), cycle(zip(plot.SERIES, plot.MARKERS, _LINES, strict=True)), strict=False)
    return {name: replace(Look(label, *drawn), **changes) for (name, label), drawn in own}


@dataclass(frozen=True, slots=True)
class Axis:
    """Quantity along an axis."""

    label: str
    unit: str = ""
    log: bool = False
    """Logarithmic, with a place for zero if it occurs."""
    limits: tuple[float | None, float | None] | None = None
    ticks: Mapping[float, str] | None = None
    """Places and what stands there, unless the plot finds its own."""

    def __str__(self) -> str:
        return f"{self.label} ({self.unit})" if self.unit else self.label

    @property
    def is_rows(self) -> bool:
        """True if it has the names of rows in place of a quantity."""
        return self.label == "" and bool(self.ticks)

    def row(self, place: float) -> str:
        """The name of the row that this place is in; empty if the axis has none."""
        if not (self.is_rows and self.ticks and math.isfinite(place)):
            return ""
        return self.ticks[min(self.ticks, key=lambda tick: abs(tick - place))]


def rows_axis(labels: Sequence[str]) -> Axis:
    """Rows 0, 1, 2 ... from the top, each with its label."""
    ticks = {float(row): label for row, label in enumerate(labels)}
    return Axis("", ticks=ticks, limits=(len(labels) - 0.5, -0.5))


@dataclass(frozen=True, slots=True)
class Trace:
    """Points that belong together."""

    look: Look
    x: Numbers
    y: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    """Ends of an interval about each point."""
    style: Style = "line"
    """``bars`` are the intervals alone."""
    across: bool = False
    """True if intervals lie along the x axis."""
    label: bool = True
    """True if the legend names it."""


def of_intervals(
    look: Look,
    places: Numbers,
    intervals: Sequence[Interval],
    *,
    style: Style = "line",
    across: bool = False,
    label: bool = True,
) -> Trace:
    """Means with their intervals, upwards or ``across``."""
    middles = [each.mean for each in intervals]
    low, high = (
        [getattr(each, end) if each.bounded else each.mean for each in intervals] for end in ("low", "high")
    )
    x, y = (middles, places) if across else (places, middles)
    return Trace(look, x, y, low, high, style, across, label)


@dataclass(frozen=True, slots=True)
class Mark:
    """A reference: a line at a place, or a band between two; the diagonal, where there is neither."""

    x: float | tuple[float, float] | None = None
    y: float | tuple[float, float] | None = None
    label: str = ""
    colour: str = plot.FAINT
    """Colour of a line."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Axes with what is drawn in them."""

    traces: Sequence[Trace]
    title: str = ""
    y: Axis | None = None
    """Instead of the figure's."""
    x: Axis | None = None
    marks: Sequence[Mark] = ()
    bands: Sequence[Trace] = ()
    """Traces whose intervals are filled, behind everything else."""


def drawn(
    id: str,
    panels: Panel | Sequence[Panel],
    x: Axis,
    y: Axis,
    *,
    columns: int = 1,
    height: float = 3.1,
    share: tuple[bool | str, bool | str] = (True, False),
    legend: int = 2,
    ratios: Sequence[float] | None = None,
) -> Figure:
    """A figure of panels, row by row. ``height`` is in inches, ``share`` says whether panels share their x
    and their y axes, and ``legend`` is the number of its columns.
    """
    every = [panels] if isinstance(panels, Panel) else list(panels)
    rows = math.ceil(len(every) / columns)
    grid = {"height_ratios": ratios} if ratios else None
    with plot.drawing(
        height, rows=rows, columns=columns, sharex=share[0], sharey=share[1], gridspec_kw=grid
    ) as (canvas, axes):
        drawn = list(zip(axes, every, strict=False))
        for axis, panel in drawn:
            _draw(axis, panel, small=columns > 1)
        for axis, panel in drawn:  # when all is there, since panels may share their axes
            _set_axes(axis, panel, panel.x or x, panel.y or y)
        _label(canvas, drawn, x, y, columns, shared=bool(share[0]))
        for axis in axes[len(every) :]:
            axis.set_visible(False)
        plot.legend_of(canvas, axes, columns=legend)
        svg = plot.to_svg(canvas, id, UNTITLED, described(every, x, y))
    return Figure(id, svg, data_of(every, x, y))


def _label(
    canvas: Canvas, drawn: Sequence[tuple[Axes, Panel]], x: Axis, y: Axis, columns: int, *, shared: bool
) -> None:
    """Quantities along the axes: said once where it is the same for all panels."""
    rows = math.ceil(len(drawn) / columns)
    once_x = columns > 1 and shared and not any(panel.x for _, panel in drawn)
    once_y = rows > 1 and not any(panel.y for _, panel in drawn)
    if once_x:
        canvas.supxlabel(str(x), fontsize=9)
    if once_y:
        canvas.supylabel(str(y), fontsize=9)
    for place, (axis, panel) in enumerate(drawn):
        bottom = place + columns >= len(drawn)
        if not once_x and (panel.x or not shared or bottom):
            axis.set_xlabel(str(panel.x or x))
        if not once_y and (place % columns == 0 or panel.y):
            _label_y(axis, str(panel.y or y), above=columns > 2)


def _label_y(axis: Axes, text: str, *, above: bool) -> None:
    """Says what is along a y axis: beside it, or above where panels are too narrow for that."""
    if above and not axis.get_title(loc="left"):
        axis.set_title(text, loc="left", fontsize=8, fontweight="normal")
    else:
        axis.set_ylabel(text)


def _draw(axis: Axes, panel: Panel, *, small: bool) -> None:
    for trace in panel.bands:
        assert trace.low is not None
        assert trace.high is not None
        axis.fill_between(
            trace.x,
            trace.low,
            trace.high,
            color=trace.look.colour,
            linewidth=0,
            label=trace.look.label,
            zorder=0,
        )
    for mark in panel.marks:
        _draw_mark(axis, mark)
    for trace in panel.traces:
        _draw_trace(axis, trace)
    if panel.title:
        axis.set_title(panel.title, fontsize=8.5 if small else None)


def _draw_mark(axis: Axes, mark: Mark) -> None:
    label = mark.label or None
    for value, line, area in ((mark.x, axis.axvline, axis.axvspan), (mark.y, axis.axhline, axis.axhspan)):
        if isinstance(value, tuple):
            area(*value, color=plot.GRID, linewidth=0, zorder=0, label=label)
        elif value is not None:
            line(value, color=mark.colour, linewidth=0.9, linestyle=":", zorder=1, label=label)
    if mark.x is None and mark.y is None:
        axis.axline((1, 1), (2, 2), color=plot.FAINT, linewidth=0.8, zorder=1)


def _draw_trace(axis: Axes, trace: Trace) -> None:
    look = trace.look
    label = look.label if trace.label else None
    fill = "none" if look.hollow else look.colour
    style: dict[str, Any] = {
        "color": look.colour,
        "markerfacecolor": fill,
        "label": label,
        "linewidth": look.width,
        "alpha": look.alpha,
        **({} if look.size is None else {"markersize": look.size}),
        **({} if look.edge is None else {"markeredgecolor": look.edge}),
    }
    if trace.low is not None and trace.high is not None:
        wide = 3.0 if trace.style == "bars" else 1.0
        label_of_bars = label if trace.style == "bars" else None
        for place, (x, y, low, high) in enumerate(zip(trace.x, trace.y, trace.low, trace.high, strict=True)):
            ends = ([low, high], [y, y]) if trace.across else ([x, x], [low, high])
            axis.plot(
                *ends,
                color=look.colour,
                solid_capstyle="butt",
                label=label_of_bars if place == 0 else None,
                linewidth=wide,
            )
    if trace.style == "line":
        axis.plot(trace.x, trace.y, linestyle=look.line, marker=look.marker, **style)
    elif trace.style == "steps":
        axis.step(trace.x, trace.y, where="post", linestyle=look.line, **style)
    elif trace.style == "points":
        axis.plot(trace.x, trace.y, look.marker or "o", **style)


def _set_axes(axis: Axes, panel: Panel, x: Axis, y: Axis) -> None:
    every = [*panel.traces, *panel.bands]
    for own, places in ((x, "x"), (y, "y")):
        side = axis.xaxis if places == "x" else axis.yaxis
        if own.log:
            plot.log_axis(side, [value for trace in every for value in getattr(trace, places)])
        if own.limits is not None:
            _leave_room(axis, own, places, every)
            (axis.set_xlim if places == "x" else axis.set_ylim)(*own.limits)
        if own.ticks is not None:
            side.set_ticks(list(own.ticks), list(own.ticks.values()))
            if own.label == "":
                side.set_tick_params(length=0)
                axis.grid(axis="x" if places == "x" else "y", visible=False)


_ROOM = 0.06
"""Room beyond the greatest value on an axis with a fixed beginning: markers are whole there."""


def _leave_room(axis: Axes, own: Axis, places: str, drawn: Sequence[Trace]) -> None:
    """Room for markers at an end that the axis finds itself, which goes by the values' range alone."""
    low, high = own.limits or (None, None)
    values = [value for each in drawn for value in getattr(each, places) if math.isfinite(value)]
    if low is None or high is not None or own.log or not values:
        return
    greatest = max(values)
    end = greatest + _ROOM * (greatest - low)
    axis.update_datalim([(end, end)], updatex=places == "x", updatey=places == "y")
    axis.autoscale_view()


# --- What is drawn, as a table and in words -----------------------------------------------------------------


def data_of(panels: Sequence[Panel], x: Axis, y: Axis) -> pa.Table:
    """A row for each point, with what is along both axes; where the figure has rows, also their names."""
    import pyarrow as pa

    names = ("panel", "line", "row", "x", "x_axis", "y", "y_axis", "low", "high")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for panel, trace in _traces(panels):
        count = len(trace.x)
        nothing: Sequence[None] = [None] * count
        across, up = panel.x or x, panel.y or y
        for name, values in (
            ("panel", [panel.title] * count),
            ("line", [trace.look.label] * count),
            ("row", [up.row(value) for value in trace.y]),
            ("x", trace.x),
            ("x_axis", [str(across)] * count),
            ("y", trace.y),
            ("y_axis", [str(up)] * count),
            ("low", nothing if trace.low is None else trace.low),
            ("high", nothing if trace.high is None else trace.high),
        ):
            columns[name] += [_plain(value) for value in values]
    for name in ("panel", "row", "y_axis"):
        if not any(columns[name]):
            del columns[name]
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def described(panels: Sequence[Panel], x: Axis, y: Axis) -> str:
    """The figure for those who do not see it: where each line begins and ends, or what stands in each row."""
    parts = []
    for panel in panels:
        where = f"{panel.title}: " if panel.title else ""
        axis = panel.y or y
        lines = [
            _in_rows(trace, axis) if axis.is_rows else _course(trace)
            for trace in panel.traces
            if trace.label or len(panel.traces) == 1 or axis.is_rows
        ]
        parts.append(f"{where}{'; '.join(lines[:8])}" + ("; and others" if len(lines) > 8 else ""))
    own = {str(panel.x or x) if (panel.y or y).is_rows else f"{panel.y or y} over {x}" for panel in panels}
    return f"{' and '.join(sorted(own))}. {'. '.join(parts[:6])}."


def _in_rows(trace: Trace, rows: Axis) -> str:
    """Contents of each row."""
    points = [
        f"{number(value)} ({rows.row(place)})"
        for value, place in zip(trace.x, trace.y, strict=True)
        if math.isfinite(value)
    ]
    return f"{trace.look.label} {', '.join(points)}" if points else f"{trace.look.label} without a point"


def _course(trace: Trace) -> str:
    points = [(a, b) for a, b in zip(trace.x, trace.y, strict=True) if math.isfinite(b)]
    if not points:
        return f"{trace.look.label} without a point"
    if trace.style != "line" or len(points) == 1:
        values = [b for _, b in points]
        return f"{trace.look.label} from {number(min(values))} to {number(max(values))}"
    (x0, y0), (x1, y1) = points[0], points[-1]
    return f"{trace.look.label} from {number(y0)} at {number(x0)} to {number(y1)} at {number(x1)}"


def _traces(panels: Sequence[Panel]) -> Iterator[tuple[Panel, Trace]]:
    for panel in panels:
        for trace in (*panel.bands, *panel.traces):
            yield panel, trace


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    return float(value) if math.isfinite(value) else None
