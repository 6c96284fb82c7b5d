"""The document's numbers and statements, in its order, each as a claim with its rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from parshall.claims import Claim, Direction, all_compared, compared, never, printed
from parshall.studies.median_rto.beyond import claims_beyond
from parshall.studies.median_rto.document import MEASURES, TABLES, printed_difference
from parshall.studies.median_rto.measures import Runs
from parshall.studies.median_rto.scenarios import (
    MEDIAN_FILTERS,
    ORIGINAL,
    TRAFFICS,
    Traffic,
    Variant,
    named,
    traffic_name,
)

__all__ = ["STATEMENTS", "Statement", "all_claims"]

Values: TypeAlias = NDArray[np.float64]

_UNITS = {measure.name: measure.unit for measure in MEASURES} | {
    "rto_margin": "s",
    "rto_mean": "s",
    "rto_deviation": "s",
    "rtt_deviation": "s",
}


@dataclass(frozen=True)
class Statement:
    """A comparison that the document makes in words: the filters against a baseline, in one measure."""

    id: str
    where: str
    text: str
    traffic: Traffic
    measure: str
    direction: Direction
    filters: tuple[str, ...] = ("median-5",)
    baselines: tuple[str, ...] = (ORIGINAL,)
    """One for all filters, or several for one filter."""


def _table_statements(table: str, ident: str, traffic: Traffic) -> tuple[Statement, ...]:
    """What the text says under Tables I and III."""
    name = traffic_name(traffic)
    return (
        Statement(
            f"{ident}.more-goodput",
            f"{table}, text",
            f"The median of 5 delivers more goodput than the original TCP ({name} traffic).",
            traffic,
            "goodput",
            "greater",
        ),
        Statement(
            f"{ident}.less-loss",
            f"{table}, text",
            f"The median of 5 loses a smaller percentage than the original TCP ({name} traffic).",
            traffic,
            "loss",
            "less",
        ),
    )


def _rto_statements(figures: str, ident: str, traffic: Traffic) -> tuple[Statement, ...]:
    """What the text says under the figures of RTT and RTO, and the conclusion again."""
    name = traffic_name(traffic)
    return (
        Statement(
            f"{ident}.closer",
            f"{figures}, text",
            f"The RTO of the median of 5 is closer to the RTT than the original's: mean RTO - RTT ({name} "
            "traffic).",
            traffic,
            "rto_margin",
            "less",
        ),
        Statement(
            f"{ident}.closer-all",
            f"{figures}, text",
            f"The RTOs of the medians of 5, 7 and 9 are all closer to the RTT than the original's ({name} "
            "traffic).",
            traffic,
            "rto_margin",
            "less",
            MEDIAN_FILTERS,
        ),
    )


STATEMENTS: tuple[Statement, ...] = (
    *_table_statements("Table I", "table-1", "exponential"),
    *_rto_statements("Figures 4 to 7", "figure-4", "exponential"),
    Statement(
        "table-2.all-less-loss",
        "Table II, text",
        "All medians (5, 7, 9) lose a smaller percentage than the original TCP (exponential traffic).",
        "exponential",
        "loss",
        "less",
        MEDIAN_FILTERS,
    ),
    Statement(
        "table-2.seven-delivers-less",
        "Table II, numbers",
        "The median of 7 delivers less goodput than those of 5 and 9 (exponential traffic).",
        "exponential",
        "goodput",
        "less",
        ("median-7",),
        ("median-5", "median-9"),
    ),
    *_table_statements("Table III", "table-3", "pareto"),
    *_rto_statements("Figures 9 to 12", "figure-9", "pareto"),
    Statement(
        "table-4.all-less-loss",
        "Table IV, text",
        "All medians (5, 7, 9) lose a smaller percentage than the original TCP (Pareto traffic).",
        "pareto",
        "loss",
        "less",
        MEDIAN_FILTERS,
    ),
    Statement(
        "table-4.five-delivers-most",
        "Table IV, text",
        "Of the medians of 5, 7 and 9, that of 5 delivers the highest goodput (Pareto traffic).",
        "pareto",
        "goodput",
        "greater",
        ("median-5",),
        ("median-7", "median-9"),
    ),
    Statement(
        "table-4.seven-delivers-less",
        "Table IV, numbers",
        "The median of 7 delivers less goodput than those of 5 and 9 (Pareto traffic).",
        "pareto",
        "goodput",
        "less",
        ("median-7",),
        ("median-5", "median-9"),
    ),
    *(
        Statement(
            f"introduction.more-throughput.{traffic}",
            "Introduction",
            f"The median of 5 has more throughput than the original TCP ({traffic_name(traffic)} traffic).",
            traffic,
            "throughput",
            "greater",
        )
        for traffic in TRAFFICS
    ),
    *(
        Statement(
            f"conclusion.small-rto.{traffic}",
            "Conclusion",
            f"The median of 5 gives a smaller RTO: mean RTO ({traffic_name(traffic)} traffic).",
            traffic,
            "rto_mean",
            "less",
        )
        for traffic in TRAFFICS
    ),
    *(
        Statement(
            f"conclusion.consistent-rtt.{traffic}",
            "Conclusion",
            "The median of 5 gives a more consistent RTT: standard deviation of the RTT "
            f"({traffic_name(traffic)} traffic).",
            traffic,
            "rtt_deviation",
            "less",
        )
        for traffic in TRAFFICS
    ),
)
"""Comparisons in the document's text, in its order."""


