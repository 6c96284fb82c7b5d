"""Tables of a sweep on disk, read by those that people read Parquet with: whole, and part by part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import dataset, parquet

from parshall import DropTail, Dumbbell
from parshall.sweep import Parameter, Sweep

polars = pytest.importorskip("polars", reason="polars is not installed")
duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")

LIMIT = "queue.limit_packets"
READERS: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda folder: pd.read_parquet(folder).to_dict("records"),
    "pandas, Arrow's types": lambda folder: pd.read_parquet(folder, dtype_backend="pyarrow").to_dict(
        "records"
    ),
    "polars": lambda folder: polars.read_parquet(folder).to_dicts(),
    "polars, lazy": lambda folder: polars.scan_parquet(folder).collect().to_dicts(),
    "polars, by pattern": lambda folder: polars.read_parquet(f"{folder}/**/*.parquet").to_dicts(),
    "polars, as Hive": lambda folder: polars.read_parquet(folder, hive_partitioning=True).to_dicts(),
    "arrow": lambda folder: parquet.read_table(folder).to_pylist(),
    "arrow, data set": lambda folder: dataset.dataset(folder).to_table().to_pylist(),
    "arrow, as Hive": lambda folder: dataset.dataset(folder, partitioning="hive").to_table().to_pylist(),
    "duckdb": lambda folder: rows_of(f"select * from '{folder}/**/*.parquet'"),
    "duckdb, as Hive": lambda folder: rows_of(
        f"select * from read_parquet('{folder}/**/*.parquet', hive_partitioning = true)"
    ),
}


def rows_of(query: str) -> list[dict[str, Any]]:
    found = duckdb.sql(query)
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def in_order(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Rows of any reader in one order; what is no number is one thing in all of them."""
    return sorted(
        repr([(name, None if pd.isna(row[name]) else row[name]) for name in sorted(row)]) for row in rows
    )


@pytest.fixture
def result(bell: Dumbbell) -> Any:
    values = {"2": DropTail(limit_packets=3), "_odd/=": DropTail(limit_packets=9)}
    parameters: Any = {"_q": Parameter(path="queue", values=values), "rate": [1e6, 2.5e6]}
    return Sweep(bell, parameters, seeds=2).run()


PARTITIONS: list[Any] = [None, [], ["seed"], ["rate"], ["_q", "rate", "seed"]]


@pytest.mark.parametrize("partition", PARTITIONS, ids=repr)
def test_every_reader_has_every_row_with_its_type(result: Any, partition: Any, tmp_path: Path) -> None:
    out = result.write(tmp_path / "out", partition=partition)
    for name in ("runs", "flows", "ports"):
        expected = result.table(name)
        rows = in_order(expected.to_pylist())
        for reader, read in READERS.items():
            assert in_order(read(out / name)) == rows, f"{name}, {reader}"
        assert dataset.dataset(out / name).schema.equals(expected.schema)
        assert all(not pa.types.is_unsigned_integer(field.type) for field in expected.schema)
        frame = polars.read_parquet(out / name)
        assert frame.columns == expected.schema.names
        assert (frame.schema["seed"], frame.schema["rate"]) == (polars.Int64, polars.Float64)
        kinds = pd.read_parquet(out / name).dtypes
        assert (kinds["seed"], kinds["rate"]) == ("int64", "float64")


def test_a_part_alone_has_every_column(result: Any, tmp_path: Path) -> None:
    out = result.write(tmp_path / "out", partition=["seed"])
    expected = [row for row in result.table().to_pylist() if row["seed"] == 2]
    for reader, read in READERS.items():
        assert in_order(read(out / "runs" / "seed-2")) == in_order(expected), reader


def test_filters_find_their_rows(result: Any, tmp_path: Path) -> None:
    out = result.write(tmp_path / "out")
    expected = [row for row in result.table().to_pylist() if row["_q"] == "2" and row["seed"] == 1]
    wanted = [("_q", "==", "2"), ("seed", "==", 1)]
    assert in_order(pd.read_parquet(out / "runs", filters=wanted).to_dict("records")) == in_order(expected)
    lazy = polars.scan_parquet(out / "runs").filter(polars.col("_q") == "2", polars.col("seed") == 1)
    assert in_order(lazy.collect().to_dicts()) == in_order(expected)
