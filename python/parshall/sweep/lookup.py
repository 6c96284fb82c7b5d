"""Reads what a path of a scenario leads to; :mod:`parshall.scenario.paths` says what paths look like."""

from __future__ import annotations

from typing import Any

from parshall.scenario.base import Part
from parshall.scenario.paths import parse, picks

__all__ = ["look_up"]


def look_up(model: Part, path: str) -> Any:
    """The value at a path that exists; at a pattern, of the first item that has the rest of the path."""
    found = _at(model, parse(path))
    return found[0] if found else None


def _at(value: Any, steps: list[str]) -> list[Any]:
    if not steps:
        return [value]
    step, *rest = steps
    if step.startswith("["):
        if not isinstance(value, tuple):
            return []
        items = [item for index, item in enumerate(value) if picks(step[1:-1], index, item)]
        return [found for item in items for found in _at(item, rest)]
    if isinstance(value, Part) and step in type(value).model_fields:
        return _at(getattr(value, step), rest)
    return []