def all_claims(runs: Runs) -> list[Claim]:
    """Numbers and statements table by table, then the noise, then what is beyond the document."""
    document = [*_numbers(runs), *(_stated(runs, statement) for statement in STATEMENTS)]
    document += [*_never_below(runs), _heavy_tails(runs)]
    order = {where: place for place, where in enumerate(_reading_order())}
    document.sort(key=lambda claim: order[claim.where])
    return document + [replace(claim, of_document=False) for claim in claims_beyond(runs)]


def _reading_order() -> Iterator[str]:
    yield "Introduction"
    for table, figures in (
        ("Table I", "Figures 4 to 7"),
        ("Table II", ""),
        ("Table III", "Figures 9 to 12"),
        ("Table IV", ""),
    ):
        yield from (table, f"{table}, text", f"{table}, numbers")
        if figures:
            yield f"{figures}, text"
    yield "Conclusion"


def _numbers(runs: Runs) -> Iterator[Claim]:
    """Each printed number against single runs of ours."""
    for table in TABLES:
        for variant, measure, value in table.cells():
            yield printed(
                f"{table.ident}.{variant.filter}.{measure.name}",
                table.name,
                f"{measure.label} of {named(variant.filter)} ({traffic_name(table.traffic)} traffic).",
                value,
                runs.of(variant, measure.name),
                unit=measure.unit,
            )


def _stated(runs: Runs, statement: Statement) -> Claim:
    pairs = [(name, base) for name in statement.filters for base in statement.baselines]

    def values(name: str) -> Values:
        return runs.of(Variant(statement.traffic, "tahoe", name), statement.measure)

    unit = _UNITS[statement.measure]
    if len(pairs) == 1:
        ((name, base),) = pairs
        paper = _printed_difference(statement, name, base)
        return compared(
            statement.id,
            statement.where,
            statement.text,
            statement.direction,
            values(name),
            values(base),
            paper=paper,
            unit=unit,
        )
    return all_compared(
        statement.id,
        statement.where,
        statement.text,
        statement.direction,
        [(values(name), values(base)) for name, base in pairs],
        unit=unit,
    )


def _printed_difference(statement: Statement, name: str, base: str) -> float | None:
    if statement.measure not in {measure.name for measure in MEASURES}:
        return None
    return printed_difference(statement.traffic, name, base, statement.measure)


def _never_below(runs: Runs) -> Iterator[Claim]:
    """'A desirable RTO is close to, and always larger than the RTT': said of Figures 5 and 10."""
    places = ("Figures 4 to 7, text", "Figures 9 to 12, text")
    for traffic, where, figure in zip(TRAFFICS, places, (5, 10), strict=True):
        yield never(
            f"figure-{figure}.always-larger",
            where,
            "The RTO of the median of 5 is always larger than the RTT that follows "
            f"({traffic_name(traffic)} traffic).",
            (runs.of(Variant(traffic, "tahoe", "median-5"), "rto_exceeded") > 0).tolist(),
        )


def _heavy_tails(runs: Runs) -> Claim:
    """That the median is for heavy tails: its gain under Pareto traffic, less that under exponential."""

    def gain(traffic: Traffic) -> Values:
        median, original = (
            runs.of(Variant(traffic, "tahoe", name), "goodput") for name in ("median-5", ORIGINAL)
        )
        return median - original

    paper = printed_difference("pareto", "median-5", ORIGINAL, "goodput") - printed_difference(
        "exponential", "median-5", ORIGINAL, "goodput"
    )
    return compared(
        "conclusion.heavy-tails",
        "Conclusion",
        "The median of 5 gains more goodput where tails are heavier: its gain under Pareto traffic less "
        "that under exponential traffic.",
        "greater",
        gain("pareto"),
        gain("exponential"),
        paper=paper,
        unit="bit/s",
    )
