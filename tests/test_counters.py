"""Counters have a sign wherever a user meets them, so that a difference is a difference."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import parshall
from parshall import Dumbbell, Record, Recording, Responsiveness, Scenario, Series, ShareSeries
from parshall.estimators import PacketPair, UdpCounter
from parshall.sweep import Sweep

SEEN: dict[str, Callable[[Any], list[tuple[str, str]]]] = {
    "Arrow": lambda given: [(field.name, str(_plain(field.type))) for field in given.table.schema],
    "pandas": lambda given: [(name, str(kind)) for name, kind in given.pandas.dtypes.items()],
    "Polars": lambda given: [(name, str(kind).lower()) for name, kind in given.polars.schema.items()],
    "NumPy": lambda given: [(name, str(array.dtype)) for name, array in given.columns.items()],
}


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


class Given:
    def __init__(self, of: Any, table: str) -> None:
        self.table: pa.Table = of.table(table)
        self.pandas = of.to_pandas(table)
        self.polars = of.to_polars(table)
        self.columns = of.columns(table) if hasattr(of, "columns") else {}


@pytest.fixture(scope="module")
def recorded() -> Scenario:
    """All tables that a plain network records."""
    record = Record(
        rtt="*",
        window="*",
        flow_series=Series(of="*", interval="100 ms"),
        port_series=Series(of=["bottleneck"], interval="50 ms"),
        packets=["bottleneck"],
        deliveries="*",
        responsiveness=ShareSeries(of=["bottleneck"], interval="0.5 s"),
    )
    forwarding = parshall.load(Path(__file__).parents[1] / "examples" / "assured_forwarding.toml")
    return forwarding.with_(record=record, duration="2 s", warm_up=0)


def holders(scenario: Scenario, folder: Path) -> dict[str, Any]:
    tables = tuple(sorted({"flows", "ports"} | scenario.recorded_tables() - {"pcap"}))
    run = parshall.run(scenario)
    many = parshall.run_many([scenario], 2, tables=tables)
    sweep = Sweep(scenario, {"duration": ["1 s", "2 s"]}, seeds=1, tables=tables).run()
    run.save(folder / "recording")
    return {
        "a run": run,
        "a saved run": Recording.load(folder / "recording"),
        "many runs": many,
        "many runs, read": parshall.run_many([scenario], 2, tables=tables),
        "a sweep": sweep,
    }


def test_no_public_column_is_unsigned(recorded: Scenario, tmp_path: Path) -> None:
    for what, of in holders(recorded, tmp_path).items():
        names = [name for name in of.tables if name != "pcap"]
        assert len(names) >= 9, what
        for name in names:
            given = Given(of, name)
            for reader, columns in SEEN.items():
                unsigned = [(column, kind) for column, kind in columns(given) if kind.startswith("u")]
                assert unsigned == [], (what, name, reader)
    for file in (tmp_path / "recording").glob("*.parquet"):
        assert not any(str(field.type).startswith("uint") for field in parquet.read_schema(file)), file


def test_counters_are_of_64_bits(recorded: Scenario) -> None:
    run = parshall.run(recorded)
    indices = ("flow", "port", "rule", "queue", "precedence")
    for name in run.tables:
        for column, array in run.columns(name).items():
            if array.dtype.kind == "i":
                codes = {"event", "dscp", "reason"}
                expected = np.int16 if column in codes else np.int32 if column in indices else np.int64
                assert array.dtype == expected, (name, column)


def test_paired_differences_are_differences(bell: Dumbbell) -> None:
    """Losses saved by a longer queue are negative differences, in every frame."""
    ensemble = parshall.run_many({"a": bell, "b": bell.replace("queue.limit_packets", 60)}, 3)
    frame = ensemble.to_pandas().set_index(["variant", "seed", "flow"])["packets_dropped"].unstack("variant")
    polars = ensemble.to_polars()
    a, b = (polars.filter(polars["variant"] == name)["packets_dropped"] for name in "ab")
    flows = ensemble.table("flows")
    cells = dict(
        zip(
            zip(*(flows[name].to_pylist() for name in ("variant", "seed", "flow")), strict=True),
            flows["packets_dropped"].to_pylist(),
            strict=True,
        )
    )
    expected = [cells["b", seed, flow] - cells["a", seed, flow] for _, seed, flow in cells if _ == "a"]
    assert min(expected) < 0
    assert (b - a).to_list() == expected
    assert sorted((frame["b"] - frame["a"]).tolist()) == sorted(expected)
    one, other = (
        parshall.run(each).columns("flows")["packets_dropped"] for each in ensemble.variants.values()
    )
    assert (other - one).min() < 0


def test_estimators_count_with_a_sign() -> None:
    times = np.arange(6000) * 0.01
    share = Responsiveness(interval=1.0).run(
        time=times, flow=np.ones(6000, int), signalled=np.arange(6000) % 50 == 0
    )
    counted = UdpCounter(estimation_samples=2).run(arrived=[1000, 3000], udp=[1000, 0])
    pairs = PacketPair().run(times[:20], sent=times[:20] - 0.05)
    for columns in (share, counted, pairs):
        for name, column in columns._asdict().items():
            assert column.dtype in (np.int64, np.float64), name


def test_files_of_before_are_read_with_a_sign() -> None:
    from parshall.recording.columns import values

    old = pa.chunked_array([pa.array([1, 2], pa.uint64()), pa.array([3], pa.uint64())])
    assert (values(old) - 2).tolist() == [-1, 0, 1]
    assert values(pa.chunked_array([pa.array([1], pa.uint8())])).dtype == np.int16
    assert values(pa.chunked_array([], pa.uint64())).dtype == np.int64
