"""A capture in the terminal, as JSON and as CSV."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from parshall.capture.findings import finding, remarks, ways
from parshall.capture.whole import worst_directions
from parshall.errors import InputError
from parshall.recording.columns import table as table_of, texts

if TYPE_CHECKING:
    from rich.table import Table

    from parshall.capture.reading import Capture
    from parshall.capture.replay import Replayed
    from parshall.capture.series import Delivery
    from parshall.capture.share import Share
    from parshall.forecast import Evaluation

__all__ = [
    "csv_parts",
    "json_parts",
    "replay_lines",
    "series_lines",
    "share_line",
    "spin_lines",
    "table",
    "worst_first",
]

_TOGETHER = 1000
"""Rows that are printed together: as objects they take ten times as much memory as in a table."""

_LAST = "last value"
"""Label of the forecaster that others are compared with."""


def worst_first(capture: Capture, most: int) -> list[dict[str, Any]]:
    """Directions of connections that carried data, the worst first, so many at most."""
    found = []
    for at, way in worst_directions(capture.connections, most):
        [row] = capture.connections.slice(at, 1).to_pylist()
        found += [each for each in ways(row) if each["direction"] == way]
    return found


def table(directions: Sequence[Mapping[str, Any]]) -> Table:
    """The worst directions."""
    from rich.table import Table

    result = Table(box=None, pad_edge=False)
    right = ("MB", "again", "rto", "tlp", "needless", "RTT ms", "p95 ms")
    for title in ("#", "", "from", "to", *right, "what is wrong"):
        result.add_column(title, justify="right" if title in right or title == "#" else "left")
    for way in directions:
        result.add_row(
            str(way["connection"]),
            way["direction"],
            way["from"],
            way["to"],
            f"{way['data_bytes'] / 1e6:.2f}",
            *(str(way[name] or "") for name in ("retransmissions", "timeouts", "probes", "needless")),
            *(_millis(way[f"rtt_seq_{name}"]) for name in ("p50", "p95")),
            finding(way),
        )
    return result


def _millis(seconds: float | None) -> str:
    return "" if seconds is None else f"{1e3 * seconds:.3g}"


def json_parts(capture: Capture, share: Share | None = None) -> Iterator[str]:
    """An object with all but the samples, which are for Parquet, in parts."""
    fields: dict[str, Any] = {
        "totals": dict(capture.totals),
        "ending": capture.ending,
        "remarks": remarks(capture),
        "connections": _rows(capture, "connections"),
        "udp": _rows(capture, "udp"),
        "deliveries": (asdict(each) for each in capture.deliveries()),
        "events": _rows(capture, "events"),
    }
    if share is not None:
        fields["responsiveness"] = asdict(share)
    before = "{\n  "
    for name, value in fields.items():
        yield f"{before}{json.dumps(name)}: "
        before = ",\n  "
        yield from _indented([value], "  ") if isinstance(value, (dict, list, str)) else _listed(value)
    yield "\n}"


def _rows(capture: Capture, name: str) -> Iterator[dict[str, Any]]:
    parts = (part.slice(at, _TOGETHER) for part in capture.batches(name) for at in _starts(part))
    return (row for part in parts for row in part.to_pylist())


def _indented(values: Iterable[Any], margin: str) -> Iterator[str]:
    return (json.dumps(value, indent=2).replace("\n", f"\n{margin}") for value in values)


def _listed(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A list, as ``json.dumps`` has it inside of an object."""
    before, after = "[\n    ", "[]"
    for text in _indented(rows, "    "):
        yield before + text
        before, after = ",\n    ", "\n  ]"
    yield after


def _starts(rows: pa.Table) -> range:
    """Where its parts begin; a table without rows is one."""
    return range(0, max(1, rows.num_rows), _TOGETHER)


def csv_parts(capture: Capture) -> Iterator[str]:
    """The connections, in parts."""
    from pyarrow import csv

    options = csv.WriteOptions(include_header=False, quoting_style="none")
    head = True
    for part in capture.batches("connections"):
        if head:
            yield ",".join(part.column_names) + "\n"
        head = False
        for rows in (part.slice(at, _TOGETHER) for at in _starts(part)):
            lines = pa.BufferOutputStream()
            csv.write_csv(_printed(rows), lines, options)
            yield lines.getvalue().to_pybytes().decode()


