"""Which share of the arrivals a router drops, as a function of its queue.

RED's parameters give the probability p that belongs to an average queue, but RED spaces its drops by counting
packets, so what it drops is not p: near 2p/3 with ns-2's option ``wait``, near 2p without it
(:mod:`parshall.theory.red_law`). The document's model takes p.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from parshall.errors import InputError, shown
from parshall.estimators.typed import typed
from parshall.theory.red_law import base_probability

__all__ = ["FixedLoss", "LossLaw", "RedLoss", "Spacing"]

Spacing = Literal["none", "wait", "plain"]
"""Spacing of RED's drops: not at all, so that each packet is dropped with p; as ns-2 does with ``wait``; or
as Floyd and Jacobson's count alone does.
"""


class LossLaw(Protocol):
    """A drop share that depends on the queue, or on its average where the router keeps one."""

    @property
    def kinks(self) -> tuple[float, ...]:
        """Queues at which the law jumps or changes its slope."""
        ...

    def share(self, queue: float) -> float:
        """The share of arrivals dropped."""
        ...


@typed
@dataclass(frozen=True)
class FixedLoss:
    """One share whatever the queue; with 0 a router that drops only what its buffer cannot hold.

    Raises InputError unless it is at least 0 and below 1.
    """

    probability: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.probability < 1:
            raise InputError("probability", shown(self.probability), "a number of at least 0, below 1")

    @property
    def kinks(self) -> tuple[float, ...]:
        return ()

    def share(self, queue: float) -> float:
        return self.probability


@typed
@dataclass(frozen=True)
class RedLoss:
    """RED: nothing below ``low`` packets, ``most`` at ``high``, a line between; ``gentle`` as in ns-2.

    Raises InputError unless 0 <= low < high and 0 < most <= 1.
    """

    low: float
    high: float
    most: float
    gentle: bool = True
    spacing: Spacing = "none"

    def __post_init__(self) -> None:
        if not 0 <= self.low < math.inf:
            raise InputError("low", shown(self.low), "a number of packets of at least 0")
        if not self.low < self.high < math.inf:
            raise InputError("high", shown(self.high), f"a number of packets above low, {self.low:g}")
        if not 0 < self.most <= 1:
            raise InputError("most", shown(self.most), "a probability above 0, at most 1")
        if self.spacing not in get_args(Spacing):
            raise InputError("spacing", shown(self.spacing), " or ".join(get_args(Spacing)))

    @property
    def kinks(self) -> tuple[float, ...]:
        return (self.low, self.high, 2 * self.high) if self.gentle else (self.low, self.high)

    def share(self, queue: float) -> float:
        p = base_probability(queue, self.low, self.high, self.most, gentle=self.gentle)
        if self.spacing == "wait":
            # The inverse of the mean gap, 3/(2p) - 1/2.
            return 2 * p / (3 - p)
        return min(1.0, 2 * p) if self.spacing == "plain" else p
