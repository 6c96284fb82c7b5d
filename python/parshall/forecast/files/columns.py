"""Which columns of a table hold round-trip times, times of samples, states of requests, names of hosts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from parshall.errors import InputError, shown
from parshall.forecast.files.numbers import SECONDS_IN, unit_of

__all__ = ["Columns", "columns_of"]

_TIME = re.compile(
    r"time ?stamp|times?|t|ts|stamp|date|date ?time|epoch|unix|utc|when|sent|sent ?at|seconds|elapsed|start|"
    r"created ?at|zeit|zeitstempel|datum|uhrzeit|heure|date heure|fecha|hora|data|ora|"
    r"frame time(?: relative| epoch)?"
)
_RTT = re.compile(r"rtt|round ?trip")
_ALIKE = re.compile(r"latency|latenz|latence|latencia|delay|ping|resp(?:onse)? ?time|antwortzeit")
_NEVER = re.compile(
    r"(?:icmp )?(?:seq|req)(?: no| number)?|n|no|nr|number|id|index|count|ttl|hlim|bytes|size|port|hop|"
    r"jitter|loss|%.*"
)
_STATE = re.compile(
    r"(?:reply |ping |probe |icmp )?"
    r"(?:status|state|result|outcome|error|message|reason|zustand|ergebnis)(?: text)?"
)
"""Columns in which a word tells whether a request was answered."""
_ANSWERED = re.compile(r"(?:probe |ping )?(?:success|successful|ok|alive|up|received|reachable|answered)")
"""Columns that are 0 or false where it was not."""
_UNANSWERED = re.compile(r"(?:is )?(?:lost|timeout|timed ?out|failed|dropped)")
"""Columns that are 1 or true where it was not."""
_WHOSE = re.compile(
    r"(?:src|source|dst|dest(?:ination)?|remote|target|peer|server|client|host)"
    r"(?: ?(?:host|name|ip|addr(?:ess)?|port))?|host ?name|address|"
    r"ip(?:v[46])?(?: ?addr(?:ess)?)?|ip(?:v6)? (?:src|dst|addr|host)|(?:tcp|udp|quic)? ?stream|"
    r"(?:tcp|udp) (?:src|dst)? ?port|[sd]port|eth (?:src|dst)|"
    r"(?:flow|conn(?:ection)?|session|probe|prb)(?: id)?|"
    r"agent|monitor|site|node|region|instance|endpoint|url|interface|iface|link|path|direction"
)
"""Columns that say whose round-trip times stand in a row."""
_PACKET = re.compile(
    r"(?:frame|tcp|udp|ip|ipv6|eth|icmp|icmpv6|dns|http|tls|quic|sctp|_ws)\..+|"
    r"(?:the )?rtt to ack.*|protocol|length|info",
    re.IGNORECASE,
)
"""Columns of tables that have a row for each packet, with a round-trip time or none."""
_KNOWN = {
    "tcp.analysis.ack_rtt": "s",
    "tcp.analysis.initial_rtt": "s",
    "icmp.resptime": "ms",
    "icmpv6.resptime": "ms",
    "dns.time": "s",
    "http.time": "s",
}
"""Units of names that have none: fields of Wireshark."""

_ONE_WAY = re.compile(r"one ?way|\bowd\b|\bipdv\b|uplink|downlink|\bhalf\b")
"""Names of times that are no round trips."""
_DERIVED = re.compile(
    r"\bs ?rtt\b|srtt|smooth|average|\bavg\b|\bmean\b|\bmin|\bmax|median|mdev|\bvar|percentile|\bp\d\d\b"
)
"""Names of what is worked out of several round trips."""

_BRACKETED = re.compile(r"[(\[](?:in )?([^)\]]+)[)\]]\s*$")
_TRAILING = re.compile(r"(?:[\W_]|(?<=rtt)(?=[mun]s$)|(?<=[a-z])(?=[MUN]s$|Sec$))([^\W\d_]+)\W*$")


@dataclass(frozen=True)
class Columns:
    """Places of columns."""

    value: int
    unit: str | None
    times: tuple[int, ...] = ()
    """A column of times, or one of dates and one of clocks."""
    time_unit: str | None = None
    states: tuple[int, ...] = ()
    answered: tuple[int, ...] = ()
    unanswered: tuple[int, ...] = ()
    whose: tuple[int, ...] = ()
    derived: str | None = None
    """The name of a column that has no single round trips, such as ``srtt``."""
    packets: bool = False
    """True if rows are packets, of which many have no round-trip time."""


def columns_of(place: str, header: Sequence[str], column: str | None, unit: str | None) -> Columns:
    """The columns of a table with names; ``column`` names that of round-trip times. Raises InputError."""
    plain = [_plain(title) for title in header]
    times = [n for n, title in enumerate(plain) if _TIME.fullmatch(title)]
    found = _named(place, header, column) if column is not None else _value(place, header, plain, times)
    times = [n for n in times if n != found]

    def called(form: re.Pattern[str]) -> tuple[int, ...]:
        return tuple(
            n for n, title in enumerate(plain) if n != found and n not in times and form.fullmatch(title)
        )

    powershell = {"ping", "latency", "status"} <= set(plain) or {"responsetime", "statuscode"} <= set(plain)
    return Columns(
        found,
        _unit(place, header[found], unit) or ("ms" if powershell and unit is None else None),
        tuple(times[:2]),
        _unit(place, header[times[0]], "s") if times else None,
        called(_STATE),
        called(_ANSWERED),
        called(_UNANSWERED),
        called(_WHOSE),
        header[found] if _DERIVED.search(plain[found]) else None,
        any(_PACKET.fullmatch(title.strip()) for title in header),
    )


def _named(place: str, header: Sequence[str], column: str) -> int:
    found = [n for n, title in enumerate(header) if title.lower() == column.strip().lower()]
    if len(found) != 1:
        raise InputError(place, shown(", ".join(header)), f"a column {shown(column)}")
    return found[0]


def _value(place: str, header: Sequence[str], plain: Sequence[str], times: Sequence[int]) -> int:
    """The column of round-trip times: the one that is called so, or the only one that could be."""
    one_way = [n for n, title in enumerate(plain) if _ONE_WAY.search(title)]
    times = [*times, *one_way]
    exact = [n for n, title in enumerate(plain) if "rtt" in title.split()]
    latency = [n for n, title in enumerate(plain) if title in ("latency", "responsetime")]
    for found in (
        exact,
        [n for n, title in enumerate(plain) if _RTT.search(title)],
        latency,
        [n for n, title in enumerate(plain) if _ALIKE.search(title) and n not in one_way],
        [n for n in range(len(header)) if n not in times],
    ):
        if len(found) == 1 and not _NEVER.fullmatch(plain[found[0]]):
            return found[0]
        if found:
            break
    raise InputError(place, shown(", ".join(header)), "one column whose name holds rtt")


def _plain(title: str) -> str:
    """A name in small letters, its words with spaces between them, without a unit behind it."""
    bracketed = _BRACKETED.search(title)
    if bracketed and unit_of(bracketed[1].strip()):
        title = title[: bracketed.start()]
    elif (trailing := _TRAILING.search(title)) and unit_of(trailing[1]):
        title = title[: trailing.start()]
    return " ".join(re.sub(r"[\W_]+", " ", title).lower().split())


def _unit(place: str, title: str, unless: str | None) -> str | None:
    """The unit that a name says. One in brackets that is unknown is a fault, unless it is known elsewhere."""
    if title.lower() in _KNOWN:
        return _KNOWN[title.lower()]
    if bracketed := _BRACKETED.search(title):
        unit = unit_of(bracketed[1].strip())
        if unit is None and unless is None:
            raise InputError(place, shown(title), f"one of the units {', '.join(SECONDS_IN)}")
        return unit
    trailing = _TRAILING.search(title)
    return unit_of(trailing[1] if trailing else title)
