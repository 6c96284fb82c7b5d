"""Claims beyond the document: whether its differences are more than noise, and its questions asked of more.

The questions are put to the second reading of the median, to the weighted median, and to NewReno.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from parshall.claims import Claim, Direction, all_compared, beyond_noise, printed
from parshall.studies.median_rto.document import MEASURES, Measure, printed_difference
from parshall.studies.median_rto.measures import Runs
from parshall.studies.median_rto.scenarios import (
    FILTERS,
    MEDIAN_FILTERS,
    ORIGINAL,
    PROTOCOLS,
    RECOVERIES,
    TRAFFICS,
    Recovery,
    Traffic,
    Variant,
    named,
    traffic_name,
)

__all__ = ["claims_beyond"]


def claims_beyond(runs: Runs) -> Iterator[Claim]:
    """Every claim that the document does not make."""
    yield from _noise(runs)
    yield from _same_seed(runs)
    yield from _other_filters(runs)


def _noise(runs: Runs) -> Iterator[Claim]:
    """Whether each printed difference from the original TCP is more than another seed makes."""
    for traffic in TRAFFICS:
        original = Variant(traffic, "tahoe", ORIGINAL)
        for name in MEDIAN_FILTERS:
            for measure in MEASURES:
                yield beyond_noise(
                    f"noise.{traffic}.{name}.{measure.name}",
                    "Noise: single runs with different seeds",
                    f"The printed difference in {measure.label.lower()} between {named(name)} and the "
                    f"original TCP is more than another seed makes ({traffic_name(traffic)} traffic).",
                    printed_difference(traffic, name, ORIGINAL, measure.name),
                    runs.of(original, measure.name),
                    unit=measure.unit,
                )


def _same_seed(runs: Runs) -> Iterator[Claim]:
    """Whether each printed difference is one that the filter makes when the seed is the same."""
    for traffic in TRAFFICS:
        original = Variant(traffic, "tahoe", ORIGINAL)
        for name in MEDIAN_FILTERS:
            for measure in MEASURES:
                difference = runs.of(Variant(traffic, "tahoe", name), measure.name) - runs.of(
                    original, measure.name
                )
                yield printed(
                    f"same-seed.{traffic}.{name}.{measure.name}",
                    "Noise: single runs with the same seed",
                    f"The printed difference in {measure.label.lower()} between {named(name)} and the "
                    "original TCP is one that the filter makes with the same seed "
                    f"({traffic_name(traffic)} traffic).",
                    printed_difference(traffic, name, ORIGINAL, measure.name),
                    difference,
                    unit=measure.unit,
                )


@dataclass(frozen=True)
class _Question:
    """What the document says of its medians, asked of other filters."""

    ident: str
    measure: Measure
    direction: Direction
    text: str


_QUESTIONS = (
    _Question("more-throughput", MEASURES[0], "greater", "more throughput than the original filter"),
    _Question("more-goodput", MEASURES[1], "greater", "more goodput than the original filter"),
    _Question("less-loss", MEASURES[2], "less", "a smaller loss percentage than the original filter"),
    _Question(
        "closer",
        Measure("rto_margin", "RTO - RTT", "s"),
        "less",
        "an RTO closer to the RTT than the original filter",
    ),
)

_FAMILIES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "median": ("The medians of 5, 7 and 9 all have", MEDIAN_FILTERS),
    "median-mad": (
        "The medians of 5, 7 and 9 with MAD all have",
        tuple(name for name in FILTERS if name.startswith("median-mad-")),
    ),
    "weighted-median": ("The weighted median has", ("weighted-median",)),
}


def _other_filters(runs: Runs) -> Iterator[Claim]:
    """The document's questions for the second reading, the weighted median, and NewReno."""
    for recovery in RECOVERIES:
        for family, (subject, names) in _FAMILIES.items():
            for traffic in TRAFFICS:
                for question in _QUESTIONS:
                    yield _asked(runs, recovery, family, subject, names, traffic, question)


def _asked(
    runs: Runs,
    recovery: Recovery,
    family: str,
    subject: str,
    names: tuple[str, ...],
    traffic: Traffic,
    question: _Question,
) -> Claim:
    measure = question.measure.name
    baseline = runs.of(Variant(traffic, recovery, ORIGINAL), measure)
    values = [runs.of(Variant(traffic, recovery, name), measure) for name in names]
    return all_compared(
        f"beyond.{recovery}.{family}.{traffic}.{question.ident}",
        f"Beyond the document: {PROTOCOLS[recovery]}",
        f"{subject} {question.text} ({traffic_name(traffic)} traffic).",
        question.direction,
        [(value, baseline) for value in values],
        unit=question.measure.unit,
    )
