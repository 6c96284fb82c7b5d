"""Methods of the classes of parts: a class ``LinkMethods`` has those of ``Link``.

Such a class does not know the fields of the part that has it, so its ``self`` is of any type.
"""

from __future__ import annotations

from typing import Any, TypeVar, cast

__all__ = ["made"]

_T = TypeVar("_T")


def made(part: type[_T], **values: Any) -> _T:
    """An instance of a class of parts."""
    instance: _T = cast(Any, part)(**values)
    return instance
