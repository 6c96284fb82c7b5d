"""The chapter's numbers, and what its statements say in terms of what is measured; their words are in
``claims.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from parshall_studies import study as st
from parshall_studies.aqm.document import LTNRF_LOADS, TABLE_5, TABLE_6, TABLE_8, TABLE_9, TABLE_10
from parshall_studies.aqm.grid import BUFFERS, CAPACITIES, LOADS, MODERN, QUEUES, ident
from parshall_studies.aqm.networks import BUFFER_PACKETS, PACKET_BYTES, product_packets

AQMS = {name: QUEUES[name] for name in ("red", "red-ecn")}
"""What the chapter calls AQM schemes."""
OF_CHAPTER = {"droptail": QUEUES["droptail"], **AQMS}
NEW_QUEUES = {name: QUEUES[name] for name in MODERN.queues if name not in OF_CHAPTER}
SHARE = "share of capacity"
SIMILAR, MARGINAL, COMPARABLE, MUCH, CLOSE = 1.1, 1.05, 1.5, 2.0, 0.05
"""Bounds of the chapter's words; see the assumptions."""
_SHORT, _LARGE = [5, 30], ["1", "3"]
"""Loads with short flows, and buffers from one BWDP on."""
_UNITS: Mapping[str, str] = {
    **dict.fromkeys(("ltrf", "ltnrf", "stf", "utilization"), SHARE),
    **dict.fromkeys(("delay", "delay_sd", "response_mean", "response_p95"), "s"),
    **dict.fromkeys(("drop", "ltrf_drop", "ltnrf_drop", "stf_drop", "mark"), "rate"),
    "normalized": "share",
}


def of(
    metric: str, queue: str | list[str], part: str = "grid", *, senders: str = "sack", **where: Any
) -> st.Expression:
    """A metric of a queue, or of several, over the cells of a part, or over some of them."""
    return st.Quantity(part, metric, _UNITS.get(metric, "")).at(queue=queue, senders=senders, **where)


def _high(metric: str, queue: str | list[str], **where: Any) -> st.Expression:
    """Under 30 % short flows, as in most figures: nine cells, or some of them."""
    return of(metric, queue, load=30, **where)


def _at_100(metric: str, queue: str | list[str], **load: Any) -> st.Expression:
    """At 100 Mbit/s and 1 BWDP, as in Table X."""
    return of(metric, queue, capacity=100, buffer="1", **load)


def _modern(metric: str, queue: str, senders: str = "sack", **where: Any) -> st.Expression:
    return of(metric, queue, MODERN.name, senders=senders, **where)


def _gap(metric: str, queue: str, **where: Any) -> st.Expression:
    """What DropTail has more."""
    return of(metric, "droptail", **where) - of(metric, queue, **where)


# --- Printed numbers ----------------------------------------------------------------------------------------

_NAMES = {
    "utilization": "utilisation",
    "mark": "marking rate of LTRF",
    "ltrf_drop": "drop rate of LTRF",
    "ltnrf_drop": "drop rate of LTNRF",
    "ltrf": "throughput of LTRF",
    "ltnrf": "throughput of LTNRF",
}


def _results(where: str, title: str, caption: str, table: Mapping[tuple[Any, ...], str]) -> st.PrintedTable:
    name = where.lower().replace(" ", "-")
    return st.printed_table(
        name,
        where,
        title,
        caption,
        ("Queue", "Cell", "Metric"),
        (
            (
                f"{name}.{capacity}.{ident(buffer)}.{load}.{queue}.{metric}",
                (QUEUES[queue], f"{capacity} Mbit/s, {buffer} BWDP, {load} % STF", _NAMES[metric]),
                f"{QUEUES[queue]}, {capacity} Mbit/s, {buffer} BWDP, {load} % STF: {_NAMES[metric]}",
                st.Printed(number, _UNITS[metric]),
                of(metric, queue, capacity=capacity, buffer=buffer, load=load),
            )
            for (queue, metric, capacity, buffer, load), number in table.items()
        ),
        least=0.0,
    )


