"""A capture in the terminal, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parshall.capture.findings import badness, finding, remarks, ways

if TYPE_CHECKING:
    from rich.table import Table

    from parshall.capture.reading import Capture
    from parshall.capture.replay import Replayed

__all__ = ["as_csv", "as_json", "replay_lines", "table", "worst_first"]


def worst_first(capture: Capture) -> list[dict[str, Any]]:
    """Directions of connections that carried data, the worst first."""
    every = [way for row in capture.connections.to_pylist() for way in ways(row)]
    return sorted(every, key=badness, reverse=True)


def table(directions: Sequence[Mapping[str, Any]], most: int) -> Table:
    """The worst directions."""
    from rich.table import Table

    result = Table(box=None, pad_edge=False)
    right = ("MB", "again", "rto", "tlp", "needless", "RTT ms", "p95 ms")
    for title in ("#", "", "from", "to", *right, "what is wrong"):
        result.add_column(title, justify="right" if title in right or title == "#" else "left")
    for way in directions[:most]:
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


def as_json(capture: Capture) -> str:
    """All but the samples, which are for Parquet."""
    record = {
        "totals": dict(capture.totals),
        "ending": capture.ending,
        "remarks": remarks(capture),
        "connections": capture.connections.to_pylist(),
        "udp": capture.udp.to_pylist(),
        "events": capture.events.to_pylist(),
    }
    return json.dumps(record, indent=2)


def as_csv(capture: Capture) -> str:
    """The connections."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    rows = capture.connections
    writer.writerow(rows.column_names)
    writer.writerows(zip(*(rows[name].to_pylist() for name in rows.column_names), strict=True))
    return lines.getvalue()


def replay_lines(replayed: Sequence[Replayed], way: Mapping[str, Any]) -> list[str]:
    """What the other filters would have done on a direction, a line each."""
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
