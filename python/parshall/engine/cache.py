"""Results on disk, by scenario, seed and engine version, so that a run is never done twice.

Finished runs are written in segments: a folder of Parquet files, each with the rows of many runs, and an
index. A segment is written beside its final place and renamed, so it is whole or absent, and never changes
afterwards; any number of processes may share a cache. Each file's checksum is in the index: a damaged segment
is reported, removed, and its runs are done again.

    CACHE/v1/ENGINE_VERSION/SEGMENT/index.json, flows.parquet, ports.parquet, ...
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import time
import uuid
import zlib
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from parshall.errors import InputError, shown
from parshall.recording.tables import Block, Key
from parshall.support.files import failing_as

__all__ = ["Cache", "cache_of", "default_folder"]

LAYOUT = "v1"
"""Changes when the files here are laid out differently."""
VARIABLE = "PARSHALL_CACHE"
"""Environment variable that names the folder."""

_NAME = re.compile(r"[0-9a-f]+-\d+-[0-9a-f]{8}")
_UNFINISHED = ".unfinished-"
_ABANDONED_AFTER_S = 3600.0
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


def cache_of(given: object) -> Cache | None:
    """The cache that is meant: one, ``"default"`` or ``True``, or none. Raises InputError."""
    if given is None or given is False:
        return None
    if given == "default" or given is True:
        return Cache()
    if isinstance(given, Cache):
        return given
    raise InputError("cache", shown(given), 'a Cache, "default", or none')


class _DamageError(Exception):
    """A segment that is not what its index says."""


@dataclass
class _Segment:
    """A segment as its index describes it."""

    folder: Path
    keys: tuple[Key, ...]
    rows: dict[str, list[int]]
    files: dict[str, dict[str, int]]

    def read(self, tables: Sequence[str]) -> Block:
        """Those of ``tables`` that the segment has. Raises _DamageError."""
        present = [name for name in tables if name in self.rows]
        return Block(
            self.keys,
            {name: self._table(name) for name in present},
            {name: self.rows[name] for name in present},
        )

    def _table(self, name: str) -> pa.Table:
        file = f"{name}.parquet"
        try:
            content = (self.folder / file).read_bytes()
        except OSError as error:
            raise _DamageError(f"{file}: {error.strerror}") from None
        if self.files[file] != _fingerprint(content):
            raise _DamageError(f"{file}: wrong checksum")
        try:
            # Callers read segments side by side as it is, and a thread of Arrow's that lets go of these bytes
            # while the interpreter ends would abort the process.
            table = parquet.ParquetFile(pa.BufferReader(content)).read(use_threads=False)
        except pa.ArrowException as error:
            raise _DamageError(f"{file}: {str(error).splitlines()[0]}") from None
        if table.num_rows != sum(self.rows[name]):
            raise _DamageError(f"{file}: {table.num_rows} rows, expected {sum(self.rows[name])}")
        return table


@dataclass
class Cache:
    """Results of one engine version under a folder. It may be shared by threads, processes and machines."""

    folder: Path = field(default_factory=default_folder)
    """Where all versions' results are."""
    engine_version: str = ""
    """Results of other versions are not seen; the engine's own unless given."""

    def __post_init__(self) -> None:
        self.folder = Path(self.folder)
        if not self.engine_version:
            from parshall._core import ENGINE_VERSION

            self.engine_version = ENGINE_VERSION
        self._home = self.folder / LAYOUT / re.sub(r"[^\w.+-]", "_", self.engine_version)
        self._segments: dict[str, _Segment] = {}
        self._where: dict[Key, str] = {}

    def find(self, keys: Iterable[Key]) -> set[Key]:
        """Those of ``keys`` whose results are here."""
        self._look()
        return {key for key in keys if key in self._where}

    def together(self, keys: Iterable[Key]) -> list[list[Key]]:
        """Those of ``keys`` whose results are here, in groups that are cheap to read together."""
        groups: dict[str, list[Key]] = {}
        for key in keys:
            if key in self._where:
                groups.setdefault(self._where[key], []).append(key)
        return list(groups.values())

    def read(self, keys: Collection[Key], tables: Sequence[str]) -> list[Block]:
        """Blocks that hold ``tables`` of ``keys``, those that are here and sound."""
        wanted = dict.fromkeys(self._where[key] for key in keys if key in self._where)
        blocks = []
        for name in wanted:
            try:
                blocks.append(self._segments[name].read(tables).only(keys))
            except _DamageError as damage:
                self._drop(name, str(damage))
        return blocks

    def add(self, block: Block) -> None:
        """Stores finished runs, all or none of them. Raises OutputError."""
        name = f"{time.time_ns():x}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        stage = self._home / f"{_UNFINISHED}{name}"
        try:
            with failing_as(self.folder):
                self._prepare()
                stage.mkdir()
                index = _write(stage, block, self.engine_version)
                stage.rename(self._home / name)
        finally:
            shutil.rmtree(stage, ignore_errors=True)
        self._remember(name, _segment(self._home / name, index))

    def clear(self) -> None:
        """Removes the results of every engine version."""
        with failing_as(self.folder):
            if (self.folder / LAYOUT).exists():
                shutil.rmtree(self.folder / LAYOUT)
        self._segments.clear()
        self._where.clear()

    def _prepare(self) -> None:
        if self._home.is_dir():
            return
        self._home.mkdir(parents=True, exist_ok=True)
        (self.folder / "CACHEDIR.TAG").write_text(_TAG)

    def _look(self) -> None:
        """Reads the indices of segments that are new since the last look."""
        try:
            names = sorted(entry.name for entry in os.scandir(self._home))
        except OSError:  # not there yet; or not to be used, which the attempt to add something will tell
            names = []
        for name in names:
            if name.startswith(_UNFINISHED):
                self._sweep(self._home / name)
            elif _NAME.fullmatch(name) and name not in self._segments:
                self._open(name)
        for name in self._segments.keys() - set(names):
            self._forget(name)

    def _open(self, name: str) -> None:
        try:
            self._remember(name, _read_index(self._home / name))
        except _DamageError as damage:
            self._drop(name, str(damage))

    def _remember(self, name: str, segment: _Segment) -> None:
        self._segments[name] = segment
        for key in segment.keys:
            self._where.setdefault(key, name)

    def _forget(self, name: str) -> None:
        segment = self._segments.pop(name, None)
        for key in segment.keys if segment else ():
            if self._where.get(key) == name:
                del self._where[key]

    def _drop(self, name: str, damage: str) -> None:
        self._forget(name)
        folder = self._home / name
        # Another process may have removed it since we looked, which is no damage.
        if folder.exists():
            _log.warning(
                "%s: damaged (%s), expected a segment of results; its runs are done again", folder, damage
            )
            shutil.rmtree(folder, ignore_errors=True)

    def _sweep(self, stage: Path) -> None:
        """Removes what a process that was killed left half written."""
        with suppress(OSError):
            if time.time() - stage.stat().st_mtime > _ABANDONED_AFTER_S:
                shutil.rmtree(stage, ignore_errors=True)


