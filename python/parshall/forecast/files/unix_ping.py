"""Output of ``ping`` on Unix: iputils of any age and language, with and without -D, macOS, the BSDs,
Solaris, BusyBox, GNU inetutils and hping3; with or without a time in front of each line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from parshall.errors import InputError, shown
from parshall.forecast.files.numbers import SECONDS_IN, unit_of
from parshall.forecast.files.requests import End, Event, Lost, Reply, Start
from parshall.forecast.files.stamps import leading

__all__ = ["is_unix_ping", "unix_events"]

_SEQUENCE = re.compile(r"\b(?:icmp6?_)?(?:seq|req)(?:=| )(?P<seq>\d+)\b")
_HOPS = re.compile(r"\b(?:ttl|hlim)=\d+")
_FROM = re.compile(r"\bbytes from\b")
_TIME = re.compile(
    r"(?P<sign>[=<])(?P<time>-?\d+(?:[.,]\d*)?) ?(?P<unit>ms|msec|usec|us|µs|μs|sec|s|мс|毫秒|ミリ秒)(?![\w])"
)
_BEFORE = re.compile(r"\s*\S.*?\s\d+ ?(?:bytes|octets|bajt|байт|バイト|字节)", re.IGNORECASE)
"""Something in front of a reply."""
_AGAIN = re.compile(r"\(DUP!?\)|\bduplicate\b", re.IGNORECASE)
_START = re.compile(
    r"\bPING6?(?: |\([^)]*\) \S+ --> )(?P<target>[^\s(]+)(?: ?\(|.*\bbytes\b)|"
    r"\bPing (?P<toybox>\S+) \(\S+\): \d+\(\d+\) bytes"
)
_FROM_ZERO = re.compile(r": ?\d+ (?:data )?bytes|\bPING6\(")
_INTERFACE = re.compile(r" from \S+ \S*: ?\d")
"""iputils with -I, whose line of IPv6 otherwise is that of others."""
_END = re.compile(
    r"(?:^|[^\w.,])(?P<sent>\d+) [^\d,=]+, (?P<received>\d+) (?P<what>[^\d,=]*[^\d,=\s])(?:,[^%]*)?, "
    r"\d+(?:[.,]\d+)?% "
)


def is_unix_ping(lines: Sequence[str]) -> bool:
    """Returns true for output of ping on Unix."""
    return any(_START.search(line) or _is_reply(line) for line in lines)


def _is_reply(line: str) -> bool:
    sequence = _SEQUENCE.search(line)
    return bool(sequence and (_HOPS.search(line) or _FROM.search(line) or _TIME.search(line, sequence.end())))


def unix_events(file: str, lines: Sequence[str]) -> Iterator[Event]:
    """Reads each line. Raises InputError for a reply that cannot be understood."""
    for number, line in enumerate(lines, 1):
        sequence = _SEQUENCE.search(line)
        if sequence is None:
            yield from _frame(file, number, line)
        elif _is_reply(line):
            yield _as_reply(file, number, line, sequence)
        else:
            yield Lost(number, int(sequence["seq"]))


def _frame(file: str, number: int, line: str) -> Iterator[Event]:
    """The first line of a run, and its statistics."""
    if found := _START.search(line):
        zero = _FROM_ZERO.search(line) and not _INTERFACE.search(line)
        yield Start(number, (found["target"] or found["toybox"]).rstrip(":"), 0 if zero else 1)
    elif found := _END.search(line):
        # Whoever says "packets received" begins with 0: all but iputils.
        first = {"packets received": 0, "received": 1}.get(found["what"])
        yield End(number, int(found["sent"]), int(found["received"]), first)
    elif _FROM.search(line) and _TIME.search(line):
        raise InputError(f"{file}:{number}", shown(line), "a reply with its number, such as icmp_seq=1")


def _as_reply(file: str, number: int, line: str, sequence: re.Match[str]) -> Reply:
    time = _TIME.search(line, sequence.end())
    rest = line[sequence.end() :]
    if time is None and re.search(r"(?<!ttl)(?<!hlim)(?<!ident)[=<]-?[\d.,]+", rest):
        raise InputError(f"{file}:{number}", shown(line), "a reply with a time such as time=12.3 ms")
    if time is None and not _HOPS.search(line):
        raise InputError(f"{file}:{number}", shown(line), "a whole line")
    stamp, _ = leading(line)
    rtt = None
    if time is not None:
        rtt = float(time["time"].replace(",", ".")) / SECONDS_IN[unit_of(time["unit"]) or "ms"]
        if rtt < 0:
            expected = "a round-trip time: a finite number, at least 0"
            raise InputError(f"{file}:{number}", time["time"], expected)
        # A time below a bound lies anywhere between it and 0.
        rtt = rtt / 2 if time["sign"] == "<" else rtt
    strange = stamp is None and bool(_BEFORE.match(line))
    return Reply(number, int(sequence["seq"]), rtt, stamp, bool(_AGAIN.search(line)), strange)
