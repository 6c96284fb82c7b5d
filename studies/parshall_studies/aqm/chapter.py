"""The chapter's statements in terms of what is measured; their words are in ``claims.md``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from parshall_studies import study as st
from parshall_studies.aqm.conclusions import CONCLUSIONS, REGULATION, SMALLER_LINKS
from parshall_studies.aqm.document import LTNRF_LOADS
from parshall_studies.aqm.grid import BUFFERS, LOADS
from parshall_studies.aqm.networks import BUFFER_PACKETS, PACKET_BYTES
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
    SIMILAR,
    SMALLER,
    STARTS,
    Reading,
    by_reading,
    of,
)

_SIZES = [BUFFER_PACKETS[35][buffer] for buffer in BUFFERS]
_WEIGHT = (_SIZES[1] - _SIZES[0]) / (_SIZES[2] - _SIZES[0])
_FULL = st.Given(
    ("capacity", "buffer"),
    {
        (capacity, buffer): 8 * PACKET_BYTES * packets / (1e6 * capacity)
        for capacity, by_buffer in BUFFER_PACKETS.items()
        for buffer, packets in by_buffer.items()
    },
)


# --- Queueing delay -----------------------------------------------------------------------------------------


def _linear(r: Reading, queue: str) -> st.Holds:
    delay = r.high("delay", queue, capacity=35)
    straight = (1 - _WEIGHT) * delay.at(buffer="1/3") + _WEIGHT * delay.at(buffer="3")
    return st.alike(delay.at(buffer="1"), straight, SIMILAR)


def _relative(r: Reading, queue: str, buffer: str, value: str, half: float) -> tuple[st.Holds, st.Printed]:
    delay = r.high("relative_delay", queue, buffer=buffer)
    return st.within(delay, float(value) - half, float(value) + half, "round trips"), st.Printed(value)


def _flat(r: Reading, queue: str) -> st.Holds:
    delay = r.high("relative_delay", queue)
    return st.alike(delay.at(capacity=[5, 100]), delay.at(capacity=35), SIMILAR)


def _at_1_bwdp(r: Reading, queue: str, load: int | list[int] = [*LOADS]) -> st.Expression:  # noqa: B006
    return r.of("relative_delay", queue, buffer="1", load=load)


def _threefold(r: Reading) -> tuple[st.Holds, st.Printed]:
    ratio = r.high("delay", "droptail") / r.high("delay", "red")
    return st.within(ratio, 2.5, 3.5, "in the ratio"), st.Printed("3")


def _two_to_three(r: Reading) -> st.Holds:
    return st.within(_at_1_bwdp(r, "droptail") / _at_1_bwdp(r, "red"), 1.5, 3.5, "in the ratio")


_DELAY: Mapping[str, Callable[..., Any]] = {
    "figure-26.increases.{queue}": lambda r, queue: st.rises(r.high("delay", queue, capacity=35), "buffer"),
    "figure-26.linear.{queue}": _linear,
    "figure-27.delay-threefold.{large}": lambda r, large: (
        r.high("delay", "droptail", buffer=large) > 3 * r.high("delay", "red", buffer=large)
    ),
    "figure-29.red.3": lambda r: _relative(r, "red", "3", "1", 0.5),
    "figure-29.red.third": lambda r: _relative(r, "red", "1/3", "0.1", 0.05),
    "figure-29.threefold": _threefold,
    "figure-29.ecn-similar": lambda r: st.alike(r.high("delay", "red-ecn"), r.high("delay", "red"), SIMILAR),
    "figure-29.flat.{queue}": _flat,
    "figure-31.two-to-three": _two_to_three,
    "figure-31.load-no-impact.{queue}": lambda r, queue: st.alike(
        _at_1_bwdp(r, queue, SHORT), _at_1_bwdp(r, queue, 0), SIMILAR
    ),
    "figure-31.ecn-similar": lambda r: st.alike(_at_1_bwdp(r, "red-ecn"), _at_1_bwdp(r, "red"), SIMILAR),
}
"""Rules as functions of the reading and of labels."""


# --- Jitter -------------------------------------------------------------------------------------------------


def _deviation(r: Reading, queue: str) -> st.Expression:
    """Standard deviation of the delay with ON/OFF flows, where buffers and capacities are large."""
    return r.of("delay_sd", queue, "on_off", capacity=[35, 100], buffer=LARGE)


def _comparable_at_5(r: Reading, aqm: str) -> st.Holds:
    droptail, other = (r.of("delay_sd", queue, "on_off", capacity=5) for queue in ("droptail", aqm))
    return st.alike(droptail, other, COMPARABLE)


_JITTER: Mapping[str, Callable[..., Any]] = {
    "figure-28.fluctuates.{queue}": lambda r, queue: (
        r.of("delay_sd", queue, "on_off") > MUCH * r.high("delay_sd", queue)
    ),
    "figure-28.comparable-at-5.{aqm}": _comparable_at_5,
    "figure-28.smaller.{aqm}": lambda r, aqm: _deviation(r, "droptail") > _deviation(r, aqm),
    "figure-28.much-smaller.{aqm}": lambda r, aqm: _deviation(r, "droptail") > MUCH * _deviation(r, aqm),
}

# --- Throughput and utilisation -----------------------------------------------------------------------------


def _at_100(r: Reading, metric: str, queue: str | list[str], **load: Any) -> st.Expression:
    """At 100 Mbit/s and 1 BWDP, as in Table X."""
    return r.of(metric, queue, capacity=100, buffer="1", **load)


def _shrinks(r: Reading, aqm: str, less: str, more: str) -> st.Relation:
    """The gap of throughputs, as the buffer grows."""
    return r.gap("ltrf", aqm, load=30, buffer=less) > r.gap("ltrf", aqm, load=30, buffer=more)


def _capacity_minor(r: Reading, aqm: str) -> st.Relation:
    gap = r.gap("ltrf", aqm, load=30)
    return st.Fixed(CLOSE, SHARE) > abs(gap.at(capacity=[35, 100]) - gap.at(capacity=5))


def _higher_at_100(r: Reading) -> st.Holds:
    """DropTail stands apart from the others: it is in another table."""
    return st.Holds(
        tuple(
            r.high("ltrf", queues, capacity=100) > r.high("ltrf", queues, capacity=[5, 35])
            for queues in ("droptail", [*AQMS])
        )
    )


def _load_shrinks(r: Reading, aqm: str, less: int, more: int) -> st.Relation:
    """The gap of normalised throughputs, as the load of short flows grows."""
    gap = r.gap("normalized", aqm, buffer="1")
    return gap.at(load=less) + 0.01 > gap.at(load=more)


def _claim(r: Reading, queue: str, load: int) -> tuple[st.Holds, st.Printed]:
    """Share of the link that short flows get."""
    low, high = {5: (0.045, 0.055), 30: (0.27, 0.33)}[load]
    return st.within(_at_100(r, "stf", queue, load=load), low, high, SHARE), st.Printed(f"{load / 100:g}")


def _utilization_gap_shrinks(r: Reading, aqm: str) -> st.Holds:
    small, one, large = (r.gap("utilization", aqm, load=30, buffer=buffer) for buffer in BUFFERS)
    return st.Holds((small > one, one > large))


_THROUGHPUT: Mapping[str, Callable[..., Any]] = {
    "introduction.bias": lambda r: (
        r.of("ltnrf", "red", buffer="1", load=0) > COMPARABLE * r.of("ltnrf", "droptail", buffer="1", load=0)
    ),
    "figure-27.droptail-higher.{aqm}": lambda r, aqm: r.high("ltrf", "droptail") > r.high("ltrf", aqm),
    "figure-27.gap-shrinks.{aqm}.1": partial(_shrinks, less="1/3", more="1"),
    "figure-27.gap-shrinks.{aqm}.3": partial(_shrinks, less="1", more="3"),
    "figure-27.capacity-minor.{aqm}": _capacity_minor,
    "figure-27.higher-at-100": _higher_at_100,
    "figure-27.better-choice.throughput.{aqm}": lambda r, aqm: (
        r.high("ltrf", aqm, buffer=LARGE) > ACCEPTABLE * r.high("ltrf", "droptail", buffer=LARGE)
    ),
    "figure-27.better-choice.delay.{aqm}": lambda r, aqm: (
        r.high("delay", "droptail", buffer=LARGE) > r.high("delay", aqm, buffer=LARGE)
    ),
    "figure-27.ecn-gains": lambda r: r.high("ltrf", "red-ecn") > r.high("ltrf", "red"),
    "figure-27.ecn-gain-marginal": lambda r: MARGINAL * r.high("ltrf", "red") > r.high("ltrf", "red-ecn"),
    "figure-30.gap-shrinks.{aqm}.5": partial(_load_shrinks, less=0, more=5),
    "figure-30.gap-shrinks.{aqm}.30": partial(_load_shrinks, less=5, more=30),
    "figure-30.ecn-similar": lambda r: st.alike(
        r.of("normalized", "red-ecn", buffer="1"), r.of("normalized", "red", buffer="1"), SIMILAR
    ),
    **{
        f"table-x.droptail-higher.{load}": partial(
            lambda r, load: (
                _at_100(r, "ltrf", "droptail", load=load) > SIMILAR * _at_100(r, "ltrf", [*AQMS], load=load)
            ),
            load=load,
        )
        for load in (0, 5)
    },
    **{f"table-x.short-flows.{load}.{{queue}}": partial(_claim, load=load) for load in SHORT},
    "table-x.ecn-gains": lambda r: _at_100(r, "ltrf", "red-ecn") > _at_100(r, "ltrf", "red"),
    "table-x.ecn-gain-marginal": lambda r: (
        MARGINAL * _at_100(r, "ltrf", "red") > _at_100(r, "ltrf", "red-ecn")
    ),
    "table-x.close-at-30": lambda r: (
        st.Fixed(CLOSE, SHARE)
        > abs(_at_100(r, "ltrf", [*AQMS], load=30) - _at_100(r, "ltrf", "droptail", load=30))
    ),
    "table-viii.droptail-higher.{aqm}": lambda r, aqm: r.gap("utilization", aqm, load=30, buffer="1/3") > 0.0,
    "table-viii.gap-larger-at-5.{aqm}": lambda r, aqm: (
        r.gap("utilization", aqm, load=30, buffer="1/3", capacity=5)
        > r.gap("utilization", aqm, load=30, buffer="1/3", capacity=[35, 100])
    ),
    "table-viii.gap-shrinks.{aqm}": _utilization_gap_shrinks,
    "table-viii.ecn-gains": lambda r: r.high("utilization", "red-ecn") > r.high("utilization", "red"),
    "table-viii.ecn-gain-marginal": lambda r: (
        MARGINAL * r.high("utilization", "red") > r.high("utilization", "red-ecn")
    ),
}

# --- Drops and marks ----------------------------------------------------------------------------------------


def _no_difference(r: Reading) -> st.Holds:
    """Drop rates of each type of flows."""
    of_ltnrf = r.high("ltnrf_drop", "red", buffer="1")
    others = [r.high(metric, "red", buffer="1") for metric in ("ltrf_drop", "stf_drop")]
    rules = [st.alike(other, of_ltnrf, COMPARABLE) for other in others]
    return st.Holds(tuple(relation for rule in rules for relation in rule.relations))


def _no_difference_with_marks(r: Reading) -> st.Holds:
    """Marks and drops of flows that understand marks, beside the drops of those that do not."""
    signals = r.high("mark", "red-ecn", buffer="1") + r.high("ltrf_drop", "red-ecn", buffer="1")
    return st.alike(signals, r.high("ltnrf_drop", "red-ecn", buffer="1"), COMPARABLE)


_DROPS: Mapping[str, Callable[..., Any]] = {
    "table-ix.no-difference.red": _no_difference,
    "table-ix.no-difference.red-ecn": _no_difference_with_marks,
    "table-ix.marks-above-drops": lambda r: (
        r.high("mark", "red-ecn", buffer="1") > r.high("ltrf_drop", "red", buffer="1")
    ),
    "table-ix.ecn-drops-less": lambda r: (
        r.high("ltrf_drop", "red", buffer="1") > MUCH * r.high("ltrf_drop", "red-ecn", buffer="1")
    ),
    "table-ix.ecn-ltnrf": lambda r: (
        r.high("ltnrf_drop", "red-ecn", buffer="1") > r.high("ltnrf_drop", "red", buffer="1")
    ),
}

# --- Settings, and statements about DropTail ----------------------------------------------------------------


def _offered(flows: str, capacity: int | list[int], load: int | list[int] = [*LOADS]) -> st.Expression:  # noqa: B006
    """Load that flows of a class offer, as a share of the capacity."""
    where: dict[str, Any] = {"capacity": capacity, "buffer": "1", "load": load}
    return of(flows, "red", **where) / (1 - of(f"{flows}_drop", "red", **where))


def _load(capacity: int, load: int) -> st.PrintedNumber:
    return st.PrintedNumber(st.Printed(LTNRF_LOADS[load], SHARE), _offered("ltnrf", capacity, load))


def _total_load(capacity: int, load: int) -> st.PrintedNumber:
    offered = _offered("ltnrf", capacity, load)
    return st.PrintedNumber(
        st.Printed(LTNRF_LOADS[0], SHARE), offered + _offered("stf", capacity, load) if load else offered
    )


def _similar_mix(mixed: str) -> st.Holds:
    loads = [*LOADS] if mixed == "ltnrf" else SHORT
    return st.alike(_offered(mixed, [5, 100], loads), _offered(mixed, 35, loads), SIMILAR)


_SETTINGS: Mapping[str, Any] = {
    **{f"setup.ltnrf-load.{{capacity}}.{load}": partial(_load, load=load) for load in LOADS},
    **{f"setup.total-load.{{capacity}}.{load}": partial(_total_load, load=load) for load in LOADS},
    "setup.similar-mix.{mixed}": _similar_mix,
}
_OF_DROPTAIL: Mapping[str, Callable[..., Any]] = {
    "figure-29.droptail.3": lambda r: _relative(r, "droptail", "3", "3", 0.5),
    "figure-29.droptail.third": lambda r: _relative(r, "droptail", "1/3", "0.3", 0.05),
    "figure-29.droptail-full": lambda r: st.alike(r.high("delay", "droptail"), _FULL, SIMILAR),
    "figure-31.droptail-one": lambda r: st.alike(_at_1_bwdp(r, "droptail"), 1.0, SIMILAR),
    **{
        f"table-ix.droptail-ltnrf.{other}": partial(
            lambda r, other: (
                r.high("ltnrf_drop", "droptail", buffer="1") > MUCH * r.high(other, "droptail", buffer="1")
            ),
            other=other,
        )
        for other in ("ltrf_drop", "stf_drop")
    },
}

SAYS: Mapping[str, Any] = {
    **{
        id: by_reading(says)
        for part in (_DELAY, _JITTER, _THROUGHPUT, _DROPS, CONCLUSIONS)
        for id, says in part.items()
    },
    **{id: by_reading(says, SMALLER) for id, says in SMALLER_LINKS.items()},
    **{id: by_reading(says, STARTS) for id, says in {**_OF_DROPTAIL, **REGULATION}.items()},
    **_SETTINGS,
}
"""Rule of each statement of the chapter, by its id as it stands in ``claims.md``."""
