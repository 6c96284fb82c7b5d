"""Errors of the system in words."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

from parshall.errors import OutputError

__all__ = ["output_errors", "reason"]

_CAUSES = {
    errno.ENOENT: "no such file",
    errno.EEXIST: "already exists",
    errno.EISDIR: "is a folder",
    errno.ENOTDIR: "no such folder",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk is full",
}


def reason(error: OSError) -> str:
    """Cause of an error of the system, in a few words."""
    if (text := _CAUSES.get(error.errno or 0)) is not None:
        return text
    text = (error.strerror or str(error) or type(error).__name__).splitlines()[0]
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


@contextlib.contextmanager
def output_errors(path: Path) -> Iterator[None]:
    """Turns what the system says about a write into an OutputError that names ``path``."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(str(path), reason(error)) from None
