"""Rows of which only so many are in memory, while the others wait in files; and rows that are written as they
come.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from parshall.recording.columns import numbers, values

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyarrow import parquet

__all__ = ["Growing", "Spool", "ordered"]

_BATCH = 4096
"""Rows of a file that are looked at together."""

_GROUP = 8_000_000
"""Bytes in memory of a group of rows in Parquet."""


def ordered(rows: pa.Table, key: str) -> pa.Table:
    """The rows in the order of a column of numbers; of equal ones as they came."""
    keys = values(rows[key])
    in_order = bool(np.all(keys[1:] >= keys[:-1]))
    return rows if in_order else rows.take(numbers(np.argsort(keys, kind="stable")))


@dataclass
class _Run:
    """A file of sorted rows."""

    number: int
    file: Path
    key: str
    least: float
    _reader: pa.RecordBatchFileReader | None = None
    _next: int = 0
    _head: pa.Table | None = None
    _keys: NDArray[Any] = field(default_factory=lambda: np.empty(0))

    def advance(self) -> bool:
        """Reads on if nothing is left of what was read; False at the end."""
        if len(self._keys):
            return True
        if self._reader is None:
            self._reader = pa.ipc.open_file(pa.OSFile(str(self.file)))
        if self._next == self._reader.num_record_batches:
            # Even an empty part of a batch holds all of it.
            self._reader = self._head = None
            return False
        self._head = pa.Table.from_batches([self._reader.get_batch(self._next)])
        self._next += 1
        self._keys = values(self._head[self.key])
        return True

    @property
    def reached(self) -> float:
        """The last key that was read."""
        return float(self._keys[-1])

    def take(self, until: float) -> Iterator[pa.Table]:
        """Removes what there is up to a key."""
        while self.advance() and self._head is not None and self._keys[0] <= until:
            count = int(np.searchsorted(self._keys, until, side="right"))
            yield self._head.slice(0, count)
            self._head, self._keys = self._head.slice(count), self._keys[count:]


class Spool:
    """Rows that come in any order and leave in that of ``key``, numbers; without one as they came.

    Beyond ``most`` rows they go to files in the folder that ``scratch`` makes.
    """

    def __init__(self, scratch: Callable[[], Path], key: str | None, most: int | None) -> None:
        self._scratch = scratch
        self._key = key
        self._most = most
        self._waiting: list[pa.Table] = []
        self._held = 0
        self._runs: list[_Run] = []

    def add(self, rows: pa.Table) -> None:
        """Takes in rows. Raises OSError."""
        if self._waiting and not rows.num_rows:
            return
        self._waiting.append(rows)
        self._held += rows.num_rows
        if self._most is not None and self._held > self._most:
            self._write()

    def _sorted(self) -> pa.Table:
        rows = pa.concat_tables(self._waiting)
        return rows if self._key is None else ordered(rows, self._key)

    def _write(self) -> None:
        rows = self._sorted()
        file = self._scratch() / f"{id(self)}-{len(self._runs)}.arrow"
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with (
            pa.OSFile(str(file), "wb") as sink,
            pa.ipc.new_file(sink, rows.schema, options=options) as writer,
        ):
            writer.write_table(rows.combine_chunks(), max_chunksize=_BATCH)
        least = 0.0 if self._key is None else float(values(rows[self._key])[0])
        self._runs.append(_Run(len(self._runs), file, self._key or rows.column_names[0], least))
        self._waiting, self._held = [rows.slice(0, 0)], 0

    def batches(self) -> Iterator[pa.Table]:
        """The rows in order, in parts. Raises OSError."""
        if not self._runs:
            if self._waiting:
                yield self._sorted()
            return
        if self._held:
            self._write()
        runs = [replace(run) for run in self._runs]
        yield from _merged(runs, self._key) if self._key else _joined(runs)


def _joined(runs: Sequence[_Run]) -> Iterator[pa.Table]:
    for run in runs:
        yield from run.take(math.inf)


def _merged(runs: Sequence[_Run], key: str) -> Iterator[pa.Table]:
    waiting = deque(sorted(runs, key=lambda run: run.least))
    active: list[_Run] = []
    while active or waiting:
        while waiting and (not active or waiting[0].least <= min(run.reached for run in active)):
            run = waiting.popleft()
            if run.advance():
                active.append(run)
        # Up to where the first of them has to be read on, no row is missing.
        limit = min(run.reached for run in active)
        active.sort(key=lambda run: run.number)
        yield ordered(pa.concat_tables([part for run in active for part in run.take(limit)]), key)
        active = [run for run in active if run.advance()]


class Growing:
    """A Parquet file of which rows are written as they come, many at a time."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._waiting: list[pa.Table] = []
        self._held = 0
        self._writer: parquet.ParquetWriter | None = None

    def add(self, rows: pa.Table) -> None:
        """Takes in rows. Raises OSError."""
        if self._waiting and not rows.num_rows:
            return
        self._waiting.append(rows)
        self._held += rows.nbytes
        if self._held >= _GROUP:
            self._write()

    def _write(self) -> None:
        from pyarrow import parquet

        rows = pa.concat_tables(self._waiting)
        if self._writer is None:
            self._writer = parquet.ParquetWriter(self._file, rows.schema, compression="zstd")
        self._writer.write_table(rows)
        self._waiting, self._held = [rows.slice(0, 0)], 0

    def close(self) -> None:
        """Writes what is left. Raises OSError."""
        if self._held or self._writer is None:
            self._write()
        if self._writer is not None:
            self._writer.close()
