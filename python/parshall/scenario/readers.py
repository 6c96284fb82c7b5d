"""Readers of single values: each takes what a user wrote and returns what is stored, or says what was
expected.

The path of an InputError raised here is relative: empty, or the index of an item in a list.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, TypeVar

from parshall.errors import InputError, shown
from parshall.scenario.code_points import code_point
from parshall.units import RATE, parse_duration, parse_rate, parse_size

__all__ = [
    "I64_MAX",
    "U32_MAX",
    "code_points",
    "duration_or_list",
    "finite",
    "flag",
    "instants",
    "level",
    "level_not_negative",
    "list_of",
    "name",
    "names",
    "not_negative",
    "packet_size",
    "period",
    "plain",
    "range_of",
    "rate_or_zero",
    "rate_range",
    "real",
    "size",
    "size_or_zero",
    "text",
    "values",
    "whole",
    "writes",
]

U32_MAX = 2**32 - 1
I64_MAX = 2**63 - 1
"""The most that an integer of TOML can be."""
MAX_PACKET_BYTES = 65_535

_NO_EXPONENT_BELOW = 1e7
_DIGITS_OF_A_PICOSECOND = 1 + 12
"""The point included."""

T = TypeVar("T")


def whole(least: int, most: int) -> Callable[[object], int]:
    """Reads whole numbers in a range, NumPy's too; never a bool, text, or a float."""
    limits = f"from {least} to {most}" if most <= U32_MAX else f"of at least {least}"

    def read(value: object) -> int:
        if isinstance(value, Integral) and not isinstance(value, bool) and least <= int(value) <= most:
            return int(value)
        raise InputError("", shown(value), f"a whole number {limits}")

    return read


def real(holds: Callable[[float], bool], expected: str) -> Callable[[object], float]:
    """Reads plain numbers for which ``holds``."""

    def read(value: object) -> float:
        if isinstance(value, Real | Decimal) and not isinstance(value, bool):
            number = _float(value)
            if math.isfinite(number) and holds(number):
                return number + 0.0  # -0.0 and 0.0 are one value and must hash alike
        raise InputError("", shown(value), expected)

    return read


def _float(value: Real | Decimal) -> float:
    try:
        return float(value)
    except (OverflowError, ValueError):  # beyond the range of a double, or a signalling NaN
        return math.nan


finite = real(lambda _: True, "a finite number")
"""Reads any number."""


def level(value: object) -> float:
    """Any number, of whatever unit; or a duration as text, in seconds."""
    return parse_duration(value) if isinstance(value, str) else finite(value)


not_negative = real(lambda x: x >= 0, "a number of at least 0")
"""Reads numbers of at least 0."""


def level_not_negative(value: object) -> float:
    """A number of at least 0, of whatever unit; or a duration as text, in seconds."""
    return parse_duration(value) if isinstance(value, str) else not_negative(value)


def period(value: object) -> float:
    """A duration above zero."""
    return parse_duration(value, zero=False)


def flag(value: object) -> bool:
    """True or false, and nothing that merely counts as such."""
    if isinstance(value, bool):
        return value
    raise InputError("", shown(value), "true or false")


def text(value: object) -> str:
    """Text for people, on one line; it may be empty."""
    if isinstance(value, str) and value.isprintable():
        return value
    raise InputError("", shown(value), "text on one line")


def name(value: object) -> str:
    """Printable text that is not empty."""
    if isinstance(value, str) and value and value.isprintable():
        return value
    raise InputError("", shown(value), "a name: printable text that is not empty")


def names(value: object) -> tuple[str, ...]:
    """A list of names; one may stand without brackets."""
    return (name(value),) if isinstance(value, str) else list_of(name)(value)


def list_of(
    read: Callable[[object], T], least: int = 0, most: int | None = None
) -> Callable[[object], tuple[T, ...]]:
    """Reads lists, item by item; an item's error says which."""
    size = f"a list of {least}" if most == least else "a list that is not empty" if least else "a list"

    def read_list(value: object) -> tuple[T, ...]:
        items = value.tolist() if hasattr(value, "tolist") else value  # a NumPy array is no Sequence
        # Text is a sequence too, and would be taken apart. The abstract class is slow to ask.
        if not isinstance(items, (list, tuple, Sequence)) or isinstance(items, str | bytes):
            raise InputError("", shown(value), size)
        if len(items) < least or (most is not None and len(items) > most):
            raise InputError("", shown(value), size)
        return tuple(item(read, items, index) for index in range(len(items)))

    return read_list


