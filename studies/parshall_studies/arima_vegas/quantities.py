"""Expressions that claims, tables and figures are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parshall_studies import study as st
from parshall_studies.arima_vegas.document import CFS, KS
from parshall_studies.arima_vegas.senders import ARTT, VEGAS

UNITS: Mapping[str, str] = {
    **dict.fromkeys(("throughput", "upstream"), "kbit/s"),
    **dict.fromkeys(("retransmitted", "window"), "packets"),
    "acks_dropped": "ACKs",
    "first_slow_start": "s",
    **dict.fromkeys(("delay", "round_trip"), "ms"),
}
_KS, _CFS = list(KS), list(CFS)


def of(table: str, metric: str, sender: str | list[str], **where: Any) -> st.Quantity:
    """A metric of a sender, or of several, in some settings."""
    return st.Quantity(table, metric, UNITS.get(metric, "")).at(sender=sender, **where)


def grid(metric: str, sender: str, errors: str = "none", **where: Any) -> st.Quantity:
    """Metric of the 20 cells of Table 3 or 4, with Table 2's rates, or of some of them."""
    return of("grid", metric, sender, errors=errors, **{"k": _KS, "cf": _CFS, **where})


def by_rate(metric: str, sender: str, errors: str = "none", **where: Any) -> st.Quantity:
    """Metric of the networks that the 20 cells stand for: cells with one rate upstream are one."""
    return of("by_rate", metric, sender, errors=errors, **where)


def gain(errors: str = "none", **where: Any) -> st.Expression:
    """Per cent of throughput that CA-ARTT has more, in each of these networks."""
    ours, theirs = (by_rate("throughput", sender, errors, **where) for sender in (ARTT, VEGAS))
    return percent_more(ours, theirs)


def queued(metric: str, sender: str, queue: int, errors: str = "none", **where: Any) -> st.Quantity:
    """Metric of the same networks with queues of so many packets."""
    return of("queues", metric, sender, errors=errors, queue=queue, **where)


def queued_gain(queue: int | list[int], errors: str = "none", **where: Any) -> st.Expression:
    """Per cent of throughput that CA-ARTT has more there."""
    at = {"errors": errors, "queue": queue, **where}
    return percent_more(*(of("queues", "throughput", sender, **at) for sender in (ARTT, VEGAS)))


def percent_more(more: st.Expression, less: st.Expression) -> st.Expression:
    """By how many per cent one is above the other."""
    return 100 * (more / less - 1)
