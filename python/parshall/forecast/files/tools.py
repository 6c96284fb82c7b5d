"""Programs whose output is read, as data: how each is recognised, what it gives, and which function reads it.

The first tool that knows the lines reads them. The guide's list and the tests are of this table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from parshall.errors import InputError, shown
from parshall.forecast.files.events import End, Event, Reply
from parshall.forecast.files.forms import Form, form_events, has_form
from parshall.forecast.files.fping import fping_events, is_fping
from parshall.forecast.files.line_tools import FORMS
from parshall.forecast.files.measured import Measured
from parshall.forecast.files.mtr import is_mtr_raw, read_mtr_raw
from parshall.forecast.files.records import RECORDS, is_json, read_json
from parshall.forecast.files.requests import put_together
from parshall.forecast.files.sockperf import is_sockperf, read_sockperf
from parshall.forecast.files.unix_ping import is_unix_ping, not_understood, unix_events
from parshall.forecast.files.windows_ping import is_windows_ping, windows_events

__all__ = ["TOOLS", "Tool"]

_EXPECTED = "lines such as: 64 bytes from 192.0.2.1: icmp_seq=1 time=12.3 ms"


@dataclass(frozen=True)
class Tool:
    """A program, or several that print alike."""

    name: str
    gives: str
    """The samples that its output gives, as the guide says it."""
    knows: Callable[[Sequence[str]], bool]
    read: Callable[[str, Sequence[str]], Measured]
    general: bool = False
    """True if lines of programs that are refused look like its own: those are asked first."""


def _numbered(
    program: str, events: Callable[[str, Sequence[str]], Iterable[Event]], *, marks: bool
) -> Callable[[str, Sequence[str]], Measured]:
    return partial(_requests, program, events, marks)


def _requests(
    program: str,
    events: Callable[[str, Sequence[str]], Iterable[Event]],
    marks: bool,
    file: str,
    lines: Sequence[str],
) -> Measured:
    """Reads what a program says of each request. Raises InputError where there is no time of any."""
    happened = list(events(file, lines))
    replies = [event for event in happened if isinstance(event, Reply)]
    counted = [event for event in happened if isinstance(event, End) and event.received > 0]
    if replies and all(reply.rtt is None for reply in replies):
        place = f"{file}:{replies[0].line}"
        raise InputError(
            place, "replies without a time (ping -s below 16)", "a time in each, such as time=12.3 ms"
        )
    if not replies and counted:
        place = f"{file}:{counted[0].line}"
        raise InputError(place, f"statistics of {program} alone (-q or -f)", "a line for each reply")
    found = put_together(file, program, happened, marks=marks)
    if all(map(math.isnan, found.values)):
        raise InputError(file, "no reply", _EXPECTED)
    return found


def _unix(file: str, lines: Sequence[str]) -> Iterator[Event]:
    events = list(unix_events(file, lines))
    strange = None if any(isinstance(event, Reply) for event in events) else not_understood(lines)
    if strange is not None:
        raise InputError(f"{file}:{strange}", shown(lines[strange - 1].strip()), _EXPECTED)
    yield from events


def _of_form(name: str, form: Form) -> Tool:
    has_numbers = "(?P<seq>" in form.reply
    gives = "a sample for each request" if has_numbers or form.lost != "(?!)" else "a sample for each reply"
    read = _numbered(name, partial(form_events, form), marks=form.marks)
    return Tool(name, gives, partial(has_form, form), read)


TOOLS: tuple[Tool, ...] = (
    Tool(
        f"JSON of {', '.join(RECORDS)}",
        "a sample for each request, with its time where there is one",
        is_json,
        read_json,
    ),
    Tool("mtr --raw", "the last hop's: a sample for each probe", is_mtr_raw, read_mtr_raw),
    Tool("sockperf --full-log", "a sample for each message: `rxTime - txTime`", is_sockperf, read_sockperf),
    *(_of_form(name, form) for name, form in FORMS.items()),
    Tool(
        "ping of Linux (any age, with `icmp_req`, `-D`, `-O`, in other languages), macOS, BSD, Solaris, "
        "BusyBox, inetutils, Junos, NX-OS, SR OS, FortiOS and others that print alike; `hping3`; `oping`",
        "a sample for each request. Those that nobody answered are gaps, at both ends too, as far as numbers "
        "and statistics tell",
        is_unix_ping,
        _numbered("ping", _unix, marks=True),
        general=True,
    ),
    Tool(
        "fping -l, -c, -C",
        "a sample for each request",
        is_fping,
        _numbered("fping", fping_events, marks=False),
        general=True,
    ),
    Tool(
        "ping of Windows, in any language",
        "a sample for each line; `<1ms` counts as 0.5 ms",
        is_windows_ping,
        _numbered("ping", windows_events, marks=True),
        general=True,
    ),
)
"""In the order in which they are asked."""
