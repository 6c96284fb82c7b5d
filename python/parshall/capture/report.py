"""The report of a capture: one HTML page, with figures inside."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from parshall.capture.findings import finding, remarks
from parshall.capture.replay import Replayed
from parshall.capture.shown import worst_first
from parshall.plot import SERIES, drawing, standalone, to_svg
from parshall.support.files import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from parshall.capture.reading import Capture
    from parshall.capture.series import Delivery

__all__ = ["write_report"]

_MOST_ROWS = 50
_MOST_REPLAYED = 200

_STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:80rem;margin:1.5rem auto;padding:0 1rem}
h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.15rem}.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:14px}td,th{padding:.2rem .6rem;text-align:right;white-space:nowrap}
td.t,th.t{text-align:left;white-space:normal;min-width:10rem}tr:nth-child(even){background:#8881}
figure{margin:1.5rem 0;max-width:48rem}figure.small{max-width:32rem}svg{width:100%;height:auto}
@media(prefers-color-scheme:dark){body{background:#14171a;color:#ddd}}"""

_KINDS = {
    "fast": "fast",
    "rto": "timeout",
    "rto_next": "after a timeout",
    "tlp": "tail probe",
    "syn": "SYN",
    "synack": "SYN+ACK",
    "retransmission": "unknown kind",
}

_COLUMNS = {
    "connection": "#",
    "direction": "",
    "from": "from",
    "to": "to",
    "data_packets": "packets",
    "retransmissions": "again",
    "fast": "fast",
    "timeouts": "rto",
    "after_timeouts": "after rto",
    "probes": "tlp",
    "needless": "needless",
    "late": "late",
}


def write_report(capture: Capture, file: Path) -> None:
    """Writes the page. Raises OutputError."""
    directions = worst_first(capture)
    replayed = capture.replay() if capture.connections.num_rows <= _MOST_REPLAYED else []
    parts = [f"<h1>{html.escape(capture.name)}</h1>", f"<p>{html.escape(_sentence(directions))}</p>"]
    parts += [f"<p>{html.escape(remark)}.</p>" for remark in remarks(capture)]
    parts += ["<h2>Connections, the worst first</h2>", _table(directions[:_MOST_ROWS])]
    if directions:
        parts += [f"<figure>{_figure(capture, directions[0])}</figure>"]
    if replayed:
        parts += [
            "<h2>What other timeouts would have done</h2>",
            f'<figure class="small">{_frontier(replayed)}</figure>',
        ]
        parts += [_replay_table(replayed)]
    if capture.connections.num_rows <= _MOST_REPLAYED and (delivered := capture.deliveries()):
        parts += ["<h2>How fast data arrived</h2>", _delivery_table(delivered)]
    if spinning := [flow for flow in capture.udp.to_pylist() if flow["spin_path_p50"] is not None]:
        parts += ["<h2>QUIC, by the spin bit</h2>", _spin_table(spinning)]
    page = "\n".join(
        [
            '<!doctype html><html lang="en"><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{html.escape(capture.name)}</title>",
            f"<style>{_STYLE}</style>",
            *parts,
            "</html>",
        ]
    )
    write_whole(file, page)


def _sentence(directions: Sequence[Mapping[str, Any]]) -> str:
    if not directions:
        return "No connection in this capture carried data."
    worst = directions[0]
    text = finding(worst)
    if not text:
        return "Nothing was sent again, and nothing came out of order."
    return f"Worst: connection {worst['connection']}, from {worst['from']} to {worst['to']}: {text}."


def _table(directions: Sequence[Mapping[str, Any]]) -> str:
    head = "".join(f"<th>{title}</th>" for title in (*_COLUMNS.values(), "RTT ms", "p95 ms"))
    rows = [
        "<tr>"
        + "".join(f"<td>{html.escape(str(way[name]))}</td>" for name in _COLUMNS)
        + "".join(f"<td>{_millis(way[f'rtt_seq_{name}'])}</td>" for name in ("p50", "p95"))
        + f'<td class="t">{html.escape(finding(way))}</td></tr>'
        for way in directions
    ]
    return _scrolling(f'<tr>{head}<th class="t">what is wrong</th></tr>{"".join(rows)}')


def _scrolling(rows: str) -> str:
    """A table that scrolls where the page is narrower."""
    return f'<div class="scroll"><table>{rows}</table></div>'


def _millis(seconds: float | None) -> str:
    return "" if seconds is None else f"{1e3 * seconds:.3g}"


def _figure(capture: Capture, way: Mapping[str, Any]) -> str:
    """RTT over time, retransmissions by kind, and the places of retransmissions of the worst direction."""
    with drawing(7.2, rows=3, columns=1, width=7.4) as (canvas, axes):
        start = _start(capture, way)
        _draw_rtt(axes[0], capture, way, start)
        _draw_places(axes[1], capture, way, start)
        axes[1].sharex(axes[0])
        _draw_kinds(axes[2], capture)
        name = f"connection {way['connection']}, direction {way['direction']}"
        return standalone(
            to_svg(canvas, "capture", f"Worst of the capture: {name}", "Round trips and retransmissions.")
        )


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
    _legend(axis, "upper right")