PRINTED_TABLES = (
    st.PrintedTable(
        "table-5",
        "Table V",
        "One bandwidth-delay product",
        "In packets: the capacity times 120 ms, in packets of 1000 bytes, 'rounded up'.",
        ("Capacity",),
        tuple(
            st.Row(
                f"table-v.{capacity}",
                (f"{capacity} Mbit/s",),
                f"One bandwidth-delay product at {capacity} Mbit/s.",
                st.Exactly(st.Printed(count, "packets"), product_packets(capacity)),
            )
            for capacity, count in TABLE_5.items()
        ),
    ),
    st.PrintedTable(
        "table-6",
        "Table VI",
        "Buffer sizes",
        "In packets, from the same definition. The printed buffers are what is run.",
        ("Buffer",),
        tuple(
            st.Row(
                f"table-vi.{capacity}.{ident(buffer)}",
                (f"{buffer} BWDP, {capacity} Mbit/s",),
                f"A buffer of {buffer} BWDP at {capacity} Mbit/s.",
                st.Exactly(st.Printed(count, "packets"), product_packets(capacity, BUFFERS[buffer])),
            )
            for (buffer, capacity), count in TABLE_6.items()
        ),
    ),
    _results("Table VIII", "Link utilisation", "30 % short flows; payload over capacity.", TABLE_8),
    _results("Table IX", "Drop and marking rates", "30 % short flows, 1 BWDP.", TABLE_9),
    _results("Table X", "Throughput of long flows", "100 Mbit/s, 1 BWDP; shares of the capacity.", TABLE_10),
)

# --- Statements ---------------------------------------------------------------------------------------------

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


def _linear(queue: str) -> st.Holds:
    delay = _high("delay", queue, capacity=35)
    straight = (1 - _WEIGHT) * delay.at(buffer="1/3") + _WEIGHT * delay.at(buffer="3")
    return st.alike(delay.at(buffer="1"), straight, SIMILAR)


def _relative(queue: str, buffer: str, value: str, half: float) -> tuple[st.Holds, st.Printed]:
    delay = _high("relative_delay", queue, buffer=buffer)
    return st.within(delay, float(value) - half, float(value) + half, "round trips"), st.Printed(value)


def _flat(queue: str) -> st.Holds:
    delay = _high("relative_delay", queue)
    return st.alike(delay.at(capacity=[5, 100]), delay.at(capacity=35), SIMILAR)


def _at_1_bwdp(queue: str, load: int | list[int] = [*LOADS]) -> st.Expression:  # noqa: B006
    return of("relative_delay", queue, buffer="1", load=load)


def _deviation(queue: str) -> st.Expression:
    """Of the delay with ON/OFF flows, where buffers and capacities are large."""
    return of("delay_sd", queue, "on_off", capacity=[35, 100], buffer=_LARGE)


def _capacity_minor(aqm: str) -> Any:
    gap = _gap("ltrf", aqm, load=30)
    return st.Fixed(CLOSE, SHARE) > abs(gap.at(capacity=[35, 100]) - gap.at(capacity=5))


def _load(capacity: int, load: int) -> st.PrintedNumber:
    got, lost = (
        of(name, "red", capacity=capacity, buffer="1", load=load) for name in ("ltnrf", "ltnrf_drop")
    )
    return st.PrintedNumber(st.Printed(LTNRF_LOADS[load], SHARE), got / (1 - lost))


def _long_term_only(capacity: int) -> st.Holds:
    gap = _gap("ltrf", "red", capacity=capacity, buffer="1")
    return st.Holds((gap.at(load=0) > CLOSE, CLOSE - gap.at(load=30) > 0.0))


def _phase(capacity: int) -> st.Holds:
    here: dict[str, Any] = {"capacity": capacity, "buffer": "1", "load": 0}
    locked, spread, red = (
        of("ltrf", "droptail", **here),
        of("ltrf", "droptail", "spread", **here),
        of("ltrf", "red", **here),
    )
    return st.Holds((locked - red > 2 * (spread - red), locked > spread))


