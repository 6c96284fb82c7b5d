"""Non-responsive traffic: a constant rate, or a constant window."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from parshall.errors import InputError, shown
from parshall.estimators.typed import typed

__all__ = ["NOTHING", "ConstantRate", "ConstantWindow", "Unresponsive"]


class Unresponsive(Protocol):
    """A load that does not look at losses."""

    def arrivals(self, round_trip: float) -> float:
        """Packets a second, all flows together, at a round-trip time in seconds."""
        ...


@typed
@dataclass(frozen=True)
class ConstantRate:
    """``flows`` flows (N_u) that send ``rate`` packets a second each (X_u): Zhao 2004, eq. 2.1, 2.3 and A.2.

    Raises InputError for a negative or infinite number.
    """

    flows: float = 0.0
    rate: float = 0.0

    def __post_init__(self) -> None:
        _check(self, "flows", "rate")

    def arrivals(self, round_trip: float) -> float:
        return self.flows * self.rate


@typed
@dataclass(frozen=True)
class ConstantWindow:
    """``flows`` flows (N_u) that send ``window`` packets a round trip each (W_u): Zhao 2004, eq. 2.4.

    Raises InputError for a negative or infinite number.
    """

    flows: float
    window: float

    def __post_init__(self) -> None:
        _check(self, "flows", "window")

    def arrivals(self, round_trip: float) -> float:
        return self.flows * self.window / round_trip


def _check(load: object, *names: str) -> None:
    for name in names:
        value = getattr(load, name)
        if not 0 <= value < math.inf:
            raise InputError(name, shown(value), "a number of at least 0")


NOTHING = ConstantRate()
"""No such flows."""
