"""Runs of the document, and their counts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.scenario import Record, Series
from parshall_studies import study as st
from parshall_studies.tcp_tp import beyond, judging, line, model, networks, series, theorem
from parshall_studies.tcp_tp.document import CHAIN_NS, NS
from parshall_studies.tcp_tp.networks import UNEQUAL, WARM_UP, Setting, chain, dynamic, single
from parshall_studies.tcp_tp.quantities import counts, settled, shares_of
from parshall_studies.tcp_tp.senders import DOCUMENT, NEWRENO, READINGS, TP, WIDE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from parshall.recording import Recording
    from parshall.scenario import Dumbbell, Scenario
    from parshall_studies.tcp_tp.senders import Sender

SHOWN_N = 60
"""Connections in the figures that show one of them."""
COMPOSITE = ("pareto-1", "pareto-0.5")
"""Sources of the traffic that is forecast at the bottleneck: the second does not fill the link."""
DYNAMIC_SOURCES = ("bulk", networks.MAIN)
DYNAMIC_SENDERS = {name: READINGS[name] for name in (NEWRENO, TP, "nearest", "down")}
"""Both senders, and the readings of how (10) is made whole."""
DYNAMIC_SERIES = 0.5
"""Seconds between samples."""
CHECKPOINTS = (50.0, 99.0, 150.0, 200.0, 239.0)
"""Seconds at which sequence numbers are compared."""


def measure(bench: st.Workbench) -> st.Measures:
    """Everything: the model, the document's networks, and what goes beyond them."""
    tables: dict[str, Any] = {**model.tables(), **theorem.tables()}
    tables |= document(bench)
    tables |= line.measure(bench)
    tables |= beyond.measure(bench)
    tables |= judging.measure(bench)
    return tables


def quick(bench: st.Workbench) -> st.Measures:
    """Theorem 1, and experiment 1 with connections that fill the link and more."""
    return {**theorem.tables(), **_grid(bench, beyond.SOME_NS)}


def document(bench: st.Workbench) -> st.Measures:
    """Figures 2b, 3 and 9 to 14."""
    tables: dict[str, Any] = {}
    tables |= _grid(bench)
    tables |= _unequal(bench)
    tables |= _chain(bench)
    tables |= _traffic(bench)
    tables |= _dynamic(bench)
    tables |= _transfers(bench)
    tables |= _windows(bench)
    tables |= _decisions(bench)
    return tables


def _grid(bench: st.Workbench, counted: Sequence[int] = NS) -> st.Measures:
    """Experiment 1; what one sender attains is looked at in the same runs (Figure 3b)."""
    record = Record(deliveries=series.FLOW)
    variants = {
        (name, n): partial(single, sender, Setting(n), record)
        for name, sender in DOCUMENT.items()
        for n in counted
    }

    def of_run(_: Any, run: Recording) -> dict[str, Any]:
        return {"grid": counts(run), **series.of_sender(run)}

    return bench.measure(
        "Equal round trips",
        variants,
        of_run,
        dims=("sender", "n"),
        tables=("flows", "ports", "packets"),
    )


def _unequal(bench: st.Workbench) -> st.Measures:
    variants = {
        (name, n): partial(single, sender, Setting(n, round_trips=UNEQUAL), duration=networks.SHORTER)
        for name, sender in DOCUMENT.items()
        for n in NS
    }
    return bench.measure(
        "Unequal round trips", variants, lambda _, run: counts(run), table="unequal", dims=("sender", "n")
    )


def _chain(bench: st.Workbench) -> st.Measures:
    variants = {(name, n): partial(chain, sender, n) for name, sender in DOCUMENT.items() for n in CHAIN_NS}
    return bench.measure(
        "Five queues",
        variants,
        lambda _, run: counts(run, ports=[f"queue{hop}" for hop in range(1, networks.HOPS + 1)], flows="f"),
        table="chain",
        dims=("sender", "n"),
    )


def _traffic(bench: st.Workbench) -> st.Measures:
    """Figure 2b: the traffic of 60 connections of NewReno."""
    record = Record(port_series=Series(of="bottleneck", interval=series.SAMPLING))
    variants = {
        source: partial(single, DOCUMENT[NEWRENO], Setting(SHOWN_N, source), record) for source in COMPOSITE
    }
    return bench.measure(
        "Traffic",
        variants,
        lambda _, run: series.of_traffic(run),
        dims=("source",),
        tables=("flows", "ports", "port_series"),
    )


def _dynamic(bench: st.Workbench) -> st.Measures:
    """Experiment 2: how those that stay throughout fare."""
    names = [f"s{number}" for number in range(1, networks.STAYING + 1)]
    record = Record(flow_series=Series(of=names, interval=DYNAMIC_SERIES))
    variants = {
        (name, source): partial(dynamic, sender, source, record)
        for name, sender in DYNAMIC_SENDERS.items()
        for source in DYNAMIC_SOURCES
    }
    return bench.measure(
        "Connections come and go",
        variants,
        lambda _, run: _of_dynamic(run),
        dims=("sender", "source"),
        tables=("flows", "ports", "flow_series"),
    )


