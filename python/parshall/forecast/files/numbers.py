"""Numbers as tables write them: with a point or a comma before their fraction, in groups of thousands, with a
unit behind them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from parshall.errors import InputError, shown

__all__ = [
    "NOTHING",
    "SECONDS_IN",
    "duration",
    "in_unit",
    "is_number",
    "numbers",
    "says_lost",
    "step_of",
    "unit_of",
]

SECONDS_IN = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
"""Number of each unit in a second."""

_NAMES = {
    "s": ("s", "sec", "secs", "second", "seconds", "sekunden", "secondes"),
    "ms": (
        "ms",
        "msec",
        "msecs",
        "millis",
        "millisec",
        "millisecond",
        "milliseconds",
        "мс",
        "毫秒",
        "ミリ秒",
    ),
    "us": ("us", "usec", "usecs", "µs", "μs", "micros", "microsecond", "microseconds"),
    "ns": ("ns", "nsec", "nanos", "nanosecond", "nanoseconds"),
}
_UNITS = {name: unit for unit, names in _NAMES.items() for name in names}

_LOST = re.compile(
    r"time(?:d)?[ _-]?out|lost|loss|no[ _-]?(?:reply|response|answer)|unreach|expired|exceeded|fail|error|"
    r"refused|down|dead|dropped|missing",
    re.IGNORECASE,
)
"""Words that tell of a lost reply, in whatever cell they stand."""

NOTHING = {"", "nan", "na", "n/a", "#n/a", "<na>", "nat", "null", "none", "-", "--", "*", "?", "unknown"} | {
    *("timeout", "timed out", "time out", "request timed out", "lost", "loss", "no reply", "unreachable")
}
"""Cells that say that there was no reply."""

_POINT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_COMMA = re.compile(r"[+-]?(?:\d+,\d*|,\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
"""A comma that may stand before a fraction or between thousands."""
_GROUPED = re.compile(
    r"(?P<commas>[+-]?[1-9]\d{0,2}(?:,\d{3})+)\.(?P<after_point>\d*)|(?P<many_commas>[+-]?[1-9]\d{0,2}(?:,\d{3}){2,})|"
    r"(?P<points>[+-]?[1-9]\d{0,2}(?:\.\d{3})+),(?P<after_comma>\d*)|(?P<many_points>[+-]?[1-9]\d{0,2}(?:\.\d{3}){2,})",
    re.ASCII,
)
"""Groups of thousands that can be nothing else: a fraction stands behind them, or there are several."""
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)
_PARTS_OF_TIME = re.compile(r"(\d+(?:[.,]\d*)?) *([^\W\d]+)")
_WITH_UNIT = re.compile(r"(.*[\d.,])\s*([^\W\d]+)")


def unit_of(name: str) -> str | None:
    """``s``, ``ms``, ``us`` or ``ns``; ``None`` for anything else."""
    return _UNITS.get(name.lower())


def duration(text: str) -> tuple[float, float] | None:
    """The seconds of a time with its unit, such as ``21.6 ms``, ``21,6ms`` or ``1s21ms``, and the seconds of
    its last digit; ``None`` if it is no such time.
    """
    parts = _PARTS_OF_TIME.findall(text)
    if not parts or _PARTS_OF_TIME.sub("", text).strip():
        return None
    seconds, step = 0.0, 0.0
    for digits, name in parts:
        unit = unit_of(name)
        if unit is None:
            return None
        whole, _, fraction = digits.replace(",", ".").partition(".")
        seconds += float(f"{whole}.{fraction or 0}") / SECONDS_IN[unit]
        step = 10.0 ** -len(fraction) / SECONDS_IN[unit]
    return seconds, step


def in_unit(unit: str) -> float:
    """Factor from seconds to a unit; 1 for a unit of anything else."""
    return SECONDS_IN.get(unit, 1.0)


def says_lost(cell: str) -> bool:
    """True for a word that tells of a lost reply."""
    return cell.lower() in NOTHING - {""} or bool(_LOST.search(cell))


def step_of(cell: str, unit: str | None) -> float:
    """Seconds of the last digit of a cell; 0 if that cannot be told."""
    bare, named = _parted(cell)
    if not re.fullmatch(r"\d+(?:[.,]\d+)?", bare, re.ASCII):
        return 0.0
    _, _, fraction = bare.replace(",", ".").partition(".")
    return 10.0 ** -len(fraction) / SECONDS_IN[named or unit or "s"]


def is_number(cell: str) -> bool:
    """Returns true for a cell that is a number, or says that there is none."""
    bare, _ = _parted(cell)
    return bare.lower() in NOTHING or any(
        form.fullmatch(bare) for form in (_POINT, _COMMA, _GROUPED, _INFINITE)
    )


def numbers(
    file: str, cells: Sequence[tuple[int, str]], separator: str, unit: str | None
) -> tuple[list[float], str | None]:
    """The numbers of a column in seconds, NaN where a cell says that there is none; and the unit of cells.

    ``cells`` are lines and texts. ``unit`` is that of cells that name none; without any, numbers are seconds.
    Raises InputError, which names the line.
    """
    decimal = _decimal(file, cells, separator)
    scales = {unit: SECONDS_IN[unit] for unit in SECONDS_IN}
    found: list[float] = []
    own: str | None = None
    for line, cell in cells:
        if _POINT.fullmatch(cell) and decimal == ".":
            found.append(float(cell) / scales[unit or "s"])
            continue
        bare, named = _parted(cell)
        own = own or named
        found.append(_number(f"{file}:{line}", bare, decimal, shown(cell)) / scales[named or unit or "s"])
    return found, own


def _parted(cell: str) -> tuple[str, str | None]:
    """A cell without its unit, and the unit."""
    cell = cell.strip()
    parts = _WITH_UNIT.fullmatch(cell)
    unit = unit_of(parts[2]) if parts else None
    return (parts[1].strip(), unit) if parts and unit else (cell, None)


def _number(place: str, bare: str, decimal: str, as_it_is: str) -> float:
    if bare.lower() in NOTHING:
        return math.nan
    if _POINT.fullmatch(bare) and (decimal == "." or "." not in bare):
        return float(bare)
    if _COMMA.fullmatch(bare) and decimal == ",":
        return float(bare.replace(",", "."))
    if (grouped := _GROUPED.fullmatch(bare)) and _decimal_of(grouped) == decimal:
        whole, _, fraction = bare.rpartition(decimal) if decimal in bare else (bare, "", "")
        return float(re.sub("[.,]", "", whole) + "." + (fraction or "0"))
    if _INFINITE.fullmatch(bare):
        return -math.inf if bare[0] == "-" else math.inf
    raise InputError(
        place, as_it_is, "a number" if decimal == "." else "a number with a comma, as in other lines"
    )


def _decimal_of(grouped: re.Match[str]) -> str:
    """Decimal separator, if groups of thousands are parted by the other one."""
    return "." if grouped["commas"] or grouped["many_commas"] else ","


def _decimal(file: str, cells: Sequence[tuple[int, str]], separator: str) -> str:
    """Decimal separator of a column. A comma in front of three digits may stand between
    thousands as well: other cells must tell, or semicolons between columns, where commas are decimal.
    """
    doubtful: tuple[int, str] | None = None
    for line, cell in cells:
        if "," not in cell and cell.count(".") < 2:
            continue
        bare, _ = _parted(cell)
        if grouped := _GROUPED.fullmatch(bare):
            return _decimal_of(grouped)
        if _COMMA.fullmatch(bare):
            if separator == ";" or not _THOUSANDS.fullmatch(bare):
                return ","
            doubtful = doubtful or (line, cell)
    if doubtful is None:
        return "."
    line, cell = doubtful
    raise InputError(f"{file}:{line}", shown(cell), "a point or no thousands: its comma may be either")
