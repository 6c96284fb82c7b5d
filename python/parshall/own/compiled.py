"""Parts under ``@parshall.native``: their methods, compiled by Numba into functions that the engine calls.

An instance becomes a structure: the head of its kind, a window for one, then the fields of the class in their
order. ``self`` is that structure, ``self.method(...)`` another compiled function, and what the engine tells
is a structure as well. Nothing is allocated.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import math
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall import _core
from parshall.errors import InputError, ParshallError, shown
from parshall.estimators import EwmaFilter, RtoEstimator, SlidingMad, SlidingMedian
from parshall.own.base import Part
from parshall.own.identity import code_hash, compiled_helpers
from parshall.own.interface import lent, structure, structures
from parshall.own.kinds import Event, base_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["compiled", "compiler"]

_ESTIMATORS = (EwmaFilter, SlidingMad, SlidingMedian, RtoEstimator)

RAISED = -(2**31)
"""Value that a function returns after an exception."""


@cache
def compiler() -> str:
    """Name and version of the compiler. Raises ParshallError if it is not installed."""
    return f"numba {_numba().__version__}"


@cache
def _numba() -> Any:
    try:
        import numba
    except ImportError:
        raise ParshallError(
            "numba is not installed; pip install 'parshall[numba]' for parts under @parshall.native"
        ) from None
    _teach_lent_functions(numba)
    return numba


def _teach_lent_functions(numba: Any) -> None:
    """Lets compiled code call the engine's own functions."""
    from numba.extending import overload

    for name in ("cbrt", "exp", "log"):
        overload(getattr(_core, name))(_unary(lent(name)))
    overload(_verdict, strict=False)(_typed_verdict)
    power = lent("pow")
    overload(_core.pow)(lambda x, y: lambda x, y: power(x, y))  # noqa: PLW0108 - Numba asks for a function


def _verdict(value: int | None, nothing: int) -> int:
    """A whole number, and ``nothing`` in place of None."""
    return nothing if value is None else value


def _typed_verdict(value: Any, nothing: Any) -> Callable[..., Any] | None:
    """Implementation of :func:`_verdict` for types of Numba; a truth value is no number."""
    types = _numba().types
    if isinstance(value, types.NoneType):
        return lambda value, nothing: nothing
    kind = value.type if isinstance(value, types.Optional) else value
    if not isinstance(kind, types.Integer):
        return None
    if kind is value:
        return lambda value, nothing: value
    return lambda value, nothing: nothing if value is None else value


def _unary(function: Callable[..., float]) -> Callable[..., Any]:
    return lambda x: lambda x: function(x)  # noqa: PLW0108 - Numba asks for a function


def compiled(
    cls: type[Part], instance: Part, time_limit: float | None, options: dict[str, Any]
) -> _core.CompiledParts:
    """Maker of compiled parts that begin as ``instance``. Raises InputError if that cannot be."""
    state, estimators = _state(cls, instance)
    functions, code = _functions(cls, state.dtype, tuple(estimators))
    return _core.CompiledParts(
        cls.__name__,
        [functions.get(event.name, 0) for event in cls._events()],
        state.tobytes(),
        time_limit,
        code,
        [(_offset(state.dtype, name), each._core) for name, each in estimators.items()],
        **options,
    )


def _state(cls: type[Part], instance: Part) -> tuple[NDArray[Any], dict[str, Any]]:
    """An instance as a structure, and the estimators in it, in whose places there will be pointers. Raises
    InputError for a field that does not fit into one.
    """
    head = structure(cls._kind.name, cls._kind.head)
    layout: list[Any] = [(name, head[name]) for name in head.names or ()]
    values = {}
    estimators = {}
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        value = getattr(instance, field.name)
        if isinstance(value, _ESTIMATORS):
            estimators[field.name], value = value, 0
        array = _as_array(f"{cls.__name__}.{field.name}", value, field.type)
        if field.name in head.fields:  # type: ignore[operator]
            raise InputError(
                f"{cls.__name__}.{field.name}", "a field", "another name: the engine sets this one"
            )
        layout.append((field.name, array.dtype, array.shape))
        values[field.name] = array
    state = np.zeros(1, np.dtype(layout, align=True))
    for name, value in values.items():
        state[name] = value
    return state, estimators


def _offset(layout: np.dtype[Any], name: str) -> int:
    assert layout.fields is not None
    return layout.fields[name][1]


