"""Counts of a run, and expressions that claims, tables and figures are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.stats import jain
from parshall_studies import study as st
from parshall_studies.tcp_tp.document import NS
from parshall_studies.tcp_tp.senders import NEWRENO, PAYLOAD_BYTES, TP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording

    Reals = NDArray[np.float64]

UNITS: Mapping[str, str] = {
    "loss": "%",
    "throughput": "Mbit/s",
    "delay": "ms",
    "cuts": "a minute and connection",
    "timeouts": "a minute and connection",
    "convergence": "s",
}
BIN = 2.0
"""Seconds over which rates are averaged."""
_NEAR = 0.2
"""Distance to its share, relative to it, at which a rate is settled."""


def counts(run: Recording, ports: Sequence[str] = ("bottleneck",), flows: str = "") -> dict[str, float]:
    """Packets lost at these ports, in per cent of those that arrive, and the mean delay there in ms; of flows
    whose names begin as given, the payload delivered in Mbit/s, Jain's index of it, and how often a loss or a
    timeout cuts the window of one.
    """
    scenario = run.scenario
    seconds = scenario.duration - scenario.warm_up
    at_flows, at_ports = run.columns("flows"), run.columns("ports")
    own = np.array([name.startswith(flows) for name in run.flows])
    places = [run.ports.index(run.port(name).name) for name in ports]
    rates = at_flows["packets_delivered"][own].astype(np.float64) * 8e-6 * PAYLOAD_BYTES / seconds
    arrived, dropped = (at_ports[f"packets_{what}"][places].sum() for what in ("arrived", "dropped"))
    minutes = own.sum() * seconds / 60
    cuts = at_flows["fast_retransmits"][own].sum() + at_flows["timeouts"][own].sum()
    return {
        "loss": 100.0 * float(dropped) / max(float(arrived), 1.0),
        "throughput": float(rates.sum()),
        "jain": jain(rates),
        "delay": 1e3 * float(at_ports["mean_delay"][places].sum()),
        "cuts": float(cuts) / minutes,
        "timeouts": float(at_flows["timeouts"][own].sum()) / minutes,
    }


def shares_of(run: Recording, group: str) -> tuple[Reals, Reals, Reals, Reals]:
    """Flows of a group whose series were recorded, in steps of :data:`BIN`: times, mean rate in Mbit/s of
    payload, mean window in packets, and what each has delivered, in packets.
    """
    table = run.columns("flow_series")
    chosen = [place for place, name in enumerate(run.flows) if name.startswith(group)]
    own = np.isin(table["flow"], chosen)
    times, codes = np.unique(table["time"][own], return_inverse=True)
    members = np.bincount(codes)
    delivered = np.bincount(codes, table["packets_delivered"][own]) / members
    windows = np.bincount(codes, table["cwnd"][own]) / members
    step = max(round(BIN / float(times[1] - times[0])), 1)
    ends = np.arange(step, times.size, step)
    rates = (
        (delivered[ends] - delivered[ends - step]) * 8e-6 * PAYLOAD_BYTES / (times[ends] - times[ends - step])
    )
    means = np.array([windows[end - step : end].mean() for end in ends])
    return times[ends], rates, means, delivered[ends]


def settled(time: Reals, rates: Reals, share: float, start: float, end: float) -> float:
    """Seconds after ``start`` from which on the rate first is near its share; all of them until ``end`` if it
    never is.
    """
    later = (time > start) & (time <= end)
    near = time[later][np.abs(rates[later] / share - 1) < _NEAR]
    return float(near[0] - start) if near.size else end - start


def of(table: str, metric: str, sender: str | list[str], **where: Any) -> st.Quantity:
    """A metric of a sender, or of several, in some settings."""
    return st.Quantity(table, metric, UNITS.get(metric, "")).at(sender=sender, **where)


def reduction(table: str, **where: Any) -> st.Expression:
    """By how many per cent TCP-TP loses less than NewReno."""
    return 100 * (1 - of(table, "loss", TP, **where) / of(table, "loss", NEWRENO, **where))


FULL = [n for n in NS if n >= 40]
"""Numbers of connections that ask for more than the link has."""


def risen(sender: str, source: str, start: int, end: int) -> st.Expression:
    """Packets that a connection which stays delivers between two checkpoints, in seconds, while others come
    and go.
    """
    last, first = (of("dynamic", f"delivered_{at}", sender, source=source) for at in (end, start))
    return last - first
