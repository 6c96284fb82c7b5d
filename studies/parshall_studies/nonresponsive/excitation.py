"""Information that queue and drops have of the flows: how much of chi (2.14) its regressor explains; and how
slowly the drops elsewhere change, which the form for several hops takes as a constant (II.D).

The chapter needs the regressor to be persistently exciting, and says that a high load makes it so (II.C.2).
Least squares over a whole run are the best that any linear method can make of the same signals.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall_studies import study as st
from parshall_studies.nonresponsive import cases, networks as net

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall_studies.nonresponsive.cases import Case
    from parshall_studies.nonresponsive.traces import Reals, Traces

_BACKLOG_ALPHA, _DROPS_ALPHA = 0.4, 0.6
"""Forgetting factors as printed (II.C)."""
CASES = tuple(f"load/{count}" for count in cases.LOADS)
HOPS = tuple(f"hops/{count}" for count in cases.HOPS)
FLOWS = net.TCP_FLOWS
"""N_s, which least squares should find."""


def of_run(case: Case, traces: Traces) -> dict[str, float]:
    """Measures of one run: the part of chi's variance that the regressor explains, in %; the N_s that least
    squares find; and the share that follows.
    """
    chi, delayed, r0 = _signals(case, traces)
    regressor = np.stack([np.full_like(chi, 1 / r0), -delayed / (2 * r0)], axis=1)
    found, *_ = np.linalg.lstsq(regressor, chi, rcond=None)
    left = chi - regressor @ found
    n_s, second = map(float, found)
    loads = float(traces.arrivals[0].mean()) / traces.sampling * r0
    return {
        "explained": 100 * float(1 - np.var(left) / np.var(chi)),
        "n_s": n_s,
        "share": 1 - np.sqrt(max(n_s * second, 0.0)) / loads,
    }


def measure(bench: st.Workbench) -> st.Measures:
    """Losses of TCP flows of set A at the links behind R2, in the table ``elsewhere``."""
    asked = {"record.port_series.of": ["link2", "link3"], "record.responsiveness": None}
    variants = {name: cases.case(name).network.with_(asked) for name in HOPS}
    return bench.measure(
        "Drops elsewhere",
        variants,
        lambda name, run: _elsewhere(cases.case(name), run),
        table="elsewhere",
        dims=("case",),
        tables=("port_series",),
    )


def _elsewhere(case: Case, run: Recording) -> dict[str, float]:
    """Change of S_P from one sampling interval to the next, and from one estimation interval to the
    next: root mean squares, over its mean. Half of the flows cross either link.
    """
    series = run.columns("port_series")
    rates: dict[int, Reals] = {}
    for length in (1, net.ESTIMATION):
        both = [
            _ratio_of(series, np.flatnonzero(series["port"] == port)[::length])
            for port in np.unique(series["port"])
        ]
        rates[length] = np.mean(both, axis=0)[round(case.start / (length * case.sampling)) :]
    return {
        name: float(np.sqrt(np.mean(np.diff(rates[length]) ** 2)) / np.mean(rates[length]))
        for name, length in (("sampling", 1), ("estimation", net.ESTIMATION))
    }


def _ratio_of(series: Mapping[str, Any], rows: Any) -> Reals:
    """Packets dropped of those that arrived, between these rows."""
    dropped, arrived = (
        np.diff(series[name][rows].astype(float)) for name in ("packets_dropped", "packets_arrived")
    )
    return np.asarray(dropped / np.maximum(arrived, 1.0))


def _signals(case: Case, traces: Traces) -> tuple[Reals, Reals, float]:
    """Chi, the drop probability a round trip before, and R_0."""
    backlog = _filtered(traces.backlog[0], _BACKLOG_ALPHA)
    drops = _filtered(traces.drops[0] / np.maximum(traces.arrivals[0], 1.0), _DROPS_ALPHA)
    round_trips = case.delay + backlog / case.capacity
    r0 = float(round_trips.mean())
    slope = np.diff(backlog) / traces.sampling
    bend = np.diff(slope) / traces.sampling
    chi = round_trips[2:] * bend + (slope[1:] / case.capacity + 1) * slope[1:]
    lag = max(1, round(r0 / traces.sampling))
    first = max(0, lag - 2)
    return chi[first:], drops[2 + first - lag : drops.size - lag], r0


def _filtered(values: Reals, alpha: float) -> Reals:
    """Exponentially weighted, from the first value on."""
    found = np.empty_like(values)
    last = values[0]
    for place, value in enumerate(values.tolist()):
        last = alpha * last + (1 - alpha) * value
        found[place] = last
    return found
