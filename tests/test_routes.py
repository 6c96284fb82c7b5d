"""Ways of flows: the shortest, those by way of routers, and networks made by functions."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
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
from parshall.cli.main import main


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


def flow(name: str, source: str, destination: str, **others: Any) -> Flow:
    return Flow(name=name, source=source, destination=destination, transport=Tcp(), app=Bulk(), **others)


def fabric(flows: list[Flow], hash_seed: int = 0, spines: int = 4) -> Scenario:
    return leaf_spine(
        3, spines, 4, duration="50 ms", rate="100 Mbit/s", delay="10 us", host_rate="100 Mbit/s",
        host_delay="5 us", flows=flows, hash_seed=hash_seed,
    )  # fmt: skip


def many(count: int) -> list[Flow]:
    pairs = [(f"f{n}", f"h1_{n % 4 + 1}", f"h{n % 2 + 2}_{n % 3 + 1}") for n in range(count)]
    return [flow(*pair) for pair in pairs]


def test_a_hash_spreads_flows_over_the_spines() -> None:
    local, pinned = flow("local", "h1_1", "h1_2"), flow("p", "h1_1", "h2_2", via=["spine4"])
    network = fabric([*many(400), local, pinned])
    routes = network.routes
    assert routes["local"].data == ("h1_1", "leaf1", "h1_2")
    assert str(routes["p"]) == "h1_1 -> leaf1 -> spine4 -> leaf2 -> h2_2"
    ways = [(routes[f"f{n}"].data[2], routes[f"f{n}"].acks[2]) for n in range(400)]
    for side in (0, 1):
        counts = [[way[side] for way in ways].count(f"spine{n}") for n in (1, 2, 3, 4)]
        # Standard deviation: sqrt(400 * 3 / 16) = 8.7.
        assert max(abs(count - 100) for count in counts) < 4 * 8.7
    same = sum(there == back for there, back in ways)
    assert abs(same - 100) < 4 * 8.7  # data and ACKs choose independently
    assert ways == [(route.data[2], route.acks[2]) for route in list(fabric(many(400)).routes.values())]
    other = fabric(many(400), hash_seed=1).routes
    assert abs(sum(other[f"f{n}"].data[2] == ways[n][0] for n in range(400)) - 100) < 4 * 8.7


def test_packets_go_where_the_routes_say() -> None:
    network = fabric(many(5)).replace("record", Record(packets="*"))
    recording = parshall.run(network)
    table = recording.table("packets").to_pandas()
    for name in recording.flows:
        route = recording.flow(name).route
        for ack, nodes in ((False, route.data), (True, route.acks)):
            own = table[(table.flow == name) & (table.ack == ack) & (table.event == 1)]
            assert set(own.port) == {f"{a}->{b}" for a, b in pairwise(nodes)}


def test_the_order_of_links_does_not_matter_and_a_spine_that_goes_moves_its_flows_only() -> None:
    network = fabric(many(100))
    turned = network.replace("links", network.links[::-1])
    assert turned.routes == network.routes
    fewer = fabric(many(100), spines=3).routes
    for name, route in network.routes.items():
        assert route.data[2] in ("spine4", fewer[name].data[2])
    assert any(route.data[2] == "spine4" for route in network.routes.values())


def test_delays_do_not_decide_and_a_network_with_one_way_is_as_without() -> None:
    slow = fabric(many(60)).replace("links[leaf1->spine1].delay", "1 s")
    assert slow.routes == fabric(many(60)).routes
    plain, hashed = ring([]), ring([], routing="ecmp")
    assert '"routing"' not in plain.to_json()
    assert plain.hash != hashed.hash
    assert plain.routes == hashed.routes
    tables = [parshall.run(scenario).table("packets") for scenario in (plain, hashed)]
    assert tables[0].equals(tables[1])


def test_requests_take_the_way_of_the_connection_that_they_open() -> None:
    """Without retransmissions a client's packets leave by one port, whether they ask or acknowledge."""
    app = parshall.TransferSequence(packets=20, requests=True)
    for number in range(8):
        own = flow(f"s{number}", "h1_1", "h2_1").replace("app", app)
        network = fabric([own]).replace("record", Record(packets="*"))
        table = parshall.run(network).table("packets").to_pandas()
        for leaf, nodes in (
            ("leaf2", network.routes[own.name].acks),
            ("leaf1", network.routes[own.name].data),
        ):
            ports = {port for port in table.port if port.startswith(f"{leaf}->spine")}
            assert ports == {f"{leaf}->{nodes[2]}"}


def test_routing_is_checked_and_written() -> None:
    network = fabric(many(2), hash_seed=7)
    assert parshall.loads(network.to_toml()).hash == network.hash
    assert 'routing = { kind = "ecmp", hash_seed = 7 }' in network.to_toml()
    for value, path in (("hash", "routing"), ({"kind": "ecmp", "hash_seed": -1}, "routing.hash_seed")):
        with pytest.raises(ScenarioError) as caught:
            network.replace("routing", value)
        assert caught.value.path == path
    with pytest.raises(InputError, match="leaves"):
        leaf_spine(0, 1, 1, duration=1, flows=[], rate=1, delay=0, host_rate=1, host_delay=0)
    with pytest.raises(InputError, match="flows"):
        fabric(["f1"])  # type: ignore[list-item]


def test_the_command_prints_routes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ring.toml"
    file.write_text(ring(["r3", "r4"]).to_toml())
    assert main(["check", str(file), "--routes"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "f: a -> r1 -> r3 -> r4 -> r2 -> b"
    assert main(["check", str(file), "--routes", "--set", "routing=ecmp", "--set", "flows[f].via=[]"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "f: a -> r1 -> r2 -> b"


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
