"""One sheet of a run: cwnd, srtt, throughput, queue and drops over time, each in a panel of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from parshall.errors import InputError, shown
from parshall.recording.pictures.panels import Line, Panel, panels_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from parshall.recording.recording import Recording

__all__ = ["plot_recording"]

_COLOURED = 6
"""Lines that have a colour and a name; the others are grey."""
_WIDTH, _HEIGHT, _EMPTY_HEIGHT = 7.2, 1.5, 0.5
"""Of a sheet, of a panel, and of one without data, in inches."""


def plot_recording(
    recording: Recording, flows: Sequence[str] | None = None, ports: Sequence[str] | None = None
) -> Figure:
    """Draws what was recorded of flows and ports over time; a panel without data says what to record.

    Unless named, all flows are drawn, and the ports of named links, or those in a series where no link has a
    name. Returns the figure. Raises InputError for a name that is not there, or when there is none.
    """
    from parshall.plot import drawing

    for name, given in (("flows", flows), ("ports", ports)):
        if isinstance(given, str) or not isinstance(given, Iterable | None):
            raise InputError(name, shown(given), "a list of names")
    flows = recording.flows if flows is None else flows
    panels = panels_of(recording, flows, _ports(recording) if ports is None else ports)
    if not panels:
        raise InputError("flows", "none", "a flow or a port")
    heights = [_HEIGHT if panel.missing is None else _EMPTY_HEIGHT for panel in panels]
    ratios = {"height_ratios": heights}
    with drawing(0.8 + sum(heights), rows=len(panels), width=_WIDTH, sharex=True, gridspec_kw=ratios) as (
        canvas,
        axes,
    ):
        for axis, panel in zip(axes, panels, strict=True):
            _draw(axis, panel)
        axes[-1].set_xlabel("time, s")
        axes[-1].set_xlim(0, recording.scenario.duration)
        canvas.suptitle(_title(recording), fontsize="medium", x=0.02, ha="left")
    return canvas


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


def _draw(axis: Axes, panel: Panel) -> None:
    from parshall.plot import FAINT

    axis.set_ylabel(panel.title.replace(", ", ",\n", 1))
    if panel.missing is not None:
        axis.set_yticks([])
        axis.text(
            0.5, 0.5, panel.missing, transform=axis.transAxes, ha="center", va="center", color=FAINT,
            fontsize="small", wrap=True,
        )  # fmt: skip
        return
    for line in panel.lines[_COLOURED:]:
        _add(axis, line, {"color": FAINT, "linewidth": 0.5, "alpha": 0.5})
    for index, line in reversed(list(enumerate(panel.lines[:_COLOURED]))):
        _add(axis, line, _look(index) | {"label": line.name})
    axis.set_ylim(bottom=0)
    if not any(line.value.any() for line in panel.lines):
        axis.set_ylim(0, 1)
    _name_lines(axis, panel)


def _look(index: int) -> dict[str, Any]:
    from parshall.plot import SERIES

    return {"color": SERIES[index], "linewidth": 1.2}


def _add(axis: Axes, line: Line, look: dict[str, Any]) -> None:
    axis.step(line.time, line.value, where="post" if line.steps else "pre", **look)


def _name_lines(axis: Axes, panel: Panel) -> None:
    """Names beside the panel, where they hide nothing."""
    from matplotlib.lines import Line2D

    from parshall.plot import FAINT

    handles, labels = axis.get_legend_handles_labels()
    handles, labels = list(reversed(handles)), list(reversed(labels))
    if (more := len(panel.lines) - _COLOURED) > 0:
        handles.append(Line2D([], [], color=FAINT, linewidth=0.5))
        labels.append(f"and {more} more")
    axis.legend(
        handles, labels, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize="small"
    )
