"""Scenarios of the theory page, and running many of them with only what is asked kept of each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from parshall.scenario import Flow, Link, Record, Scenario

if TYPE_CHECKING:
    from parshall.tables import Result

__all__ = ["SENDER_PORT", "one_link", "run_each"]

SENDER_PORT = 0
"""Index of the port from sender to receiver in :func:`one_link`."""

_T = TypeVar("_T")
_WAIT_S = 0.2


def one_link(
    flows: Sequence[Flow],
    *,
    duration: float,
    rate: float,
    warm_up: float = 0.0,
    delay: float = 0.0,
    **more: Any,
) -> Scenario:
    """Two hosts, ``sender`` and ``receiver``, and one link. ``more`` may hold ``loss`` and ``record``."""
    return Scenario(
        duration=duration,
        warm_up=warm_up,
        hosts=["sender", "receiver"],
        links=[
            Link(between=("sender", "receiver"), name="link", rate=rate, delay=delay, loss=more.get("loss"))
        ],
        flows=flows,
        record=more.get("record", Record()),
    )


def run_each(
    jobs: Sequence[tuple[str, int]], keep: Callable[[int, Result], _T], threads: int | None
) -> list[_T]:
    """Runs every (canonical JSON, seed); ``keep`` turns the result of job number i into what is needed of it.

    Raises what a run raised.
    """
    from parshall import _core

    batch = _core.Batch(list(jobs), threads or os.cpu_count() or 1)
    kept: dict[int, _T] = {}
    try:
        while (finished := batch.next(_WAIT_S)) is not None:
            for index, result in finished:
                if isinstance(result, Exception):
                    raise result
                kept[index] = keep(index, result)
    finally:
        batch.cancel()
    return [kept[index] for index in range(len(jobs))]
