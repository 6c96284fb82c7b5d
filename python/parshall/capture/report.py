"""The report of a capture: one HTML page, with figures inside."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from parshall.capture.findings import finding, remarks
from parshall.capture.kept import First, only
from parshall.capture.pictures import worst_figure
from parshall.capture.replay import MOST_REPLAYED, Replayed
from parshall.capture.shown import share_line, worst_first
from parshall.plot import DARK, LIGHT, MARKERS, SERIES, drawing, to_svg

if TYPE_CHECKING:
    from parshall.capture.reading import Capture
    from parshall.capture.series import Delivery
    from parshall.capture.share import Share

__all__ = ["report"]

_MOST_ROWS = 50
_MOST_DRAWN = 500_000
"""Rows of a connection that are read for its figure."""

_STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:80rem;margin:1.5rem auto;padding:0 1rem}
h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.15rem}.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:14px}td,th{padding:.2rem .6rem;text-align:right;white-space:nowrap}
td.t,th.t{text-align:left;white-space:normal;min-width:10rem}tr:nth-child(even){background:#8881}
figure{margin:1.5rem 0;max-width:38rem}figure.small{max-width:30rem}svg{width:100%;height:auto}
.beside{display:flex;flex-wrap:wrap;gap:0 2rem}.beside>*{min-width:0}.beside>figure{flex:1 1 20rem}
.beside>div{flex:1 1 42rem}
@media(prefers-color-scheme:dark){body{background:#14171a;color:#ddd}}"""

_ENDS = {"connection": "#", "direction": "", "from": "from", "to": "to"}
_COLUMNS = {
    "data_packets": "packets",
    "retransmissions": "again",
    "fast": "fast",
    "timeouts": "rto",
    "after_timeouts": "after rto",
    "probes": "tlp",
    "needless": "needless",
    "late": "late",
}


def report(capture: Capture, folder: Path, share: Share | None = None) -> str:
    """The page; ``folder`` holds the tables of the capture."""
    directions = worst_first(capture, _MOST_ROWS)
    few = capture.counts.connections <= MOST_REPLAYED
    replayed = capture.replay() if few else []
    parts = [f"<h1>{html.escape(capture.name)}</h1>", f"<p>{html.escape(_sentence(directions))}</p>"]
    notes = [*remarks(capture), *([] if share is None else [share_line(share)])]
    parts += [f"<p>{html.escape(note)}.</p>" for note in notes]
    parts += ["<h2>Connections, the worst first</h2>", _table(directions)]
    beside = []
    if directions:
        whole = _with_rows_of(capture, folder, directions[0]["connection"])
        beside += [f"<figure>{worst_figure(whole, directions[0])}</figure>"]
    if replayed:
        figure = f'<figure class="small">{_frontier(replayed)}</figure>'
        title = "<h2>What other timeouts would have done</h2>"
        beside += [f"<div>{title}{figure}{_replay_table(replayed)}</div>"]
    parts += [f'<div class="beside">{"".join(beside)}</div>']
    if few and (delivered := capture.deliveries()):
        parts += ["<h2>How fast data arrived</h2>", _delivery_table(delivered)]
    if spinning := [flow for flow in capture.udp.to_pylist() if flow["spin_path_p50"] is not None]:
        parts += ["<h2>QUIC, by the spin bit</h2>", _spin_table(spinning)]
    return "\n".join(
        [
            '<!doctype html><html lang="en"><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{html.escape(capture.name)}</title>",
            f"<style>{_colours()}{_STYLE}</style>",
            *parts,
            "</html>",
        ]
    )


def _with_rows_of(capture: Capture, folder: Path, connection: int) -> Capture:
    """The capture with the rows of a connection that were written, in place of tables that lack some."""
    from pyarrow import parquet

    lack = {"samples": capture.samples.num_rows < capture.counts.samples, "events": capture.lacks_events}
    found = {}
    for name in (name for name, lacks in lack.items() if lacks):
        with parquet.ParquetFile(folder / f"{name}.parquet") as file:
            kept = First(_MOST_DRAWN)
            for part in file.iter_batches(8192, use_threads=False):
                kept.add(only(pa.Table.from_batches([part]), connection))
        found[name] = kept.rows()
    return replace(capture, **found)


def _colours() -> str:
    """The roles of colours in figures, for light pages and dark ones."""
    light, dark = (
        "".join(f"--fig-{role}:{colour};" for role, colour in roles.items()) for roles in (LIGHT, DARK)
    )
    return f":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"


def _sentence(directions: Sequence[Mapping[str, Any]]) -> str:
    if not directions:
        return "No connection in this capture carried data."
    worst = directions[0]
    text = finding(worst)
    if not text:
        return "Nothing was sent again, and nothing came out of order."
    return f"Worst: connection {worst['connection']}, from {worst['from']} to {worst['to']}: {text}."


def _table(directions: Sequence[Mapping[str, Any]]) -> str:
    counts = (*_COLUMNS.values(), "RTT ms", "p95 ms")
    # What is wrong stands in front of the numbers, so that narrow pages show it.
    head = f'{_cells("th", _ENDS.values())}<th class="t">what is wrong</th>{_cells("th", counts)}'
    rows = []
    for way in directions:
        numbers = [
            *(way[name] for name in _COLUMNS),
            *(_millis(way[f"rtt_seq_{name}"]) for name in ("p50", "p95")),
        ]
        ends = _cells("td", (way[name] for name in _ENDS))
        rows.append(f'<tr>{ends}<td class="t">{html.escape(finding(way))}</td>{_cells("td", numbers)}</tr>')
    return _scrolling(f"<tr>{head}</tr>{''.join(rows)}")


def _cells(tag: str, values: Iterable[object]) -> str:
    return "".join(f"<{tag}>{html.escape(str(value))}</{tag}>" for value in values)


def _scrolling(rows: str) -> str:
    """A table that scrolls where the page is narrower."""
    return f'<div class="scroll"><table>{rows}</table></div>'


def _millis(seconds: float | None) -> str:
    return "" if seconds is None else f"{1e3 * seconds:.3g}"


def _frontier(replayed: Sequence[Replayed]) -> str:
    from matplotlib.ticker import MaxNLocator

    names = list(dict.fromkeys(each.filter for each in replayed))
    with drawing() as (canvas, axes):
        for place, (color, name) in enumerate(zip(SERIES * 2, names, strict=False)):
            own = [each for each in replayed if each.filter == name]
            samples = sum(each.samples for each in own)
            wait = sum(each.mean_rto * each.samples for each in own) / samples
            spurious = sum(each.spurious for each in own)
            # Filters that do the same lie upon one another, the later ones smaller.
            mark, size = MARKERS[place % len(MARKERS)], max(4.0, 13 - 1.7 * place)
            axes[0].plot([wait], [spurious], mark, markersize=size, color=color, label=name)
        axes[0].set_xlabel("mean RTO (s)")
        axes[0].set_ylabel("spurious timeouts")
        top = max(1.0, 1.05 * axes[0].get_ylim()[1])
        axes[0].set_ylim(bottom=-top / 30, top=top)
        axes[0].yaxis.set_major_locator(MaxNLocator(integer=True))
        axes[0].legend(fontsize=7, ncols=2, labelspacing=1.1)
        return to_svg(canvas, "frontier", "RTO filters", "Spurious timeouts against mean RTO.")


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
