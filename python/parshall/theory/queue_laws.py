"""Mean waiting times for Poisson arrivals, and Little's law. Times are seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parshall.errors import InputError, shown
from parshall.estimators.typed import typed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["little_backlog", "md1_wait", "mm1_wait", "pollaczek_khinchine_wait"]


@typed
def pollaczek_khinchine_wait(arrival_rate: float, services: ArrayLike) -> float:
    """Mean time that a packet of an M/G/1 queue waits before its service starts.

    ``services`` are service times of equal probability; arrivals are Poisson with ``arrival_rate`` a second:
    lambda E[S^2] / (2 (1 - rho)) (Kleinrock, Queueing Systems I, 1975, section 5.6). Raises InputError unless
    the load rho is in [0, 1).
    """
    sizes = np.asarray(services, dtype=np.float64)
    load = arrival_rate * float(np.mean(sizes))
    return arrival_rate * float(np.mean(sizes**2)) / (2 * (1 - _load(load)))


@typed
def md1_wait(load: float, service: float) -> float:
    """Mean wait when every service takes ``service``: rho S / (2 (1 - rho))."""
    return _load(load) * service / (2 * (1 - load))


@typed
def mm1_wait(load: float, service: float) -> float:
    """Mean wait when services are exponential with mean ``service``: rho S / (1 - rho)."""
    return _load(load) * service / (1 - load)


@typed
def little_backlog(arrival_rate: float, mean_delay: float) -> float:
    """Mean number in a system: the rate of what enters times how long it stays (Little, 1961)."""
    return arrival_rate * mean_delay


def _load(load: float) -> float:
    if not 0 <= load < 1:
        raise InputError("load", shown(load), "a load of at least 0 and below 1")
    return load
