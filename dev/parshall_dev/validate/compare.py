"""Compares two runs event by event, and finds where they part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parshall_dev.validate.events import Event, Events

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TOLERANCE_S", "Divergence", "Pair", "compare"]

TOLERANCE_S = 1e-9
"""Times of one event may differ by this much."""
_BEFORE, _AFTER = 5, 7
"""Lines of context around a divergence."""


@dataclass(frozen=True)
class Pair:
    """A line of two runs side by side: one event that both have, or one that only one of them has there."""

    reference: Event | None
    ours: Event | None

    @property
    def same(self) -> bool:
        """True if both have it."""
        return self.reference is not None and self.ours is not None

    @property
    def time_s(self) -> float:
        event = self.reference or self.ours
        assert event is not None
        return event.time_s


@dataclass(frozen=True)
class Divergence:
    """Where two runs part: the earliest event that differs.

    It is the ``index``-th (from 0) event of its place, event, kind and flow. A side that has no more such
    events is None.
    """

    index: int
    reference: Event | None
    ours: Event | None
    context: tuple[Pair, ...]

    @property
    def event(self) -> Event:
        """The reference's event, or ours where the reference has none."""
        event = self.reference or self.ours
        assert event is not None
        return event

    @property
    def time_s(self) -> float:
        """When the first of the two happened."""
        return min(event.time_s for event in (self.reference, self.ours) if event is not None)


def compare(reference: Events, ours: Events, end: float) -> Divergence | None:
    """The first divergence of two runs that end at ``end``; None when there is none.

    Events are compared in order within each place, event, kind and flow: sequence number, size, code point,
    reason, and time.
    Between these groups the order of events at one instant is not promised, and neither is whether an
    event at the very end still happens.
    """
    last = end - TOLERANCE_S
    left, right = reference.groups(last), ours.groups(last)
    none = np.array([], dtype=np.int64)
    matched = np.zeros(len(reference), dtype=np.int64) - 1
    first: tuple[float, int, int | None, int | None] | None = None
    for code in sorted({*left, *right}):
        a, b = left.get(code, none), right.get(code, none)
        same = _same_until(reference, ours, a, b)
        matched[a[:same]] = b[:same]
        if same == len(a) == len(b):
            continue
        i = int(a[same]) if same < len(a) else None
        j = int(b[same]) if same < len(b) else None
        time = min(events.time[k] for events, k in ((reference, i), (ours, j)) if k is not None)
        if first is None or time < first[0]:
            first = (float(time), same, i, j)
    if first is None:
        return None
    _, index, i, j = first
    return Divergence(
        index,
        None if i is None else reference[i],
        None if j is None else ours[j],
        _context(reference, ours, matched, last),
    )


def _same_until(reference: Events, ours: Events, a: NDArray[np.int64], b: NDArray[np.int64]) -> int:
    """Number of events of a group that are the same in both, from the first on."""
    n = min(len(a), len(b))
    a, b = a[:n], b[:n]
    differs = np.abs(reference.time[a] - ours.time[b]) > TOLERANCE_S
    differs |= reference.seq[a] != ours.seq[b]
    differs |= reference.size[a] != ours.size[b]
    differs |= reference.code_point[a] != ours.code_point[b]
    differs |= reference.note[a] != ours.note[b]
    return int(np.argmax(differs)) if differs.any() else n


def _context(reference: Events, ours: Events, matched: NDArray[np.int64], end: float) -> tuple[Pair, ...]:
    """The lines around the first event that only one side has."""
    alone = np.ones(len(ours), dtype=bool)
    alone[matched[matched >= 0]] = False
    lines = [(reference.time[i], 0, i, j) for i, j in enumerate(matched) if reference.time[i] < end]
    lines += [(ours.time[j], 1, -1, j) for j in np.flatnonzero(alone) if ours.time[j] < end]
    lines.sort(key=lambda line: line[:2])
    first = next(index for index, (_, _, i, j) in enumerate(lines) if i < 0 or j < 0)
    return tuple(
        Pair(reference[i] if i >= 0 else None, ours[j] if j >= 0 else None)
        for _, _, i, j in lines[max(0, first - _BEFORE) : first + _AFTER]
    )
