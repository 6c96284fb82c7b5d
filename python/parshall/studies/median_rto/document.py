"""What Chan and Leis print: their four tables, number by number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from parshall.report import Document
from parshall.studies.median_rto.scenarios import ORIGINAL, Traffic, Variant

__all__ = ["DOCUMENT", "MEASURES", "TABLES", "Measure", "PrintedTable", "printed", "printed_difference"]

DOCUMENT = Document(
    title="Median Filtering Simulation of Bursty Traffic",
    authors="Auc Fai Chan and John Leis",
    source="University of Southern Queensland",
)


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

_Row = tuple[float, float, float]


@dataclass(frozen=True)
class PrintedTable:
    """A table of the document: throughput, goodput and loss by filter."""

    name: str
    title: str
    traffic: Traffic
    rows: Mapping[str, _Row]

    @property
    def ident(self) -> str:
        """For ids: ``table-1``."""
        return f"table-{TABLES.index(self) + 1}"

    def cells(self) -> Iterator[tuple[Variant, Measure, float]]:
        """Every printed number with what it is about."""
        for name, row in self.rows.items():
            for measure, value in zip(MEASURES, row, strict=True):
                yield Variant(self.traffic, "tahoe", name), measure, value


TABLES: tuple[PrintedTable, ...] = (
    PrintedTable(
        "Table I",
        "Exponential traffic analysis",
        "exponential",
        {ORIGINAL: (753440, 740960, 1.66), "median-5": (760240, 752160, 1.06)},
    ),
    PrintedTable(
        "Table II",
        "Comparison of loss percentages in exponential traffic",
        "exponential",
        {
            "median-5": (760240, 752160, 1.06),
            "median-7": (653280, 647360, 0.91),
            "median-9": (728720, 722480, 0.86),
            ORIGINAL: (753440, 740960, 1.66),
        },
    ),
    PrintedTable(
        "Table III",
        "Pareto traffic analysis",
        "pareto",
        {ORIGINAL: (725760, 711760, 1.93), "median-5": (760560, 748560, 1.58)},
    ),
    PrintedTable(
        "Table IV",
        "Comparison of loss percentages in Pareto traffic",
        "pareto",
        {
            "median-5": (760560, 748560, 1.58),
            "median-7": (676640, 667520, 1.35),
            "median-9": (756080, 744400, 1.54),
        },
    ),
)


def printed(traffic: Traffic, filter: str, measure: str) -> float:
    """The number that the document prints, from the first table that has it."""
    column = [entry.name for entry in MEASURES].index(measure)
    return next(
        table.rows[filter][column] for table in TABLES if table.traffic == traffic and filter in table.rows
    )


def printed_difference(traffic: Traffic, filter: str, baseline: str, measure: str) -> float:
    """What the document prints for ``filter`` less what it prints for ``baseline``."""
    return round(printed(traffic, filter, measure) - printed(traffic, baseline, measure), 6)
