"""The document's numbers, and what its statements say in terms of what is measured; ``claims.md`` has their
words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from parshall_studies import study as st
from parshall_studies.median_rto import impulses
from parshall_studies.median_rto.document import MEASURES, TABLES, PrintedRows, difference, printed
from parshall_studies.median_rto.scenarios import (
    AS_RFC_6298,
    FAR,
    FILTERS,
    FLOATING,
    MEDIAN_FILTERS,
    NEAR,
    ORIGINAL,
    PROTOCOLS,
    TRAFFICS,
    named,
    traffic_name,
)

_UNITS = {measure.name: measure.unit for measure in MEASURES} | dict.fromkeys(
    ("rto_exceeded", "rtt_tail", "rtt_impulses", "spurious_timeouts"), ""
)
_MEDIANS = list(MEDIAN_FILTERS)
_FAMILIES = {
    "median": _MEDIANS,
    "median-mad": [name for name in FILTERS if name.startswith("median-mad-")],
    "weighted-median": ["weighted-median"],
}


def of(measure: str, filter: str | list[str], traffic: str, recovery: str = "tahoe") -> st.Expression:
    """A measure of a filter, or of several, in one setting."""
    whole = st.Quantity("runs", measure, _UNITS.get(measure, "s"), measure.replace("_", " "))
    return whole.at(traffic=traffic, recovery=recovery, filter=filter)


def _printed(table: PrintedRows) -> st.PrintedTable:
    return st.printed_table(
        table.id,
        table.name,
        table.title,
        "Rates in bit/s, loss = (throughput \N{MINUS SIGN} goodput) / throughput in %.",
        ("Filter", "Measure"),
        (
            (
                f"{table.id}.{name}.{measure.name}",
                (FILTERS[name].label, measure.label),
                f"{measure.label} of {named(name)} ({traffic_name(table.traffic)} traffic).",
                printed(table.traffic, name, measure.name),
                of(measure.name, name, table.traffic),
            )
            for name in table.filters
            for measure in MEASURES
        ),
    )


PRINTED_TABLES = tuple(_printed(table) for table in TABLES)

# --- Statements ---------------------------------------------------------------------------------------------


def _more(
    measure: str, traffic: str, recovery: str = "tahoe", filters: str | list[str] = "median-5"
) -> st.Relation:
    """Relation: filters have more of something than the original TCP."""
    return of(measure, filters, traffic, recovery) > of(measure, ORIGINAL, traffic, recovery)


def _less(
    measure: str, traffic: str, recovery: str = "tahoe", filters: str | list[str] = "median-5"
) -> st.Relation:
    return of(measure, filters, traffic, recovery) < of(measure, ORIGINAL, traffic, recovery)


def _beside_printed(relation: st.Relation, measure: str, traffic: str) -> tuple[st.Relation, st.Printed]:
    return relation, difference(traffic, "median-5", measure)


def _seven_delivers_less(traffic: str) -> st.Relation:
    return of("goodput", "median-7", traffic) < of("goodput", ["median-5", "median-9"], traffic)


def _gain(traffic: str) -> st.Expression:
    return of("goodput", "median-5", traffic) - of("goodput", ORIGINAL, traffic)


def _noise(traffic: str, median: str, measure: str) -> st.MoreThanNoise:
    return st.MoreThanNoise(difference(traffic, median, measure), of(measure, ORIGINAL, traffic))


def _same_seed(traffic: str, median: str, measure: str) -> st.PrintedNumber:
    change = of(measure, median, traffic) - of(measure, ORIGINAL, traffic)
    return st.PrintedNumber(difference(traffic, median, measure), change)


def _alone(measure: str, traffic: str) -> tuple[st.Expression, st.Expression]:
    """A measure of the median of 5, and of the mean in the same arithmetic."""
    return of(measure, "median-5", traffic), of(measure, FLOATING, traffic)


def _answer(column: str, signal: str | list[str], filter: str, **where: Any) -> st.Quantity:
    return st.Quantity("answers", column).at(signal=signal, filter=filter, **where)


def _error(filter: str, law: str) -> st.Quantity:
    return st.Quantity("laws", "error").at(filter=filter, law=law)


def _at_distance(measure: str, deviations: int, traffic: str) -> st.Expression:
    """A measure of runs whose mean adds so many deviations."""
    whole = st.Quantity("distances", measure, _UNITS.get(measure, "s"), measure.replace("_", " "))
    return whole.at(traffic=traffic, deviations=deviations)


def _converged(column: str) -> st.Relation:
    """Relation: the error of the mean is less than half of what it was after a hundredth of the samples."""
    few, many = (st.Quantity("convergence", column).at(samples=count) for count in impulses.SAMPLE_COUNTS)
    return many < 0.5 * few


_TRACE = 0.01
"""Share of an impulse that counts as a trace of it."""
_MUCH = 1.5
"""Ratio from which on one time is much larger than another."""
_CONGESTED = 0.1
"""Percent of packets lost from which on a link counts as congested."""
_IMPULSES = ["impulse", "dip"]
RIVALS = {"quantile": "a quantile filter", "weighted": "a weighted median"}
"""Filters that might stand in a median's place, and what a reader calls them."""
_FIGURE_1_SHAPE = 1.7
_DENSITIES = st.Given(
    ("value",),
    {
        value: _FIGURE_1_SHAPE / value ** (_FIGURE_1_SHAPE + 1) / math.exp(-value)
        for value in (2.0, 5.0, 10.0)
    },
    label="Pareto density over exponential density",
)
_READINGS = {name: impulses.FILTERS[name].removeprefix("median, ") for name in ("ewma", "mad")}
_SAYS: dict[str, Any] = {
    "link.congested.{traffic}": lambda traffic: st.Never(_CONGESTED - of("loss", ORIGINAL, traffic)),
    "filter.more-throughput.{traffic}": lambda traffic: (
        _alone("throughput", traffic)[0] > _alone("throughput", traffic)[1]
    ),
    "filter.more-goodput.{traffic}": lambda traffic: (
        _alone("goodput", traffic)[0] > _alone("goodput", traffic)[1]
    ),
    "filter.less-loss.{traffic}": lambda traffic: _alone("loss", traffic)[0] < _alone("loss", traffic)[1],
    "filter.closer.{traffic}": lambda traffic: (
        _alone("rto_margin", traffic)[0] < _alone("rto_margin", traffic)[1]
    ),
    "rtt.heavy-tailed.{traffic}": lambda traffic: (
        of("rtt_tail", ORIGINAL, traffic) > impulses.EXPONENTIAL_TAIL
    ),
    "rtt.heavy-tailed-measured": st.Observed(
        st.Quantity("measured_shape", "tail") > impulses.EXPONENTIAL_TAIL
    ),
    "rtt.impulsive.{traffic}": lambda traffic: of("rtt_impulses", ORIGINAL, traffic) > impulses.OFTEN,
    "rtt.impulsive-measured": st.Observed(st.Quantity("measured_shape", "impulses") > impulses.OFTEN),
    "impulses.estimate.{reading}": lambda reading: st.Computed(
        abs(_answer("estimate", _IMPULSES, reading)) < _TRACE
    ),
    "impulses.timeout": st.ByReading(
        {
            label: st.Computed(abs(_answer("rto", _IMPULSES, reading)) < _TRACE)
            for reading, label in _READINGS.items()
        }
    ),
    "impulses.edge": st.Computed(_answer("estimate", "step", "ewma", after=list(range(3, 31))) > 1 - _TRACE),
    "density.slower": st.Computed(st.rises(_DENSITIES, "value")),
    "laws.converges": st.ByReading(
        {"each estimate": _converged("each"), "the average of all estimates": _converged("average")}
    ),
    "laws.gaussian": _error("mean", "gaussian") < _error("ewma", "gaussian"),
    "laws.pareto.{law}": lambda law: _error("ewma", law) < _error("mean", law),
    "near.more-spurious.{traffic}": lambda traffic: (
        _at_distance("spurious_timeouts", NEAR, traffic)
        > _at_distance("spurious_timeouts", AS_RFC_6298, traffic)
    ),
    "near.more-loss.{traffic}": lambda traffic: (
        _at_distance("loss", NEAR, traffic) > _at_distance("loss", AS_RFC_6298, traffic)
    ),
    "far.slower.{far}.{traffic}": lambda far, traffic: (
        _at_distance("timeout_wait", far, traffic) > _at_distance("timeout_wait", AS_RFC_6298, traffic)
    ),
    "far.less-throughput.{far}.{traffic}": lambda far, traffic: (
        _at_distance("throughput", far, traffic) < _at_distance("throughput", AS_RFC_6298, traffic)
    ),
    "figure-4.much-larger": (
        of("rto_mean", ORIGINAL, "exponential") > _MUCH * of("rtt_mean", ORIGINAL, "exponential")
    ),
    "figure-10.more-often-larger": _less("rto_exceeded", "pareto"),
    "wait.less.{traffic}": lambda traffic: _less("timeout_wait", traffic),
    "arithmetic.closer.{traffic}": lambda traffic: (
        of("rto_margin", FLOATING, traffic) < of("rto_margin", ORIGINAL, traffic)
    ),
    "cost.more.{traffic}": lambda traffic: (
        _alone("spurious_timeouts", traffic)[0] > _alone("spurious_timeouts", traffic)[1]
    ),
    "cost.twice.{traffic}": lambda traffic: (
        of("spurious_timeouts", "median-5", traffic) > of("spurious_timeouts", ORIGINAL, traffic) * 2
    ),
    "cost.best": st.Computed(st.Quantity("least_waits", "median") < st.Quantity("least_waits", "other")),
    "instead.{rival}": lambda rival: st.Computed(
        st.Quantity("least_waits", rival) < st.Quantity("least_waits", "median")
    ),
    "introduction.more-throughput.{traffic}": lambda traffic: _beside_printed(
        _more("throughput", traffic), "throughput", traffic
    ),
    "table-4.five-delivers-most": (
        of("goodput", "median-5", "pareto") > of("goodput", ["median-7", "median-9"], "pareto")
    ),
    "conclusion.heavy-tails": (
        _gain("pareto") > _gain("exponential"),
        difference("pareto", "median-5", "goodput").less(difference("exponential", "median-5", "goodput")),
    ),
    "conclusion.small-rto.{traffic}": lambda traffic: _less("rto_mean", traffic),
    "conclusion.consistent-rtt.{traffic}": lambda traffic: _less("rtt_deviation", traffic),
    "noise.{traffic}.{median}.{measure}": _noise,
    "same-seed.{traffic}.{median}.{measure}": _same_seed,
}
for _traffic, _first, _second, _figure in (("exponential", 1, 2, 4), ("pareto", 3, 4, 9)):
    _SAYS |= {
        f"table-{_first}.more-goodput": _beside_printed(_more("goodput", _traffic), "goodput", _traffic),
        f"table-{_first}.less-loss": _beside_printed(_less("loss", _traffic), "loss", _traffic),
        f"table-{_second}.all-less-loss": _less("loss", _traffic, filters=_MEDIANS),
        f"table-{_second}.seven-delivers-less": _seven_delivers_less(_traffic),
        f"figure-{_figure}.closer": _less("rto_margin", _traffic),
        f"figure-{_figure}.closer-all": _less("rto_margin", _traffic, filters=_MEDIANS),
        f"figure-{_figure + 1}.always-larger": st.Never(of("rto_exceeded", "median-5", _traffic)),
    }
