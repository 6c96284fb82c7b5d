"""Points: the combinations of values that a sweep runs, each with its scenario, in the design's order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from parshall.errors import InputError, ScenarioError, shown
from parshall.scenario import Scenario
from parshall.sweep.base import Base, Label
from parshall.sweep.design import settings_of
from parshall.sweep.parameter import Parameter, Setting

__all__ = ["Point", "expanded"]


@dataclass(frozen=True)
class Point:
    """One combination of values."""

    parameters: Mapping[str, Label]
    """Entries of the table, by parameter."""
    scenario: Scenario
    hash: str
    """Hash of the scenario."""

    @property
    def name(self) -> str:
        """For people: ``rate=1000000, queue=red``."""
        return (
            ", ".join(f"{name}={_shown(label)}" for name, label in self.parameters.items()) or "the scenario"
        )


def expanded(base: Base, parameters: Mapping[str, Parameter], design: Any) -> tuple[Point, ...]:
    """Every point, checked. Samples that rounding makes equal are one point; values that are written twice
    are an error. Raises InputError, which names the value that does not fit.
    """
    bounds = {
        name: base.bounds(name, parameter) for name, parameter in parameters.items() if parameter.sampled()
    }
    points: dict[tuple[Label, ...], Point] = {}
    for settings in settings_of(design, parameters, bounds):
        scenario, labels = base.built(settings)
        key = tuple(labels.values())
        if key not in points:
            points[key] = Point(labels, _checked(scenario, settings), scenario.hash)
        elif not bounds:
            raise _twice(settings, points[key])
    return tuple(points.values())


def _checked(scenario: Scenario, settings: Mapping[str, Setting]) -> Scenario:
    """Faults that only the whole network shows: names, routes, duplicates."""
    try:
        return scenario.check()
    except ScenarioError as error:
        places = ", ".join(setting.place for setting in settings.values())
        where = f"{places} (at {error.path})" if places else f"scenario.{error.path}"
        raise ScenarioError(where, error.value, error.expected) from None


def _twice(settings: Mapping[str, Setting], point: Point) -> InputError:
    places = ", ".join(setting.place for setting in settings.values())
    values = ", ".join(shown(setting.value) for setting in settings.values())
    return InputError(places, f"{values} twice ({point.name})", "points that differ")


def _shown(label: Label) -> str:
    return f"{label:.10g}" if isinstance(label, float) else str(label)
