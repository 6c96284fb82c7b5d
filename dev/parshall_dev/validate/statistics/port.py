"""Figures of ns-2's flow monitor for a bottleneck, from the packet events at our port."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Traffic", "port_outcomes"]

_ARRIVAL, _DEPARTURE, _DROP = 0, 1, 2


@dataclass(frozen=True)
class Traffic:
    """Properties of the packets that are known beforehand."""

    warm_up: float
    """Counting starts then, in seconds."""
    end: float
    """And ends here."""
    rate: float
    """Rate of the link, in bit/s."""
    cbr: Sequence[bool]
    """True for flows that are CBR; the others are TCP."""


def port_outcomes(packets: Mapping[str, Any], port: int, traffic: Traffic) -> dict[str, float]:
    """Loss, shares and queue of a first-in-first-out port that drops on arrival.

    The wait of a packet ends when its transmission starts; the mean queue follows from it by Little's law, as
    in the script of ns-2. Both leave out the packet in transmission.
    """
    here = packets["port"] == port
    time, event = packets["time"][here], packets["event"][here]
    size = packets["size_bytes"][here].astype(np.int64)
    cbr = np.asarray(traffic.cbr, dtype=np.bool_)[packets["flow"][here]]
    counted = time >= traffic.warm_up
    arrived, departed, dropped = (counted & (event == code) for code in (_ARRIVAL, _DEPARTURE, _DROP))
    seconds = traffic.end - traffic.warm_up
    departed_bytes, departures = int(size[departed].sum()), int(np.count_nonzero(departed))
    waits = _waits(time, event, traffic.warm_up)
    mean = float(waits.mean()) if waits.size else 0.0
    return {
        "util_wire": departed_bytes * 8 / seconds / traffic.rate,
        "drop_rate": _ratio(dropped, arrived),
        "tcp_drop_rate": _ratio(dropped & ~cbr, arrived & ~cbr),
        "cbr_drop_rate": _ratio(dropped & cbr, arrived & cbr),
        "cbr_share_arrivals": _ratio(arrived & cbr, arrived),
        "tcp_share_delivered": int(size[departed & ~cbr].sum()) / departed_bytes if departed_bytes else 0.0,
        "qdelay_mean": mean,
        "qdelay_sd": float(waits.std(ddof=1)) if waits.size > 1 else 0.0,
        "queue_mean_pkts": mean * departures / seconds,
    }


def _ratio(part: NDArray[np.bool_], whole: NDArray[np.bool_]) -> float:
    total = int(np.count_nonzero(whole))
    return int(np.count_nonzero(part)) / total if total else 0.0


def _waits(time: NDArray[np.float64], event: NDArray[np.int16], since: float) -> NDArray[np.float64]:
    """Times from arrival to start of transmission, of packets that started to leave at ``since`` or later.

    A dropped packet is dropped when it arrives, so the accepted arrivals are the arrivals without as many at
    each instant as were dropped then; they leave in their order.
    """
    arrivals, departures, drops = (time[event == code] for code in (_ARRIVAL, _DEPARTURE, _DROP))
    accepted = np.ones(arrivals.size, dtype=np.bool_)
    if drops.size:
        # Of drops at one instant, the first removes the first arrival of that instant, and so on.
        rank = np.arange(drops.size) - np.searchsorted(drops, drops, side="left")
        accepted[np.searchsorted(arrivals, drops, side="left") + rank] = False
    waits: NDArray[np.float64] = departures - arrivals[accepted][: departures.size]
    counted: NDArray[np.float64] = waits[departures >= since]
    return counted