def item(read: Callable[[object], T], items: Sequence[object], index: int) -> T:
    """Reads one item of a list."""
    try:
        return read(items[index])
    except InputError as error:
        raise InputError(f"[{index}]{error.path}", error.value, error.expected) from None


def range_of(read: Callable[[object], float]) -> Callable[[object], tuple[float, float]]:
    """Reads a least and a greatest value."""
    read_pair = list_of(read, 2, 2)

    def read_range(value: object) -> tuple[float, float]:
        low, high = read_pair(value)
        if low > high:
            raise InputError("", shown(value), "the smaller value first")
        return low, high

    return read_range


def rate_or_zero(value: object) -> float:
    """A rate in bit/s, zero included."""
    return float(RATE.parse(value, zero=True))


rate_range = range_of(parse_rate)
"""Reads a least and a greatest rate."""


def packet_size(least: int) -> Callable[[object], int]:
    """Reads sizes of packets or of parts of them, from ``least`` to what IPv4 can carry."""

    def read(value: object) -> int:
        size = parse_size(value, zero=least == 0)
        if size > MAX_PACKET_BYTES:
            raise InputError(
                "", shown(value), f"a size of at most {MAX_PACKET_BYTES} bytes, as IPv4 can carry"
            )
        return size

    return read


def size(most: int) -> Callable[[object], int]:
    """Reads sizes from 1 byte to ``most``."""

    def read(value: object) -> int:
        number = parse_size(value)
        if number > most:
            raise InputError("", shown(value), f"a size of at most {most} bytes")
        return number

    return read


def size_or_zero(value: object) -> int:
    """A size of any number of bytes, none included."""
    return parse_size(value, zero=True)


def code_points(value: object) -> tuple[int, ...]:
    """A list of code points; one may stand without brackets."""
    return (code_point(value),) if isinstance(value, str | int) else list_of(code_point)(value)


def instants(value: object) -> tuple[float, ...]:
    """Times in ascending order, at least one."""
    times = list_of(_instant, 1)(value)
    for index in range(1, len(times)):
        if times[index] < times[index - 1]:
            raise InputError(f"[{index}]", shown(times[index]), "times in ascending order")
    return times


def _instant(value: object) -> float:
    """A duration. Recordings have many thousands of them, and most need no rounding."""
    if type(value) is float and 0 < value < _NO_EXPONENT_BELOW:
        text = repr(value)
        if "e" not in text and len(text) - text.index(".") <= _DIGITS_OF_A_PICOSECOND:
            return value
    return parse_duration(value)


def duration_or_list(value: object) -> float | tuple[float, ...]:
    """One duration, or a list of them."""
    if isinstance(value, str | Real | Decimal):
        return parse_duration(value)
    return list_of(parse_duration, 1)(value)


def writes(value: object) -> tuple[tuple[float, int], ...]:
    """Pairs of a time and a number of packets, in order of time."""
    pairs = list_of(_write)(value)
    for index in range(1, len(pairs)):
        if pairs[index][0] < pairs[index - 1][0]:
            raise InputError(f"[{index}][0]", shown(pairs[index][0]), "times in ascending order")
    return pairs


def _write(value: object) -> tuple[float, int]:
    pair = list_of(_anything, 2, 2)(value)
    return item(parse_duration, pair, 0), item(whole(1, U32_MAX), pair, 1)


def _anything(value: object) -> object:
    return value


def values(value: object) -> dict[str, Any]:
    """Reads a table of plain values."""
    if not isinstance(value, Mapping):
        raise InputError("", shown(value), "a table")
    return {str(name): plain(str(name), value[name]) for name in sorted(value, key=str)}


def plain(place: str, value: Any) -> Any:
    """A value that a file can hold, without NumPy's types."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real) and math.isfinite(value):
        return float(value)
    if isinstance(value, list | tuple):
        return tuple(plain(f"{place}[{index}]", each) for index, each in enumerate(value))
    raise InputError(place, shown(value), "a finite number, true or false, text, or a list of them")
