"""The capacity line of Figure 4: what packet pairs tell of it, and how a load that crosses it comes back."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.estimators import PacketPair
from parshall.scenario import Record, Series
from parshall_studies import study as st
from parshall_studies.tcp_tp import networks, series
from parshall_studies.tcp_tp.document import NS
from parshall_studies.tcp_tp.networks import UNEQUAL, Setting, single
from parshall_studies.tcp_tp.senders import DOCUMENT, HEADER_BYTES, PAYLOAD_BYTES, TP

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall_studies.tcp_tp.quantities import Reals

MEASURING_SEEDS = 10
SAMPLING = 0.05
"""Seconds between samples of the load: a round trip without queues."""
SOON = 0.5
"""Seconds in which a load is to be back: a few round trips with a queue."""
_PORT = "s1->r0"
"""Where the first connection's packets leave its sender."""
_SENT, _RECEIVED = 0, 4
_PACKET_BITS = 8 * (PAYLOAD_BYTES + HEADER_BYTES)


def measure(bench: st.Workbench) -> st.Measures:
    """Both."""
    return {**_capacity(bench), **_excursions(bench)}


def _capacity(bench: st.Workbench) -> st.Measures:
    """Assumption A2, with one of the ways to measure that the document names."""
    record = Record(packets=_PORT, deliveries=series.FLOW)
    return bench.measure(
        "Packet pairs",
        {n: partial(single, DOCUMENT[TP], Setting(n), record) for n in NS},
        lambda _, run: {"measured": capacity(run)},
        table="capacity",
        dims=("n",),
        seeds=bench.seeds[:MEASURING_SEEDS],
        tables=("flows", "packets"),
    )


def capacity(run: Recording) -> float:
    """The rate of the bottleneck in Mbit/s that packet pairs find in the ACKs of the first connection."""
    packets: Any = run.columns("packets")
    own = packets["flow"] == run.flows.index(series.FLOW)
    acks = own & packets["ack"] & (packets["event"] == _RECEIVED)
    highest = np.maximum.accumulate(packets["seq"][acks])
    fresh = np.diff(highest, prepend=0)
    new = fresh > 0
    sent = _sent_once(packets, own, int(highest[-1]))[highest[new]]
    pairs = PacketPair()
    pairs.run(packets["time"][acks][new], sent, fresh[new])
    found = pairs.capacity()
    return float("nan") if found is None else found.packets_per_second * _PACKET_BITS / 1e6


def _sent_once(packets: Any, own: Any, last: int) -> Reals:
    """When each packet up to the last was sent; NaN for one that was sent twice."""
    data = own & ~packets["ack"] & (packets["event"] == _SENT) & (packets["seq"] <= last)
    numbers, first, times = np.unique(packets["seq"][data], return_index=True, return_counts=True)
    sent = np.full(last + 1, np.nan)
    sent[numbers] = np.where(times == 1, packets["time"][data][first], np.nan)
    return sent


def _excursions(bench: st.Workbench) -> st.Measures:
    """Unequal round trips, and as many connections as the document has at most."""
    record = Record(port_series=Series(of="bottleneck", interval=SAMPLING))
    network = partial(single, DOCUMENT[TP], Setting(NS[-1], round_trips=UNEQUAL), record)
    return bench.measure(
        "Beyond the capacity line",
        {NS[-1]: network},
        lambda _, run: excursions(run),
        table="excursions",
        dims=("n",),
        tables=("flows", "ports", "port_series"),
    )


def excursions(run: Recording) -> dict[str, float]:
    """Intervals in which packets are dropped, and the longest time in seconds from one of them until less
    arrives than the link carries.
    """
    table = run.columns("port_series")
    arrived, dropped = (
        np.diff(table[f"packets_{what}"].astype(np.float64)) for what in ("arrived", "dropped")
    )
    carried = networks.RATE * SAMPLING / _PACKET_BITS
    over, below = np.flatnonzero(dropped > 0), np.flatnonzero(arrived < carried)
    back = np.append(below, arrived.size)[np.searchsorted(below, over, side="right")] - over
    return {"over": float(over.size), "longest": SAMPLING * float(back.max(initial=0))}
