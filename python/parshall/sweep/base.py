"""Base of a sweep: a scenario or dumbbell whose fields are set by path, or a function that builds one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

from parshall.errors import InputError, ScenarioError, shown
from parshall.scenario import Dumbbell, Scenario
from parshall.scenario.base import Part
from parshall.scenario.paths import parse
from parshall.sweep.lookup import look_up
from parshall.sweep.parameter import Parameter, Setting

__all__ = ["Base", "Builder", "Label", "base_of"]

Label: TypeAlias = bool | int | float | str
"""Entry of the table for a value."""
Builder: TypeAlias = Callable[..., Scenario | Dumbbell]
"""Called with a value for each parameter, by name."""

_OF_A_DUMBBELL = "dumbbell."
"""Paths into a dumbbell may begin with this, as they do in a file."""


class Base(Protocol):
    """Turns the settings of a point into a scenario, and into the labels that stand in the table."""

    def built(self, settings: Mapping[str, Setting]) -> tuple[Scenario, dict[str, Label]]:
        """Raises InputError, which names the setting that does not fit."""
        ...

    def bounds(self, name: str, parameter: Parameter) -> tuple[float, float, bool]:
        """The bounds of a sampled parameter as numbers, and whether its samples are whole numbers."""
        ...


def base_of(scenario: Scenario | Dumbbell | Builder) -> Base:
    """Returns the base of a sweep for a scenario, a dumbbell or a function."""
    if isinstance(scenario, Scenario | Dumbbell):
        return _Fields(scenario)
    if callable(scenario):
        return _Function(scenario)
    raise InputError("scenario", shown(scenario), "a Scenario, a Dumbbell, or a function that returns one")


class _Fields:
    """A scenario whose fields are set. Paths of a dumbbell are set before it becomes a network, then those
    that only a network has (``links[...]``, ``hosts``). Of a network that still is a dumbbell, as one in a
    file is, those that only a dumbbell has are set first.
    """

    def __init__(self, model: Scenario | Dumbbell) -> None:
        self.model = model

    def built(self, settings: Mapping[str, Setting]) -> tuple[Scenario, dict[str, Label]]:
        model: Scenario | Dumbbell = self.model
        labels: dict[str, Label] = {}
        for of_network in (False, True):
            if of_network:
                model = self._network(model, settings)
            for setting in settings.values():
                for path, value in setting.changes:
                    if self._of_network(path, setting) == of_network:
                        model = _replaced(model, path, value, setting)
            for name, setting in settings.items():
                first, _ = setting.changes[0]
                if self._of_network(first, setting) == of_network:
                    labels[name] = _label(model, first, setting)
        assert isinstance(model, Scenario)
        return model, {name: labels[name] for name in settings}

    def bounds(self, name: str, parameter: Parameter) -> tuple[float, float, bool]:
        low, high = (
            self._number(parameter, name, getattr(parameter, end), f"parameters.{name}.{end}")
            for end in ("low", "high")
        )
        integers = isinstance(low, int) if parameter.whole is None else parameter.whole
        return _checked_bounds(name, parameter, low, high, integers)

    def _number(self, parameter: Parameter, name: str, value: Any, place: str) -> float | int:
        """A bound as the field holds it: units are gone."""
        path = parameter.paths(name)[0]
        setting = Setting(value, None, place)
        model = self.model.scenario() if self._of_network(path, setting) else self.model
        held = _held(_replaced(model, path, value, setting), path)
        if isinstance(held, bool) or not isinstance(held, int | float):
            raise InputError(place, shown(value), f"a number; {path} is not a number")
        return held

    def _of_network(self, path: str, setting: Setting) -> bool:
        """Returns true if a path is one of the network that a dumbbell stands for, not of the dumbbell."""
        if path.startswith(_OF_A_DUMBBELL):
            return False
        try:
            first = parse(path)[0]
        except ScenarioError as error:
            raise _of_setting(error, setting) from None
        of_network = first in Scenario.model_fields
        return of_network and (isinstance(self.model, Scenario) or first not in Dumbbell.model_fields)

    def _network(self, model: Scenario | Dumbbell, settings: Mapping[str, Setting]) -> Scenario:
        try:
            return model.scenario()
        except ScenarioError as error:
            raise _of_point(error, settings) from None


def _own(path: str) -> str:
    return path.removeprefix(_OF_A_DUMBBELL)


def _held(model: Part, path: str) -> Any:
    """Returns the value at a path: of a dumbbell, of the one that a network stands for, or of a network."""
    of_bell = path.startswith(_OF_A_DUMBBELL) or parse(path)[0] not in Scenario.model_fields
    if isinstance(model, Scenario) and of_bell and model.dumbbell is not None:
        model = model.dumbbell
    return look_up(model, _own(path) if isinstance(model, Dumbbell) else path)


def _replaced(model: Any, path: str, value: Any, setting: Setting) -> Any:
    own = _own(path) if isinstance(model, Dumbbell) else path
    try:
        return model.replace(own, value)
    except ScenarioError as error:
        raise _of_setting(error, setting) from None


def _of_setting(error: InputError, setting: Setting) -> ScenarioError:
    where = f"{setting.place} (sets {error.path})" if error.path != "path" else setting.place
    return ScenarioError(where, error.value, error.expected)


def _of_point(error: InputError, settings: Mapping[str, Setting]) -> ScenarioError:
    """A fault that no setting has alone."""
    point = ", ".join(f"{name} = {shown(setting.value)}" for name, setting in settings.items())
    return ScenarioError(f"parameters ({point}): {error.path}", error.value, error.expected)


def _label(model: Part, path: str, setting: Setting) -> Label:
    """The number or text that the field now holds, unless the setting has a label of its own."""
    if isinstance(setting.label, str):
        return setting.label
    held = _held(model, path)
    if isinstance(held, Part):
        if isinstance(setting.value, Part | Mapping):
            return str(getattr(held, "kind", setting.value))
        # A number or text stands for a table: weights of 0.002 and 0.02 are two, not two of one kind.
        return str(setting.value) if setting.label is None else setting.label
    if isinstance(held, tuple):
        return ", ".join(str(item) for item in held)
    if isinstance(held, bool | int | float | str):
        return held
    return str(setting.value)


class _Function:
    """A function that is given the values by the parameters' names."""

    def __init__(self, build: Builder) -> None:
        self.build = build

    def built(self, settings: Mapping[str, Setting]) -> tuple[Scenario, dict[str, Label]]:
        for name, setting in settings.items():
            if [path for path, _ in setting.changes] != [name]:
                paths = ", ".join(path for path, _ in setting.changes)
                raise InputError(setting.place, paths, "no path: a function is given the value by its name")
        values = {name: setting.value for name, setting in settings.items()}
        try:
            built = self.build(**values)
        except TypeError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                expected = f"parameters that the function takes ({error})"
                raise InputError("parameters", ", ".join(settings), expected) from None
            raise
        except ScenarioError as error:
            raise _of_point(error, settings) from None
        if not isinstance(built, Scenario | Dumbbell):
            raise InputError("scenario", shown(built), "a function that returns a Scenario or a Dumbbell")
        try:
            return built.scenario(), {name: self._label(setting) for name, setting in settings.items()}
        except ScenarioError as error:
            raise _of_point(error, settings) from None

    def bounds(self, name: str, parameter: Parameter) -> tuple[float, float, bool]:
        for end in ("low", "high"):
            value = getattr(parameter, end)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InputError(f"parameters.{name}.{end}", shown(value), "a number")
        low, high = parameter.low, parameter.high
        integers = isinstance(low, int) and isinstance(high, int)
        if parameter.whole is not None:
            integers = parameter.whole
        return _checked_bounds(name, parameter, low, high, integers)

    @staticmethod
    def _label(setting: Setting) -> Label:
        if setting.label is not None:
            return setting.label
        if isinstance(setting.value, str):
            return setting.value
        raise InputError(
            setting.place,
            shown(setting.value),
            "a number or text, or values by label: values = { NAME = ... }",
        )


def _checked_bounds(
    name: str, parameter: Parameter, low: float, high: float, integers: bool
) -> tuple[float, float, bool]:
    if not (math.isfinite(low) and math.isfinite(high)):
        raise InputError(f"parameters.{name}.low", f"{low} to {high}", "finite bounds")
    if integers:
        for end, bound in (("low", low), ("high", high)):
            if bound != int(bound):
                raise InputError(f"parameters.{name}.{end}", shown(bound), "a whole number")
    if not low < high:
        raise InputError(f"parameters.{name}.high", shown(parameter.high), f"more than low, {parameter.low}")
    if parameter.scale == "log" and low <= 0:
        raise InputError(
            f"parameters.{name}.low", shown(parameter.low), "more than 0: the scale is a logarithm"
        )
    return low, high, integers
