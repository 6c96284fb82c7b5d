"""Controls in shared libraries, from C, Rust or whatever else speaks ``parshall_control.h``."""

from __future__ import annotations

import atexit
import ctypes
import hashlib
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from parshall import _core
from parshall.control.base import EVENTS, TIME_LIMIT
from parshall.control.interface import structure, version
from parshall.errors import InputError, checked_path, shown
from parshall.scenario.parts import UserControl

__all__ = ["SharedControl", "controls_of"]

SYMBOL = "parshall_control"
"""What a library calls its table."""


class _Parameter(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("value", ctypes.c_double), ("meaning", ctypes.c_char_p))


class _Table(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_uint32),
        ("exact_echo", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("state_size", ctypes.c_size_t),
        ("parameters", ctypes.POINTER(_Parameter)),
        *((name, ctypes.c_void_p) for name in EVENTS),
    )


class SharedControl:
    """A congestion control in a shared library, for ``Tcp(control=...)``.

    ``parameters`` are numbers by their names, which the library declares with their defaults. Raises
    InputError for a library that cannot be loaded or has another version of the interface, and for a
    parameter that it does not have. A call may take ``TIME_LIMIT`` seconds.
    """

    def __init__(self, path: str | Path, **parameters: float) -> None:
        self.path = checked_path("path", path, "the name of a shared library").resolve()
        self.parameters = parameters
        code = _code_of(self.path)
        _checked_values(_table(str(self.path), code), parameters, str(self.path))
        self._part = UserControl(form="library", source=str(self.path), code=code, values=parameters)

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.parameters.items())
        return f"SharedControl({str(self.path)!r}{given})"

    def __scenario_part__(self) -> UserControl:
        """What a scenario says of it."""
        return self._part


def controls_of(source: str, code: str, values: dict[str, Any]) -> _core.CompiledControls:
    """What makes the controls that a scenario names. Raises InputError if that is another library."""
    found = _code_of(Path(source))
    if found != code:
        raise InputError(
            "control",
            f"{source} with other content, {found[:12]}",
            f"the library that was meant, {code[:12]}",
        )
    table = _table(source, code)
    numbers = _checked_values(table, values, source)
    window = structure("window").itemsize
    state = np.zeros(max(table.state_size, window), np.uint8)
    state[window : window + 8 * len(numbers)] = np.array(numbers, np.float64).view(np.uint8)
    functions = [*(getattr(table, name) or 0 for name in EVENTS), 0]
    name = table.name.decode(errors="replace")
    return _core.CompiledControls(name, functions, state.tobytes(), bool(table.exact_echo), TIME_LIMIT, table)


def _code_of(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(
            "control", shown(str(path)), f"a shared library ({error.strerror or error})"
        ) from None


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


def _copy(path: str, code: str) -> str:
    """A copy of a library, named by what is in it: a file that is loaded once stays loaded under its name,
    whatever is built there later. Raises InputError if another has just been built.
    """
    copy = _copies() / f"{code}{Path(path).suffix}"
    if not copy.exists():
        content = Path(path).read_bytes()
        found = hashlib.sha256(content).hexdigest()
        if found != code:
            raise InputError(
                "control", f"{path} with other content, {found[:12]}", f"that of before, {code[:12]}"
            )
        copy.write_bytes(content)
    return str(copy)


@cache
def _table(path: str, code: str) -> _Table:
    """The table of a library, which stays loaded."""
    try:
        library = ctypes.CDLL(_copy(path, code))
        function = getattr(library, SYMBOL)
    except (OSError, AttributeError) as error:
        reason = " ".join(str(error).split())
        raise InputError("control", shown(path), f"a shared library with {SYMBOL}() ({reason})") from None
    function.restype = ctypes.POINTER(_Table)
    pointer = function()
    if not pointer:
        raise InputError("control", shown(path), f"a table from {SYMBOL}(), not NULL")
    table: _Table = pointer.contents
    if table.version != version():
        raise InputError("control", f"{path} for interface {table.version}", f"interface {version()}")
    least = structure("window").itemsize + 8 * len(_declared(table))
    if not table.name or not least <= table.state_size <= 1 << 24:
        raise InputError(
            "control",
            f"{path} with a state of {table.state_size} bytes",
            f"a name, and {least} bytes to 16 MiB",
        )
    return table


def _declared(table: _Table) -> dict[str, float]:
    """The parameters of a library and their defaults, in its order."""
    declared: dict[str, float] = {}
    index = 0
    while table.parameters and table.parameters[index].name:
        declared[table.parameters[index].name.decode(errors="replace")] = table.parameters[index].value
        index += 1
    return declared


def _checked_values(table: _Table, values: dict[str, Any], path: str) -> list[float]:
    declared = _declared(table)
    for name, value in values.items():
        if name not in declared:
            known = ", ".join(declared) or "none"
            raise InputError(f"control.{name}", shown(value), f"a parameter of {path}: {known}")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"control.{name}", shown(value), "a number")
    return [float(values.get(name, default)) for name, default in declared.items()]