for _ident, _measure, _side in (
    ("more-throughput", "throughput", _more),
    ("more-goodput", "goodput", _more),
    ("less-loss", "loss", _less),
    ("closer", "rto_margin", _less),
):
    _SAYS[f"beyond.{{recovery}}.{{family}}.{{traffic}}.{_ident}"] = (
        lambda recovery, family, traffic, measure=_measure, side=_side: side(
            measure, traffic, recovery, _FAMILIES[family]
        )
    )

_NAMES: dict[str, Mapping[Any, str]] = {
    "traffic": {traffic: traffic_name(traffic) for traffic in TRAFFICS},
    "median": {name: named(name) for name in MEDIAN_FILTERS},
    "measure": {measure.name: measure.label.lower() for measure in MEASURES},
    "recovery": PROTOCOLS,
    "reading": _READINGS,
    "rival": RIVALS,
    "far": {deviations: str(deviations) for deviations in FAR},
    "law": {name: label for name, label in impulses.LAWS.items() if name != "gaussian"},
    "family": {
        "median": "The medians of 5, 7 and 9 all have",
        "median-mad": "The medians of 5, 7 and 9 with MAD all have",
        "weighted-median": "The weighted median has",
    },
}

TOPICS: tuple[st.Topic, ...] = (
    *st.topics_of(st.page_of(__package__, "claims.md"), _SAYS, _NAMES),
    *(table.topic for table in PRINTED_TABLES),
)
