"""Folders for files that are not complete yet, each inside of the folder that the files are for.

Being inside, a stage is on the same file system, so that its files can be renamed into place. Its writer
holds a lock on it. One without a lock was left by a process that was killed: the next writer carries out what
that one had decided (:mod:`parshall.support.moves`), and removes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from parshall.errors import OutputError
from parshall.support.moves import carry_out, is_decided

__all__ = ["finish_interrupted", "locked", "stage"]

_PREFIX = ".parshall-"
_NAME = re.compile(re.escape(_PREFIX) + r"[a-z0-9_]{8}")


@contextlib.contextmanager
def stage(folder: Path) -> Iterator[Path]:
    """A new stage inside of ``folder``; it is gone afterwards, and so is ``folder`` if it was made here and
    holds nothing. Stages that others left are cleared up first. Raises OSError and OutputError.
    """
    made = _make(folder)
    try:
        finish_interrupted(folder)
        place, lock = _new(folder)
        try:
            yield place
        finally:
            if not is_decided(place):
                shutil.rmtree(place, ignore_errors=True)
            os.close(lock)
    finally:
        for parent in made:
            with contextlib.suppress(OSError):  # not empty: the result is there
                parent.rmdir()


def finish_interrupted(folder: Path) -> None:
    """Clears up the stages in a folder whose writers were killed. What cannot be cleared up is left."""
    with contextlib.suppress(OSError):
        names = [entry.name for entry in os.scandir(folder) if _NAME.fullmatch(entry.name)]
        for place in (folder / name for name in names):
            with contextlib.suppress(OSError), locked(place) as alone:
                if alone:
                    with locked(folder, wait=True):
                        carry_out(place, folder)
                    shutil.rmtree(place, ignore_errors=True)


@contextlib.contextmanager
def locked(folder: Path, wait: bool = False) -> Iterator[bool]:
    """Holds the lock of a folder; yields false where another process holds it, unless told to ``wait``.
    Raises OSError, also for a link.
    """
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | (0 if wait else os.O_NOFOLLOW))
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
        except OSError:  # a file system without locks
            yield wait
        else:
            yield True
    finally:
        os.close(lock)


def _new(folder: Path) -> tuple[Path, int]:
    """A new stage, and the descriptor that holds its lock."""
    while True:
        place = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder))
        with contextlib.suppress(FileNotFoundError):
            lock = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(lock, fcntl.LOCK_EX)
            if place.exists():
                return place, lock
            os.close(lock)  # another process took it for one that was left


def _make(folder: Path) -> list[Path]:
    """Makes a folder and its parents; returns those that did not exist, the innermost first."""
    if folder.exists() and not folder.is_dir():
        raise OutputError(str(folder), "is a file, expected a folder")
    missing = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
    folder.mkdir(parents=True, exist_ok=True)
    return missing
