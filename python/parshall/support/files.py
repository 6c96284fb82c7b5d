"""The one door for writing: a reader never meets half of a file, or of a result of several files.

Everything is written into a stage (:mod:`parshall.support.stages`) and renamed into place when it is
complete. Links are replaced and never followed. ``make lint`` refuses other ways of writing.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from parshall.errors import OutputError
from parshall.support.causes import output_errors
from parshall.support.moves import NEW, carry_out, decide, is_inside
from parshall.support.stages import locked, stage

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["NewFiles", "new_folder", "parquet_bytes", "remove_folder", "replace_files", "write_file"]


def write_file(file: Path, content: str | bytes) -> None:
    """Puts a text, as UTF-8, or bytes into a file, whose folder is made if it is not there. A file that is
    there is replaced and keeps its permissions. Raises OutputError.
    """
    with output_errors(file), stage(file.parent) as place:
        mode = _mode_of(file)
        part = place / "part"
        part.write_bytes(content.encode() if isinstance(content, str) else content)
        if mode is not None:
            part.chmod(mode)
        part.replace(file)


def parquet_bytes(table: pa.Table, **options: object) -> pa.Buffer:
    """A table as the content of a Parquet file."""
    import pyarrow as pa
    from pyarrow import parquet

    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd", **options)
    return sink.getvalue()


class NewFiles:
    """The files of a result while they are written."""

    def __init__(self, stage: Path) -> None:
        self.folder = stage / NEW
        """Where they are until all are complete."""
        self.folder.mkdir()
        self.names: list[str] = []
        """Their names, with slashes, in the order in which they are moved into place."""

    def place(self, name: str) -> Path:
        """Path to write the file of this name to. Raises OSError."""
        self.names.append(name)
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def add(self, name: str, content: str | bytes) -> None:
        """Writes a file: a text, as UTF-8, or bytes. Raises OSError."""
        self.place(name).write_bytes(content.encode() if isinstance(content, str) else content)

    def add_table(self, name: str, table: pa.Table) -> None:
        """Writes a table as Parquet. Raises OSError."""
        from pyarrow import parquet

        parquet.write_table(table, self.place(name), compression="zstd")


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[NewFiles]:
    """Writes a folder that is not there yet, which appears with all of its files when the block ends. Raises
    OutputError.
    """
    with output_errors(folder), stage(folder.parent) as place:
        files = NewFiles(place)
        yield files
        files.folder.rename(folder)


def remove_folder(folder: Path) -> None:
    """Removes a folder so that a reader never meets half of it; leaves one that must not be removed."""
    with contextlib.suppress(OSError), stage(folder.parent) as place:
        folder.rename(place / folder.name)


@contextlib.contextmanager
def replace_files(folder: Path, old: Callable[[], Sequence[str]]) -> Iterator[NewFiles]:
    """Writes several files that belong together; when the block ends all of them are moved into ``folder``,
    and when it fails none is.

    ``old`` returns the names of the files that go; the first of them, and the last that is written, is the
    one that makes the others a result, such as a manifest. A new file never replaces one that is not among
    ``old``. Raises OutputError.
    """
    with output_errors(folder), stage(folder) as place:
        files = NewFiles(place)
        yield files
        with locked(folder, wait=True):
            replaced = [name for name in old() if is_inside(folder, name)]
            for name in files.names:
                if name not in replaced and is_inside(folder, name) and os.path.lexists(folder / name):
                    raise OutputError(str(folder / name), "already exists, expected a new folder")
            decide(place, replaced, files.names)
            carry_out(place, folder)


def _mode_of(file: Path) -> int | None:
    """Permissions of a file that is there. Raises OutputError for a device and the like, which would be
    replaced by a file.
    """
    try:
        mode = file.lstat().st_mode
        if not stat.S_ISLNK(mode) and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise OutputError(str(file), "is no ordinary file, expected the name of a file to write")
        return stat.S_IMODE(mode) if stat.S_ISREG(mode) else None
    except FileNotFoundError:
        return None
