"""The engine reads scenarios as they are written, whatever flows share and whatever derives from them."""

from __future__ import annotations

import json
import math
import pickle
import re
from collections import OrderedDict
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.scenarios_drawn import flows, links, unhurried
from tests.scenarios_written import BELL

import parshall
from parshall import (
    Bulk,
    Cbr,
    DropTail,
    Dumbbell,
    Flow,
    Link,
    Scenario,
    ScenarioError,
    Tcp,
    Transfer,
    _core,
    loads,
)
from parshall.scenario.base import Part
from parshall.scenario.canonical import as_given


def test_the_engine_reads_many_flows_whatever_they_share() -> None:
    """More text than is kept at a time, made of the same objects as before, of equal and of other ones."""
    transports = [Tcp(max_window_packets=window, payload_bytes=1460) for window in range(1, 8)]
    apps = [Cbr(rate=1e6), Transfer(packets=5)]
    flows = [
        Flow(
            name=f"f{i}",
            source="a",
            destination="b",
            transport=transports[i % 7] if i % 3 else Tcp(max_window_packets=i + 1),
            app=apps[i % 2] if i % 5 else Transfer(packets=i + 1),
            start=i / 7,
        )
        for i in range(1000)
    ]
    links = [Link(between=("a", "b"), rate="1 Mbit/s", delay="1 ms", queue=DropTail(limit_packets=5))]
    scenario = Scenario(duration="1 s", hosts=["a", "b"], links=links, flows=flows)
    assert _core.normalize(as_given(scenario)) == _core.normalize(scenario.to_json())


@unhurried
@given(st.lists(links, min_size=2, max_size=2), st.lists(flows, min_size=2, max_size=2))
def test_neighbours_are_read_one_by_one_whatever_tells_them_apart(two_links: Any, two_flows: Any) -> None:
    """The engine copies what a link or flow has in common with the one before it."""

    def mixed(one: Part, other: Part) -> list[Part]:
        changes = [{name: getattr(other, name)} for name in type(one).model_fields]
        return [one, one.model_copy(), *(one.alike(**change) for change in changes), other, one]

    scenario = bare_scenario(links=tuple(mixed(*two_links)), flows=tuple(mixed(*two_flows)))
    assert _core.normalize(as_given(scenario)) == _core.normalize(scenario.to_json())


class Fast(Link):
    """Class derived from a part, as a user may: other defaults, and methods."""

    rate = 1e9
    queue = DropTail(limit_packets=7)

    def double(self) -> float:
        """Twice the rate."""
        return 2 * self.rate


class Late(Flow):
    """The engine does not know of another default."""

    start = 5.0


def test_derived_classes_have_their_own_defaults() -> None:
    fast = Fast(between=("a", "b"), delay=0.0)
    assert (fast.double(), fast.queue.limit_packets) == (2e9, 7)
    assert fast.canonical()["rate"] == 1e9
    assert Fast(between=("a", "b"), delay=0.0, queue="droptail").queue == DropTail()
    late = Late(name="f", source="a", destination="b", transport=Tcp(), app=Bulk())
    given = bare_scenario(links=(fast, fast.alike(rate=2e6), fast), flows=(late, late.replace("start", 0.0)))
    read = json.loads(_core.normalize(as_given(given)))
    assert [link["rate"] for link in read["links"]] == [1e9, 2e6, 1e9]
    assert [link["queue"]["limit_packets"] for link in read["links"]] == [7, 7, 7]
    assert [flow["start"] for flow in read["flows"]] == [5.0, 0.0]
    assert _core.normalize(as_given(given)) == _core.normalize(given.to_json())
    assert pickle.loads(pickle.dumps(late)) == late


def test_tables_in_the_place_of_models_are_read_one_by_one() -> None:
    """Such as an unchecked copy may hold. They have no fields to compare."""
    links = [OrderedDict(between=["a", "b"], rate=rate, delay=0) for rate in (1e6, 2e6)]
    given = bare_scenario(links=tuple(links))
    read = json.loads(_core.normalize(as_given(given)))
    assert [link["rate"] for link in read["links"]] == [1e6, 2e6]


def test_numbers_are_read_to_the_last_bit_wherever_they_stand() -> None:
    odd = 1e8 / 7
    link = Link(between=("a", "b"), rate=1e6, delay=0.0)
    unlike = [link.queue, DropTail(limit_packets=7)]
    links = (link, *(link.alike(rate=odd, queue=queue) for queue in unlike))
    given = bare_scenario(links=(*links, links[1].alike(name="odd")))
    for text in (_core.normalize(as_given(given)), _core.normalize(given.to_json())):
        assert [link["rate"] for link in json.loads(text)["links"]] == [1e6, odd, odd, odd]


def bare_scenario(**lists: Any) -> Scenario:
    """One that nobody has checked."""
    return Scenario.known(duration=1.0, hosts=(), links=(), flows=()).alike(**lists)


def test_a_model_is_refused_as_its_json_is() -> None:
    """Not only the words are the same, the place in the text is too."""
    bell = loads(BELL).scenario()
    flow = bell.flows[1].alike(start=-1.0)
    link = bell.links[0].alike(between=("a",))
    changes = [
        {"duration": -1.0},
        {"flows": (bell.flows[0], flow)},
        {"flows": (flow, flow)},
        {"links": (bell.links[0], link)},
        {"hosts": (7,)},
        {"links": None},
    ]
    for change in changes:
        wrong = bell.alike(**change)
        with pytest.raises(ValueError, match=r"^not a scenario: .* at line 1 column \d+$") as of_text:
            _core.simulate(wrong.to_json(), 1)
        with pytest.raises(ValueError, match=rf"^{re.escape(str(of_text.value))}$"):
            _core.simulate(as_given(wrong), 1)
        with pytest.raises(ScenarioError, match=r"^got what the engine does not read"):
            parshall.run(wrong)
    late = bell.flows[1].alike(start=math.nan)
    for change in [{"duration": math.nan}, {"flows": (bell.flows[1], late)}]:
        with pytest.raises(ValueError, match="JSON"):
            _core.simulate(as_given(bell.alike(**change)), 1)


def test_scenarios_can_be_pickled(bell: Dumbbell) -> None:
    assert pickle.loads(pickle.dumps(bell.scenario())).hash == bell.hash
