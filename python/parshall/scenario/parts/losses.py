"""Losses on links."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/losses.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from parshall.scenario.base import Part, default

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parshall.scenario.quantities import Given, Number, Table

__all__ = [
    "AnyLoss",
    "BernoulliLoss",
    "DitherLoss",
    "GilbertElliottLoss",
    "ListedLoss",
    "TreatedGroup",
    "TreatmentLoss",
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


class TreatmentLoss(Part):
    """An experiment that the router makes on demand: do groups of flows send less when they meet more loss?
    Time goes in pairs of blocks, and for each of 128 parts of a group's flows a coin decides in which of the
    two blocks it meets more: packets of data are lost, or marked where they may carry a mark (ECN), besides
    what the queue does. What came of it is in ``port(...).treatment``: bounds of the part of their packets
    that flows give up, judged by the coins alone, and what that cost.
    """

    kind: Literal["treatment"] = "treatment"
    """Names this kind of loss."""
    groups: Given[tuple[TreatedGroup, ...], Sequence[TreatedGroup | Table]]
    """Groups, each with an experiment of its own; a flow belongs to the first that it fits."""
    block: Given[float, Number] = default(2.0)
    """Length of a block, ten to twenty round trips."""
    times: float = 2.0
    """Probability of the treatment, as a multiple of the queue's own rate of drops and marks."""
    floor: float = 0.01
    """Its least probability."""
    part: float = 1.0
    """Part of a group that is asked at a time, at most; the budget may allow less."""
    budget: float = 0.05
    """Part of a group's packets that its experiment may cost: what it takes, and what flows send less while
    they are treated. The first never exceeds it. For the second, a pair of blocks asks no more flows than the
    budget pays for if they are as fast as in recent pairs and give up as much as the upper bound allows.
    """
    limit: float = 0.1
    """Effect that parts groups that respond from those that do not."""
    goes_on: bool = False
    """True to go on with an experiment once its group has a label."""


class TreatedGroup(Part):
    """A group of flows that an experiment asks."""

    flows: Given[tuple[str, ...], Sequence[str] | str] = default(())
    """Names of flows, in which ``*`` stands for any text; none is all."""
    dscp: Given[tuple[int, ...], Sequence[int | str] | int | str] = default(())
    """Code points that flows give their packets; none is any."""


AnyLoss: TypeAlias = ListedLoss | BernoulliLoss | GilbertElliottLoss | DitherLoss | TreatmentLoss
"""Any kind of loss."""

if TYPE_CHECKING:
    AnyLossGiven: TypeAlias = AnyLoss | Table | Literal["dither"]
