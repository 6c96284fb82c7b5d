"""Sweeps in Python: designs, points, tables, stopping, executors, nothing lost and nothing done twice."""

from __future__ import annotations

import logging
import multiprocessing
import signal
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from parshall import (
    Cache,
    DropTail,
    Dumbbell,
    InputError,
    OutputError,
    ParshallError,
    Recording,
    Red,
    RunError,
    Scenario,
    run,
)
from parshall.engine.dispatch import dispatch
from parshall.engine.work import Chunk, Outcome, Task, execute
from parshall.recording.tables import Key
from parshall.stats import difference_interval, mean_interval
from parshall.sweep import (
    EngineExecutor,
    Grid,
    LatinHypercube,
    Listed,
    Parameter,
    Sobol,
    StopRule,
    Sweep,
)
from parshall.sweep.stopping import StopRule as Rule
from test_ensemble import Batches, batches, bits

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


# --- Wrong input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "design", "line"),
    [
        ({"rat": [1e6]}, Grid(), "parameters.rat.values[0] (sets rat): got no such field, expected the key"),
        ({"rate": [1e6, "x"]}, Grid(), 'parameters.rate.values[1] (sets rate): got "x", expected'),
        ({"rate..x": [1]}, Grid(), 'parameters.rate..x.values[0]: got "rate..x", expected a path such as'),
        ({"rate": []}, Grid(), "parameters.rate: got [], expected a list of values"),
        (
            {"rate": [1e6, "1 Mbit/s"]},
            Grid(),
            'parameters.rate.values[1]: got "1 Mbit/s" twice (rate=1000000)',
        ),
        (
            {"rate": {"vals": [1]}},
            Grid(),
            'parameters.rate.vals: got an unknown key, expected the key "values"',
        ),
        ({"rate": {}}, Grid(), "parameters.rate: got nothing, expected values, set, or low and high"),
        (
            {"rate": {"values": [1], "low": 2, "high": 3}},
            Grid(),
            "parameters.rate: got values together with low",
        ),
        (
            {"rate": {"low": "1 Mbit/s", "high": 3e6}},
            Grid(),
            "parameters.rate: got low and high, expected values",
        ),
        ({"rate": {"low": 3}}, Sobol(n=2), "parameters.rate.high: got nothing, expected a value"),
        (
            {"rate": {"low": 3e6, "high": "2 Mbit/s"}},
            Sobol(n=2),
            'parameters.rate.high: got "2 Mbit/s", expected',
        ),
        (
            {"delay": {"low": 0, "high": 2, "scale": "log"}},
            Sobol(n=2),
            "parameters.delay.low: got 0, expected",
        ),
        ({"delay": {"low": 1, "high": 2}}, Sobol(n=3), "design.n: got 3, expected a power of 2"),
        (
            {"queue": {"low": "droptail", "high": 2}},
            Sobol(n=2),
            'parameters.queue.low: got "droptail", expected a',
        ),
        ({"rate": [1e6]}, Sobol(n=2), "parameters: got no low and high, expected a parameter with bounds"),
        (
            {"rate": [1e6]},
            Listed(points=({"rate": 2e6},)),
            "design.points[0].rate: got 2000000.0, expected one of",
        ),
        (
            {},
            Listed(points=({"rate": 2e6}, {"delay": 1})),
            "design.points[1].delay: got an unknown parameter",
        ),
        ({}, Listed(points=({"rate": 2e6}, {})), "design.points[1].rate: got nothing, expected a value"),
        ({}, Listed(points=()), "design.points: got none, expected at least one point"),
        (
            {"seed": [1]},
            Grid(),
            "parameters.seed: got the name of a column of results, expected another name",
        ),
        ({"x": {"set": {"a": 3}}}, Grid(), "parameters.x.set.a: got 3, expected a table of values by path"),
        ({"x": {"set": {"a": {"rate": -1}}}}, Grid(), "parameters.x.set.a (sets rate): got -1, expected"),
        (
            {"x": {"path": "flows[*].count", "values": [2, 0]}},
            Grid(),
            "parameters.x.values[1] (sets flows[0].count): got 0, expected a whole number from 1",
        ),
        (
            {"x": {"path": "links[9].rate", "values": [2]}},
            Grid(),
            "parameters.x.values[0] (sets links[9]): got no such item, expected",
        ),
    ],
)
def test_a_wrong_value_is_one_line(bell: Dumbbell, parameters: Any, design: Any, line: str) -> None:
    with pytest.raises(InputError) as caught:
        Sweep(bell, parameters, design=design).points  # noqa: B018
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"seeds": 0}, "seeds: got 0, expected a whole number from 1 to 1000000, or a list of seeds"),
        ({"seeds": []}, "seeds: got none, expected at least one seed"),
        ({"seeds": [1, 2, 1]}, "seeds[2]: got 1 twice, expected seeds that differ"),
        ({"seeds": [1, -2]}, "seeds[1]: got -2, expected a whole number from 0 to 2^63 - 1"),
        ({"metrics": ["gooput"]}, 'metrics[0]: got "gooput", expected a quantity of flows: acks_dropped'),
        (
            {"metrics": ["port:bottleneck.goodput"]},
            'metrics[0]: got "port:bottleneck.goodput", expected a quantity',
        ),
        ({"metrics": {"x": "flow:"}}, 'metrics.x: got "flow:", expected a metric such as goodput'),
        ({"metrics": ["port:r9.mean_delay"]}, 'metrics[0]: got "r9", expected one of bottleneck, r0->r1'),
        (
            {"metrics": ["goodput", "flow:udp*.goodput"]},
            'metrics[1]: got "udp*", expected a flow, such as tcp1',
        ),
        (
            {"metrics": {"rate": "goodput"}},
            "metrics.rate: got the name of another column, expected another name",
        ),
        (
            {"stop": StopRule(metric="x", relative=0.1)},
            'stop.metric: got "x", expected one of goodput, loss_rate',
        ),
        ({"tables": ["rtt"]}, 'tables[0]: got "rtt", expected one of flows, ports'),
        ({"stop": StopRule(metric="goodput")}, "stop: got neither half_width nor relative, expected a bound"),
        (
            {"stop": StopRule(metric="goodput", relative=1, max_seeds=3)},
            "stop.max_seeds: got 3, expected at least min_seeds, 10",
        ),
    ],
)
def test_wrong_seeds_metrics_and_rules_are_one_line(bell: Dumbbell, fields: Any, line: str) -> None:
    with pytest.raises(InputError) as caught:
        Sweep(bell, {"rate": [1e6]}, **fields).check()
    assert str(caught.value).startswith(line)


