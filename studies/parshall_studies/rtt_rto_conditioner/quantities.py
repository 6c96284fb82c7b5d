"""Counts of a run, and expressions that claims, tables and figures are made of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.stats import jain
from parshall_studies import study as st
from parshall_studies.rtt_rto_conditioner.networks import HEADER_BYTES, PAYLOAD_BYTES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording

    Reals = NDArray[np.float64]

PAIR = ("F1", "F2")
WIRE = (PAYLOAD_BYTES + HEADER_BYTES) / PAYLOAD_BYTES
"""Bytes on the wire for each of payload. The printed 2.3 and 7.52 Mbit/s are more than the payload that
10 Mbit/s carry, so they count headers.
"""
FIVE = ("F1", "F2", "F3", "F4", "F5")
COLOURS = ("green", "yellow", "red")
UNITS: Mapping[str, str] = {
    **{f"rate_{name}": "Mbit/s" for name in FIVE},
    **{f"sent_green_{name}": "Mbit/s" for name in FIVE},
    "total": "Mbit/s",
    "lost": "%",
    **{f"timeouts_{name}": "a second" for name in FIVE},
}


def counts(run: Recording, names: Sequence[str] = PAIR) -> dict[str, float]:
    """Aggregates whose connections' names begin so: payload delivered in Mbit/s, timeouts a second, Jain's
    index of their connections, and the part of each colour in per cent of its packets; the sum of rates,
    Jain's index of them, and the packets lost in per cent of those sent.
    """
    scenario = run.scenario
    seconds = scenario.duration - scenario.warm_up
    flows = run.columns("flows")
    row: dict[str, float] = {}
    rates = []
    for name in names:
        own = np.array([flow.startswith(f"{name}-") for flow in run.flows])
        delivered = float(flows["packets_delivered"][own].sum())
        rates.append(8e-6 * PAYLOAD_BYTES * delivered / seconds)
        row[f"rate_{name}"] = rates[-1]
        row[f"timeouts_{name}"] = float(flows["timeouts"][own].sum()) / seconds
        row[f"alike_{name}"] = jain(flows["packets_delivered"][own].astype(np.float64))
    sent, dropped = (float(flows[f"packets_{what}"].sum()) for what in ("sent", "dropped"))
    row |= {"total": sum(rates), "jain": jain(np.array(rates)), "lost": 100 * dropped / max(sent, 1.0)}
    return {**row, **_colours(run, names), **_drops(run)}


def _colours(run: Recording, names: Sequence[str]) -> dict[str, float]:
    """Per cent of an aggregate's packets that are of each colour or protected, and Mbit/s on the wire
    that are green; NaN without edges.
    """
    if "aggregates" not in run.tables:
        columns = (*COLOURS, "sent_green", "protected")
        return {f"{what}_{name}": math.nan for name in names for what in columns}
    table = run.columns("aggregates")
    row: dict[str, float] = {}
    for name in names:
        (own,) = np.flatnonzero(table["port"] == run.ports.index(run.port(f"edge-{name}").name))
        packets = {colour: float(table[f"packets_{colour}"][own]) for colour in COLOURS}
        all_packets = max(sum(packets.values()), 1.0)
        row |= {f"{colour}_{name}": 100 * count / all_packets for colour, count in packets.items()}
        seconds = run.scenario.duration - run.scenario.warm_up
        row[f"sent_green_{name}"] = 8e-6 * float(table["bytes_green"][own]) / seconds
        row[f"protected_{name}"] = 100 * float(table["packets_protected"][own]) / all_packets
    return row


def _drops(run: Recording) -> dict[str, float]:
    """Per cent of the packets of each colour that the shared links drop; NaN where these know no classes."""
    if "classes" not in run.tables:
        return {f"drops_{colour}": math.nan for colour in COLOURS}
    table = run.columns("classes")
    row = {}
    for colour, dscp in zip(COLOURS, (10, 12, 14), strict=True):
        own = table["dscp"] == dscp
        arrived = float(table["packets_arrived"][own].sum())
        dropped = float(table["early_drops"][own].sum() + table["forced_drops"][own].sum())
        row[f"drops_{colour}"] = 100 * dropped / arrived if arrived else 0.0
    return row


def errors(run: Recording, names: Sequence[str] = PAIR) -> dict[str, float]:
    """By how many per cent what an edge finds out differs from what senders know, on the mean over time and
    aggregates; and the mean window that senders have.
    """
    table = run.columns("edges")
    later = table["time"] > run.scenario.warm_up
    row = {}
    for what in ("rtt", "rto", "window"):
        found, told = table[what][later], table[f"{what}_told"][later]
        known = np.isfinite(found) & np.isfinite(told)
        row[f"error_{what}"] = 100 * float(np.mean(np.abs(found[known] / told[known] - 1)))
    for name in names:
        own = later & (table["port"] == run.ports.index(run.port(f"edge-{name}").name))
        row[f"window_{name}"] = float(np.nanmean(table["window_told"][own]))
    return row


def equations(run: Recording, names: Sequence[str] = PAIR) -> dict[str, float]:
    """Packets a second of a connection of each aggregate as delivered, and as equations (1), (2) and (3) have
    them from its mean round trip, timeout and losses: with the constants of Mathis et al. in (1) and b = 1 in
    (2), since receivers acknowledge each packet. Besides, the losses, what (3) leaves out of (2), ``32 p^2``
    beside 1, by how many per cent the round trip of one connection differs from that of its aggregate, and
    the ratio of losses with which both aggregates would get the same, by equations (6) and (9).
    """
    edges, flows, rtts = run.columns("edges"), run.columns("flows"), run.columns("rtt")
    warm_up = run.scenario.warm_up
    seconds = run.scenario.duration - warm_up
    row: dict[str, float] = {}
    known = []
    for name in names:
        own = np.array([flow.startswith(f"{name}-") for flow in run.flows])
        port = run.ports.index(run.port(f"edge-{name}").name)
        here = (edges["time"] > warm_up) & (edges["port"] == port)
        rtt, rto = (float(np.nanmean(edges[f"{what}_told"][here])) for what in ("rtt", "rto"))
        sent, lost = (float(flows[f"packets_{what}"][own].sum()) for what in ("sent", "dropped"))
        p = max(lost / max(sent, 1.0), 1e-9)
        known.append((rtt, rto, p))
        often = min(1.0, 3 * math.sqrt(3 * p / 8))
        row |= {
            f"measured_{name}": float(flows["packets_delivered"][own].sum()) / seconds / own.sum(),
            f"eq1_{name}": math.sqrt(1.5) / (rtt * math.sqrt(p)),
            f"eq2_{name}": 1 / (rtt * math.sqrt(2 * p / 3) + rto * often * p * (1 + 32 * p * p)),
            f"eq3_{name}": 1 / (rtt * math.sqrt(p) + rto * p),
            f"loss_{name}": 100 * p,
            f"left_out_{name}": 32 * p * p,
        }
        one = (rtts["time"] > warm_up) & (rtts["flow"] == run.flows.index(f"{name}-1"))
        row[f"single_{name}"] = 100 * abs(float(rtts["rtt"][one].mean()) / rtt - 1) if one.any() else math.nan
    return {**row, **_ratios(*known)}


def _ratios(first: tuple[float, float, float], second: tuple[float, float, float]) -> dict[str, float]:
    """Ratio of the losses of two aggregates, of which round trip, timeout and loss are given, with which both
    get the same: by the exact solution of (6) at the loss of the first, and by (9).
    """
    (rtt, rto, p), (other_rtt, other_rto, _) = first, second
    a, b, c = other_rto * math.sqrt(p), other_rtt, rtt + rto * math.sqrt(p)
    root = 2 * c / (b + math.sqrt(b * b + 4 * a * c))
    return {"ratio_6": root**2, "ratio_9": rtt / other_rtt * math.sqrt(rto / other_rto)}


def equation_error(number: int, name: str, edge: str, flows: int) -> st.Expression:
    """By which part of the measured rate an equation is off, of an aggregate's connections."""
    found, measured = (
        of("equations", f"{what}_{name}", edge, flows=flows) for what in (f"eq{number}", "measured")
    )
    return abs(found / measured - 1)


def of(table: str, metric: str, edge: str | list[str], **where: Any) -> st.Quantity:
    """A metric with an edge, or with several, in some settings."""
    return st.Quantity(table, metric, UNITS.get(metric, "")).at(edge=edge, **where)


def apart(table: str, edge: str | list[str], **where: Any) -> st.Expression:
    """By which part of their mean both differ."""
    one, other = (of(table, f"rate_{name}", edge, **where) for name in PAIR)
    return abs(one - other) / ((one + other) / 2)
