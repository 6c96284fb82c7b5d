"""Cost of prediction errors to connections that set windows by their predicted fair share, in closed form.

The model is that of He, Gao, Hou and Park (A Case for Exploiting Self-Similarity of Network Traffic in TCP
Congestion Control, section IV). N connections share a link of capacity C. In every round-trip time
one of them predicts its rate f, and the other N - 1 together theirs, B: the point (f, B) is uniform on the
rectangle around (C/N, (N-1) C/N) with edges 2 C gamma/N and 2 (N-1) C gamma/N. Packets are lost when
f + B > C + l, where l = L/RTT is what the buffer L takes in a round-trip time; then the window RTT f is
halved for one interval, and a new prediction follows.

Every closed form here follows from one: with u and v uniform on [-1, 1], f = (C/N)(1 + gamma u) and
B = (N-1)(C/N)(1 + gamma v), so packets are lost when u + (N-1) v > s, where s = N l/(C gamma).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

from parshall.errors import InputError, shown
from parshall.estimators.typed import typed

__all__ = ["PredictionErrorLaw", "SharedLink", "SubCase", "prediction_error_model"]

SubCase = Literal[1, 2, 3]
"""Crossing of the line of loss and the rectangle: at its left and right edge, at its corner, not at all."""


@dataclass(frozen=True)
class SharedLink:
    """A link whose connections predict their fair share, with errors. Raises InputError."""

    error: float
    """gamma, the largest relative error of a prediction, from 0 to 1."""
    connections: int
    """N, at least 2."""
    capacity: float
    """C, in bit/s."""
    buffer_bytes: float
    """L."""
    rtt: float
    """The round-trip time of every connection, in seconds."""

    def __post_init__(self) -> None:
        _require("error", self.error, 0 <= self.error <= 1, "a relative error from 0 to 1")
        whole = isinstance(self.connections, int) and not isinstance(self.connections, bool)
        _require(
            "connections",
            self.connections,
            whole and 2 <= self.connections < 2**53,
            "a whole number of at least 2",
        )
        _require("capacity", self.capacity, 0 < self.capacity < math.inf, "bit/s, finite and above 0")
        _require(
            "buffer_bytes", self.buffer_bytes, 0 <= self.buffer_bytes < math.inf, "bytes, finite, at least 0"
        )
        _require("rtt", self.rtt, 0 < self.rtt < math.inf, "seconds, finite and above 0")

    @property
    def share(self) -> float:
        """C/N, the fair share of a connection, in bit/s."""
        return self.capacity / self.connections

    @property
    def spare(self) -> float:
        """By how much the buffer lets rates exceed the capacity: l = L/RTT, in bit/s."""
        return 8 * self.buffer_bytes / self.rtt

    @property
    def sub_case(self) -> SubCase:
        """1 for l <= (N-2) C gamma/N, 2 from there to l < C gamma, 3 from there on.

        On the rectangle f + B is at most C + C gamma, at the upper right corner: from l = C gamma on nothing
        is lost. At the upper left corner it is C - C gamma/N + (N-1) C gamma/N; while C + l is no more than
        that, the line of loss leaves the rectangle through its left edge.
        """
        reach = self.capacity * self.error
        if self.spare >= reach:
            return 3
        return 1 if self.spare <= (self.connections - 2) / self.connections * reach else 2


@dataclass(frozen=True)
class PredictionErrorLaw:
    """Prediction of the model for one connection."""

    sub_case: SubCase
    loss_probability: float
    """p: that a prediction is followed by a loss."""
    throughput: float
    """T: the mean of the rates W/RTT over round-trip times, in bit/s."""
    fairness: float
    """F: the index of :func:`prediction_error_model`, between 0 and 1."""
    lossless_window: float
    """E(W_u): the mean window of intervals that follow a prediction and bring no loss, in bits."""
    loss_window: float | None
    """E(W_c): the mean window of intervals that bring a loss, in bits; None when none does."""
    halved_window: float | None
    """E(W_d): the mean window of intervals that follow a loss, in bits; None when nothing is lost."""


@typed
def prediction_error_model(
    error: float, *, connections: int, capacity: float, buffer_bytes: float, rtt: float
) -> PredictionErrorLaw:
    """Loss probability, throughput and fairness of connections whose predictions err by at most ``error``.

    ``capacity`` is in bit/s, ``rtt`` in seconds. With k = N - 1, u = (f N/C - 1)/gamma, and means over
    predictions that bring a loss:

    - sub-case 1: p = (k - s)/(2k), E u = 1/(3 (k - s)), E u^2 = 1/3;
    - sub-case 2, a triangle with legs a = N - s and a/k: p = a^2/(8k), E u = 1 - a/3,
      E u^2 = 1 - 2a/3 + a^2/6;
    - sub-case 3: p = 0.

    Of all intervals 1/(1 + p) follow a prediction and p/(1 + p) a loss. The mean of f over predictions is
    C/N, whatever is lost, so T = (C/N)(1 + p (1 + gamma E u)/2)/(1 + p).

    F is Jain's index (13) of many independent connections, each at a moment of its own:
    (E f)^2/E(f^2) over all intervals. For the averages of connections over a long time the index
    is 1 whatever is lost, since all are alike. Raises InputError for values out of their range.
    """
    return law(SharedLink(error, connections, capacity, buffer_bytes, rtt))


def law(link: SharedLink) -> PredictionErrorLaw:
    """As :func:`prediction_error_model`."""
    lost, gamma, window = _lost(link), link.error, link.rtt * link.share
    p = lost.probability
    mean = 1 + gamma * lost.mean
    square = 1 + 2 * gamma * lost.mean + gamma**2 * lost.square
    throughput = (1 + p * mean / 2) / (1 + p)
    return PredictionErrorLaw(
        sub_case=link.sub_case,
        loss_probability=p,
        throughput=link.share * throughput,
        fairness=throughput**2 * (1 + p) / (1 + gamma**2 / 3 + p * square / 4),
        lossless_window=window * (1 - p * mean) / (1 - p),
        loss_window=window * mean if p > 0 else None,
        halved_window=window * mean / 2 if p > 0 else None,
    )


class _Lost(NamedTuple):
    """The part of the rectangle where packets are lost."""

    probability: float
    mean: float
    """Mean of u over that part."""
    square: float
    """Mean of u^2 over that part."""


def _lost(link: SharedLink) -> _Lost:
    others = link.connections - 1
    if link.sub_case == 3:
        return _Lost(0.0, 0.0, 0.0)
    line = link.connections * link.spare / (link.capacity * link.error)
    if link.sub_case == 1:
        # At each u the share of v above the line is (1 - (s - u)/k)/2, a straight line in u.
        return _Lost((others - line) / (2 * others), 1 / (3 * (others - line)), 1 / 3)
    leg = link.connections - line
    # The distance from the right edge has the density 2 (a - x)/a^2, with mean a/3 and mean square a^2/6.
    return _Lost(leg**2 / (8 * others), 1 - leg / 3, 1 - 2 * leg / 3 + leg**2 / 6)


def _require(path: str, value: float, holds: bool, expected: str) -> None:
    if not holds:
        raise InputError(path, shown(value), expected)
