"""The fluid model of responsive and non-responsive flows at one congested router (Zhao 2004, chapter II.A).

    W'(t) = increase / R - decrease W(t) W(t - R) p(t - R) / R,     R = q(t) / C + T_p         (2.2, 2.9)
    q'(t) = N_s W(t) / R + (what non-responsive flows send) - C                              (2.3, 2.4, A.2)

with, as options, the average queue that RED drops by, losses on other hops (2.20), drops that do not enter
the queue (2.18), and a buffer of limited size, whose overflow is a loss as well. The average follows the
queue at each arrival, x' = -ln(1 - w) (arrivals a second) (q - x): Misra, Gong and Towsley (SIGCOMM 2000),
who put C for the arrivals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from parshall.errors import InputError, shown
from parshall.estimators.typed import typed
from parshall.fluid.loss import LossLaw
from parshall.fluid.response import DOCUMENT, Response
from parshall.fluid.unresponsive import NOTHING, Unresponsive

__all__ = ["EMPTY", "FREE", "FULL", "REGIMES", "FluidModel"]

FREE, EMPTY, FULL = 0, 1, 2
"""Modes of the queue: between its ends, resting at zero, resting at the limit."""

REGIMES = ("free", "empty", "full")
"""Their names."""

_AT_LIMIT = 1 - 1e-9
"""A queue of this share of the limit is full: interpolation rounds."""


@typed
@dataclass(frozen=True)
class FluidModel:
    """The parameters, and the equation that they make. Packets and seconds throughout.

    A state is a list: the window W of a responsive flow, the queue q and, where ``weight`` is given, the
    average queue x. Raises InputError for a parameter that is out of range.
    """

    capacity: float
    """C, packets a second."""
    propagation_delay: float
    """T_p, the round-trip time without queueing, in seconds."""
    flows: float
    """N_s, responsive flows."""
    loss: LossLaw
    """Law of early drops."""
    unresponsive: Unresponsive = NOTHING
    """Traffic that does not back off."""
    limit: float = math.inf
    """The most that the queue holds; what comes to a full one is lost."""
    weight: float | None = None
    """w of RED's average; with none the law sees the queue itself."""
    elsewhere: float = 0.0
    """p_sigma, the probability that a responsive packet is lost on another hop (2.20); with different
    flows their mean, S_P / N_s (2.21)."""
    response: Response = DOCUMENT
    """Response of a window to losses."""
    count_drops: bool = False
    """True if packets that are dropped early do not enter the queue (2.18); otherwise they do (2.3)."""

    def __post_init__(self) -> None:
        for name, unit in (
            ("capacity", "packets a second"),
            ("propagation_delay", "seconds"),
            ("flows", "flows"),
        ):
            value = getattr(self, name)
            if not 0 < value < math.inf:
                raise InputError(name, shown(value), f"a positive number of {unit}")
        if not self.limit > 0:
            raise InputError("limit", shown(self.limit), "a positive number of packets")
        if self.weight is not None and not 0 < self.weight < 1:
            raise InputError("weight", shown(self.weight), "a number between 0 and 1, or none")
        if not 0 <= self.elsewhere < 1:
            raise InputError("elsewhere", shown(self.elsewhere), "a probability of at least 0, below 1")

    def with_(self, **changes: Any) -> FluidModel:
        """A copy with other parameters."""
        return replace(self, **changes)

    # --- What follows from a state --------------------------------------------------------------------------

    def round_trip(self, queue: float) -> float:
        """R, seconds (2.9)."""
        return self.propagation_delay + max(queue, 0.0) / self.capacity

    def responsive_arrivals(self, window: float, queue: float) -> float:
        """N_s W / R, packets a second."""
        return self.flows * window / self.round_trip(queue)

    def arrivals(self, window: float, queue: float) -> float:
        """Packets a second of all flows."""
        return self.responsive_arrivals(window, queue) + self.unresponsive.arrivals(self.round_trip(queue))

    def inflow(self, window: float, queue: float, early: float) -> float:
        """Packets a second that want into the queue when the share ``early`` is dropped before."""
        return self.arrivals(window, queue) * (1 - early if self.count_drops else 1.0)

    def loss_at_router(self, state: Sequence[float]) -> float:
        """The share of arrivals lost here: dropped early, or because the buffer is full."""
        early = self.loss.share(state[-1])
        if state[1] < self.limit * _AT_LIMIT:
            return early
        return 1 - (1 - early) * (1 - self.overflow(self.inflow(state[0], state[1], early)))

    def overflow(self, inflow: float) -> float:
        """The share of this inflow that a full queue cannot take."""
        return max(0.0, 1 - self.capacity / inflow) if inflow > 0 else 0.0

    def path_loss(self, at_router: float) -> float:
        """The probability that a responsive packet is lost, here or elsewhere: the sum (2.20), at most 1."""
        return min(1.0, at_router + self.elsewhere)

    def state(self, window: float, queue: float, average: float | None = None) -> list[float]:
        """A state of this model; the average is the queue unless it is given."""
        start = [float(window), float(queue)]
        return start if self.weight is None else [*start, float(queue if average is None else average)]

    # --- The equation that the solver asks for --------------------------------------------------------------

    @property
    def least_delay(self) -> float:
        return self.propagation_delay

    def delay(self, time: float, state: list[float]) -> float:
        return self.round_trip(state[1])

    def slope(self, time: float, state: Sequence[float], past: Sequence[float], mode: int) -> list[float]:
        window, queue, average = state[0], state[1], state[-1]
        round_trip = self.round_trip(queue)
        loss = self.path_loss(self.loss_at_router(past))
        taken = self.response.decrease(loss, round_trip, window) * window * past[0] * loss
        arrivals = self.arrivals(window, queue)
        inflow = arrivals * (1 - self.loss.share(average)) if self.count_drops else arrivals
        slope = [
            (self.response.increase - taken) / round_trip,
            inflow - self.capacity if mode == FREE else 0.0,
        ]
        if self.weight is not None:
            slope.append(-math.log1p(-self.weight) * arrivals * (queue - average))
        return slope

    def start(self, time: float, state: list[float]) -> int:
        filling = self._filling(state)
        if state[1] <= 0 and filling <= 0:
            return EMPTY
        return FULL if state[1] >= self.limit and filling >= 0 else FREE

    def guards(self, time: float, state: list[float], mode: int) -> Sequence[float]:
        if mode == FREE:
            return (state[1], self.limit - state[1])
        return (-self._filling(state) if mode == EMPTY else self._filling(state),)

    def switch(self, time: float, state: list[float], mode: int, guard: int) -> tuple[int, list[float]]:
        if mode != FREE:
            return FREE, state
        at_end = 0.0 if guard == 0 else self.limit
        return (EMPTY if guard == 0 else FULL), [state[0], at_end, *state[2:]]

    def _filling(self, state: Sequence[float]) -> float:
        """Packets a second by which the queue grows, or would if it were not at an end."""
        return self.inflow(state[0], state[1], self.loss.share(state[-1])) - self.capacity
