"""``python -m tests.schema_fields`` prints the JSON Schema of scenarios, a field a line, without texts.

Texts of fields stand in the classes in ``python/parshall/scenario/parts``. Patterns of units, which many
fields have, stand once, at the end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

__all__ = ["lines"]

_TEXTS = {"title", "description", "examples"}


def lines(schema: dict[str, Any]) -> Iterator[str]:
    """Lines of a schema; a change of any range, kind, unit or default changes one of them."""
    patterns: dict[str, str] = {}
    whole = {key: value for key, value in schema.items() if key != "$defs"}
    for name, part in {"file": whole, **schema["$defs"]}.items():
        fields = part.get("properties", {})
        rest = {key: value for key, value in part.items() if key != "properties"}
        yield f"{name} {_short(rest, patterns)}"
        yield from (f"    {field} {_short(takes, patterns)}" for field, takes in fields.items())
    yield from (f"{name} {pattern}" for pattern, name in patterns.items())


def _short(schema: dict[str, Any], patterns: dict[str, str]) -> str:
    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(each) for each in value]
        if not isinstance(value, dict):
            return value
        kept = {key: plain(each) for key, each in value.items() if key not in _TEXTS}
        if isinstance(pattern := kept.get("pattern"), str):
            kept["pattern"] = patterns.setdefault(pattern, f"pattern-{len(patterns) + 1}")
        return kept["$ref"].removeprefix("#/$defs/") if set(kept) == {"$ref"} else kept

    return json.dumps(plain(schema), ensure_ascii=False)


if __name__ == "__main__":
    from parshall.scenario.schema import json_schema

    print("\n".join(lines(json_schema())))