def _as_array(place: str, value: Any, kind: Any) -> NDArray[Any]:
    if kind in (float, "float") and isinstance(value, int):
        value = float(value)
    array = np.asarray(value)
    if array.dtype.kind not in "bif":
        raise InputError(place, shown(value), "a number, a flag, or an array of them, in a compiled part")
    return array


_compiled: dict[tuple[Any, ...], tuple[dict[str, int], list[Any]]] = {}


def _functions(
    cls: type[Part], layout: np.dtype[Any], estimators: tuple[str, ...]
) -> tuple[dict[str, int], list[Any]]:
    """The addresses of a class's functions by their names, and what keeps these alive. ``estimators`` are the
    fields that hold pointers to such.
    """
    base = base_of(cls._kind)
    key = (
        cls._kind.name,
        code_hash(cls, base),
        layout,
        estimators,
    )  # globals are constants in what is compiled
    if key not in _compiled:
        own = {name for each in cls.__mro__[: cls.__mro__.index(base)] for name in vars(each)}
        for helper in compiled_helpers(cls, base):
            helper.recompile()  # if it was compiled before, what it refers to may have been another value
        build = _Builder(cls, layout, estimators)
        functions = {event.name: build.entry(event) for event in cls._events() if event.name in own}
        _compiled[key] = ({name: each.address for name, each in functions.items()}, list(functions.values()))
    return _compiled[key]


class _Builder:
    """Compiles the methods of a class for one layout of its state."""

    def __init__(self, cls: type[Part], layout: np.dtype[Any], estimators: tuple[str, ...]) -> None:
        self.cls = cls
        self.numba = _numba()
        self.self_type = _self_type(self.numba, layout)
        self._teach_methods()
        for name in estimators:
            _teach_estimator(type(self.self_type), name, layout)

    def _teach_methods(self) -> None:
        from numba.extending import overload_method

        kind = type(self.self_type)
        random = lent("random")
        overload_method(kind, "random")(lambda self: lambda self: random(self.flow))
        for name, member in inspect.getmembers(self.cls, inspect.isfunction):
            if not name.startswith("__") and name != "random":
                overload_method(kind, name, strict=False)(_always(member))  # type: ignore[call-arg]

    def told(self, event: Event) -> Iterator[tuple[Any, Any]]:
        """Type of each argument in an entry, and the function that sees it as a structure, if it is one."""
        types = self.numba.types
        kind = self.cls._kind.name
        for name, told in event.told:
            if told in _NUMBERS:
                yield getattr(types, _NUMBERS[told]), None
                continue
            layout = structure(kind, told) if told in structures(kind) else self.cls._layout(name)
            yield types.voidptr, _view(self.numba, self.numba.from_dtype(layout))

    def entry(self, event: Event) -> Any:
        """The function that the engine calls."""
        numba = self.numba
        types = numba.types
        told = list(self.told(event))
        arguments = [types.voidptr, *(kind for kind, _ in told)]
        if event.returns == "maybe":
            arguments.append(types.CPointer(types.float64))
        returns = types.float64 if event.returns == "number" else types.int32
        function = _entry(event, _view(numba, self.self_type), [view for _, view in told])
        place = f"{self.cls.__name__}.{event.name}"
        try:
            return numba.cfunc(returns(*arguments))(function)
        except KeyError as error:  # of a structure
            known = "a field that the class declares, or one of what it is told"
            raise InputError(place, f"{error.args[0]}, which is no field", known) from None
        except numba.core.errors.NumbaError as error:
            raise InputError(place, "what Numba cannot compile", _reason(error)) from error


_NUMBERS = {"double": "float64", "int64_t": "int64"}


def _always(function: Callable[..., Any]) -> Callable[..., Any]:
    """Answers any types with the same function; Numba looks at names of arguments."""

    def choose(*_arguments: Any) -> Callable[..., Any]:
        return function

    choose.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return choose


def _reason(error: Exception) -> str:
    """Gist of a message of Numba's: its innermost error, and the line of code that it names."""
    text = _TYPES.sub("a structure", str(error))
    innermost = text[max((match.end() for match in _ERRORS.finditer(text)), default=0) :]
    lines = [line.strip() for line in innermost.splitlines()]
    told = [
        line
        for line in itertools.takewhile(lambda line: not line.startswith(("File", "During")), lines)
        if line
    ]
    places = [f" ({Path(match[1]).name}, line {match[2]})" for match in _PLACES.finditer(innermost)][:1]
    return f"what it can: {' '.join(told)[:300]}{''.join(places)}"


