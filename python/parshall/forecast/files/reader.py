"""A file as a series: by whoever knows its form."""

from __future__ import annotations

import math
from collections.abc import Sequence

from parshall.errors import InputError
from parshall.forecast.files.fping import fping_events, is_fping
from parshall.forecast.files.measured import Measured
from parshall.forecast.files.others import refuse_others
from parshall.forecast.files.requests import End, Event, Reply, put_together
from parshall.forecast.files.table import read_table
from parshall.forecast.files.text import lines_of
from parshall.forecast.files.unix_ping import is_unix_ping, unix_events
from parshall.forecast.files.windows_ping import is_windows_ping, windows_events

__all__ = ["read_file"]


def read_file(file: str, column: str | None, unit: str | None) -> Measured:
    """The round-trip times of a file; ``-`` is the standard input. Raises InputError."""
    lines = lines_of(file)
    refuse_others(file, lines)
    if is_unix_ping(lines):
        return _ping(file, "ping", list(unix_events(file, lines)))
    if is_fping(lines):
        return _ping(file, "fping", list(fping_events(file, lines)))
    if is_windows_ping(lines):
        return _ping(file, "ping", list(windows_events(file, lines)))
    return read_table(file, lines, column, unit)


def _ping(file: str, program: str, events: Sequence[Event]) -> Measured:
    replies = [event for event in events if isinstance(event, Reply)]
    counted = [event for event in events if isinstance(event, End) and event.received > 0]
    if replies and all(reply.rtt is None for reply in replies):
        place = f"{file}:{replies[0].line}"
        raise InputError(
            place, "replies without a time (ping -s below 16)", "a time in each, such as time=12.3 ms"
        )
    if not replies and counted:
        place = f"{file}:{counted[0].line}"
        raise InputError(place, f"statistics of {program} alone (-q or -f)", "a line for each reply")
    found = put_together(file, program, events)
    if all(map(math.isnan, found.values)):
        expected = "lines such as: 64 bytes from 192.0.2.1: icmp_seq=1 time=12.3 ms"
        raise InputError(file, "no reply", expected)
    return found
