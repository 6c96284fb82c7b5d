"""Study 3: many on-off or endless connections of equal or spread round trips, one drop-tail link."""

from __future__ import annotations

from typing import Any

import numpy as np

from parshall.recording import Recording
from parshall.scenario import Scenario
from parshall.stats import jain
from parshall_dev.validate.statistics.network import Access, Network, droptail
from parshall_dev.validate.statistics.outcomes import Outcome
from parshall_dev.validate.statistics.sender import on_off, tcp
from parshall_studies.baselines import Settings

__all__ = ["OUTCOMES", "TITLE", "measure", "rebuild"]

TITLE = "Many on-off connections at a drop-tail link"

OUTCOMES = (
    Outcome("loss_ratio", "loss", "%", 100.0),
    Outcome("throughput_mbps", "throughput", "Mbit/s", digits=3),
    Outcome("offered_mbps", "offered", "Mbit/s", digits=3),
    Outcome("util_wire", "utilisation", "%", 100.0),
    Outcome("jain", "Jain's index", digits=3),
)

_CORE_DELAY = 0.002
_ACK_QUEUE = 10_000
_DEFAULT_LIMIT = 50


def rebuild(settings: Settings, seed: int) -> Scenario:
    """The scenario; with spread round trips, each seed has its own."""
    middle = {
        "between": ("r1", "r2"),
        "rate": settings.number("bw"),
        "delay": _CORE_DELAY,
        "queue": droptail(settings.whole("buf")),
        "reverse": {"queue": droptail(_ACK_QUEUE)},
    }
    network = Network(["r1", "r2"], [middle])
    for index, round_trip in enumerate(_round_trips(settings, seed)):
        delay = (round_trip / 2 - _CORE_DELAY) / 2
        access = Access(rate=settings.number("abw"), delay=delay, limit=_DEFAULT_LIMIT)
        ends = (network.host(f"s{index}", "r1", access), network.host(f"d{index}", "r2", access))
        network.flow(
            f"f{index}",
            ends,
            transport=tcp(settings, payload="pktsize"),
            app=_app(settings),
            start_spread=settings.number("jitter"),
        )
    return network.scenario(duration=settings.number("time"), warm_up=settings.number("warm"))


def _round_trips(settings: Settings, seed: int) -> list[float]:
    """Round trips, without queueing; drawn from a stream that the engine knows nothing of."""
    least, most, count = settings.number("rtt"), settings.number("rttmax"), settings.whole("n")
    if most <= 0:
        return [least] * count
    return [float(value) for value in np.random.default_rng(seed).uniform(least, most, count)]


def _endless(settings: Settings) -> bool:
    return settings.one_of("traffic", ["Exponential", "Pareto", "FTP"]) == "FTP"


def _app(settings: Settings) -> dict[str, Any]:
    if _endless(settings):
        return {"kind": "bulk"}
    size = settings.whole("pktsize")
    return on_off(settings, write_bytes=size, payload_bytes=size)


def measure(settings: Settings, run: Recording) -> dict[str, float]:
    """Output of the script, from counters of the interval after the warm-up."""
    flows, ports, port = run.columns("flows"), run.columns("ports"), run.scenario.ports.index("r1->r2")
    measured = settings.number("time") - settings.number("warm")
    bits_per_second = settings.number("pktsize") * 8 / measured
    rates = flows["packets_delivered"].astype(np.float64) * bits_per_second
    arrived = int(ports["packets_arrived"][port])
    outcomes = {
        "loss_ratio": int(ports["packets_dropped"][port]) / arrived if arrived else 0.0,
        "throughput_mbps": float(rates.sum()) * 1e-6,
        "util_wire": int(ports["bytes_departed"][port]) * 8 / measured / settings.number("bw"),
        "jain": jain(rates) if rates.any() else 0.0,
    }
    if not _endless(settings):  # the script has no number for an endless supply
        outcomes["offered_mbps"] = int(flows["packets_offered"].sum()) * bits_per_second * 1e-6
    return outcomes