_TYPES = re.compile(r"Record\(.*?;(True|False)\)")
_ERRORS = re.compile(r"\w+Error: |Failed in nopython mode pipeline \(.*?\)")
_PLACES = re.compile(r'File "([^"]*)", line (\d+):')


_BODIES = {
    "nothing": "{call}\n            return 0",
    "number": "return float({call})",
    "verdict": "return _verdict({call}, {nothing})",
    "maybe": "value = {call}\n            if value is None:\n                return 1\n"
    "            out[0] = value\n            return 0",
}
"""Bodies of entries, by what a method returns."""


def _entry(event: Event, as_self: Any, views: list[Any]) -> Callable[..., Any]:
    """The entry of a method. Numba resolves attributes at compile time, so each method has its own."""
    names = [f"told{index}" for index in range(len(views))]
    seen = [
        name if view is None else f"view{index}({name})"
        for index, (name, view) in enumerate(zip(names, views, strict=True))
    ]
    call = f"as_self(state).{event.name}({', '.join(seen)})"
    given = ", ".join(["state", *names, *(["out"] if event.returns == "maybe" else [])])
    text = f"""
def make(as_self, {", ".join(f"view{index}" for index in range(len(views)))}):
    def {event.name}({given}):
        try:
            {_BODIES[event.returns].format(call=call, nothing=event.nothing)}
        except Exception:
            return {"math.nan" if event.returns == "number" else "RAISED"}
    return {event.name}
"""
    scope: dict[str, Any] = {"math": math, "RAISED": RAISED, "_verdict": _verdict}
    exec(text, scope)
    made: Callable[..., Any] = scope["make"](as_self, *views)
    return made


def _self_type(numba: Any, layout: np.dtype[Any]) -> Any:
    """A type of Numba for ``self``: a record with methods, and one of its own for each class."""
    from numba.core.datamodel import models
    from numba.extending import register_model

    record = numba.from_dtype(layout)
    kind = type("Self", (numba.types.Record,), {})
    register_model(kind)(models.RecordModel)
    fields = [
        (
            name,
            {
                "type": each.type,
                "offset": each.offset,
                "alignment": each.alignment,
                "title": each.title,
            },
        )
        for name, each in record.fields.items()
    ]
    return kind(fields, record.size, record.aligned)


@cache
def _estimator_type() -> Any:
    """A type of Numba for an estimator of the library's: a pointer, with ``update(sample)`` and ``value``."""
    from numba.core import types
    from numba.core.datamodel import models
    from numba.extending import intrinsic, overload_attribute, overload_method, register_model

    update, value = lent("update"), lent("value")

    class Estimator(types.Type):
        def __init__(self) -> None:
            super().__init__(name="parshall.Estimator")

    register_model(Estimator)(models.OpaqueModel)

    def as_number(_context: Any, estimator: Any) -> Any:
        def cast(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.ptrtoint(arguments[0], context.get_value_type(types.int64))

        return types.int64(estimator), cast

    number: Any = intrinsic(as_number)
    overload_method(Estimator, "update")(
        lambda estimator, sample: lambda estimator, sample: update(number(estimator), sample)
    )
    overload_attribute(Estimator, "value")(lambda estimator: lambda estimator: value(number(estimator)))
    return Estimator()


def _teach_estimator(kind: Any, name: str, layout: np.dtype[Any]) -> None:
    """Makes a field of ``self`` an estimator: what is stored there is the pointer to it."""
    from numba.core import cgutils
    from numba.extending import intrinsic, overload_attribute

    offset = _offset(layout, name)
    estimator = _estimator_type()

    def load(_context: Any, own: Any) -> Any:
        def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            pointer = context.get_value_type(estimator)
            add: Any = cgutils.pointer_add
            place = add(builder, arguments[0], offset, pointer.as_pointer())
            return builder.load(place)

        return estimator(own), code

    loaded: Any = intrinsic(load)
    overload_attribute(kind, name)(lambda own: lambda own: loaded(own))  # noqa: PLW0108 - Numba asks for it


def _view(numba: Any, kind: Any) -> Any:
    """A function of compiled code that sees a pointer as a structure."""
    from numba.extending import intrinsic

    def view(_context: Any, pointer: Any) -> Any:
        def cast(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(kind))

        return kind(pointer), cast

    return intrinsic(view)
