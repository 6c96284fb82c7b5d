"""A segment of the cache: a folder with the rows of many runs as Parquet, and an index with checksums.

SEGMENT/index.json, flows.parquet, ports.parquet, ...
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from parshall.recording.tables import Block, Key, Took
from parshall.support.causes import reason
from parshall.support.files import parquet_bytes

__all__ = ["DamageError", "GoneError", "Segment", "UnreadableError", "opened", "written"]

_INDEX = "index.json"


class DamageError(Exception):
    """A segment that was read and is not what its index says, or lacks a file."""


class GoneError(Exception):
    """A segment that somebody has removed since we looked, which is no damage."""


class UnreadableError(Exception):
    """A segment that cannot be read now: for want of a permission, of descriptors or of memory."""


@dataclass
class Segment:
    """A segment as its index describes it."""

    folder: Path
    keys: tuple[Key, ...]
    took: tuple[Took, ...]
    """Duration of each run."""
    rows: dict[str, list[int]]
    files: dict[str, dict[str, int]]

    @cached_property
    def bytes(self) -> int:
        """Bytes of its tables on disk."""
        return sum(file["bytes"] for file in self.files.values())

    def read(self, tables: Sequence[str] | None = None) -> Block:
        """Those of ``tables`` that the segment has, all unless given. Raises DamageError, GoneError or
        UnreadableError.
        """
        names = [name for name in (self.rows if tables is None else tables) if name in self.rows]
        return Block(
            self.keys,
            self.took,
            {name: self._table(name) for name in names},
            {name: self.rows[name] for name in names},
        )

    def _table(self, name: str) -> pa.Table:
        file = f"{name}.parquet"
        content = _content(self.folder, file)
        if self.files[file] != _fingerprint(content):
            raise DamageError(f"{file}: wrong checksum")
        try:
            # Callers read segments side by side as it is, and a thread of Arrow's that lets go of these bytes
            # while the interpreter ends would abort the process.
            table = parquet.ParquetFile(pa.BufferReader(content)).read(use_threads=False)
        except (pa.ArrowException, MemoryError) as error:  # with the right checksum it is not damaged
            raise UnreadableError(f"{file}: {' '.join(str(error).split())}") from None
        if table.num_rows != sum(self.rows[name]):
            raise DamageError(f"{file}: {table.num_rows} rows, expected {sum(self.rows[name])}")
        return table


def opened(folder: Path) -> Segment:
    """The segment in a folder. Raises DamageError, GoneError or UnreadableError."""
    try:
        content, checksum, rest = _content(folder, _INDEX).split(b"\n")
        if rest or int(checksum) != zlib.crc32(content):
            raise DamageError(f"{_INDEX}: wrong checksum")
        return _segment(folder, json.loads(content))
    except ValueError:
        raise DamageError(f"{_INDEX}: not an index") from None


def written(
    folder: Path, block: Block, engine_version: str, write: Callable[[str, bytes], object]
) -> Segment:
    """The segment of a block, whose files ``write`` takes; they will be in ``folder``."""
    files = {}
    for name, table in block.tables.items():
        content = parquet_bytes(table, compression_level=1)
        files[f"{name}.parquet"] = _fingerprint(content)
        write(f"{name}.parquet", content)
    scenarios = list(dict.fromkeys(scenario for scenario, _ in block.keys))
    number = {scenario: index for index, scenario in enumerate(scenarios)}
    index = {
        "engine_version": engine_version,
        "scenarios": scenarios,
        # Of each run its scenario, its seed, and what it took.
        "runs": [
            [number[scenario], seed, *took]
            for (scenario, seed), took in zip(block.keys, block.took, strict=True)
        ],
        "rows": {name: list(rows) for name, rows in block.rows.items()},
        "files": files,
    }
    text = json.dumps(index, separators=(",", ":")).encode()
    # The checksum of the rest stands on a line of its own.
    write(_INDEX, b"%s\n%d\n" % (text, zlib.crc32(text)))
    return _segment(folder, index)


def _segment(folder: Path, index: dict[str, Any]) -> Segment:
    scenarios = index["scenarios"]
    keys = tuple((scenarios[number], seed) for number, seed, *_ in index["runs"])
    took = tuple(Took(*took) for _, _, *took in index["runs"])
    return Segment(folder, keys, took, index["rows"], index["files"])


def _content(folder: Path, file: str) -> bytes:
    try:
        return (folder / file).read_bytes()
    except FileNotFoundError:
        if not os.path.lexists(folder):
            raise GoneError from None
        raise DamageError(f"{file}: no such file") from None
    except (OSError, MemoryError) as error:
        cause = reason(error) if isinstance(error, OSError) else "memory runs low"
        raise UnreadableError(f"{file}: {cause}") from None


def _fingerprint(content: Any) -> dict[str, int]:
    return {"bytes": len(content), "crc32": zlib.crc32(content)}
