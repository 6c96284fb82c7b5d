"""Which segments of the cache are made into a larger one, so that many runs are read in a few pieces.

Runs are stored about once a second, and a segment takes some milliseconds to read however small it is.
Segments of about the same size are therefore joined once there are many of them, as log-structured merge
trees do (O'Neil et al. 1996): no row is written more than a few times, and small segments are never many.
"""

from __future__ import annotations

from collections.abc import Mapping

from parshall.engine.segments import Segment

__all__ = ["FEW", "due"]

FEW = 16
"""So many segments of a size are joined."""
_SIZES = (128 << 10, 2 << 20)
"""Bytes that bound the sizes; what is larger is left alone."""


def due(segments: Mapping[str, Segment]) -> list[str]:
    """The names of segments that are to be joined into one next, oldest first; none when there are few."""
    for least, most in zip((0, *_SIZES), _SIZES, strict=False):
        group: list[str] = []
        taken = 0
        for name in sorted(name for name, each in segments.items() if least <= each.bytes < most):
            group.append(name)
            taken += segments[name].bytes
            if len(group) >= FEW and taken >= most:
                break
        if len(group) >= FEW:
            return group
    return []
