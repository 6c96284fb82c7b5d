"""What the code of a control is, as a hash: its source, and the values that its source refers to.

Two classes with the same hash do the same. Whatever a method can reach counts: the source of its class and of
those it is derived from, variables of enclosing functions and of modules, and functions of the user's that it
calls. Modules that are installed count by their version.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
import types
from collections.abc import Iterator
from importlib import metadata
from typing import Any

import numpy as np

from parshall.errors import InputError, shown

__all__ = ["code_hash"]


def code_hash(cls: type, last: type) -> str:
    """SHA-256 of the code of a class, in hexadecimal, down to ``last``, which does not count."""
    told: list[str] = []
    reader = _Reader(told.append)
    for each in cls.__mro__[: cls.__mro__.index(last)]:
        reader.take_class(each)
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


class _Reader:
    """Writes down values, each once."""

    def __init__(self, tell: Any) -> None:
        self.tell = tell
        self.seen: dict[int, Any] = {}

    def take(self, name: str, value: Any) -> None:
        """Writes down a value that code refers to as ``name``."""
        if value is None or isinstance(value, bool | int | float | complex | str | bytes):
            self.tell(f"{name} = {value!r}")
        elif isinstance(value, np.generic | np.ndarray):
            array = np.asarray(value)
            self.tell(f"{name} = {array.dtype} {array.shape} {hashlib.sha256(array.tobytes()).hexdigest()}")
        elif isinstance(value, types.ModuleType):
            self.tell(f"{name} = module {value.__name__} {_version(value.__name__)}")
        elif id(value) not in self.seen:
            self.seen[id(value)] = value
            self._take_new(name, value)

    def _take_new(self, name: str, value: Any) -> None:
        if isinstance(value, list | tuple | set | frozenset | dict):
            self._take_many(name, value)
        elif installed := _installed(value):
            self.tell(f"{name} = {installed}")
        elif type(value).__module__.startswith("parshall.estimators"):
            self.tell(f"{name} = {value!r}")
        elif inspect.isclass(value):
            self.tell(f"{name} = class")
            self.take_class(value)
        elif (function := _function(value)) is not None:
            self.tell(f"{name} = function")
            self.take_function(function)
        else:
            self._take_object(name, value)

    def _take_many(self, name: str, values: Any) -> None:
        if isinstance(values, dict):
            for key, value in values.items():
                self.take(f"{name}[{key!r}]", value)
        else:
            unordered = isinstance(values, set | frozenset)
            for index, value in enumerate(sorted(values, key=repr) if unordered else values):
                self.take(f"{name}[{index}]", value)
        self.tell(f"{name} = {type(values).__name__} of {len(values)}")

    def _take_object(self, name: str, value: Any) -> None:
        """An object by its class and its attributes."""
        kind = type(value)
        if not hasattr(value, "__dict__"):
            raise InputError(
                name, shown(value), "a value that can be told apart: a number, text, an array, a function"
            )
        self.take(f"type of {name}", kind)
        self.take(name, dict(vars(value)))

    def take_class(self, cls: type) -> None:
        """The source of a class, and what its methods refer to."""
        self.seen[id(cls)] = cls
        self.tell(_source(cls) or f"class {cls.__qualname__}")
        without_source = _source(cls) is None
        for name, member in vars(cls).items():
            function = _function(member)
            if function is not None:
                self.take_function(function, with_code=without_source)
            elif not name.startswith("__"):
                self.take(name, member)
        for base in cls.__bases__:
            self.take(f"base of {cls.__qualname__}", base)

    def take_function(self, function: types.FunctionType, *, with_code: bool = True) -> None:
        """A function, and what it refers to."""
        self.seen[id(function)] = function
        if with_code:
            self.tell(_source(function) or _bytes_of(function.__code__))
        for name, value in _references(function):
            self.take(name, value)
        for index, default in enumerate(function.__defaults__ or ()):
            self.take(f"default {index} of {function.__qualname__}", default)


def _function(member: Any) -> types.FunctionType | None:
    """The function in a member of a class, or one that a compiler has wrapped."""
    if isinstance(member, property):
        member = member.fget
    member = getattr(member, "py_func", member)  # what Numba compiles
    member = getattr(member, "__func__", member)
    return inspect.unwrap(member) if inspect.isfunction(member) else None


def _source(code: Any) -> str | None:
    try:
        return inspect.cleandoc(inspect.getsource(code))
    except (OSError, TypeError):
        return None


def _bytes_of(code: types.CodeType) -> str:
    """Code without a file, such as that typed at a prompt, by its bytes."""
    constants = [
        _bytes_of(each) if isinstance(each, types.CodeType) else repr(each) for each in code.co_consts
    ]
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {constants}"


def _references(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """Variables outside of a function that it, or functions inside of it, refer to."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    for name, cell in cells:
        try:
            yield name, cell.cell_contents
        except ValueError:  # not set yet, as a class is inside of its own methods
            continue
    for name in sorted(set(_names(function.__code__))):
        if name in function.__globals__:
            yield name, function.__globals__[name]


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _installed(value: Any) -> str | None:
    """An object of an installed package, by the package's version; none for the user's own."""
    if not (inspect.isclass(value) or callable(value)):
        return None
    module = getattr(value, "__module__", None) or ""
    if not isinstance(module, str) or hasattr(value, "py_func"):
        return None
    version = _version(module)
    return version and f"{module} {version} {getattr(value, '__qualname__', '')}"


def _version(module: str) -> str | None:
    """The version of the package that a module belongs to; none of one that is not installed."""
    package = module.partition(".")[0]
    if package in sys.stdlib_module_names or package == "builtins":
        return "Python's own"
    if package == "parshall":
        from parshall import __version__

        return __version__
    try:
        return metadata.version(package)
    except (metadata.PackageNotFoundError, ValueError):
        return None
