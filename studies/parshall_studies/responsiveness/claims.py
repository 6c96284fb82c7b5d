"""Demands on the estimator in terms of measures; ``claims.md`` has the words."""

from __future__ import annotations

from typing import Any

from parshall_studies import study as st
from parshall_studies.responsiveness import attacks, held_out, sampled

FLAGGED = {"none": 0.18, "part": 0.18, "floor": 0.12}
"""Parts of the intervals in which the share may be unknown, by dither."""
WRONG, COVERED = 0.01, 0.94
"""Parts of the intervals: wrong though told at most, and of those that are told holding the truth at least.
"""
BOUNDED = 0.95
"""Part of all intervals whose bounds hold the truth, at least."""
TOO_SMALL = 0.1
"""By how much the upper share is too small where an attack is worth the trouble."""


def _intervals(column: str, dither: str) -> st.Expression:
    """Number of intervals, by scenario."""
    return st.Quantity("drawn", column).at(dither=dither).mean("case")


def _flagged(dither: str) -> st.Never:
    every, clear = (_intervals(column, dither) for column in ("intervals", "clear"))
    return st.Never((1 - FLAGGED[dither]) * every - clear)


def _attacked(attack: str) -> st.Never:
    truth, most = (st.Quantity("attacks", column).at(attack=attack) for column in ("truth", "share_upper"))
    return st.Never(truth - most - TOO_SMALL)


def _of_sample(column: str, room: str) -> st.Expression:
    return st.Quantity("sampled", column).at(room=room)


_SAYS: dict[str, Any] = {
    "goal.flagged.{dither}": _flagged,
    "goal.wrong.{dither}": lambda dither: st.Never(
        _intervals("wrong", dither) - WRONG * _intervals("intervals", dither)
    ),
    "goal.covered.{dither}": lambda dither: st.Never(
        COVERED * _intervals("clear", dither) - _intervals("covered", dither)
    ),
    "goal.bounded.{dither}": lambda dither: st.Never(
        BOUNDED * _intervals("intervals", dither) - _intervals("bounded", dither)
    ),
    "sampled.told.{room}": lambda room: _of_sample("mse", room) < _of_sample("variance", room),
    "sampled.covered.{room}": lambda room: st.Holds((_of_sample("covered", room) > 100 * COVERED,), "points"),
    "attack.bounded.{attack}": _attacked,
}

TOPICS: tuple[st.Topic, ...] = st.topics_of(
    st.page_of(__package__, "claims.md"),
    _SAYS,
    {
        "dither": held_out.LABELS,
        "room": {str(size): str(size) for size in sampled.SIZES},
        "attack": {name: attack.label for name, attack in attacks.ATTACKS.items()},
    },
)
