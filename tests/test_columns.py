"""Tables as the engine hands them over: mappings to arrays made when asked for, and how they join."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import parshall
from parshall import Dumbbell, Recording, Scenario, _core
from parshall.recording.tables import Key, Runs, block
from parshall.scenario.canonical import as_given


@pytest.fixture
def result(everything: Scenario) -> dict[str, Any]:
    return _core.simulate(everything.to_json(), 1)


def test_a_table_is_a_mapping(result: dict[str, Any]) -> None:
    flows = result["flows"]
    assert isinstance(flows, Mapping)
    assert list(flows) == list(flows.keys()) == [name for name, _ in flows.items()]
    assert len(flows) == len(flows.values())
    assert "packets_sent" in flows
    assert "nothing" not in flows
    assert flows.rows == 3
    assert flows.nbytes == sum(array.nbytes for array in flows.values())
    with pytest.raises(KeyError, match="nothing"):
        flows["nothing"]
    assert {**flows}.keys() == set(flows)
    assert flows.get("nothing") is None
    assert flows.get("packets_sent") is flows["packets_sent"]


def test_names_are_a_mapping(result: dict[str, Any], everything: Scenario) -> None:
    names = result["names"]
    assert isinstance(names, Mapping)
    assert names.get("flows") == names["flows"] == [flow.name for flow in everything.flows]
    assert dict(names.items()) == {**names} == dict(zip(names.keys(), names.values(), strict=True))
    assert names.get("hosts") is None
    with pytest.raises(KeyError, match="hosts"):
        names["hosts"]


def test_an_array_is_made_once(result: dict[str, Any]) -> None:
    first = result["flows"]["packets_sent"]
    assert first.dtype == np.int64
    assert first is result["flows"]["packets_sent"]
    assert first is dict(result["flows"].items())["packets_sent"]


def test_a_cell_is_the_same_before_and_after_there_is_an_array(everything: Scenario) -> None:
    fresh, used = (_core.simulate(everything.to_json(), 1) for _ in range(2))
    for name in parshall.run(everything).tables:
        for column, array in used[name].items():
            for row in (0, len(array) - 1):
                before, after = fresh[name].at(column, row), used[name].at(column, row)
                assert type(before) is type(after) is type(array[row].item())
                np.testing.assert_equal(before, array[row].item())
                np.testing.assert_equal(after, array[row].item())


def test_a_cell_that_is_not_there(result: dict[str, Any]) -> None:
    with pytest.raises(IndexError, match="row 3 of 3"):
        result["flows"].at("packets_sent", 3)
    with pytest.raises(KeyError, match="nothing"):
        result["flows"].at("nothing", 0)


@pytest.mark.parametrize("touched", [(), (0,), (0, 1, 2)])
def test_joined_tables_are_the_tables_one_after_the_other(
    everything: Scenario, touched: tuple[int, ...]
) -> None:
    text = everything.to_json()
    results = [_core.simulate(text, seed) for seed in (1, 2, 3)]
    for name in ("flows", "rtt", "packets"):
        for index in touched:
            results[index][name].values()
        joined = _core.join([result[name] for result in results])
        for column, array in joined.items():
            whole = np.concatenate([result[name][column] for result in results])
            assert array.dtype == whole.dtype
            np.testing.assert_array_equal(array, whole)


def test_nothing_joins_to_nothing() -> None:
    assert _core.join([]) == {}


def test_tables_that_differ_do_not_join(result: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="differ in their columns"):
        _core.join([result["flows"], result["ports"]])


def finished(jobs: list[tuple[str, int]], keys: list[Key]) -> list[Runs]:
    """Recordings of jobs, on one thread."""
    batch = _core.JoiningBatch(jobs, 1)
    runs: list[Runs] = []
    while (done := batch.next(1.0)) is not None:
        for indices, joined in done:
            assert not isinstance(joined, Exception)
            runs.append(([keys[index] for index in indices], joined))
    return runs


def test_names_of_different_scenarios_join(bell: Dumbbell, everything: Scenario) -> None:
    """Each run's indices point into its own list of names."""
    other = bell.replace("flows[tcp].name", "other").scenario()
    runs = [(scenario, seed) for seed in (1, 2) for scenario in (everything, other)]
    joined = block(finished([(s.to_json(), seed) for s, seed in runs], [(s.hash, seed) for s, seed in runs]))
    assert joined.keys == tuple((s.hash, seed) for s, seed in runs)
    names = [name for scenario, _ in runs for name in (flow.name for flow in scenario.flows)]
    assert joined.tables["flows"]["flow"].to_pylist() == names
    ports = joined.tables["packets"]["port"].to_pylist()
    expected = [Recording(everything, seed, _core.simulate(everything.to_json(), seed)) for seed in (1, 2)]
    assert ports == [
        port for recording in expected for port in recording.table("packets")["port"].to_pylist()
    ]
    assert None in ports


