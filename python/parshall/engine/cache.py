"""Results on disk, by scenario, seed and engine version, so that a run is never done twice.

Finished runs are written in segments: a folder of Parquet files, each with the rows of many runs, and an
index. A segment is written beside its final place and renamed, so it is whole or absent, and never changes
afterwards; any number of processes may share a cache. Each file's checksum is in the index: a damaged segment
is reported, removed, and its runs are done again. One that cannot be read for another reason stays. Small
segments are made into larger ones as they come
(:mod:`parshall.engine.compaction`), so that many runs are read in a few pieces.

    CACHE/v2/ENGINE_VERSION/SEGMENT/index.json, flows.parquet, ports.parquet, ...
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
import shutil
import time
import uuid
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from parshall.engine.compaction import due
from parshall.engine.segments import DamageError, GoneError, Segment, UnreadableError, opened, written
from parshall.errors import InputError, OutputError, checked_path, shown
from parshall.recording.tables import Block, Key, joined
from parshall.support.causes import output_errors
from parshall.support.files import new_folder, remove_folder, write_file

__all__ = ["Cache", "cache_of", "default_folder", "layouts"]

LAYOUT = "v2"
"""Changes when the files here are laid out differently, or when older ones are not to be believed: those of
``v1`` may have results of a scenario's copies under the hash of the scenario."""
VARIABLE = "PARSHALL_CACHE"
"""Environment variable that names the folder."""

_NAME = re.compile(r"[0-9a-f]+-\d+-[0-9a-f]{8}")
_LOCK = ".compaction"
_TAG = (
    "Signature: 8a477f597d28d172789f06886806bc55\n# Results of Parshall; everything here can be made again.\n"
)
"""Tells backup programs to leave the folder out (Cache Directory Tagging Specification)."""

_log = logging.getLogger("parshall")


