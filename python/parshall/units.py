"""Units: constants to multiply with, and the reader of quantities such as ``"28 Mbit/s"``.

The constants are in SI base units, so ``28 * Mbit`` is a rate in bit/s and ``50 * ms`` a duration in seconds.
Prefixes are decimal (``k`` = 1000); the binary ones are ``Ki``, ``Mi``, ``Gi``. A capital ``B`` is a byte.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from numbers import Integral, Real

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

_NUMBER = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?)\s*(\S.*)?", re.ASCII)

# 60 digits hold any double to far below a picosecond, so the only rounding is the one to the step.
_EXACT = Context(prec=60, rounding=ROUND_HALF_EVEN)


@dataclass(frozen=True)
class Dimension:
    """A kind of quantity: its units, the step it is rounded to, and the greatest value allowed."""

    name: str
    example: str
    base: str
    units: dict[str, Decimal]
    step: Decimal
    greatest: Decimal

    def parse(self, value: object, *, zero: bool = False) -> Decimal:
        """A number in base units, or text with a unit, rounded to the step.

        Raises InputError (with an empty path) for another dimension, a negative value, zero unless ``zero``
        says that it makes sense, NaN, and what is out of range.
        """
        if not isinstance(zero, bool):
            raise InputError("zero", shown(zero), "a truth value")
        quantity = self._quantity(value, zero)
        if not quantity.is_finite() or quantity < 0 or (quantity == 0 and not zero):
            raise self._error(value, zero)
        if quantity > self.greatest:
            raise InputError(
                "", shown(value), f"a {self.name} of at most {float(self.greatest):g} {self.base}"
            )
        # Adding zero makes -0 into 0.
        rounded = quantity.quantize(self.step, context=_EXACT) + 0
        if rounded == 0 < quantity:
            raise InputError("", shown(value), f"a {self.name} of at least {float(self.step):g} {self.base}")
        return rounded

    def _quantity(self, value: object, zero: bool) -> Decimal:
        if isinstance(value, str):
            match = _NUMBER.fullmatch(value.strip())
            unit = self.units.get(match[2] or "") if match else None
            if match is None or unit is None:
                raise self._error(value, zero)
            return _EXACT.multiply(Decimal(match[1]), unit)
        if type(value) is float:  # as below, without asking abstract classes: scenarios may hold very many
            return Decimal(repr(value))
        if isinstance(value, Decimal):
            return value
        if isinstance(value, Integral) and not isinstance(value, bool):
            return Decimal(int(value))
        if isinstance(value, Real) and not isinstance(value, bool):
            # The shortest text of a double is what its writer meant: 23.71 * ms is 23.71 ms after rounding.
            return _shortest(value)
        raise self._error(value, zero)

    def exact(self, value: float) -> Decimal:
        """A number in base units as it is, without rounding. Raises InputError as :meth:`parse` does."""
        quantity = None if isinstance(value, str) else self._quantity(value, zero=True)
        if quantity is None or not quantity.is_finite() or quantity < 0:
            raise self._error(value, zero=True)
        return quantity

    def _error(self, value: object, zero: bool) -> InputError:
        least = "of at least 0" if zero else "above 0"
        return InputError(
            "", shown(value), f'a {self.name} {least} such as "{self.example}"{self._hint(value)}'
        )

    def _hint(self, value: object) -> str:
        """The unit that was meant when only the case is wrong."""
        match = _NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
        given = (match[2] or "") if match else ""
        alike = [unit for unit in self.units if unit.lower() == given.lower()]
        return f' (the unit is "{alike[0]}")' if alike and given not in alike else ""


def _shortest(value: Real) -> Decimal:
    try:
        return Decimal(repr(float(value)))
    except OverflowError:
        return Decimal("Infinity")


def _table(**units: str) -> dict[str, Decimal]:
    return {name: Decimal(factor) for name, factor in units.items()}


_BIT_RATES = _table(bit="1", kbit="1e3", Mbit="1e6", Gbit="1e9", Tbit="1e12")
_BYTE_RATES = _table(B="8", kB="8e3", MB="8e6", GB="8e9")
_SECONDS = _table(ps="1e-12", ns="1e-9", us="1e-6", ms="1e-3", s="1", min="60", h="3600")
_BYTES = _table(B="1", kB="1e3", MB="1e6", GB="1e9", KiB="1024", MiB="1048576", GiB="1073741824")

RATE = Dimension(
    name="rate",
    example="28 Mbit/s",
    base="bit/s",
    units=(
        {f"{unit}/s": factor for unit, factor in (_BIT_RATES | _BYTE_RATES).items()}
        | {f"{unit.removesuffix('it')}/s": factor for unit, factor in _BIT_RATES.items()}
        | {f"{unit.removesuffix('it')}ps": factor for unit, factor in _BIT_RATES.items()}
    ),
    step=Decimal("1e-3"),
    greatest=Decimal("1e15"),
)
"""Rates in bit/s, to 0.001 bit/s."""

DURATION = Dimension(
    name="duration",
    example="50 ms",
    base="s",
    units=_SECONDS | {"µs": _SECONDS["us"], "μs": _SECONDS["us"]},
    step=Decimal("1e-12"),
    greatest=Decimal("1e7"),
)
"""Durations in seconds, to a picosecond."""

SIZE = Dimension(
    name="size",
    example="64 kB",
    base="bytes",
    units=_BYTES,
    step=Decimal("1e-3"),
    greatest=Decimal("1e15"),
)
"""Sizes in bytes; :func:`parse_size` wants them whole."""


def parse_rate(value: object) -> float:
    """Bit/s, above zero, of a number or of text such as ``"28 Mbit/s"``, ``"28 Mbps"`` or ``"3.5 MB/s"``."""
    return float(RATE.parse(value))


def parse_duration(value: object, *, zero: bool = True) -> float:
    """Seconds of a number or of text such as ``"50 ms"``; ``zero`` says whether zero is allowed."""
    return float(DURATION.parse(value, zero=zero))


def parse_size(value: object, *, zero: bool = False) -> int:
    """Whole bytes of a number or of text such as ``"64 kB"`` or ``"1.5 KiB"``."""
    size = SIZE.parse(value, zero=zero)
    if size != size.to_integral_value():
        raise InputError("", shown(value), f'a whole number of bytes, or a size such as "{SIZE.example}"')
    return int(size)


def format_rate(rate: float) -> str:
    """Text that :func:`parse_rate` reads back to the same value."""
    return _format(rate, RATE, ("Tbit/s", "Gbit/s", "Mbit/s", "kbit/s", "bit/s"))


def format_duration(duration: float) -> str:
    """Text that :func:`parse_duration` reads back to the same value."""
    return _format(duration, DURATION, ("s", "ms", "us", "ns", "ps"))


def _format(value: float, dimension: Dimension, units: tuple[str, ...]) -> str:
    """In the largest unit that leaves at least one before the point; zero in the base unit."""
    exact = dimension.exact(value)
    smallest = units[-1] if exact else dimension.base
    unit = next((unit for unit in units if exact >= dimension.units[unit]), smallest)
    number = _EXACT.divide(exact, dimension.units[unit]).normalize()
    return f"{number:f} {unit}"
