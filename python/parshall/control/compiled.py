"""Controls under ``@parshall.native``: their methods, compiled by Numba into functions that the engine calls.

An instance becomes a structure: the window, then the fields of the class in their order. ``self`` is that
structure, ``self.method(...)`` another compiled function, and what the engine tells is a structure as well.
Nothing is allocated.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import math
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall import _core
from parshall.control.base import EVENTS, Control
from parshall.control.identity import code_hash, compiled_helpers
from parshall.control.interface import lent, structure
from parshall.errors import InputError, ParshallError, shown
from parshall.estimators import EwmaFilter, RtoEstimator, SlidingMad, SlidingMedian

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["compiled", "compiler"]

_TOLD = {
    "on_start": None,
    "on_ack": "ack",
    "on_loss": "loss",
    "on_mark": "loss",
    "on_timeout": "loss",
    "on_restart": "moment",
    "on_timer": "moment",
}
"""What each method is told, as a structure."""

_ESTIMATORS = (EwmaFilter, SlidingMad, SlidingMedian, RtoEstimator)

RAISED = -(2**31)
"""What a function returns after an exception."""

_RETURNS_WINDOW = ("on_loss", "on_mark", "on_timeout")


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
            "numba is not installed; pip install 'parshall[numba]' for controls under @parshall.native"
        ) from None
    _teach_lent_functions(numba)
    return numba


def _teach_lent_functions(numba: Any) -> None:
    """Lets compiled code call the engine's own functions."""
    from numba.extending import overload

    for name in ("cbrt", "exp", "log"):
        overload(getattr(_core, name))(_unary(lent(name)))
    power = lent("pow")
    overload(_core.pow)(lambda x, y: lambda x, y: power(x, y))  # noqa: PLW0108 - Numba asks for a function


def _unary(function: Callable[..., float]) -> Callable[..., Any]:
    return lambda x: lambda x: function(x)  # noqa: PLW0108 - Numba asks for a function


def compiled(cls: type[Control], instance: Control, time_limit: float | None) -> _core.CompiledControls:
    """What makes compiled controls that begin as ``instance``. Raises InputError if that cannot be."""
    state, estimators = _state(cls, instance)
    functions, code = _functions(cls, state.dtype, tuple(estimators))
    places = [functions.get(name, 0) for name in (*EVENTS, "on_report")]
    report = cls.report.asked() if cls.report is not None else None
    return _core.CompiledControls(
        cls.__name__,
        places,
        state.tobytes(),
        bool(cls.exact_echo),
        time_limit,
        code,
        report,
        [(_offset(state.dtype, name), each._core) for name, each in estimators.items()],
    )


def _state(cls: type[Control], instance: Control) -> tuple[NDArray[Any], dict[str, Any]]:
    """An instance as a structure, and the estimators in it, in whose places there will be pointers. Raises
    InputError for a field that does not fit into one.
    """
    window = structure("window")
    layout: list[Any] = [(name, window[name]) for name in window.names or ()]
    values = {}
    estimators = {}
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        value = getattr(instance, field.name)
        if isinstance(value, _ESTIMATORS):
            estimators[field.name], value = value, 0
        array = _as_array(f"{cls.__name__}.{field.name}", value, field.type)
        if field.name in window.fields:  # type: ignore[operator]
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
        raise InputError(place, shown(value), "a number, a flag, or an array of them, in a compiled control")
    return array


_compiled: dict[tuple[Any, ...], tuple[dict[str, int], list[Any]]] = {}


def _functions(
    cls: type[Control], layout: np.dtype[Any], estimators: tuple[str, ...]
) -> tuple[dict[str, int], list[Any]]:
    """The addresses of a class's functions by their names, and what keeps these alive. ``estimators`` are the
    fields that hold pointers to such.
    """
    key = (code_hash(cls, Control), layout, estimators)  # globals are constants in what is compiled
    if key not in _compiled:
        own = {name for each in cls.__mro__[: cls.__mro__.index(Control)] for name in vars(each)}
        for helper in compiled_helpers(cls, Control):
            helper.recompile()  # if it was compiled before, what it refers to may have been another value
        build = _Builder(cls, layout, estimators)
        functions = {name: build.entry(name) for name in EVENTS if name in own}
        if cls.report is not None:
            functions["on_report"] = build.entry("on_report")
        _compiled[key] = ({name: each.address for name, each in functions.items()}, list(functions.values()))
    return _compiled[key]


class _Builder:
    """Compiles the methods of a class for one layout of its state."""

    def __init__(self, cls: type[Control], layout: np.dtype[Any], estimators: tuple[str, ...]) -> None:
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

    def told(self, name: str) -> np.dtype[Any] | None:
        """What a method is told, as a structure."""
        if name == "on_report":
            assert self.cls.report is not None
            return np.dtype([(field, np.float64) for field in self.cls.report.fields])
        told = _TOLD[name]
        return None if told is None else structure(told)

    def entry(self, name: str) -> Any:
        """The function that the engine calls."""
        numba = self.numba
        types = numba.types
        as_self = _view(numba, self.self_type)
        returns = types.float64 if name in _RETURNS_WINDOW else types.int32
        told = self.told(name)
        if told is None:
            signature = returns(types.voidptr)
            function = _start_entry(as_self)
        else:
            signature = returns(types.voidptr, types.voidptr)
            as_told = _view(numba, numba.from_dtype(told))
            function = _entries(name)(as_self, as_told)
        try:
            return numba.cfunc(signature)(function)
        except KeyError as error:  # of a structure
            place, known = (
                f"{self.cls.__name__}.{name}",
                "a field that the class declares, or one of what it is told",
            )
            raise InputError(place, f"{error.args[0]}, which is no field", known) from None
        except numba.core.errors.NumbaError as error:
            raise InputError(
                f"{self.cls.__name__}.{name}", "what Numba cannot compile", _reason(error)
            ) from error


def _always(function: Callable[..., Any]) -> Callable[..., Any]:
    """Answers any types with the same function; Numba looks at names of arguments."""

    def choose(*_arguments: Any) -> Callable[..., Any]:
        return function

    choose.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return choose


def _reason(error: Exception) -> str:
    """What a message of Numba's is about: its innermost error, and the line of code that it names."""
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


def _start_entry(as_self: Any) -> Callable[..., Any]:
    def on_start(state):  # type: ignore[no-untyped-def]
        try:
            as_self(state).on_start()
        except Exception:
            return RAISED
        return 0

    return on_start


def _entries(name: str) -> Callable[[Any, Any], Callable[..., Any]]:
    """What makes the entry of a method. Numba resolves attributes at compile time, so each method has its
    own.
    """
    returned = "return float({call})" if name in _RETURNS_WINDOW else "{call}\n            return 0"
    failed = "math.nan" if name in _RETURNS_WINDOW else "RAISED"
    text = f"""
def make(as_self, as_told):
    def {name}(state, told):
        try:
            {returned.format(call=f"as_self(state).{name}(as_told(told))")}
        except Exception:
            return {failed}
    return {name}
"""
    names: dict[str, Any] = {"math": math, "RAISED": RAISED}
    exec(text, names)
    made: Callable[[Any, Any], Callable[..., Any]] = names["make"]
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
