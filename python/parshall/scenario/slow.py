"""Rates at which a packet takes longer than the run: mostly a rate without its unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parshall.scenario.canonical import as_given

if TYPE_CHECKING:
    from parshall.scenario.parts import Scenario

__all__ = ["slow_links"]


def slow_links(scenario: Scenario) -> str | None:
    """A sentence about links that send no packet in the time of the run; none where there are none."""
    from parshall import _core

    return _core.slow_links(as_given(scenario))
