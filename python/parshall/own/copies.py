"""Copies of parts that are under way."""

from __future__ import annotations

import copy
from typing import Any

__all__ = ["copied"]


def copied(part: Any) -> Any:
    """Another of its class in the same state, but for what the engine keeps of it."""
    kind: Any = type(part)
    made: Any = kind.__new__(kind)
    made.__dict__.update(copy.deepcopy(part.__dict__))
    return made
