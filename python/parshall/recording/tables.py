"""From the engine's columns to Arrow tables: of one run, and of many runs in a row."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, compress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from parshall import _core
from parshall.recording.columns import blobs, named, numbers, table, texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["COUNTED", "Block", "Key", "Result", "Runs", "Took", "block", "joined", "run_table"]

Result: TypeAlias = Mapping[str, Any]
"""Tables that the engine returns for a run; docs/architecture.md describes it."""
Key: TypeAlias = tuple[str, int]
"""Key of a run: the hash of its scenario, and its seed."""
Runs: TypeAlias = "tuple[Sequence[Key], _core.Joined]"
"""Finished runs and what they recorded."""

COUNTED = ("flows", "ports")
"""The tables that every run has."""
CAPTURES = "pcap"
_NAMED = {"flow": "flows", "port": "ports"}
"""Columns that hold indices, and the list of names that they point into."""


def run_table(result: Result, name: str) -> pa.Table:
    """One table of one run, with names in place of indices."""
    columns = {
        column: named(values, result["names"][_NAMED[column]]) if column in _NAMED else numbers(values)
        for column, values in result[name].items()
    }
    return table(columns)


class Took(NamedTuple):
    """Duration of a run."""

    events: int
    """Events that the engine executed."""
    steps: int
    """These, and what was done ahead of them: what ``max_events`` is about."""


@dataclass(frozen=True)
class Block:
    """The tables of several runs, run after run."""

    keys: tuple[Key, ...]
    took: tuple[Took, ...]
    """Duration of each run."""
    tables: Mapping[str, pa.Table]
    rows: Mapping[str, Sequence[int]]
    """For each table, the rows of each run; a run that did not record a table has none."""

    def slices(self, name: str) -> list[tuple[int, int]]:
        """Where the rows of each run start in a table, and how many there are."""
        rows = self.rows[name]
        return list(zip(accumulate(rows, initial=0), rows, strict=False))

    def with_tables(self, names: Collection[str]) -> Block:
        """The runs with these tables only."""
        kept = [name for name in self.tables if name in names]
        tables, rows = ({name: each[name] for name in kept} for each in (self.tables, self.rows))
        return Block(self.keys, self.took, tables, rows)

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
        return Block(tuple(compress(self.keys, kept)), tuple(compress(self.took, kept)), tables, rows)


def joined(blocks: Sequence[Block]) -> Block:
    """One block of several. Columns that some runs do not have are null there."""
    if len(blocks) == 1:
        return blocks[0]
    names = dict.fromkeys(name for block in blocks for name in block.tables)
    tables, rows = {}, {}
    for name in names:
        parts = [block.tables[name] for block in blocks if name in block.tables]
        tables[name] = (
            pa.concat_tables(parts, promote_options="default").unify_dictionaries().combine_chunks()
        )
        rows[name] = [count for block in blocks for count in block.rows.get(name, [0] * len(block.keys))]
    keys = tuple(key for block in blocks for key in block.keys)
    return Block(keys, tuple(took for block in blocks for took in block.took), tables, rows)


def block(finished: Sequence[Runs]) -> Block:
    """The tables of finished runs in one block.

    Columns are joined as they come from the engine, so that many short runs cost little more than one long
    one.
    """
    # Of a table that two runs have, one may have more columns.
    alike: list[tuple[dict[str, list[str]], list[Runs]]] = []
    for keys, own in finished:
        columns = {name: list(table) for name, table in own.tables.items()}
        fitting = (each for each in alike if all(each[0].get(name, of) == of for name, of in columns.items()))
        group = next(fitting, None)
        if group is None:
            alike.append(group := ({}, []))
        group[0].update(columns)
        group[1].append((keys, own))
    return joined([_block(runs) for _, runs in alike])


def _block(finished: Sequence[Runs]) -> Block:
    """Joins runs whose tables have the same columns, where they have them."""
    names = dict.fromkeys(name for _, joined in finished for name in joined.tables)
    tables, rows = {}, {}
    for name in names:
        tables[name], rows[name] = _joined(finished, name)
    if any(captures for _, joined in finished for captures in joined.captures):
        tables[CAPTURES], rows[CAPTURES] = _captures(finished)
    took = tuple(Took(*each) for _, joined in finished for each in joined.took)
    return Block(_keys(finished), took, tables, rows)


def _keys(finished: Sequence[Runs]) -> tuple[Key, ...]:
    return tuple(key for keys, _ in finished for key in keys)


def _joined(finished: Sequence[Runs], name: str) -> tuple[pa.Table, list[int]]:
    having = [(keys, joined) for keys, joined in finished if name in joined.tables]
    rows = [count for _, joined in having for count in joined.rows[name]]
    columns = _key_columns(_keys(having), rows)
    for column, values in _core.join([joined.tables[name] for _, joined in having]).items():
        if column in _NAMED:
            columns[column] = _joined_names(having, rows, values, _NAMED[column])
        else:
            columns[column] = numbers(values)
    of_each = [joined.rows.get(name, [0] * len(keys)) for keys, joined in finished]
    return table(columns), list(chain.from_iterable(of_each))


def _joined_names(
    finished: Sequence[Runs], rows: Sequence[int], values: NDArray[np.int32], kind: str
) -> pa.DictionaryArray:
    """A column of names over runs whose lists of names may differ."""
    codes: dict[str, int] = {}
    lists: list[int] = []
    starts: dict[str, int] = {}
    for keys, joined in finished:
        for (scenario, _), names in zip(keys, joined.names, strict=True):
            if scenario not in starts:
                starts[scenario] = len(lists)
                lists += [codes.setdefault(text, len(codes)) for text in names[kind]]
    if len(starts) == 1:
        return named(values, list(codes))
    of_each = [starts[scenario] for scenario, _ in _keys(finished)]
    start = np.repeat(np.array(of_each, dtype=np.int64), rows)
    # Index -1, of an event at a host, stays: no port.
    whole = np.where(values < 0, -1, np.array(lists, dtype=np.int32)[np.maximum(values, 0) + start])
    return named(whole.astype(np.int32), list(codes))


def _captures(finished: Sequence[Runs]) -> tuple[pa.Table, list[int]]:
    of_each = [captures for _, joined in finished for captures in joined.captures]
    rows = list(map(len, of_each))
    columns = _key_columns(_keys(finished), rows)
    columns["port"] = texts([port for captures in of_each for port in captures]).dictionary_encode()
    columns["data"] = blobs([data for captures in of_each for data in captures.values()])
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
