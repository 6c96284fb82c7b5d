"""Units of a sweep's columns, for axes and tables: of parameters from how their values are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from parshall.errors import InputError
from parshall.units import DURATION, RATE, SIZE

if TYPE_CHECKING:
    from parshall.sweep.metric import Metric
    from parshall.sweep.parameter import Parameter

__all__ = ["units_of"]

_DIMENSIONS = (RATE, DURATION, SIZE)
_WORDS = {
    "bit/s": ("rate", "cir", "pir"),
    "s": ("delay", "duration", "start", "rtt", "target", "jitter"),
    "bytes": ("bytes",),
    "packets": ("packets",),
}
"""Last words of the names of fields whose values are in these units."""


def units_of(parameters: Mapping[str, Parameter], metrics: Mapping[str, Metric]) -> dict[str, str]:
    """Units of the columns by name: ``bit/s``, ``s``, ``bytes``, ``packets`` or ``share``; a column without
    one is not there.
    """
    units = {name: _of_parameter(name, parameter) for name, parameter in parameters.items()}
    units |= {name: metric.unit for name, metric in metrics.items()}
    return {name: unit for name, unit in units.items() if unit}


def _of_parameter(name: str, parameter: Parameter) -> str:
    """The unit in which a value is written, as in ``"2 Mbit/s"``; else that of the field's name."""
    if isinstance(parameter.values, Mapping) or parameter.set:
        return ""
    written = [*(parameter.values or ()), parameter.low, parameter.high]
    for value in written:
        for dimension in _DIMENSIONS:
            if isinstance(value, str) and _is_of(dimension, value):
                return dimension.base
    last = parameter.paths(name)[0].rpartition(".")[2]
    given = [value for value in written if value is not None]
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in given)
    for unit, words in _WORDS.items():
        if numbers and last.rpartition("_")[2] in words:
            return unit
    return ""


def _is_of(dimension: Any, value: str) -> bool:
    if not any(letter.isalpha() for letter in value):
        return False
    try:
        dimension.parse(value, zero=True)
    except InputError:
        return False
    return True
