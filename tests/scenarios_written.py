"""Scenarios as text and as values, right and wrong, that several tests start from."""

from __future__ import annotations

import functools
from typing import Any

import jsonschema

from parshall import Bulk, DropTail, Flow, Link, MedianRtoConfig, Record, Red, Scenario, Tcp
from parshall.scenario.schema import json_schema
from parshall.units import ms

BELL = """
duration = "10 s"
[dumbbell]
rate = "1 Mbit/s"
delay = "50 ms"
queue = { kind = "droptail", limit_packets = 40 }
access_rate = "10 Mbit/s"
access_delay = "10 ms"
[[dumbbell.flows]]
count = 2
transport = { kind = "tcp", rto = { kind = "median", window = 5 } }
app = "bulk"
[record]
rtt = "*"
"""


def written_out() -> Scenario:
    """Returns the network of the dumbbell, node by node."""
    droptail = DropTail(limit_packets=40)
    access = [(f"s{i}", "r0", "r1", f"d{i}") for i in (1, 2)]
    return Scenario(
        duration=10,
        hosts=["s1", "s2", "d1", "d2"],
        routers=["r0", "r1"],
        links=[
            Link(between=("r0", "r1"), name="bottleneck", rate=1e6, delay=50 * ms, queue=droptail),
            *(
                Link(between=between, rate="10 Mbit/s", delay=0.01)
                for s, r0, r1, d in access
                for between in ((s, r0), (r1, d))
            ),
        ],
        flows=[
            Flow(
                name=f"f{i}",
                source=f"s{i}",
                destination=f"d{i}",
                transport=Tcp(rto=MedianRtoConfig()),
                app=Bulk(),
            )
            for i in (1, 2)
        ],
        record=Record(rtt=["*"]),
    )


@functools.cache
def schema_validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json_schema())


FAULTS = {
    # replaced text -> its replacement, the field, the value, part of what is expected
    'delay = "50 ms"': ('delay = "50 Mbit/s"', "dumbbell.delay", '"50 Mbit/s"', "a duration"),
    'rate = "1 Mbit/s"': ("rate = -1", "dumbbell.rate", "-1", "a rate above 0"),
    'access_rate = "10 Mbit/s"': ("access_rate = 0", "dumbbell.access_rate", "0", "a rate above 0"),
    'access_delay = "10 ms"': ("access_delay = nan", "dumbbell.access_delay", "nan", "a duration"),
    'duration = "10 s"': ("duration = 0", "duration", "0", "a duration above 0"),
    "limit_packets = 40": (
        "limit_pakets = 40",
        "dumbbell.queue.limit_pakets",
        "an unknown key",
        '"limit_packets"',
    ),
    'kind = "droptail"': (
        'kind = "cake"',
        "dumbbell.queue.kind",
        '"cake"',
        '"droptail" or "red" or "codel" or "pie" or "fq-codel"',
    ),
    "count = 2": ("count = 0", "dumbbell.flows[0].count", "0", "a whole number from 1"),
    "window = 5": ("window = 0", "dumbbell.flows[0].transport.rto.window", "0", "a whole number from 1"),
    'kind = "tcp", ': ("", "dumbbell.flows[0].transport.kind", "nothing", '"tcp" or "udp"'),
    'app = "bulk"': ('app = "bulky"', "dumbbell.flows[0].app", '"bulky"', '"bulk"'),
    'rtt = "*"': ("rtt = 5", "record.rtt", "5", "a list"),
    "[record]": ("[recrd]", "recrd", "an unknown key at the top", "record"),
    "[dumbbell]": ("[dumbell]", "dumbell", "an unknown key at the top", "dumbbell"),
}

NETWORK = written_out().to_toml()


def red(**changes: Any) -> Red:
    """A queue with some fields changed."""
    limits: dict[str, Any] = {"min_threshold_packets": 5, "max_threshold_packets": 15, "limit_packets": 50}
    return Red(**{**limits, **changes})


def places(value: Any, place: tuple[str | int, ...] = ()) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*place, key)
        yield from places(inner, (*place, key))
