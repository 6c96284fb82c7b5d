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
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.integrate import RK45
from scipy.optimize import brentq

from parshall.errors import InputError, ParshallError, shown

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
_SWITCHES = 4
"""Switches at one instant after which a step is taken whatever the guards say."""


class SolverError(ParshallError):
    """An equation that the solver cannot follow: the step has become too small, or the state is no number."""


class Equation(Protocol):
    """What :func:`solve` solves. States are lists of floats, in the order that the equation likes."""

    @property
    def least_delay(self) -> float:
        """What the delay never falls below; positive. No step is longer."""
        ...

    def delay(self, time: float, state: list[float]) -> float:
        """How far back the equation looks."""
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
    _require(bool(np.all(np.asarray(atol) > 0)), "atol", atol, "positive numbers")
    least = equation.least_delay
    _require(least > 0, "least_delay", least, "a positive number of seconds")
    _require(step is None or 0 < step <= least, "step", step, f"at most the least delay, {least:g} s")
    return _Integration(equation, history, start, end, rtol, np.asarray(atol, dtype=float), step).run()


def _require(holds: bool, path: str, value: object, expected: str) -> None:
    if not holds:
        raise InputError(path, shown(value), expected)


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
            left = self.end - self.time
            # A step that ends a rounding error before the end takes that along.
            width = left if left <= self.width * (1 + 1e-9) else self.width
            after, error = self._attempt(width)
            if self.fixed is None and not error <= 1:
                self._shrink(width, error)
                continue
            self._accept(width, after)
            if self.fixed is None:
                growth = _SAFETY * error**-0.2 if error > 0 else _GROW
                self.width = min(self.longest, width * min(_GROW, max(_SHRINK, growth)))
        return self.solution

    def _slope(self, time: float, state: list[float]) -> Sequence[float]:
        past = self.solution.state(time - self.equation.delay(time, state))
        return self.equation.slope(time, state, past, self.mode)

    def _attempt(self, width: float) -> tuple[Reals, float]:
        """The state a step further and its error, in units of what is tolerated."""
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
        return after, error

    def _shrink(self, width: float, error: float) -> None:
        factor = max(_SHRINK, _SAFETY * error**-0.2) if math.isfinite(error) else _SHRINK
        self.width = width * factor
        self.solution.rejected += 1
        if self.width < 1e-14 * max(1.0, abs(self.time)):
            raise SolverError(f"no step is short enough at t = {self.time:g} s")

    def _accept(self, width: float, after: Reals) -> None:
        """Keeps the step, or as much of it as its guards and breaks allow."""
        piece = np.column_stack((np.asarray(self.state), width * (self.stages.T @ _P)))
        reached, guard = self._first_crossing(width, piece)
        if reached > 0:
            end = self.time + width * reached
            self.solution._append(self.time, width, piece, end)
            self.state = after.tolist() if reached == 1 else _at(piece, reached)
            self.time = end
            self.switched_here = 0
        if reached == 1 and guard is None:
            self.stages[0] = self.stages[_STAGES]
            return
        if guard is not None:
            self._switch(guard)
        self.stages[0] = self._slope(self.time, self.state)

    def _switch(self, guard: int) -> None:
        self.mode, self.state = self.equation.switch(self.time, self.state, self.mode, guard)
        insort(self.breaks, (self.time, 0))
        self.switched_here += 1
        self.solution.switches += 1

    def _first_crossing(self, width: float, piece: Reals) -> tuple[float, int | None]:
        """The share of the step up to the first guard or break; which guard it was."""
        reached, first = 1.0, None
        if self.switched_here < _SWITCHES:
            ends = self.equation.guards(self.time + width, _at(piece, 1.0), self.mode)
            for guard, value in enumerate(ends):
                if value < 0 and (found := self._crossing(width, piece, guard)) < reached:
                    reached, first = found, guard
        lag = self._lag_crossing(width, piece)
        if lag >= reached:
            return reached, first
        _, level = self.breaks.pop(0)
        if level + 1 < _LEVELS:
            insort(self.breaks, (self.time + lag * width, level + 1))
        return lag, None

    def _crossing(self, width: float, piece: Reals, guard: int) -> float:
        def value(theta: float) -> float:
            state = _at(piece, theta)
            return self.equation.guards(self.time + theta * width, state, self.mode)[guard]

        low = 0.0 if value(0.0) > 0 else _HAIR
        return float(brentq(value, low, 1.0, xtol=1e-12)) if value(low) > 0 else 0.0

    def _lag_crossing(self, width: float, piece: Reals) -> float:
        """The share of the step at which the equation meets the next kink of its past; 1 if it does not."""

        def beyond(theta: float) -> float:
            time = self.time + theta * width
            return time - self.equation.delay(time, _at(piece, theta)) - self.breaks[0][0]

        while self.breaks and beyond(1.0) > 0:
            found = float(brentq(beyond, 0.0, 1.0, xtol=1e-12)) if beyond(0.0) < 0 else 0.0
            if found > _NOTHING:
                return found
            self.breaks.pop(0)
        return 1.0


def _at(piece: Reals, theta: float) -> list[float]:
    """The quartic of a step at a share of it."""
    return [a + theta * (b + theta * (c + theta * (d + theta * e))) for a, b, c, d, e in piece.tolist()]
