"""Fairness of a run: Jain's index of what flows of one kind have delivered.

Bulk TCP flows take as much as they can get, so the network decides what each of them has. A call of 64 kbit/s
or a transfer of ten packets has what it asks for; an index over these and bulk flows would say nothing of
either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parshall.scenario import Scenario

__all__ = ["compared_flows", "fairness"]

_BULK = ("tcp", "bulk")


def compared_flows(scenario: Scenario, among: Iterable[int] | None = None) -> list[int]:
    """The indices of the flows that fairness compares, of all flows unless ``among`` names some: the TCP
    flows with the application ``bulk``, whatever their congestion control, start and route. Where there are
    none it is all flows if they have one transport and one kind of application, and otherwise none.
    """
    indices = range(len(scenario.flows)) if among is None else among
    kinds = {
        index: (scenario.flows[index].transport.kind, scenario.flows[index].app.kind) for index in indices
    }
    compared = _BULK if _BULK in kinds.values() else next(iter(kinds.values()), _BULK)
    if compared != _BULK and len(set(kinds.values())) > 1:
        return []
    return [index for index, kind in kinds.items() if kind == compared]


def fairness(delivered: Sequence[float], compared: Iterable[int]) -> float:
    """Jain's index of the flows ``compared``, from what all flows have delivered (Jain, Chiu and Hawe 1984):
    1 where all have the same, 1 / n where one of n has everything. NaN without such flows, or when they have
    delivered nothing.
    """
    # Without NumPy, which takes longer to load than most runs.
    amounts = [float(delivered[index]) for index in compared]
    squares = sum(amount * amount for amount in amounts)
    return sum(amounts) ** 2 / (len(amounts) * squares) if squares else float("nan")