def test_runs_of_a_scenario_share_their_names(bell: Dumbbell) -> None:
    """Equal texts count as one scenario, whether or not they are one object."""
    text = bell.to_json()
    batch = _core.Batch([(text, 1), (text, 2), (text[:1] + text[1:], 3)], 2)
    names = []
    while (done := batch.next(1.0)) is not None:
        names += [result["names"] for _, result in done if not isinstance(result, Exception)]
    assert len(names) == 3
    assert names[0] is names[1] is names[2]


def test_short_runs_are_joined(bell: Dumbbell) -> None:
    """Joins scenarios that record the same tables, in the order in which they ended; captures are by run."""
    short = bell.replace("warm_up", 0).replace("duration", 0.01).scenario()
    other = short.replace("flows[0].name", "other")
    keys = [(scenario.hash, seed) for seed in range(50) for scenario in (short, other)]
    groups = finished([(scenario.to_json(), seed) for seed in range(50) for scenario in (short, other)], keys)
    assert [key for group, _ in groups for key in group] == keys
    assert len(groups) < 50
    for group, joined in groups:
        assert joined.rows == {"flows": [3] * len(group), "ports": [14] * len(group)}
        assert joined.captures == [{}] * len(group)
        assert joined.nbytes == sum(table.nbytes for table in joined.tables.values())
        assert joined.tables["flows"].rows == 3 * len(group)
        for (scenario, _), names in zip(group, joined.names, strict=True):
            assert names is joined.names[[key[0] for key in group].index(scenario)]
            assert ("other" in names["flows"]) == (scenario == other.hash)


def test_names_are_lists_made_once(everything: Scenario, result: dict[str, Any]) -> None:
    names = result["names"]
    assert isinstance(names, Mapping)
    assert names.keys() == ["flows", "ports"] == list(names)
    assert len(names) == 2
    assert {**names}["flows"] == [flow.name for flow in everything.flows]
    assert names["ports"] == list(everything.port_names)
    assert names["ports"] is names["ports"]
    with pytest.raises(KeyError, match="nodes"):
        names["nodes"]


def test_a_model_gives_what_its_json_gives(everything: Scenario) -> None:
    model, text = (_core.simulate(given, 1) for given in (as_given(everything), everything.to_json()))
    for column, values in model["flows"].items():
        np.testing.assert_array_equal(values, text["flows"][column])
    for nothing in (7, (everything,), (7, *as_given(everything)[1:])):
        with pytest.raises((TypeError, ValueError)):
            _core.simulate(nothing, 1)  # type: ignore[arg-type]


def test_the_engine_can_be_timed_alone(bell: Dumbbell) -> None:
    assert _core.engine_seconds(bell.to_json(), range(3), 2) > 0
    assert _core.engine_seconds(bell.to_json(), [], 1) >= 0
    with pytest.raises(_core.ScenarioError):
        _core.engine_seconds(bell.scenario().replace("flows[0].source", "nobody").to_json(), [1], 1)
