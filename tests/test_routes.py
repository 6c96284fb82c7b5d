"""Ways of flows: the shortest, those by way of routers, and networks made by functions."""

from __future__ import annotations

from typing import Any

import pytest

import parshall
from parshall import (
    Bulk,
    Flow,
    InputError,
    Link,
    Record,
    Scenario,
    ScenarioError,
    Tcp,
    leaf_spine,
    parking_lot,
)


def ring(via: list[str], **others: Any) -> Scenario:
    """A short way from a to b over r1 and r2, and a long one over r3 and r4."""
    ways = [("a", "r1"), ("r1", "r2"), ("r2", "b"), ("r1", "r3"), ("r3", "r4"), ("r4", "r2")]
    flow = Flow(name="f", source="a", destination="b", transport=Tcp(), app=Bulk(), via=via)
    return Scenario(
        duration="1 s",
        hosts=["a", "b"],
        routers=["r1", "r2", "r3", "r4"],
        links=[Link(between=way, rate="5 Mbit/s", delay="1 ms") for way in ways],
        flows=[flow],
        record=Record(packets="*"),
        **others,
    )


def passed(scenario: Scenario) -> set[str]:
    recording = parshall.run(scenario)
    return {name for name in recording.ports if recording.port(name).packets_arrived}


def test_packets_take_the_shortest_way_or_the_one_by_way_of_routers() -> None:
    assert passed(ring([])) == {"a->r1", "r1->r2", "r2->b", "b->r2", "r2->r1", "r1->a"}
    long = {"a->r1", "r1->r3", "r3->r4", "r4->r2", "r2->b"}
    back = {"->".join(reversed(name.split("->"))) for name in long}
    for via in (["r3", "r4"], ["r1", "r3", "r4", "r2"]):
        assert passed(ring(via)) == long | back
    detour = {
        "a->r1",
        "r1->r3",
        "r3->r1",
        "r1->r2",
        "r2->b",
    }  # from r3 the first of two equal ways leads back
    assert passed(ring(["r3"])) == detour | {"->".join(reversed(name.split("->"))) for name in detour}


def test_a_way_that_is_the_shortest_anyway_changes_no_recording() -> None:
    plain, named = ring([]), ring(["r1", "r2"])
    assert plain.hash != named.hash
    assert '"via"' not in plain.to_json()
    tables = [parshall.run(scenario).table("packets") for scenario in (plain, named)]
    assert tables[0].equals(tables[1])


@pytest.mark.parametrize(
    ("via", "path", "expected"),
    [
        (["x"], "flows[0].via[0]", "the name of a router"),
        (["b"], "flows[0].via[0]", "the name of a router"),
        (["r3", "r3"], "flows[0].via[1]", "a router that the flow has not passed"),
        (["r2", "r3", "r1"], "flows[0].via", "takes no link twice"),
    ],
)
def test_a_way_that_is_none_is_said_in_a_line(via: list[str], path: str, expected: str) -> None:
    with pytest.raises(ScenarioError, match=expected) as caught:
        ring(via).check()
    assert caught.value.path == path


def test_a_spine_is_chosen_by_the_flows_name_and_stays() -> None:
    pairs = [(f"f{n}", f"h1_{n % 4 + 1}", f"h{n % 2 + 2}_{n % 3 + 1}") for n in range(60)]
    flows = [Flow(name=n, source=s, destination=d, transport=Tcp(), app=Bulk()) for n, s, d in pairs]
    local = Flow(name="local", source="h1_1", destination="h1_2", transport=Tcp(), app=Bulk())
    pinned = Flow(name="p", source="h1_1", destination="h2_2", transport=Tcp(), app=Bulk(), via=["spine4"])

    def network(seed: int) -> Scenario:
        return leaf_spine(
            3, 4, 4, duration="50 ms", rate="100 Mbit/s", delay="10 us", host_rate="100 Mbit/s",
            host_delay="5 us", flows=[*flows, local, pinned], hash_seed=seed,
        )  # fmt: skip

    chosen = [flow.via for flow in network(0).flows]
    assert chosen[-2:] == [(), ("spine4",)]
    counts = [chosen[:60].count((f"spine{n}",)) for n in (1, 2, 3, 4)]
    assert sum(counts) == 60
    assert min(counts) >= 6
    assert [flow.via for flow in network(1).flows] != chosen
    assert network(0).hash == network(0).hash
    used = passed(network(0).replace("record", Record()))
    assert {f"leaf1->spine{n}" for n in (1, 2, 3, 4)} <= used
    with pytest.raises(InputError, match="leaves"):
        leaf_spine(0, 1, 1, duration=1, flows=[], rate=1, delay=0, host_rate=1, host_delay=0)


def test_a_parking_lot_has_equal_round_trips_where_asked() -> None:
    lot = parking_lot(
        3, duration="5 s", rate="10 Mbit/s", delay="4 ms", access_rate="100 Mbit/s", access_delay="9 ms",
        cross_access_delay="13 ms", cross=2, record=Record(rtt="*"),
    )  # fmt: skip
    assert [flow.name for flow in lot.flows] == [
        "long1",
        *(f"cross{hop}_{n}" for hop in (1, 2, 3) for n in (1, 2)),
    ]
    recording = parshall.run(lot)
    least = [recording.flow(name).rtt.rtt.min() for name in recording.flows]
    assert least == pytest.approx([0.060 + 0.003] * 7, abs=0.004)
    with pytest.raises(InputError, match="hops"):
        parking_lot(0, duration=1, rate=1, delay=0, access_rate=1, access_delay=0)
