"""Programs that print a line for each request: their forms as data, and the one reader of all of them.

A form says which lines are replies, which tell of a loss, where a run begins, what its statistics are, and
which lines say nothing of requests. Any other line is refused by its number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from parshall.errors import InputError, shown
from parshall.forecast.files.events import End, Event, Lost, Reply, Start
from parshall.forecast.files.numbers import duration
from parshall.forecast.files.stamps import Stamp, leading

__all__ = ["Form", "form_events", "has_form"]

_EVERYWHERE = re.compile(r"\s*$|\s*\^C\s*$|[#$>%] |\S*[@\]>]\S*[#$>%] ")
"""Empty lines, an interrupt, and what was typed behind a prompt."""


_LOOKED_AT = 200
"""Lines in which a program makes itself known."""


@dataclass(frozen=True)
class Form:
    """How the lines of a program look."""

    known: str
    """A pattern of lines that only this program prints."""
    reply: str
    """Groups: ``time``; ``unit``, ``sign`` (``<``), ``seq`` and ``host`` where there are any."""
    lost: str
    """A group ``seq`` where the line has the number."""
    start: str
    """A group ``target``."""
    end: tuple[str, ...]
    """Groups ``sent`` and ``received``, of one line or of several."""
    other: str
    """Lines that say nothing of a request."""
    unit: str = "ms"
    first: int | None = None
    """The number of a run's first request."""
    double: str | None = None
    """A line that tells of a further reply to a request; a group ``seq``."""
    marks: bool = False
    """True if a number that is there again, without such a line, can only be of another run."""
    doubles_received: bool = False
    """True if the statistics count those among the received."""


def has_form(form: Form, lines: Sequence[str]) -> bool:
    """Returns true if lines have a form, as the first ones tell."""
    known = re.compile(form.known)
    return any(known.search(line) for line in lines[:_LOOKED_AT])


def form_events(form: Form, file: str, lines: Sequence[str]) -> Iterator[Event]:
    """Reads each line. Raises InputError for one that is not of the form."""
    reply, lost, start = re.compile(form.reply), re.compile(form.lost), re.compile(form.start)
    ends, other = [re.compile(end) for end in form.end], re.compile(form.other)
    double = re.compile(form.double) if form.double else None
    counts: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        stamp, rest = leading(line)
        if double is not None and (found := double.search(rest)):
            yield Reply(number, int(found["seq"]), None, again=True)
        elif found := reply.search(rest):
            yield _reply(form, file, number, found, stamp)
        elif found := start.search(rest):
            counts = {}
            yield Start(number, found["target"].rstrip(":"), form.first)
        elif found := next((found for end in ends if (found := end.search(rest))), None):
            counts |= {name: int(count) for name, count in found.groupdict().items() if count}
            if {"sent", "received"} <= counts.keys():
                sent, received = counts["sent"], counts["received"]
                yield End(number, sent, received, form.first, doubles_received=form.doubles_received)
                counts = {}
        elif found := lost.search(rest):
            sequence = found.groupdict().get("seq")
            yield Lost(number, int(sequence) if sequence else None, stamp)
        elif not (other.search(rest) or _EVERYWHERE.match(line)):
            raise InputError(
                f"{file}:{number}", shown(line.strip()), "a reply, or a line that tells of its loss"
            )


def _reply(form: Form, file: str, line: int, found: re.Match[str], stamp: Stamp | None) -> Reply:
    groups = found.groupdict()
    text = f"{found['time']}{groups.get('unit') or form.unit}"
    read = duration(text)
    if read is None:
        raise InputError(f"{file}:{line}", shown(text), "a round-trip time such as 12.3 ms")
    seconds, step = read
    sequence = groups.get("seq")
    return Reply(
        line,
        int(sequence) if sequence else None,
        # A time below a bound lies anywhere between it and 0.
        seconds / 2 if groups.get("sign") == "<" else seconds,
        stamp,
        host=groups.get("host"),
        step=step,
    )