def test_a_fault_of_the_whole_network_names_the_values(bell: Dumbbell) -> None:
    wrong = Parameter(path="flows[tcp1].source", values=["s1", "nowhere"])
    with pytest.raises(
        InputError, match=r"^parameters\.from\.values\[1\] \(at flows\[0\]\.source\): got \"nowhere\""
    ):
        Sweep(bell.scenario(), {"from": wrong}).points  # noqa: B018


def test_a_function_that_does_not_fit_is_one_line(bell: Dumbbell) -> None:
    with pytest.raises(
        InputError, match=r"^parameters: got rat, expected parameters that the function takes"
    ):
        Sweep(lambda rate: bell, {"rat": [1]}).points  # noqa: B018
    with pytest.raises(InputError, match=r"^scenario: got 3, expected a function that returns a Scenario"):
        Sweep(lambda rate: rate, {"rate": [3]}).points  # noqa: B018
    with pytest.raises(InputError, match=r"^parameters \(rate = \"x\"\): rate: got \"x\""):
        Sweep(lambda rate: bell.replace("rate", rate), {"rate": ["x"]}).points  # noqa: B018
    with pytest.raises(InputError, match=r"^parameters\.rate\.values\[0\]: got delay, expected no path: "):
        Sweep(lambda rate: bell, {"rate": Parameter(path="delay", values=[1])}).points  # noqa: B018
    with pytest.raises(InputError, match=r"^scenario: got 3, expected a Scenario, a Dumbbell, or a function"):
        Sweep(3, {}).points  # type: ignore[arg-type]  # noqa: B018


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


# --- Done once, nothing lost ----------------------------------------------------------------------------


