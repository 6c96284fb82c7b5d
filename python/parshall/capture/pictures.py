"""The figure of the worst connection in the report of a capture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.plot import SERIES, drawing, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from parshall.capture.reading import Capture

__all__ = ["worst_figure"]

_MOST_POINTS = 4000
"""Points of a line at most; more cannot be told apart."""

_KINDS = {
    "fast": "fast",
    "rto": "timeout",
    "rto_next": "after a timeout",
    "tlp": "tail probe",
    "syn": "SYN",
    "synack": "SYN+ACK",
    "retransmission": "unknown kind",
}

_MARKS = {"fast": "x", "rto": "v", "rto_next": "^", "tlp": "s", "retransmission": "d"}


def worst_figure(capture: Capture, way: Mapping[str, Any]) -> str:
    """Bytes and RTT over time of the worst direction; retransmissions of the capture by kind, if any."""
    counts = _kinds(capture)
    ratios = (4.0, 3.0, 0.4 + 0.35 * len(counts)) if counts else (4.0, 3.0)
    with drawing(0.91 * sum(ratios), rows=len(ratios), columns=1, height_ratios=ratios) as (canvas, axes):
        start = _start(capture, way)
        _draw_sequence(axes[0], capture, way, start)
        _draw_rtt(axes[1], capture, way, start)
        axes[1].sharex(axes[0])
        if counts:
            _draw_kinds(axes[2], counts)
        name = f"connection {way['connection']}, direction {way['direction']}"
        title = f"Worst of the capture: {name}"
        text = "Bytes sent, acknowledged and sent again, and round trips, over time."
        return to_svg(canvas, "capture", title, text)


def _own(rows: Any, way: Mapping[str, Any]) -> Any:
    mask = np.asarray(rows["connection"]) == way["connection"]
    return mask & (np.asarray(rows["direction"]) == way["direction"])


def _start(capture: Capture, way: Mapping[str, Any]) -> float:
    """Time of the first round trip or retransmission of a direction."""
    tables = (capture.samples, capture.events)
    times = [np.asarray(rows["time"])[_own(rows, way)] for rows in tables]
    return float(min((np.min(each) for each in times if len(each)), default=0.0))


def _draw_rtt(axis: Axes, capture: Capture, way: Mapping[str, Any], start: float) -> None:
    rows = capture.samples
    own = _own(rows, way)
    for color, method in zip(SERIES, ("seq", "ts"), strict=False):
        mask = own & (np.asarray(rows["method"]) == method)
        times, rtts = np.asarray(rows["time"])[mask] - start, 1e3 * np.asarray(rows["rtt"])[mask]
        label = "data and ACK" if method == "seq" else "timestamps"
        if len(times):
            axis.plot(times, rtts, ".", markersize=2, color=color, label=label, rasterized=len(times) > 5000)
    axis.set_xlabel("time (s)")
    axis.set_ylabel("RTT to the receiver (ms)")
    if axis.lines:
        # Round trips fill the whole height; points of their size would not be seen in a legend.
        axis.legend(
            loc="lower right", bbox_to_anchor=(1, 1), ncols=2, fontsize=7, markerscale=4, frameon=False
        )


def _kinds(capture: Capture) -> Mapping[str, int]:
    """Retransmissions by kind."""
    if capture.lacks_events:
        return capture.counts.kinds
    return Counter(kind for kind in capture.events["kind"].to_pylist() if kind)


def _draw_kinds(axis: Axes, counts: Mapping[str, int]) -> None:
    from matplotlib.ticker import MaxNLocator

    names = sorted(counts, key=lambda name: -counts[name])
    bars = axis.barh(names[::-1], [counts[name] for name in names[::-1]], color=SERIES[0], height=0.6)
    axis.bar_label(bars, padding=3, fmt="{:,.0f}")
    axis.set_yticks(range(len(names)), [_KINDS.get(name, name) for name in names[::-1]])
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.set_xlabel("retransmissions in the whole capture")
    axis.margins(x=0.1)


def _draw_sequence(axis: Axes, capture: Capture, way: Mapping[str, Any], start: float) -> None:
    """Bytes over time: what was sent and what was acknowledged, with what is in flight between, and what was
    sent again, from the first byte to the last.
    """
    samples = capture.samples
    own = _own(samples, way) & (np.asarray(samples["method"]) == "seq")
    acked_at, rtts, until = (np.asarray(samples[name])[own] for name in ("time", "rtt", "until"))
    places = _unwrapped(until)
    kept = _thinned(places)
    for color, (label, times) in zip(
        SERIES, (("sent", acked_at - rtts), ("acknowledged", acked_at)), strict=False
    ):
        axis.plot(times[kept] - start, places[kept] / 1e6, color=color, linewidth=1, label=label)
    _draw_repeats(axis, capture, way, (acked_at, places, start))
    axis.set_xlabel("time (s)")
    axis.set_ylabel("byte (MB)")
    if axis.lines:
        axis.legend(loc="lower right", fontsize=7)


def _draw_repeats(
    axis: Axes, capture: Capture, way: Mapping[str, Any], line: tuple[NDArray[Any], NDArray[Any], float]
) -> None:
    """Draws retransmissions near the line of what was acknowledged where numbers have come round."""
    acked_at, reached, start = line
    rows = capture.events
    own = _own(rows, way)
    kinds = np.asarray(rows["kind"].to_pylist(), object)
    for (kind, mark), color in zip(_MARKS.items(), SERIES[2:] * 2, strict=False):
        mask = own & (kinds == kind)
        times, places = np.asarray(rows["time"])[mask], np.asarray(rows["seq"])[mask]
        if len(acked_at):
            places = places + 2**32 * np.round((np.interp(times, acked_at, reached) - places) / 2**32)
        if len(times):
            axis.plot(times - start, places / 1e6, mark, markersize=5, color=color, label=_KINDS[kind])


def _unwrapped(numbers: NDArray[Any]) -> NDArray[Any]:
    """Numbers of 32 bits, each near the one before, without end."""
    steps = (np.diff(numbers) + 2**31) % 2**32 - 2**31
    return np.concatenate([numbers[:1], numbers[:1] + np.cumsum(steps)])


def _thinned(values: NDArray[Any]) -> NDArray[Any]:
    """Indices of at most some thousand values, evenly, the last among them."""
    return np.unique(np.linspace(0, max(0, len(values) - 1), min(len(values), _MOST_POINTS)).astype(int))
