"""The network of the theory page: two hosts and one link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parshall.scenario import Flow, Link, Record, Scenario

__all__ = ["SENDER_PORT", "one_link"]

SENDER_PORT = 0
"""Index of the port from sender to receiver in :func:`one_link`."""


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
