"""Places, each with what its sources have of a row of the table."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from parshall_dev.checkout import ROOT
from parshall_dev.where import rust
from parshall_dev.where.rows import CONTROLS, TIMEOUTS, Row, kebab

__all__ = ["PLACES", "lent", "lent_by_header", "modules", "there"]


def there(row: Row, place: str) -> str:
    """The part of a row that a place has, in a few words; empty where it has nothing."""
    return PLACES[place](row)


def _simulator(row: Row) -> str:
    if row.kind:
        return f"`{row.kind}`"
    if rust.namers("sim", *row.types) | rust.namers("scenario", *row.types):
        return "yes"
    return _in_controls(row) or ("in parts of your own" if row.types[0] in lent() else "")


def _python(row: Row) -> str:
    return f"`{row.python}`" if row.python and rust.namers("python", *row.types) else ""


def _rust(row: Row) -> str:
    """Its path; of a choice of a configuration, the choice."""
    *modules, last = row.rust.split("::")
    return f"`{'::'.join([*modules[-1:], last])}`"


def _c(row: Row) -> str:
    """The engine lends some to compiled parts, and user space compiles the headers of the kernel's module."""
    name = row.types[0]
    if name in lent():
        return f'`"{lent()[name]}"`'
    header = f"{name.lower()}_core.h"
    return f"`{header}`" if (ROOT / "linux/qdisc" / header).exists() else ""


def _capture(row: Row) -> str:
    return "yes" if row.python and row.python.partition("(")[0] in _of_captures() else ""


def _browser(row: Row) -> str:
    """The engine with all that it has, but for parts of one's own; and what is asked of round trips."""
    simulated = _simulator(row) if rust.depends("wasm", "parshall-sim") else ""
    found = ["simulated"] if simulated and simulated != "in parts of your own" else []
    if row.group == TIMEOUTS and _compared_in_browsers(row):
        found.append("on your round trips")
    return ", ".join(found)


def _quinn(row: Row) -> str:
    if not rust.depends("quinn", "parshall-control"):
        return ""
    return "yes" if row.group == CONTROLS else _in_controls(row)


def _kernel(row: Row) -> str:
    """A queue discipline has the estimator of its name, and so has whatever is made of that estimator."""
    name = row.rust.rpartition("::")[2]
    for module in modules():
        of = module.removeprefix("sch_").capitalize()
        if name == of or re.search(rf": {of}\b", rust.fields(name)):
            return f"`{module}`"
    return ""


PLACES: dict[str, Callable[[Row], str]] = {
    "simulator": _simulator,
    "Python": _python,
    "Rust": _rust,
    "C": _c,
    "capture": _capture,
    "browser": _browser,
    "quinn": _quinn,
    "Linux kernel": _kernel,
}
"""The places, each with what tells what it has."""


@cache
def lent() -> dict[str, str]:
    """Estimators that the engine lends to parts in C and other languages, with their names there."""
    text = rust.code("python")[Path("own/lent.rs")]
    return {of: name for name, of in re.findall(r'b"(\w+)" => Some\(Box::new\((\w+)::', text)}


def lent_by_header(header: Path) -> set[str]:
    """Names of estimators that a header for C promises."""
    found = re.search(r"/\* (An estimator of the library's[^/]*)\*/", header.read_text(encoding="utf-8"))
    return set(re.findall(r'"(\w+)"', found[1])) if found else set()


@cache
def modules() -> tuple[str, ...]:
    """Modules of the Linux kernel."""
    return tuple(sorted(file.stem for file in (ROOT / "linux/qdisc").glob("sch_*.c")))


def _in_controls(row: Row) -> str:
    """Controls that have it inside: by themselves, or by a file that they share."""
    if row.group == CONTROLS or not rust.namers("control", *row.types):
        return ""
    shared = {Path(file).stem for file in rust.namers("control", *row.types)}
    found = []
    for module, _ in rust.macro_entries("control", "controls"):
        files = rust.code("control").items()
        text = "".join(each for file, each in files if Path(file.parts[0]).stem == module)
        if module in shared or any(re.search(rf"\bcrate::{name}\b", text) for name in shared):
            found.append(f"`{kebab(module)}`")
    return f"in {', '.join(found)}" if found else ""


@cache
def _of_captures() -> set[str]:
    """Names in Python of what ``parshall.capture`` runs: those that its files import and its methods take."""
    from parshall import capture, estimators, forecast, long_memory

    taken = _imported(ROOT / "python/parshall/capture")
    found = {name for name in taken["estimators"] if _is(getattr(estimators, name), estimators.Estimator)}
    if "RtoEstimator" in str(inspect.signature(capture.Capture.replay)):
        names = (name for name in estimators.__all__ if name != "RtoEstimator")
        found |= {name for name in names if _is(getattr(estimators, name), estimators.RtoEstimator)}
    if "evaluate" in taken["forecast"]:
        found |= {f"forecast.{type(model).__name__}" for model in forecast.DEFAULT_MODELS}
        found |= (
            {"forecast.Forecaster"}
            if "coverage" in inspect.signature(forecast.evaluate).parameters
            else set()
        )
    series = (name for name in taken["long_memory"] if inspect.isfunction(getattr(long_memory, name)))
    return found | {f"long_memory.{name}" for name in series}


def _is(value: object, kind: type) -> bool:
    return inspect.isclass(value) and issubclass(value, kind)


def _imported(folder: Path) -> dict[str, set[str]]:
    """Names that the files of a folder import when they run, by the package that they are from."""
    found: dict[str, set[str]] = {"estimators": set(), "forecast": set(), "long_memory": set()}
    for file in folder.glob("*.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            package = (
                (node.module or "").removeprefix("parshall.") if isinstance(node, ast.ImportFrom) else ""
            )
            if isinstance(node, ast.ImportFrom) and package in found:
                found[package] |= {name.name for name in node.names}
    return found


def _compared_in_browsers(row: Row) -> bool:
    """Returns true if the module compares the filter, with its defaults, on round trips that it is given."""
    kind = re.fullmatch(r'kind = "([\w-]+)"', row.kind)
    text = rust.code("wasm")[Path("timeouts.rs")]
    return kind is not None and f"RtoConfig::{kind[1].replace('-', '_')}(" in text
