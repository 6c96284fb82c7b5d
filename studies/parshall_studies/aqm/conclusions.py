"""The chapter's discussion, and its conclusion in V.A, in terms of what is measured; their words are in
``claims.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from parshall_studies import study as st
from parshall_studies.aqm.readings import (
    ACCEPTABLE,
    AQMS,
    CLOSE,
    COMPARABLE,
    LARGE,
    MARGINAL,
    MUCH,
    SHARE,
    SHORT,
    SLIGHTLY,
    Reading,
)

_FAST: tuple[Mapping[str, Any], ...] = (
    {"capacity": [35, 100], "load": SHORT},
    {"capacity": 5, "buffer": LARGE, "load": SHORT},
)
"""Links with a high capacity or a large buffer, and short flows."""


def _long_term_only(r: Reading, capacity: int) -> st.Holds:
    gap = r.gap("ltrf", "red", capacity=capacity, buffer="1")
    return st.Holds((gap.at(load=0) > CLOSE, CLOSE - gap.at(load=30) > 0.0))


def _same_trend(r: Reading, aqm: str) -> st.Holds:
    """DropTail gives more, and less so as the buffer grows."""
    gap = r.gap("ltrf", aqm)
    return st.Holds((gap > 0.0, gap.at(buffer="1/3") > gap.at(buffer="3")))


def _congestion(r: Reading, other: str) -> st.Holds:
    """A router that marks shows its congestion by marks and drops."""
    signals = r.of("mark", other) + r.of("ltrf_drop", other) if other == "red-ecn" else r.of("drop", other)
    return st.within(signals, 0.01, 0.1, "rate")


def _acceptable(r: Reading, aqm: str) -> st.Holds:
    return st.Holds(
        tuple(r.of("ltrf", aqm, **where) > ACCEPTABLE * r.of("ltrf", "droptail", **where) for where in _FAST)
    )


def _sooner(r: Reading, aqm: str) -> st.Holds:
    return st.Holds(
        tuple(r.of("delay", "droptail", **where) > r.of("delay", aqm, **where) for where in _FAST)
    )


CONCLUSIONS: Mapping[str, Callable[..., Any]] = {
    "discussion.comparable.{aqm}": lambda r, aqm: (
        r.of("ltrf", aqm, load=SHORT) > ACCEPTABLE * r.of("ltrf", "droptail", load=SHORT)
    ),
    "discussion.mixed.delay.{aqm}": lambda r, aqm: (
        COMPARABLE * r.of("delay", "droptail", load=SHORT) > r.of("delay", aqm, load=SHORT)
    ),
    "discussion.mixed.jitter.{aqm}": lambda r, aqm: (
        COMPARABLE * r.of("delay_sd", "droptail", "on_off") > r.of("delay_sd", aqm, "on_off")
    ),
    "discussion.same-trend.{aqm}": _same_trend,
    "discussion.close-at-30.{aqm}": lambda r, aqm: (
        st.Fixed(CLOSE, SHARE) > abs(r.gap("ltrf", aqm, buffer="1", load=30))
    ),
    "discussion.large-buffers.throughput.{aqm}": lambda r, aqm: (
        r.of("ltrf", aqm, buffer=LARGE) > ACCEPTABLE * r.of("ltrf", "droptail", buffer=LARGE)
    ),
    "discussion.large-buffers.delay.{aqm}": lambda r, aqm: (
        r.of("delay", "droptail", buffer=LARGE) > MUCH * r.of("delay", aqm, buffer=LARGE)
    ),
    "discussion.large-buffers.jitter.{aqm}": lambda r, aqm: (
        r.of("delay_sd", "droptail", buffer=LARGE) > r.of("delay_sd", aqm, buffer=LARGE)
    ),
    "discussion.large-buffers.on-off-jitter.{aqm}": lambda r, aqm: (
        r.of("delay_sd", "droptail", "on_off", buffer=LARGE)
        > MUCH * r.of("delay_sd", aqm, "on_off", buffer=LARGE)
    ),
    "discussion.small-buffers.throughput.{aqm}": lambda r, aqm: (
        r.of("ltrf", "droptail", buffer="1/3") > r.of("ltrf", aqm, buffer="1/3")
    ),
    "discussion.small-buffers.delay.{aqm}": lambda r, aqm: (
        r.of("delay", "droptail", buffer="1/3") > r.of("delay", aqm, buffer="1/3")
    ),
    "discussion.small-buffers.delay-slightly.{aqm}": lambda r, aqm: (
        r.of("relative_delay", aqm, buffer="1/3") + SLIGHTLY
        > r.of("relative_delay", "droptail", buffer="1/3")
    ),
    "discussion.long-term-only.{capacity}": _long_term_only,
    "discussion.short-flows-uncontrollable": lambda r: st.alike(
        r.of("stf", [*AQMS], load=SHORT), r.of("stf", "droptail", load=SHORT), MARGINAL
    ),
    "discussion.ecn-gains": lambda r: r.of("ltrf", "red-ecn") > r.of("ltrf", "red"),
    "discussion.ecn-gain-marginal": lambda r: MARGINAL * r.of("ltrf", "red") > r.of("ltrf", "red-ecn"),
    "discussion.ecn-drops-less": lambda r: r.of("drop", "red") > r.of("drop", "red-ecn"),
    "discussion.moderate-congestion": partial(_congestion, other="red"),
    **{
        f"discussion.moderate-congestion.{other}": partial(_congestion, other=other)
        for other in ("red-ecn", "droptail")
    },
    "conclusion.throughput.{aqm}": _acceptable,
    "conclusion.delay.{aqm}": _sooner,
}
"""Rules as functions of the reading and of labels."""


def _droptail_more(r: Reading, aqm: str, metric: str) -> st.Relation:
    cells = dict(r.cells)
    return r.of(metric, "droptail", **cells) > r.of(metric, aqm, **cells)


SMALLER_LINKS: Mapping[str, Callable[..., Any]] = {
    "conclusion.smaller.throughput.{aqm}": partial(_droptail_more, metric="ltrf"),
    "conclusion.smaller.delay.{aqm}": partial(_droptail_more, metric="delay"),
}
"""Claims about links with smaller bandwidth-delay products."""


def _gain(r: Reading, capacity: int, load: int) -> st.Expression:
    """Gain of long TCP flows by tuned RED over RED."""
    where: dict[str, Any] = {"capacity": capacity, "buffer": "1", "load": load}
    return r.of("ltrf", "red-tuned", "tuned", **where) - r.of("ltrf", "red", **where)


def _biased(r: Reading, capacity: int) -> st.Relation:
    """Tuned RED leaves flows that do not respond much less than RED does."""
    where: dict[str, Any] = {"capacity": capacity, "buffer": "1", "load": 0}
    return r.of("ltnrf", "red", **where) > COMPARABLE * r.of("ltnrf", "red-tuned", "tuned", **where)


def _like_droptail(r: Reading, capacity: int) -> st.Relation:
    """Tuned RED is at most half as far from DropTail as RED is."""
    where: dict[str, Any] = {"capacity": capacity, "buffer": "1", "load": 0}
    droptail = r.of("ltrf", "droptail", **where)
    tuned, red = r.of("ltrf", "red-tuned", "tuned", **where), r.of("ltrf", "red", **where)
    return abs(droptail - red) > MUCH * abs(droptail - tuned)


REGULATION: Mapping[str, Callable[..., Any]] = {
    "regulation.like-droptail.{capacity}": _like_droptail,
    "regulation.long-term.{capacity}": lambda r, capacity: _gain(r, capacity, 0) > CLOSE,
    "regulation.ltnrf.{capacity}": _biased,
    **{
        f"regulation.no-gain.{{capacity}}.{load}": partial(
            lambda r, capacity, load: CLOSE - _gain(r, capacity, load) > 0.0, load=load
        )
        for load in SHORT
    },
}
"""Claims about RED that is tuned from the estimate, as about RED."""
