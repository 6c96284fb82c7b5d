"""Short forms, constructors, the dumbbell, and paths into a scenario."""

from __future__ import annotations

import pytest
from tests.scenarios_written import red

import parshall
from parshall import (
    Binomial,
    Capacity,
    Cbr,
    DropTail,
    Dumbbell,
    FixedWeight,
    JacobsonRtoConfig,
    Jitter,
    Reverse,
    ScenarioError,
    WeightFromRate,
)
from parshall.scenario.paths import PathError


def test_a_bare_number_is_a_weight() -> None:
    assert red(weight=0.25).weight == red(weight={"kind": "fixed", "value": 0.25}).weight
    assert red(weight="from-rate").weight == WeightFromRate()
    assert red().weight == FixedWeight(value=0.002)
    assert red(weight=0.002).canonical() == red().canonical()


def test_named_binomials_are_those_of_the_paper() -> None:
    assert (Binomial.iiad().k, Binomial.iiad().l) == (1, 0)
    assert (Binomial.sqrt().k, Binomial.sqrt().l) == (0.5, 0.5)
    assert (Binomial.sqrt(alpha=2, beta=0.25).alpha, Binomial.sqrt(alpha=2, beta=0.25).beta) == (2, 0.25)


def test_a_rate_and_its_interval_send_alike(bell: Dumbbell) -> None:
    by_rate = bell.replace("flows[call].app", Cbr(rate="64 kbit/s"))  # payloads of 160 bytes: 20 ms
    by_interval = bell.replace("flows[call].app", Cbr(interval="20 ms"))
    sent = [parshall.run(each).flow("call1").packets_sent for each in (by_rate, by_interval)]
    assert sent == [150, 150]


def test_options_of_links_reach_the_bottleneck(bell: Dumbbell) -> None:
    capacity, jitter = Capacity(times=[0.5], period=1), Jitter(most="1 ms")
    changed = bell.with_(capacity=capacity, jitter=jitter, reverse=Reverse(jitter=jitter)).scenario()
    link = changed.links[0]
    assert (link.capacity, link.jitter, link.reverse.jitter) == (capacity, jitter, jitter)
    assert changed.links[1].capacity is None


def test_a_dumbbell_names_its_parts(bell: Dumbbell) -> None:
    network = bell.scenario()
    assert network.hosts == ("s1", "s2", "s3", "d1", "d2", "d3")
    assert network.routers == ("r0", "r1")
    assert [flow.name for flow in network.flows] == ["tcp1", "tcp2", "call1"]
    assert (network.links[0].name, network.links[0].between) == ("bottleneck", ("r0", "r1"))
    assert [(flow.source, flow.destination) for flow in network.flows] == [
        ("s1", "d1"),
        ("s2", "d2"),
        ("s3", "d3"),
    ]
    network.check()


def test_groups_of_one_name_are_counted_on(bell: Dumbbell) -> None:
    group = bell.flows[0]
    network = bell.replace("flows", [group, bell.flows[1], group]).scenario()
    assert [flow.name for flow in network.flows] == ["tcp1", "tcp2", "call1", "tcp3", "tcp4"]


def test_access_links_can_differ_by_flow(bell: Dumbbell) -> None:
    network = bell.with_(
        {
            "flows[tcp].access_delay": ["5 ms", "20 ms"],
            "flows[call].access_rate": "1 Mbit/s",
            "flows[call].access_queue": DropTail(limit_packets=3),
        }
    ).scenario()
    delays = {link.between: link.delay for link in network.links}
    assert (delays["s1", "r0"], delays["r1", "d2"], delays["s3", "r0"]) == (0.005, 0.02, 0.001)
    last = network.links[-1]
    assert (last.between, last.rate, last.queue.limit_packets) == (("r1", "d3"), 1e6, 3)


def test_a_list_of_delays_has_one_for_each_flow(bell: Dumbbell) -> None:
    with pytest.raises(
        ScenarioError, match=r"flows\[0\].access_delay: got 1 delays, expected one for each of 2 flows"
    ):
        bell.replace("flows[tcp].access_delay", ["5 ms"]).scenario()


def test_reverse_traffic_starts_on_the_right(bell: Dumbbell) -> None:
    network = bell.replace("flows[call].direction", "reverse").scenario().check()
    assert (network.flows[2].source, network.flows[2].destination) == ("d3", "s3")


def test_the_bottleneck_can_be_asymmetric(bell: Dumbbell) -> None:
    link = bell.replace("reverse", Reverse(rate="100 kbit/s")).scenario().links[0]
    assert (link.rate, link.reverse.rate, link.reverse.delay) == (2e6, 1e5, None)


def test_patterns_pick_items_by_name(bell: Dumbbell) -> None:
    network = bell.scenario()
    changed = network.replace("flows[tcp*].transport.recovery", "reno")
    assert [getattr(flow.transport, "recovery", None) for flow in changed.flows] == ["reno", "reno", None]
    changed = network.replace(
        "flows[*].transport.rto", "jacobson"
    )  # skips the UDP flow, which has no such field
    assert changed.flows[0].transport.rto == JacobsonRtoConfig()
    assert network.replace("links[r0->r1].rate", 5).links[0].rate == 5
    assert network.replace("hosts[0]", "x").hosts[0] == "x"
    assert network.replace("flows[2].name", "x").flows[2].name == "x"
    assert network.flows[0].transport.rto is None, "the original never changes"


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("durations", 5, r'durations: got an unknown field, expected the key "duration"'),
        ("flows[f9].name", "x", r"flows\[f9\]: got an unknown item, expected .*"),
        ("flows[*].transport.rtos", "median", r"flows\[0\].transport.rtos: got an unknown field, .*"),
        ("flows[0].transport.rto.window", 5, r"flows\[0\].transport.rto: got nothing, expected a table .*"),
        ("duration.x", 5, r"duration: got 4.0, expected a table .*"),
        ("flows.name", 5, r"flows.name: got an unknown item, .*"),
    ],
)
def test_paths_that_do_not_exist(bell: Dumbbell, path: str, value: object, message: str) -> None:
    with pytest.raises(PathError, match=f"^{message}$"):
        bell.scenario().replace(path, value)


@pytest.mark.parametrize("path", ["", ".", "[0]", "flows[", "flows[]", "flows..name", "a b", "flows]"])
def test_paths_that_are_none(bell: Dumbbell, path: str) -> None:
    with pytest.raises(ScenarioError, match=r"expected a path such as flows\[\*\].transport.rto"):
        bell.replace(path, 1)


def test_a_bad_value_is_named_by_its_whole_path(bell: Dumbbell) -> None:
    with pytest.raises(ScenarioError) as caught:
        bell.scenario().replace("flows[tcp2].transport.rto", {"kind": "median", "window": 0})
    assert caught.value.path == "flows[1].transport.rto.window"


def test_scenarios_never_change(bell: Dumbbell) -> None:
    with pytest.raises(AttributeError, match="a Dumbbell never changes"):
        bell.duration = 5
    with pytest.raises(AttributeError):
        bell.scenario().flows[0].name = "x"
