"""Python's classes of parts of scenarios, made of what the crate ``parshall-scenario`` says of its parts.

``python -m parshall_dev.scenario_classes`` writes ``python/parshall/scenario/parts`` anew; a test compares.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from parshall import _core

__all__ = ["files"]

_ROOT = Path(__file__).parents[2]
_PARTS = _ROOT / "python/parshall/scenario/parts"
_METHODS = _ROOT / "python/parshall/scenario/methods"
_CRATE = _ROOT / "crates/scenario/src/parts"
_WIDTH = 110
_MADE = "# Made by python -m parshall_dev.scenario_classes of {source}"
_PLAIN = {"whole": "int", "number": "float", "flag": "bool", "text": "str"}
_TAKEN = {
    "rate": ("float", "Number"),
    "duration": ("float", "Number"),
    "size": ("int", "Bytes"),
    "level": ("float", "Number"),
    "code point": ("int", "int | str"),
    "treatment": ("int | str", "int | str"),
    "values": ("dict[str, Any]", "Mapping[str, Any]"),
    "instants": ("tuple[float, ...]", "Sequence[Number]"),
    "duration or list": ("float | tuple[float, ...]", "Number | Sequence[Number]"),
    "writes": ("tuple[tuple[float, int], ...]", "Sequence[Sequence[Any]]"),
}
_OTHERWISE = {"level": " | Number", "number": " | float"}
_OWN = {
    "AnyApp": " | SourceBase | SharedSource",
    "AnyControl": " | ControlBase | SharedControl",
    "AnyMeter": " | MarkerBase | SharedMarker",
    "AnyQueue": " | QueueBase | SharedQueue",
    "ForecasterConfig": " | ForecasterBase | SharedForecaster",
    "RtoConfig": " | RtoFilterBase | SharedRtoFilter | RtoEstimator",
}
"""Objects that stand for one of a union: parts of the user's own, and estimators that a scenario may name."""
_FROM = {
    "parshall._core": (
        "ControlBase",
        "ForecasterBase",
        "MarkerBase",
        "QueueBase",
        "RtoFilterBase",
        "SourceBase",
    ),
    "parshall.control.library": ("SharedControl",),
    "parshall.estimators.rto": ("RtoEstimator",),
    "parshall.own.forecaster": ("SharedForecaster",),
    "parshall.own.marker": ("SharedMarker",),
    "parshall.own.queue": ("SharedQueue",),
    "parshall.own.rto": ("SharedRtoFilter",),
    "parshall.own.source": ("SharedSource",),
}
"""Modules of these objects."""


@cache
def _described() -> dict[str, Any]:
    described: dict[str, Any] = json.loads(_core.scenario_parts())
    return described


@cache
def _topic_of() -> dict[str, str]:
    """The topic of each part and union."""
    return {each["name"]: each["topic"] for kind in ("parts", "unions") for each in _described()[kind]}


def files() -> dict[str, str]:
    """The text of each file, by its name."""
    topics = list(dict.fromkeys(part["topic"] for part in _described()["parts"]))
    texts = {
        "__init__.py": _package(),
        "__init__.pyi": _stub(topics),
        **{f"{topic}.py": _Module(topic).text() for topic in topics},
    }
    return {name: _formatted(name, text) for name, text in texts.items()}


def _package() -> str:
    made = _MADE.format(source="the crate's parts")
    return (
        '"""The classes of parts of scenarios, by topic: what ``parshall-scenario`` knows, in Python."""\n\n'
        f"{made}\n\nimport lazy_loader\n\n"
        "__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)\n"
    )


def _stub(topics: Iterable[str]) -> str:
    lines = []
    for topic in sorted(topics):
        names = sorted(name for name, of in _topic_of().items() if of == topic)
        lines += [f"from .{topic} import (", *(f"    {name} as {name}," for name in names), ")"]
    return "\n".join(lines) + "\n"


