"""Scenario files: TOML in, TOML out. An error names the file, the line and the field."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from parshall.errors import InputError, shown
from parshall.scenario.base import Part, faults_of
from parshall.scenario.files import find_own, json_tables, parsed, placed, read_text
from parshall.scenario.parts import Dumbbell, Scenario
from parshall.scenario.schema import part_takes
from parshall.units import format_duration, format_rate

__all__ = ["load", "load_model", "loads", "model_of", "write"]

COMMON = ("title", "duration", "warm_up", "record")
"""Keys at the top of a file, whether its network is written out or a dumbbell."""

_JSON = json.JSONEncoder(ensure_ascii=False)
_Written = Callable[[float], str]
_UNITS: dict[str, _Written] = {
    "rate": format_rate,
    "duration": format_duration,
    "duration or list": format_duration,
}
"""Kinds of fields whose numbers have a unit in a file, and how these are written."""


def load(path: str | Path) -> Scenario:
    """Reads and checks a scenario file: TOML, or the canonical JSON when its name ends in ``.json``.

    A recorded capacity that it names is looked for beside the file. Raises ScenarioError for a fault in the
    scenario, ParshallError for a file that cannot be read.
    """
    return load_model(path).scenario()


def load_model(path: str | Path) -> Scenario | Dumbbell:
    """As :func:`load`, but a dumbbell stays one, so that its own fields can be varied."""
    if not isinstance(path, str | Path):
        raise InputError("path", shown(path), "the name of a scenario file")
    file = str(path)
    text = read_text(file, "a scenario file")
    if file.endswith(".json"):
        return placed(lambda: _checked(model_of(json_tables(text), Path(file).parent)), file, "")
    return placed(lambda: _checked(model_of(parsed(text, "a scenario file"), Path(file).parent)), file, text)


def loads(text: str, *, folder: str | Path | None = None) -> Scenario:
    """Reads and checks the text of a scenario file. Raises ScenarioError.

    Files that it names are looked for in ``folder``, or else in the current one.
    """
    if not isinstance(text, str):
        raise InputError("text", shown(text), "the text of a scenario file")
    if not isinstance(folder, str | Path | None):
        raise InputError("folder", shown(folder), "the name of a folder")
    tables = parsed(text, "a scenario file")
    return model_of(tables, None if folder is None else Path(folder)).scenario().check()


def _checked(model: Scenario | Dumbbell) -> Scenario | Dumbbell:
    model.scenario().check()
    return model


def model_of(tables: object, folder: Path | None = None, *, find: Any = find_own) -> Scenario | Dumbbell:
    """The scenario or dumbbell that the tables of a file stand for. Raises ScenarioError.

    ``find`` finds code of the user's own, as :func:`parshall.scenario.files.find_own` does.
    """
    from parshall import _core

    part, fields, faults = _core.file_fields(tables, folder, find)
    if fields is None:
        raise faults_of(faults)
    return Scenario.known(**fields) if part == "Scenario" else Dumbbell.known(**fields)


def write(model: Scenario | Dumbbell) -> str:
    """The text of a scenario file: quantities with units, nothing that is at its default."""
    fields = dict(_changed(model))
    record = fields.pop("record", None)
    if isinstance(model, Dumbbell):
        common = {name: fields.pop(name) for name in COMMON if name in fields}
        lines = [*_table("", common), *_table("dumbbell", fields)]
    else:
        lines = [*_table("", fields)]
    if isinstance(record, Part):
        lines += _table("record", dict(_changed(record)))
    return "\n".join(lines).lstrip() + "\n"


def as_written(model: Part, name: str) -> str:
    """The value of a field as a file has it; a table that needs nothing but its kind is that text."""
    written = next(written for field, _, _, written in _fields(type(model)) if field == name)
    value = getattr(model, name)
    if isinstance(value, Part) and [key for key, _ in _changed(value)] == ["kind"]:
        return _value(value.kind)  # type: ignore[attr-defined]
    return _value(value if written is None else _with_unit(value, written))


def _table(name: str, fields: Mapping[str, Any]) -> Iterator[str]:
    """A table's header and its keys, then its lists of tables."""
    lists = {key: value for key, value in fields.items() if _is_list_of_tables(value)}
    if name:
        yield from ("", f"[{name}]")
    for key, value in fields.items():
        if key not in lists:
            yield f"{key} = {_value(value)}"
    for key, tables in lists.items():
        for table in tables:
            yield from ("", f"[[{f'{name}.' if name else ''}{key}]]")
            yield from (f"{inner} = {_value(value)}" for inner, value in _changed(table))


def _changed(model: Part) -> Iterator[tuple[str, Any]]:
    """The fields that a file has to name, in the order of the schema, numbers with their unit as text."""
    for name, default, always, written in _fields(type(model)):
        value = getattr(model, name)
        if always or (value is not default and value != default):
            yield name, value if written is None or value is None else _with_unit(value, written)


@cache
def _fields(model: type[Part]) -> tuple[tuple[str, Any, bool, _Written | None], ...]:
    """Name and default of each field, whether a file always names it, and how its numbers are written."""
    takes = part_takes(model._part)
    return tuple(
        (name, field.default, name == "kind" or field.is_required(), _unit(takes.get(name)))
        for name, field in model.model_fields.items()
    )


def _unit(takes: Any) -> _Written | None:
    """Format of the numbers of a field with a unit."""
    return _UNITS.get(str(takes["list"] if isinstance(takes, dict) and "list" in takes else takes))


def _with_unit(value: Any, written: _Written) -> Any:
    return [written(item) for item in value] if isinstance(value, tuple) else written(value)


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], Part)


def _value(value: Any) -> str:
    if isinstance(value, Part):
        return "{ " + ", ".join(f"{name} = {_value(inner)}" for name, inner in _changed(value)) + " }"
    if isinstance(value, dict):
        return (
            "{ "
            + ", ".join(f"{_JSON.encode(name)} = {_value(inner)}" for name, inner in value.items())
            + " }"
        )
    if isinstance(value, tuple | list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    # JSON's text of a string or number is TOML's as well.
    return _JSON.encode(value)
