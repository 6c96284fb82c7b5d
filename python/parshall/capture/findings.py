"""What is wrong with a connection, in one sentence, and which connection is worst."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parshall.capture.reading import Capture

__all__ = ["badness", "finding", "remarks", "ways"]

_HIGH_LOSS = 0.02


def ways(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The directions of a connection that carried anything, with columns without _f or _b."""
    result = []
    for way in ("f", "b"):
        own = {name[:-2]: value for name, value in row.items() if name.endswith(f"_{way}") and name != way}
        if own["data_packets"] or own["retransmissions"]:
            ends = ("a", "b") if way == "f" else ("b", "a")
            source, destination = (f"{row[end]}:{row[f'{end}port']}" for end in ends)
            head = {"connection": row["connection"], "direction": way, "from": source, "to": destination}
            result.append({**head, "seconds": row["end"] - row["start"], **own})
    return result


def badness(way: Mapping[str, Any]) -> tuple[float, float]:
    """Order of directions, the worst the greatest: a timeout costs more than a fast retransmission."""
    cost = 10 * (way["timeouts"] + way["syns"] + way["synacks"]) + 3 * way["probes"] + way["retransmissions"]
    return float(cost), float(way["data_bytes"])


def finding(way: Mapping[str, Any]) -> str:
    """What is wrong, in one sentence."""
    share = way["retransmissions"] / max(1, way["data_packets"])
    if way["spurious_timeouts"] and 2 * way["spurious_timeouts"] >= way["timeouts"]:
        text = f"{_count(way['spurious_timeouts'], 'timeout')} needless: the path was slow, nothing was lost"
    elif way["timeouts"]:
        text = f"{_count(way['timeouts'], 'timeout')}: the sender was silent until its timer"
    elif way["syns"] or way["synacks"]:
        text = "the handshake had to be repeated"
    elif way["probes"]:
        text = f"the end of a burst was lost or late ({_count(way['probes'], 'tail probe')})"
    elif share >= _HIGH_LOSS:
        text = f"{100 * share:.1f} % of the packets were sent again"
    elif way["needless"]:
        text = "needless retransmissions: the network reorders"
    elif way["retransmissions"]:
        text = f"{_count(way['retransmissions'], 'loss', 'losses')}, repaired without a timeout"
    elif way["late"]:
        text = f"{_count(way['late'], 'packet')} out of order"
    else:
        text = ""
    return text


def _count(number: int, one: str, several: str | None = None) -> str:
    return f"{number} {one if number == 1 else several or one + 's'}"


def remarks(capture: Capture) -> list[str]:
    """What the capture lacks, a line each."""
    totals = capture.totals
    lines = {
        "is cut: it ends in the middle of a record": capture.ending == "cut",
        "is damaged: a record makes no sense, and what follows was not read": capture.ending == "damaged",
    }
    found = [f"{capture.name} {text}" for text, true in lines.items() if true]
    for name, text in (
        ("swapped", "packets stood in the wrong order and were put right by their times"),
        ("steps_back", "times step back: the clock was set, and round trips across a step are wrong"),
        (
            "options_cut",
            "packets have TCP options cut by the snap length: SACK and time stamps are missing there",
        ),
        ("damaged", "frames have headers that are cut or damaged"),
        (
            "lone_fragments",
            "later fragments of IP packets belong to no known flow: the first one was not seen, or carries a"
            " tunnel",
        ),
        ("dropped_flows", "flows were dropped, because more were open than --max-flows"),
    ):
        if totals[name]:
            found.append(f"{totals[name]:,} {text}")
    return [*found, *_of_connections(capture)]


def _of_connections(capture: Capture) -> list[str]:
    rows = capture.connections.to_pylist()
    sums = {
        name: sum(row[f"{name}_f"] + row[f"{name}_b"] for row in rows)
        for name in ("captured_again", "missing_bytes", "network_copies")
    }
    found = []
    if sums["captured_again"]:
        found.append(
            f"{sums['captured_again']:,} packets were captured twice (two interfaces) and count once"
        )
    if sums["missing_bytes"]:
        found.append(
            f"{sums['missing_bytes']:,} bytes were acknowledged and are not in the capture: it has holes"
        )
    one_way = sum(not row["packets_f"] or not row["packets_b"] for row in rows)
    if one_way:
        found.append(f"only one direction was captured of {one_way:,} of {_count(len(rows), 'connection')}")
    return found
