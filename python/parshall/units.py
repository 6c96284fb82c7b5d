"""Units: constants to multiply with, and the reader of quantities such as ``"28 Mbit/s"``.

The constants are in SI base units, so ``28 * Mbit`` is a rate in bit/s and ``50 * ms`` a duration in seconds.
Prefixes are decimal (``k`` = 1000); the binary ones are ``Ki``, ``Mi``, ``Gi``. A capital ``B`` is a byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from numbers import Real

from parshall.errors import InputError, shown

__all__ = [
    "GB",
    "MB",
    "B",
    "Gbit",
    "GiB",
    "KiB",
    "Mbit",
    "MiB",
    "Tbit",
    "bit",
    "format_duration",
    "format_rate",
    "h",
    "kB",
    "kbit",
    "minute",
    "ms",
    "ns",
    "parse_duration",
    "parse_rate",
    "parse_size",
    "ps",
    "s",
    "us",
]

bit, kbit, Mbit, Gbit, Tbit = 1.0, 1e3, 1e6, 1e9, 1e12
"""Rates, in bit/s."""

ps, ns, us, ms, s, minute, h = 1e-12, 1e-9, 1e-6, 1e-3, 1.0, 60.0, 3600.0
"""Durations, in seconds."""

B, kB, MB, GB, KiB, MiB, GiB = 1, 10**3, 10**6, 10**9, 2**10, 2**20, 2**30  # noqa: N816 - SI's spelling
"""Sizes, in bytes."""

# 60 digits hold any double to far below a picosecond.
_EXACT = Context(prec=60, rounding=ROUND_HALF_EVEN)


@dataclass(frozen=True)
class Dimension:
    """A kind of quantity, whose units the crate ``parshall-scenario`` knows."""

    name: str
    example: str
    base: str

    def parse(self, value: object, *, zero: bool = False) -> float:
        """A number in base units, or text with a unit, rounded to the step of this kind.

        Raises InputError (with an empty path) for another dimension, a negative value, zero unless ``zero``
        says that it makes sense, NaN, and what is out of range.
        """
        from parshall import _core

        if not isinstance(zero, bool):
            raise InputError("zero", shown(zero), "a truth value")
        quantity, fault = _core.quantity(self.name, value, zero)
        if quantity is None:
            raise InputError("", *(fault or (shown(value), f"a {self.name}")))
        return quantity


RATE = Dimension(name="rate", example="28 Mbit/s", base="bit/s")
"""Rates in bit/s, to 0.001 bit/s."""

DURATION = Dimension(name="duration", example="50 ms", base="s")
"""Durations in seconds, to a picosecond."""

SIZE = Dimension(name="size", example="64 kB", base="bytes")
"""Sizes in whole bytes."""


def parse_rate(value: object) -> float:
    """Bit/s, above zero, of a number or of text such as ``"28 Mbit/s"``, ``"28 Mbps"`` or ``"3.5 MB/s"``."""
    return RATE.parse(value)


def parse_duration(value: object, *, zero: bool = True) -> float:
    """Seconds of a number or of text such as ``"50 ms"``; ``zero`` says whether zero is allowed."""
    return DURATION.parse(value, zero=zero)


def parse_size(value: object, *, zero: bool = False) -> int:
    """Whole bytes of a number or of text such as ``"64 kB"`` or ``"1.5 KiB"``."""
    return int(SIZE.parse(value, zero=zero))


_RATES = {"Tbit/s": "1e12", "Gbit/s": "1e9", "Mbit/s": "1e6", "kbit/s": "1e3", "bit/s": "1"}
_DURATIONS = {"s": "1", "ms": "1e-3", "us": "1e-6", "ns": "1e-9", "ps": "1e-12"}
"""Units that quantities are written in, the largest first."""


def format_rate(rate: float) -> str:
    """Text that :func:`parse_rate` reads back to the same value."""
    return _format(rate, RATE, _RATES)


def format_duration(duration: float) -> str:
    """Text that :func:`parse_duration` reads back to the same value."""
    return _format(duration, DURATION, _DURATIONS)


def _format(value: float, dimension: Dimension, units: dict[str, str]) -> str:
    """In the largest unit that leaves at least one before the point; zero in the base unit."""
    exact = _exact(value)
    if exact is None:
        expected = f'a {dimension.name} of at least 0 such as "{dimension.example}"'
        raise InputError("", shown(value), expected)
    smallest = list(units)[-1] if exact else dimension.base
    unit = next((unit for unit, factor in units.items() if exact >= Decimal(factor)), smallest)
    number = _EXACT.divide(exact, Decimal(units[unit])).normalize()
    return f"{number:f} {unit}"


def _exact(value: object) -> Decimal | None:
    """The decimal that a number of at least 0 means: the shortest that stands for it."""
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        return None
    try:
        exact = value if isinstance(value, Decimal) else Decimal(repr(float(value)))
    except OverflowError:
        return None
    return exact if exact.is_finite() and exact >= 0 else None
