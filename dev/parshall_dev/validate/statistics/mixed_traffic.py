"""Studies 1a, 1m and 1b: long TCP flows and CBR at one bottleneck, or at three, with RED or drop-tail."""

from __future__ import annotations

import math
from dataclasses import replace

from parshall.errors import InputError
from parshall.recording import Recording
from parshall.scenario import Scenario
from parshall_dev.validate.statistics.network import Access, Network, Part, droptail
from parshall_dev.validate.statistics.outcomes import Outcome
from parshall_dev.validate.statistics.port import Traffic, port_outcomes
from parshall_dev.validate.statistics.sender import tcp
from parshall_dev.validate.statistics.unsupported import UnsupportedError
from parshall_studies.baselines import Settings

__all__ = ["OUTCOMES", "OUTCOMES_OF_LINKS", "TITLES", "measure", "rebuild"]

TITLES = {
    "1a": "Long TCP flows and CBR at a RED link",
    "1m": "Long TCP flows and CBR over two of three RED links, with cross traffic",
    "1b": "The same at a drop-tail link or a RED link, with CBR in phase and out of it",
}

OUTCOMES = (
    Outcome("tcp_share_delivered", "TCP's share of delivered bytes", "%", 100.0),
    Outcome("cbr_share_arrivals", "CBR's share of arrivals", "%", 100.0),
    Outcome("drop_rate", "loss", "%", 100.0),
    Outcome("tcp_drop_rate", "loss of TCP", "%", 100.0),
    Outcome("cbr_drop_rate", "loss of CBR", "%", 100.0),
    Outcome("queue_mean_pkts", "mean queue", "packets"),
    Outcome("qdelay_sd", "deviation of the wait", "ms", 1e3),
    Outcome("util_wire", "utilisation", "%", 100.0),
)

_LINKS = {1: "r1->r2", 2: "r2->r3", 3: "r2->r4"}
OUTCOMES_OF_LINKS = tuple(
    replace(outcome, key=f"L{number}_{outcome.key}", group=f"link {number}")
    for number in _LINKS
    for outcome in OUTCOMES
    if outcome.key not in ("tcp_drop_rate", "cbr_drop_rate")
)

_UNLIMITED = 100_000
_CROSS = (("C", 17, "tcp", "r3"), ("D", 11, "cbr", "r3"), ("E", 18, "tcp", "r4"), ("F", 6, "cbr", "r4"))
"""Group, flows, kind and where they leave: the traffic that crosses links 2 and 3 only."""