def test_a_second_call_only_does_what_is_missing(sweep: Sweep, bell: Dumbbell) -> None:
    first = sweep.run()
    assert (first.executed, sweep.run().executed) == (12, 0)
    more_seeds = replace(sweep, seeds=5)
    assert more_seeds.run().executed == 8
    limits = Parameter(path=LIMIT, values=[5, 20, 40])
    grown = replace(sweep, parameters={"rate": ["1 Mbit/s", 2e6, 3e6], "limit": limits})
    assert grown.run().executed == 5 * 3
    again = replace(sweep, parameters={"limit": limits, "rate": ["1 Mbit/s"], "delay": ["10 ms"]})
    assert again.run().executed == 0, "names and order of parameters do not matter"
    assert bits(sweep.run().table("ports")) == bits(first.table("ports"))


@settings(deadline=None, max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(after=st.integers(1, 11), jobs=st.integers(1, 2))
def test_an_interrupted_sweep_ends_like_one_that_was_not(
    sweep: Sweep, tmp_path_factory: pytest.TempPathFactory, after: int, jobs: int
) -> None:
    """However many runs were done when Ctrl-C came, the second call does the rest; the tables are equal."""
    store = Cache(tmp_path_factory.mktemp("interrupted"))
    done_then = 0

    def interrupt(done: int, asked: int) -> None:
        nonlocal done_then
        done_then = max(done, done_then)
        if done >= after:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        sweep.run(cache=store, jobs=jobs, progress=interrupt)
    kept = len(Cache(store.folder).find(sweep.first_runs))
    assert kept >= min(after, done_then)
    rest = sweep.run(cache=store)
    assert rest.executed == 12 - kept
    whole = sweep.run(cache=None)
    for table in ("runs", "flows", "ports"):
        assert bits(rest.table(table)) == bits(whole.table(table))


def test_a_failing_run_is_named_and_does_not_stop_the_rest(
    sweep: Sweep, batches: Batches, caplog: pytest.LogCaptureFixture
) -> None:
    batches.spoiled = {2}
    with caplog.at_level(logging.ERROR, logger="parshall"):
        result = sweep.run()
    assert [(failure.variant, failure.seed) for failure in result.failures] == [
        (f"rate={rate}, limit={limit}", 2) for rate in ("1000000", "2000000") for limit in (5, 20)
    ]
    scenario = sweep.points[0].scenario.hash
    line = f"variant rate=1000000, limit=5 (scenario {scenario[:12]}), seed 2: the engine failed in two lines"
    assert str(result.failures[0]) == line
    assert f"run failed: {line}" in caplog.messages
    assert set(result.table()["seed"].to_pylist()) == {1, 3}
    assert result.table("flows").num_rows == 8 * 3
    with pytest.raises(RunError, match=r"^variant rate=1000000, limit=5 .* \(and 3 more\)$"):
        result.raise_for_failures()
    batches.spoiled = set()
    assert sweep.run().executed == 4, "a failure is not kept"


def test_a_chunk_that_fails_is_sent_again_run_by_run(sweep: Sweep) -> None:
    """As when a run takes its worker with it: the others of its chunk are not to blame."""
    scenario = sweep.points[1].scenario.hash

    class Deadly(ThreadPoolExecutor):
        def submit(self, fn: Any, chunk: Chunk) -> Future[Any]:  # type: ignore[override]
            def work() -> Any:
                if (scenario, 3) in chunk.runs:
                    raise MemoryError("no\nroom")
                return fn(chunk)

            return super().submit(work)

    with Deadly(2) as executor:
        result = sweep.run(executor=executor)
    assert [(failure.scenario, failure.seed, failure.reason) for failure in result.failures] == [
        (scenario, 3, "MemoryError: no room")
    ]
    assert result.executed == 11


def test_when_the_executor_breaks_finished_runs_are_kept(sweep: Sweep) -> None:
    class Broken(ThreadPoolExecutor):
        def submit(self, fn: Any, chunk: Chunk) -> Future[Any]:  # type: ignore[override]
            def work() -> Any:
                if any(seed == 3 for _, seed in chunk.runs):
                    raise BrokenProcessPool("a worker died")
                return fn(chunk)

            return super().submit(work)

    with Broken(1) as executor, pytest.raises(RunError, match=r"^the executor cannot go on: a worker died; "):
        sweep.run(executor=executor)
    rest = sweep.run()
    assert 0 < rest.executed < 12


# --- Executors ------------------------------------------------------------------------------------------


def test_every_executor_gives_the_same_tables(sweep: Sweep) -> None:
    expected = sweep.run(jobs=1, cache=None)
    spawned = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
    pools: list[Executor] = [EngineExecutor(2), ThreadPoolExecutor(3), spawned]
    for pool in pools:
        with pool:
            result = sweep.run(executor=pool, cache=None)
        assert result.executed == 12
        for table in ("runs", "flows", "ports"):
            assert bits(result.table(table)) == bits(expected.table(table)), pool


def test_an_executor_that_was_given_stays_open(sweep: Sweep) -> None:
    with EngineExecutor(1) as executor:
        sweep.run(executor=executor, cache=None)
        assert executor.submit(lambda: 3).result() == 3


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"executor": "mpi"}, r"^executor: got \"mpi\", expected local, dask, or the address"),
        ({"jobs": 0}, r"^jobs: got 0, expected a whole number from 1 to 1024$"),
        ({"jobs": 2, "executor": "dask"}, r"^jobs: got 2, expected none: the executor knows"),
    ],
)
def test_an_unknown_executor_is_one_line(sweep: Sweep, arguments: Any, line: str) -> None:
    with pytest.raises(InputError, match=line):
        sweep.run(**arguments)