def _draw_kinds(axis: Axes, capture: Capture) -> None:
    counts = Counter(kind for kind in capture.events["kind"].to_pylist() if kind)
    names = sorted(counts, key=lambda name: -counts[name]) or ["none"]
    bars = axis.barh(names[::-1], [counts[name] for name in names[::-1]], color=SERIES[0], height=0.6)
    axis.bar_label(bars, padding=3, fmt="{:,.0f}")
    axis.set_yticks(range(len(names)), [_KINDS.get(name, name) for name in names[::-1]])
    axis.set_xlabel("retransmissions in the whole capture")
    axis.margins(x=0.1)


def _legend(axis: Axes, place: Literal["upper left", "upper right"]) -> None:
    """A legend of what is drawn, if anything is."""
    if axis.lines:
        axis.legend(loc=place, fontsize=7)


def _draw_places(axis: Axes, capture: Capture, way: Mapping[str, Any], start: float) -> None:
    rows = capture.events
    own = _own(rows, way)
    kinds = np.asarray(rows["kind"].to_pylist(), object)
    for color, kind in zip(SERIES * 2, ("fast", "rto", "rto_next", "tlp"), strict=False):
        mask = own & (kinds == kind)
        times, places = np.asarray(rows["time"])[mask] - start, np.asarray(rows["seq"])[mask]
        if len(times):
            axis.plot(times, places / 1e6, "|", markersize=6, color=color, label=_KINDS[kind])
    axis.set_xlabel("time (s)")
    axis.set_ylabel("sent again, at (MB)")
    _legend(axis, "upper left")


def _frontier(replayed: Sequence[Replayed]) -> str:
    from matplotlib.ticker import MaxNLocator

    names = list(dict.fromkeys(each.filter for each in replayed))
    with drawing(3.0, rows=1, columns=1, width=5.0) as (canvas, axes):
        for color, name in zip(SERIES * 2, names, strict=False):
            own = [each for each in replayed if each.filter == name]
            samples = sum(each.samples for each in own)
            wait = sum(each.mean_rto * each.samples for each in own) / samples
            axes[0].plot([wait], [sum(each.spurious for each in own)], "o", color=color, label=name)
        axes[0].set_xlabel("mean RTO (s)")
        axes[0].set_ylabel("spurious timeouts")
        top = max(1.0, 1.05 * axes[0].get_ylim()[1])
        axes[0].set_ylim(bottom=-top / 30, top=top)
        axes[0].yaxis.set_major_locator(MaxNLocator(integer=True))
        axes[0].legend(fontsize=7)
        return standalone(to_svg(canvas, "frontier", "RTO filters", "Spurious timeouts against mean RTO."))


def _delivery_table(delivered: Sequence[Delivery]) -> str:
    titles = ("#", "", "Mbit/s", "95 %", "kB in flight", "nothing in flight s", "of s", "capacity Mbit/s")
    head = "".join(f"<th>{title}</th>" for title in titles)
    rows = [
        f"<tr><td>{each.connection}</td><td>{each.direction}</td><td>{each.rate / 1e6:.3g}</td>"
        f"<td>{each.rate_p95 / 1e6:.3g}</td><td>{each.window / 1e3:.3g}</td><td>{each.idle:.2f}</td>"
        f"<td>{each.seconds:.2f}</td>"
        f"<td>{'' if each.capacity is None else f'{each.capacity / 1e6:.3g}'}</td></tr>"
        for each in delivered[:_MOST_ROWS]
    ]
    return _scrolling(f"<tr>{head}</tr>{''.join(rows)}")


def _spin_table(flows: Sequence[Mapping[str, Any]]) -> str:
    titles = ("flow", "from", "to", "RTT ms", "95 % ms", "to the receiver ms", "95 % ms")
    head = "".join(f"<th>{title}</th>" for title in titles)
    figures = ("path_p50", "path_p95", "receiver_p50", "receiver_p95")
    rows = [
        f"<tr><td>{flow['flow']}</td>"
        f"<td>{html.escape(flow['source'])}:{flow['sport']}</td>"
        f"<td>{html.escape(flow['destination'])}:{flow['dport']}</td>"
        + "".join(f"<td>{_millis(flow[f'spin_{name}'])}</td>" for name in figures)
        + "</tr>"
        for flow in flows[:_MOST_ROWS]
    ]
    return _scrolling(f"<tr>{head}</tr>{''.join(rows)}")


def _replay_table(replayed: Sequence[Replayed]) -> str:
    head = "".join(
        f"<th>{title}</th>"
        for title in ("#", "", "filter", "samples", "spurious", "timeouts", "waited s", "mean RTO s")
    )
    rows = [
        f"<tr><td>{each.connection}</td><td>{each.direction}</td><td>{each.filter}</td><td>{each.samples}</td>"
        f"<td>{each.spurious}</td><td>{each.timeouts}</td><td>{each.wait:.3f}</td><td>{each.mean_rto:.3f}</td></tr>"
        for each in replayed[: 6 * _MOST_ROWS]
    ]
    return _scrolling(f"<tr>{head}</tr>{''.join(rows)}")
