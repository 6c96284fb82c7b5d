"""Base of the classes that parts of one's own are made from: parameters, methods, who they are."""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import math
import re
import types
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from typing_extensions import Self, dataclass_transform

from parshall.errors import InputError, ScenarioError, shown
from parshall.own.kinds import KINDS, Event, Kind, base_of, name_class, set_base

if TYPE_CHECKING:
    from parshall.own.kinds import OwnPart

__all__ = ["TIME_LIMIT", "Part", "checked_limit", "native"]

TIME_LIMIT = 10.0
"""Seconds that one call may take, where nothing else is said."""

_P = TypeVar("_P", bound="Part")


@dataclass_transform(eq_default=False, field_specifiers=(dataclasses.field,))
class Part:
    """Base of all parts of one's own. Derive from one of the classes made from it.

    What a class declares with a type, ``gain: float = 1.0``, is a parameter, as with ``dataclasses``; what is
    declared with ``field(init=False, default=0.0)`` is state. A class with an ``__init__`` of its own does
    without; parameters are then its arguments.
    """

    time_limit: ClassVar[float] = TIME_LIMIT
    """Seconds that one call may take before its run is given up; infinity to wait, as in a debugger."""
    compiled: ClassVar[bool] = False
    """True for a class that is compiled; see :func:`native`."""
    _kind: ClassVar[Kind]
    _called: ClassVar[tuple[str, ...]]
    """Methods that the engine calls."""
    _given: ClassVar[Any]

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "_kind" in cls.__dict__:  # one of the package's
            cls._called = (*cls._kind.names, *cls.__dict__.get("_called", ()))
            set_base(cls._kind, cls)
            return
        for name, value in vars(cls).items():
            _refuse_unknown_event(cls, name, value)
            _refuse_taken_name(cls, name, value)
            if type(value).__module__.startswith("parshall.estimators"):
                owner = cls._kind.owner
                expected = (
                    f"field(init=False, default_factory=lambda: ...): one for each {owner}, not one for all"
                )
                raise InputError(f"{cls.__name__}.{name}", shown(value), expected)
        if "__init__" not in cls.__dict__:
            dataclasses.dataclass(eq=False)(cls)
            for parameter in dataclasses.fields(cls):  # type: ignore[arg-type]
                _refuse_taken_name(cls, parameter.name, None)

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        made = super().__new__(cls)
        object.__setattr__(made, "_given", (args, kwargs))
        return made

    def __getnewargs_ex__(self) -> Any:
        """The arguments it was made with, for copies and pickles: these have its state besides, but not what
        the engine keeps of it.
        """
        return self._given

    @classmethod
    def _events(cls) -> tuple[Event, ...]:
        """The functions of its table, compiled."""
        return cls._kind.events

    @classmethod
    def _layout(cls, told: str) -> Any:
        """The layout of what a function is told that depends on the class."""
        raise KeyError(told)

    @classmethod
    def _engine_options(cls) -> dict[str, Any]:
        """Options that the engine is told of the class besides its functions."""
        return {}

    @classmethod
    def _python_options(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Options of a class in Python, of those of :meth:`_engine_options`."""
        return options

    def on_start(self) -> None:
        """It begins to be used: with its flow, for one."""

    def parameters(self) -> dict[str, Any]:
        """The values it was made with, as far as they are not the defaults. Raises InputError for what is
        neither number, flag, text nor a list of them: a scenario could not name it.
        """
        args, kwargs = self._given
        bound = inspect.signature(type(self)).bind(*args, **kwargs).arguments
        defaults = {name: each.default for name, each in inspect.signature(type(self)).parameters.items()}
        named = name_class(self._kind)
        try:
            values = named(form="python", source=":", code="-", values=bound).values
        except ScenarioError as error:
            place = error.path.removeprefix("values").lstrip(".")
            raise InputError(place, error.value, error.expected) from None
        return {name: value for name, value in values.items() if not _equal(value, defaults[name])}

    def __scenario_part__(self) -> OwnPart:
        """Name of it in a scenario."""
        from parshall.own.found import described

        return described(type(self), self.parameters())


def _refuse_unknown_event(cls: type[Part], name: str, value: object) -> None:
    """A method called like an event that the engine does not know would never be called."""
    called = cls._called
    if not callable(value) or name in called or isinstance(value, type):
        return
    plain_name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    like = difflib.get_close_matches(plain_name, called, n=1, cutoff=0.8)
    if plain_name.startswith("on_") or (like and not name.startswith("_")):
        meant = (like or difflib.get_close_matches(plain_name, called, n=1, cutoff=0.0))[0]
        raise InputError(
            f"{cls.__name__}.{name}",
            "a method that nobody calls",
            f"{meant}, or another of {', '.join(called)}",
        )


def _refuse_taken_name(cls: type[Part], name: str, value: object) -> None:
    """A value would hide what the engine sets or calls. Functions and properties know what they do."""
    if name.startswith("__") or hasattr(type(value), "__get__"):
        return
    hidden = inspect.getattr_static(base_of(cls._kind), name, None)
    if isinstance(hidden, types.GetSetDescriptorType):
        raise InputError(f"{cls.__name__}.{name}", "a field", "another name: the engine sets this one")
    if callable(hidden) and not callable(value):
        raise InputError(f"{cls.__name__}.{name}", "a field", "another name: this one is that of a method")


def _equal(value: object, default: object) -> bool:
    return type(value) is type(default) and value == default


def native(cls: type[_P]) -> type[_P]:
    """Lets Numba compile a part of one's own, which takes ``pip install 'parshall[numba]'``.

    Its methods then run without the GIL, on all cores. They see what Numba can: numbers, flags and arrays of
    fixed length as fields, other methods of the class, and functions of :mod:`math`, of
    :mod:`parshall.control` and those under ``numba.njit``. An exception ends the run, but is not told apart
    from others.
    """
    if not (isinstance(cls, type) and issubclass(cls, Part)):
        bases = " or ".join(f"parshall.{kind.base}" for kind in KINDS.values())
        raise InputError("native", shown(cls), f"a class derived from {bases}")
    cls.compiled = True
    return cls


def checked_limit(cls: type[Part]) -> float | None:
    """The time limit of a class in seconds; none waits for ever. Raises InputError."""
    limit = cls.time_limit
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not limit > 0:
        raise InputError(f"{cls.__name__}.time_limit", shown(limit), "seconds, more than 0")
    return None if math.isinf(limit) else float(limit)
