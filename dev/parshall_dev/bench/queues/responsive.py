"""TCP and CBR flows through the same disciplines: here senders answer, and ns-3's TCP is another one.

Drop-tail and RED, which need no new code on either side, show how far apart the two TCPs are.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

import parshall
from parshall import Bulk, Cbr, CoDel, DropTail, Flow, FqCodel, Link, Pie, Red, Reverse, Scenario, Tcp, Udp
from parshall_dev.bench.ns3_builds import Ns3Build
from parshall_dev.bench.process import run
from parshall_dev.bench.queues.loads import DISCIPLINES

__all__ = ["COMPARED", "OUTCOMES", "Meeting", "Ns3Dumbbell", "meet"]

_TCP, _CBR = 12, 6
_RATE, _ACCESS, _DELAY = 2e7, 1e8, 0.01
_CBR_RATE = 1e6
_PAYLOAD = 1000
_LINK_HEADER = 2
_UDP_WIRE = _PAYLOAD + 28 + _LINK_HEADER
_TCP_HEADER = 40 + _LINK_HEADER
_LIMIT, _LOW, _HIGH = 100, 25, 75
_RED = {
    "MaxSize": f"{_LIMIT}p",
    "MinTh": str(_LOW),
    "MaxTh": str(_HIGH),
    "LInterm": "10",
    "QW": "0.002",
    "LinkBandwidth": "20Mbps",
    "MeanPktSize": str(_PAYLOAD + _TCP_HEADER),
}


@dataclass(frozen=True)
class _Pair:
    title: str
    ours: DropTail | Red | CoDel | Pie | FqCodel
    theirs: str
    settings: dict[str, str]


COMPARED = {
    "droptail": _Pair(
        "DropTail, 100 packets",
        DropTail(limit_packets=_LIMIT + 1),
        "ns3::FifoQueueDisc",
        {"MaxSize": f"{_LIMIT - 1}p"},
    ),
    "red": _Pair(
        "RED, 25 to 75 of 100 packets",
        Red(
            min_threshold_packets=_LOW,
            max_threshold_packets=_HIGH,
            limit_packets=_LIMIT,
            mean_packet_bytes=_PAYLOAD + _TCP_HEADER,
        ),
        "ns3::RedQueueDisc",
        _RED,
    ),
    **{
        name: _Pair(
            DISCIPLINES[name].title,
            DISCIPLINES[name].ours,
            DISCIPLINES[name].theirs,
            DISCIPLINES[name].settings,
        )
        for name in ("codel", "pie", "fq-codel")
    },
}

OUTCOMES = {
    "wait": "mean wait, ms",
    "dropped": "dropped, %",
    "tcp": "TCP goodput, Mbit/s",
    "cbr": "CBR goodput, Mbit/s",
}


@dataclass(frozen=True)
class Meeting:
    """A discipline: an outcome a seed of either side. Seeds have nothing in common but the start times."""

    name: str
    ours: dict[str, list[float]]
    theirs: dict[str, list[float]]

    def difference(self, outcome: str) -> tuple[float, float, float]:
        """Ours less ns-3's in percent of ns-3's mean, and the ends of its 95 % interval (Welch)."""
        mine, theirs = np.array(self.ours[outcome]), np.array(self.theirs[outcome])
        ends = stats.ttest_ind(mine, theirs, equal_var=False).confidence_interval()
        scale = 100 / theirs.mean()
        return scale * (mine.mean() - theirs.mean()), scale * ends.low, scale * ends.high


def _delays() -> list[float]:
    return [round(0.001 + 0.0007 * i, 4) for i in range(_TCP + _CBR)]


def _starts(seed: int) -> list[float]:
    draw = random.Random(seed)
    return [round(draw.uniform(0.0, 1.0), 6) for _ in range(_TCP + _CBR)]


def _scenario(pair: _Pair, seconds: float, warm_up: float, seed: int) -> Scenario:
    links = [
        Link(
            between=("r0", "r1"),
            name="bottleneck",
            rate=_RATE,
            delay=_DELAY,
            queue=pair.ours,
            reverse=Reverse(queue="droptail"),
        )
    ]
    hosts: list[str] = []
    for i, delay in enumerate(_delays()):
        hosts += [f"s{i}", f"d{i}"]
        links.append(Link(between=(f"s{i}", "r0"), rate=_ACCESS, delay=delay))
        links.append(Link(between=("r1", f"d{i}"), rate=_ACCESS, delay=delay))
    return Scenario(
        duration=seconds,
        warm_up=warm_up,
        hosts=hosts,
        routers=["r0", "r1"],
        links=links,
        flows=list(_flows(_starts(seed))),
    )


def _flows(starts: Sequence[float]) -> Iterator[Flow]:
    tcp = Tcp(
        recovery="sack",
        payload_bytes=_PAYLOAD,
        header_bytes=_TCP_HEADER,
        ack_bytes=_TCP_HEADER,
        initial_window_packets=2,
        min_rto=0.2,
        delayed_ack=False,
    )
    udp = Udp(payload_bytes=_UDP_WIRE, header_bytes=0)
    for i, start in enumerate(starts):
        answers = i < _TCP
        yield Flow(
            name=f"f{i}",
            source=f"s{i}",
            destination=f"d{i}",
            transport=tcp if answers else udp,
            app=Bulk() if answers else Cbr(rate=_CBR_RATE),
            start=start,
        )


def _ours(pair: _Pair, seconds: float, warm_up: float, seed: int) -> dict[str, float]:
    recording = parshall.run(_scenario(pair, seconds, warm_up, seed), seed=seed)
    port = recording.port("bottleneck")
    counted = seconds - warm_up
    flows = [recording.flow(name) for name in recording.flows]
    # Ours is measured to the end of the transmission.
    transmission = 8 * port.bytes_departed / port.packets_departed / _RATE
    return {
        "wait": 1e3 * (port.mean_delay - transmission),
        "dropped": 100 * port.packets_dropped / (port.packets_dropped + port.packets_departed),
        "tcp": 8e-6 * sum(flow.bytes_delivered for flow in flows[:_TCP]) / counted,
        "cbr": 8e-6 * sum(flow.bytes_delivered for flow in flows[_TCP:]) * _PAYLOAD / _UDP_WIRE / counted,
    }


class Ns3Dumbbell:
    """ns-3's side."""

    def __init__(self, build: Ns3Build) -> None:
        """Compiles the program. Raises Missing."""
        self._program = build.program(Path(__file__).with_name("dumbbell.cc"), "ns3-queue-dumbbell")

    def outcomes(self, pair: _Pair, seconds: float, warm_up: float, seed: int) -> dict[str, float]:
        """One run. Raises ProcessError."""
        options = {
            "disc": pair.theirs,
            "set": ",".join(f"{name}={value}" for name, value in pair.settings.items()),
            "time": seconds,
            "warmup": warm_up,
            "seed": seed,
            "rate": _RATE,
            "access": _ACCESS,
            "delay": _DELAY,
            "ntcp": _TCP,
            "ncbr": _CBR,
            "cbrrate": _CBR_RATE,
            "payload": _PAYLOAD,
            "accessdelays": ",".join(map(str, _delays())),
            "starts": ",".join(map(str, _starts(seed))),
        }
        words = run(
            [str(self._program), *(f"--{name}={value}" for name, value in options.items())]
        ).output.split()
        found = dict(zip(words[1::2], map(float, words[2::2]), strict=True))
        counted = seconds - warm_up
        return {
            "wait": 1e3 * found["wait"],
            "dropped": 100 * found["dropped"] / (found["dropped"] + found["started"]),
            "tcp": 8e-6 * found["tcp_bytes"] / counted,
            "cbr": 8e-6 * found["cbr_bytes"] / counted,
        }


def meet(
    name: str,
    seconds: float,
    warm_up: float,
    seeds: Sequence[int],
    peer: Ns3Dumbbell,
    say: Callable[[str], None],
) -> Meeting:
    """Runs a discipline on both sides. Raises ProcessError."""
    mine: dict[str, list[float]] = {key: [] for key in OUTCOMES}
    theirs: dict[str, list[float]] = {key: [] for key in OUTCOMES}
    for seed in seeds:
        say(f"TCP and CBR, {name}, seed {seed}")
        for outcomes, found in (
            (mine, _ours(COMPARED[name], seconds, warm_up, seed)),
            (theirs, peer.outcomes(COMPARED[name], seconds, warm_up, seed)),
        ):
            for key, value in found.items():
                outcomes[key].append(value)
    return Meeting(name, mine, theirs)
