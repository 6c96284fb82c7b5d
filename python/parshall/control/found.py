"""Which control a scenario means: classes that were described in this process or can be imported, and
libraries.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from parshall import _core
from parshall.control.identity import code_hash
from parshall.errors import InputError, shown
from parshall.scenario.parts import UserControl

if TYPE_CHECKING:
    from parshall.control.base import Control

__all__ = ["code_of", "controls", "described", "named", "register", "registered"]

_LIBRARIES = (".so", ".dylib", ".dll")

_known: dict[str, type[Control]] = {}
"""Classes by their code."""
_described: set[str] = set()
"""Code of those that were described here, which something may change before they run."""


def register(classes: dict[str, type[Control]]) -> None:
    """Makes classes known that another process has described."""
    _known.update(classes)


def registered(scenario_json: str) -> dict[str, type[Control]]:
    """The classes that a scenario refers to, by their code."""
    if '"kind":"user"' not in scenario_json:
        return {}
    return {code: cls for code, cls in _known.items() if code in scenario_json}


def described(cls: type[Control], values: dict[str, Any]) -> UserControl:
    """What a scenario says of a control, which can be found again in this process."""
    code = code_of(cls)
    _known[code] = cls
    _described.add(code)
    form: Literal["numba", "python"] = "numba" if cls.compiled else "python"
    return UserControl(form=form, source=f"{cls.__module__}:{cls.__qualname__}", code=code, values=values)


def code_of(cls: type[Control]) -> str:
    """What the code of a class is. For what is compiled, the compiler's version is part of it."""
    from parshall.control.base import Control

    code = code_hash(cls, Control)
    if not cls.compiled:
        return code
    from parshall.control.compiled import compiler

    return hashlib.sha256(f"{code} {compiler()}".encode()).hexdigest()


def controls(form: str, source: str, code: str, values: str) -> _core.PythonControls | _core.CompiledControls:
    """What makes a control of a scenario for each flow. Raises InputError if its code is not here."""
    parameters = json.loads(values)
    if form == "library":
        from parshall.control.library import controls_of

        return controls_of(source, code, parameters)
    return _controls_of(_class_of(source, code), parameters)


def named(source: str, values: dict[str, Any], folder: Path | None = None) -> UserControl:
    """The control that a file names without its code: ``module:Class``, whose module is looked for in
    ``folder``, or else in the current one, before where Python looks; or a shared library there. Raises
    InputError.
    """
    here = Path.cwd() if folder is None else folder.absolute()
    if Path(source).suffix in _LIBRARIES:
        from parshall.control.library import SharedControl

        if "path" in values:
            raise InputError(
                "control.values.path", shown(values["path"]), "no such value: source is the path"
            )
        return SharedControl(here / source, **values).__scenario_part__()
    with _looked_for_in(here, source.partition(":")[0]):
        cls = _imported(source, "a class derived from parshall.Control, as module:Class")
    return described(cls, values)


@contextmanager
def _looked_for_in(folder: Path, module: str) -> Iterator[None]:
    """Imports from a folder first, and from now on from there last."""
    place = folder.joinpath(*module.split(".")).with_suffix(".py")
    known = getattr(sys.modules.get(module), "__file__", None)
    if place.is_file() and known is not None and not place.samefile(known):
        raise InputError(
            "control", f"{module} in {folder}", f"one module of that name, not that in {known} too"
        )
    first = str(folder)
    sys.path.insert(0, first)
    try:
        yield
    finally:
        sys.path.remove(first)
        if first not in sys.path and place.is_file():
            sys.path.append(first)


def _class_of(source: str, code: str) -> type[Control]:
    known = _known.get(code)
    if known is not None:
        if code in _described and (now := code_of(known)) != code:
            raise InputError(
                "control", f"{source}, which has become {now[:12]}", f"the code that was meant, {code[:12]}"
            )
        return known
    expected = f"a class of your own, code {code[:12]}, in a module that can be imported, or built in Python"
    cls = _imported(source, expected)
    found = code_of(cls)
    if found != code:
        raise InputError(
            "control", f"{source} with other code, {found[:12]}", f"the code that was meant, {code[:12]}"
        )
    _known[code] = cls
    return cls


def _imported(source: str, expected: str) -> type[Control]:
    from parshall.control.base import Control

    module, _, name = source.partition(":")
    if module == "__main__" or "<locals>" in name:
        raise InputError("control", shown(source), expected)
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError("control", shown(source), f"{expected} ({error})") from None
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise InputError("control", shown(source), f"a module that can be imported ({reason})") from None
    if not (isinstance(found, type) and issubclass(found, Control)):
        raise InputError("control", shown(source), "a class derived from parshall.Control")
    return found


def _controls_of(cls: type[Control], values: dict[str, Any]) -> _core.PythonControls | _core.CompiledControls:
    from parshall.control.base import checked_limit

    limit = checked_limit(cls)
    make = _maker(cls, values)
    if cls.compiled:
        from parshall.control.compiled import compiled

        return compiled(cls, make(), limit)
    from parshall.control.interrupt import DoesNotReturn

    report = None if cls.report is None else (cls.report.asked(), cls.report.made)
    return _core.PythonControls(cls.__name__, make, DoesNotReturn, bool(cls.exact_echo), limit, report)


def _maker(cls: type[Control], values: dict[str, Any]) -> Any:
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    try:
        inspect.signature(cls).bind(**given)
    except TypeError as error:
        raise InputError("control.values", shown(given), f"parameters of {cls.__name__} ({error})") from None
    return lambda: cls(**given)
