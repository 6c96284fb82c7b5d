"""Where the fluid model can rest.

At rest a window is what its response law says for the loss it meets, and the queue either balances what
arrives with what leaves, or it is empty and the link has capacity to spare, or it is full and the overflow is
the loss that balances. All of these are looked for; a loss law that jumps may leave none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq

from parshall.estimators.typed import typed
from parshall.fluid.model import EMPTY, FREE, FULL, REGIMES

if TYPE_CHECKING:
    from parshall.fluid.model import FluidModel

__all__ = ["Equilibria", "Equilibrium", "equilibria"]

_PLACES = 400
"""Queues between which a balance is looked for."""
_CEILING = 1e12
"""Packets and packets a second beyond which a number counts as infinite."""
_UNBALANCED = 1e-6
"""Relative imbalance at a change of sign from which on it is a jump, not a zero."""


@dataclass(frozen=True)
class Equilibrium:
    """A state in which nothing changes."""

    mode: int
    """FREE, EMPTY or FULL: what the queue does."""
    window: float
    """W_0, packets."""
    queue: float
    """q_0, packets; the average is the same."""
    loss: float
    """Share of arrivals lost at the router, overflow included."""
    path_loss: float
    """Share of responsive packets lost on all hops."""
    round_trip: float
    """R_0, seconds."""
    arrivals: float
    """Packets a second of all flows."""
    share: float
    """psi, the share of arrivals that does not respond (2.10)."""
    utilisation: float
    """Share of the capacity that is used."""

    @property
    def regime(self) -> str:
        """``free``, ``empty`` or ``full``."""
        return REGIMES[self.mode]

    def state(self, model: FluidModel) -> list[float]:
        """The state of the model at rest."""
        return model.state(self.window, self.queue)


@dataclass(frozen=True)
class Equilibria:
    """All states of rest, by the length of the queue."""

    found: tuple[Equilibrium, ...]
    jumps: tuple[float, ...]
    """Queues at which the loss law jumps over the balance: less loss is too little, more is too much. The
    model then slides or swings around this queue and never rests there."""

    @property
    def only(self) -> Equilibrium | None:
        """The equilibrium if there is exactly one."""
        return self.found[0] if len(self.found) == 1 else None

    def __str__(self) -> str:
        rests = [f"{each.regime} at {each.queue:.4g} packets" for each in self.found]
        jumps = [f"none at {queue:.4g} packets, where the loss law jumps" for queue in self.jumps]
        return "; ".join(rests + jumps) or "nowhere: the queue grows without end"


@typed
def equilibria(model: FluidModel) -> Equilibria:
    """All states of rest of a model.

    There is none if the loss law jumps over the balance, or if more arrives than leaves and the queue has no
    limit. The text of what is returned says so.
    """
    found, jumps = [], []
    if _surplus(model, 0.0) < 0:
        found.append(_at_rest(model, EMPTY, 0.0, 0.0))
    for low, high in _changes_of_sign(model):
        queue = float(
            brentq(lambda q: _surplus(model, q), low, high, xtol=1e-13 * max(high, 1.0), rtol=1e-14)
        )
        if abs(_surplus(model, queue)) > _UNBALANCED * model.capacity:
            jumps.append(queue)
        else:
            found.append(_at_rest(model, FREE, queue, 0.0))
    if math.isfinite(model.limit) and _surplus(model, model.limit) > 0:
        found.append(_at_rest(model, FULL, model.limit, _overflow(model)))
    return Equilibria(tuple(found), tuple(jumps))


def _surplus(model: FluidModel, queue: float, overflow: float = 0.0) -> float:
    """Net inflow, packets a second, when all windows are at rest at this queue; at most the
    ceiling.
    """
    early = model.loss.share(queue)
    loss = model.path_loss(1 - (1 - early) * (1 - overflow))
    window = min(model.response.window(loss, model.round_trip(queue)), _CEILING)
    entering = model.inflow(window, queue, early) * (1 - overflow)
    return min(entering - model.capacity, _CEILING)


def _changes_of_sign(model: FluidModel) -> Iterator[tuple[float, float]]:
    top = model.limit if math.isfinite(model.limit) else _beyond_all(model)
    kinks = [q for q in model.loss.kinks if 0 < q < top]
    # Where an unlimited queue ends is not known in scale, so some places are dense near zero.
    places = np.unique([*np.linspace(0, top, _PLACES), *np.geomspace(1e-6 * top, top, _PLACES), *kinks])
    values = [_surplus(model, queue) for queue in places.tolist()]
    for (low, before), (high, after) in pairwise(zip(places.tolist(), values, strict=True)):
        if (before > 0) != (after > 0) and not (low == 0 and before == 0):
            yield low, high


def _beyond_all(model: FluidModel) -> float:
    """A queue at which an unlimited buffer drains, beyond all kinks of the law; the ceiling if none is."""
    top = 2 * max(1.0, model.capacity * model.propagation_delay, *model.loss.kinks)
    while _surplus(model, top) > 0 and top < _CEILING:
        top *= 2
    return top


def _overflow(model: FluidModel) -> float:
    """The share of what enters a full queue that is lost at rest."""
    return float(brentq(lambda share: _surplus(model, model.limit, share), 0.0, 1 - 1e-12, xtol=1e-15))


def _at_rest(model: FluidModel, mode: int, queue: float, overflow: float) -> Equilibrium:
    early = model.loss.share(queue)
    loss = 1 - (1 - early) * (1 - overflow)
    round_trip = model.round_trip(queue)
    window = model.response.window(model.path_loss(loss), round_trip)
    arrivals = model.arrivals(window, queue)
    return Equilibrium(
        mode=mode,
        window=window,
        queue=queue,
        loss=loss,
        path_loss=model.path_loss(loss),
        round_trip=round_trip,
        arrivals=arrivals,
        share=model.unresponsive.arrivals(round_trip) / arrivals if arrivals > 0 else math.nan,
        utilisation=min(1.0, model.inflow(window, queue, early) / model.capacity),
    )
