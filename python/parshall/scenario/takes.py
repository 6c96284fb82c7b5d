"""Words for what a field takes, from its JSON Schema: for the reference in docs/ and for ``help``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from parshall.units import DURATION, RATE, SIZE

__all__ = ["takes"]

_QUANTITIES = {dimension.example: dimension.name for dimension in (RATE, DURATION, SIZE)}
_SIMPLE = {"integer": "whole number", "number": "number", "string": "text"}


def takes(field: dict[str, Any], link: Callable[[str], str] = str, code: str = "") -> str:
    """The kinds of values of a field, with commas between them. ``link`` makes a reference of the name of a
    table or of ``quantities``, ``code`` stands around what is written literally.
    """
    if "$ref" in field:
        return link(field["$ref"].rsplit("/", 1)[1])
    if "enum" in field:
        return ", ".join(f"{code}{json.dumps(value)}{code}" for value in field["enum"])
    if "examples" in field:
        quantity = link(_QUANTITIES[field["examples"][0]])
        listed = any(option.get("type") == "array" for option in field["anyOf"])
        return f"{quantity}, or a list" if listed else quantity
    if options := field.get("oneOf") or field.get("anyOf"):
        return ", ".join(dict.fromkeys(takes(option, link, code) for option in options))
    return _simple(field, link, code)


def _simple(field: dict[str, Any], link: Callable[[str], str], code: str) -> str:
    kind = field.get("type", "")
    if kind == "boolean":
        return f"{code}true{code}, {code}false{code}"
    if kind == "object":
        if "properties" not in field:
            return "a table of numbers, flags, text or lists"
        return code + "{ " + ", ".join(f'{key} = "FILE"' for key in field["properties"]) + " }" + code
    if kind == "array":
        items = field.get("items") or {}
        pairs = f"list of {code}[time, packets]{code}"
        return pairs if "prefixItems" in items else f"list of {takes(items, link, code)}"
    return _SIMPLE.get(kind, "value")
