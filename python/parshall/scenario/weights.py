"""The weight of the current queue in RED's average."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator

from parshall.scenario import readers
from parshall.scenario.base import Model, OrElse, one_of
from parshall.scenario.quantities import Share

if TYPE_CHECKING:
    from parshall.scenario.quantities import Given, Table

__all__ = ["WEIGHT", "FixedWeight", "Weight", "WeightFromRate"]


class FixedWeight(Model):
    """A given weight. In its place a number may stand."""

    kind: Literal["fixed"] = "fixed"
    """Names this kind of weight."""
    value: Share
    """Weight of the current queue in its average."""


class WeightFromRate(Model):
    """A weight of ``1 - exp(-1 / packets per second)``: the average has a time constant of one second."""

    kind: Literal["from-rate"] = "from-rate"
    """Names this kind of weight."""


if TYPE_CHECKING:
    Weight: TypeAlias = Given[
        FixedWeight | WeightFromRate,
        FixedWeight | WeightFromRate | float | Literal["from-rate"] | Table,
    ]
else:
    _number = readers.real(lambda x: 0 < x <= 1, 'a number above 0, at most 1, or "from-rate"')

    def _weight(value: object) -> object:
        """A bare number is a fixed weight."""
        if isinstance(value, str | Mapping | Model):
            return value
        return FixedWeight(value=_number(value))

    Weight = Annotated[
        one_of(FixedWeight, WeightFromRate),
        BeforeValidator(_weight),
        OrElse({"type": "number", "exclusiveMinimum": 0, "maximum": 1}),
    ]

WEIGHT: Any = FixedWeight.known(value=0.002)
"""The default of a weight."""
