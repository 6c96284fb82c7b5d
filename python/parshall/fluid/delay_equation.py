"""Delay-differential equations with one delay that depends on the state, solved step by step.

    y'(t) = slope(t, y(t), y(t - delay(t, y(t))))

A step is never longer than the delay can be, so what it looks back at is already known: the method of steps.
Steps are Dormand and Prince's pair of orders 5 and 4; what lies between them is its quartic, which is also
the history that later steps see (Shampine, Math. Comp. 46, 1986). Two things end a step early:

- A guard: a function of the state that must stay positive while a mode of the equation lasts (a queue that is
  neither empty nor full). Its zero is located and the equation says which mode comes next.
- A break: where the solution has a kink, the delayed solution has one a delay later. These instants become
  ends of steps, for as many repetitions as a step of order 5 can tell.
"""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from scipy.integrate import RK45
from scipy.optimize import brentq

from parshall.errors import InputError, ParshallError, shown
from parshall.estimators.typed import typed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Reals = NDArray[np.float64]

__all__ = ["Equation", "History", "Smooth", "Solution", "SolverError", "solve"]

History = Callable[[float], Sequence[float]]
"""The state at an instant up to the start."""

RTOL, ATOL = 1e-6, 1e-8
"""Tolerances of a step unless asked otherwise."""

# The tableau is data that SciPy keeps with its own solver for equations without delay.
_A: Reals = np.asarray(RK45.A, dtype=float)
_B: Reals = np.asarray(RK45.B, dtype=float)
_C: list[float] = [float(node) for node in RK45.C]
_E: Reals = np.asarray(RK45.E, dtype=float)
_P: Reals = np.asarray(RK45.P, dtype=float)

_STAGES = 6
_SAFETY, _SHRINK, _GROW = 0.9, 0.2, 5.0
_LEVELS = 5
"""A kink in the slope is one in the sixth derivative after so many delays, which no step sees."""
_HAIR = 1e-3
"""Where in a step a guard is looked at that was zero at its beginning."""
_NOTHING = 1e-9
"""A share of a step that is no progress."""
_AIMS, _LANDED, _AHEAD = 6, 1e-7, 1.05
"""Steps that aim at a crossing: how many, how near is good enough, and how far ahead of a step they look."""
_SWITCHES = 4
"""Switches at one instant after which a step is taken whatever the guards say."""


class SolverError(ParshallError):
    """An equation that the solver cannot follow: the step has become too small, or the state is no number."""


class Equation(Protocol):
    """Delay differential equation for :func:`solve`. States are lists of floats in the equation's order."""

    @property
    def least_delay(self) -> float:
        """Least delay; positive. No step is longer."""
        ...

    def delay(self, time: float, state: list[float]) -> float:
        """Longest delay of the equation."""
        ...

    def slope(self, time: float, state: list[float], past: Sequence[float], mode: int) -> Sequence[float]:
        """The derivative of the state; ``past`` is the state a delay ago."""
        ...

    def start(self, time: float, state: list[float]) -> int:
        """The mode at the start."""
        ...

    def guards(self, time: float, state: list[float], mode: int) -> Sequence[float]:
        """Positive while the mode lasts."""
        ...

    def switch(self, time: float, state: list[float], mode: int, guard: int) -> tuple[int, list[float]]:
        """The mode and the state after this guard of a mode has become zero."""
        ...


@typed
@dataclass(frozen=True)
class Smooth:
    """An equation of one mode: a slope, a delay, and what the delay never falls below."""

    derivative: Callable[[float, list[float], Sequence[float]], Sequence[float]]
    lag: Callable[[float, list[float]], float]
    least_delay: float

    def delay(self, time: float, state: list[float]) -> float:
        return self.lag(time, state)

    def slope(self, time: float, state: list[float], past: Sequence[float], mode: int) -> Sequence[float]:
        return self.derivative(time, state, past)

    def start(self, time: float, state: list[float]) -> int:
        return 0

    def guards(self, time: float, state: list[float], mode: int) -> Sequence[float]:
        return ()

    def switch(self, time: float, state: list[float], mode: int, guard: int) -> tuple[int, list[float]]:
        raise NotImplementedError("an equation of one mode has no guards")


