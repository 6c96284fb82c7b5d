"""Share of packets that RED drops at a constant average queue.

RED makes the gaps between drops even: it counts packets since the last drop, and the drop probability of
the n-th is p / (1 - n p) (Floyd and Jacobson 1993, section 7), or, with ns-2's option ``wait``, nothing while
n < 1/p and then p / (2 - n p). So a gap is uniform: on 1 ... 1/p - 1, or on 1/p ... 2/p - 1 with ``wait``.
Its mean is 1/(2p), or 3/(2p) - 1/2: at a base probability p the share dropped is near 2p without ``wait``
and near 2p/3 with it, never p itself.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from parshall.errors import InputError, counted, shown
from parshall.estimators import arguments
from parshall.estimators.typed import typed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["red_drop_rate", "red_mean_gap", "red_probability", "replayed_drop_rate"]


@typed
def red_probability(average: float, low: float, high: float, most: float, *, gentle: bool = True) -> float:
    """RED's base probability at an average queue: a line from 0 at ``low`` to ``most`` at ``high``.

    With ``gentle`` a second line goes on to 1 at twice ``high``; without, it is 1 from ``high`` on.
    """
    return base_probability(average, low, high, most, gentle=gentle)


def base_probability(average: float, low: float, high: float, most: float, *, gentle: bool = True) -> float:
    """:func:`red_probability` for loops, which takes its numbers on trust."""
    if average < low:
        return 0.0
    if average < high:
        return most * (average - low) / (high - low)
    if gentle and average < 2 * high:
        return most + (1 - most) * (average - high) / high
    return 1.0


@typed
def red_drop_rate(probability: float, *, wait: bool = True) -> float:
    """The share of arrivals that RED drops at a constant base probability."""
    return 1 / red_mean_gap(probability, wait=wait) if probability > 0 else 0.0


@typed
def red_mean_gap(probability: float, *, wait: bool = True) -> float:
    """The mean number of packets from one drop to the next, the dropped one counted.

    Exact for any probability: the sum of the chances that the n-th packet is reached. Raises InputError
    unless 0 < probability <= 1.
    """
    if not 0 < probability <= 1:
        raise InputError("probability", shown(probability), "a probability above 0, at most 1")
    reached, mean, n = 1.0, 0.0, 0
    while reached > 0:
        n += 1
        mean += reached
        reached *= 1 - _hazard(n * probability, probability, wait=wait)
    return mean


@typed
def replayed_drop_rate(
    averages: NDArray[np.float64],
    waiting: NDArray[np.int64],
    draws: NDArray[np.float64],
    low: float,
    high: float,
    most: float,
    *,
    wait: bool,
) -> float:
    """The share that RED drops when its arrivals meet these average queues and so many packets ``waiting``,
    with one uniform draw each.

    As in ns-2, nothing is dropped while the average is below ``low`` or no more than one packet waits, and
    the count of packets starts anew afterwards.
    """
    average_of, waiting_of, draw_of = (
        arguments.samples(name, values).tolist()
        for name, values in (("averages", averages), ("waiting", waiting), ("draws", draws))
    )
    if not len(average_of) == len(waiting_of) == len(draw_of) > 0:
        raise InputError(
            "draws", counted(len(draws), "number"), f"{max(len(averages), 1)}, one for each average"
        )
    count, above, dropped = 0, False, 0
    for average, ahead, draw in zip(average_of, waiting_of, draw_of, strict=True):
        count += 1
        if average < low or ahead <= 1:
            above = False
            continue
        if not above:
            above, count = True, 1
            continue
        p = base_probability(average, low, high, most)
        if draw < _hazard(count * p, p, wait=wait):
            dropped += 1
            count = 0
    return dropped / len(averages)


def _hazard(mass: float, p: float, *, wait: bool) -> float:
    """The drop probability of the packet at which ``mass`` = n p."""
    if wait and mass < 1:
        return 0.0
    ends = 2.0 if wait else 1.0
    # A hair below the end the quotient is 1 up to rounding.
    return 1.0 if mass >= ends or math.isclose(mass + p, ends) else min(1.0, p / (ends - mass))
