"""Moves new files into a folder in place of old ones, so that an interruption at any point can be mended.

A stage is a folder inside of the target::

    STAGE/new/...         files that are complete
    STAGE/journal.json    which files are moved out and in; once it is there, the move is decided
    STAGE/old/...         files that have been moved out

Old files go first and the last of the new ones is the manifest, so the target never holds files of both. A
process that is killed on the way leaves its journal, and :func:`carry_out` does what is left, any number of
times. An exception on the way puts everything back.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from parshall.errors import OutputError

__all__ = ["NEW", "carry_out", "decide", "is_decided", "is_inside"]

NEW, _OLD = "new", "old"
_JOURNAL = "journal.json"


def decide(stage: Path, old: Sequence[str], new: Sequence[str]) -> None:
    """Writes the journal. ``old`` are removed from the target in this order, and ``new`` are moved in."""
    draft = stage / "journal"
    draft.write_text(json.dumps({"old": list(old), "new": list(new)}), encoding="utf-8")
    draft.replace(stage / _JOURNAL)


def carry_out(stage: Path, target: Path) -> None:
    """Does what is left of a move that was decided; nothing where none was. Raises OSError and OutputError,
    after everything was put back.
    """
    try:
        found = json.loads((stage / _JOURNAL).read_text(encoding="utf-8"))
        old, new = ([str(name) for name in found[key]] for key in ("old", "new"))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return
    done: list[tuple[Path, Path]] = []
    try:
        for source, place in _moves(stage, target, old, new):
            place.parent.mkdir(parents=True, exist_ok=True)
            source.replace(place)
            done.append((source, place))
    except BaseException:
        for source, place in reversed(done):
            source.parent.mkdir(parents=True, exist_ok=True)
            place.replace(source)
        (stage / _JOURNAL).unlink()
        raise
    (stage / _JOURNAL).unlink()
    for name in old:
        _remove_empty(target, name)


def is_decided(stage: Path) -> bool:
    """True while a move has been decided and not been carried out: the stage must not be removed."""
    return os.path.lexists(stage / _JOURNAL)


def is_inside(folder: Path, name: str) -> bool:
    """True if ``name`` is a path to below ``folder`` that no link leads out of it."""
    parts = PurePosixPath(name).parts
    if not parts or "\0" in name or name.startswith("/") or ".." in parts:
        return False
    return not any(folder.joinpath(*parts[:count]).is_symlink() for count in range(1, len(parts)))


def _moves(stage: Path, target: Path, old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[Path, Path]]:
    """The moves that have not been made yet, from and to."""
    for name in (*old, *new):
        if not (is_inside(target, name) and all(is_inside(stage, f"{each}/{name}") for each in (NEW, _OLD))):
            raise OutputError(str(target / name), "is behind a link, expected a file of the folder itself")
    placed = {name for name in new if not os.path.lexists(stage / NEW / name)}
    for name in old:
        if name not in placed and _is_file(target / name):
            yield target / name, stage / _OLD / name
    for name in new:
        if name not in placed:
            yield stage / NEW / name, target / name


def _is_file(place: Path) -> bool:
    """True for what may be moved out: all but folders, so a link itself and not what it points to."""
    try:
        return not stat.S_ISDIR(place.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _remove_empty(target: Path, name: str) -> None:
    """Removes the folders of a file that has gone, as far as they are empty."""
    for parent in (target / name).parents:
        if parent == target:
            return
        with contextlib.suppress(OSError):
            parent.rmdir()
