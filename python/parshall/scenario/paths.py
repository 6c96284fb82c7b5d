"""Paths into a scenario, ``flows[tcp*].transport.rto``: how sweeps and users name what they vary."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from parshall.errors import ScenarioError, shown

if TYPE_CHECKING:
    from parshall.scenario.base import Part

__all__ = ["PathError", "as_step", "join", "names_of", "parse", "picks", "places", "replace"]

_M = TypeVar("_M", bound="Part")
_P = TypeVar("_P")
_STEP = re.compile(r"\.?(?P<field>[A-Za-z_]\w*)|\[(?P<item>[^\[\]]+)\]")
_SYNTAX = "a path such as flows[*].transport.rto"


@runtime_checkable
class HasValues(Protocol):
    """A model with parameters of its own besides its fields."""

    def with_value(self: _P, name: str, value: Any) -> _P:
        """A copy with another value of a parameter."""


class PathError(ScenarioError):
    """A path that does not exist here; a pattern then looks at the next item."""


def join(*parts: str) -> str:
    """Joins path texts: ``links[0]`` and ``rate``, or ``arrivals`` and ``[3]``."""
    path = ""
    for part in parts:
        path += part if part.startswith("[") or not path or not part else f".{part}"
    return path


def as_step(step: str | int) -> str:
    """A step of a path as text: a key, in quotes when it is an odd one, or an index in brackets."""
    if isinstance(step, int):
        return f"[{step}]"
    return step if re.fullmatch(r"[\w-]+", step) else shown(step)


def _known_keys(key: str, part: Part) -> str:
    """The key that was meant, or those that there are."""
    from parshall import _core

    return _core.known_keys(key, part._part)


def parse(path: str) -> list[str]:
    """The steps of a path: names of fields, and items in brackets, brackets kept."""
    steps: list[str] = []
    end = 0
    while end < len(path):
        match = _STEP.match(path, end)
        if (
            match is None
            or (not steps and path.startswith((".", "[")))
            or (steps and match[0][0] not in ".[")
        ):
            raise ScenarioError("path", shown(path), _SYNTAX)
        steps.append(match["field"] or match[0])
        end = match.end()
    if not steps:
        raise ScenarioError("path", shown(path), _SYNTAX)
    return steps


def places(path: str) -> tuple[str | int, ...]:
    """The steps of an error's path, with indices as numbers, up to the first that cannot be read."""
    steps: list[str | int] = []
    for match in _STEP.finditer(path):
        item = match["item"]
        steps.append(int(item) if item and item.isdecimal() else item or match["field"])
    return tuple(steps)


def replace(model: _M, path: str, value: Any) -> _M:
    """A copy of ``model`` with ``value`` at ``path``; see :meth:`parshall.scenario.base.Part.replace`."""
    return _in_part(model, parse(path), value, "")


def _in_part(model: _M, steps: list[str], value: Any, at: str) -> _M:
    from parshall.scenario.base import Part

    name, *rest = steps
    if not rest and name not in type(model).model_fields and isinstance(model, HasValues):
        return model.with_value(name, value)
    if name.startswith("[") or name not in type(model).model_fields:
        raise PathError(join(at, name), "an unknown field", _known_keys(name, model))
    old = getattr(model, name)
    place = join(at, name)
    if not rest:
        new = value
    elif isinstance(old, tuple):
        new = _in_items(old, rest, value, place)
    elif isinstance(old, Part):
        new = _in_part(old, rest, value, place)
    else:
        raise PathError(place, shown(old), f"a table or list to look up {rest[0]} in")
    return _rebuilt(model, name, new, at)


def _rebuilt(model: _M, name: str, new: Any, at: str) -> _M:
    try:
        return type(model).from_dict({**model.given(), name: new})
    except ScenarioError as error:
        raise ScenarioError(join(at, error.path), error.value, error.expected) from None


def _in_items(items: tuple[Any, ...], steps: list[str], value: Any, at: str) -> tuple[Any, ...]:
    """Replaces in each item that the first step picks and that has the rest of the path."""
    key = steps[0][1:-1]
    picked = [index for index, item in enumerate(items) if picks(key, index, item)]
    if not steps[0].startswith("[") or not picked:
        raise PathError(
            join(at, steps[0]), "an unknown item", f"[*], or an index or name among {len(items)} items"
        )
    changed = list(items)
    misses: list[PathError] = []
    for index in picked:
        try:
            changed[index] = _in_item(items[index], steps[1:], value, f"{at}[{index}]")
        except PathError as miss:
            misses.append(miss)
    if len(misses) == len(picked):
        raise misses[0]
    return tuple(changed)


def _in_item(item: Any, steps: list[str], value: Any, at: str) -> Any:
    from parshall.scenario.base import Part

    if not steps:
        return value
    if isinstance(item, Part):
        return _in_part(item, steps, value, at)
    if isinstance(item, tuple):
        return _in_items(item, steps, value, at)
    raise PathError(at, shown(item), f"a table or list to look up {steps[0]} in")


def picks(key: str, index: int, item: Any) -> bool:
    """True if a key in brackets picks the item of a list that is at ``index``."""
    if key == "*":
        return True
    if key.isdecimal():
        return index == int(key)
    return any(fnmatchcase(name, key) for name in names_of(item))


def names_of(item: Any) -> list[str]:
    """Names by which an item is picked: its own, and for a link its ends as in ``a->b``."""
    names = [item] if isinstance(item, str) else [getattr(item, "name", None)]
    between = getattr(item, "between", None)
    if between:
        names.append("->".join(between))
    return [name for name in names if name]
