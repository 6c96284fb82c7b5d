"""Delay at a port over time: of each packet where packets were recorded, otherwise from the backlog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from parshall.recording.pictures.lines import Line

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording.recording import Recording

__all__ = ["delay_of_backlog", "delay_of_packets"]


class Rows(Protocol):
    """Rows of a table."""

    def __getitem__(self, name: str, /) -> NDArray[Any]:
        """The values of a column."""


ARRIVAL, DEPARTURE = 0, 1
"""Codes of packet events."""


def delay_of_packets(_: Recording, __: int, rows: Rows) -> Line:
    """Milliseconds from arrival to the end of transmission, packet by packet, at the time of departure."""
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
    return Line("", departed[by_time], 1e3 * (departed - arrived)[by_time])


def delay_of_backlog(recording: Recording, port: int, rows: Rows) -> Line | None:
    """Milliseconds that the link takes to transmit what the port holds, at each sample; none of a link with
    a recorded capacity, whose rate is not constant.
    """
    link = recording.scenario.links[port // 2]
    end = link if port % 2 == 0 else link.reverse
    if end.capacity is not None:
        return None
    rate = end.rate or link.rate
    return Line("", rows["time"], 8e3 * rows["backlog_bytes"].astype(np.float64) / rate)
