"""Expectations that `check` prints, within a factor of five of what runs take, for every kind of source."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from tests.conftest import EXHAUSTIVE

import parshall
from parshall import CoDel, DropTail, Flow, FqCodel, Link, Pie, Record, Red, Scenario, Tcp, Udp
from parshall.scenario import BernoulliLoss, Reverse

FACTOR = 5.0
FEW = 300
"""So many events and packets more or less are none."""
DRAWS = 40 if EXHAUSTIVE else 3

Draw = random.Random


def span(draw: Draw, low: float, high: float) -> float:
    """A number between both, whose logarithm is uniform."""
    return float(low * (high / low) ** draw.random())


def steps(draw: Draw, seconds: float) -> list[tuple[float, int]]:
    count = draw.choice([0, 1, 3, 200])
    times = sorted(draw.uniform(0, seconds) for _ in range(count))
    return [(time, draw.choice([1, 5, 100])) for time in times]


Source = Callable[[Draw, float, float], dict[str, Any]]

OF_ANY: dict[str, Source] = {
    "transfer": lambda draw, rate, t: {"kind": "transfer", "packets": round(span(draw, 1, 20_000))},
    "cbr": lambda draw, rate, t: {"kind": "cbr", "rate": rate * span(draw, 0.001, 2)},
    "vbr": lambda draw, rate, t: {
        "kind": "vbr",
        "rates": (rate * span(draw, 0.001, 0.1), rate * span(draw, 0.1, 2)),
        "intervals": (0.1, 0.5),
    },
    "on-off": lambda draw, rate, t: {
        "kind": "on-off",
        "law": "exponential",
        "rate": rate * span(draw, 0.01, 3),
        "on": t * span(draw, 0.001, 0.03),
        "off": t * span(draw, 0.001, 0.03),
    },
    "self-similar": lambda draw, rate, t: {
        "kind": "self-similar",
        "rate": rate * span(draw, 0.01, 1),
        "h": 0.8,
        "sd": rate * span(draw, 0.01, 0.3),
        "interval": 0.1,
    },
    "schedule": lambda draw, rate, t: {"kind": "schedule", "writes": steps(draw, 1.5 * t)},
}
OF_TCP: dict[str, Source] = {
    "bulk": lambda draw, rate, t: {"kind": "bulk"},
    "transfer-sequence": lambda draw, rate, t: {
        "kind": "transfer-sequence",
        "packets": {"kind": "exponential", "mean": span(draw, 1, 1000)},
        "think": {"kind": "exponential", "mean": t * span(draw, 1e-4, 0.05)},
        "connection": draw.choice(["new", "persistent"]),
        "requests": draw.choice([True, False]),
        **draw.choice([{}, {}, {"transfers_at_most": 3}]),
    },
    "telnet": lambda draw, rate, t: {
        "kind": "telnet",
        "packets": {"kind": "exponential", "mean": 20},
        "interval": {"kind": "exponential", "mean": t * span(draw, 1e-4, 0.01)},
        "idle": {"kind": "exponential", "mean": t * span(draw, 1e-4, 0.03)},
        "connection": draw.choice(["new", "persistent"]),
    },
    "web": lambda draw, rate, t: {
        "kind": "web",
        "pages": 1_000_000 if draw.random() < 0.8 else 3,
        "inter_page": {"kind": "exponential", "mean": t * span(draw, 1e-4, 0.03)},
        "objects": {"kind": "uniform", "low": 1, "high": draw.choice([1, 10, 50])},
        "inter_object": {"kind": "exponential", "mean": span(draw, 0.001, 0.1)},
        "object_packets": {"kind": "exponential", "mean": span(draw, 1, 100)},
        "requests": draw.choice(["http", "ns2"]),
        **draw.choice([{}, {"connections": 2}]),
        **draw.choice([{}, {"inter_session": {"kind": "constant", "value": t / 100}}]),
    },
}
KINDS = {("udp", kind): source for kind, source in OF_ANY.items() if kind != "transfer"} | {
    ("tcp", kind): source for kind, source in (OF_ANY | OF_TCP).items()
}


def queue(draw: Draw) -> Any:
    limit = round(span(draw, 20, 500))
    low, high = limit / 6, limit / 2
    return draw.choice(
        [
            DropTail(limit_packets=limit),
            Red(min_threshold_packets=low, max_threshold_packets=high, limit_packets=limit),
            CoDel(),
            FqCodel(),
            Pie(),
        ]
    )


def sender(draw: Draw) -> Tcp:
    return draw.choice(
        [
            Tcp(recovery="sack"),
            Tcp(recovery="newreno"),
            Tcp(profile="linux", recovery="sack", control="cubic"),
            Tcp(profile="ns2", max_window_packets=round(span(draw, 4, 200))),
            Tcp(recovery="sack", control="bbr"),
        ]
    )


def drawn(transport: str, kind: str, draw: Draw) -> Scenario:
    """A source of a kind, now and then beside others of any, on one to three links of about one rate."""
    rate, delay, seconds = span(draw, 3e5, 3e7), span(draw, 0.001, 0.1), span(draw, 4, 30)
    asked = [(transport, kind)] + [draw.choice(list(KINDS)) for _ in range(draw.choice([0, 0, 1, 4]))]
    hops = draw.randint(1, 3)
    nodes = ["a", *(f"r{n}" for n in range(1, hops)), "b"]
    loss = BernoulliLoss(probability=span(draw, 1e-4, 0.05)) if draw.random() < 0.3 else None
    links = [
        Link(
            between=(here, there),
            rate=rate * span(draw, 0.5, 5),
            delay=delay,
            queue=queue(draw),
            loss=loss,
            reverse=Reverse(queue=DropTail()),
        )
        for here, there in pairwise(nodes)
    ]
    flows = [
        Flow(
            name=f"f{number}",
            source="a",
            destination="b",
            app=KINDS[how, what](draw, rate, seconds),
            transport=sender(draw) if how == "tcp" else Udp(),
            start=draw.choice([0.0, 0.3 * seconds]),
        )
        for number, (how, what) in enumerate(asked)
    ]
    record = draw.choice([Record(), Record(port_series={"of": "*", "interval": "10 ms"})])
    return Scenario(
        duration=seconds, hosts=["a", "b"], routers=nodes[1:-1], links=links, flows=flows, record=record
    )


@pytest.mark.parametrize(("transport", "kind"), KINDS)
def test_a_run_takes_what_was_expected(transport: str, kind: str) -> None:
    for seed in range(DRAWS):
        scenario = drawn(transport, kind, random.Random(f"{transport} {kind} {seed}"))
        recording = parshall.run(scenario, seed=1)
        expected = scenario.expected
        sent = int(recording.table("flows")["packets_sent"].to_numpy().sum())
        # What a source writes ahead of time is no event, and counts as one.
        events = max(recording.events, sent)
        pairs = {"events": (expected.events, events), "packets": (expected.packets, sent)}
        for what, (said, took) in pairs.items():
            ratio = (said + FEW) / (took + FEW)
            assert 1 / FACTOR < ratio < FACTOR, f"draw {seed}: {said:.0f} {what} said, {took} took place"


def test_updates_of_pie_between_packets_count() -> None:
    """A billion of them take longer than all events together."""

    def taking(update: str) -> float:
        links = [Link(between=("a", "b"), rate="1 Mbit/s", delay="1 ms", queue=Pie(update=update))]
        flows = [
            Flow(
                name="f",
                source="a",
                destination="b",
                transport="udp",
                app={"kind": "cbr", "rate": "9 Mbit/s"},
            )
        ]
        return Scenario(duration="10 s", hosts=["a", "b"], links=links, flows=flows).expected.seconds

    assert taking("15 ms") < 0.1
    assert 10 < taking("10 ns") < 1000
    assert taking("1 ps") > 10_000


def test_looks_at_ports_count() -> None:
    links = [Link(between=("a", "b"), rate="1 Mbit/s", delay="1 ms")]
    flows = [
        Flow(name="f", source="a", destination="b", transport="udp", app={"kind": "cbr", "rate": "1 kbit/s"})
    ]
    record = Record(port_series={"of": "*", "interval": "1 ms"})
    scenario = Scenario(duration="10 s", hosts=["a", "b"], links=links, flows=flows, record=record)
    recording = parshall.run(scenario)
    assert 0.9 < scenario.expected.events / recording.events < 1.1
    assert scenario.expected.memory_bytes > 10_000 * 2 * 50


def test_what_waits_counts_wherever_on_the_way_it_does() -> None:
    fast, slow = {"rate": "100 Gbit/s", "delay": "1 ms"}, {"rate": "1 Gbit/s", "delay": "1 ms"}
    app = {"kind": "cbr", "interval": "100 ns"}

    def expected(*links: dict[str, str]) -> float:
        nodes = ["a", *(f"r{number}" for number in range(1, len(links))), "b"]
        flow = Flow(name="f", source="a", destination="b", transport="udp", app=app)
        path = [Link(between=ends, **link) for ends, link in zip(pairwise(nodes), links, strict=True)]
        return Scenario(
            duration="10 s", hosts=["a", "b"], routers=nodes[1:-1], links=path, flows=[flow]
        ).expected.memory_bytes

    first = expected(slow, fast)
    assert first > 1e9
    for other in (expected(slow), expected(fast, slow), expected(fast, slow, fast)):
        assert first / 2 < other < 2 * first
