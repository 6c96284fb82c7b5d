"""A sweep on disk: each table as a folder of Parquet files, for DuckDB, pandas, Polars and Arrow.

    OUT/sweep.json                          points, seeds, failures, engine version
    OUT/runs/queue-red/part-0.parquet       a folder for each value of each partitioning parameter
    OUT/flows/queue-red/part-0.parquet

All columns are in the files, with their types; folder names are for people.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa

from parshall.errors import InputError, OutputError, checked_path, shown
from parshall.recording.columns import numbers, values
from parshall.support.results import replace_result, seal

if TYPE_CHECKING:
    from parshall.support.files import NewFiles
    from parshall.sweep.base import Label
    from parshall.sweep.result import SweepResult

__all__ = ["MANIFEST", "write"]

MANIFEST = "sweep.json"
"""Says what a folder holds. It is written last: without it there is no result."""

_MOST_PARTS = 64
"""Folders that are made of a table unless the caller says how to part it."""


def write(result: SweepResult, folder: str | Path, partition: Sequence[str] | None = None) -> Path:
    """Writes every table of a result; returns the folder.

    ``partition`` names the columns by whose values the rows are parted: parameters, or ``seed``. Unless
    given, it is parameters that are text or whole numbers, as long as there are at most 64 parts; and
    ``seed`` where there is no such parameter. The files have these columns too. A result that is there is
    replaced. Raises OutputError when something else is there or the folder cannot be written, and leaves what
    was there.
    """
    target = checked_path("folder", folder, "a folder")
    by = _partition(result, partition)
    names = ("runs", *result.tables)
    with replace_result(target, MANIFEST) as files:
        for name in names:
            if not (target / MANIFEST).exists() and os.path.lexists(target / name):
                raise OutputError(str(target / name), "already exists, expected a new folder")
            _write_parts(result.table(name), files, name, by)
        seal(files, MANIFEST, _manifest(result, names, by))
    return target


def _partition(result: SweepResult, given: Sequence[str] | None) -> list[str]:
    if given is not None:
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InputError("partition", shown(given), "a list of parameters, or seed")
        given = list(given)
        for index, name in enumerate(given):
            if not isinstance(name, str) or name not in (*result.parameters, "seed"):
                known = ", ".join((*result.parameters, "seed"))
                raise InputError(f"partition[{index}]", shown(name), f"one of {known}")
        return list(given)
    by: list[str] = []
    parts = 1
    for name in result.parameters:
        labels = {point.parameters[name] for point in result.points}
        if all(map(_is_short, labels)) and parts * len(labels) <= _MOST_PARTS:
            by.append(name)
            parts *= len(labels)
    if not by and max(map(len, result.seeds)) <= _MOST_PARTS:
        return ["seed"]
    return by


def _is_short(label: Label) -> bool:
    """Returns true for text and whole numbers."""
    return isinstance(label, str | int) and not isinstance(label, bool)


def _write_parts(table: pa.Table, files: NewFiles, folder: str, by: Sequence[str]) -> None:
    """One file for each combination of values, in folders ``column-value`` below ``folder``.

    With Hive's ``column=value`` readers would guess a type for the column, and those that find it in the
    files as well refuse the whole (Arrow, pandas).
    """
    codes = np.zeros(table.num_rows, dtype=np.int64)
    all_texts = []
    for name in by:
        column = table[name].combine_chunks()
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        texts = [_text(value) for value in encoded.dictionary.to_pylist()]
        all_texts.append(texts)
        codes = codes * len(texts) + values(pa.chunked_array([encoded.indices]))
    for code in np.unique(codes).tolist():
        rest = code
        steps = []
        for name, texts in zip(reversed(by), reversed(all_texts), strict=True):
            rest, own = divmod(rest, len(texts))
            steps.append(f"{_visible(quote(name, safe=' '))}-{texts[own]}")
        rows = table if not by else table.filter(numbers(codes == code))
        files.add_table("/".join((folder, *reversed(steps), "part-0.parquet")), rows)


def _text(value: Any) -> str:
    """A value as a part of a folder's name: what a path does not take is written as %XX."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return quote(text, safe=" ,;+@()[]{}!$&'")


def _visible(text: str) -> str:
    """A folder's name that readers do not take for one to be passed over."""
    return f"%{ord(text[0]):02X}{text[1:]}" if text[0] in "._" else text


def _manifest(result: SweepResult, names: Sequence[str], by: Sequence[str]) -> dict[str, Any]:
    from parshall._core import ENGINE_VERSION

    longest = max(result.seeds, key=len)
    return {
        "engine_version": ENGINE_VERSION,
        "tables": list(names),
        "partitioned_by": list(by),
        "parameters": list(result.parameters),
        "metrics": list(result.metrics),
        "units": dict(result.units),
        "ranges": {
            name: [end if math.isfinite(end) else None for end in ends]
            for name, ends in result.ranges.items()
        },
        "title": result.title,
        "seeds": list(longest),
        "points": [
            {"parameters": dict(point.parameters), "scenario": point.hash, "seeds": len(seeds)}
            for point, seeds in zip(result.points, result.seeds, strict=True)
        ],
        "failures": [
            {"point": each.variant, "scenario": each.scenario, "seed": each.seed, "reason": each.reason}
            for each in result.failures
        ],
    }
