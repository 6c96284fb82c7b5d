"""Turns Pydantic's validation errors into the project's own: path, value, what was expected."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from parshall.errors import InputError, ScenarioError, shown
from parshall.scenario.docs import field_docs

__all__ = ["as_step", "join", "known_keys", "models_in", "scenario_error"]

_EXPECTED = {
    "string_type": "text",
    "tuple_type": "a list",
    "list_type": "a list",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "dict_type": "a table",
}
_MOST_KEYS_LISTED = 12


def scenario_error(error: ValidationError, model: type[BaseModel]) -> ScenarioError:
    """The first fault as an error, with the others attached."""
    faults = [_fault(detail, model) for detail in error.errors(include_url=False)]
    first, *rest = faults
    return ScenarioError(first.path, first.value, first.expected, others=tuple(rest))


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


def _fault(detail: Any, model: type[BaseModel]) -> ScenarioError:
    steps, owner = _follow(detail["loc"], model)
    path = join(*map(as_step, steps))
    cause = detail.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        return ScenarioError(join(path, cause.path), cause.value, cause.expected)
    if detail["type"] == "missing":
        return ScenarioError(path, "nothing", _needed(steps[-1], owner))
    if detail["type"] == "extra_forbidden":
        return ScenarioError(path, "an unknown key", known_keys(str(steps[-1]), owner))
    return ScenarioError(path, shown(detail["input"]), _expected(detail))


def _expected(detail: Any) -> str:
    """What Pydantic says it wanted, in the words of this project where they differ."""
    kind = detail["type"]
    if kind == "literal_error":
        return str(detail["ctx"]["expected"]).replace("'", '"')
    return _EXPECTED.get(kind) or str(detail["msg"]).removeprefix("Input should be ")


def _needed(key: str | int, owner: type[BaseModel]) -> str:
    """What a required field is for."""
    # Marks of code are for those who read the source.
    text = field_docs(owner).get(str(key), "").replace("`", "")
    return f"a value: {text.rstrip('.')}" if text else "a value"


def known_keys(key: str, owner: type[BaseModel]) -> str:
    """The key that was meant, or those that there are."""
    known = list(owner.model_fields)
    close = difflib.get_close_matches(key, known, n=1)
    if close:
        return f'the key "{close[0]}"'
    words = set(key.split("_"))
    alike = sorted(known, key=lambda each: -len(words.intersection(each.split("_"))))[:3]
    alike = [each for each in alike if words.intersection(each.split("_"))]
    if alike and len(known) > _MOST_KEYS_LISTED:
        return "a key such as " + " or ".join(f'"{each}"' for each in alike)
    if len(known) > _MOST_KEYS_LISTED:
        return "a key that parshall schema lists"
    return f"one of the keys {', '.join(known)}"


def _follow(location: Sequence[str | int], model: type[BaseModel]) -> tuple[list[str | int], type[BaseModel]]:
    """The location without the union tags that Pydantic puts in, and the class that its end is in."""
    steps: list[str | int] = []
    owner = model
    inside: list[type[BaseModel]] = [model]
    for step in location:
        tagged = [member for member in inside if len(inside) > 1 and _kind(member) == step]
        if tagged:
            inside = tagged
            continue
        steps.append(step)
        if isinstance(step, int):
            continue
        owner = inside[0] if inside else owner
        field = owner.model_fields.get(step)
        inside = list(models_in(field.annotation)) if field else []
    return steps, owner


def _kind(model: type[BaseModel]) -> object:
    field = model.model_fields.get("kind")
    return field.default if field else None


def models_in(annotation: Any) -> Iterator[type[Any]]:
    """The models that a type is made of."""
    # list[int] and its like are types on Python 3.10.
    if get_origin(annotation) is None and isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from models_in(argument)
