"""Arguments checked against annotations, for functions and classes that compute with numbers and arrays.

A wrong type gets the line that any other bad input gets, at the call and not somewhere in its arithmetic.
Ranges are the business of the function itself.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, Literal, TypeVar, get_args, get_origin

import numpy as np

from parshall.errors import InputTypeError, shown

__all__ = ["typed"]

_Checked = TypeVar("_Checked", bound=Callable[..., Any])
_Test = Callable[[object], bool]


def typed(checked: _Checked) -> _Checked:
    """Decorates a function, or a class whose ``__init__`` is one, so that arguments of other types than it is
    annotated with raise InputTypeError.

    Annotations that say nothing about numbers, arrays, texts, truth values, calls, or classes of the
    package of the function are not looked at.
    """
    if not isinstance(checked, type):
        return _wrapped(checked, checked)  # type: ignore[return-value]
    checked.__init__ = _wrapped(checked.__init__, checked)  # type: ignore[misc]
    return checked


def _wrapped(function: Callable[..., Any], named: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(function)
    module = sys.modules[named.__module__]
    tests: dict[str, list[tuple[str, _Test]]] = {}

    def tests_of() -> Mapping[str, list[tuple[str, _Test]]]:
        # Not before the first call: a class may be defined below the function.
        if not tests:
            known = {**vars(sys.modules[module.__package__ or ""]), **vars(module)}
            for name, parameter in signature.parameters.items():
                tests[name] = _tests(str(parameter.annotation), known)
        return tests

    @functools.wraps(function)
    def call(*args: Any, **more: Any) -> Any:
        try:
            given = signature.bind(*args, **more).arguments
        except TypeError:
            return function(*args, **more)  # its own words for an argument too many or too few
        for name, allowed in tests_of().items():
            if name in given and allowed and not any(test(given[name]) for _, test in allowed):
                expected = " or ".join(dict.fromkeys(words for words, _ in allowed))
                raise InputTypeError(name, shown(given[name]), expected)
        return function(*args, **more)

    return call


def _tests(annotation: str, scope: Mapping[str, Any]) -> list[tuple[str, _Test]]:
    """Tests of which one has to hold; none where anything may be given."""
    found = []
    for part in annotation.split(" | "):
        test = _KNOWN.get(part) or _by_name(part, scope)
        if test is None:
            return []
        found.append(test)
    return found


def _by_name(name: str, scope: Mapping[str, Any]) -> tuple[str, _Test] | None:
    if "Callable" in str(scope.get(name, name)):
        return "a function", callable
    kind = scope.get(name)
    if get_origin(kind) is Literal:
        return " or ".join(f'"{word}"' for word in get_args(kind)), lambda given: isinstance(given, str)
    if not isinstance(kind, type):
        return None
    if getattr(kind, "_is_protocol", False):
        methods = [member for member in vars(kind) if not member.startswith("_")]
        return (
            f"a {kind.__name__}",
            lambda given: not isinstance(given, type) and all(hasattr(given, method) for method in methods),
        )
    return f"a {kind.__name__}", lambda given: isinstance(given, kind)


def _is_real(given: object) -> bool:
    if isinstance(given, np.ndarray):
        return given.ndim == 0 and given.dtype.kind in "fiu"
    if not isinstance(given, Real) or isinstance(given, bool | np.bool_):
        return False
    try:
        float(given)
    except OverflowError:
        return False
    return True


def _is_whole(given: object) -> bool:
    return hasattr(given, "__index__") and not isinstance(given, bool | np.bool_ | np.ndarray | type)


def _is_array(given: object) -> bool:
    try:
        array = np.asarray(given)
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return False
    return given is not None and (array.size == 0 or array.dtype.kind in "fiu") and not _has_nothing(given)


def _has_nothing(given: object) -> bool:
    """Returns whether there is None among values, of which NumPy makes NaN."""
    return isinstance(given, list | tuple) and any(each is None for each in given)


_ARRAY = ("numbers", _is_array)
_KNOWN: Mapping[str, tuple[str, _Test]] = {
    "float": ("a number", _is_real),
    "int": ("a whole number", _is_whole),
    "SupportsIndex": ("a whole number", _is_whole),
    "bool": ("a truth value", lambda given: isinstance(given, bool | np.bool_)),
    "str": ("a text", lambda given: isinstance(given, str)),
    "bytes": ("bytes", lambda given: isinstance(given, bytes | bytearray | memoryview)),
    "None": ("none", lambda given: given is None),
    "ArrayLike": _ARRAY,
    "Floats": _ARRAY,
    "NDArray[np.float64]": _ARRAY,
    "NDArray[np.int64]": _ARRAY,
}