def _gain(capacity: int, load: int) -> st.Expression:
    """What tuned RED gives long TCP flows more than RED does."""
    here: dict[str, Any] = {"capacity": capacity, "buffer": "1", "load": load}
    return of("ltrf", "red-tuned", "tuned", **here) - of("ltrf", "red", **here)


_TUNED = of("ltrf", "red-tuned", "tuned")
_SAYS: dict[str, Any] = {
    "figure-26.increases.{queue}": lambda queue: st.rises(_high("delay", queue, capacity=35), "buffer"),
    "figure-26.linear.{queue}": _linear,
    "figure-27.delay-threefold.{large}": lambda large: (
        _high("delay", "droptail", buffer=large) > 3 * _high("delay", "red", buffer=large)
    ),
    "figure-29.droptail.3": _relative("droptail", "3", "3", 0.5),
    "figure-29.red.3": _relative("red", "3", "1", 0.5),
    "figure-29.droptail.third": _relative("droptail", "1/3", "0.3", 0.05),
    "figure-29.red.third": _relative("red", "1/3", "0.1", 0.05),
    "figure-29.droptail-full": st.alike(_high("delay", "droptail"), _FULL, SIMILAR),
    "figure-29.threefold": (
        st.within(_high("delay", "droptail") / _high("delay", "red"), 2.5, 3.5, "in the ratio"),
        st.Printed("3"),
    ),
    "figure-29.ecn-similar": st.alike(_high("delay", "red-ecn"), _high("delay", "red"), SIMILAR),
    "figure-29.flat.{queue}": _flat,
    "figure-31.droptail-one": st.alike(_at_1_bwdp("droptail"), 1.0, SIMILAR),
    "figure-31.two-to-three": st.within(_at_1_bwdp("droptail") / _at_1_bwdp("red"), 1.5, 3.5, "in the ratio"),
    "figure-31.load-no-impact.{queue}": lambda queue: st.alike(
        _at_1_bwdp(queue, _SHORT), _at_1_bwdp(queue, 0), SIMILAR
    ),
    "figure-31.ecn-similar": st.alike(_at_1_bwdp("red-ecn"), _at_1_bwdp("red"), SIMILAR),
    "figure-28.comparable-at-5.{aqm}": lambda aqm: st.alike(
        of("delay_sd", "droptail", "on_off", capacity=5),
        of("delay_sd", aqm, "on_off", capacity=5),
        COMPARABLE,
    ),
    "figure-28.smaller.{aqm}": lambda aqm: _deviation("droptail") > _deviation(aqm),
    "figure-28.much-smaller.{aqm}": lambda aqm: _deviation("droptail") > MUCH * _deviation(aqm),
    "figure-27.droptail-higher.{aqm}": lambda aqm: _high("ltrf", "droptail") > _high("ltrf", aqm),
    "figure-27.gap-shrinks.{aqm}.1": lambda aqm: (
        _gap("ltrf", aqm, load=30, buffer="1/3") > _gap("ltrf", aqm, load=30, buffer="1")
    ),
    "figure-27.gap-shrinks.{aqm}.3": lambda aqm: (
        _gap("ltrf", aqm, load=30, buffer="1") > _gap("ltrf", aqm, load=30, buffer="3")
    ),
    "figure-27.capacity-minor.{aqm}": _capacity_minor,
    "figure-27.higher-at-100": (
        _high("ltrf", [*OF_CHAPTER], capacity=100) > _high("ltrf", [*OF_CHAPTER], capacity=[5, 35])
    ),
    "figure-27.ecn-gains": _high("ltrf", "red-ecn") > _high("ltrf", "red"),
    "figure-27.ecn-gain-marginal": MARGINAL * _high("ltrf", "red") > _high("ltrf", "red-ecn"),
    "figure-30.gap-shrinks.{aqm}.5": lambda aqm: (
        _gap("normalized", aqm, buffer="1", load=0) + 0.01 > _gap("normalized", aqm, buffer="1", load=5)
    ),
    "figure-30.gap-shrinks.{aqm}.30": lambda aqm: (
        _gap("normalized", aqm, buffer="1", load=5) + 0.01 > _gap("normalized", aqm, buffer="1", load=30)
    ),
    "table-x.droptail-higher.0": _at_100("ltrf", "droptail", load=0)
    > SIMILAR * _at_100("ltrf", [*AQMS], load=0),
    "table-x.droptail-higher.5": _at_100("ltrf", "droptail", load=5)
    > SIMILAR * _at_100("ltrf", [*AQMS], load=5),
    "table-x.short-flows.5": (
        st.within(_at_100("stf", [*OF_CHAPTER], load=5), 0.045, 0.055, SHARE),
        st.Printed("0.05"),
    ),
    "table-x.short-flows.30": (
        st.within(_at_100("stf", [*OF_CHAPTER], load=30), 0.25, 0.35, SHARE),
        st.Printed("0.3"),
    ),
    "table-x.ecn-gains": _at_100("ltrf", "red-ecn") > _at_100("ltrf", "red"),
    "table-x.close-at-30": _at_100("ltrf", [*AQMS], load=30) + CLOSE > _at_100("ltrf", "droptail", load=30),
    "table-viii.droptail-higher.{aqm}": lambda aqm: _gap("utilization", aqm, load=30, buffer="1/3") > 0.0,
    "table-viii.gap-larger-at-5.{aqm}": lambda aqm: (
        _gap("utilization", aqm, load=30, buffer="1/3", capacity=5)
        > _gap("utilization", aqm, load=30, buffer="1/3", capacity=[35, 100])
    ),
    "table-viii.gap-shrinks.{aqm}": lambda aqm: (
        _gap("utilization", aqm, load=30, buffer="1/3") > _gap("utilization", aqm, load=30, buffer="3")
    ),
    "table-viii.ecn-gains": _high("utilization", "red-ecn") > _high("utilization", "red"),
    **{
        f"table-ix.droptail-ltnrf.{other}": (
            _high("ltnrf_drop", "droptail", buffer="1") > MUCH * _high(other, "droptail", buffer="1")
        )
        for other in ("ltrf_drop", "stf_drop")
    },
    **{
        f"table-ix.no-difference.{queue}": st.alike(
            _high(metric, queue, buffer="1"), _high("ltnrf_drop", queue, buffer="1"), SIMILAR
        )
        for queue, metric in (("red", "ltrf_drop"), ("red-ecn", "mark"))
    },
    "table-ix.marks-above-drops": _high("mark", "red-ecn", buffer="1")
    > _high("ltrf_drop", "red", buffer="1"),
    "table-ix.ecn-drops-less": (
        _high("ltrf_drop", "red", buffer="1") > MUCH * _high("ltrf_drop", "red-ecn", buffer="1")
    ),
    "table-ix.ecn-ltnrf": _high("ltnrf_drop", "red-ecn", buffer="1") > _high("ltnrf_drop", "red", buffer="1"),
    "discussion.comparable.{aqm}": lambda aqm: (
        of("ltrf", aqm, load=_SHORT) > 0.9 * of("ltrf", "droptail", load=_SHORT)
    ),
    "discussion.large-buffers.throughput.{aqm}": lambda aqm: (
        of("ltrf", aqm, buffer=_LARGE) > 0.9 * of("ltrf", "droptail", buffer=_LARGE)
    ),
    "discussion.large-buffers.delay.{aqm}": lambda aqm: (
        of("delay", "droptail", buffer=_LARGE) > MUCH * of("delay", aqm, buffer=_LARGE)
    ),
    "discussion.large-buffers.jitter.{aqm}": lambda aqm: (
        of("delay_sd", "droptail", buffer=_LARGE) > of("delay_sd", aqm, buffer=_LARGE)
    ),
    "discussion.small-buffers.throughput.{aqm}": lambda aqm: (
        of("ltrf", "droptail", buffer="1/3") > of("ltrf", aqm, buffer="1/3")
    ),
    "discussion.small-buffers.delay.{aqm}": lambda aqm: (
        of("delay", "droptail", buffer="1/3") > of("delay", aqm, buffer="1/3")
    ),
    "discussion.long-term-only.{capacity}": _long_term_only,
    "discussion.short-flows-uncontrollable": st.alike(
        of("stf", [*AQMS], load=_SHORT), of("stf", "droptail", load=_SHORT), MARGINAL
    ),
    "discussion.moderate-congestion": st.within(of("drop", "red"), 0.01, 0.1, "rate"),
    **{f"setup.ltnrf-load.{{capacity}}.{load}": partial(_load, load=load) for load in LTNRF_LOADS},
    "phases.red-is-close": of("ltrf", "red") + CLOSE > of("ltrf", "droptail", "spread"),
    "phases.long-term.{capacity}": _phase,
    "thresholds.delay-threefold": _high("delay", "droptail")
    > 3 * of("delay", "red-low", "thresholds", load=30),
    "thresholds.delay-lower": _high("delay", "red") > of("delay", "red-low", "thresholds", load=30),
    "thresholds.utilization-lower": (
        _high("utilization", "red") > of("utilization", "red-low", "thresholds", load=30)
    ),
    "thresholds.ltrf-lower": _high("ltrf", "red") > of("ltrf", "red-low", "thresholds", load=30),
    "tuned.works.{capacity}": lambda capacity: _gain(capacity, 0) > CLOSE,
    "tuned.fails.{capacity}": lambda capacity: CLOSE - _gain(capacity, 30) > 0.0,
    "tuned.like-droptail": st.Holds(
        (_TUNED + CLOSE > of("ltrf", "droptail"), of("ltrf", "droptail") + CLOSE > _TUNED)
    ),
    "tuned.delay": of("delay", "red-tuned", "tuned") > 1.5 * of("delay", "red"),
    "tuned.nothing-to-gain": of("ltrf", "red") + CLOSE > of("ltrf", "red-tuned", "tuned_spread"),
    "modern.delay.{new}": lambda new: _modern("delay", "red") > _modern("delay", new),
    "modern.buffer-does-not-matter.{new}": lambda new: st.alike(
        _modern("delay", new, buffer="3"), _modern("delay", new, buffer="1"), SIMILAR
    ),
    "modern.utilization.{new}": lambda new: (
        _modern("utilization", new) > 0.98 * _modern("utilization", "droptail")
    ),
    "modern.response.{new}.{old}": lambda new, old: (
        _modern("response_mean", old, load=_SHORT) > _modern("response_mean", new, load=_SHORT)
    ),
    "modern.protects.{old}": lambda old: _modern("ltrf", "fq-codel") > _modern("ltrf", old),
    "modern.cubic-takes-more.{modern}": lambda modern: (
        _modern("ltrf", modern, "cubic") > _modern("ltrf", modern)
    ),
    "modern.cubic-responds-sooner.{modern}": lambda modern: (
        _modern("response_mean", modern, load=_SHORT) > _modern("response_mean", modern, "cubic", load=_SHORT)
    ),
    "modern.cubic-delay.{new}": lambda new: _modern("delay", "red", "cubic") > _modern("delay", new, "cubic"),
}

_NAMED: dict[str, Mapping[Any, str]] = {
    "queue": OF_CHAPTER,
    "aqm": AQMS,
    "new": NEW_QUEUES,
    "old": {name: QUEUES[name] for name in ("droptail", "red")},
    "modern": {name: QUEUES[name] for name in MODERN.queues},
    "large": {buffer: buffer for buffer in _LARGE},
    "capacity": {capacity: str(capacity) for capacity in CAPACITIES},
}

TOPICS: tuple[st.Topic, ...] = (
    *st.topics_of(st.page_of(__package__, "claims.md"), _SAYS, _NAMED, ident=ident),
    *(table.topic for table in PRINTED_TABLES),
)
