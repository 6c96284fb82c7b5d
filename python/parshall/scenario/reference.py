"""The reference part of docs/scenario.md, made from the classes so that it cannot go stale.

``python -m parshall.scenario.reference docs/scenario.md`` writes it anew between its two marks.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from parshall.scenario.docs import field_docs
from parshall.scenario.schema import json_schema, tables
from parshall.units import DURATION, RATE, SIZE

__all__ = ["BEGIN", "END", "reference"]

_QUANTITIES = {dimension.example: dimension.name for dimension in (RATE, DURATION, SIZE)}

BEGIN = "<!-- reference: made by python -m parshall.scenario.reference docs/scenario.md -->"
END = "<!-- end of reference -->"


def reference() -> str:
    """A section for each table of a scenario file, with its fields."""
    definitions = json_schema()["$defs"]
    return "\n".join(line for model in tables() for line in _section(model, definitions[model.__name__]))


def _section(model: type, schema: dict[str, Any]) -> Iterator[str]:
    kind = schema["properties"].get("kind", {}).get("const")
    text = " ".join((model.__doc__ or "").split()).replace("``", "`")
    yield from (f"### {model.__name__}", "", f"`kind = {json.dumps(kind)}`. {text}" if kind else text, "")
    rows = [(name, field) for name, field in schema["properties"].items() if name != "kind"]
    if rows:
        yield from ("| field | takes | default | meaning |", "|---|---|---|---|")
    for name, field in rows:
        meaning = field_docs(model).get(name, "").replace("``", "`").replace("|", "\\|")
        yield f"| `{name}` | {_takes(field)} | {_default(name, field, schema)} | {meaning} |"
    yield ""


def _default(name: str, field: dict[str, Any], schema: dict[str, Any]) -> str:
    if name in schema.get("required", []):
        return "required"
    if field.get("default") in (None, "", [], {}):
        return ""
    return f"`{json.dumps(field['default'])}`"


def _takes(field: dict[str, Any]) -> str:
    """What a field takes, from its schema."""
    if "$ref" in field:
        return _link(field)
    if "enum" in field:
        return ", ".join(f"`{json.dumps(value)}`" for value in field["enum"])
    if "examples" in field:
        quantity = f"[{_QUANTITIES[field['examples'][0]]}](#quantities)"
        listed = any(option.get("type") == "array" for option in field["anyOf"])
        return f"{quantity}, or a list" if listed else quantity
    if options := field.get("oneOf") or field.get("anyOf"):
        return ", ".join(dict.fromkeys(_takes(option) for option in options))
    return _simple(field)


def _simple(field: dict[str, Any]) -> str:
    kind = field["type"]
    if kind == "object":
        if "properties" not in field:
            return "a table of numbers, flags, text or lists"
        return "`{ " + ", ".join(f'{key} = "FILE"' for key in field["properties"]) + " }`"
    if kind == "array":
        items = field.get("items") or {"type": "value"}
        return f"list of {_takes(items)}" if "prefixItems" not in items else "list of `[time, packets]`"
    names = {"integer": "whole number", "number": "number", "string": "text", "boolean": "`true`, `false`"}
    return names[kind]


def _link(field: dict[str, Any]) -> str:
    name = field["$ref"].rsplit("/", 1)[1]
    return f"[{name}](#{name.lower()})"


def _rewrite(path: Path) -> None:
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    path.write_text(f"{before}{BEGIN}\n\n{reference()}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    _rewrite(Path(sys.argv[1]))