def _write(stage: Path, block: Block, engine_version: str) -> dict[str, Any]:
    files = {}
    for name, table in block.tables.items():
        sink = pa.BufferOutputStream()
        parquet.write_table(table, sink, compression="zstd", compression_level=1)
        content = sink.getvalue()
        (stage / f"{name}.parquet").write_bytes(content)
        files[f"{name}.parquet"] = _fingerprint(content)
    scenarios = list(dict.fromkeys(scenario for scenario, _ in block.keys))
    number = {scenario: index for index, scenario in enumerate(scenarios)}
    index = {
        "engine_version": engine_version,
        "scenarios": scenarios,
        "runs": [[number[scenario], seed] for scenario, seed in block.keys],
        "rows": {name: list(rows) for name, rows in block.rows.items()},
        "files": files,
    }
    content = json.dumps(index, separators=(",", ":")).encode()
    # The checksum of the rest stands on a line of its own.
    (stage / "index.json").write_bytes(b"%s\n%d\n" % (content, zlib.crc32(content)))
    return index


def _read_index(folder: Path) -> _Segment:
    try:
        content, checksum, rest = (folder / "index.json").read_bytes().split(b"\n")
        if rest or int(checksum) != zlib.crc32(content):
            raise _DamageError("index.json: wrong checksum")
        return _segment(folder, json.loads(content))
    except OSError as error:
        raise _DamageError(f"index.json: {error.strerror}") from None
    except ValueError:
        raise _DamageError("index.json: not an index") from None


def _segment(folder: Path, index: dict[str, Any]) -> _Segment:
    scenarios = index["scenarios"]
    keys = tuple((scenarios[number], seed) for number, seed in index["runs"])
    return _Segment(folder, keys, index["rows"], index["files"])


def _fingerprint(content: Any) -> dict[str, int]:
    return {"bytes": len(content), "crc32": zlib.crc32(content)}
