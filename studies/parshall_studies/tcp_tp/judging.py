"""A rule that uses a forecast: it was designed on some networks of the study, and is judged on others, which
differ from them in kind and were chosen before it was run on any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from parshall.scenario import (
    BernoulliLoss,
    Bulk,
    DropTail,
    Dumbbell,
    FlowGroup,
    Jitter,
    Red,
    SelfSimilar,
    Transfer,
    Udp,
)
from parshall_studies import study as st
from parshall_studies.tcp_tp.networks import ACCESS_RATE, CORE_DELAY, MAIN, START_SPREAD, Setting, single
from parshall_studies.tcp_tp.quantities import counts
from parshall_studies.tcp_tp.senders import (
    DUAL,
    NEWRENO,
    OURS,
    OURS_FORECASTERS,
    PAYLOAD_BYTES,
    RULES,
    WIDE,
    Bottleneck,
    Sender,
    answering,
)

DURATION, WARM_UP = 80.0, 20.0
SEEDS = 10
JUDGED: Mapping[str, Sender] = {name: RULES[name] for name in (NEWRENO, "vegas", DUAL, OURS)}
DESIGN_NS = (10, 40, 60, 100)
DESIGNS: Mapping[str, Sender] = {
    NEWRENO: RULES[NEWRENO],
    DUAL: RULES[DUAL],
    OURS: RULES[OURS],
    "lower": answering("in proportion, from 0 on", threshold=0.0),
    "stronger": answering("in proportion, down to 0.3", beta=0.3),
    "constant": answering("by 0.7 above 0.5", threshold=0.5, beta=0.7, backoff="constant"),
    **{name: sender for name, sender in OURS_FORECASTERS.items() if name != OURS},
}
"""Candidates that were tried on the networks of the design."""


@dataclass(frozen=True)
class Kind:
    """A network that the rule was not designed on."""

    label: str
    connections: int = 20
    rate: float = 20e6
    limit: int = 100
    round_trips: tuple[float, float] = (0.05, 0.05)
    transport: Mapping[str, Any] = field(default_factory=dict)
    link: Mapping[str, Any] = field(default_factory=dict)
    """Further properties of the bottleneck."""
    beside: Callable[[Sender, Bottleneck], list[FlowGroup]] = lambda sender, link: []
    """Further traffic."""

    def network(self, sender: Sender) -> Dumbbell:
        """Connections without end, called ``f``, with this sender."""
        delays = Setting(self.connections, round_trips=self.round_trips).delays
        told = Bottleneck(self.rate, self.connections)
        group = FlowGroup(
            name="f",
            count=self.connections,
            transport=sender.transport(told, WIDE, **self.transport),
            app=Bulk(),
            start_spread=START_SPREAD,
            access_delay=delays,
        )
        return Dumbbell(
            title=f"{sender.label}, {self.label}",
            duration=DURATION,
            warm_up=WARM_UP,
            rate=self.rate,
            delay=CORE_DELAY,
            access_rate=10 * ACCESS_RATE,
            access_delay=delays[0],
            flows=[group, *self.beside(sender, told)],
            **{"queue": DropTail(limit_packets=self.limit), **self.link},
        )


def _reverse(sender: Sender, link: Bottleneck) -> list[FlowGroup]:
    return [
        FlowGroup(
            name="r",
            count=10,
            direction="reverse",
            transport=sender.transport(link, WIDE),
            app=Bulk(),
            start_spread=START_SPREAD,
        )
    ]


def _noise(sender: Sender, link: Bottleneck) -> list[FlowGroup]:
    del sender
    app = SelfSimilar(rate=0.5 * link.rate, h=0.85, sd=0.15 * link.rate, interval=0.1)
    udp = Udp(payload_bytes=PAYLOAD_BYTES, header_bytes=0)
    return [FlowGroup(name="u", transport=udp, app=app)]


def _web(sender: Sender, link: Bottleneck) -> list[FlowGroup]:
    return [
        FlowGroup(
            name="w",
            count=400,
            transport=sender.transport(link, WIDE),
            app=Transfer(packets=20),
            start=1.0,
            start_spread=DURATION - 2.0,
        )
    ]


KINDS: Mapping[str, Kind] = {
    "slow": Kind("5 Mbit/s, round trip of 100 ms", 10, 5e6, 50, (0.1, 0.1)),
    "fast": Kind("100 Mbit/s, round trip of 20 ms", 50, 100e6, 250, (0.02, 0.02)),
    "long": Kind("round trip of 200 ms", 20, 20e6, 250, (0.2, 0.2)),
    "unequal": Kind("round trips from 20 to 200 ms", 40, round_trips=(0.02, 0.2)),
    "few": Kind("2 connections, 10 Mbit/s", 2, 10e6, 50),
    "many": Kind("200 connections", 200, limit=300),
    "shallow": Kind("a buffer of 20 packets", limit=20),
    "deep": Kind("a buffer of 1000 packets", limit=1000),
    "sack": Kind(
        "SACK and delayed ACKs as in the RFCs",
        transport={"profile": "rfc", "recovery": "sack", "delayed_ack": True},
    ),
    "two-way": Kind("10 connections in the other direction", 10, beside=_reverse),
    "noise": Kind("UDP of long memory, half of the link", beside=_noise),
    "web": Kind("400 transfers of 20 packets", 10, beside=_web),
    "lossy": Kind("0.1 % of random losses", link={"loss": BernoulliLoss(probability=0.001)}),
    "jitter": Kind("5 ms of jitter", link={"jitter": Jitter(most=0.005)}),
    "red": Kind(
        "RED(15, 45)",
        link={"queue": Red(min_threshold_packets=15, max_threshold_packets=45, limit_packets=100)},
    ),
}
"""Networks that the rule is judged on."""


def measure(bench: st.Workbench) -> st.Measures:
    """The networks of the design, and those that it is judged on."""
    design = {
        (name, source, n): partial(single, sender, Setting(n, source, window=WIDE))
        for name, sender in DESIGNS.items()
        for source, n in (("bulk", DESIGN_NS[0]), *((MAIN, n) for n in DESIGN_NS[1:]))
    }
    judging = {
        (name, kind): partial(network.network, sender)
        for name, sender in JUDGED.items()
        for kind, network in KINDS.items()
    }
    seeds = bench.seeds[:SEEDS]

    def counted(what: str, variants: Any, table: str, dims: tuple[str, ...]) -> st.Measures:
        return bench.measure(
            what, variants, lambda _, run: counts(run, flows="f"), table=table, dims=dims, seeds=seeds
        )

    return {
        **counted("Design", design, "design", ("sender", "source", "n")),
        **counted("Judging", judging, "judging", ("sender", "kind")),
    }
