"""An experiment on demand: does a group of flows send less when it meets more loss?

The method is described in ``docs/guide/responsiveness.md``.
"""

from __future__ import annotations

from typing import Any, NamedTuple, SupportsIndex

import numpy as np

from parshall import _core
from parshall.estimators import arguments
from parshall.estimators.base import Estimator
from parshall.estimators.responsiveness import FlowLabel

__all__ = ["Treatment", "TreatmentOutcome"]


class TreatmentOutcome(NamedTuple):
    """State of an experiment at the end of a pair of blocks."""

    time: float
    """End of the pair, in seconds."""
    lower: float
    """Part of their packets that flows give up under treatment, at least; from -1 to 1."""
    effect: float
    """Estimate of it; NaN before a pair has told something."""
    upper: float
    """Its upper bound. Bounds hold at all times at once in 95 % of experiments with flows that do not
    respond."""
    price: float
    """Cost so far as a part of the group's packets: those that the treatment took, and those that flows sent
    less in blocks with treatment than in those without. What it still costs after its block is not in it."""
    packets: int
    """Packets of the group so far."""
    signals: int
    """Packets that the treatment dropped or marked."""
    pairs: int
    """Pairs that have told something."""
    label: FlowLabel
    """``RESPONDS`` where the effect is at least the limit, ``DEAF`` where it is at most that."""


class Treatment(Estimator):
    """An experiment with one group of flows, as a router makes it: a prefix, a class, or flows in doubt.

    Time goes in pairs of blocks of ``block`` seconds, ten to twenty round trips. A coin for each of 128 parts
    of the group's keys decides in which of the two blocks it is treated: each packet is then to be dropped or
    marked with ``times`` the probability of the queue's own drops and marks, ``floor`` at least. ``part`` of
    the keys is asked at a time, at most. ``budget`` is what the experiment may cost, as a part of the group's
    packets: those that it takes, and those that flows send less while they are treated. The first never
    exceed it. For the second, a pair asks no more keys than the budget pays for if they are as fast as in
    recent pairs and give up as much as the upper bound allows. ``limit`` is the effect that parts groups that
    respond from those that do not. The experiment ends with a label, unless it ``goes_on``. ``seed`` is that
    of the coins.

    >>> experiment = Treatment(block=1.0)
    >>> for packet in range(40_000):  # twenty flows that send ten packets a second each, whatever happens
    ...     time, flow = packet * 0.005, packet % 20
    ...     outcome = experiment.close(time) or (outcome if packet else None)
    ...     if experiment.packet(time=time, flow=flow) > (packet * 7919 % 1000) / 1000:
    ...         experiment.signal()  # the router drops or marks it
    ...     else:
    ...         experiment.queue(False)  # and the queue did neither
    >>> outcome.label.name, outcome.signals / outcome.packets < 0.05
    ('DEAF', True)
    """

    __slots__ = ()

    _core: _core.Treatment
    block: float
    """Length of a block in seconds."""
    times: float
    """Probability of the treatment, as a multiple of that of the queue's own signals."""
    floor: float
    """Its least probability."""
    part: float
    """Part of the keys that is asked at a time, at most."""
    budget: float
    """Part of the group's packets that the experiment may cost."""
    limit: float
    """Effect that parts groups that respond from those that do not."""
    goes_on: bool
    """True if the experiment goes on once the group has a label."""
    seed: int
    """Seed of the coins."""

    def __init__(
        self,
        *,
        block: float = 2.0,
        times: float = 2.0,
        floor: float = 0.01,
        part: float = 1.0,
        budget: float = 0.05,
        limit: float = 0.1,
        goes_on: bool = False,
        seed: int = 0,
    ) -> None:
        reals = arguments.reals(block=block, times=times, floor=floor, part=part, budget=budget, limit=limit)
        if not isinstance(goes_on, bool | np.bool_):
            raise arguments.wrong_type("goes_on", goes_on, "a truth value")
        on, number = bool(goes_on), arguments.key("seed", seed)
        with arguments.Faults(block_s="block"):
            core = _core.Treatment(list(reals.values()), on, number)
        given: dict[str, Any] = {**reals, "goes_on": on, "seed": number}
        super().__init__(core, given)

    def close(self, time: float) -> TreatmentOutcome | None:
        """Outcome so far, if a pair of blocks that asked is over at ``time``. Ask before each packet."""
        row = self._core.close(arguments.real("time", time))
        if row is None:
            return None
        reals, *counts, label = row
        return TreatmentOutcome._make((*reals, *counts, FlowLabel(label)))

    def packet(self, *, time: float, flow: SupportsIndex) -> float:
        """Takes a packet of the group: when it arrives, and its flow's key. Returns the probability with
        which the router is to drop or mark it; if it does, it calls :meth:`signal`, else :meth:`queue`.
        """
        return self._core.packet(arguments.real("time", time), arguments.key("flow", flow))

    def signal(self) -> None:
        """Tells that the last packet was dropped or marked because the experiment asked for it."""
        self._core.signal()

    def queue(self, signalled: bool) -> None:
        """Tells what the queue did about a packet of the group: dropped or marked, or neither."""
        self._core.queue(bool(signalled))
