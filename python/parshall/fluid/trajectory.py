"""Courses of the model over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parshall.errors import InputError, counted, shown
from parshall.estimators import arguments
from parshall.estimators.typed import typed
from parshall.fluid.delay_equation import ATOL, RTOL, History, Solution, solve

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from parshall.fluid.model import FluidModel

    Reals = NDArray[np.float64]

__all__ = ["Samples", "Trajectory", "simulate"]


@dataclass(frozen=True)
class Samples:
    """The model at chosen instants: arrays of one length."""

    time: Reals
    """Seconds."""
    window: Reals
    """W, packets."""
    queue: Reals
    """q, packets."""
    average: Reals
    """Queue as the loss law sees it, packets."""
    loss: Reals
    """Share of arrivals lost at the router."""
    round_trip: Reals
    """R, seconds."""
    arrivals: Reals
    """Packets a second of all flows."""
    share: Reals
    """psi, the share of arrivals that does not respond (2.10)."""


@dataclass(frozen=True)
class Trajectory:
    """A solution of a model from ``start`` to ``end``."""

    model: FluidModel
    solution: Solution

    @property
    def start(self) -> float:
        return self.solution.start

    @property
    def end(self) -> float:
        return self.solution.end

    @property
    def last(self) -> list[float]:
        """The state at the end."""
        return self.solution.state(self.end)

    def at(self, times: ArrayLike) -> Samples:
        """The model at these instants. Raises InputError for one that is outside of the trajectory."""
        asked = np.atleast_1d(np.asarray(times, dtype=float))
        if asked.size and not asked.min() >= self.start:
            raise InputError("times", shown(float(asked.min())), f"an instant from {self.start:g} s on")
        states = self.solution(asked)
        model = self.model
        states[:, 1] = np.clip(states[:, 1], 0, model.limit)
        rows = [_derived(model, state) for state in states.tolist()]
        loss, round_trip, arrivals, share = np.array(rows).reshape(-1, 4).T
        return Samples(asked, states[:, 0], states[:, 1], states[:, -1], loss, round_trip, arrivals, share)

    def every(self, interval: float) -> Samples:
        """The model each ``interval`` seconds, from the start on."""
        if not 0 < interval < math.inf:
            raise InputError("interval", shown(interval), "a positive number of seconds")
        steps = math.floor((self.end - self.start) / interval * (1 + 1e-12))
        return self.at(self.start + interval * np.arange(steps + 1))


@typed
def simulate(
    model: FluidModel,
    duration: float,
    start: Sequence[float] | Trajectory | None = None,
    *,
    rtol: float = RTOL,
    atol: float = ATOL,
    step: float | None = None,
) -> Trajectory:
    """The model from ``start`` on for ``duration`` seconds.

    ``start`` is a state (:meth:`FluidModel.state`) that held still before time 0, or a trajectory that is
    carried on from its end by this model, whose load may be another: the past stays what it was. Without it,
    windows of one packet meet an empty queue. ``rtol``, ``atol`` and ``step`` are those of
    :func:`parshall.fluid.solve`. Raises InputError for values that make no sense, SolverError if the
    solver cannot go on.
    """
    if not 0 < duration < math.inf:
        raise InputError("duration", shown(duration), "a positive number of seconds")
    if isinstance(start, Trajectory):
        states = len(start.last)
        _require_states(model, states)
        begin = start.end
        history: History = start.solution.state
    else:
        given = model.state(1.0, 0.0) if start is None else arguments.samples("start", start).tolist()
        _require_states(model, len(given))
        _require_state(model, given)
        begin, history = 0.0, _constant(given)
    solution = solve(model, history, begin, begin + duration, rtol=rtol, atol=atol, step=step)
    return Trajectory(model, solution)


def _constant(state: list[float]) -> History:
    return lambda _: state


def _require_states(model: FluidModel, found: int) -> None:
    needed = len(model.state(1.0, 0.0))
    if found != needed:
        raise InputError(
            "start", counted(found, "number"), f"{needed}: window, queue" + ", average" * (needed - 2)
        )


def _require_state(model: FluidModel, state: list[float]) -> None:
    if not 0 < state[0] < math.inf:
        raise InputError("start[0]", shown(state[0]), "a positive window in packets")
    if not (0 <= state[1] <= model.limit and state[1] < math.inf):
        raise InputError("start[1]", shown(state[1]), f"a queue from 0 to {model.limit:g} packets")
    if not 0 <= state[-1] < math.inf:
        raise InputError("start[2]", shown(state[-1]), "an average queue of at least 0 packets")


def _derived(model: FluidModel, state: list[float]) -> tuple[float, float, float, float]:
    window, queue = state[0], state[1]
    round_trip = model.round_trip(queue)
    other = model.unresponsive.arrivals(round_trip)
    arrivals = model.arrivals(window, queue)
    return model.loss_at_router(state), round_trip, arrivals, other / arrivals if arrivals > 0 else math.nan