@dataclass
class _Module:
    """The module of a topic."""

    topic: str
    needed: set[str] = field(default_factory=set)
    """Classes that are needed when it is imported."""
    named: set[str] = field(default_factory=set)
    """Names that stand in annotations."""
    given: set[str] = field(default_factory=set)
    """Unions of which it is named what may be given for them."""

    def text(self) -> str:
        classes = [line for part in self._in_order() for line in ("", "", *self._class(part))]
        own = [union for union in _described()["unions"] if union["topic"] == self.topic]
        unions = [line for union in own for line in self._union(union)]
        given = [f"    {_given(union['name'])}: TypeAlias = {_taken(union)}" for union in own]
        body = "\n".join([*classes, *unions, *(["", "if TYPE_CHECKING:", *given] if given else [])])
        return "\n".join([*self._head(body), *self._imports(body)]) + "\n" + body + "\n"

    def _parts(self) -> list[dict[str, Any]]:
        return [part for part in _described()["parts"] if part["topic"] == self.topic]

    def _in_order(self) -> list[dict[str, Any]]:
        """The parts, each after those of which it has defaults."""
        left, done = self._parts(), []
        while left:
            names = {part["name"] for part in left}
            part = next(each for each in left if not names & (set(_defaults(each)) - {each["name"]}))
            left.remove(part)
            done.append(part)
        return done

    def _head(self, body: str) -> Iterator[str]:
        source = _CRATE / f"{self.topic}.rs"
        first = source.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("//! ")
        yield from (f'"""{first}"""', "", _MADE.format(source=source.relative_to(_ROOT).as_posix()))
        yield from ("", "from __future__ import annotations", "")

    def _imports(self, body: str) -> Iterator[str]:
        typing = [name for name in ("TYPE_CHECKING", "Literal", "TypeAlias") if name in body]
        checked = list(self._checked(body))
        typing = sorted({*typing, *(["TYPE_CHECKING"] if checked else [])})
        if re.search(r"\bAny\b", body):
            typing = sorted([*typing, "Any"])
        if typing:
            yield from (f"from typing import {', '.join(typing)}", "")
        base = "Part, default" if " = default(" in body else "Part"
        yield f"from parshall.scenario.base import {base}"
        methods = sorted(f"{part['name']}Methods" for part in self._parts() if _has_methods(part))
        if methods:
            yield f"from parshall.scenario.methods.{self.topic} import {', '.join(methods)}"
        yield from _from_topics(self.needed, self.topic)
        if checked:
            yield from ("", "if TYPE_CHECKING:", *(f"    {line}" if line else "" for line in checked))
        names = sorted(name for name, topic in _topic_of().items() if topic == self.topic)
        yield from ("", "__all__ = [", *(f'    "{name}",' for name in names), "]")

    def _checked(self, body: str) -> Iterator[str]:
        """The imports that type checkers alone need."""
        abstract = [name for name in ("Mapping", "Sequence") if f"{name}[" in body]
        if abstract:
            yield from (f"from collections.abc import {', '.join(abstract)}", "")
        for module, names in _FROM.items():
            used = [name for name in names if re.search(rf"\b{name}\b", body)]
            if used:
                yield f"from {module} import {', '.join(used)}"
        yield from _from_topics(self.named - self.needed, self.topic)
        for name in sorted(self.given):
            yield f"from parshall.scenario.parts.{_topic_of()[name]} import {_given(name)}"
        own = [name for name in ("Bytes", "Given", "Number", "Table") if _is_named(name, f"{body}\n")]
        if own:
            yield f"from parshall.scenario.quantities import {', '.join(own)}"

    def _class(self, part: dict[str, Any]) -> Iterator[str]:
        name = part["name"]
        bases = f"{name}Methods, Part" if _has_methods(part) else "Part"
        yield f"class {name}({bases}):"
        yield from _docstring(part["text"])
        yield ""
        if part["kind"] is not None:
            yield f'    kind: Literal["{part["kind"]}"] = "{part["kind"]}"'
            yield f'    """Names this {_noun(name)}."""'
        for each in part["fields"]:
            yield self._field(each)
            yield from _docstring(each["text"])

    def _field(self, each: dict[str, Any]) -> str:
        held, taken = self._kinds(each["takes"])
        default = each.get("default", "")
        if "default" in each and default is None:
            held, taken = f"{held} | None", f"{taken} | None"
        annotation = held if held == taken else f"Given[{held}, {taken}]"
        line = f"    {each['name']}: {annotation}"
        if "default" in each:
            value = self._value(default, each["takes"])
            plain = held == taken and not isinstance(default, dict)
            line += f" = {value}" if plain else f" = default({value})"
        return line + ("  # noqa: E741" if each["name"] == "l" else "")

    def _kinds(self, takes: Any) -> tuple[str, str]:
        """The type that is held, and those that are taken."""
        if isinstance(takes, str):
            plain = _PLAIN.get(takes)
            return (plain, plain) if plain else _TAKEN[takes]
        if "choice" in takes:
            choice = f"Literal[{', '.join(json.dumps(each) for each in takes['choice'])}]"
            return choice, choice
        if "list" in takes:
            held, taken = self._kinds(takes["list"])
            length = takes.get("length")
            several = ", ".join([held] * length) if length else f"{held}, ..."
            return f"tuple[{several}]", f"Sequence[{taken}]" + (f" | {taken}" if takes["bare"] else "")
        name = next(takes[key] for key in ("part", "parts", "union", "unions") if key in takes)
        self._name(name)
        taken = f"{name} | Table"
        if "union" in takes or "unions" in takes:
            if _topic_of()[name] != self.topic:
                self.given.add(name)
            taken = _given(name) + _OTHERWISE.get(takes.get("or"), "")
        if "parts" in takes or "unions" in takes:
            return f"tuple[{name}, ...]", f"Sequence[{taken}]"
        return name, taken

    def _name(self, name: str) -> None:
        if _topic_of()[name] != self.topic:
            self.named.add(name)

    def _value(self, value: Any, takes: Any) -> str:
        """A default as Python writes it."""
        if isinstance(value, dict):
            name = _part_of(value, takes)
            if name is None:
                return "{}"
            if _topic_of()[name] != self.topic:
                self.needed.add(name)
            fields = {each["name"]: each["takes"] for each in _part(name)["fields"]}
            inner = [
                f"{key}={self._value(each, fields[key])}" for key, each in value.items() if key != "kind"
            ]
            return f"{name}.known({', '.join(inner)})"
        if isinstance(value, list):
            return repr(tuple(value))
        return json.dumps(value) if isinstance(value, str) else repr(value)

    def _union(self, union: dict[str, Any]) -> Iterator[str]:
        self.needed |= {name for name in union["parts"] if _topic_of()[name] != self.topic}
        yield from ("", f"{union['name']}: TypeAlias = (")
        yield from (f"    {'| ' if index else ''}{name}" for index, name in enumerate(union["parts"]))
        yield ")"
        yield f'"""Any {union["noun"]}."""'


