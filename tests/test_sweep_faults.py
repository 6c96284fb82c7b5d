"""Sweeps that are wrong: each fault is one line."""

from __future__ import annotations

from typing import Any

import pytest

from parshall import Dumbbell, InputError
from parshall.sweep import Grid, Listed, Parameter, Sobol, StopRule, Sweep

# --- Wrong input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "design", "line"),
    [
        (
            {"rat": [1e6]},
            Grid(),
            "parameters.rat.values[0] (sets rat): got an unknown field, expected the key",
        ),
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
            "parameters.x.values[0] (sets links[9]): got an unknown item, expected",
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
        ({"metrics": ["gooput"]}, 'metrics[0]: got "gooput", expected a quantity of flows: goodput'),
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
