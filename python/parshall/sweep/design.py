"""Designs: which combinations of the parameters' values are run.

A grid takes all of them. A list names them one by one. A sampled design spreads points over the bounds of the
sampled parameters, and crosses them with the values of the others, so that each sees the same sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import PlainValidator, WithJsonSchema

from parshall.control import exp, log
from parshall.errors import InputError, shown
from parshall.sweep.model import Model, one_of
from parshall.sweep.parameter import Parameter, Setting
from parshall.sweep.readers import U32_MAX, whole

__all__ = ["Bounds", "Design", "Grid", "LatinHypercube", "Listed", "Sobol", "settings_of"]

Count = Annotated[
    int,
    PlainValidator(whole(1, U32_MAX)),
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": U32_MAX}),
]
DesignSeed = Annotated[
    int, PlainValidator(whole(0, U32_MAX)), WithJsonSchema({"type": "integer", "minimum": 0})
]

Bounds = Mapping[str, tuple[float, float, bool]]
"""By sampled parameter: its bounds as numbers, and whether samples are whole numbers."""


class Grid(Model):
    """Every combination of values; the last parameter varies fastest."""

    kind: Literal["grid"] = "grid"
    """Names this design."""


class Listed(Model):
    """The points that are listed, and no others."""

    kind: Literal["list"] = "list"
    """Names this design."""
    points: tuple[dict[str, Any], ...]
    """Each a table with a value, or a label, for every parameter."""


class LatinHypercube(Model):
    """A Latin hypercube (McKay, Beckman and Conover 1979): in each sampled parameter alone, one point in each
    of ``n`` equal parts. Another ``n`` gives other points.
    """

    kind: Literal["latin-hypercube"] = "latin-hypercube"
    """Names this design."""
    n: Count
    """Points."""
    seed: DesignSeed = 1
    """Seed of the sample; it has nothing to do with the seeds of the runs."""

    def unit_sample(self, dimensions: int) -> NDArray[np.float64]:
        """Points in the unit cube, shape (n, dimensions)."""
        from scipy.stats import qmc

        sampler = qmc.LatinHypercube(dimensions, seed=np.random.default_rng(self.seed))
        return np.asarray(sampler.random(self.n))


class Sobol(Model):
    """A scrambled Sobol' sequence (Sobol' 1967, Owen 1998). A longer one begins with the points of a shorter
    one of the same seed, so that a sweep can be refined.
    """

    kind: Literal["sobol"] = "sobol"
    """Names this design."""
    n: Count
    """Points: a power of 2, without which the sequence is not balanced."""
    seed: DesignSeed = 1
    """Seed of the scrambling; it has nothing to do with the seeds of the runs."""

    def unit_sample(self, dimensions: int) -> NDArray[np.float64]:
        """Points in the unit cube, shape (n, dimensions). Raises InputError when n is no power of 2."""
        from scipy.stats import qmc

        if self.n & (self.n - 1):
            raise InputError(
                "design.n", shown(self.n), "a power of 2, which keeps a Sobol' sequence balanced"
            )
        sampler = qmc.Sobol(dimensions, scramble=True, seed=np.random.default_rng(self.seed))
        return np.asarray(sampler.random_base2(self.n.bit_length() - 1))


if TYPE_CHECKING:
    Design: TypeAlias = Grid | Listed | LatinHypercube | Sobol
else:
    Design = one_of(Grid, Listed, LatinHypercube, Sobol)


def settings_of(
    design: Any, parameters: Mapping[str, Parameter], bounds: Bounds
) -> Iterator[dict[str, Setting]]:
    """The points of a design, each with a setting for every parameter. Raises InputError."""
    if isinstance(design, Listed):
        return _listed(design, parameters)
    _require_values(design, parameters)
    return _crossed(design, parameters, bounds)


def _require_values(design: Any, parameters: Mapping[str, Parameter]) -> None:
    """A grid needs values of every parameter, a sample bounds of at least one."""
    for name, parameter in parameters.items():
        place = f"parameters.{name}"
        if isinstance(design, Grid) and parameter.sampled():
            raise InputError(place, "low and high", "values: a grid has no samples (design.kind)")
        if not parameter.sampled() and not parameter.listed():
            raise InputError(place, "nothing", "values, set, or low and high")
    if not isinstance(design, Grid) and not any(parameter.sampled() for parameter in parameters.values()):
        raise InputError(
            "parameters", "no low and high", f"a parameter with bounds to sample ({design.kind})"
        )


def _crossed(
    design: Any, parameters: Mapping[str, Parameter], bounds: Bounds
) -> Iterator[dict[str, Setting]]:
    sampled = [name for name, parameter in parameters.items() if parameter.sampled()]
    given = {
        name: parameter.settings(name, f"parameters.{name}")
        for name, parameter in parameters.items()
        if name not in sampled
    }
    samples = list(_samples(design, {name: parameters[name] for name in sampled}, bounds)) or [{}]
    for combination in product(*given.values()):
        chosen = dict(zip(given, combination, strict=True))
        for sample in samples:
            both = {**chosen, **sample}
            yield {name: both[name] for name in parameters}


def _samples(
    design: Any, parameters: Mapping[str, Parameter], bounds: Bounds
) -> Iterator[dict[str, Setting]]:
    if not parameters:
        return
    unit = design.unit_sample(len(parameters))
    columns = {
        name: _scaled(unit[:, index], *bounds[name], parameter.scale)
        for index, (name, parameter) in enumerate(parameters.items())
    }
    for row in range(len(unit)):
        yield {
            name: parameters[name].setting(name, columns[name][row], f"parameters.{name}")
            for name in parameters
        }


def _scaled(
    unit: NDArray[np.float64], low: float, high: float, integers: bool, scale: str
) -> Sequence[float | int]:
    """Samples of [0, 1) between the bounds. Whole numbers are rounded down from [low, high + 1), so that
    each, the bounds included, has its fair share.
    """
    top = high + 1 if integers else high
    if scale == "log":
        # NumPy's exponential has other last digits on other processors: a design would have other scenarios.
        start, width = log(low), log(top) - log(low)
        values = np.array([exp(start + width * part) for part in unit])
    else:
        values = low + unit * (top - low)
    if integers:
        return [int(value) for value in np.clip(np.floor(values), low, high)]
    return [float(value) for value in np.clip(values, low, high)]


def _listed(design: Listed, parameters: Mapping[str, Parameter]) -> Iterator[dict[str, Setting]]:
    if not design.points:
        raise InputError("design.points", "none", "at least one point")
    for index, point in enumerate(design.points):
        place = f"design.points[{index}]"
        for name in point:
            if name not in parameters:
                raise InputError(f"{place}.{name}", "an unknown parameter", f"one of {', '.join(parameters)}")
        for name in parameters:
            if name not in point:
                raise InputError(f"{place}.{name}", "nothing", "a value for every parameter")
        yield {
            name: parameter.picked(name, point[name], f"{place}.{name}", f"parameters.{name}")
            for name, parameter in parameters.items()
        }