def _from_topics(names: Iterable[str], own: str) -> Iterator[str]:
    topics: dict[str, list[str]] = {}
    for name in sorted(names):
        topics.setdefault(_topic_of()[name], []).append(name)
    for topic, listed in sorted(topics.items()):
        if topic != own:
            yield f"from parshall.scenario.parts.{topic} import {', '.join(listed)}"


def _docstring(text: str) -> Iterator[str]:
    """A docstring, whose literals stand in double marks."""
    text = text.replace("`", "``").replace("\\", "\\\\")
    whole = f'    """{text}"""'
    if len(whole) <= _WIDTH:
        yield whole
        return
    yield from textwrap.wrap(
        f'"""{text}',
        _WIDTH,
        initial_indent="    ",
        subsequent_indent="    ",
        break_on_hyphens=False,
        break_long_words=False,
    )
    yield '    """'


def _is_named(name: str, body: str) -> bool:
    return any(f"{before}{name}{after}" in body for before in "[| " for after in "[], )\n|")


def _noun(name: str) -> str:
    unions = (union for union in _described()["unions"] if name in union["parts"])
    return next((union["noun"] for union in unions), "kind")


def _given(union: str) -> str:
    """The name of the type of what may be given for a union."""
    return f"{union}Given"


def _taken(union: dict[str, Any]) -> str:
    """The type of what may be given for a union: a part, a table, the name of a kind, code of one's own."""
    names = ", ".join(json.dumps(kind) for kind in union["bare"])
    bare = f" | Literal[{names}]" if names else ""
    return f"{union['name']} | Table{bare}{_OWN.get(union['name'], '')}"


@cache
def _part(name: str) -> dict[str, Any]:
    part: dict[str, Any] = next(part for part in _described()["parts"] if part["name"] == name)
    return part


def _part_of(value: dict[str, Any], takes: Any) -> str | None:
    """The part of which a table is."""
    if not isinstance(takes, dict):
        return None
    if "part" in takes:
        return str(takes["part"])
    union = next(union for union in _described()["unions"] if union["name"] == takes["union"])
    return next(str(name) for name in union["parts"] if _part(name)["kind"] == value["kind"])


def _defaults(part: dict[str, Any]) -> Iterator[str]:
    """The parts that defaults of a part are made of."""
    for each in part["fields"]:
        if isinstance(each.get("default"), dict):
            name = _part_of(each["default"], each["takes"])
            if name is not None:
                yield name


@cache
def _methods(topic: str) -> frozenset[str]:
    file = _METHODS / f"{topic}.py"
    if not file.exists():
        return frozenset()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.ClassDef))


def _has_methods(part: dict[str, Any]) -> bool:
    return f"{part['name']}Methods" in _methods(part["topic"])


def _formatted(name: str, text: str) -> str:
    ruff = [sys.executable, "-m", "ruff"]
    place = ["--stdin-filename", str(_PARTS / name), "-"]
    for command in (["check", "--quiet", "--fix-only"], ["format", "--quiet"]):
        done = subprocess.run(
            [*ruff, *command, *place], input=text, capture_output=True, text=True, check=True
        )
        text = done.stdout
    return text


def _write() -> None:
    _PARTS.mkdir(exist_ok=True)
    for name, text in files().items():
        (_PARTS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _write()
