"""A scenario that was changed, in any way there is, has the hash, network and results of the changed one."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.scenarios_drawn import scenarios, unhurried

import parshall
from parshall import DropTail, Dumbbell, RunError, Scenario, ScenarioError
from parshall.scenario.base import Part
from parshall.sweep import Sweep


def _set(model: Any, name: str, value: Any) -> Any:
    object.__setattr__(model, name, value)
    return model


def _put(model: Any, name: str, value: Any) -> Any:
    model.__dict__[name] = value
    return model


WAYS: dict[str, Callable[[Any, str, Any], Any]] = {
    "replace": lambda model, name, value: model.replace(name, value),
    "with_": lambda model, name, value: model.with_(**{name: value}),
    "model_copy": lambda model, name, value: model.model_copy(update={name: value}),
    "deep model_copy": lambda model, name, value: model.model_copy(update={name: value}, deep=True),
    "copy": lambda model, name, value: model.copy(update={name: value}),
    "model_construct": lambda model, name, value: type(model).model_construct(**{**dict(model), name: value}),
    "by hand": _set,
    "by hand, copied": lambda model, name, value: _set(copy.copy(model), name, value),
    "by hand, deep copied": lambda model, name, value: _set(copy.deepcopy(model), name, value),
    "by hand, copied by its method": lambda model, name, value: _set(model.model_copy(), name, value),
    "by hand, pickled": lambda model, name, value: _set(pickle.loads(pickle.dumps(model)), name, value),
    "in its __dict__": _put,
}


def everything_derived(model: Scenario | Dumbbell) -> tuple[Any, ...]:
    network = model.scenario()
    return (
        model.hash,
        model.to_json(),
        network.hash,
        network.to_json(),
        network.ports,
        network.named_ports,
        str(network.expected),
        model.to_toml(),
    )


def counters(model: Scenario | Dumbbell) -> Any:
    return parshall.run(model).table("flows").to_pydict()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("of", ["dumbbell", "network"])
def test_a_change_is_one_whatever_was_asked_before(bell: Dumbbell, of: str, way: str) -> None:
    old = bell if of == "dumbbell" else bell.scenario()
    fresh = bell.with_(duration="2 s") if of == "dumbbell" else bell.with_(duration="2 s").scenario()
    everything_derived(old)
    changed = WAYS[way](old, "duration", 2.0)
    assert everything_derived(changed) == everything_derived(fresh)
    assert repr(counters(changed)) == repr(counters(fresh))
    ensemble = parshall.run_many([changed], 1)
    assert repr(ensemble.table("flows").to_pydict()["packets_sent"]) == repr(counters(fresh)["packets_sent"])


@pytest.mark.parametrize("way", WAYS)
def test_a_part_that_was_changed_changes_the_whole(bell: Dumbbell, way: str) -> None:
    fresh = bell.replace("queue.limit_packets", 5)
    everything_derived(bell)
    queue = WAYS[way](bell.queue, "limit_packets", 5)
    if queue is not bell.queue:
        bell = bell.model_copy(update={"queue": queue})
    assert everything_derived(bell) == everything_derived(fresh)
    assert repr(counters(bell)) == repr(counters(fresh))


def test_a_network_that_was_handed_out_and_changed_is_not_the_dumbbell(bell: Dumbbell) -> None:
    before = everything_derived(bell)
    for change in (
        lambda network: _set(network, "duration", 1.0),
        lambda network: _set(network.flows[0], "start", 1.0),
        lambda network: _put(network.links[1], "rate", 1e5),
    ):
        change(bell.scenario())
        assert everything_derived(bell) == before


def test_copies_with_other_values_are_checked(bell: Dumbbell) -> None:
    assert bell.model_copy(update={"duration": "5 s"}).duration == 5.0
    assert DropTail.model_construct(limit_packets=5) == DropTail(limit_packets=5)
    for change in (
        lambda: bell.model_copy(update={"duration": "5 apples"}),
        lambda: bell.model_copy(update={"durations": 5}),
        lambda: bell.copy(update={"duration": -1}),
        lambda: bell.copy(exclude={"rate"}),
        lambda: Dumbbell.model_construct(duration="5 s"),
    ):
        with pytest.raises(ScenarioError):
            change()
    assert bell.copy(exclude={"warm_up"}).warm_up == 0
    assert bell.copy(include=set(dict(bell)) - {"warm_up"}).hash == bell.with_(warm_up=0).hash


def test_copies_and_pickles_are_equal_and_carry_no_network(bell: Dumbbell) -> None:
    unasked = len(pickle.dumps(bell))
    everything_derived(bell)
    assert len(pickle.dumps(bell)) == unasked
    for again in (bell.model_copy(), copy.copy(bell), copy.deepcopy(bell), pickle.loads(pickle.dumps(bell))):
        assert again == bell
        assert again.hash == bell.hash
    assert set(bell.model_dump()) == set(Dumbbell.model_fields) - {"title"}


def test_a_scenario_that_changes_while_it_waits_is_refused(bell: Dumbbell) -> None:
    network, other = bell.scenario(), bell.with_(duration="3 s").scenario()

    def change(_done: int, _all: int) -> None:
        object.__setattr__(other, "duration", 2.0)

    # The first is read from the cache, which is told before the second is sent to the engine.
    parshall.run_many([network], 1)
    with pytest.raises(RunError, match=r"has become [0-9a-f]{12} since it was given"):
        parshall.run_many([network, other], 1, progress=change)


def test_points_of_a_sweep_follow_its_base(bell: Dumbbell) -> None:
    sweep = Sweep(bell, {"rate": ["1 Mbit/s", "2 Mbit/s"]}, seeds=1)
    before = sweep.run().to_pandas()
    _set(bell.queue, "limit_packets", 4)
    after = sweep.run().to_pandas()
    fresh = Sweep(bell.with_(), {"rate": ["1 Mbit/s", "2 Mbit/s"]}, seeds=1)
    assert after.equals(fresh.run(cache=None).to_pandas())
    assert not after.equals(before)


def parts(value: Any) -> list[Part]:
    """A scenario and the models in it."""
    if isinstance(value, tuple):
        return [part for item in value for part in parts(item)]
    if not isinstance(value, Part):
        return []
    return [value, *(part for name in type(value).model_fields for part in parts(getattr(value, name)))]


@unhurried
@given(scenarios, st.data())
def test_any_field_of_any_part_counts(scenario: Scenario, data: st.DataObject) -> None:
    """Numbers and flags of any part, changed where they stand."""
    before = scenario.hash
    fields = [
        (part, name)
        for part in parts(scenario)
        for name in type(part).model_fields
        if isinstance(getattr(part, name), bool | int | float)
    ]
    part, name = data.draw(st.sampled_from(fields))
    value = getattr(part, name)
    way = data.draw(st.sampled_from([_set, _put]))
    way(part, name, not value if isinstance(value, bool) else value * 2 + 1)
    assert scenario.hash != before
    assert scenario.model_copy().hash == copy.deepcopy(scenario).hash == scenario.hash
    way(part, name, value)
    assert scenario.hash == before