def _printed(rows: pa.Table) -> pa.Table:
    """The rows with numbers and truth values as Python prints them, and nothing where there is none."""

    def printed(column: pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        differs = pa.types.is_floating(column.type) or pa.types.is_boolean(column.type)
        if not differs or column.null_count == len(column):
            return column
        return texts(["" if value is None else str(value) for value in column.to_pylist()])

    return table_of({name: printed(rows[name]) for name in rows.column_names})


def series_lines(capture: Capture, way: Mapping[str, Any]) -> list[str]:
    """Lines of what other estimators find of a direction and of the traffic, as far as it can be known."""
    place = (way["connection"], way["direction"])
    own = capture.flow(place[0])
    lines = [_delivery(each) for each in own.deliveries() if (each.connection, each.direction) == place]
    if (found := own.forecasts().get(place)) is not None and not found.constant:
        lines.append(_forecast(found))
    try:
        memory = capture.hurst()
    except InputError:
        return lines
    low, high = memory.interval(0.95)
    return [*lines, f"  traffic of the capture: Hurst parameter {memory.h:.2f} ({low:.2f} to {high:.2f})"]


def share_line(found: Share) -> str:
    """A line of the share of packets whose flows do not respond, or why it cannot be known."""
    drops = f"{found.signals:,} drops and marks, {'given' if found.given else 'inferred'}"
    if found.share is not None and found.share_se is not None:
        bounds = f"{100 * (found.low or 0):.1f} to {100 * found.high:.1f} %"
        text = f"{100 * found.share:.1f} % (bounds {bounds})"
        return f"Packets of flows that do not respond: {text}; by {drops}"
    reason = f"Packets of flows that do not respond: cannot be known, because {found.reason}"
    if found.low is None:
        return f"{reason} ({drops})"
    return f"{reason}; between {100 * found.low:.0f} and {100 * found.high:.0f} % by {drops}"


def spin_lines(capture: Capture, most: int) -> list[str]:
    """A line for each flow of QUIC whose spin bit tells its round trips."""
    spinning = [flow for flow in capture.udp.to_pylist() if flow["spin_path_p50"] is not None]
    return [
        f"QUIC flow {flow['flow']}, {flow['source']}:{flow['sport']} to "
        f"{flow['destination']}:{flow['dport']}: RTT {_millis(flow['spin_path_p50'])} ms "
        f"(95 %: {_millis(flow['spin_path_p95'])}) by the spin bit"
        for flow in spinning[:most]
    ]


def _delivery(found: Delivery) -> str:
    text = (
        f"  delivered {found.rate / 1e6:.3g} Mbit/s (95 %: {found.rate_p95 / 1e6:.3g}), "
        f"{found.window / 1e3:.3g} kB in flight, nothing for {found.idle:.2f} of {found.seconds:.2f} s"
    )
    if found.capacity is not None:
        text += f"; capacity {found.capacity / 1e6:.3g} Mbit/s by packet pairs"
    return text


def _forecast(found: Evaluation) -> str:
    best = found.best()
    error, last = (1e3 * found.score(name).mae for name in (best, _LAST))
    if best == _LAST:
        return f"  round trips: no forecaster is better than the last value (error {last:.3g} ms)"
    return f"  round trips: best forecast by {best} (error {error:.3g} ms; the last value's {last:.3g} ms)"


def replay_lines(replayed: Sequence[Replayed], way: Mapping[str, Any]) -> list[str]:
    """Lists the costs of the other filters on a direction, a line each."""
    own = [
        each
        for each in replayed
        if each.connection == way["connection"] and each.direction == way["direction"]
    ]
    base = next((each for each in own if each.filter == "linux"), None)
    if base is None:
        return []
    lines = []
    for each in own:
        text = f"  {each.filter:<16} {each.spurious:>5} spurious, mean RTO {1e3 * each.mean_rto:7.1f} ms"
        if each is not base and base.timeouts:
            less = base.wait - each.wait
            text += (
                f", {abs(less):.2f} s {'less' if less >= 0 else 'more'} waited for {base.timeouts} timeouts"
            )
        lines.append(text)
    return lines
