"""Laws of random times and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator

from parshall.errors import InputError, shown
from parshall.scenario import readers
from parshall.scenario.base import Model, OrElse, one_of
from parshall.scenario.quantities import Amount, Amounts, ChoiceWeights, NotNegative, TailExponent

if TYPE_CHECKING:
    from parshall.scenario.quantities import Given, Table
else:
    from parshall.scenario.quantities import AMOUNT

__all__ = [
    "ChoiceLaw",
    "ConstantLaw",
    "ExponentialLaw",
    "LognormalLaw",
    "LomaxLaw",
    "NumberLaw",
    "ParetoLaw",
    "TimeLaw",
    "UniformLaw",
]


class ConstantLaw(Model):
    """Always the same. In its place the value may stand."""

    kind: Literal["constant"] = "constant"
    """Names this law."""
    value: Amount
    """The value: a number, or a time in seconds or with a unit."""


class ExponentialLaw(Model):
    """Exponentially distributed."""

    kind: Literal["exponential"] = "exponential"
    """Names this law."""
    mean: Amount
    """The mean: a number, or a time in seconds or with a unit."""


class ParetoLaw(Model):
    """Pareto distributed: ``P(X > x) = (scale / x)^shape`` above ``scale = mean (shape - 1) / shape``."""

    kind: Literal["pareto"] = "pareto"
    """Names this law."""
    mean: Amount
    """The mean: a number, or a time in seconds or with a unit."""
    shape: TailExponent
    """Tail exponent, above 1 so that there is a mean."""


class LomaxLaw(Model):
    """Pareto distributed of the second kind, from 0 on (Lomax 1954; ns-2's ParetoII):
    ``P(X > x) = (1 + x / scale)^-shape`` with ``scale = mean (shape - 1)``.
    """

    kind: Literal["lomax"] = "lomax"
    """Names this law."""
    mean: Amount
    """The mean: a number, or a time in seconds or with a unit."""
    shape: TailExponent
    """Tail exponent, above 1 so that there is a mean."""


class UniformLaw(Model):
    """Uniformly distributed."""

    kind: Literal["uniform"] = "uniform"
    """Names this law."""
    low: Amount
    """The least value: a number, or a time in seconds or with a unit."""
    high: Amount
    """The greatest one."""


class LognormalLaw(Model):
    """Lognormally distributed."""

    kind: Literal["lognormal"] = "lognormal"
    """Names this law."""
    mean: Amount
    """The mean: a number, or a time in seconds or with a unit."""
    sigma: NotNegative
    """Standard deviation of the logarithm."""


class ChoiceLaw(Model):
    """One of a list, each as often as its weight says."""

    kind: Literal["choice"] = "choice"
    """Names this law."""
    values: Amounts
    """The list: numbers, or times in seconds or with a unit."""
    weights: ChoiceWeights
    """As many weights, whose sum need not be 1."""


if TYPE_CHECKING:
    _Laws: TypeAlias = (
        ConstantLaw | ExponentialLaw | ParetoLaw | LomaxLaw | UniformLaw | LognormalLaw | ChoiceLaw
    )
    TimeLaw: TypeAlias = Given[_Laws, _Laws | Table | float | str]
    NumberLaw: TypeAlias = Given[_Laws, _Laws | Table | float]
else:
    _LAWS = one_of(ConstantLaw, ExponentialLaw, ParetoLaw, LomaxLaw, UniformLaw, LognormalLaw, ChoiceLaw)
    _AMOUNTS = ("value", "mean", "low", "high")

    def _time_law(value: object) -> object:
        """A bare time is a constant."""
        if isinstance(value, Mapping | Model):
            return value
        return ConstantLaw(value=readers.level_not_negative(value))

    def _number_law(value: object) -> object:
        """A bare number is a constant, and no number has a unit."""
        if isinstance(value, Model):
            return value
        if not isinstance(value, Mapping):
            return ConstantLaw(value=readers.not_negative(value))
        for name in _AMOUNTS:
            if isinstance(value.get(name), str):
                raise InputError(name, shown(value[name]), "a number of at least 0")
        for place, each in enumerate(value.get("values", ())):
            if isinstance(each, str):
                raise InputError(f"values[{place}]", shown(each), "a number of at least 0")
        return value

    _NUMBER = {"type": "number", "minimum": 0}
    TimeLaw = Annotated[_LAWS, BeforeValidator(_time_law), OrElse(AMOUNT)]
    NumberLaw = Annotated[_LAWS, BeforeValidator(_number_law), OrElse(_NUMBER)]


def constant(value: float) -> Any:
    """The default of a law that is constant."""
    return ConstantLaw.known(value=value)


def exponential(mean: float) -> Any:
    """The default of a law that is exponential."""
    return ExponentialLaw.known(mean=mean)
