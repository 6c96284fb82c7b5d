"""JSON Schema of a scenario file, for editors and for checking files without Parshall."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from parshall.scenario.base import PLAIN_TEXTS, Model
from parshall.scenario.docs import class_doc, field_docs
from parshall.scenario.dumbbell import Dumbbell
from parshall.scenario.faults import models_in
from parshall.scenario.model import Scenario
from parshall.scenario.toml import COMMON

__all__ = ["definitions", "json_schema", "tables"]


def json_schema() -> dict[str, Any]:
    """The schema of a scenario file: a network written out, or a ``[dumbbell]``."""
    models = definitions(Scenario, Dumbbell)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Parshall scenario",
        "description": class_doc(Scenario),
        "oneOf": [{"$ref": "#/$defs/Scenario"}, {"$ref": "#/$defs/DumbbellFile"}],
        "$defs": {
            **models,
            "DumbbellFile": _file(models["Dumbbell"]),
            "Dumbbell": _inner(models["Dumbbell"]),
        },
    }


def definitions(*roots: type[Model]) -> dict[str, Any]:
    """The schema of each class that files with these at their top are made of, by its name."""
    before = PLAIN_TEXTS.set(True)
    try:
        _, made = models_json_schema([(root, "validation") for root in roots], schema_generator=_Generator)
    finally:
        PLAIN_TEXTS.reset(before)
    classes = {model.__name__: model for model in tables(*roots)}
    return {
        name: _described(classes[name], _with_kind(_without_null(schema)))
        for name, schema in made["$defs"].items()
    }


class _Generator(GenerateJsonSchema):
    """Pydantic's generator, with defaults as a file would have them and without made-up titles."""

    def encode_default(self, default: Any) -> Any:
        if isinstance(default, Model):
            return default.canonical()
        return super().encode_default(default)

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def tables(*roots: type[Model]) -> list[type[Model]]:
    """The classes that a file is made of, a scenario file unless said otherwise, each before those that it
    holds.
    """
    found: dict[type[Model], None] = {}
    for model in roots or (Scenario, Dumbbell):
        _collect(model, found)
    return list(found)


def _collect(model: type[Model], found: dict[type[Model], None]) -> None:
    if model in found:
        return
    found[model] = None
    for field in model.model_fields.values():
        for inner in models_in(field.annotation):
            _collect(inner, found)


def _described(model: type[Model], schema: dict[str, Any]) -> dict[str, Any]:
    """A table's schema with the texts under its fields."""
    docs = field_docs(model)
    properties = {
        name: {"description": docs.get(name, ""), **field} for name, field in schema["properties"].items()
    }
    return {**schema, "description": class_doc(model), "properties": properties}


def _with_kind(model: dict[str, Any]) -> dict[str, Any]:
    """A table names its kind, although Python fills it in."""
    if "kind" not in model["properties"]:
        return model
    return {**model, "required": ["kind", *model.get("required", [])]}


def _file(bell: dict[str, Any]) -> dict[str, Any]:
    """What stands at the top of a file with a dumbbell."""
    properties = {name: bell["properties"][name] for name in COMMON}
    return {
        "title": "A scenario with a dumbbell",
        "type": "object",
        "additionalProperties": False,
        "properties": {**properties, "dumbbell": {"$ref": "#/$defs/Dumbbell"}},
        "required": [name for name in COMMON if name in bell["required"]] + ["dumbbell"],
    }


def _inner(bell: dict[str, Any]) -> dict[str, Any]:
    """The ``[dumbbell]`` table itself."""
    return {
        **bell,
        "properties": {name: schema for name, schema in bell["properties"].items() if name not in COMMON},
        "required": [name for name in bell["required"] if name not in COMMON],
    }


def _without_null(schema: Any) -> Any:
    """A TOML file has no null: a key is left out instead."""
    if isinstance(schema, list):
        return [_without_null(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {
        key: _without_null(value) for key, value in schema.items() if not (key == "default" and value is None)
    }
    options = [option for option in plain.get("anyOf", []) if option != {"type": "null"}]
    if len(options) == 1:
        return {**{key: value for key, value in plain.items() if key != "anyOf"}, **options[0]}
    return {**plain, "anyOf": options} if options else plain
