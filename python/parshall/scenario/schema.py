"""JSON Schema of a scenario file, for editors and for checking files without Parshall."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

__all__ = ["json_schema", "part_schema", "part_takes", "parts"]


def json_schema() -> dict[str, Any]:
    """The schema of a scenario file: a network written out, or a ``[dumbbell]``."""
    from parshall import _core

    schema: dict[str, Any] = json.loads(_core.scenario_schema())
    return schema


@cache
def part_schema(name: str) -> dict[str, Any]:
    """The schema of the table of a part; its references are to the definitions of :func:`json_schema`."""
    from parshall import _core

    schema: dict[str, Any] = json.loads(_core.scenario_part_schema(name))
    return schema


@cache
def parts() -> dict[str, dict[str, Any]]:
    """The crate's description of each part, by its name, each before those that it holds."""
    from parshall import _core

    return {part["name"]: part for part in json.loads(_core.scenario_parts())["parts"]}


def part_takes(name: str) -> dict[str, Any]:
    """The kind of values that each field of a part takes."""
    return {field["name"]: field["takes"] for field in parts()[name]["fields"]}
