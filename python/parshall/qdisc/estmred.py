"""Statistics of the queue discipline ``estmred``: ``struct tc_estmred_xstats``."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from parshall.estimators.nonresponsive import Quality

__all__ = ["Estmred"]

LAYOUT = struct.Struct("=4Q6q2i10I")

ONE = 1 << 14


@dataclass(frozen=True)
class Estmred:
    """The last estimate and the counters of RED."""

    state: str
    """``off``, ``estimating`` or ``asleep``."""
    share: float | None
    """Non-responsive bytes over all bytes in the last interval, 0 to 1; ``None`` where nothing arrived."""
    average: float | None
    """Filtered share."""
    quality: Quality
    """Reasons to doubt the last interval."""
    flows: float
    """Number of responsive flows."""
    load: float
    """Packets of responsive flows in a round trip."""
    rtt: float
    """Round-trip time in seconds."""
    excitation: float
    age: float
    """Seconds since the last estimate."""
    arrived: int
    """Bytes in its interval."""
    estimates: int
    sleeps: int
    """Number of times that the estimator fell asleep for want of drops."""
    marks: int
    early_drops: int
    full_drops: int
    """For want of room."""
    average_backlog: int
    """RED's average queue length in bytes."""

    @staticmethod
    def parse(data: bytes) -> Estmred | None:
        """Statistics as the kernel sent them; ``None`` where they are cut off."""
        if len(data) < LAYOUT.size:
            return None
        words = LAYOUT.unpack_from(data)
        estimates, sleeps, age_us, arrived = words[:4]
        flows, load, rtt_ms = words[4:7]
        share, average, excitation, quality, state = words[10:15]
        prob_drop, forced_drop, full_drops, prob_mark, forced_mark, average_backlog = words[15:21]
        return Estmred(
            state={1: "estimating", 2: "asleep"}.get(state, "off"),
            share=share / ONE if share >= 0 else None,
            average=average / ONE if average >= 0 else None,
            quality=Quality(quality & sum(Quality)),
            flows=flows / ONE,
            load=load / ONE,
            rtt=rtt_ms / ONE / 1000,
            excitation=excitation / ONE,
            age=age_us / 1e6,
            arrived=arrived,
            estimates=estimates,
            sleeps=sleeps,
            marks=prob_mark + forced_mark,
            early_drops=prob_drop + forced_drop,
            full_drops=full_drops,
            average_backlog=average_backlog,
        )