class Solution:
    """The solution as a function of time, from the start on; before it, the history.

    ``steps`` counts accepted steps, ``rejected`` those that were tried again, ``switches`` the changes of
    mode.
    """

    def __init__(self, history: History, start: float) -> None:
        self.start = start
        self.steps = self.rejected = self.switches = 0
        self._history = history
        self._starts: list[float] = []
        self._widths: list[float] = []
        self._pieces: list[list[tuple[float, ...]]] = []
        self._end = start

    @property
    def end(self) -> float:
        """Up to where it is known."""
        return self._end

    @property
    def knots(self) -> Reals:
        """Ends of the steps."""
        return np.array([*self._starts, self._end])

    def state(self, time: float) -> list[float]:
        """The state at an instant that is not after the end."""
        if time <= self.start or not self._pieces:
            return [float(value) for value in self._history(min(time, self.start))]
        index = max(bisect_right(self._starts, time) - 1, 0)
        theta = (time - self._starts[index]) / self._widths[index]
        return [
            a + theta * (b + theta * (c + theta * (d + theta * e))) for a, b, c, d, e in self._pieces[index]
        ]

    def __call__(self, times: ArrayLike) -> Reals:
        """States at many instants, one a row. Raises InputError for an instant after the end."""
        asked = np.atleast_1d(np.asarray(times, dtype=float))
        if asked.size and not asked.max() <= self._end * (1 + 1e-12) + 1e-12:
            raise InputError("times", shown(float(asked.max())), f"an instant up to {self._end:g} s")
        return np.array([self.state(time) for time in asked.tolist()])

    def _append(self, time: float, width: float, piece: Reals, end: float) -> None:
        self._starts.append(time)
        self._widths.append(width)
        self._pieces.append([tuple(row) for row in piece.tolist()])
        self._end = end
        self.steps += 1


@typed
def solve(
    equation: Equation,
    history: History,
    start: float,
    end: float,
    *,
    rtol: float = RTOL,
    atol: ArrayLike = ATOL,
    step: float | None = None,
) -> Solution:
    """The solution on [start, end] of an equation whose state up to ``start`` is ``history``.

    ``rtol`` and ``atol`` (one for all components, or one each) bound the estimated error of a step; with a
    ``step`` all steps have that length and nothing is estimated. Raises InputError for values that make no
    sense, SolverError if no step is short enough.
    """
    _require(math.isfinite(start), "start", start, "a finite instant")
    _require(math.isfinite(end) and end > start, "end", end, f"a finite instant after {start:g} s")
    _require(0 < rtol < 1, "rtol", rtol, "a number between 0 and 1")
    bound = np.asarray(atol, dtype=float)
    fits = bound.ndim == 0 or bound.shape == (len(history(start)),)
    _require(
        fits and bool(np.all(bound > 0)), "atol", atol, "positive numbers: one, or one for each component"
    )
    least = equation.least_delay
    _require(least > 0, "least_delay", least, "a positive number of seconds")
    _require(step is None or 0 < step <= least, "step", step, f"at most the least delay, {least:g} s")
    return _Integration(equation, history, start, end, rtol, bound, step).run()


def _require(holds: bool, path: str, value: object, expected: str) -> None:
    if not holds:
        raise InputError(path, shown(value), expected)


class _Crossing(NamedTuple):
    """Where in a step something happens that ends it."""

    at: float
    """The share of the step up to there; infinite if nothing happens."""
    guard: int | None
    """The guard that becomes zero; with none the past has a kink that the equation sees from there on."""


