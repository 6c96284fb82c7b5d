"""The interface of compiled parts, from the engine's own description of it: layouts and lent functions."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from parshall import _core

__all__ = ["addresses", "lent", "structure", "structures", "version"]

_TYPES = {
    "double": "f8",
    "int64_t": "i8",
    "bool": "?",
    "const parshall_host *": "i8",
    "void *": "i8",
}
"""Types of C, in NumPy; pointers are numbers of their size."""

_C_TYPES: dict[str, Any] = {"double": ctypes.c_double, "void *": ctypes.c_int64}


@cache
def _interface(kind: str) -> dict[str, Any]:
    return _core.part_interface(kind)


def version(kind: str) -> int:
    """Version of the interface of parts of this kind."""
    return int(_interface(kind)["version"])


def addresses() -> dict[str, int]:
    """Where the lent functions are, by name."""
    found: dict[str, int] = _interface("control")["addresses"]
    return found


def structures(kind: str) -> tuple[str, ...]:
    """The structures of a kind, by name; the first is that with which a state begins."""
    return tuple(_interface(kind)["structures"])


@cache
def structure(kind: str, name: str) -> np.dtype[np.void]:
    """The layout of a structure."""
    fields = [(field, _TYPES[type_]) for field, type_, _ in _interface(kind)["structures"][name]]
    return np.dtype(fields, align=True)


@cache
def lent(name: str) -> Callable[..., float]:
    """A lent function, as ctypes calls it."""
    returns, arguments = next(told[1:3] for told in _interface("control")["lent"] if told[0] == name)
    kinds = [each.rpartition(" ")[0] for each in arguments.split(", ") if each]
    signature = ctypes.CFUNCTYPE(_C_TYPES[returns], *(_C_TYPES[kind] for kind in kinds))
    return signature(addresses()[name])
