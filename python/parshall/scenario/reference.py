"""The reference part of docs/scenario.md, made from the classes so that it cannot go stale.

``python -m parshall.scenario.reference docs/scenario.md`` writes it anew between its two marks.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from parshall.scenario.profiles import table
from parshall.scenario.schema import json_schema, parts
from parshall.scenario.takes import takes
from parshall.support.files import write_file

__all__ = ["BEGIN", "END", "reference"]

BEGIN = "<!-- reference: made by python -m parshall.scenario.reference docs/scenario.md -->"
END = "<!-- end of reference -->"


def reference() -> str:
    """A section for each table of a scenario file, with its fields."""
    definitions = json_schema()["$defs"]
    return "\n".join(line for name in parts() for line in _section(name, definitions[name]))


def _section(part: str, schema: dict[str, Any]) -> Iterator[str]:
    kind = schema["properties"].get("kind", {}).get("const")
    text = schema["description"]
    yield from (f"### {part}", "", f"`kind = {json.dumps(kind)}`. {text}" if kind else text, "")
    rows = [(name, field) for name, field in schema["properties"].items() if name != "kind"]
    if rows:
        yield from ("| field | takes | default | meaning |", "|---|---|---|---|")
    for name, field in rows:
        meaning = field["description"].replace("|", "\\|")
        kinds = takes(field, _link, code="`")
        yield f"| `{name}` | {kinds} | {_default(name, field, schema)} | {meaning} |"
    yield ""
    if part == "Tcp":
        yield from ("#### Profiles", "", "Fields that are left out have these values.", "", *table(), "")


def _default(name: str, field: dict[str, Any], schema: dict[str, Any]) -> str:
    if name in schema.get("required", []):
        return "required"
    if field.get("default") in (None, "", [], {}):
        return ""
    return f"`{json.dumps(field['default'])}`"


def _link(name: str) -> str:
    """A link to the section of a table, or to that of quantities, in which no name is capital."""
    return f"[{name}](#{name.lower() if name[0].isupper() else 'quantities'})"


def _rewrite(path: Path) -> None:
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    write_file(path, f"{before}{BEGIN}\n\n{reference()}\n{END}{after}")


if __name__ == "__main__":
    _rewrite(Path(sys.argv[1]))
