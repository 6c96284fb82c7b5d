"""From the engine's columns to Arrow tables: of one run, and of many runs in a row."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from parshall import _core
from parshall.columns import blobs, named, numbers, table, texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["COUNTED", "Block", "Key", "Result", "block", "run_table", "table_names"]

Result: TypeAlias = Mapping[str, Any]
"""What the engine returns for a run; docs/architecture.md describes it."""
Key: TypeAlias = tuple[str, int]
"""What identifies a run: the hash of its scenario, and its seed."""

COUNTED = ("flows", "ports")
"""The tables that every run has."""
CAPTURES = "pcap"
_NO_TABLES = ("names", CAPTURES, "events")
_NAMED = {"flow": "flows", "port": "ports"}
"""Columns that hold indices, and the list of names that they point into."""


def table_names(result: Result) -> list[str]:
    """The tables of a result, captures not included."""
    return [name for name in result if name not in _NO_TABLES]


def run_table(result: Result, name: str) -> pa.Table:
    """One table of one run, with names in the place of indices."""
    columns = {
        column: named(values, result["names"][_NAMED[column]]) if column in _NAMED else numbers(values)
        for column, values in result[name].items()
    }
    return table(columns)


@dataclass(frozen=True)
class Block:
    """The tables of several runs, run after run."""

    keys: tuple[Key, ...]
    tables: Mapping[str, pa.Table]
    rows: Mapping[str, Sequence[int]]
    """For each table, the rows of each run; a run that did not record a table has none."""

    def slices(self, name: str) -> list[tuple[int, int]]:
        """Where the rows of each run start in a table, and how many there are."""
        rows = self.rows[name]
        return list(zip(accumulate(rows, initial=0), rows, strict=False))

    def only(self, keys: Collection[Key]) -> Block:
        """The runs among ``keys``, in tables that hold no other, so that the memory of the others is free."""
        kept = [key in keys for key in self.keys]
        if all(kept):
            return self
        tables = {}
        for name, whole in self.tables.items():
            pieces = [whole.slice(*place) for place in compress(self.slices(name), kept)]
            tables[name] = pa.concat_tables([whole.slice(0, 0), *pieces]).combine_chunks()
        rows = {name: list(compress(counts, kept)) for name, counts in self.rows.items()}
        return Block(tuple(compress(self.keys, kept)), tables, rows)


def block(runs: Sequence[tuple[Key, Result]]) -> Block:
    """The tables of finished runs in one block.

    Columns are joined as they come from the engine, so that many short runs cost little more than one long
    one.
    """
    names = dict.fromkeys(name for _, result in runs for name in table_names(result))
    tables, rows = {}, {}
    for name in names:
        tables[name], rows[name] = _joined(runs, name)
    if any(result[CAPTURES] for _, result in runs):
        tables[CAPTURES], rows[CAPTURES] = _captures(runs)
    return Block(tuple(key for key, _ in runs), tables, rows)


def _joined(runs: Sequence[tuple[Key, Result]], name: str) -> tuple[pa.Table, list[int]]:
    having = [(key, result) for key, result in runs if name in result]
    joined, rows = _core.join([result[name] for _, result in having])
    counts = {key: count for (key, _), count in zip(having, rows, strict=True)}
    columns = _key_columns(list(counts), rows)
    for column, values in joined.items():
        if column in _NAMED:
            columns[column] = _joined_names(having, rows, values, _NAMED[column])
        else:
            columns[column] = numbers(values)
    return table(columns), [counts.get(key, 0) for key, _ in runs]


def _joined_names(
    runs: Sequence[tuple[Key, Result]], rows: Sequence[int], values: NDArray[np.int32], kind: str
) -> pa.DictionaryArray:
    """A column of names over runs whose lists of names may differ."""
    codes: dict[str, int] = {}
    lists: list[int] = []
    starts: dict[str, int] = {}
    for (scenario, _), result in runs:
        if scenario not in starts:
            starts[scenario] = len(lists)
            lists += [codes.setdefault(text, len(codes)) for text in result["names"][kind]]
    if len(starts) == 1:
        return named(values, list(codes))
    start = np.repeat(np.array([starts[scenario] for (scenario, _), _ in runs], dtype=np.int64), rows)
    # Index -1, of an event at a host, stays: no port.
    whole = np.where(values < 0, -1, np.array(lists, dtype=np.int32)[np.maximum(values, 0) + start])
    return named(whole.astype(np.int32), list(codes))


def _captures(runs: Sequence[tuple[Key, Result]]) -> tuple[pa.Table, list[int]]:
    rows = [len(result[CAPTURES]) for _, result in runs]
    columns = _key_columns([key for key, _ in runs], rows)
    ports = [port for _, result in runs for port in result[CAPTURES]]
    data = [data for _, result in runs for data in result[CAPTURES].values()]
    columns["port"] = texts(ports).dictionary_encode()
    columns["data"] = blobs(data)
    return table(columns), rows


def _key_columns(keys: Sequence[Key], rows: Sequence[int]) -> dict[str, Any]:
    """Which run each row belongs to."""
    scenarios = list(dict.fromkeys(scenario for scenario, _ in keys))
    code = {scenario: index for index, scenario in enumerate(scenarios)}
    codes = np.repeat(np.array([code[scenario] for scenario, _ in keys], dtype=np.int32), rows)
    return {
        "scenario": named(codes, scenarios),
        "seed": numbers(np.repeat(np.array([seed for _, seed in keys], dtype=np.int64), rows)),
    }
