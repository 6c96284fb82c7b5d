"""Readers of single values of sweep files: each takes what was written and returns what is stored, or says
what was expected. The path of an InputError raised here is relative: empty, or the index of an item.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import TypeVar

from parshall.errors import InputError, shown

__all__ = ["U32_MAX", "list_of", "name", "names", "positive", "text", "whole"]

U32_MAX = 2**32 - 1

T = TypeVar("T")


def whole(least: int, most: int) -> Callable[[object], int]:
    """Reads whole numbers in a range, NumPy's too; never a bool, text, or a float."""
    limits = f"from {least} to {most}" if most <= U32_MAX else f"of at least {least}"

    def read(value: object) -> int:
        if isinstance(value, Integral) and not isinstance(value, bool) and least <= int(value) <= most:
            return int(value)
        raise InputError("", shown(value), f"a whole number {limits}")

    return read


def positive(value: object) -> float:
    """A number above 0."""
    try:
        number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.inf
    if 0 < number < math.inf:
        return number
    raise InputError("", shown(value), "a number above 0")


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
        return tuple(_item(read, items, index) for index in range(len(items)))

    return read_list


def _item(read: Callable[[object], T], items: Sequence[object], index: int) -> T:
    """Reads one item of a list."""
    try:
        return read(items[index])
    except InputError as error:
        raise InputError(f"[{index}]{error.path}", error.value, error.expected) from None
