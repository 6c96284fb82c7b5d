"""Numbers that Chan and Leis print, in their four tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parshall_studies import study as st
from parshall_studies.median_rto.scenarios import ORIGINAL, Traffic


@dataclass(frozen=True)
class Measure:
    """A column of the document's tables."""

    name: str
    label: str
    unit: str


MEASURES: tuple[Measure, ...] = (
    Measure("throughput", "Throughput", "bit/s"),
    Measure("goodput", "Goodput", "bit/s"),
    Measure("loss", "Loss", "%"),
)
"""In the order in which the document prints them."""

_NUMBERS: Mapping[tuple[str, ...], tuple[str, ...]] = {
    words: tuple(numbers)
    for words, numbers in st.numbers_in(
        """
        exponential original | 753440 740960 1.66
        exponential median-5 | 760240 752160 1.06
        exponential median-7 | 653280 647360 0.91
        exponential median-9 | 728720 722480 0.86
        pareto      original | 725760 711760 1.93
        pareto      median-5 | 760560 748560 1.58
        pareto      median-7 | 676640 667520 1.35
        pareto      median-9 | 756080 744400 1.54
        """
    )
}
"""Throughput, goodput and loss; what two tables print is the same in both."""


@dataclass(frozen=True)
class PrintedRows:
    """A table of the document: a row for each filter."""

    id: str
    name: str
    title: str
    traffic: Traffic
    filters: tuple[str, ...]


_MEDIANS = ("median-5", "median-7", "median-9")
TABLES: tuple[PrintedRows, ...] = (
    PrintedRows("table-1", "Table I", "Exponential traffic analysis", "exponential", (ORIGINAL, "median-5")),
    PrintedRows(
        "table-2",
        "Table II",
        "Comparison of loss percentages in exponential traffic",
        "exponential",
        (*_MEDIANS, ORIGINAL),
    ),
    PrintedRows("table-3", "Table III", "Pareto traffic analysis", "pareto", (ORIGINAL, "median-5")),
    PrintedRows(
        "table-4", "Table IV", "Comparison of loss percentages in Pareto traffic", "pareto", _MEDIANS
    ),
)


def printed(traffic: str, filter: str, measure: str) -> st.Printed:
    """The number that the document prints."""
    column = [entry.name for entry in MEASURES].index(measure)
    return st.Printed(_NUMBERS[traffic, filter][column], MEASURES[column].unit)


def difference(traffic: str, filter: str, measure: str, baseline: str = ORIGINAL) -> st.Printed:
    """Printed difference of a filter and the baseline."""
    return printed(traffic, filter, measure).less(printed(traffic, baseline, measure))
