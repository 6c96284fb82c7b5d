"""The chapter's numbers, and what its statements say in terms of what is measured; their words are in
``claims.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parshall_studies import study as st
from parshall_studies.aqm.chapter import SAYS
from parshall_studies.aqm.document import TABLE_5, TABLE_6, TABLE_8, TABLE_9, TABLE_10
from parshall_studies.aqm.grid import BUFFERS, CAPACITIES, MODERN, QUEUES, ident
from parshall_studies.aqm.networks import product_packets
from parshall_studies.aqm.readings import (
    AQMS,
    CLOSE,
    LARGE,
    NEW_QUEUES,
    OF_CHAPTER,
    SHORT,
    SIMILAR,
    UNITS,
    of,
)


def _modern(metric: str, queue: str, senders: str = "sack", **where: Any) -> st.Expression:
    return of(metric, queue, MODERN.name, senders=senders, **where)


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
                st.Printed(number, UNITS[metric]),
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

# --- Beyond the chapter -------------------------------------------------------------------------------------


def _crossing(metric: str, queue: str, part: str = "crossing") -> st.Expression:
    """A metric of the part with the surge, or of another part around it."""
    unit = UNITS.get(metric.partition("_")[0], "")
    return st.Quantity(part, metric, unit).at(queue=queue, senders="sack", buffer="1", load=0)


def _phase(capacity: int) -> st.Holds:
    here: dict[str, Any] = {"capacity": capacity, "buffer": "1", "load": 0}
    locked, spread = of("ltrf", "droptail", **here), of("ltrf", "droptail", "spread", **here)
    of_red = of("ltrf", "red", **here)
    return st.Holds((locked - of_red > 2 * (spread - of_red), locked > spread))


def _gain(capacity: int, load: int) -> st.Expression:
    """Gain of long TCP flows by tuned RED over RED."""
    here: dict[str, Any] = {"capacity": capacity, "buffer": "1", "load": load}
    return of("ltrf", "red-tuned", "tuned", **here) - of("ltrf", "red", **here)


_TUNED = of("ltrf", "red-tuned", "tuned")
_BEYOND: dict[str, Any] = {
    "phases.red-is-close": of("ltrf", "red", "spread") + CLOSE > of("ltrf", "droptail", "spread"),
    "phases.long-term.{capacity}": _phase,
    **{
        f"thresholds.{metric}-lower": (
            of(metric, "red", load=30) > of(metric, "red-low", "thresholds", load=30)
        )
        for metric in ("delay", "utilization", "ltrf")
    },
    "tuned.works.{capacity}": lambda capacity: _gain(capacity, 0) > CLOSE,
    "tuned.fails.{capacity}": lambda capacity: CLOSE - _gain(capacity, 30) > 0.0,
    "tuned.like-droptail": st.Holds(
        (_TUNED + CLOSE > of("ltrf", "droptail"), of("ltrf", "droptail") + CLOSE > _TUNED)
    ),
    "tuned.delay": of("delay", "red-tuned", "tuned") > 1.5 * of("delay", "red"),
    "tuned.nothing-to-gain": of("ltrf", "red", "spread") + CLOSE > of("ltrf", "red-tuned", "tuned_spread"),
    "crossing.moves.{tuned}": lambda tuned: _crossing("moved_surge", tuned) > 0.9,
    "crossing.returns.{tuned}": lambda tuned: _crossing("moved_quiet", tuned) < 0.1,
    "crossing.stable.{tuned}": lambda tuned: _crossing("changes", tuned) < 1.0,
    "crossing.gains.{tuned}": lambda tuned: (
        _crossing("ltrf_surge", tuned) > _crossing("ltrf_surge", "red") + CLOSE
    ),
    "crossing.costs.{tuned}": lambda tuned: (
        _crossing("delay_surge", tuned) > 1.5 * _crossing("delay_surge", "red")
    ),
    "crossing.quiet.{tuned}": lambda tuned: st.alike(
        _crossing("delay_quiet", tuned), _crossing("delay_quiet", "red"), SIMILAR
    ),
    "crossing.at-random.{tuned}": lambda tuned: (
        _crossing("ltrf_surge", "red", "crossing_spread") + CLOSE
        > _crossing("ltrf_surge", tuned, "crossing_spread")
    ),
    "modern.delay.{new}": lambda new: _modern("delay", "red") > _modern("delay", new),
    "modern.buffer-does-not-matter.{new}": lambda new: st.alike(
        _modern("delay", new, buffer="3"), _modern("delay", new, buffer="1"), SIMILAR
    ),
    "modern.utilization.{new}": lambda new: (
        _modern("utilization", new) > 0.98 * _modern("utilization", "droptail")
    ),
    "modern.response.{new}.{old}": lambda new, old: (
        _modern("response_mean", old, load=SHORT) > _modern("response_mean", new, load=SHORT)
    ),
    "modern.protects.{old}": lambda old: _modern("ltrf", "fq-codel") > _modern("ltrf", old),
    "modern.cubic-takes-more.{modern}": lambda modern: (
        _modern("ltrf", modern, "cubic") > _modern("ltrf", modern)
    ),
    "modern.cubic-responds-sooner.{modern}": lambda modern: (
        _modern("response_mean", modern, load=SHORT) > _modern("response_mean", modern, "cubic", load=SHORT)
    ),
    "modern.cubic-delay.{new}": lambda new: _modern("delay", "red", "cubic") > _modern("delay", new, "cubic"),
}

_NAMED: dict[str, Mapping[Any, str]] = {
    "queue": OF_CHAPTER,
    "aqm": AQMS,
    "new": NEW_QUEUES,
    "old": {name: QUEUES[name] for name in ("droptail", "red")},
    "modern": {name: QUEUES[name] for name in MODERN.queues},
    "large": {buffer: buffer for buffer in LARGE},
    "tuned": {name: QUEUES[name] for name in ("red-tuned", "red-tuned-queue")},
    "capacity": {capacity: str(capacity) for capacity in CAPACITIES},
    "mixed": {"ltnrf": "LTNRF", "stf": "STF"},
}

TOPICS: tuple[st.Topic, ...] = (
    *st.topics_of(st.page_of(__package__, "claims.md"), {**SAYS, **_BEYOND}, _NAMED, ident=ident),
    *(table.topic for table in PRINTED_TABLES),
)