def _of_dynamic(run: Recording) -> dict[str, Any]:
    """The mean rate and window of those that stay over time, how long after each change their rate is
    settled near the new share, and what they have delivered at some instants.
    """
    time, rates, windows, delivered = shares_of(run, "s")
    row: dict[str, float] = {}
    phases = (
        ("joined", networks.JOINED, networks.LEFT, networks.STAYING + networks.LEAVING + networks.JOINING),
        ("left", networks.LEFT, networks.ENDED, networks.STAYING),
    )
    for name, start, end, count in phases:
        share = networks.RATE / 1e6 * _PAYLOAD_SHARE / count
        row[name] = settled(time, rates, share, start, end)
    for at in CHECKPOINTS:
        row[f"delivered_{at:g}"] = float(np.interp(at, time, delivered))
    return {
        "dynamic": row,
        "courses": st.RunSeries({"time": time}, {"rate": rates, "window": windows, "delivered": delivered}),
    }


_PAYLOAD_SHARE = 1000 / 1040
"""Payload's share of the bytes on the wire."""


def _transfers(bench: st.Workbench) -> st.Measures:
    """Figure 14."""
    variants = {
        (name, size): partial(networks.transfer, READINGS[name], DOCUMENT[NEWRENO], size)
        for name in (NEWRENO, TP, "measured")
        for size in networks.SIZES
    }
    return bench.measure(
        "Transfers",
        variants,
        lambda key, run: _of_transfer(run, networks.SIZES[key[1]]),
        table="transfers",
        dims=("sender", "size"),
    )


def _of_transfer(run: Recording, packets: int) -> dict[str, float]:
    """Throughput in kbit/s and timeouts; one that does not end is given all the time that there was."""
    flows, own = run.columns("flows"), run.flows.index("t1")
    ended = float(flows["completed_at"][own])
    taken = (ended if np.isfinite(ended) else run.scenario.duration) - networks.TRANSFER_START
    return {
        "throughput": 8e-3 * 1000 * packets / taken,
        "timeouts": float(flows["timeouts"][own]),
        "unfinished": float(not np.isfinite(ended)),
    }


def _decisions(bench: st.Workbench) -> st.Measures:
    """Window of one endless connection under the rule."""
    record = Record(window=series.FLOW)
    variants = {
        (name, n): partial(single, READINGS[name], Setting(n, "bulk", window=WIDE), record)
        for name in ROUNDINGS
        for n in DECISION_NS
    }
    return bench.measure(
        "Decisions",
        variants,
        lambda _, run: rises(run),
        table="decisions",
        dims=("sender", "n"),
        seeds=bench.seeds[: beyond.FEW_SEEDS],
        tables=("flows", "window"),
    )


DECISION_NS = (10, 40)
ROUNDINGS = (TP, "nearest", "down")


def rises(run: Recording) -> dict[str, float]:
    """Changes of a window in congestion avoidance that no loss made, and how many of them raise it."""
    window = run.columns("window")
    cwnd, threshold = window["cwnd"], window["ssthresh"]
    calm = (window["time"][1:] > WARM_UP) & (threshold[1:] == threshold[:-1])
    calm &= (cwnd[:-1] >= threshold[:-1]) & (window["dupacks"][1:] == 0) & (window["dupacks"][:-1] == 0)
    change = np.diff(cwnd)[calm]
    changes, up = int((change != 0).sum()), int((change > 0).sum())
    share = up / changes if changes else float("nan")
    return {"changes": changes, "rises": up, "falls": changes - up, "share": share}


def _windows(bench: st.Workbench) -> st.Measures:
    """Figures 3a and 10: one connection of the first seed, and how often its window is cut over all seeds."""
    record = Record(window=series.FLOW, deliveries=series.FLOW)
    builders: dict[str, Callable[[Sender], Scenario | Dumbbell]] = {
        "single": lambda sender: single(sender, Setting(SHOWN_N), record),
        "chain": lambda sender: chain(sender, SHOWN_N, record),
    }
    variants: Any = {
        (name, network): partial(build, sender)
        for name, sender in DOCUMENT.items()
        for network, build in builders.items()
    }

    def of_run(_: Any, run: Recording) -> dict[str, Any]:
        window = run.columns("window")
        later = window["time"] > WARM_UP
        return {
            "windows": st.RunSeries({"time": window["time"][later]}, {"cwnd": window["cwnd"][later]}),
            "curves": series.curves(run, GAIN_SHOWN),
        }

    return bench.measure(
        "Windows",
        variants,
        of_run,
        dims=("sender", "network"),
        seeds=bench.seeds[:1],
        tables=("flows", "packets", "window"),
    )


GAIN_SHOWN = 0.5
"""Weight of the newest interval in Figure 3a."""
