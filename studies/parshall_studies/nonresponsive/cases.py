"""Every scenario in which estimators are judged, with what the router is told about it.

A name is what it shows up as in the tables: ``load/22``. One case may serve several figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from parshall.scenario import Binomial
from parshall_studies.nonresponsive import networks as net

if TYPE_CHECKING:
    from parshall.scenario import Dumbbell, FlowGroup, Scenario

LOADS = (2, 5, 8, 11, 14, 16, 18, 20, 22, 25)
"""CBR flows of 1 Mbit/s at 28 Mbit/s: Figure 4; 16, 22 and 25 are those of Figure 3."""
PULSES = (100, 20, 5)
"""Seconds on and off: Figure 5."""
RTTS = (40, 60, 80, 100, 120, 140, 160, 180, 200)
"""Round trips without queueing, in milliseconds: Figure 8."""
RTT_RANGE = (0.0244, 0.1755)
"""Least and greatest round trip of Figure 7, in seconds."""
VBR_INTERVALS: Mapping[str, tuple[float, float]] = {"slow": (1.0, 20.0), "fast": (0.1, 1.0)}
"""Seconds for which a rate lasts: Figure 9."""
BINOMIALS = ("iiad", "sqrt")
"""Table I."""
MIN_THRESHOLDS = (15, 20, 25, 30, 35, 40)
"""Lower thresholds of RED: Figure 10. The first is that of all other scenarios."""
HOPS = (25, 22, 16)
"""CBR flows of set B: Figure 12."""
UNEVEN = 6
"""Flows, of 22, that leave at R3: Figure 13."""

_HOPS_RTT = 0.24
"""Round trip of sets A and B: two hops of 50 ms and two access links of 10 ms, both ways."""
_SHORT_DELAY = 0.005
"""Propagation delay of the bottleneck where round trips below 100 ms are asked for, in seconds."""
_PRINTED_MEAN_RTT, _PRINTED_R0 = 0.09, 0.12
"""R0 of Figures 7 and 8, by the text."""


@dataclass(frozen=True)
class Case:
    """A scenario, and what an estimator at its router knows."""

    name: str
    label: str
    """For a reader."""
    network: Dumbbell | Scenario
    delay: float
    """Propagation round trip that the estimator is told, in seconds."""
    r0: float | None = None
    """The round trip R0 that the text fixes, in seconds; none takes the delay and the mean queue."""
    rate: float = net.RATE
    """Bit/s of the port."""
    port: str = "bottleneck"
    sampling: float = net.SAMPLING
    """Seconds between samples."""
    start: float = net.START
    """When the estimator is started."""
    several_hops: bool = False

    @property
    def capacity(self) -> float:
        """The port's rate in packets of 1000 bytes a second, as the document counts."""
        return self.rate / (8 * net.PACKET_BYTES)


def case(name: str) -> Case:
    """The case of that name."""
    return _by_name()[name]


def all_cases() -> tuple[Case, ...]:
    """In the order of the document, then those it does not have."""
    return tuple(_by_name().values())


@cache
def _by_name() -> dict[str, Case]:
    return {each.name: each for each in (*_document_cases(), *_transfer_cases())}


def _document_cases() -> Iterator[Case]:
    for count in LOADS:
        yield _load(count)
    for count in (16, 22, 25):
        yield _load(count, rtt=0.12)
    for half in PULSES:
        flows = [net.responsive(), net.cbr(20), *net.pulses(6, half)]
        yield Case(
            f"pulses/{half}", f"20 CBR, 6 more on and off for {half} s", net.single(flows), delay=net.RTT
        )
    flows = [net.responsive(), net.cbr(16), net.short_flows(300)]
    yield Case("short", "16 CBR, 300 short TCP flows from 100 s on", net.single(flows), delay=net.RTT)
    yield _mixed_rtts()
    yield from (_rtt(milliseconds) for milliseconds in RTTS)
    for speed, intervals in VBR_INTERVALS.items():
        network = net.single([net.responsive(), net.vbr(16, intervals)])
        low, high = intervals
        yield Case(f"vbr/{speed}", f"16 VBR, rates last {low:g} to {high:g} s", network, delay=net.RTT)
    for kind in BINOMIALS:
        yield from (_binomial(kind, percent) for percent in (50, 100))
    for minimum in MIN_THRESHOLDS[1:]:
        network = net.single([net.responsive(), net.cbr(22)], queue=net.red(minimum))
        yield Case(f"min-th/{minimum}", f"22 CBR, RED({minimum}, 45, 0.1)", network, delay=net.RTT)
    for count in HOPS:
        yield _hops(f"hops/{count}", f"three bottlenecks, {count} CBR in set B", net.multihop(count))
    yield _hops(
        "hops/22-uneven", f"three bottlenecks, {UNEVEN} and 16 CBR in set B", net.multihop(22, UNEVEN)
    )


