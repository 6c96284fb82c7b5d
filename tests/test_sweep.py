"""Sweeps in Python: designs, points, tables, stopping, executors, nothing lost and nothing done twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.test_ensemble import batches

from parshall import DropTail, Dumbbell, InputError, OutputError, ParshallError, Recording, Red, run
from parshall.stats import difference_interval, mean_interval
from parshall.sweep import Grid, LatinHypercube, Listed, Parameter, Sobol, Sweep

__all__ = ["batches"]

RED = {"kind": "red", "min_threshold_packets": 3, "max_threshold_packets": 9, "limit_packets": 20}
LIMIT = "queue.limit_packets"


@pytest.fixture
def sweep(bell: Dumbbell) -> Sweep:
    limits = Parameter(path=LIMIT, values=[5, 20])
    return Sweep(bell, {"rate": ["1 Mbit/s", 2e6], "limit": limits}, seeds=3)


def labels(sweep: Sweep) -> list[tuple[Any, ...]]:
    return [tuple(point.parameters.values()) for point in sweep.points]


# --- Points ---------------------------------------------------------------------------------------------


def test_a_grid_has_every_combination_and_the_last_parameter_varies_fastest(
    sweep: Sweep, bell: Dumbbell
) -> None:
    assert labels(sweep) == [(1e6, 5), (1e6, 20), (2e6, 5), (2e6, 20)]
    for point in sweep.points:
        changes = {"rate": point.parameters["rate"], LIMIT: point.parameters["limit"]}
        assert point.scenario == bell.with_(changes).scenario()


def test_a_parameter_without_a_path_is_its_own(bell: Dumbbell) -> None:
    sweep = Sweep(bell, {"access_delay": ["1 ms", "7 ms"], "flows[tcp].count": [1, 3]})
    assert labels(sweep) == [(0.001, 1), (0.001, 3), (0.007, 1), (0.007, 3)]
    assert [len(point.scenario.flows) for point in sweep.points] == [2, 4, 2, 4]


def test_any_field_of_a_network_can_vary(bell: Dumbbell) -> None:
    network = bell.scenario()
    parameters = {
        "limit": Parameter(path="links[bottleneck].queue.limit_packets", values=[4]),
        "payload": Parameter(path="flows[tcp*].transport.payload_bytes", values=[500]),
        "loss": Parameter(path="links[0].loss", values={"some": {"kind": "bernoulli", "probability": 0.01}}),
        "host": Parameter(path="hosts[0]", values=["s1"]),
    }
    (point,) = Sweep(network, parameters).points
    assert dict(point.parameters) == {"limit": 4, "payload": 500, "loss": "some", "host": "s1"}
    assert point.scenario == network.with_(
        {
            "links[bottleneck].queue.limit_packets": 4,
            "flows[tcp*].transport.payload_bytes": 500,
            "links[0].loss": {"kind": "bernoulli", "probability": 0.01},
        }
    )


def test_fields_of_the_network_behind_a_dumbbell_are_set_after_its_own(bell: Dumbbell) -> None:
    parameters = {
        "jitter": Parameter(path="links[bottleneck].jitter.most", values=["1 ms"]),
        "rate": Parameter(path="dumbbell.rate", values=["3 Mbit/s"]),
    }
    base = bell.replace("jitter", {"most": "5 ms"})
    (point,) = Sweep(base, parameters).points
    assert dict(point.parameters) == {"jitter": 0.001, "rate": 3e6}
    assert point.scenario == base.with_({"rate": "3 Mbit/s", "jitter.most": "1 ms"}).scenario()


def test_whole_tables_are_labelled_by_their_kind_or_by_the_caller(bell: Dumbbell) -> None:
    kinds = Sweep(bell, {"queue": [DropTail(limit_packets=9), RED, "droptail"][:2]})
    assert labels(kinds) == [("droptail",), ("red",)]
    named = Parameter(path="queue", values={"short": DropTail(limit_packets=2), "long": DropTail()})
    assert labels(Sweep(bell, {"q": named})) == [("short",), ("long",)]
    with pytest.raises(InputError, match=r"^parameters\.queue\.values\[0\]: .* expected values by label"):
        Sweep(bell, {"queue": [DropTail(limit_packets=2), DropTail()]}).points  # noqa: B018


def test_a_case_sets_several_fields_and_several_paths_take_one_value(bell: Dumbbell) -> None:
    cases = Parameter(set={"slow": {"rate": "1 Mbit/s", "delay": "50 ms"}, "fast": {"rate": "9 Mbit/s"}})
    both = Parameter(path=["access_rate", "flows[0].access_rate"], values=["20 Mbit/s"])
    sweep = Sweep(bell, {"path": cases, "access": both})
    assert labels(sweep) == [("slow", 20e6), ("fast", 20e6)]
    slow = bell.with_(
        {"rate": "1 Mbit/s", "delay": "50 ms", "access_rate": 20e6, "flows[0].access_rate": 20e6}
    )
    assert sweep.points[0].scenario == slow.scenario()


def test_a_list_runs_its_points_and_no_others(bell: Dumbbell) -> None:
    queues = Parameter(path="queue", values={"red": Red(**RED), "none": DropTail()})
    points = ({"rate": "1 Mbit/s", "queue": "none"}, {"rate": "2 Mbit/s", "queue": "red"})
    sweep = Sweep(bell, {"queue": queues}, design=Listed(points=points))
    assert labels(sweep) == [("none", 1e6), ("red", 2e6)]
    assert sweep.points[1].scenario == bell.with_(rate=2e6, queue=RED).scenario()


def test_a_function_builds_the_scenario(bell: Dumbbell) -> None:
    def build(rate: float, queue: Any, name: str) -> Dumbbell:
        assert name in ("x", "y")
        return bell.with_(rate=rate, queue=queue)

    queues = Parameter(values={"red": Red(**RED), "short": DropTail(limit_packets=3)})
    sweep = Sweep(build, {"rate": [1e6], "queue": queues, "name": ["x", "y"]})
    assert labels(sweep) == [(1e6, q, n) for q in ("red", "short") for n in ("x", "y")]
    assert sweep.points[2].scenario == bell.with_(rate=1e6, queue=DropTail(limit_packets=3)).scenario()


def test_a_sweep_without_parameters_is_one_point(bell: Dumbbell) -> None:
    assert Sweep(bell, {}, seeds=2).run().table().column_names == ["seed", "goodput", "loss_rate"]


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 3), st.booleans())
def test_points_multiply(bell: Dumbbell, counts: list[int], power: int, sample: bool) -> None:
    """A grid has the product of the counts; a sample is crossed with the grid of the others."""
    paths = ["rate", "delay", "access_rate", "access_delay"]
    units = ["Mbit/s", "ms", "Mbit/s", "ms"]
    parameters: dict[str, Any] = {
        path: [f"{value} {unit}" for value in range(1, count + 1)]
        for path, unit, count in zip(paths, units, counts, strict=False)
    }
    design: Any = Grid()
    if sample:
        parameters["duration"] = Parameter(low="3 s", high="5 s")
        design = Sobol(n=2**power)
    points = Sweep(bell, parameters, design=design).points
    assert len(points) == int(np.prod(counts)) * (2**power if sample else 1)
    assert len({point.scenario.hash for point in points}) == len(points)
    for column, count in enumerate(counts):
        values = [tuple(point.parameters.values())[column] for point in points]
        assert {values.count(value) for value in values} == {len(points) // count}


# --- Samples --------------------------------------------------------------------------------------------


def sampled(bell: Dumbbell, design: Any, **fields: Any) -> list[Any]:
    name = fields.pop("name", "delay")
    return [label for (label,) in labels(Sweep(bell, {name: Parameter(**fields)}, design=design))]


def test_a_latin_hypercube_has_a_point_in_each_part(bell: Dumbbell) -> None:
    values = sampled(bell, LatinHypercube(n=8), low="10 ms", high="90 ms")
    assert sorted(int((value - 0.01) / 0.01) for value in values) == list(range(8))
    assert values != sampled(bell, LatinHypercube(n=8, seed=2), low="10 ms", high="90 ms")


def test_a_longer_sobol_sequence_begins_with_the_shorter(bell: Dumbbell) -> None:
    short = sampled(bell, Sobol(n=8), low="10 ms", high="90 ms")
    assert sampled(bell, Sobol(n=16), low="10 ms", high="90 ms")[:8] == short
    assert sorted(int((value - 0.01) / 0.01) for value in short) == list(range(8)), "balanced"


def test_a_logarithmic_scale_is_even_in_the_logarithm(bell: Dumbbell) -> None:
    values = sampled(bell, LatinHypercube(n=6), low="1 ms", high="1 s", scale="log")
    assert sorted(int(np.log10(value / 0.001) * 2) for value in values) == list(range(6))


def test_whole_numbers_are_even_and_reach_both_bounds(bell: Dumbbell) -> None:
    network = bell.scenario()
    parameters = {
        "limit": Parameter(path="links[bottleneck].queue.limit_packets", low=2, high=5),
        "delay": Parameter(path="links[bottleneck].delay", low=0.001, high=0.002),
    }
    values = [point.parameters["limit"] for point in Sweep(network, parameters, design=Sobol(n=64)).points]
    assert all(isinstance(value, int) for value in values)
    assert {value: values.count(value) for value in (2, 3, 4, 5)} == dict.fromkeys((2, 3, 4, 5), 16)


def test_samples_that_rounding_makes_equal_are_one_point(bell: Dumbbell) -> None:
    assert sorted(sampled(bell, Sobol(n=16), name=LIMIT, low=5, high=6)) == [5, 6]


# --- Tables ---------------------------------------------------------------------------------------------


def test_tables_have_the_parameters_and_the_seed_in_front(sweep: Sweep) -> None:
    result = sweep.run()
    runs = result.table()
    assert runs.column_names == ["rate", "limit", "seed", "goodput", "loss_rate"]
    assert [str(kind) for kind in runs.schema.types[:3]] == ["double", "int64", "int64"]
    rows = list(zip(*(runs[name].to_pylist() for name in ("rate", "limit", "seed")), strict=True))
    assert rows == [(*label, seed) for label in labels(sweep) for seed in (1, 2, 3)]
    flows = result.table("flows")
    assert flows.column_names[:4] == ["rate", "limit", "seed", "flow"]
    assert flows.num_rows == 12 * 3
    assert result.table("ports").num_rows == 12 * 14


def test_tables_hold_what_single_runs_give(sweep: Sweep) -> None:
    result = sweep.run()
    point = sweep.points[2]
    one = run(point.scenario, seed=3)
    frame = result.to_pandas("flows").query("rate == 2e6 and limit == 5 and seed == 3")
    assert frame["bytes_delivered"].tolist() == [one.flow(name).bytes_delivered for name in one.flows]
    assert frame["flow"].tolist() == list(one.flows)
    whole = sum(one.flow(name).goodput for name in one.flows)
    assert result.values("goodput", point)[3] == pytest.approx(whole, rel=1e-12)


def test_data_frames_take_one_call(sweep: Sweep) -> None:
    result = sweep.run()
    assert result.to_polars().shape == (12, 5)
    assert result.to_pandas("ports").shape[0] == 12 * 14


def test_seeds_may_come_from_an_iterator(bell: Dumbbell) -> None:
    sweep = Sweep(bell, {"rate": [1e6]}, seeds=iter([4, 2]))
    assert replace(sweep, metrics=["goodput"]).run().table()["seed"].to_pylist() == [4, 2]


def test_every_recorded_table_can_be_read_back(bell: Dumbbell) -> None:
    base = bell.replace("record", {"rtt": "tcp1"})
    result = Sweep(base, {"rate": [1e6, 2e6]}, seeds=2, tables=("rtt",)).run()
    rtt = result.table("rtt")
    assert rtt.column_names[:4] == ["rate", "seed", "time", "flow"]
    own = run(base.replace("rate", 2e6), seed=2).table("rtt")
    mine = rtt.to_pandas().query("rate == 2e6 and seed == 2")
    assert mine["rtt"].tolist() == own["rtt"].to_pylist()


def test_what_a_tuned_queue_tells_can_be_read_back(bell: Dumbbell) -> None:
    tuned = bell.replace("queue", {**RED, "tune_by": "responsiveness"})
    recorded = tuned.replace("record", {"port_series": {"of": ["bottleneck"], "interval": 1.0}})
    found = Sweep(recorded, {}, seeds=2, tables=["red_tuning"]).run(cache=None).table("red_tuning")
    single = run(recorded, seed=2).port("bottleneck").red_tuning
    assert found.filter(pa.compute.equal(found["seed"], 2))["share"].to_pylist() == pytest.approx(
        single.share.tolist(), nan_ok=True
    )
    with pytest.raises(InputError, match="tables"):
        Sweep(tuned, {}, seeds=1, tables=["red_tuning"]).run(cache=None)


def test_a_parameter_leaves_the_columns_of_every_table_free(bell: Dumbbell) -> None:
    base = bell.replace("record", {"rtt": "tcp1"})
    rtt = Parameter(path="delay", values=[0.01])
    Sweep(base, {"rtt": rtt}).check()
    line = r"^parameters\.rtt: got the name of a column of the table rtt, expected another name$"
    with pytest.raises(InputError, match=line):
        Sweep(base, {"rtt": rtt}, tables=["rtt"]).check()


def test_parameters_keep_their_types(bell: Dumbbell) -> None:
    parameters = {
        "flag": Parameter(path="flows[tcp].transport.delayed_ack", values=[True, False]),
        "limit": Parameter(path=LIMIT, values=[5]),
        "rto": Parameter(
            path="flows[tcp].transport.rto", values=["jacobson", {"kind": "median", "window": 3}]
        ),
    }
    table = Sweep(bell, parameters, seeds=1).run().table()
    assert [str(kind) for kind in table.schema.types[:2]] == ["bool", "int64"]
    assert table["rto"].to_pylist() == ["jacobson", "median"] * 2
    assert pa.types.is_dictionary(table.schema.field("rto").type)


METRICS = {
    "goodput": lambda r: sum(r.flow(name).goodput for name in r.flows),
    "flow:tcp*.sending_rate": lambda r: r.flow("tcp1").sending_rate + r.flow("tcp2").sending_rate,
    "flow:tcp2.timeouts": lambda r: r.flow("tcp2").timeouts,
    "port:bottleneck.mean_delay": lambda r: r.port("bottleneck").mean_delay,
    "port:r0->r1.utilization": lambda r: r.port("bottleneck").utilization,
    "port:bottleneck.throughput": lambda r: r.port("bottleneck").throughput,
    "port:r1->r0.packets_arrived": lambda r: r.port("r1->r0").packets_arrived,
    "port:bottleneck.drop_rate": lambda r: r.port("bottleneck").drop_rate,
}


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_is_what_the_recording_says(sweep: Sweep, name: str) -> None:
    sweep = replace(sweep, metrics={"named": name, "function": METRICS[name]})
    table = sweep.run().table()
    np.testing.assert_allclose(table["named"], table["function"], rtol=1e-12)
    assert len(set(table["named"].to_pylist())) > 1 or name.endswith("timeouts")


def test_derived_metrics(bell: Dumbbell) -> None:
    metrics = [
        "flow:tcp*.fairness",
        "flow:tcp*.completed_at",
        "flow:tcp*.loss_rate",
        "port:bottleneck.loss_rate",
    ]
    base = bell.with_(
        {
            "flows[tcp].app": {"kind": "transfer", "packets": 100},
            "loss": {"kind": "bernoulli", "probability": 0.02},
            "warm_up": 0,
        }
    )
    (row,) = Sweep(base, {}, seeds=1, metrics=metrics).run().table().to_pylist()
    recording = run(base, 1)
    one, two = recording.flow("tcp1"), recording.flow("tcp2")
    ends = [flow.completed_at for flow in (one, two) if np.isfinite(flow.completed_at)]
    port = recording.port("bottleneck")
    delivered = np.array([one.bytes_delivered, two.bytes_delivered], dtype=float)
    assert row["flow:tcp*.fairness"] == pytest.approx(delivered.sum() ** 2 / (2 * (delivered**2).sum()))
    assert ends
    assert row["flow:tcp*.completed_at"] == pytest.approx(np.mean(ends))
    lost = one.packets_dropped + two.packets_dropped
    assert row["flow:tcp*.loss_rate"] == lost / (one.packets_sent + two.packets_sent)
    assert port.packets_lost > 0
    assert (
        row["port:bottleneck.loss_rate"] == (port.packets_dropped + port.packets_lost) / port.packets_arrived
    )


def test_a_metric_that_fails_is_one_line(sweep: Sweep) -> None:
    def broken(recording: Recording) -> float:
        return 1 / 0

    with pytest.raises(
        ParshallError, match=r"^metric bad of scenario .*, seed 1: ZeroDivisionError: .* a number$"
    ):
        replace(sweep, metrics={"bad": broken}).run()


def test_paired_differences_are_those_of_stats(sweep: Sweep) -> None:
    result = sweep.run()
    rows = result.differences("limit", baseline=5).to_pylist()
    assert [(row["rate"], row["limit"], row["metric"]) for row in rows] == [
        (rate, 20, metric) for rate in (1e6, 2e6) for metric in ("goodput", "loss_rate")
    ]
    short, long = sweep.points[:2]
    values, base = (list(result.values("goodput", point).values()) for point in (long, short))
    expected = difference_interval(values, base)
    assert (rows[0]["mean"], rows[0]["low"], rows[0]["high"], rows[0]["n"]) == (
        expected.mean,
        expected.low,
        expected.high,
        3,
    )
    with pytest.raises(InputError, match=r"^baseline: got 7, expected one of 5, 20$"):
        result.differences("limit", baseline=7)
    with pytest.raises(InputError, match=r"^parameter: got \"x\", expected one of rate, limit$"):
        result.differences("x", baseline=7)


def test_a_summary_has_a_row_for_each_point_and_metric(sweep: Sweep) -> None:
    result = sweep.run()
    rows = result.summary().to_pylist()
    assert len(rows) == 8
    expected = mean_interval(list(result.values("loss_rate", sweep.points[3]).values()))
    assert (rows[7]["mean"], rows[7]["low"], rows[7]["n"]) == (expected.mean, expected.low, 3)


# --- On disk --------------------------------------------------------------------------------------------


def test_duckdb_reads_the_tables_in_place(sweep: Sweep, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    result = sweep.run()
    result.write(tmp_path / "out")
    found = duckdb.sql(f"select * from '{tmp_path}/out/runs/**/*.parquet' order by rate, \"limit\", seed")
    names = result.table().column_names
    assert sorted(found.columns) == sorted(names)
    rows = found.select(*(duckdb.ColumnExpression(name) for name in names)).fetchall()
    assert rows == [tuple(row.values()) for row in result.table().to_pylist()]
    kinds = dict(zip(found.columns, map(str, found.types), strict=True))
    assert (kinds["rate"], kinds["limit"], kinds["seed"]) == ("DOUBLE", "BIGINT", "BIGINT")
    ((mean,),) = duckdb.sql(
        f"select avg(packets_sent) from '{tmp_path}/out/flows/**/*.parquet' where \"limit\" = 5"
    ).fetchall()
    assert mean == result.to_pandas("flows").query("limit == 5")["packets_sent"].mean()


def test_odd_labels_survive_in_names_of_folders(bell: Dumbbell, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    odd = ["a/b", "x=y", "50 %", "Größe", "..", "c\\d", "a:b*?", "new\tline"]
    values = {label: DropTail(limit_packets=index + 2) for index, label in enumerate(odd)}
    sweep = Sweep(bell, {"q": Parameter(path="queue", values=values)}, seeds=1)
    result = sweep.run()
    result.write(tmp_path / "out", partition=["q"])
    assert len(list((tmp_path / "out" / "runs").iterdir())) == len(odd)
    rows = duckdb.sql(f"select q, goodput from '{tmp_path}/out/runs/**/*.parquet'").fetchall()
    assert sorted(rows) == sorted((row["q"], row["goodput"]) for row in result.table().to_pylist())


def test_the_parts_are_the_callers_or_small_in_number(sweep: Sweep, bell: Dumbbell, tmp_path: Path) -> None:
    def parts(folder: Path) -> list[str]:
        return sorted(
            str(file.parent.relative_to(folder / "runs")) for file in folder.rglob("runs/**/*.parquet")
        )

    result = sweep.run()
    assert parts(result.write(tmp_path / "a")) == ["limit-20", "limit-5"]
    assert parts(result.write(tmp_path / "b", partition=["seed"])) == ["seed-1", "seed-2", "seed-3"]
    assert parts(result.write(tmp_path / "c", partition=[])) == ["."]
    floats = Sweep(bell, {"rate": [1e6]}, seeds=2).run()
    assert parts(floats.write(tmp_path / "d")) == ["seed-1", "seed-2"]
    with pytest.raises(InputError, match=r"^partition\[0\]: got \"x\", expected one of rate, limit, seed$"):
        result.write(tmp_path / "e", partition=["x"])


def test_writing_again_replaces_the_result_and_nothing_else(sweep: Sweep, tmp_path: Path) -> None:
    out = tmp_path / "out"
    sweep.run().write(out)
    (out / "notes.txt").write_text("mine")
    smaller = replace(sweep, parameters={"limit": Parameter(path=LIMIT, values=[7])})
    smaller.run().write(out)
    assert sorted(path.name for path in (out / "runs").iterdir()) == ["limit-7"]
    assert (out / "notes.txt").read_text() == "mine"
    assert not [path for path in out.iterdir() if path.name.startswith(".")]
    (tmp_path / "other" / "runs").mkdir(parents=True)
    with pytest.raises(OutputError, match=r"other/runs: already exists, expected a new folder$"):
        smaller.run().write(tmp_path / "other")
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["runs"]
