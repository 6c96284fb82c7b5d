"""Delay at a port over time: of each packet where packets were recorded, otherwise from the backlog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.scenario import Scenario

    Reals = NDArray[np.float64]

__all__ = ["Rows", "delay_of_backlog", "delay_of_packets"]

ARRIVAL, DEPARTURE = 0, 1
"""Codes of packet events."""


class Rows(Protocol):
    """Rows of a table."""

    def __getitem__(self, name: str, /) -> NDArray[Any]:
        """The values of a column."""


def delay_of_packets(rows: Rows) -> tuple[Reals, Reals]:
    """Times at which transmissions begin, in order, and seconds from each packet's arrival until then."""
    own = rows["event"] <= DEPARTURE
    time, event = rows["time"][own], rows["event"][own]
    # The same number may pass again as a retransmission: an arrival belongs to the departure that follows it.
    keys = (np.arange(len(time)), rows["seq"][own], rows["ack"][own], rows["flow"][own])
    order = np.lexsort(keys)
    alike = np.ones(max(len(order) - 1, 0), dtype=np.bool_)
    for key in keys[1:]:
        alike &= key[order][1:] == key[order][:-1]
    pairs = alike & (event[order][:-1] == ARRIVAL) & (event[order][1:] == DEPARTURE)
    arrived, departed = time[order][:-1][pairs], time[order][1:][pairs]
    by_time = np.argsort(departed, kind="stable")
    return departed[by_time], (departed - arrived)[by_time]


def delay_of_backlog(scenario: Scenario, port: int, rows: Rows) -> Reals | None:
    """Seconds that the link takes to transmit what the port holds, at each sample; none of a link whose rate
    is not constant.
    """
    link = scenario.links[port // 2]
    end = link if port % 2 == 0 else link.reverse
    if end.capacity is not None or any(event.kind == "rate-change" for event in end.events):
        return None
    return 8 * rows["backlog_bytes"].astype(np.float64) / (end.rate or link.rate)