def test_a_worker_with_another_engine_is_refused(bell: Dumbbell) -> None:
    network: Scenario = bell.scenario()
    task = Task(engine_version="0-other")
    chunk = Chunk(task, ((network.hash, 1),), {network.hash: network.to_json()})
    with pytest.raises(RunError, match=r"^a worker has engine .*, expected 0-other: install the same"):
        execute(chunk)


def dispatched(executor: Executor, runs: list[Key], network: Scenario) -> list[tuple[Key, ...]]:
    """The runs of each chunk that came back."""
    done: list[tuple[Key, ...]] = []

    def take(outcome: Outcome | None) -> None:
        if outcome is not None and outcome.block is not None:
            done.append(outcome.block.keys)

    dispatch(executor, runs, {network.hash: network.to_json()}, Task(("flows",)), take, lambda: False)
    return done


def test_chunks_grow_with_short_runs_and_share_what_is_left(
    bell: Dumbbell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parshall.engine.dispatch._CHUNK_S", 60.0)  # runs are short on any machine
    network = bell.replace("duration", "1100 ms").scenario()
    sizes: list[int] = []

    class Counting(ThreadPoolExecutor):
        def submit(self, fn: Any, chunk: Chunk) -> Future[Any]:  # type: ignore[override]
            sizes.append(len(chunk.runs))
            return super().submit(fn, chunk)

    runs = [(network.hash, seed) for seed in range(400)]
    with Counting(2) as executor:
        done = dispatched(executor, runs, network)
    assert sorted(key for keys in done for key in keys) == runs
    assert sizes[:4] == [1] * 4, "nothing is known yet"
    assert max(sizes) > 90, "a quarter of what is left, for two workers with two chunks each"
    assert sizes[-1] == 1, "the last ones are short, so that all workers end together"


def test_chunks_of_long_runs_are_single_runs(bell: Dumbbell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parshall.engine.dispatch._CHUNK_S", 1e-9)
    network = bell.scenario()
    runs = [(network.hash, seed) for seed in range(12)]
    with EngineExecutor(1) as executor:
        done = dispatched(executor, runs, network)
    assert sorted(done) == [(run,) for run in runs]


def test_what_takes_longer_than_was_thought_is_shared_again(
    sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that no worker is left with it alone, and what is done is kept soon."""
    monkeypatch.setattr("parshall.engine.dispatch._CHUNK_S", 60.0)
    monkeypatch.setattr("parshall.engine.work._LONGEST_S", 0.0)
    long = replace(sweep, scenario=sweep.scenario.replace("duration", "600 s"), seeds=4)  # type: ignore[union-attr]
    sent: list[tuple[Key, ...]] = []

    class Watching(ThreadPoolExecutor):
        def submit(self, fn: Any, chunk: Chunk) -> Future[Any]:  # type: ignore[override]
            sent.append(chunk.runs)
            return super().submit(fn, chunk)

    with Watching(1) as executor:
        result = long.run(executor=executor)
    assert result.executed == 16
    again = [key for keys in sent for key in keys]
    assert len(again) > len(set(again)) == 16, "some did not have their turn at first"


def test_points_take_turns_when_runs_are_long(sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that early results, and the time left, speak for all points."""
    monkeypatch.setattr("parshall.engine.dispatch._CHUNK_S", 1e-9)
    order: list[tuple[str, int]] = []

    class Watching(ThreadPoolExecutor):
        def submit(self, fn: Any, chunk: Chunk) -> Future[Any]:  # type: ignore[override]
            order.extend(chunk.runs)
            return super().submit(fn, chunk)

    with Watching(1) as executor:
        sweep.run(executor=executor)
    assert order == [(point.scenario.hash, seed) for seed in (1, 2, 3) for point in sweep.points]


def test_progress_counts_every_run_once(sweep: Sweep) -> None:
    seen: list[tuple[int, int]] = []
    sweep.run(progress=lambda done, asked: seen.append((done, asked)))
    assert seen[-1] == (12, 12)
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    again: list[tuple[int, int]] = []
    replace(sweep, seeds=4).run(progress=lambda done, asked: again.append((done, asked)))
    assert again[0] == (12, 16), "what is there already is counted at once"
    assert again[-1] == (16, 16)


# --- Stopping -------------------------------------------------------------------------------------------


def test_a_point_stops_when_its_interval_is_narrow_enough(bell: Dumbbell) -> None:
    rule = StopRule(metric="goodput", relative=0.02, min_seeds=4, max_seeds=60)
    sweep = Sweep(bell, {LIMIT: [3, 10, 40]}, stop=rule)
    result = sweep.run()
    counts = [len(seeds) for seeds in result.seeds]
    assert counts[0] > counts[2] >= 4, "a noisy point has more seeds than a calm one"
    for point, seeds in zip(result.points, result.seeds, strict=True):
        interval = result.interval("goodput", point)
        assert interval.n == len(seeds)
        assert seeds == tuple(range(1, len(seeds) + 1)), "common random numbers"
        assert interval.half_width <= 0.02 * interval.mean or len(seeds) == 60
    assert result.table().num_rows == sum(counts)
    assert result.table("flows").num_rows == 3 * sum(counts)
    alone = Sweep(bell, {LIMIT: [3]}, stop=rule).run()
    assert alone.seeds == result.seeds[:1], "a point's seeds do not depend on the other points"
    assert alone.executed == 0


def test_a_stopped_sweep_ignores_further_runs_in_the_cache(bell: Dumbbell) -> None:
    rule = StopRule(metric="goodput", relative=0.5, min_seeds=3)
    sweep = Sweep(bell, {"rate": [1e6]}, stop=rule)
    expected = sweep.run(cache=None)
    Sweep(bell, {"rate": [1e6]}, seeds=9).run()
    result = sweep.run()
    assert result.executed == 0
    assert [len(seeds) for seeds in result.seeds] == [3]
    assert bits(result.table("flows")) == bits(expected.table("flows"))


def test_points_that_share_a_scenario_have_their_own_seeds(bell: Dumbbell) -> None:
    """A function may ignore a parameter; the tables have each point's rows all the same."""
    sweep = Sweep(lambda label: bell, {"label": ["a", "b"]}, seeds=2)
    result = sweep.run()
    assert result.executed == 2
    assert result.table()["label"].to_pylist() == ["a", "a", "b", "b"]
    assert result.table("flows").num_rows == 4 * 3


def test_no_point_has_more_seeds_than_the_rule_allows(bell: Dumbbell) -> None:
    rule = StopRule(metric="goodput", half_width=1, min_seeds=2, max_seeds=5)
    result = Sweep(bell, {"rate": [1e6]}, stop=rule).run()
    assert [len(seeds) for seeds in result.seeds] == [5]
    listed = Sweep(bell, {"rate": [1e6]}, seeds=[7, 3, 9], stop=rule).run()
    assert listed.seeds == ((7, 3, 9),)


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50),
    st.floats(1e-3, 1e3),
    st.integers(2, 20),
    st.integers(20, 100),
)
def test_a_round_adds_seeds_until_the_bound_holds(
    values: list[float], bound: float, least: int, most: int
) -> None:
    rule = Rule(metric="m", half_width=bound, min_seeds=least, max_seeds=most)
    count = rule.next_count(values)
    interval = mean_interval(values)
    if len(values) < least:
        assert count == least
    elif interval.half_width <= bound:
        assert count == len(values)
    else:
        assert count == most or len(values) < count <= 2 * len(values)
    assert count <= max(most, len(values))


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
    with pytest.raises(OutputError, match=r"other/runs: is there already, expected a new folder$"):
        smaller.run().write(tmp_path / "other")
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["runs"]
