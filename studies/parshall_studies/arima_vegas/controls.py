"""Controls by delay and by loss on symmetric paths, each on its own; and the upstream link of an asymmetric
path that has nothing to carry but ACKs.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.scenario import Bulk, Cubic, DropTail, Dumbbell, FlowGroup, Record, Reverse, Series, Tcp
from parshall.stats import jain
from parshall_studies import study as st
from parshall_studies.arima_vegas.document import CFS, KS
from parshall_studies.arima_vegas.networks import ACCESS_RATE, LIMIT, START_SPREAD, Path
from parshall_studies.arima_vegas.senders import HEADER_BYTES, PAYLOAD_BYTES, PROPAGATION, VEGAS, tcp

if TYPE_CHECKING:
    from parshall.recording import Recording

RENO = "reno"
"""The loss-based control that the document cites (RFC 2581)."""
_UNLIMITED = 1000
"""Packets: a window of the receiver that never limits."""
SENDERS: Mapping[str, tuple[str, Tcp]] = {
    VEGAS: ("Vegas", tcp(profile="ns2", recovery="vegas", window=_UNLIMITED)),
    RENO: ("Reno", tcp(profile="ns2", recovery="reno", window=_UNLIMITED)),
    "cubic": ("CUBIC, SACK", tcp(recovery="sack", control=Cubic(), window=_UNLIMITED)),
}
"""A control by delay, the one by loss of its time, and today's."""
RATE = 10e6
"""Bit/s in both directions."""
TRIPS = (20, 100)
"""Milliseconds without queues."""
BUFFERS = ("0.25", "1", "4")
"""Bandwidth-delay products that the bottleneck holds."""
FLOWS = (1, 4)
DURATION, WARM_UP = 60.0, 10.0
_SAMPLING, _FULL = 0.1, 0.95
"""Seconds between samples of links, and the part of these in which a full one sends."""
_FEW_SEEDS = 10
"""Seeds where nothing is drawn but starts of one flow."""
DOWN, UP = "r0->r1", "r1->r0"


def measure(bench: st.Workbench) -> st.Measures:
    """Both tables."""
    controls = bench.measure(
        "Delay and loss",
        {
            (name, rtt, buffer, flows): partial(symmetric, transport, rtt, buffer, flows)
            for name, (_, transport) in SENDERS.items()
            for rtt in TRIPS
            for buffer in BUFFERS
            for flows in FLOWS
        },
        lambda _, run: _of_controls(run),
        table="controls",
        dims=("sender", "rtt", "buffer", "flows"),
        tables=("flows", "ports"),
    )
    saturation = bench.measure(
        "Nothing upstream but ACKs",
        {(k,): partial(only_acks, k) for k in KS},
        lambda place, run: _of_acks(run, Path(CFS[-1], *place)),
        table="saturation",
        dims=("k",),
        seeds=bench.seeds[:_FEW_SEEDS],
        tables=("flows", "ports", "port_series"),
    )
    return {**controls, **saturation}


def symmetric(transport: Tcp, rtt: int, buffer: str, flows: int) -> Dumbbell:
    """Flows of one kind at a bottleneck, with data without end and no traffic against them."""
    product = RATE * rtt / 1e3 / 8 / (PAYLOAD_BYTES + HEADER_BYTES)
    return Dumbbell(
        title=f"{flows} alike, {rtt} ms, {buffer} products",
        duration=DURATION,
        warm_up=WARM_UP,
        rate=RATE,
        delay=rtt / 2e3,
        queue=DropTail(limit_packets=max(2, round(float(buffer) * product))),
        access_rate=ACCESS_RATE,
        access_delay=0.0,
        flows=[FlowGroup(name="f", count=flows, transport=transport, app=Bulk(), start_spread=1.0)],
    )


def only_acks(k: int) -> Dumbbell:
    """One flow downstream whose window grows until it loses, an ACK for each packet, and nothing else."""
    path = Path(CFS[-1], k)
    return Dumbbell(
        title=f"ACKs alone, K = {k}",
        duration=DURATION,
        rate=1e6 * path.cf,
        delay=PROPAGATION / 2,
        queue=DropTail(limit_packets=LIMIT),
        reverse=Reverse(rate=1e3 * path.cr, queue=DropTail(limit_packets=path.queue)),
        access_rate=ACCESS_RATE,
        access_delay=0.0,
        access_queue=DropTail(limit_packets=_UNLIMITED),
        flows=[
            FlowGroup(name="f", transport=SENDERS[RENO][1], app=Bulk(), start_spread=START_SPREAD),
        ],
        record=Record(port_series=Series(of=[UP, DOWN], interval=_SAMPLING)),
    )


def _of_controls(run: Recording) -> dict[str, float]:
    """Payload in Mbit/s that arrived, of all flows, the share of the time in which the bottleneck sends, its
    mean delay in ms, transmission included, the share of packets that it drops, and Jain's index.
    """
    flows, ports, port = run.columns("flows"), run.columns("ports"), run.scenario.ports.index(DOWN)
    rates = 8e-6 * PAYLOAD_BYTES * flows["packets_delivered"] / run.counted_seconds
    return {
        "throughput": float(rates.sum()),
        "utilization": _busy(run, DOWN, RATE),
        "delay": 1e3 * float(ports["mean_delay"][port]),
        "drop": float(ports["packets_dropped"][port]) / float(ports["packets_arrived"][port]),
        "jain": jain(tuple(map(float, rates))),
    }


def _of_acks(run: Recording, path: Path) -> dict[str, float]:
    """When each link is first full, in seconds, and the shares of the time in which they send."""
    rates = {"upstream": (UP, 1e3 * path.cr), "downstream": (DOWN, 1e6 * path.cf)}
    return {
        **{f"{name}_full": _first_full(run, *link) for name, link in rates.items()},
        **{name: _busy(run, *link) for name, link in rates.items()},
    }


def _first_full(run: Recording, name: str, rate: float) -> float:
    """When a link first sends all the time between two samples; the end of the run if it never does."""
    series: Any = run.columns("port_series")
    own = series["port"] == run.scenario.ports.index(name)
    sent = 8 * np.diff(series["bytes_departed"][own])
    full = np.flatnonzero(sent >= _FULL * rate * _SAMPLING)
    return float(series["time"][own][full[0]]) if full.size else float(run.scenario.duration)


def _busy(run: Recording, name: str, rate: float) -> float:
    """Share of the time in which a link sends."""
    port = run.scenario.ports.index(name)
    return 8 * float(run.columns("ports")["bytes_departed"][port]) / rate / run.counted_seconds
