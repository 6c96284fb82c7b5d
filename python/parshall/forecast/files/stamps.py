"""Times of samples as files write them: seconds, ISO 8601 and its kin, what date, ts and syslog print."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import NamedTuple

__all__ = ["Stamp", "epoch", "leading", "rising", "stamp"]

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = "|".join(_MONTHS)
_DAY = 86400.0

_NUMBER = r"\d+(?:[.,]\d+)?"
_CLOCK = r"(?P<clock>\d{1,2}:\d\d(?::\d\d)?)(?P<fraction>[.,]\d+)?(?: ?(?P<half>[AP]M))?"
_ZONE = r"(?: ?(?P<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?"
_ISO = rf"(?P<date>\d{{4}}(?P<mark>[-/.])\d\d(?P=mark)\d\d)(?:[T ]{_CLOCK}{_ZONE})?"
_DOTTED = rf"(?P<date>\d\d\.\d\d\.\d{{4}}),?(?: {_CLOCK}{_ZONE})?"
_BASIC = r"(?P<date>\d{8})T(?P<clock>\d{6})(?P<fraction>[.,]\d+)?(?P<zone>Z|[+-]\d\d(?::?\d\d)?)?"
_WORDS = (
    r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?"
    rf"(?:(?P<month>{_MONTH}) +(?P<day>\d{{1,2}})|(?P<day2>\d{{1,2}}) (?P<month2>{_MONTH}))"
    rf"(?:,? +(?P<year>\d{{4}}))?,? {_CLOCK}"
    r"(?: (?P<zone>[+-]\d\d:?\d\d|[A-Z]{2,5}))?(?: (?P<year2>\d{4}))?"
)

_CALENDAR = tuple(re.compile(form) for form in (_ISO, _DOTTED, _BASIC, _WORDS))
_OF_DAY = re.compile(_CLOCK)
_SECONDS = re.compile(_NUMBER)
_LEADING = tuple(
    re.compile(rf"\s*[\[(]?(?P<text>{form})[\])]?(?:\s*[:|,;>-])?\s+(?=\S)")
    for form in (_BASIC, _ISO, _DOTTED, _WORDS, _CLOCK, r"\d{9,13}(?:[.,]\d+)?", r"\d+[.,]\d+")
)


class Stamp(NamedTuple):
    """A time that was read."""

    seconds: float
    """Since 1970 in UTC, since midnight, or since whenever the file begins to count."""
    kind: str
    """``"date"``, ``"clock"`` or ``"number"``: from which of them."""


def stamp(text: str) -> Stamp | None:
    """The time that a text says; ``None`` if it is none, or one whose day and month could be swapped.

    Without a zone it counts as UTC, and without a year as of a leap year: only differences are meant.
    """
    text = text.strip()
    if _SECONDS.fullmatch(text):
        return Stamp(epoch(float(text.replace(",", "."))), "number")
    if found := _OF_DAY.fullmatch(text):
        seconds = _of_day(found)
        return None if seconds is None else Stamp(seconds, "clock")
    for form in _CALENDAR:
        if found := form.fullmatch(text):
            return _of_calendar(found.groupdict())
    return None


def leading(line: str) -> tuple[Stamp | None, str]:
    """The time that stands before the rest of a line, and the rest."""
    for form in _LEADING:
        if found := form.match(line):
            read = stamp(found["text"])
            if read is not None:
                return read, line[found.end() :]
    return None, line


def rising(stamps: Sequence[Stamp]) -> list[float] | None:
    """Seconds of stamps of one kind, those of clocks across midnight; ``None`` if they are of several."""
    if len({each.kind for each in stamps}) > 1:
        return None
    seconds, days = [], 0.0
    for before, each in zip((None, *stamps), stamps, strict=False):
        if each.kind == "clock" and before is not None and each.seconds < before.seconds - _DAY / 2:
            days += _DAY
        seconds.append(each.seconds + days)
    return seconds


def epoch(number: float) -> float:
    """Seconds, into which milli-, micro- and nanoseconds since 1970 are turned, from 2001 on."""
    for unit in (1e3, 1e6, 1e9):
        if 1e9 <= number / unit < 4.2e9:
            return number / unit
    return number


def _of_day(found: re.Match[str] | dict[str, str | None]) -> float | None:
    clock, fraction, half = found["clock"], found["fraction"], found["half"]
    parts = [int(part) for part in (clock or "0:0").split(":")]
    hours, minutes, seconds = (*parts, 0)[:3]
    if half:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if half == "PM" else 0)
    if hours > 23 or minutes > 59 or seconds > 59:
        return None
    return hours * 3600.0 + minutes * 60 + seconds + (float(fraction.replace(",", ".")) if fraction else 0.0)


def _of_calendar(found: dict[str, str | None]) -> Stamp | None:
    clock = found.get("clock")
    if clock and ":" not in clock:
        found = {**found, "clock": f"{clock[:2]}:{clock[2:4]}:{clock[4:]}"}
    seconds = _of_day({"half": None, **found})
    day = _date(found)
    if seconds is None or day is None:
        return None
    return Stamp(day + seconds - _offset(found.get("zone")), "date")


def _date(found: dict[str, str | None]) -> float | None:
    """Midnight of a date, as seconds since 1970."""
    if "month" in found:
        year = found["year"] or found["year2"] or "2000"
        month = _MONTHS.index(found["month"] or found["month2"] or "") + 1
        text = f"{year}-{month:02}-{int(found['day'] or found['day2'] or 0):02}"
    else:
        date = (found["date"] or "").replace("/", "-").replace(".", "-")
        if "-" not in date:
            date = f"{date[:4]}-{date[4:6]}-{date[6:]}"
        text = date if date[4] == "-" else "-".join(reversed(date.split("-")))
    try:
        return datetime.fromisoformat(text).replace(tzinfo=timezone.utc).timestamp()
    except ValueError:
        return None


def _offset(zone: str | None) -> float:
    """Seconds that a zone is ahead of UTC; a name says nothing, and is taken for UTC."""
    if not zone or zone[0] not in "+-":
        return 0.0
    digits = zone[1:].replace(":", "")
    size = int(digits[:2]) * 3600 + int(digits[2:] or 0) * 60
    return -float(size) if zone[0] == "-" else float(size)
