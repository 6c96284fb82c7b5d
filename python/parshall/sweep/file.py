"""Sweep files: TOML in, a :class:`parshall.sweep.Sweep` out. Errors name the file, the line and the field."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, PlainValidator, WithJsonSchema

from parshall.engine.limits import MAX_SEED
from parshall.errors import InputError, ScenarioError, shown
from parshall.scenario import Dumbbell, Scenario
from parshall.scenario.files import parsed, placed, read_text
from parshall.scenario.toml import load_model, model_of
from parshall.sweep.design import Design, Grid
from parshall.sweep.model import Model
from parshall.sweep.parameter import Parameter, parameter_of
from parshall.sweep.readers import U32_MAX, list_of, names, text, whole
from parshall.sweep.stopping import StopRule
from parshall.sweep.sweep import METRICS, Sweep

__all__ = ["SweepFile", "load_sweep"]

_SCENARIO = {"dumbbell", "links", "flows", "hosts", "routers", "duration"}
"""Keys at the top of a scenario file."""
GRID: Any = Grid.known(kind="grid")
COUNTERS: Any = ("flows", "ports")


def _scenario(value: object) -> object:
    if isinstance(value, Mapping) or (isinstance(value, str) and value):
        return value
    raise InputError("", shown(value), "the name of a scenario file, or a table with a scenario")


def _seeds(value: object) -> int | tuple[int, ...]:
    if isinstance(value, list):
        return list_of(whole(0, MAX_SEED), 1)(value)
    return whole(1, U32_MAX)(value)


def _metrics(value: object) -> object:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and value and all(isinstance(name, str) for name in value):
        return tuple(value)
    if isinstance(value, Mapping) and value and all(isinstance(name, str) for name in value.values()):
        return dict(value)
    raise InputError(
        "", shown(value), "a list of metrics, or a table of metrics by the names of their columns"
    )


def _parameters(value: object) -> dict[str, Parameter]:
    if not isinstance(value, Mapping):
        raise InputError("", shown(value), "a table of parameters by name")
    return {name: parameter_of(each, name) for name, each in value.items()}


_TEXTS = {"type": "array", "items": {"type": "string"}, "minItems": 1}
_BY_NAME = {"type": "object", "additionalProperties": {"type": "string"}}
if TYPE_CHECKING:
    _Scenario = str | dict[str, Any]
    _Text = str
    _Names = tuple[str, ...]
    _Seeds = int | tuple[int, ...]
    _Metrics = tuple[str, ...] | dict[str, str]
    _Parameters = dict[str, Parameter]
else:

    def _field(held, read, schema):
        return Annotated[held, PlainValidator(read), WithJsonSchema(schema)]

    _NAME = {"type": "string", "minLength": 1}
    _LISTED = {"type": "array", "items": _NAME, "minItems": 0}
    _Text = _field(str, text, {"type": "string"})
    _Names = _field(tuple[str, ...], names, {"anyOf": [_NAME, _LISTED]})
    _Scenario = _field(object, _scenario, {"type": ["string", "object"]})
    _Seeds = _field(
        object,
        _seeds,
        {
            "anyOf": [
                {"type": "integer", "minimum": 1},
                {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1},
            ]
        },
    )
    _Metrics = _field(object, _metrics, {"anyOf": [{"type": "string"}, _TEXTS, _BY_NAME]})
    _Parameters = _field(dict, _parameters, {"type": "object"})


class SweepFile(Model):
    """Contents of a sweep file."""

    title: _Text = ""
    """For people."""
    scenario: _Scenario
    """The base: the name of a scenario file, relative to this one, or a table with what stands in one."""
    seeds: _Seeds = 10
    """Replicates of each point: so many, from 1 on, or these. All points have the same ones. Under ``stop``
    only a list counts."""
    metrics: _Metrics = METRICS
    """One number each for a run: a list of metrics, or a table of them by the names of their columns."""
    tables: _Names = COUNTERS
    """Tables that are written besides ``runs``: these two, or others that the scenario records."""
    design: Design = GRID
    """Which combinations of values are run."""
    parameters: _Parameters = Field(default_factory=dict)
    """Parameters by the names of their columns; a bare list stands for ``{ values = [...] }``."""
    stop: StopRule | None = None
    """When a point has had enough seeds."""

    def sweep(self, folder: Path) -> Sweep:
        """The sweep; files are looked for in ``folder``. Raises InputError."""
        return Sweep(
            scenario=self._base(folder),
            parameters=self.parameters,
            design=self.design,
            seeds=self.seeds,
            metrics=self.metrics,
            stop=self.stop,
            tables=self.tables,
            title=self.title,
        )

    def _base(self, folder: Path) -> Scenario | Dumbbell:
        if isinstance(self.scenario, str):
            return load_model(folder / self.scenario)
        try:
            model = model_of(self.scenario, folder)
            model.scenario().check()
        except ScenarioError as error:
            first, *others = (
                ScenarioError(f"scenario.{e.path}" if e.path else "scenario", e.value, e.expected)
                for e in error.all()
            )
            first.others = tuple(others)
            raise first from None
        return model


def load_sweep(path: str | Path) -> Sweep:
    """Reads a sweep file and checks every point. Raises ScenarioError for a fault in it or in its scenario,
    ParshallError for a file that cannot be read.
    """
    if not isinstance(path, str | Path):
        raise InputError("path", shown(path), "the name of a sweep file")
    file = str(path)
    text = read_text(file, "a sweep file")

    def read() -> Sweep:
        tables = parsed(text, "a sweep file")
        if "scenario" not in tables and _SCENARIO.intersection(tables):
            raise ScenarioError("", "a scenario file", "a sweep file; parshall run runs this one")
        try:
            return SweepFile.from_dict(tables).sweep(Path(file).parent).check()
        except ScenarioError:
            raise
        except InputError as error:
            raise ScenarioError(error.path, error.value, error.expected) from None

    return placed(read, file, text)
