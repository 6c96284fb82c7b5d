"""Text of what went wrong in a part of one's own, in one line."""

from __future__ import annotations

import traceback
from pathlib import Path

from parshall import _core

__all__ = ["described"]

_HERE = Path(__file__).parents[1]
"""Folder of the package, whose lines are not the user's."""


def described(error: BaseException) -> str:
    """The exception, and the last line of the user's code on the way to it."""
    if isinstance(error, _core.WrongAnswerError):
        value, expected = error.args
        return f"returned {value!r}, expected {expected}"
    text = " ".join(str(error).split())
    what = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if isinstance(error, SyntaxError):  # it names its place itself
        return what
    frames = traceback.extract_tb(error.__traceback__)
    for frame in reversed(frames):
        place = Path(frame.filename)
        if _HERE not in place.parents and not place.name.startswith("<frozen "):
            return f"{what} ({place.name}, line {frame.lineno})"
    return what
