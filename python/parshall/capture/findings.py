"""Finds the fault of a connection, in one sentence, and the worst connections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parshall.capture.reading import Capture
    from parshall.capture.whole import Whole

__all__ = ["finding", "remarks", "ways"]

_HIGH_LOSS = 0.02

_LIMITED = 0.5
"""Part of its time for which a sender waits for its receiver's window before that is said."""

_LIMITED_S = 0.2
"""Seconds of such waits before they are said: less than a second of transfer is slow for other reasons."""

_QUEUE_S = 0.1
"""Delay of a queue that is said if it never drains, in seconds: calls through the same link suffer from it
(ITU-T G.114 asks for less than 0.15 s one way, path and hosts included)."""

_BULK_PACKETS = 100
_BULK_FLIGHT = 10
"""Packets, and packets at once, of a transfer that can fill a queue. Others may wait for hosts, too."""


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


def finding(way: Mapping[str, Any]) -> str:
    """Returns what is wrong with a direction: what was sent again, and what else makes it slow."""
    return "; ".join(text for text in (_repeats(way), _window(way), _queue(way)) if text)


def _window(way: Mapping[str, Any]) -> str:
    """Says if the receiver's window holds up the sender."""
    waited, seconds = way["window_limited"], way["seconds"]
    if waited < _LIMITED_S or waited < _LIMITED * seconds:
        return ""
    return f"limited by the receiver's window for {100 * min(1.0, waited / seconds):.0f} % of the time"


def _queue(way: Mapping[str, Any]) -> str:
    """Says if a queue never drains: three of four round trips are far longer than the least."""
    rest, quarter, median = (way[f"rtt_seq_{name}"] for name in ("min", "p25", "p50"))
    if rest is None or way["data_packets"] < _BULK_PACKETS:
        return ""
    at_once = way["max_in_flight"] * way["data_packets"] / max(1, way["data_bytes"])
    if at_once < _BULK_FLIGHT or quarter < rest + _QUEUE_S or quarter < 2 * rest:
        return ""
    return f"a standing queue: round trips of {_millis(rest)} ms at rest, {_millis(median)} ms under load"


def _millis(seconds: float) -> str:
    return f"{1e3 * seconds:,.0f}"


def _repeats(way: Mapping[str, Any]) -> str:
    """Says what was sent again, and why."""
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
    """Lists gaps of the capture, a line each."""
    totals = capture.totals
    lines = {
        "is cut: it ends in the middle of a record": capture.ending == "cut",
        "is damaged: a record makes no sense, and what follows was not read": capture.ending == "damaged",
    }
    found = [f"{capture.name} {text}" for text, true in lines.items() if true]
    found += _left_unread(capture.unread)
    for name, text in (
        ("filtered", "packets were left out because the filter does not choose them"),
        (
            "nested",
            "packets were chosen by headers behind tags or in tunnels, where tcpdump's filters do not look",
        ),
        ("swapped", "packets stood in the wrong order and were put right by their times"),
        (
            "overtaken",
            "packets stood behind later ones of another interface and were put right by their times",
        ),
        (
            "far_behind",
            "packets stand more than 1 s behind later ones of another interface, and round trips between them"
            " are wrong: reordercap puts a file in order",
        ),
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
        (
            "shared_ends",
            "connections or flows have the addresses and ports of another one, in another VLAN, network or"
            " tunnel, and are told apart",
        ),
    ):
        if totals[name]:
            found.append(f"{totals[name]:,} {text}")
    return [*found, *_of_connections(capture.counts), *_left_out(capture)]


_UNREAD = {
    "unknown_link": "of link type {names}, which is not read",
    "no_time": "that have no time in the file (Simple Packet Blocks)",
    "no_interface": "of an interface that the file does not describe",
    "not_ip": "without IP ({names})",
    "other_ip": "of IP with neither TCP nor UDP ({names})",
}
_MOST_NAMES = 8


def _left_unread(unread: Sequence[tuple[str, str, int]]) -> list[str]:
    """Lines that name the frames that were not read, a line each group of reasons and each link type."""
    lines = []
    for group, text in _UNREAD.items():
        of = sorted(((count, name) for each, name, count in unread if each == group), reverse=True)
        if group == "unknown_link":
            lines += [f"{_frames(count)} {text.format(names=name)}" for count, name in of]
        elif of:
            named = [f"{count:,} {name}" for count, name in of[:_MOST_NAMES]]
            if rest := sum(count for count, _ in of[_MOST_NAMES:]):
                named.append(f"{rest:,} others")
            total = _frames(sum(count for count, _ in of))
            lines.append(f"{total} {text.format(names=', '.join(named))}")
    return [f"left out: {line}" for line in lines]


def _frames(count: int) -> str:
    return f"{count:,} {'frame' if count == 1 else 'frames'}"


def _of_connections(counts: Whole) -> list[str]:
    found = []
    if counts.captured_again:
        found.append(
            f"{counts.captured_again:,} packets were captured twice (by two interfaces, or by a port that"
            " mirrors others) and count once"
        )
    if counts.copies_in_doubt:
        found.append(
            f"{counts.copies_in_doubt:,} packets are copies of others: the network doubled them, or the"
            " capture did"
        )
    if counts.early_acks:
        found.append(
            f"{counts.early_acks:,} packets were acknowledged before they were captured: clocks of interfaces"
            " differ, or their order does, and round trips of these are left out"
        )
    if counts.strays:
        found.append(
            f"{counts.strays:,} segments are outside of every window of their connections and count nowhere"
            " else"
        )
    if counts.missing_bytes:
        found.append(
            f"{counts.missing_bytes:,} bytes were acknowledged and are not in the capture: it has holes"
        )
    if counts.one_way:
        of = _count(counts.connections, "connection")
        found.append(f"only one direction was captured of {counts.one_way:,} of {of}")
    return found


def _left_out(capture: Capture) -> list[str]:
    """Lines that say which findings do not go by all rows: other timeouts, rates and shares."""
    return [
        f"{number:,} {what}, which are more than --rows allows, are left out of {where}"
        for name, what, where in (
            ("samples", "round trips", "what is said of other timeouts, forecasts and rates"),
            ("events", "events", "what is said of other timeouts"),
            ("passed", "packets", "the share that does not respond"),
        )
        if (number := capture.left_out.get(name, 0))
    ]
