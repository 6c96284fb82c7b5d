"""Output of ``fping``: a line for each request (-l, -c), or one for all of them (-C)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from parshall.errors import InputError, shown
from parshall.forecast.files.events import End, Event, Lost, Reply, Start
from parshall.forecast.files.numbers import duration
from parshall.forecast.files.stamps import leading

__all__ = ["fping_events", "is_fping"]

_REQUEST = re.compile(
    r"(?P<host>\S(?:.*\S)?)\s+: \[(?P<seq>\d+)\], "
    r"(?:(?P<lost>timed out)|\d+ bytes, (?P<time>\d+(?:\.\d+)?) ms)\b"
    r"(?: \((?P<mean>\S+) avg, (?P<share>\d+)% loss\))?"
)
_ALL = re.compile(r"(?P<host>\S(?:.*\S)?)\s+:(?P<values>(?: (?:\d+(?:\.\d+)?|-)){2,})$")
_END = re.compile(r"(?P<host>\S(?:.*\S)?)\s+: xmt/rcv/%loss = (?P<sent>\d+)/(?P<received>\d+)/")
_DUPLICATE = re.compile(r"\S.* : duplicate for \[\d+\]")
_REQUEST_LIKE = re.compile(r"\s: \[\d+\]")
_ALIVE = re.compile(r"\S+ is (?:alive|unreachable)(?: \([\d.]+ ms\))?$")
EXPECTED = "a line for each request, as fping -l, -c and -C print them"


def is_fping(lines: Sequence[str]) -> bool:
    """Returns true for output of fping."""
    forms = (_REQUEST, _END, _ALIVE)
    return any(form.search(line) for line in lines for form in forms) or (
        any(_ALL.match(line) for line in lines)
        and all(not line or _ALL.match(line) or _DUPLICATE.match(line) for line in lines)
    )


def fping_events(file: str, lines: Sequence[str]) -> Iterator[Event]:
    """Reads each line. Raises InputError for a line of a request that cannot be understood, and for
    summaries alone.
    """
    parted = [leading(line) for line in lines]
    single = any(_REQUEST.match(rest) for _, rest in parted)
    every = not single and any(_ALL.match(rest) for _, rest in parted)
    known: str | None = None
    for number, (stamp, rest) in enumerate(parted, 1):
        if found := _REQUEST.match(rest):
            host, sequence = found["host"], int(found["seq"])
            if host != known or (sequence == 0 and _begins(found)):
                yield Start(number, host, 0 if sequence == 0 else None)
                known = host
            if found["lost"]:
                yield Lost(number, sequence, stamp)
            else:
                rtt, step = duration(f"{found['time']} ms") or (0.0, 0.0)
                yield Reply(number, sequence, rtt, stamp, step=step)
        elif every and (found := _ALL.match(rest)):
            yield from _all(number, found)
        elif _REQUEST_LIKE.search(rest) and "duplicate" not in rest:
            raise InputError(f"{file}:{number}", shown(rest), EXPECTED)
        elif found := _END.match(rest):
            if not (single or every):
                raise InputError(f"{file}:{number}", "a summary of fping alone (-q)", EXPECTED)
            sent, received = int(found["sent"]), int(found["received"])
            yield End(number, sent, received, 0, doubles_received=True, doubles_sent=True)
        elif _ALIVE.match(rest) and not (single or every):
            raise InputError(f"{file}:{number}", "what fping says of a host that is alive", EXPECTED)


def _begins(found: re.Match[str]) -> bool:
    """True if request 0 is the first of a run, and not a second reply to it: the mean so far is its own."""
    if found["mean"] is None or found["lost"]:
        return True
    return found["share"] == "0" and abs(float(found["mean"]) - float(found["time"])) <= 0.05


def _all(number: int, found: re.Match[str]) -> Iterator[Event]:
    """The requests of a line of -C, which has a dash for each that was lost."""
    yield Start(number, found["host"], 0)
    for value in found["values"].split():
        yield Lost(number, None) if value == "-" else Reply(number, None, float(value) / 1e3)