def rebuild(settings: Settings, seed: int) -> Scenario:
    """The scenario, the same for each seed. Raises UnsupportedError for what the engine does not have."""
    del seed
    _check_supported(settings)
    single = _is_single(settings)
    ports = ["r1->r2"] if single else list(_LINKS.values())
    routers = sorted({name for port in ports for name in port.split("->")})
    network = Network(routers, [_bottleneck(settings, port) for port in ports])
    sources = _Sources(settings, network)
    if single:
        sources.group("t", settings.whole("ntcp"), "tcp", "r1", "r2")
        sources.group("c", settings.whole("ncbr"), "cbr", "r1", "r2")
    else:
        for group, kind, count in (("A", "tcp", "ntcp"), ("B", "cbr", "ncbr")):
            flows = settings.whole(count)
            sources.group(f"{group}3", flows // 2, kind, "r1", "r3")
            sources.group(f"{group}4", flows - flows // 2, kind, "r1", "r4")
        for group, flows, kind, leave in _CROSS:
            sources.group(group, flows, kind, "r2", leave)
    return network.scenario(
        duration=settings.number("time"), warm_up=settings.number("warm"), packets_at=tuple(ports)
    )


def measure(settings: Settings, run: Recording) -> dict[str, float]:
    """Output of the script, from the packet events of each bottleneck."""
    traffic = Traffic(
        warm_up=settings.number("warm"),
        end=settings.number("time"),
        rate=settings.number("bw"),
        cbr=[_is_cbr(name) for name in run.flows],
    )
    single = _is_single(settings)
    outcomes: dict[str, float] = {}
    for number, port in {1: "r1->r2"}.items() if single else _LINKS.items():
        prefix = "" if single else f"L{number}_"
        measured = port_outcomes(run.columns("packets"), run.scenario.ports.index(port), traffic)
        outcomes |= {f"{prefix}{key}": value for key, value in measured.items()}
    return outcomes


def _is_single(settings: Settings) -> bool:
    return settings.one_of("topo", ["single", "multihop"]) == "single"


def _is_cbr(flow: str) -> bool:
    return flow[0] in "cBDF"


def _check_supported(settings: Settings) -> None:
    for name, what in (
        ("overhead", "a random delay of each packet at its sender"),
        ("cbrrandom", "CBR with a random interval"),
        ("nstf", "short flows that repeat"),
    ):
        if settings.number(name) != 0:
            raise UnsupportedError(what)


def _bottleneck(settings: Settings, port: str) -> Part:
    return {
        "between": tuple(port.split("->")),
        "rate": settings.number("bw"),
        "delay": settings.number("delay"),
        "queue": _queue(settings),
        "reverse": {"queue": droptail(_UNLIMITED)},
    }


def _queue(settings: Settings) -> Part:
    limit, kind = settings.whole("buf"), settings.one_of("qm", ["DropTail", "RED", "REDECN"])
    if kind == "DropTail":
        return droptail(limit)
    return {
        "kind": "red",
        "min_threshold_packets": settings.number("minth"),
        "max_threshold_packets": settings.number("maxth"),
        "limit_packets": limit,
        "max_probability": settings.number("maxp"),
        "weight": {"kind": "fixed", "value": _weight(settings)},
        "unit": "bytes" if settings.flag("inbytes") else "packets",
        "mean_packet_bytes": settings.whole("meanpkt"),
        "gentle": settings.flag("gentle"),
        "ecn": kind == "REDECN",
    }


def _weight(settings: Settings) -> float:
    """RED's weight. ns-2 takes -1 for a time constant of ten round trips, each guessed as three times the
    delay of the link and of one packet on it, and at least 0.1 s.
    """
    weight = settings.number("qw")
    if weight > 0:
        return weight
    if weight != -1:
        raise settings.error("qw", "a number above 0, or -1")
    packets_per_second = settings.number("bw") / (8 * settings.number("meanpkt"))
    round_trip = max(3 * (settings.number("delay") + 1 / packets_per_second), 0.1)
    return -math.expm1(-1 / (10 * round_trip * packets_per_second))


class _Sources:
    """Adds groups of flows, with hosts of their own or with one pair for all of a kind."""

    def __init__(self, settings: Settings, network: Network) -> None:
        self._settings = settings
        self._network = network
        self._cbr = 0
        access = Access(settings.number("abw"), settings.number("adelay"), _UNLIMITED)
        rate = settings.number("tcpabw") or access.rate
        delay = settings.number("tcpadelay")
        own = Access(rate, access.delay if delay < 0 else delay, _UNLIMITED)
        single = _is_single(settings)
        self._access = {"tcp": own if single else access, "cbr": access}

    def group(self, name: str, flows: int, kind: str, enter: str, leave: str) -> None:
        """Flows of one kind from one router to another."""
        shared = self._settings.one_of(f"{kind}hosts", ["many", "one"]) == "one"
        for index in range(flows):
            host = name if shared else f"{name}{index}"
            access = self._access[kind]
            ends = (
                self._network.host(f"s-{host}", enter, access),
                self._network.host(f"d-{host}", leave, access),
            )
            parts = self._cbr_parts() if kind == "cbr" else self._tcp_parts()
            self._network.flow(f"{name}{index}", ends, **parts)

    def _tcp_parts(self) -> Part:
        settings = self._settings
        sender = tcp(settings, payload="payload", header_bytes=settings.whole("hdr"))
        return {
            "transport": {**sender, "ecn": settings.flag("ecn")},
            "app": {"kind": "bulk"},
            "start_spread": settings.number("tcpjitter"),
        }

    def _cbr_parts(self) -> Part:
        settings = self._settings
        size = settings.whole("cbrpkt")
        start = settings.number("cbrstart") + settings.number("cbrstep") * self._cbr
        if start < 0:
            raise InputError(f"{settings.where}: cbrstart", f"{start:g}", "a time of at least 0")
        self._cbr += 1
        return {
            # ns-2 adds no header to UDP.
            "transport": {"kind": "udp", "payload_bytes": size, "header_bytes": 0},
            "app": {"kind": "cbr", "rate": settings.number("cbrrate")},
            "start": start,
            "start_spread": settings.number("cbrjitter"),
        }
