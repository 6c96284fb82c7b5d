"""Reading a JSON object field by field, so that nothing in it is overlooked.

Every field is read or deliberately left aside; :meth:`Fields.done` refuses what is then left over.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from parshall.errors import InputError, shown

__all__ = ["Fields"]

_ABSENT = object()


class Fields:
    """A JSON object at a known place. What is wrong with it raises InputError with that place."""

    def __init__(self, value: object, place: str) -> None:
        if not isinstance(value, dict):
            raise InputError(place, shown(value), "an object")
        self.place = place
        self._values: dict[str, Any] = value
        self._left = dict.fromkeys(value)

    @property
    def read(self) -> Mapping[str, Any]:
        """The values as they stand in the file."""
        return self._values

    def error(self, name: str, expected: str) -> InputError:
        """A field that is not as it should be."""
        value = self._values.get(name, _ABSENT)
        return InputError(self._place(name), "nothing" if value is _ABSENT else shown(value), expected)

    def whole(self, name: str, least: int) -> int:
        """A whole number of at least ``least``."""
        value = self._take(name)
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        raise self.error(name, f"a whole number of at least {least}")

    def number(self, name: str, *, zero: bool = False) -> float:
        """A finite number above zero, or at least zero."""
        value = self._take(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            number = float(value)
            if number > 0 or (zero and number == 0):
                return number
        raise self.error(name, "a number of at least 0" if zero else "a number above 0")

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._take(name)
        if isinstance(value, bool):
            return value
        raise self.error(name, "true or false")

    def one_of(self, name: str, choices: Sequence[str]) -> str:
        """One of these words."""
        value = self._take(name)
        if isinstance(value, str) and value in choices:
            return value
        raise self.error(name, " or ".join(f'"{choice}"' for choice in choices))

    def word(self, name: str) -> str:
        """Printable text on one line that is not empty."""
        value = self._take(name)
        if isinstance(value, str) and value and value.isprintable():
            return value
        raise self.error(name, "text on one line")

    def exactly(self, name: str, value: object, why: str) -> None:
        """Nothing but ``value``, for the reason given."""
        found = self._take(name)
        if found != value or isinstance(found, bool) != isinstance(value, bool):
            raise self.error(name, f"{shown(value)}, {why}")

    def table(self, name: str) -> Fields:
        """An object."""
        return Fields(self._take(name), self._place(name))

    def tables(self, name: str) -> list[Fields]:
        """A list of objects."""
        values = self.items(name)
        return [Fields(value, f"{self._place(name)}[{index}]") for index, value in enumerate(values)]

    def items(self, name: str) -> list[Any]:
        """A list."""
        value = self._take(name)
        if isinstance(value, list):
            return value
        raise self.error(name, "a list")

    def plain(self, name: str) -> Any:
        """Whatever it holds."""
        return self._take(name)

    def leave(self, *names: str) -> None:
        """Fields that say nothing about the run. They may be missing."""
        for name in names:
            self._left.pop(name, None)

    def left(self) -> list[str]:
        """Names of the fields that were not asked for."""
        return list(self._left)

    def done(self) -> None:
        """Refuses fields that were not asked for."""
        if self._left:
            name = next(iter(self._left))
            raise self.error(name, "no field of this name")

    def _take(self, name: str) -> Any:
        self._left.pop(name, None)
        value = self._values.get(name, _ABSENT)
        return None if value is _ABSENT else value

    def _place(self, name: str) -> str:
        return f"{self.place}.{name}"
