"""JSON Schema of a sweep file, for editors and for checking files without Parshall."""

from __future__ import annotations

from typing import Any

from parshall.scenario import schema as scenarios
from parshall.sweep.file import SweepFile
from parshall.sweep.model import definitions
from parshall.sweep.parameter import Parameter

__all__ = ["json_schema"]


def json_schema() -> dict[str, Any]:
    """The schema of a sweep file, with that of the scenario that it may hold."""
    base = scenarios.json_schema()
    own = definitions(SweepFile, Parameter)
    file = own.pop("SweepFile")
    properties = file["properties"]
    properties["scenario"] |= {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/ScenarioFile"}]}
    del properties["scenario"]["type"]
    properties["parameters"]["additionalProperties"] = {
        "anyOf": [{"$ref": "#/$defs/Parameter"}, {"type": "array", "minItems": 1}]
    }
    return {
        "$schema": base["$schema"],
        **file,
        "title": "Parshall sweep",
        "$defs": {**base["$defs"], **own, "ScenarioFile": {"oneOf": base["oneOf"]}},
    }
