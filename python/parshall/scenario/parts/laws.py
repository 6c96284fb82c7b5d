"""Laws of random times and numbers."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/laws.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from parshall.scenario.base import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parshall.scenario.quantities import Given, Number, Table

__all__ = [
    "AnyLaw",
    "ChoiceLaw",
    "ConstantLaw",
    "ExponentialLaw",
    "LognormalLaw",
    "LomaxLaw",
    "ParetoLaw",
    "UniformLaw",
]


class ConstantLaw(Part):
    """Always the same. In its place the value may stand."""

    kind: Literal["constant"] = "constant"
    """Names this law."""
    value: Given[float, Number]
    """The value: a number, or a time in seconds or with a unit."""


class ExponentialLaw(Part):
    """Exponentially distributed."""

    kind: Literal["exponential"] = "exponential"
    """Names this law."""
    mean: Given[float, Number]
    """The mean: a number, or a time in seconds or with a unit."""


class ParetoLaw(Part):
    """Pareto distributed: ``P(X > x) = (scale / x)^shape`` above ``scale = mean (shape - 1) / shape``."""

    kind: Literal["pareto"] = "pareto"
    """Names this law."""
    mean: Given[float, Number]
    """The mean: a number, or a time in seconds or with a unit."""
    shape: float
    """Tail exponent, above 1 so that there is a mean."""


class LomaxLaw(Part):
    """Pareto distributed of the second kind, from 0 on (Lomax 1954; ns-2's ParetoII): ``P(X > x) = (1 + x /
    scale)^-shape`` with ``scale = mean (shape - 1)``.
    """

    kind: Literal["lomax"] = "lomax"
    """Names this law."""
    mean: Given[float, Number]
    """The mean: a number, or a time in seconds or with a unit."""
    shape: float
    """Tail exponent, above 1 so that there is a mean."""


class UniformLaw(Part):
    """Uniformly distributed."""

    kind: Literal["uniform"] = "uniform"
    """Names this law."""
    low: Given[float, Number]
    """The least value: a number, or a time in seconds or with a unit."""
    high: Given[float, Number]
    """The greatest one."""


class LognormalLaw(Part):
    """Lognormally distributed."""

    kind: Literal["lognormal"] = "lognormal"
    """Names this law."""
    mean: Given[float, Number]
    """The mean: a number, or a time in seconds or with a unit."""
    sigma: float
    """Standard deviation of the logarithm."""


class ChoiceLaw(Part):
    """One of a list, each as often as its weight says."""

    kind: Literal["choice"] = "choice"
    """Names this law."""
    values: Given[tuple[float, ...], Sequence[Number]]
    """The list: numbers, or times in seconds or with a unit."""
    weights: Given[tuple[float, ...], Sequence[float]]
    """As many weights, whose sum need not be 1."""


AnyLaw: TypeAlias = (
    ConstantLaw | ExponentialLaw | ParetoLaw | LomaxLaw | UniformLaw | LognormalLaw | ChoiceLaw
)
"""Any law."""

if TYPE_CHECKING:
    AnyLawGiven: TypeAlias = AnyLaw | Table
