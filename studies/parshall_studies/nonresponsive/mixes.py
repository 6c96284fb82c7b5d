"""Mixes of traffic in which the protocol does not tell who responds (I.D.1): TCP that does not, UDP that
does, and both, beside the chapter's own.

A group of flows has a protocol in its headers, which is what a count of UDP bytes reads, and it responds to
congestion or not, whatever its headers say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parshall.scenario import Binomial, Bulk, Cbr, Dumbbell, FlowGroup, Tcp
from parshall_studies.nonresponsive import networks as net

DURATION = 200.0
"""Seconds; the chapter's estimator is started at 100."""
DEAF_FLOWS = 16
"""Flows of 1 Mbit/s that do not respond, as in Figure 9."""
_MICE_A_SECOND = 100
"""Transfers of 20 packets: as much as 16 CBR flows."""
_RESPONSIVE_BESIDE = 19
"""TCP flows beside 16 flows over UDP that respond, so that again 35 respond."""


@dataclass(frozen=True)
class Mix:
    """Groups of flows, those whose headers say UDP, and those that do not respond."""

    label: str
    flows: tuple[FlowGroup, ...]
    udp: frozenset[str]
    deaf: frozenset[str]

    def names(self, groups: frozenset[str]) -> list[str]:
        """Names of the flows of these groups."""
        return [
            f"{group.name}{place}"
            for group in self.flows
            if group.name in groups
            for place in range(1, group.count + 1)
        ]

    @property
    def responsive(self) -> frozenset[str]:
        """Groups that respond."""
        return frozenset(group.name for group in self.flows) - self.deaf

    def network(self) -> Dumbbell:
        """At the chapter's bottleneck."""
        return net.single(self.flows, duration=DURATION)


def deaf_tcp(count: int = DEAF_FLOWS) -> FlowGroup:
    """Media at 1 Mbit/s over a variant of TCP that repairs what is lost and hardly slows down: a loss takes
    a hundredth of the window, and a round trip gives back 64 packets.
    """
    control = Binomial(k=0.0, l=1.0, alpha=64.0, beta=0.01)
    transport = Tcp(
        profile="linux",
        control=control,
        payload_bytes=net.PACKET_BYTES,
        header_bytes=40,
        max_window_packets=64,
    )
    return FlowGroup(name="d", count=count, transport=transport, app=Cbr(rate=net.CBR_RATE), start_spread=1.0)


def adaptive_udp(count: int = DEAF_FLOWS) -> FlowGroup:
    """Media over UDP that adapt smoothly, paced and by IIAD, a TCP-friendly control that the chapter names
    (II.C.7). In the simulator a control needs TCP's ACKs; to a router such a flow is one of UDP.
    """
    transport = net.tcp("sack", control=Binomial.iiad()).model_copy(update={"pacing": True})
    return FlowGroup(name="u", count=count, transport=transport, app=Bulk(), start_spread=1.0)


def _mice() -> FlowGroup:
    count = round(_MICE_A_SECOND * DURATION)
    return net.short_flows(count, repeats=1, start=0.0, spread=DURATION, name="m")


def _mix(label: str, *flows: FlowGroup, udp: str = "", deaf: str = "") -> Mix:
    return Mix(label, flows, frozenset(udp), frozenset(deaf))


def cbr_mix(count: int, *, udp: str = "c") -> Mix:
    """The chapter's TCP flows beside CBR flows."""
    label = f"{count} CBR flows" + ("" if udp else " whose headers say TCP")
    return _mix(label, net.responsive(), net.cbr(count), udp=udp, deaf="c")


MIXES: Mapping[str, Mix] = {
    "udp-deaf": cbr_mix(DEAF_FLOWS),
    "tcp-deaf": _mix("TCP that ignores congestion", net.responsive(), deaf_tcp(), deaf="d"),
    "mice": _mix("web mice over TCP", net.responsive(), _mice(), deaf="m"),
    "faked": cbr_mix(DEAF_FLOWS, udp=""),
    "udp-responds": _mix("UDP that responds", net.responsive(_RESPONSIVE_BESIDE), adaptive_udp(), udp="u"),
    "both": _mix(
        "TCP that ignores congestion and UDP that responds",
        net.responsive(_RESPONSIVE_BESIDE),
        adaptive_udp(),
        deaf_tcp(),
        udp="u",
        deaf="d",
    ),
}
"""By name. In the first a count of UDP bytes is right."""
OTHERS = tuple(name for name in MIXES if name != "udp-deaf")
