"""Writing results so that a reader never meets half of one, whatever happens in between."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from parshall.errors import OutputError

__all__ = ["failing_as", "reason", "staged", "write_whole"]

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
def failing_as(path: Path) -> Iterator[None]:
    """Turns what the system says about a write into an OutputError that names ``path``."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(str(path), reason(error)) from None


@contextlib.contextmanager
def staged(folder: Path, prefix: str = ".parshall-") -> Iterator[Path]:
    """A new folder inside of ``folder`` to write into; it is gone afterwards, and so is ``folder`` if it was
    made here and nothing was moved into it.

    Being inside, it is on the same file system, so that its files can be renamed into place.
    """
    made = _make(folder)
    try:
        stage = Path(tempfile.mkdtemp(prefix=prefix, dir=folder))
        try:
            yield stage
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    finally:
        for parent in made:
            with contextlib.suppress(OSError):  # not empty: the result is there
                parent.rmdir()


def write_whole(file: Path, text: str) -> None:
    """Puts a text into a file, whose folder is made if it is not there. Raises OutputError."""
    with failing_as(file), staged(file.parent) as stage:
        part = stage / file.name
        part.write_text(text, encoding="utf-8")
        part.replace(file)


def _make(folder: Path) -> list[Path]:
    """Makes a folder and its parents; returns those that did not exist, the innermost first."""
    if folder.exists() and not folder.is_dir():
        raise OutputError(str(folder), "is a file, expected a folder")
    missing = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
    folder.mkdir(parents=True, exist_ok=True)
    return missing
