"""Delay at a port over time: of each packet where packets were recorded, otherwise from the backlog."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.scenario import Scenario

    Reals = NDArray[np.float64]

__all__ = ["Rows", "delay_of_backlog", "delay_of_packets"]

ARRIVAL, DEPARTURE, DROP = 0, 1, 2
"""Codes of packet events."""


class Rows(Protocol):
    """Rows of a table."""

    def __getitem__(self, name: str, /) -> NDArray[Any]:
        """The values of a column."""


def delay_of_packets(rows: Rows) -> tuple[Reals, Reals]:
    """Times at which transmissions begin, in order, and seconds from each packet's arrival until then."""
    own = rows["event"] <= DROP
    time, event = rows["time"][own], rows["event"][own]
    keys = (rows["seq"][own], rows["ack"][own], rows["flow"][own])
    order = np.lexsort((np.arange(len(time)), *keys))
    time, event = time[order], event[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = np.logical_or.reduce([key[order][1:] != key[order][:-1] for key in keys])
    starts = np.append(np.flatnonzero(first), len(order))
    # Most packets are like no other: an arrival, and the departure that follows.
    once = np.flatnonzero(np.diff(starts) == 2)
    arrived, departed = time[starts[once]], time[starts[once] + 1]
    left = event[starts[once] + 1] == DEPARTURE
    several = [
        pair
        for group in np.flatnonzero(np.diff(starts) > 2)
        for pair in _pairs(*(column[starts[group] : starts[group + 1]].tolist() for column in (time, event)))
    ]
    more = np.array(several, dtype=np.float64).reshape(-1, 2)
    arrived, departed = np.append(arrived[left], more[:, 0]), np.append(departed[left], more[:, 1])
    by_time = np.argsort(departed, kind="stable")
    return departed[by_time], (departed - arrived)[by_time]


def _pairs(times: list[float], events: list[int]) -> Iterator[tuple[float, float]]:
    """Arrivals and departures of packets that are alike, such as duplicate ACKs or a packet that is sent
    again: they leave in the order in which they came. A drop at the instant of an arrival takes that packet,
    another drop the oldest one.
    """
    waiting: deque[float] = deque()
    for time, event in zip(times, events, strict=True):
        if event == ARRIVAL:
            waiting.append(time)
        elif waiting and event == DEPARTURE:
            yield waiting.popleft(), time
        elif waiting:
            _ = waiting.pop() if waiting[-1] == time else waiting.popleft()


def delay_of_backlog(scenario: Scenario, port: int, rows: Rows) -> Reals | None:
    """Seconds that the link takes to transmit what the port holds, at each sample; none of a link whose rate
    is not constant.
    """
    link = scenario.links[port // 2]
    end = link if port % 2 == 0 else link.reverse
    if end.capacity is not None or any(event.kind == "rate-change" for event in end.events):
        return None
    return 8 * rows["backlog_bytes"].astype(np.float64) / (end.rate or link.rate)
