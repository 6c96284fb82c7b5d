"""Where code comes from: an installed package, for which its version stands, or the user."""

from __future__ import annotations

import hashlib
import inspect
import sys
import sysconfig
import types
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["installed_object", "installed_version", "is_compiled"]

_HEAP_TYPE = 1 << 9
"""The flag of a class that is made when a program runs, as those written in Python are."""
_DESCRIPTORS = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)


def installed_object(value: Any) -> str | None:
    """A class or function of an installed package, by its name there and the package's version; none for the
    user's own, and for what is made when it is called, such as a partial or a function in a function.
    """
    if isinstance(value, _DESCRIPTORS):
        owner = installed_object(value.__objclass__)
        return owner and f"{owner}.{value.__name__}"
    if isinstance(value, np.ufunc):
        known = getattr(np, value.__name__, None) is value
        return f"numpy {np.__version__} {value.__name__}" if known else None
    if not (inspect.isclass(value) or isinstance(value, types.FunctionType | types.BuiltinFunctionType)):
        return None
    module, name = getattr(value, "__module__", None) or "builtins", value.__qualname__
    compiled = inspect.isclass(value) and is_compiled(value)
    if not isinstance(module, str) or (not compiled and _named(module, name) is not value):
        return None
    version = installed_version(module)
    return f"{module} {version} {name}" if version or compiled else None


def is_compiled(cls: type) -> bool:
    """Returns whether a class is not written in Python, so that its objects have a state that nobody sees."""
    members = vars(cls).values()
    return not cls.__flags__ & _HEAP_TYPE or any(
        isinstance(member, _DESCRIPTORS) and member.__objclass__ is cls for member in members
    )


def _named(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def installed_version(module: str) -> str | None:
    """The version of the installed package that a module belongs to; none for a module of the user's, also
    where its package was installed to be edited.
    """
    package = module.partition(".")[0]
    if package in sys.stdlib_module_names and package != "__main__":
        return "Python's own"
    if package == "parshall":
        from parshall import __version__

        return __version__
    file = getattr(sys.modules.get(module), "__file__", None)
    return _version(package, file) if file is not None and _in_packages(file) else None


@cache
def _version(package: str, file: str) -> str:
    try:
        return metadata.version(package)
    except (metadata.PackageNotFoundError, ValueError):
        pass
    names = metadata.packages_distributions().get(package)
    if names:
        return " ".join(f"{name} {metadata.version(name)}" for name in sorted(set(names)))
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


@cache
def _in_packages(file: str) -> bool:
    """Returns whether a file lies where packages are installed."""
    place = Path(file).resolve()
    folders = {sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib", "platstdlib")}
    if any(folder and place.is_relative_to(Path(folder).resolve()) for folder in folders):
        return True
    return not {"site-packages", "dist-packages"}.isdisjoint(place.parts)
