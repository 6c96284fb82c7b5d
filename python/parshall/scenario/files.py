"""Scenario files as text: what they hold, without the classes that a scenario is made of."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from parshall.errors import InputError, ParshallError, ScenarioError, shown
from parshall.support.causes import reason

if TYPE_CHECKING:
    from parshall._core import ReadScenario

__all__ = ["checked", "find_own", "json_tables", "parsed", "placed", "read_text"]

_T = TypeVar("_T")


def parsed(text: str, expected: str) -> dict[str, Any]:
    """The tables of a TOML text. Raises ScenarioError."""
    from parshall import _core

    tables, faults = _core.toml_tables(text)
    for path, value, _, line in faults:
        raise ScenarioError(path, value, expected, line=line)
    return tables


def json_tables(text: str) -> Any:
    """The value of a text in JSON. Raises ScenarioError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ScenarioError("", f"text that is not JSON ({error})", "a scenario") from None


def read_text(file: str, expected: str) -> str:
    """The text of a file. Raises ParshallError."""
    try:
        # The shell's own pipes, as of <(...), have a writer.
        if stat.S_ISFIFO(Path(file).stat().st_mode) and not file.startswith(("/dev/", "/proc/")):
            raise ParshallError(
                f"{file}: is a pipe, which may never end, expected {expected}; - reads standard input"
            )
        return Path(file).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ParshallError(f"{file}: byte {error.start + 1} is not UTF-8, expected {expected}") from None
    except OSError as error:
        raise ParshallError(f"{file}: {reason(error)}, expected {expected}") from None
    except ValueError:  # a null in its name
        raise InputError("file", shown(file), f"the name of {expected}") from None


def placed(read: Callable[[], _T], file: str, text: str) -> _T:
    """Adds the file, and the line where it is known, to an error that names no file yet."""
    try:
        return read()
    except ScenarioError as error:
        raise _all(_placed(error.all(), file, text)) from None


def _placed(faults: Sequence[ScenarioError], file: str, text: str) -> list[ScenarioError]:
    """Faults, each with its file and its line in that."""
    from parshall import _core

    paths = [each.path if each.file is None and each.line is None else "" for each in faults]
    lines = _core.toml_lines(text, paths) if any(paths) else [None] * len(faults)
    return [
        ScenarioError(
            each.path,
            each.value,
            each.expected,
            file=file if each.file is None else each.file,
            line=line if each.line is None else each.line,
        )
        for each, line in zip(faults, lines, strict=True)
    ]


def _all(faults: Sequence[ScenarioError]) -> ScenarioError:
    """The first fault, which has the others."""
    first, *others = faults
    first.others = tuple(others)
    return first


def checked(file: str, text: str) -> ReadScenario:
    """The scenario in the text of a file, without an object for each part: a million flows take seconds.

    Checked as :func:`load` does it. Raises ScenarioError.
    """
    from parshall import _core

    is_json = file.endswith(".json")
    scenario, faults = _core.read_scenario(text, is_json, Path(file).parent, find_own)
    if scenario is None:
        raise _all([ScenarioError(*fault, file=file, line=line) for *fault, line in faults])
    return scenario


def find_own(part: str, source: str, values: dict[str, Any], folder: Path | None) -> tuple[str, str, str]:
    """The form, the source and the hash of the code of a part of the user's own. Raises InputError."""
    named = import_module("parshall.own.found").named(part, source, values, folder)
    return named.form, named.source, named.code
