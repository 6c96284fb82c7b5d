"""Code points of DiffServ: the six bits of a packet that say how routers treat it, and their names."""

from __future__ import annotations

from numbers import Integral

from parshall.errors import InputError, shown

__all__ = ["CODE_POINTS", "MOST", "code_point", "code_point_name", "treatment"]

MOST = 63
"""Six bits."""

CODE_POINTS: dict[str, int] = {
    "DF": 0,
    "LE": 1,
    **{f"CS{number}": 8 * number for number in range(1, 8)},
    **{f"AF{number}{drop}": 8 * number + 2 * drop for number in range(1, 5) for drop in range(1, 4)},
    "VOICE-ADMIT": 44,
    "EF": 46,
}
"""Names of the standard code points: the default class (RFC 2474), class selectors, lower effort (RFC 8622),
assured forwarding (RFC 2597) and expedited forwarding (RFC 3246)."""

_NAMES = {value: name for name, value in CODE_POINTS.items()}
_EXPECTED = "a code point from 0 to 63, or a name such as AF11, EF, CS1 or DF"


def code_point(value: object) -> int:
    """A code point by its number or its name, in capitals or not."""
    if isinstance(value, str) and value.upper() in CODE_POINTS:
        return CODE_POINTS[value.upper()]
    if isinstance(value, Integral) and not isinstance(value, bool) and 0 <= int(value) <= MOST:
        return int(value)
    raise InputError("", shown(value), _EXPECTED)


def treatment(value: object) -> int | str:
    """A code point, or the word drop."""
    if value == "drop":
        return "drop"
    try:
        return code_point(value)
    except InputError as error:
        raise InputError("", error.value, f'{error.expected}, or "drop"') from None


def code_point_name(value: int) -> str:
    """The name of a code point, or its number where it has none."""
    return _NAMES.get(value, str(value))
