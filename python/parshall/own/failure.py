"""Text of what went wrong in a part of one's own, in one line."""

from __future__ import annotations

import traceback
from pathlib import Path

from parshall import _core

__all__ = ["described"]


def described(error: BaseException) -> str:
    """The exception, and the line of the user's code that raised it."""
    if isinstance(error, _core.WrongAnswerError):
        value, expected = error.args
        return f"returned {value!r}, expected {expected}"
    text = " ".join(str(error).split())
    what = f"{type(error).__name__}: {text}" if text else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return what
    return f"{what} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"
