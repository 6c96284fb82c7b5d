"""Errors that a user can put right, each in one line: place, value, what was expected."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

__all__ = [
    "FileError",
    "InputError",
    "InputTypeError",
    "OutputError",
    "ParshallError",
    "PartError",
    "RunError",
    "ScenarioError",
    "checked_path",
    "counted",
    "shown",
]

_LONGEST_VALUE = 60


class ParshallError(Exception):
    """Anything that is wrong outside the program: input, files, names. Its text is one line."""


class InputError(ParshallError, ValueError):
    """A value that cannot be used.

    ``path`` says where it stands (``links[0].rate``), ``value`` is its text, ``expected`` what would be
    right.
    """

    def __init__(self, path: str, value: str, expected: str) -> None:
        super().__init__(path, value, expected)
        self.path = path
        self.value = value
        self.expected = expected

    def __str__(self) -> str:
        place = f"{self.path}: " if self.path else ""
        return f"{place}got {self.value}, expected {self.expected}"


class FileError(InputError):
    """A file that cannot be read; ``value`` is the reason that the system gives."""

    def __str__(self) -> str:
        return f"{self.path}: {self.value}, expected {self.expected}"


class InputTypeError(InputError, TypeError):
    """An argument of a type that cannot be used; also a TypeError, as Python's own are."""


class ScenarioError(InputError):
    """A scenario that cannot be run. ``file`` and ``line`` are set when it was read from a file.

    When several fields are wrong, ``others`` holds the errors after the first.
    """

    def __init__(
        self,
        path: str,
        value: str,
        expected: str,
        *,
        file: str | None = None,
        line: int | None = None,
        others: tuple[ScenarioError, ...] = (),
    ) -> None:
        super().__init__(path, value, expected)
        self.file = file
        self.line = line
        self.others = others

    def __str__(self) -> str:
        fault = super().__str__()
        if self.file is None:
            return fault
        line = "" if self.line is None else f":{self.line}"
        return f"{self.file}{line}: {fault}"

    def all(self) -> tuple[ScenarioError, ...]:
        """This error and those after it."""
        return (self, *self.others)


class OutputError(ParshallError, OSError):
    """A result that cannot be written; ``path`` is where it should have gone."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path


class RunError(ParshallError):
    """Runs that failed, named by scenario and seed."""


class PartError(ParshallError, RuntimeError):
    """A part of one's own that failed outside of a run: a filter of timeouts on a series, for one."""


def counted(count: int, noun: str) -> str:
    """A number of things, as ``1 sample`` or ``2 samples``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def shown(value: Any) -> str:
    """A value as text for an error: as it would stand in a file, on one line, shortened when long."""
    # JSON leaves some line breaks of Unicode as they are.
    text = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in _text(value))
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _text(value: Any) -> str:
    import json  # not for a command that runs into no error

    if value is None:
        return "nothing"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    try:
        if isinstance(value, bool | int | float | str | list | tuple | dict):
            return json.dumps(value, ensure_ascii=False, default=repr, skipkeys=True)
        return " ".join(str(value).split())
    except (ValueError, RecursionError):  # thousands of digits, or lists in lists in lists
        return f"a {type(value).__name__} too long to show"


def checked_path(name: str, given: object, expected: str) -> Path:
    """A path that was given. Raises InputError for what cannot be one."""
    if isinstance(given, str | os.PathLike):
        path = os.fspath(given)
        if isinstance(path, str) and path and "\0" not in path:
            return Path(path)
    raise InputError(name, shown(given), expected)
