"""Types of the fields of parts, for type checkers.

A field that holds a rate takes ``28e6``, ``28 * Mbit`` or ``"28 Mbit/s"`` and holds a float in bit/s. Type
checkers see both sides: :class:`Given` is what is read from a field and what may be put into it.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

__all__ = ["Bytes", "Given", "Number", "Table"]

_Held_co = TypeVar("_Held_co", covariant=True)
_Taken_contra = TypeVar("_Taken_contra", contravariant=True)

Number: TypeAlias = "float | str | Decimal"
"""A number in base units, or text with a unit."""
Bytes: TypeAlias = "int | str | Decimal"
"""A number of bytes, or text with a unit."""
Table: TypeAlias = Mapping[str, Any]
"""A part as a table of a file."""


class Given(Generic[_Held_co, _Taken_contra]):
    """A field that holds one type and takes a wider one."""

    if TYPE_CHECKING:

        def __get__(self, instance: object, owner: type | None = None) -> _Held_co: ...
        def __set__(self, instance: object, value: _Taken_contra) -> None: ...
