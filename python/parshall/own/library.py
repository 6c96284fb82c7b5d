"""Parts in shared libraries, from C, Rust or whatever else speaks ``parshall_control.h`` and its like."""

from __future__ import annotations

import atexit
import ctypes
import hashlib
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from parshall import _core
from parshall.errors import InputError, checked_path, shown
from parshall.own.base import TIME_LIMIT
from parshall.own.interface import structure, version
from parshall.own.kinds import Kind, name_class
from parshall.support.causes import reason

if TYPE_CHECKING:
    from parshall.own.kinds import OwnPart

__all__ = ["SharedPart", "parts_in", "shared"]


class _Parameter(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("value", ctypes.c_double), ("meaning", ctypes.c_char_p))


@cache
def _table_of(kind: Kind) -> type[Any]:
    """The table of a library of this kind."""
    fields = (
        ("version", ctypes.c_uint32),
        (kind.flag, ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("state_size", ctypes.c_size_t),
        ("parameters", ctypes.POINTER(_Parameter)),
        *((name, ctypes.c_void_p) for name in kind.names),
    )
    return type("Table", (ctypes.Structure,), {"_fields_": fields})


def shared(kind: Kind, path: Path, values: dict[str, Any]) -> OwnPart:
    """Name of a part in a shared library in a scenario. Raises InputError."""
    code = _code_of(kind, path)
    _checked_values(kind, _table(kind, str(path), code), values, str(path))
    named: OwnPart = name_class(kind)(form="library", source=str(path), code=code, values=values)
    return named


class SharedPart:
    """Base of parts in shared libraries. Use one of the classes made from it."""

    _kind: ClassVar[Kind]

    def __init__(self, path: str | Path, **parameters: float) -> None:
        self.path = checked_path("path", path, "the name of a shared library").resolve()
        self.parameters = parameters
        self._part = shared(self._kind, self.path, parameters)

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.parameters.items())
        return f"{type(self).__name__}({str(self.path)!r}{given})"

    def __scenario_part__(self) -> OwnPart:
        """Name of it in a scenario."""
        return self._part


def parts_in(kind: Kind, source: str, code: str, values: dict[str, Any]) -> _core.CompiledParts:
    """Maker of the parts that a scenario names. Raises InputError if that is another library."""
    found = _code_of(kind, Path(source))
    if found != code:
        raise InputError(
            kind.field,
            f"{source} with other content, {found[:12]}",
            f"the library that was meant, {code[:12]}",
        )
    table = _table(kind, source, code)
    numbers = _checked_values(kind, table, values, source)
    head = structure(kind.name, kind.head).itemsize
    state = np.zeros(max(table.state_size, head), np.uint8)
    state[head : head + 8 * len(numbers)] = np.array(numbers, np.float64).view(np.uint8)
    functions = [getattr(table, name) or 0 for name in kind.names]
    name = table.name.decode(errors="replace")
    flags: dict[str, Any] = {} if kind.flag == "reserved" else {kind.flag: bool(getattr(table, kind.flag))}
    return _core.CompiledParts(name, functions, state.tobytes(), TIME_LIMIT, table, **flags)


def _code_of(kind: Kind, path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(kind.field, shown(str(path)), f"a shared library ({reason(error)})") from None


@cache
def _copies() -> Path:
    """A folder of this process, which is removed at its end and not before: the loader takes a new file in
    the place of one that is gone for the same.
    """
    folder, process = tempfile.mkdtemp(prefix="parshall-"), os.getpid()

    def remove() -> None:
        if os.getpid() == process:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return Path(folder)


def _copy(kind: Kind, path: str, code: str) -> str:
    """A copy of a library, named by what is in it: a file that is loaded once stays loaded under its name,
    whatever is built there later. Raises InputError if another has just been built.
    """
    copy = _copies() / f"{code}{Path(path).suffix}"
    if not copy.exists():
        content = Path(path).read_bytes()
        found = hashlib.sha256(content).hexdigest()
        if found != code:
            raise InputError(
                kind.field, f"{path} with other content, {found[:12]}", f"that of before, {code[:12]}"
            )
        copy.write_bytes(content)
    return str(copy)


@cache
def _table(kind: Kind, path: str, code: str) -> Any:
    """The table of a library, which stays loaded."""
    symbol = kind.symbol
    try:
        library = ctypes.CDLL(_copy(kind, path, code))
        function = getattr(library, symbol)
    except (OSError, AttributeError) as error:
        reason = " ".join(str(error).split())
        raise InputError(kind.field, shown(path), f"a shared library with {symbol}() ({reason})") from None
    function.restype = ctypes.POINTER(_table_of(kind))
    pointer = function()
    if not pointer:
        raise InputError(kind.field, shown(path), f"a table from {symbol}(), not NULL")
    table = pointer.contents
    known = version(kind.name)
    if table.version != known:
        raise InputError(kind.field, f"{path} for interface {table.version}", f"interface {known}")
    least = structure(kind.name, kind.head).itemsize + 8 * len(_declared(table))
    if not table.name or not least <= table.state_size <= 1 << 24:
        raise InputError(
            kind.field,
            f"{path} with a state of {table.state_size} bytes",
            f"a name, and {least} bytes to 16 MiB",
        )
    for name in kind.required:
        if not getattr(table, name):
            raise InputError(kind.field, f"{path} without {name}", "a table with that function")
    return table


def _declared(table: Any) -> dict[str, float]:
    """The parameters of a library and their defaults, in its order."""
    declared: dict[str, float] = {}
    index = 0
    while table.parameters and table.parameters[index].name:
        declared[table.parameters[index].name.decode(errors="replace")] = table.parameters[index].value
        index += 1
    return declared


def _checked_values(kind: Kind, table: Any, values: dict[str, Any], path: str) -> list[float]:
    declared = _declared(table)
    for name, value in values.items():
        if name not in declared:
            known = ", ".join(declared) or "none"
            raise InputError(f"{kind.field}.{name}", shown(value), f"a parameter of {path}: {known}")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{kind.field}.{name}", shown(value), "a number")
    return [float(values.get(name, default)) for name, default in declared.items()]