def default_folder() -> Path:
    """``$PARSHALL_CACHE``, or a folder of the user's where the platform keeps such things."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("parshall", appauthor=False)


def layouts(folder: Path) -> list[Path]:
    """Where results of this layout and of earlier ones are."""
    if not folder.is_dir():
        return []
    return sorted(place for place in folder.iterdir() if re.fullmatch(r"v\d+", place.name))


def cache_of(given: object) -> Cache | None:
    """The cache that is meant: one, ``"default"`` or ``True``, or none. Raises InputError."""
    if given is None or given is False:
        return None
    if given is True or (isinstance(given, str) and given == "default"):
        return Cache()
    if isinstance(given, Cache):
        return given
    raise InputError("cache", shown(given), 'a Cache, "default", or none')


@dataclass
class Cache:
    """Results of one engine version under a folder. It may be shared by threads, processes and machines."""

    folder: Path = field(default_factory=default_folder)
    """Where all versions' results are."""
    engine_version: str = ""
    """Results of other versions are not seen; the engine's own unless given."""

    def __post_init__(self) -> None:
        self.folder = checked_path("folder", self.folder, "the name of a folder")
        if not isinstance(self.engine_version, str):
            raise InputError("engine_version", shown(self.engine_version), "the version of an engine")
        if not self.engine_version:
            from parshall._core import ENGINE_VERSION

            self.engine_version = ENGINE_VERSION
        self._home = self.folder / LAYOUT / re.sub(r"[^\w.+-]", "_", self.engine_version)
        self._segments: dict[str, Segment] = {}
        self._where: dict[Key, str] = {}
        self._steps: dict[Key, int] = {}
        self._passed_over: set[str] = set()

    def find(self, keys: Iterable[Key], max_events: int | None = None) -> set[Key]:
        """Those of ``keys`` whose results are here, and that took no more events than ``max_events``: others
        fail if they are run under this limit, and so they do whatever is kept.
        """
        self._look()
        most = float("inf") if max_events is None else max_events
        return {key for key in keys if key in self._where and self._steps[key] <= most}

    def together(self, keys: Iterable[Key]) -> list[list[Key]]:
        """Those of ``keys`` whose results are here, in groups that are cheap to read together."""
        groups: dict[str, list[Key]] = {}
        for key in keys:
            if key in self._where:
                groups.setdefault(self._where[key], []).append(key)
        return list(groups.values())

    def read(self, keys: Collection[Key], tables: Sequence[str]) -> list[Block]:
        """Blocks that hold ``tables`` of ``keys``, those that are here and sound."""
        blocks: list[Block] = []
        left = set(keys)
        while True:
            gone = False
            for name in dict.fromkeys(self._where[key] for key in keys if key in left and key in self._where):
                try:
                    block = self._segments[name].read(tables).only(left)
                except DamageError as damage:
                    self._drop(name, str(damage))
                except UnreadableError as error:
                    self._pass_over(name, str(error))
                except (GoneError, KeyError):  # made into a larger one meanwhile, or cleared
                    gone = True
                else:
                    blocks.append(block)
                    left.difference_update(block.keys)
            if not gone:
                return blocks
            self._look()

    def add(self, block: Block) -> None:
        """Stores finished runs, all or none of them. Raises OutputError."""
        self._store(block)
        with suppress(OutputError):  # it is stored; only that small segments stay as they are
            self._compact()

    def _store(self, block: Block) -> None:
        name = f"{time.time_ns():x}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        if not self._home.is_dir():
            write_file(self.folder / "CACHEDIR.TAG", _TAG)
        with new_folder(self._home / name) as files:
            segment = written(self._home / name, block, self.engine_version, files.add)
        self._remember(name, segment)

    def _compact(self) -> None:
        """Makes small segments into larger ones where there are many. Raises OutputError."""
        if not due(self._segments):
            return
        with self._alone() as alone:
            if not alone:  # somebody else is at it
                return
            self._look()
            while group := due(self._segments):
                self._merge(group)

    def _merge(self, names: Sequence[str]) -> None:
        blocks: list[Block] = []
        known: set[Key] = set()
        merged: list[str] = []
        for name in names:
            try:
                segment = self._segments[name]
                fresh = [key for key in dict.fromkeys(segment.keys) if key not in known]
                blocks.append(segment.read().only(fresh))
            except DamageError as damage:
                self._drop(name, str(damage))
            except GoneError:
                self._forget(name)
            except UnreadableError as error:
                self._pass_over(name, str(error))
            else:
                known.update(fresh)
                merged.append(name)
        if blocks:
            self._store(joined(blocks))
        for name in merged:
            self._remove(name)

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        """Yields true, and keeps others out, if no process is at compaction. Raises OutputError."""
        with output_errors(self.folder):
            lock = os.open(self._home / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                yield False
            else:
                yield True
            finally:
                os.close(lock)

    def clear(self) -> None:
        """Removes the results of every engine version, and those of earlier layouts."""
        with output_errors(self.folder):
            for layout in layouts(self.folder):
                shutil.rmtree(layout)
        self._segments.clear()
        self._where.clear()

    def _look(self) -> None:
        """Reads the indices of segments that are new since the last look."""
        try:
            names = sorted(entry.name for entry in os.scandir(self._home))
        except FileNotFoundError:
            names = []
        except OSError:  # not to be used now, which the attempt to add something will tell
            return
        for name in names:
            if _NAME.fullmatch(name) and name not in self._segments:
                self._open(name)
        for name in self._segments.keys() - set(names):
            self._forget(name)

    def _open(self, name: str) -> None:
        try:
            self._remember(name, opened(self._home / name))
        except DamageError as damage:
            self._drop(name, str(damage))
        except UnreadableError as error:
            self._pass_over(name, str(error))
        except GoneError:
            pass

    def _remember(self, name: str, segment: Segment) -> None:
        self._segments[name] = segment
        for key, took in zip(segment.keys, segment.took, strict=True):
            self._where[key] = name
            self._steps[key] = took.steps

    def _forget(self, name: str) -> None:
        segment = self._segments.pop(name, None)
        for key in segment.keys if segment else ():
            if self._where.get(key) == name:
                del self._where[key]

    def _drop(self, name: str, damage: str) -> None:
        _log.warning(
            "%s: damaged (%s), expected a segment of results; its runs are done again",
            self._home / name,
            damage,
        )
        self._remove(name)

    def _pass_over(self, name: str, cause: str) -> None:
        """Leaves a segment where it is, without its results."""
        self._forget(name)
        if name not in self._passed_over:
            self._passed_over.add(name)
            _log.warning("%s: cannot be read now (%s); its runs are done again", self._home / name, cause)

    def _remove(self, name: str) -> None:
        self._forget(name)
        remove_folder(self._home / name)
