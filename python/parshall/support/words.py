"""Lists of names in a line of text."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["listed"]


def listed(names: Sequence[str], most: int = 6) -> str:
    """The names with commas; of more than ``most``, the first of them and how many follow.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], most=2)
    ('a, b, c', 'a, b and 2 more')
    """
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"
