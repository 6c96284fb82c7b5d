"""Losses on links."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/losses.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from parshall.scenario.base import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parshall.scenario.quantities import Given, Table

__all__ = [
    "AnyLoss",
    "BernoulliLoss",
    "DitherLoss",
    "GilbertElliottLoss",
    "ListedLoss",
]


class ListedLoss(Part):
    """Loses the packets with these arrival numbers at the port."""

    kind: Literal["listed"] = "listed"
    """Names this kind of loss."""
    arrivals: Given[tuple[int, ...], Sequence[int]]
    """Arrival numbers, counted from 1, lost packets included."""
    of: Literal["all", "data", "acks"] = "all"
    """Which packets are counted and lost."""


class BernoulliLoss(Part):
    """Loses each packet with the same probability, independently."""

    kind: Literal["bernoulli"] = "bernoulli"
    """Names this kind of loss."""
    probability: float
    """Between 0 and 1."""
    of: Literal["all", "data", "acks"] = "all"
    """Which packets can be lost."""


class GilbertElliottLoss(Part):
    """Loses packets in bursts: two states with a loss probability each (Gilbert 1960, Elliott 1963). The
    state may change before each packet; it starts good.
    """

    kind: Literal["gilbert-elliott"] = "gilbert-elliott"
    """Names this kind of loss."""
    good_to_bad: float
    """Probability of a change from good to bad."""
    bad_to_good: float
    """Probability of a change from bad to good; its inverse is the mean length of a burst in packets."""
    loss_good: float = 0.0
    """Loss probability in the good state."""
    loss_bad: float = 1.0
    """Loss probability in the bad state."""
    of: Literal["all", "data", "acks"] = "all"
    """Which packets can be lost."""


class DitherLoss(Part):
    """Random extra drops (or marks) when the queue itself signals too rarely: a packet is lost with the
    probability by which the queue's own drops and marks lately fell short of ``floor``, or with ``part`` of
    theirs if that is more and the backlog is at least half of what it is when the queue itself drops or
    marks. With ``part`` it takes one packet in two at most. One that may carry a mark (ECN) is marked
    instead. With ``record.responsiveness.signals = "both"`` it shows who responds.
    """

    kind: Literal["dither"] = "dither"
    """Names this kind of loss."""
    floor: float = 0.001
    """Least share of packets that are dropped or marked, between 0 and 1."""
    part: float = 0.0
    """While the backlog is long, the dither's probability is at least this part of that of the queue's own
    drops and marks, between 0 and 1.
    """
    of: Literal["all", "data", "acks"] = "all"
    """Which packets can be lost, and are counted."""


AnyLoss: TypeAlias = ListedLoss | BernoulliLoss | GilbertElliottLoss | DitherLoss
"""Any kind of loss."""

if TYPE_CHECKING:
    AnyLossGiven: TypeAlias = AnyLoss | Table | Literal["dither"]
