"""Weights of the current queue in its average."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/weights.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from parshall.scenario.base import Part

if TYPE_CHECKING:
    from parshall.scenario.quantities import Table

__all__ = [
    "AnyWeight",
    "FixedWeight",
    "WeightFromRate",
]


class FixedWeight(Part):
    """A given weight. In its place a number may stand."""

    kind: Literal["fixed"] = "fixed"
    """Names this kind of weight."""
    value: float
    """Weight of the current queue in its average."""


class WeightFromRate(Part):
    """A weight of ``1 - exp(-1 / packets per second)``: the average has a time constant of one second."""

    kind: Literal["from-rate"] = "from-rate"
    """Names this kind of weight."""


AnyWeight: TypeAlias = FixedWeight | WeightFromRate
"""Any kind of weight."""

if TYPE_CHECKING:
    AnyWeightGiven: TypeAlias = AnyWeight | Table | Literal["from-rate"]