def _load(count: int, rtt: float = net.RTT) -> Case:
    suffix = "" if rtt == net.RTT else f"/rtt-{rtt * 1e3:g}"
    label = f"{count} CBR" + (f", round trip {rtt * 1e3:g} ms" if suffix else "")
    network = net.single([net.responsive(), net.cbr(count)], rtt=rtt)
    return Case(f"load/{count}{suffix}", label, network, delay=rtt)


def _mixed_rtts() -> Case:
    low, high = RTT_RANGE
    rtts = [low + (high - low) * index / (net.TCP_FLOWS - 1) for index in range(net.TCP_FLOWS)]
    network = net.single(
        [net.responsive(rtts=rtts, delay=_SHORT_DELAY), net.cbr(22)], rtt=net.RTT, delay=_SHORT_DELAY
    )
    return Case(
        "rtt-range",
        "22 CBR, round trips of 24.4 to 175.5 ms",
        network,
        delay=_PRINTED_MEAN_RTT,
        r0=_PRINTED_MEAN_RTT,
    )


def _rtt(milliseconds: int) -> Case:
    rtt = milliseconds / 1e3
    network = net.single([net.responsive(), net.cbr(22)], rtt=rtt, delay=_SHORT_DELAY)
    return Case(
        f"rtt/{milliseconds}",
        f"22 CBR, round trip {milliseconds} ms, told 120 ms",
        network,
        delay=_PRINTED_R0,
        r0=_PRINTED_R0,
    )


def _binomial(kind: str, percent: int) -> Case:
    control = Binomial.iiad() if kind == "iiad" else Binomial.sqrt()
    binomials = round(net.TCP_FLOWS * percent / 100)
    groups: list[FlowGroup] = [net.responsive(binomials, name="b", transport=net.tcp(control=control))]
    if binomials < net.TCP_FLOWS:
        groups.append(net.responsive(net.TCP_FLOWS - binomials))
    network = net.single([*groups, net.cbr(22)])
    label = f"22 CBR, {'half' if percent == 50 else 'all'} of TCP is {kind.upper()}"
    return Case(f"{kind}/{percent}", label, network, delay=net.RTT)


def _hops(name: str, label: str, network: Scenario) -> Case:
    return Case(name, label, network, delay=_HOPS_RTT, port="link1", several_hops=True)


# --- Beyond the document: where settings are carried to -----------------------------------------------------


def _transfer_cases() -> Iterator[Case]:
    """Another capacity (that of the document's section V.B), a small one, and round trips told rightly."""
    yield _scaled("capacity/100", "100 Mbit/s, 35 SACK and 80 CBR", 100e6, 35, 80, recovery="sack")
    yield _scaled("capacity/10", "10 Mbit/s, 12 TCP and 8 CBR", 10e6, 12, 8)
    for milliseconds in (40, 200):
        rtt = milliseconds / 1e3
        sampling = round(rtt / 3, 3)  # the clock of a kernel counts whole milliseconds
        network = net.single(
            [net.responsive(), net.cbr(22)], rtt=rtt, delay=_SHORT_DELAY, sampling=sampling, duration=220.0
        )
        yield Case(
            f"told-rtt/{milliseconds}",
            f"22 CBR, round trip {milliseconds} ms, told so",
            network,
            delay=rtt,
            sampling=sampling,
        )


def _scaled(name: str, label: str, rate: float, tcps: int, cbrs: int, *, recovery: str = "newreno") -> Case:
    """RED scaled with the bandwidth-delay product, as the document's 15, 45 and 60 packets are for 28
    Mbit/s.
    """
    scale = rate / net.RATE
    limit = round(net.BUFFER * scale)
    queue = net.red(limit / 4, 3 * limit / 4, limit)
    flows = [net.responsive(tcps, transport=net.tcp(recovery)), net.cbr(cbrs)]
    network = net.single(flows, rate=rate, queue=queue, access_rate=max(net.ACCESS_RATE, 10 * rate))
    return Case(name, label, network, delay=net.RTT, rate=rate)


TRANSFER = (
    "load/8",
    "load/16",
    "load/22",
    "load/25",
    "capacity/10",
    "capacity/100",
    "told-rtt/40",
    "told-rtt/200",
)
"""Cases between which tuned settings are carried."""
