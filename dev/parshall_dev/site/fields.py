"""Fields of scenario classes, as the reference shows them: what each takes, its default, and its meaning.

They are read from the text that ``help`` shows of a class.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Field", "definition_list", "fields", "plain", "without_fields"]

_ROLE = re.compile(r":\w+(?::\w+)?:`~?([^`<]*?)(?: <[^`]*>)?`")
_QUANTITIES = ("duration", "rate", "size")


@dataclass(frozen=True)
class Field:
    """A field of a scenario class."""

    name: str
    takes: str
    """Values that it takes, and its default, in words."""
    text: str
    """Its meaning."""


def plain(text: str) -> str:
    """A text of a docstring as Markdown: roles and double backquotes become code."""
    text = _ROLE.sub(lambda found: f"`{found[1].rpartition('.')[2]}`", text)
    return text.replace("``", "`").replace("|", "\\|")


def fields(kind: Any) -> list[Field]:
    """The fields of a scenario class; nothing for anything else."""
    if not (inspect.isclass(kind) and hasattr(kind, "model_fields")):
        return []
    lines = (inspect.getdoc(kind) or "").splitlines()
    cut = _start(lines)
    found: list[tuple[list[str], list[str]]] = []
    for line in lines[cut + 2 :] if cut is not None else []:
        if re.match(r"\w+ : ", line):
            found.append(([line], []))
        elif line.startswith("        ") and not found[-1][1]:
            found[-1][0].append(line)  # the words for what it takes go on
        else:
            found[-1][1].append(line)
    return [_field(" ".join(map(str.strip, head)), " ".join(map(str.strip, text))) for head, text in found]


def _field(head: str, text: str) -> Field:
    name, _, takes = head.partition(" : ")
    return Field(name, takes, text)


def definition_list(kind: Any, files: Mapping[str, str]) -> str:
    """The fields as a definition list in Markdown; ``files`` has the pages of other classes."""
    found = fields(kind)
    if not found:
        return ""
    own = kind.model_fields.get("kind")
    first = f"In a file: `kind = {json.dumps(own.default)}`.\n\n" if own is not None else ""
    return first + "\n".join(_entries(found, kind, files))


def _entries(found: list[Field], kind: Any, files: Mapping[str, str]) -> Iterator[str]:
    def linked(word: re.Match[str]) -> str:
        if word[0] in files:
            return f"[{word[0]}]({files[word[0]]})"
        return f"[{word[0]}](../../scenario.md#quantities)" if word[0] in _QUANTITIES else word[0]

    for field in found:
        takes, default, value = field.takes.partition("; ")
        takes = re.sub(r'(?<!["\w])\w+(?![\w"])', linked, re.sub(r'"[^"]*"', r"`\g<0>`", takes))
        required = "; required" if kind.model_fields[field.name].is_required() else ""
        value = re.sub(r"^(.*) unless given$", r"`\1` unless given", value)
        yield f"`{field.name}`: {takes}{required or default}{value}\n: {plain(field.text)}\n"


def _start(lines: list[str]) -> int | None:
    """The line at which the section of fields begins."""
    for index in range(len(lines) - 1):
        if lines[index].strip() == "Fields" and set(lines[index + 1].strip()) == {"-"}:
            return index
    return None


def without_fields(lines: list[str]) -> None:
    """Cuts the section of fields, which stands on the page as a list of its own, from a docstring's lines."""
    cut = _start(lines)
    if cut is not None:
        del lines[cut:]
