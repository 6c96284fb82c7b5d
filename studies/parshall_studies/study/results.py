"""Measures of a study: tidy tables, of which some columns are dimensions and the others hold numbers.

A table says in its metadata which columns are its dimensions, so that it can be read back from Parquet.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from parshall.recording.columns import values as numbers_of
from parshall_studies.study.values import SEED, Label, Span, Values, chosen_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Measures", "Results", "dimensions_of", "tidy"]

Measures: TypeAlias = Mapping[str, pa.Table]
"""Measures from a study's runs: tidy tables by name, each written as ``NAME.parquet``."""

_DIMENSIONS = b"dimensions"


def tidy(columns: Mapping[str, Any], dims: Sequence[str]) -> pa.Table:
    """A table of these columns, of which ``dims`` are dimensions: text, or numbers. ``columns`` are arrays or
    lists of one length.
    """
    table = pa.table({name: _column(column) for name, column in columns.items()})
    return table.replace_schema_metadata({_DIMENSIONS: json.dumps(list(dims))})


def dimensions_of(table: pa.Table) -> tuple[str, ...]:
    """The columns that are dimensions; none for a table that is only a list."""
    found = (table.schema.metadata or {}).get(_DIMENSIONS)
    return tuple(json.loads(found)) if found is not None else ()


def _column(column: Any) -> pa.Array:
    """Text that repeats is encoded: a dimension's column often has few labels and many rows."""
    array = column if isinstance(column, pa.Array | pa.ChunkedArray) else pa.array(column)
    return array.dictionary_encode() if pa.types.is_string(array.type) else array


@dataclass(frozen=True)
class Results:
    """The tables of a study, asked for one column at a time."""

    measures: Measures

    def __contains__(self, table: str) -> bool:
        return table in self.measures

    @cached_property
    def _tables(self) -> dict[str, _Table]:
        return {}

    def _table(self, name: str) -> _Table:
        if name not in self._tables:
            self._tables[name] = _Table(name, self.measures[name])
        return self._tables[name]

    def values(self, table: str, column: str, **where: Any) -> Values:
        """A column by its dimensions, of the rows with these labels; see :meth:`Values.at`.

        Raises LookupError for what is not there: a column, a label, or a combination of labels.
        """
        return self._table(table).values(column, where)

    def labels(self, table: str, dim: str, **where: Any) -> tuple[Label, ...]:
        """Labels of a dimension, in the order in which they come; seeds ascending. Those of rows with other
        labels as asked.
        """
        own = self._table(table)
        used = set(own.codes[dim][own.mask(where)].tolist())
        return tuple(label for code, label in enumerate(own.labels[dim]) if code in used)

    def rows(self, table: str, **where: Label) -> pa.Table:
        """The rows with these labels, whole."""
        whole = self.measures[table]
        return whole.filter(pa.array(self._table(table).mask(where)))

    @cached_property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the table that has the most of them."""
        found = [self.labels(name, SEED) for name in self.measures if SEED in self._table(name).labels]
        longest = max(found, key=len, default=())
        return tuple(int(seed) for seed in longest)


class _Table:
    """A tidy table with its dimensions as codes."""

    def __init__(self, name: str, table: pa.Table) -> None:
        self.name = name
        self.table = table
        self.labels: dict[str, tuple[Label, ...]] = {}
        self.codes: dict[str, NDArray[np.int64]] = {}
        for dim in dimensions_of(table):
            self.labels[dim], self.codes[dim] = _coded(table[dim], ascending=dim == SEED)

    def mask(self, where: Mapping[str, Any]) -> NDArray[np.bool_]:
        """Rows with these labels."""
        kept = np.ones(self.table.num_rows, dtype=np.bool_)
        for dim, wanted in where.items():
            chosen = [self.labels[dim].index(label) for label in self._chosen(dim, wanted)]
            kept &= np.isin(self.codes[dim], chosen)
        return kept

    def _chosen(self, dim: str, wanted: Any) -> tuple[Label, ...]:
        if dim not in self.labels:
            raise LookupError(f"{self.name}.{dim}: expected one of the dimensions {', '.join(self.labels)}")
        return chosen_labels(f"{self.name}.{dim}", self.labels[dim], wanted)

    def values(self, column: str, where: Mapping[str, Any]) -> Values:
        if column not in self.table.column_names:
            raise LookupError(f"{self.name}.{column}: expected one of the columns {self.table.column_names}")
        rows = np.flatnonzero(self.mask(where))
        labels: dict[str, tuple[Label, ...]] = {}
        places = np.zeros(len(rows), dtype=np.int64)
        for dim, codes in self.codes.items():
            if dim in where and not isinstance(where[dim], list | tuple | Span):
                continue
            own = codes[rows]
            used = self._ordered(dim, np.unique(own), where)
            place = np.full(len(self.labels[dim]), -1)
            place[used] = np.arange(len(used))
            labels[dim] = tuple(self.labels[dim][code] for code in used)
            places = places * len(used) + place[own]
        shape = tuple(map(len, labels.values()))
        self._check_whole(labels, places, shape)
        array = np.empty(int(np.prod(shape)))
        array[places] = numbers_of(self.table[column])[rows]
        last = sorted(labels, key=lambda dim: dim == SEED)
        found = Values(labels, array.reshape(shape))
        return Values({dim: labels[dim] for dim in last}, found.along(*last))

    def _ordered(self, dim: str, used: NDArray[np.int64], where: Mapping[str, Any]) -> list[int]:
        """Codes of the labels that occur: in the order that was asked for, or else in the table's."""
        if isinstance(where.get(dim), list | tuple):
            return [self.labels[dim].index(label) for label in where[dim]]
        return [int(code) for code in used]

    def _check_whole(
        self, labels: Mapping[str, tuple[Label, ...]], places: NDArray[np.int64], shape: tuple[int, ...]
    ) -> None:
        """Each combination of labels has one row."""
        counts = np.bincount(places, minlength=int(np.prod(shape)))
        wrong = np.flatnonzero(counts != 1)
        if len(wrong):
            place = np.unravel_index(wrong[0], shape)
            which = ", ".join(f"{dim}={labels[dim][i]}" for dim, i in zip(labels, place, strict=True))
            raise LookupError(f"{self.name}: {counts[wrong[0]]} rows with {which}, expected one")


def _coded(column: pa.ChunkedArray, *, ascending: bool) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
    """Labels in the order of their first row, and the index of each row's."""
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    whole = encoded.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # as older versions of Arrow return it
        whole = whole.chunk(0)
    codes = np.asarray(whole.indices, dtype=np.int64)
    names = whole.dictionary.to_pylist()
    used, first = np.unique(codes, return_index=True)
    order = sorted(used, key=lambda code: names[code]) if ascending else used[np.argsort(first)].tolist()
    place = np.zeros(max(len(names), 1), dtype=np.int64)
    place[order] = np.arange(len(order))
    return tuple(names[code] for code in order), place[codes]
