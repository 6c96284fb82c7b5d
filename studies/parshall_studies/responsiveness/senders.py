"""Made-up senders, for streams of packets that no simulator is needed for: one that halves its rate after a
drop, and one that goes on, or pauses and makes good what it held back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from parshall_studies.study.values import Reals

    Stream: TypeAlias = tuple[Reals, NDArray[np.bool_]]
    """Times of packets, in seconds, and which of them are dropped."""
    Packets: TypeAlias = tuple[Reals, NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]
    """Times, keys and drops of packets, and which of them are of senders that do not back off."""

DURATION = 60.0
"""Seconds."""
RATE = 100.0
"""Packets/s of a sender that has lost nothing lately, unless told otherwise."""
_WON_BACK = 25.0
"""Packets/s that a sender of that rate wins back in a second."""


def honest(rng: np.random.Generator, dropped: float, rate: float = RATE) -> Stream:
    """A sender that halves its rate after a drop and wins it back in some seconds. Each packet is dropped
    with probability ``dropped``.
    """
    times, drops = [], []
    now, at_most, won_back = rng.uniform(0, 0.1), rate, _WON_BACK * rate / RATE
    for uniform, jitter in rng.random((round(2 * rate * DURATION), 2)).tolist():
        if now >= DURATION:
            break
        times.append(now)
        drops.append(uniform < dropped)
        rate = rate / 2 if drops[-1] else rate
        gap = (0.5 + jitter) / rate
        rate = min(rate + won_back * gap, at_most)
        now += gap
    return np.array(times), np.array(drops)


def hostile(rng: np.random.Generator, dropped: float, rate: float = RATE, pause: float = 0.0) -> Stream:
    """A sender of a constant rate. With a pause it is silent for so many seconds after a drop, and then sends
    at twice its rate until it has made good what it held back.
    """
    times, drops = [], []
    now, held = rng.uniform(0, 0.1), 0.0
    for uniform, jitter in rng.random((round(3 * rate * DURATION), 2)).tolist():
        if now >= DURATION:
            break
        times.append(now)
        drops.append(uniform < dropped)
        gap = (0.5 + jitter) / rate
        if held > 0:
            gap /= 2
            held -= gap
        now += gap
        if drops[-1] and pause > 0:
            now += pause
            held += pause
    return np.array(times), np.array(drops)


def merged(parts: Sequence[Packets]) -> Packets:
    """The packets of several senders in the order of their times."""
    times, keys, dropped, deaf = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(times, kind="stable")
    return times[order], keys[order], dropped[order], deaf[order]
