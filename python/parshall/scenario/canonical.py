"""The canonical JSON of a part of a scenario: sorted keys, no defaults, equal for equal values."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parshall.scenario.base import Part

__all__ = ["as_given", "canonical_json", "hashed"]

_OTHER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def canonical_json(part: Part) -> str:
    """The canonical JSON of a part. Leaving defaults out keeps its hash when the schema grows."""
    from parshall import _core

    return _core.canonical_json(part, _fields, _OTHER)


def hashed(text: str) -> str:
    """The hash of what has this canonical JSON: its SHA-256, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def as_given(part: Part) -> tuple[Part, Any, Any]:
    """A scenario for the engine to read, without the whole of its JSON at once."""
    return part, _fields, _OTHER


@cache
def _fields(kind: type) -> list[tuple[str, str, Any, bool]] | None:
    """The fields of a class of parts that take part: name, name as a key of JSON, default, and true for those
    that are always written. None for any other class.
    """
    from parshall.scenario.base import Part

    if not issubclass(kind, Part):
        return None
    return [
        (name, f'"{name}":', field.default, name == "kind" or field.is_required())
        for name, field in sorted(kind.model_fields.items())
        if not field.exclude
    ]
