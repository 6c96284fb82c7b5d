"""Puts the blocks of an ensemble together: one table in an order that depends on nothing but the question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from parshall.recording.columns import indices, named, numbers, table, values
from parshall.recording.tables import Block, Key

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.scenario import Scenario

__all__ = ["assembled"]

_RUN_COLUMNS = ("scenario", "seed")


_LONG = 100
"""Pieces of so many rows on average are copied one by one; shorter ones are not worth a step of Python."""


@dataclass(frozen=True)
class _Piece:
    """Consecutive rows of one block's table."""

    block: int
    start: int
    rows: int


def assembled(
    blocks: Sequence[Block],
    name: str,
    variants: Mapping[str, Scenario],
    hashes: Iterable[str],
    seeds: Sequence[int],
) -> pa.Table | None:
    """The rows of all runs, variant by variant and seed by seed; none when no block has the table. ``hashes``
    are those of the variants.
    """
    having = [block for block in blocks if name in block.tables]
    if not having:
        return None
    where = _where(having, name)
    nowhere = _Piece(0, 0, 0)
    pieces = [where.get((hash, seed), nowhere) for hash in hashes for seed in seeds]
    rows = _Rows.of([block.tables[name] for block in having], list(_coalesced(pieces)))
    names = {"flow": _flow_names(variants), "port": _port_names(variants)}
    # Those of the table with most columns first: the order does not depend on what was done first.
    longest = sorted((block.tables[name].column_names for block in having), key=len, reverse=True)
    columns = {
        column: rows.column(column, names.get(column))
        for column in dict.fromkeys(chain.from_iterable(longest))
        if column not in _RUN_COLUMNS
    }
    return table({**_run_columns(list(variants), seeds, [piece.rows for piece in pieces]), **columns})


def _where(blocks: Sequence[Block], name: str) -> dict[Key, _Piece]:
    """Where each run's rows are; a run that two blocks have is taken from the first, they are equal."""
    where: dict[Key, _Piece] = {}
    for number, block in enumerate(blocks):
        for key, (start, rows) in zip(block.keys, block.slices(name), strict=True):
            where.setdefault(key, _Piece(number, start, rows))
    return where


def _coalesced(pieces: Sequence[_Piece]) -> Iterator[_Piece]:
    """Joins rows in as few pieces as possible; at least one, for the types of its columns."""
    last = pieces[0]
    for piece in pieces[1:]:
        if piece.rows == 0:
            continue
        if last.rows == 0:
            last = piece
        elif piece.block == last.block and piece.start == last.start + last.rows:
            last = _Piece(last.block, last.start, last.rows + piece.rows)
        else:
            yield last
            last = piece
    yield last


@dataclass(frozen=True)
class _Rows:
    """Rows of the tables of blocks."""

    tables: Sequence[pa.Table]
    pieces: Sequence[_Piece]
    index: NDArray[np.int64] | None
    """For many short pieces, the numbers of their rows, the tables one behind the other."""

    @classmethod
    def of(cls, tables: Sequence[pa.Table], pieces: Sequence[_Piece]) -> _Rows:
        counts = np.array([piece.rows for piece in pieces])
        if counts.mean() >= _LONG or len(pieces) == 1:
            return cls(tables, pieces, None)
        before = np.cumsum([0, *(table.num_rows for table in tables)])
        starts = before[[piece.block for piece in pieces]] + [piece.start for piece in pieces]
        index = np.repeat(starts - (np.cumsum(counts) - counts), counts)
        index += np.arange(len(index))
        return cls(tables, pieces, index)

    def column(self, name: str, names: Sequence[str] | None) -> pa.Array:
        """One column. Names are in the order of the scenarios; a block has that of finishing."""
        if any(name not in table.column_names or _sparse(table.column(name)) for table in self.tables):
            return self._sparse_column(name)
        chunks = [table.column(name) for table in self.tables]
        parts = [_unpacked(part) if names is None else indices(part, names) for part in chunks]
        if self.index is not None and isinstance(parts[0], np.ndarray):
            rows = np.concatenate(parts)[self.index]
        else:
            slices = [parts[piece.block][piece.start : piece.start + piece.rows] for piece in self.pieces]
            if not isinstance(slices[0], np.ndarray):
                return pa.concat_arrays(slices)
            rows = np.concatenate(slices)
        return numbers(rows) if names is None else named(rows, names)

    def _sparse_column(self, name: str) -> pa.Array:
        """A column that some runs do not have: it is null there."""
        kind = next(table.schema.field(name).type for table in self.tables if name in table.column_names)
        parts = [
            pa.concat_arrays(table.column(name).chunks)
            if name in table.column_names and table.num_rows
            else pa.nulls(table.num_rows, kind)
            for table in self.tables
        ]
        if self.index is not None:
            return pa.concat_arrays(parts).take(numbers(self.index))
        return pa.concat_arrays([parts[piece.block].slice(piece.start, piece.rows) for piece in self.pieces])


def _sparse(chunks: pa.ChunkedArray) -> bool:
    """Returns true if numbers are missing. Names may be: a row may have no port."""
    return bool(pa.types.is_primitive(chunks.type) and chunks.null_count)


def _unpacked(chunks: pa.ChunkedArray) -> Any:
    """Numbers as a NumPy array, anything else as one Arrow array."""
    if pa.types.is_primitive(chunks.type):
        return values(chunks)
    return pa.concat_arrays(chunks.chunks)


def _run_columns(variants: Sequence[str], seeds: Sequence[int], rows: Sequence[int]) -> dict[str, pa.Array]:
    codes = np.repeat(np.arange(len(variants), dtype=np.int32), len(seeds))
    own = np.tile(np.array(seeds, dtype=np.int64), len(variants))
    return {"variant": named(np.repeat(codes, rows), variants), "seed": numbers(np.repeat(own, rows))}


def _flow_names(variants: Mapping[str, Scenario]) -> list[str]:
    return list(dict.fromkeys(flow.name for scenario in variants.values() for flow in scenario.flows))


def _port_names(variants: Mapping[str, Scenario]) -> list[str]:
    """Ports as the engine names them."""
    return list(dict.fromkeys(port for scenario in variants.values() for port in scenario.port_names))
