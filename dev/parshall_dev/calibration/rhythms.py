"""Deaf flows that send at the times at which responsive ones did: their rhythm is TCP's, and they do not
respond.

Without them trees take every rhythm of TCP for a response.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STRETCH = (1 / 4, 4.0)
_MOST_COPIES = 60


class Rhythm(NamedTuple):
    """The times of a flow's packets from 0 on, in seconds."""

    kind: str
    times: NDArray[np.float64]

    @property
    def rate(self) -> float:
        """Packets/s."""
        return float(len(self.times) / self.times[-1])


def writes(rhythm: Rhythm, rate: float, duration: float, rng: np.random.Generator) -> list[tuple[float, int]]:
    """When how many packets are sent, at ``rate`` packets/s: from a random place of the rhythm on, stretched
    at most four times, thinned or several at once where that does not do.
    """
    stretch = float(np.clip(rhythm.rate / rate, *_STRETCH))
    length = rhythm.times[-1] * (1 + 1 / len(rhythm.times)) * stretch
    once = np.sort((rhythm.times * stretch + rng.uniform(0, length)) % length)
    copies = min(math.ceil(duration / length), _MOST_COPIES)
    times = np.concatenate([once + length * copy for copy in range(copies)])
    times = times[times < duration]
    missing = rate * stretch / rhythm.rate
    if missing < 0.9:
        times = times[rng.uniform(size=len(times)) < missing]
    return [(float(time), max(1, round(missing))) for time in times]
