"""What went wrong in a user's control, in one line."""

from __future__ import annotations

import traceback
from pathlib import Path

from parshall import _core

__all__ = ["described"]


def described(error: BaseException) -> str:
    """The exception, and the line of the user's code that raised it."""
    if isinstance(error, _core.NotAWindowError):
        return f"returned {error.args[0]!r}, expected the window after it, in packets"
    text = " ".join(str(error).split())
    what = f"{type(error).__name__}: {text}" if text else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return what
    return f"{what} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"
