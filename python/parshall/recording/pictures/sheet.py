"""One sheet of a run: cwnd, srtt, throughput, queue, delay and drops over time, a panel each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from parshall.errors import InputError, shown
from parshall.recording.pictures.lines import Bands, Line
from parshall.recording.pictures.panels import Panel, panels_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from parshall.recording.recording import Recording

__all__ = ["plot_recording"]

_COLOURED = 6
"""Lines that have a colour and a name; the others are grey."""
_WIDTH, _HEIGHT, _EMPTY_HEIGHT = 5.0, 1.35, 0.5
"""Size of a sheet and of a panel, and height of one without data, in inches."""
_LEGEND_COLUMNS, _LEGEND_CHARACTERS = 4, 60
"""Most names in a row of a legend, and about the characters that fit into it."""


def plot_recording(
    recording: Recording,
    flows: Sequence[str] | None = None,
    ports: Sequence[str] | None = None,
    *,
    start: float | str = 0.0,
    end: float | str | None = None,
) -> Figure:
    """Draws what was recorded of flows and ports over time; a panel without data says what to record.

    Unless named, all flows are drawn, and the ports of named links, or those in a series where no link has a
    name. ``start`` and ``end`` are seconds, or durations such as ``"1.5 s"``; the whole run unless given. Of
    more than 40 flows a panel shows quantiles. Returns the figure. Raises InputError for a name that is not
    there, when there is none, and for a range of time without any.
    """
    from parshall.plot import drawing

    for name, given in (("flows", flows), ("ports", ports)):
        if isinstance(given, str) or not isinstance(given, Iterable | None):
            raise InputError(name, shown(given), "a list of names")
    flows = recording.flows if flows is None else list(flows)
    ports = _ports(recording) if ports is None else list(ports)
    span = _span(recording, start, end)
    panels = panels_of(recording, flows, ports, span)
    if not panels:
        raise InputError("flows", "none", "a flow or a port")
    heights = [_HEIGHT if panel.missing is None else _EMPTY_HEIGHT for panel in panels]
    ratios = {"height_ratios": heights}
    with drawing(
        1.2 + sum(heights), rows=len(panels), width=_WIDTH, paper=True, sharex=True, gridspec_kw=ratios
    ) as (canvas, axes):
        for of in ("flows", "ports"):
            _draw_all([pair for pair in zip(axes, panels, strict=True) if pair[1].of == of])
        axes[-1].set_xlabel("time, s")
        axes[-1].set_xlim(span)
        canvas.suptitle(_title(recording), fontsize="medium", x=0.02, ha="left", wrap=True)
    return canvas


def _span(recording: Recording, start: float | str, end: float | str | None) -> tuple[float, float]:
    from parshall.units import parse_duration

    whole = recording.scenario.duration
    given = {"start": start, "end": whole if end is None else end}
    times = {}
    for name, value in given.items():
        try:
            times[name] = parse_duration(value)
        except InputError as error:
            raise InputError(name, error.value, error.expected) from None
    if times["start"] >= min(times["end"], whole):
        least = min(times["end"], whole)
        raise InputError("start", shown(start), f"an instant before {least:g} s, the end of what is drawn")
    return times["start"], min(times["end"], whole)


def _ports(recording: Recording) -> list[str]:
    """The forward ports of named links; otherwise those that a series names; otherwise the first."""
    if named := list(recording.scenario.named_ports):
        return named
    series = recording.scenario.record.port_series
    of = list(series.of) if series is not None else []
    return [name for name in of if name != "*"] or list(recording.ports[:1])


def _title(recording: Recording) -> str:
    scenario = recording.scenario
    return f"{scenario.title or f'scenario {scenario.hash[:12]}'}, seed {recording.seed}"


def _draw_all(pairs: Sequence[tuple[Axes, Panel]]) -> None:
    """Panels of flows, or of ports: a name has one colour in all of them, and stands above the first."""
    names = list(dict.fromkeys(line.name for _, panel in pairs for line in panel.lines))
    colours = {name: place for place, name in enumerate(names[:_COLOURED])}
    for axis, panel in pairs:
        _draw(axis, panel, colours)
    drawn = [axis for axis, panel in pairs if panel.missing is None]
    if drawn:
        _name_lines(drawn, list(colours), len(names) - len(colours))


def _draw(axis: Axes, panel: Panel, colours: dict[str, int]) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    from parshall.plot import FAINT

    axis.yaxis.set_major_locator(MaxNLocator(4, min_n_ticks=2))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    if panel.missing is not None:
        axis.set_yticks([])
        # A label beside the axes would be higher than they are.
        said = f"{panel.title}: {panel.missing}".replace("; ", ";\n")
        axis.text(
            0.5, 0.5, said, transform=axis.transAxes, ha="center", va="center", color=FAINT, fontsize="small",
        )  # fmt: skip
        return
    axis.set_ylabel(",\n".join(panel.title.rsplit(", ", 1)))
    if panel.bands is not None:
        _shade(axis, panel.bands)
    for line in panel.lines:
        if line.name not in colours:
            _add(axis, line, {"color": FAINT, "linewidth": 0.5, "alpha": 0.5})
    for line in reversed(panel.lines):
        if line.name in colours:
            _add(axis, line, _look(colours[line.name]) | {"label": line.name})
    most = axis.get_ylim()[1] if panel.bands or any(line.value.any() for line in panel.lines) else 1.0
    axis.set_ylim(-0.03 * most, most)  # a line at zero is whole


def _look(index: int) -> dict[str, Any]:
    from parshall.plot import SERIES

    return {"color": SERIES[index], "linewidth": 1.2}


def _add(axis: Axes, line: Line, look: dict[str, Any]) -> None:
    axis.step(line.time, line.value, where="post" if line.steps else "pre", **look)


def _shade(axis: Axes, bands: Bands) -> None:
    """Quantiles over many flows: the median, and bands of half and of nine tenths of them."""
    from parshall.plot import SERIES

    lowest, low, middle, high, highest = bands.quantiles
    axis.plot(bands.time, middle, color=SERIES[0], linewidth=1.2, label=f"median of {bands.count:,}")
    for below, above, alpha, label in (
        (low, high, 0.4, "25 to 75 %"),
        (lowest, highest, 0.2, "5 to 95 %"),
    ):
        axis.fill_between(bands.time, below, above, color=SERIES[0], alpha=alpha, linewidth=0, label=label)


def _name_lines(axes: Sequence[Axes], names: Sequence[str], more: int) -> None:
    """Draws the legend of several panels above the first of them, where it hides nothing."""
    from matplotlib.lines import Line2D

    from parshall.plot import FAINT, shortened

    found: dict[str, Any] = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    labels = [*(label for label in found if label not in names), *names]
    handles = [found[label] for label in labels]
    if more > 0:
        handles.append(Line2D([], [], color=FAINT, linewidth=0.5))
        labels.append(f"and {more} more")
    labels = [shortened(label) for label in labels]
    fitting = _LEGEND_CHARACTERS // (max(map(len, labels)) + 5)
    columns = max(1, min(_LEGEND_COLUMNS, len(labels), fitting))
    axes[0].legend(
        handles, labels, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns, fontsize="small",
        borderaxespad=0.2,
    )  # fmt: skip
