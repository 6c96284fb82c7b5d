"""What ``ping`` prints, as it is: of Linux (iputils, with and without -D), macOS, FreeBSD and BusyBox."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

__all__ = ["is_ping", "read_ping"]

_REPLY = re.compile(
    r"^(?:\[(?P<stamp>\d+(?:\.\d+)?)\] )?\d+ bytes from .*?\b(?:icmp_)?seq[= ](?P<seq>\d+)\b.*?"
    r"\btime[=<](?P<time>-?\d+(?:\.\d+)?) ?ms\b(?P<rest>.*)$"
)
_LOST = re.compile(r"(?:no answer yet for|timeout for|^From .*)\b.*?(?:icmp_)?seq[= ](?P<seq>\d+)\b")
_NUMBERS = 2**16
"""Sequence numbers begin again after these many."""


def is_ping(lines: Sequence[str]) -> bool:
    """Whether this is what ping prints."""
    return any(line.startswith("PING ") or _REPLY.match(line) for line in lines[:50])


def read_ping(lines: Sequence[str]) -> tuple[list[float], list[float] | None]:
    """Round-trip times in milliseconds, one for each request, NaN for a lost reply; and the stamps of ``-D``.

    The first reply of a request counts. A lost reply's stamp lies between those around it.
    """
    rtts: dict[int, float] = {}
    stamps: dict[int, float] = {}
    lost: set[int] = set()
    newest = -1
    for line in lines:
        reply, missing = _REPLY.match(line), _LOST.search(line)
        found = reply or missing
        if found is None:
            continue
        number = _unwrapped(int(found["seq"]), newest)
        newest = max(newest, number)
        if reply is None:
            lost.add(number)
        elif number not in rtts:
            rtts[number] = float(reply["time"])
            if reply["stamp"]:
                stamps[number] = float(reply["stamp"])
    numbers = range(min(rtts, default=0), max([*rtts, *lost], default=-1) + 1)
    values = [rtts.get(number, math.nan) for number in numbers]
    return values, _stamps(numbers, stamps) if stamps and len(stamps) == len(rtts) else None


def _unwrapped(number: int, newest: int) -> int:
    """The number of a request, as if numbers never began again: the one closest to the newest so far."""
    if newest < 0:
        return number
    return number + round((newest - number) / _NUMBERS) * _NUMBERS


def _stamps(numbers: Sequence[int], stamps: dict[int, float]) -> list[float]:
    known = sorted(stamps)
    filled: list[float] = []
    place = 0
    for number in numbers:
        while place + 1 < len(known) and known[place + 1] <= number:
            place += 1
        before, after = known[place], known[min(place + 1, len(known) - 1)]
        share = (number - before) / (after - before) if after > before else 0.0
        filled.append(stamps[before] + min(share, 1.0) * (stamps[after] - stamps[before]))
    # Replies that overtook each other were answered in another order than they were asked in.
    for i in range(1, len(filled)):
        filled[i] = max(filled[i], filled[i - 1])
    return filled
