"""Copies of parts that are under way."""

from __future__ import annotations

import copy
import types
from typing import Any

__all__ = ["copied"]


def copied(part: Any) -> Any:
    """Another of its class in the same state, but for what the engine keeps of it. What refers to the part
    itself refers to the copy there.
    """
    kind: Any = type(part)
    made: Any = kind.__new__(kind)
    known = {id(part): made}
    made.__dict__.update(copy.deepcopy(part.__dict__, known))
    for base in kind.__mro__:
        for name, slot in vars(base).items():
            if isinstance(slot, types.MemberDescriptorType) and hasattr(part, name):
                slot.__set__(made, copy.deepcopy(slot.__get__(part), known))
    return made
