"""Fields of scenario classes, as the reference shows them: what each takes, its default, and its meaning."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["definition_list", "field_names", "plain", "without_fields"]

_ROLE = re.compile(r":\w+(?::\w+)?:`~?([^`<]*?)(?: <[^`]*>)?`")


def plain(text: str) -> str:
    """A text of a docstring as Markdown: roles and double backquotes become code."""
    text = _ROLE.sub(lambda found: f"`{found[1].rpartition('.')[2]}`", text)
    return text.replace("``", "`").replace("|", "\\|")


def field_names(kind: Any) -> list[tuple[str, str]]:
    """Names and texts of the fields of a scenario class; nothing for anything else."""
    if not (inspect.isclass(kind) and hasattr(kind, "table_schema")):
        return []
    properties = kind.table_schema()["properties"]
    return [(name, field["description"]) for name, field in properties.items() if name != "kind"]


def definition_list(kind: Any, files: Mapping[str, str]) -> str:
    """The fields as a definition list in Markdown; ``files`` has the pages of other classes."""
    names = field_names(kind)
    if not names:
        return ""
    schema = kind.table_schema()
    own = kind.model_fields.get("kind")
    first = f"In a file: `kind = {json.dumps(own.default)}`.\n\n" if own is not None else ""
    return first + "\n".join(_entries(kind, names, schema, files))


def _entries(
    kind: Any, names: list[tuple[str, str]], schema: Mapping[str, Any], files: Mapping[str, str]
) -> Iterator[str]:
    from parshall.scenario.takes import takes

    def link(name: str) -> str:
        if name in files:
            return f"[{name}]({files[name]})"
        return name if name[0].isupper() else f"[{name}](../../scenario.md#quantities)"

    for name, text in names:
        field = schema["properties"][name]
        default = "required" if kind.model_fields[name].is_required() else _default(field)
        kinds = takes(field, link, code="`")
        yield f"`{name}`: {kinds}{'; ' + default if default else ''}\n: {plain(text)}\n"


def _default(field: Mapping[str, Any]) -> str:
    value = field.get("default")
    return "" if value in (None, "", [], {}) else f"`{json.dumps(value)}` unless given"


def without_fields(lines: list[str]) -> None:
    """Cuts the section of fields, which stands on the page as a list of its own, from a docstring's lines."""
    for index in range(len(lines) - 1):
        if lines[index].strip() == "Fields" and set(lines[index + 1].strip()) == {"-"}:
            del lines[index:]
            return
