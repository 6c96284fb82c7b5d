"""Public names of the Python package: where each is found, and in which part of the reference it stands."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

__all__ = ["PACKAGES", "Name", "attribute_texts", "first_sentence", "public_names", "text_of"]

PACKAGES = {
    "": "Running and reading",
    "scenario": "Scenarios",
    "sim": "Your own stack in simulated time",
    "control": "Controls of your own",
    "own": "Forecasters and filters of your own",
    "sweep": "Sweeps",
    "estimators": "Estimators",
    "rto": "Timeouts of a link",
    "forecast": "Forecasts",
    "long_memory": "Long memory",
    "capture": "Captures",
    "stats": "Intervals",
    "theory": "Closed forms",
    "fluid": "Fluid model",
    "qdisc": "Linux queue discipline",
    "units": "Units",
    "errors": "Errors",
}
"""Packages in the order of the reference. A name that several have stands under the one that is its own."""


@dataclass(frozen=True)
class Name:
    """A public name."""

    package: str
    """Key of :data:`PACKAGES`."""
    path: str
    """Name for the import: ``parshall.Tcp``."""
    value: Any

    @property
    def short(self) -> str:
        """The last part of its path."""
        return self.path.rpartition(".")[2]

    @property
    def is_constant(self) -> bool:
        """True for a value rather than a class or a function."""
        return not callable(self.value)


def public_names() -> list[Name]:
    """Every public name once, package by package, in alphabetical order."""
    top = importlib.import_module("parshall")
    names: list[Name] = []
    seen: set[int] = set()
    for package in (*[package for package in PACKAGES if package], ""):
        module = importlib.import_module(f"parshall.{package}" if package else "parshall")
        for short in sorted(module.__all__, key=str.lower):
            value = getattr(module, short)
            if inspect.ismodule(value) or (callable(value) and id(value) in seen):
                continue
            seen.add(id(value))
            above = package and getattr(top, short, None) is value and callable(value)
            names.append(Name(package, f"{'parshall' if above else module.__name__}.{short}", value))
    order = list(PACKAGES)
    return sorted(names, key=lambda name: order.index(name.package))


def text_of(name: Name) -> str:
    """Its docstring, or of a constant the text below its assignment."""
    if name.is_constant:
        return _below(name)
    text = inspect.getdoc(name.value) or ""
    inherited = inspect.isclass(name.value) and not name.value.__dict__.get("__doc__")
    return "" if inherited else text


def first_sentence(text: str) -> str:
    """The first sentence of the first paragraph."""
    paragraph = " ".join(next(iter(text.split("\n\n")), "").split())
    end = paragraph.find(". ")
    return paragraph if end < 0 else paragraph[: end + 1]


def _below(name: Name) -> str:
    """The text under the assignment of a constant."""
    for module in _modules_of(name):
        found = attribute_texts(module).get(("", name.short))
        if found:
            return found
    return ""


def _modules_of(name: Name) -> Iterator[str]:
    """The package, the modules that it takes the name from, and those below it."""
    package = importlib.import_module(name.path.rpartition(".")[0])
    yield package.__name__
    for node in ast.parse(inspect.getsource(package)).body:
        taken = [each.name for each in node.names] if isinstance(node, ast.ImportFrom) else []
        if name.short in taken and isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
    for module in pkgutil.iter_modules(getattr(package, "__path__", ())):
        if not module.name.startswith("_"):
            yield f"{package.__name__}.{module.name}"


@cache
def attribute_texts(module: str) -> dict[tuple[str, str], str]:
    """Texts below assignments in a module and its classes, by the class (or nothing) and the name."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return {}
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    found = dict(_assigned("", tree.body))
    for each in tree.body:
        if isinstance(each, ast.ClassDef):
            found |= dict(_assigned(each.name, each.body))
    return found


def _assigned(owner: str, body: list[ast.stmt]) -> Iterator[tuple[tuple[str, str], str]]:
    for statement, after in pairwise(body):
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            targets: list[ast.expr] = []
            if isinstance(statement, ast.Assign):
                targets = statement.targets
            elif isinstance(statement, ast.AnnAssign):
                targets = [statement.target]
            for target in targets:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        yield (owner, name.id), inspect.cleandoc(str(after.value.value))