class _Integration:
    """A solution in the making."""

    def __init__(
        self,
        equation: Equation,
        history: History,
        start: float,
        end: float,
        rtol: float,
        atol: Reals,
        step: float | None,
    ) -> None:
        self.equation, self.end, self.rtol, self.atol, self.fixed = equation, end, rtol, atol, step
        self.solution = Solution(history, start)
        self.time = start
        self.state = [float(value) for value in history(start)]
        self.mode = equation.start(start, self.state)
        self.longest = equation.least_delay if step is None else step
        self.width = self.longest if step is not None else self.longest / 20
        self.breaks: list[tuple[float, int]] = [(start, 0)]
        self.switched_here = 0
        self.stages: Reals = np.empty((_STAGES + 1, len(self.state)))

    def run(self) -> Solution:
        self.stages[0] = self._slope(self.time, self.state)
        while self.time < self.end:
            width = self._next_width()
            after, error, piece = self._attempt(width)
            crossing = self._first_crossing(width, piece, 1.0)
            if crossing.at <= 1:
                self._land(width, crossing)
            elif self._tolerated(width, error):
                self._accept(width, after, piece)
                if self.fixed is None:
                    self.width = min(self.longest, width * _factor(error))
        return self.solution

    def _land(self, width: float, crossing: _Crossing) -> None:
        """Ends a step at a crossing, which lies within a step of this width.

        What follows the crossing has spoilt that step. One that ends just short of it is not spoilt, and
        tells better where it is.
        """
        for _ in range(_AIMS):
            if crossing.at <= _NOTHING:
                self._do_what_is_due(crossing)
                return
            width = min(width * crossing.at * (1 - _NOTHING), self.longest)
            after, error, piece = self._attempt(width)
            if not self._tolerated(width, error):
                return
            crossing = self._first_crossing(width, piece, _AHEAD)
            if crossing.at > _AHEAD:
                self._accept(width, after, piece)
                return
            if abs(crossing.at - 1) < _LANDED:
                break
        # Just past it, by what has come before.
        self._keep(width, piece, crossing.at + 2 * _NOTHING)
        self._do_what_is_due(crossing)

    def _tolerated(self, width: float, error: float) -> bool:
        """Returns true for an accurate step; otherwise the next is shorter."""
        if self.fixed is not None or error <= 1:
            return True
        self.width = width * (_factor(error) if math.isfinite(error) else _SHRINK)
        self.solution.rejected += 1
        if self.width < 1e-14 * max(1.0, abs(self.time)):
            raise SolverError(f"no step is short enough at t = {self.time:g} s")
        return False

    def _next_width(self) -> float:
        """The step that the last ones ask for; one that ends a rounding error before the end goes there."""
        left = self.end - self.time
        return left if left <= self.width * (1 + 1e-9) else self.width

    def _slope(self, time: float, state: list[float]) -> Sequence[float]:
        past = self.solution.state(time - self.equation.delay(time, state))
        return self.equation.slope(time, state, past, self.mode)

    def _attempt(self, width: float) -> tuple[Reals, float, Reals]:
        """The state a step further, its error in units of what is tolerated, and the quartic between."""
        begin, stages = np.asarray(self.state), self.stages
        for index in range(1, _STAGES):
            state = begin + width * (_A[index, :index] @ stages[:index])
            stages[index] = self._slope(self.time + _C[index] * width, state.tolist())
        after: Reals = begin + width * (_B @ stages[:_STAGES])
        stages[_STAGES] = self._slope(self.time + width, after.tolist())
        scale = self.atol + self.rtol * np.maximum(np.abs(begin), np.abs(after))
        error = float(np.sqrt(np.mean((width * (_E @ stages) / scale) ** 2)))
        if self.fixed is not None and not math.isfinite(error):
            raise SolverError(f"the state is no number after t = {self.time:g} s")
        return after, error, np.column_stack((begin, width * (stages.T @ _P)))

    def _accept(self, width: float, after: Reals, piece: Reals) -> None:
        """Keeps a whole step."""
        self._keep(width, piece, 1.0)
        self.state = after.tolist()
        self.stages[0] = self.stages[_STAGES]

    def _keep(self, width: float, piece: Reals, share: float) -> None:
        """Keeps a step up to a share of it."""
        end = self.time + width * share
        self.solution._append(self.time, width, piece, end)
        self.time, self.state = end, _at(piece, share)
        self.switched_here = 0

    def _do_what_is_due(self, crossing: _Crossing) -> None:
        """The next mode behind a guard; behind a kink the next one, of a higher derivative, is waited for."""
        if crossing.guard is None:
            _, level = self.breaks.pop(0)
            if level + 1 < _LEVELS:
                insort(self.breaks, (self.time, level + 1))
        else:
            self._switch(crossing.guard)
        self.stages[0] = self._slope(self.time, self.state)

    def _switch(self, guard: int) -> None:
        self.mode, self.state = self.equation.switch(self.time, self.state, self.mode, guard)
        insort(self.breaks, (self.time, 0))
        self.switched_here += 1
        self.solution.switches += 1

    def _first_crossing(self, width: float, piece: Reals, upto: float) -> _Crossing:
        """The first guard or kink in a step, up to a share of it."""
        first = _Crossing(math.inf, None)
        if self.switched_here < _SWITCHES:
            ends = self.equation.guards(self.time + upto * width, _at(piece, upto), self.mode)
            for guard, value in enumerate(ends):
                if value < 0 and (found := self._guard_crossing(width, piece, upto, guard)) < first.at:
                    first = _Crossing(found, guard)
        lag = self._lag_crossing(width, piece, upto)
        return _Crossing(lag, None) if lag < first.at else first

    def _guard_crossing(self, width: float, piece: Reals, upto: float, guard: int) -> float:
        def value(theta: float) -> float:
            state = _at(piece, theta)
            return self.equation.guards(self.time + theta * width, state, self.mode)[guard]

        low = 0.0 if value(0.0) > 0 else _HAIR
        return float(brentq(value, low, upto, xtol=1e-12)) if value(low) > 0 else 0.0

    def _lag_crossing(self, width: float, piece: Reals, upto: float) -> float:
        """The share of the step at which the equation meets the next kink of its past; infinite if later."""

        def beyond(theta: float) -> float:
            time = self.time + theta * width
            return time - self.equation.delay(time, _at(piece, theta)) - self.breaks[0][0]

        while self.breaks and beyond(upto) > 0:
            found = float(brentq(beyond, 0.0, upto, xtol=1e-12)) if beyond(0.0) < 0 else 0.0
            if found > _NOTHING:
                return found
            self.breaks.pop(0)
        return math.inf


def _factor(error: float) -> float:
    """Factor of the next step's length after one of this error."""
    return min(_GROW, max(_SHRINK, _SAFETY * error**-0.2)) if error > 0 else _GROW


def _at(piece: Reals, theta: float) -> list[float]:
    """The quartic of a step at a share of it."""
    return [a + theta * (b + theta * (c + theta * (d + theta * e))) for a, b, c, d, e in piece.tolist()]
