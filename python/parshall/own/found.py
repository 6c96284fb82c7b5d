"""Which part of one's own a scenario means: classes that were described in this process or can be imported,
and libraries.
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
from parshall.errors import InputError, shown
from parshall.own import failure
from parshall.own.identity import code_hash
from parshall.own.kinds import KINDS, Kind, base_of, kind_of_class, name_class

if TYPE_CHECKING:
    from parshall.own.base import Part
    from parshall.own.kinds import OwnPart
    from parshall.own.library import SharedPart

    Parts = _core.PythonParts | _core.CompiledParts

__all__ = [
    "code_of",
    "described",
    "instance_of",
    "named",
    "parts",
    "parts_of",
    "register",
    "registered",
]

_LIBRARIES = (".so", ".dylib", ".dll")

_known: dict[str, type[Part]] = {}
"""Classes by their code."""
_described: set[str] = set()
"""Code of those that were described here, which something may change before they run."""


def register(classes: dict[str, type[Part]]) -> None:
    """Makes classes known that another process has described."""
    _known.update(classes)


def registered(scenario_json: str) -> dict[str, type[Part]]:
    """The classes that a scenario refers to, by their code."""
    if '"kind":"user"' not in scenario_json:
        return {}
    return {code: cls for code, cls in _known.items() if code in scenario_json}


def described(cls: type[Part], values: dict[str, Any]) -> OwnPart:
    """Name of a part in a scenario, which can be found again in this process. Raises InputError for a class
    without a method that it has to have.
    """
    base = base_of(cls._kind)
    for name in cls._kind.required:
        if getattr(cls, name) is getattr(base, name):
            raise InputError(
                f"{cls.__name__}.{name}", "nothing", f"a method: {_first_line(getattr(base, name).__doc__)}"
            )
    code = code_of(cls)
    _known[code] = cls
    _described.add(code)
    form: Literal["numba", "python"] = "numba" if cls.compiled else "python"
    named: OwnPart = name_class(cls._kind)(
        form=form, source=f"{cls.__module__}:{cls.__qualname__}", code=code, values=values
    )
    return named


def _first_line(text: str | None) -> str:
    line = " ".join((text or "").split()).partition(". ")[0].rstrip(".")
    return line[:1].lower() + line[1:]


def code_of(cls: type[Part]) -> str:
    """Hash of the code of a class. For what is compiled, the compiler's version is part of it."""
    code = code_hash(cls, base_of(cls._kind))
    if not cls.compiled:
        return code
    from parshall.own.compiled import compiler

    return hashlib.sha256(f"{code} {compiler()}".encode()).hexdigest()


def parts(kind: str, form: str, source: str, code: str, values: str) -> Parts:
    """Maker of the parts of a scenario. Raises InputError if its code is not here."""
    parameters = json.loads(values)
    if form == "library":
        from parshall.own.library import parts_in

        return parts_in(KINDS[kind], source, code, parameters)
    return _parts_of(_class_of(KINDS[kind], source, code), parameters)


def parts_of(part: Part | SharedPart) -> Parts:
    """Maker of the parts that a part itself is one of. Raises InputError."""
    named = part.__scenario_part__()
    return parts(
        part._kind.name, named.form or "", named.source, named.code, json.dumps(named.values, allow_nan=False)
    )


def named(part: str, source: str, values: dict[str, Any], folder: Path | None = None) -> OwnPart:
    """The part that a file names without its code, as ``part``, a class of scenarios: ``module:Class``, whose
    module is looked for in ``folder``, or else in the current one, before where Python looks; or a shared
    library there. Raises InputError.
    """
    kind = kind_of_class(part)
    try:
        return _named(kind, source, values, Path.cwd() if folder is None else folder.absolute())
    except InputError as error:
        path = error.path.removeprefix(kind.field).lstrip(".")
        raise InputError(path, error.value, error.expected) from None


