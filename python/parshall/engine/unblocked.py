"""The runs of a block one by one, as the engine gives them, without a copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from parshall.recording.columns import indices, values
from parshall.recording.tables import CAPTURES

if TYPE_CHECKING:
    import pyarrow as pa

    from parshall.recording.tables import Block, Key
    from parshall.scenario import Scenario

__all__ = ["names_of", "results_of"]

_LISTS = {"flow": "flows", "port": "ports"}


def names_of(scenario: Scenario) -> dict[str, list[str]]:
    """Flows and ports in the engine's order."""
    return {"flows": [flow.name for flow in scenario.flows], "ports": list(scenario.port_names)}


def results_of(block: Block, names: Mapping[str, Any]) -> Iterator[tuple[Key, dict[str, Any]]]:
    """Each run of a block as the engine gives it, with the tables that are there; nothing is copied."""
    whole = {name: _Whole(table) for name, table in block.tables.items() if name != CAPTURES}
    places = {name: block.slices(name) for name in whole}
    captures = _captures_of(block)
    for number, (key, took) in enumerate(zip(block.keys, block.took, strict=True)):
        own = names[key[0]]
        result: dict[str, Any] = {"names": own, "pcap": captures(number), "events": took.events}
        for name, columns in whole.items():
            start, rows = places[name][number]
            if rows or name in ("flows", "ports"):
                result[name] = _Rows(columns, start, rows, own)
        yield key, result


def _captures_of(block: Block) -> Callable[[int], dict[str, bytes]]:
    """Returns the captures of a run by its number in the block."""
    table = block.tables.get(CAPTURES)
    if table is None:
        return lambda number: {}
    places = block.slices(CAPTURES)

    def of(number: int) -> dict[str, bytes]:
        rows = table.slice(*places[number])
        return dict(zip(rows["port"].to_pylist(), rows["data"].to_pylist(), strict=True))

    return of


class _Whole:
    """A table of many runs, whose columns become arrays when they are asked for."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        self.sparse = {name for name in table.column_names if table.column(name).null_count}
        """Columns that some runs do not have."""
        self.arrays: dict[tuple[str, int], Any] = {}

    def array(self, column: str, names: Mapping[str, list[str]]) -> Any:
        listed = names[_LISTS[column]] if column in _LISTS else []
        key = (column, id(listed) if column in _LISTS else 0)
        if key not in self.arrays:
            chunks = self.table.column(column)
            self.arrays[key] = indices(chunks, listed) if column in _LISTS else values(chunks)
        return self.arrays[key]


class _Rows(Mapping[str, Any]):
    """The rows of one run: columns as NumPy arrays, flows and ports as indices into the run's names."""

    def __init__(self, whole: _Whole, start: int, rows: int, names: Mapping[str, list[str]]) -> None:
        self._whole, self._start, self._stop, self._names = whole, start, start + rows, names

    def __getitem__(self, column: str) -> Any:
        if not self._has(column):
            raise KeyError(column)
        return self._whole.array(column, self._names)[self._start : self._stop]

    def __iter__(self) -> Iterator[str]:
        return (
            name
            for name in self._whole.table.column_names
            if name not in ("scenario", "seed") and self._has(name)
        )

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _has(self, column: str) -> bool:
        """Returns true for a column of this run, not only of others in the block."""
        if column in _LISTS or column not in self._whole.sparse:
            return True
        own = self._whole.table.column(column).slice(self._start, self._stop - self._start)
        return bool(own.null_count == 0)
