"""A process that may have been started by anything: closed streams, encodings, warnings of libraries."""

from __future__ import annotations

import logging
import os
import re
import sys
import warnings
from pathlib import Path

import parshall
from parshall.support.terminal import echo

__all__ = ["open_closed_streams", "take_warnings"]


_INSTALLED = re.compile(r"[/\\](site|dist)-packages[/\\]")


def open_closed_streams() -> None:
    """Puts the null device in the place of standard streams that are closed, as ``>&-`` leaves them: else
    the next file that is opened takes their place. What an output cannot encode is escaped.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, number)
            if null != number:
                os.close(null)
            mode = "r" if number == 0 else "w"
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def take_warnings() -> None:
    """Prints warnings about the user's own code as lines of ours, and drops those of libraries, which their
    users can do nothing about. ``python -W`` and ``PYTHONWARNINGS`` have their way.
    """
    if sys.warnoptions:
        return
    libraries = (str(Path(parshall.__file__).parent), str(Path(warnings.__file__).parent), "<")

    def show(message: object, category: object, filename: str, lineno: int, *_: object) -> None:
        if not (filename.startswith(libraries) or _INSTALLED.search(filename)):
            echo(f"parshall: {filename}:{lineno}: {' '.join(str(message).split())}", err=True)

    warnings.showwarning = show  # type: ignore[assignment]
    logging.lastResort = logging.NullHandler()