def _named(kind: Kind, source: str, values: dict[str, Any], here: Path) -> OwnPart:
    if Path(source).suffix in _LIBRARIES:
        from parshall.own.library import shared

        if "path" in values:
            raise InputError("values.path", shown(values["path"]), "no such value: source is the path")
        return shared(kind, (here / source).resolve(), values)
    with _looked_for_in(here, source.partition(":")[0]):
        cls = _imported(kind, source, f"a class derived from parshall.{kind.base}, as module:Class")
    _check_names(cls, values)
    return described(cls, values)


def instance_of(part: OwnPart) -> Any:
    """An object of the class of a part that was described in this process. Raises InputError."""
    make = _maker(_known[part.code], part.values)
    try:
        return make()
    except Exception as error:
        reason = failure.described(error)
        raise InputError("", shown(part.source), f"a class of which one can be made ({reason})") from error


@contextmanager
def _looked_for_in(folder: Path, module: str) -> Iterator[None]:
    """Imports from a folder first, and from now on from there last."""
    place = folder.joinpath(*module.split(".")).with_suffix(".py")
    known = getattr(sys.modules.get(module), "__file__", None)
    if place.is_file() and known is not None and not place.samefile(known):
        raise InputError("", f"{module} in {folder}", f"one module of that name, not that in {known} too")
    first = str(folder)
    sys.path.insert(0, first)
    try:
        yield
    finally:
        sys.path.remove(first)
        if first not in sys.path and place.is_file():
            sys.path.append(first)


def _class_of(kind: Kind, source: str, code: str) -> type[Part]:
    known = _known.get(code)
    if known is not None:
        if code in _described and (now := code_of(known)) != code:
            meant = f"the code that was meant, {code[:12]}"
            expected = f"{meant}; what a run changes belongs in fields, not in the class"
            raise InputError(kind.field, f"{source}, which has become {now[:12]}", expected)
        return known
    expected = f"a class of your own, code {code[:12]}, in a module that can be imported, or built in Python"
    try:
        cls = _imported(kind, source, expected)
    except InputError as error:
        raise InputError(kind.field, error.value, error.expected) from None
    found = code_of(cls)
    if found != code:
        raise InputError(
            kind.field, f"{source} with other code, {found[:12]}", f"the code that was meant, {code[:12]}"
        )
    _known[code] = cls
    return cls


def _imported(kind: Kind, source: str, expected: str) -> type[Part]:
    module, _, name = source.partition(":")
    if module in ("", "__main__") or module.startswith(".") or "<locals>" in name:
        raise InputError("", shown(source), expected)
    try:
        found: Any = import_module(module)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            raise InputError("", shown(source), f"{expected} ({error})") from None
        reason = failure.described(error)
        raise InputError("", shown(source), f"a module that can be imported ({reason})") from None
    try:
        for part in name.split("."):
            found = getattr(found, part)
    except AttributeError as error:
        raise InputError("", shown(source), f"{expected} ({error})") from None
    if not (isinstance(found, type) and issubclass(found, base_of(kind))):
        raise InputError("", shown(source), f"a class derived from parshall.{kind.base}")
    return found


def _parts_of(cls: type[Part], values: dict[str, Any]) -> Parts:
    from parshall.own.base import checked_limit

    limit = checked_limit(cls)
    make = _maker(cls, values)
    more = cls._engine_options()
    if cls.compiled:
        from parshall.own.compiled import compiled

        return compiled(cls, make(), limit, more)
    from parshall.own.interrupt import DoesNotReturn

    return _core.PythonParts(cls.__name__, make, DoesNotReturn, limit, **cls._python_options(more))


def _maker(cls: type[Part], values: dict[str, Any]) -> Any:
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    try:
        inspect.signature(cls).bind(**given)
    except TypeError as error:
        raise _no_parameters(cls, given, error) from None
    return lambda: cls(**given)


def _check_names(cls: type[Part], values: dict[str, Any]) -> None:
    """Refuses values for which a class has no parameters; those that are missing may still be given."""
    try:
        inspect.signature(cls).bind_partial(**values)
    except TypeError as error:
        raise _no_parameters(cls, values, error) from None


def _no_parameters(cls: type[Part], values: dict[str, Any], error: TypeError) -> InputError:
    return InputError(f"{cls._kind.field}.values", shown(values), f"parameters of {cls.__name__} ({error})")
