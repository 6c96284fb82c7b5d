"""Arguments of the estimators: numbers, counts and arrays, checked, with one line about what is wrong."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar

import numpy as np

from parshall.errors import InputError, InputTypeError, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

_Kind = TypeVar("_Kind")

__all__ = ["Faults", "all_of", "call", "choice", "count", "flags", "real", "reals", "samples", "wrong_type"]


def samples(name: str, values: ArrayLike) -> Floats:
    """``values`` as an array of numbers in one dimension."""
    try:
        if isinstance(values, np.ma.MaskedArray):
            values = np.ma.filled(values.astype(np.float64), np.nan)
        array = np.asarray(values)
        numeric = array if array.dtype.kind in "fiu" or array.size == 0 else _from_objects(array)
        floats = np.ascontiguousarray(numeric, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise wrong_type(name, values, "an array of numbers") from None
    if array.ndim != 1:
        raise InputError(name, f"an array of shape {array.shape}", "one dimension")
    return floats


def _from_objects(array: NDArray[Any]) -> Floats:
    """Numbers that NumPy has no type for, such as fractions; never text, truth values or times."""
    if array.dtype.kind != "O":
        raise TypeError
    return array.astype(np.float64)


def flags(values: ArrayLike | None, name: str = "retransmitted") -> NDArray[np.bool_] | None:
    """A truth value for each sample; ``None`` stays ``None``."""
    if values is None:
        return None
    array = np.asarray(values)
    if array.dtype.kind != "b" and array.size > 0:
        raise wrong_type(name, values, "an array of truth values")
    if array.ndim != 1:
        raise InputError(name, f"an array of shape {array.shape}", "one dimension")
    return np.ascontiguousarray(array, dtype=np.bool_)


def reals(**values: float) -> dict[str, float]:
    """The arguments as floats."""
    return {name: real(name, value) for name, value in values.items()}


def choice(name: str, value: object, known: Sequence[str]) -> str:
    """One of the words that there are."""
    if isinstance(value, str) and value in known:
        return value
    raise InputError(name, shown(value), " or ".join(f'"{word}"' for word in known))


def real(name: str, value: float) -> float:
    """A number that is neither text nor a truth value."""
    if isinstance(value, str | bytes | bool):
        raise wrong_type(name, value, "a number")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise wrong_type(name, value, "a number") from None


def count(name: str, value: SupportsIndex, least: int = 0, most: int = 2**32 - 1) -> int:
    """A whole number from ``least`` to ``most``."""
    if isinstance(value, bool):
        raise wrong_type(name, value, "a whole number")
    try:
        number = operator.index(value)
    except TypeError:
        raise wrong_type(name, value, "a whole number") from None
    if not least <= number <= most:
        raise InputError(name, shown(number), f"a whole number from {least} to {most}")
    return number


def key(name: str, value: SupportsIndex) -> int:
    """A key, ticket or seed: a whole number of 64 bits."""
    return count(name, value, most=2**64 - 1)


def wrong_type(name: str, value: object, expected: str) -> InputTypeError:
    """The error for an argument of a type that cannot be used."""
    return InputTypeError(name, shown(value), expected)


def all_of(name: str, values: object, kind: type[_Kind], expected: str) -> list[_Kind]:
    """A list of what is of one class. Raises InputTypeError."""
    found = list(values) if isinstance(values, Iterable) else None
    if found is None or not all(isinstance(each, kind) for each in found):
        raise wrong_type(name, values, expected)
    return found


def call(name: str, arguments: dict[str, Any]) -> str:
    """A call with these arguments, as source."""
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"


class Faults:
    """Turns what the extension says about a value into an :class:`InputError`; ``names`` has what an argument
    is called here, by what it is called there.
    """

    def __init__(self, **names: str) -> None:
        self._names = names

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        if isinstance(fault, ValueError) and not isinstance(fault, InputError):
            place, value, expected = fault.args
            raise InputError(self._names.get(place, place), value, expected) from None
