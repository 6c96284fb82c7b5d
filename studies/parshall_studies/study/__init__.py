"""Studies: a document run again over many seeds, with an interval beside each number and a computed verdict
for each claim.

:func:`reproduce` runs one and writes its report; docs/studies.md shows how to write another.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parshall_studies.study.bench import Rows, Series, Workbench
    from parshall_studies.study.charts import means_table, over
    from parshall_studies.study.claims import Claim, Judged, Judgements, Topic, beyond
    from parshall_studies.study.data import Data
    from parshall_studies.study.figures import (
        UNTITLED,
        Axis,
        Figure,
        Look,
        Mark,
        Panel,
        Picker,
        Trace,
        drawn,
        looks,
        means,
        of_intervals,
        rows_axis,
    )
    from parshall_studies.study.maps import Dimension, Grid, View, grids, map_figure
    from parshall_studies.study.printed import Printed, numbers_in
    from parshall_studies.study.quantity import Expression, Fixed, Given, Quantity, Relation, falls, rises
    from parshall_studies.study.reproduction import Reproduction, reproduce
    from parshall_studies.study.results import Measures, Results, tidy
    from parshall_studies.study.rules import (
        FEWEST_SEEDS,
        Computed,
        Exactly,
        Holds,
        MoreThanNoise,
        Never,
        Observed,
        OneOfRuns,
        PrintedNumber,
        Verdict,
        alike,
        within,
    )
    from parshall_studies.study.statements import topics_of
    from parshall_studies.study.study import (
        Content,
        Document,
        Study,
        find_study,
        list_studies,
        page_of,
        try_studies,
    )
    from parshall_studies.study.tables import Column, Number, PrintedTable, Row, Table, printed_table
    from parshall_studies.study.values import SEED, Span, Values

_HOMES = {
    "bench": ("Rows", "Series", "Workbench"),
    "charts": ("means_table", "over"),
    "claims": ("Claim", "Judged", "Judgements", "Topic", "beyond"),
    "data": ("Data",),
    "figures": (
        *("UNTITLED", "Axis", "Figure", "Look", "Mark", "Panel", "Picker", "Trace"),
        *("drawn", "looks", "means", "of_intervals", "rows_axis"),
    ),
    "maps": ("Dimension", "Grid", "View", "grids", "map_figure"),
    "printed": ("Printed", "numbers_in"),
    "quantity": ("Expression", "Fixed", "Given", "Quantity", "Relation", "falls", "rises"),
    "reproduction": ("Reproduction", "reproduce"),
    "results": ("Measures", "Results", "tidy"),
    "rules": (
        *("FEWEST_SEEDS", "Computed", "Exactly", "Holds", "MoreThanNoise", "Never"),
        *("Observed", "OneOfRuns", "PrintedNumber"),
        *("Verdict", "alike", "within"),
    ),
    "statements": ("topics_of",),
    "study": ("Content", "Document", "Study", "find_study", "list_studies", "page_of", "try_studies"),
    "tables": ("Column", "Number", "PrintedTable", "Row", "Table", "printed_table"),
    "values": ("SEED", "Span", "Values"),
}
"""Modules that offer the names; each is loaded when one of its names is asked for."""

_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "FEWEST_SEEDS",
    "SEED",
    "UNTITLED",
    "Axis",
    "Claim",
    "Column",
    "Computed",
    "Content",
    "Data",
    "Dimension",
    "Document",
    "Exactly",
    "Expression",
    "Figure",
    "Fixed",
    "Given",
    "Grid",
    "Holds",
    "Judged",
    "Judgements",
    "Look",
    "Mark",
    "Measures",
    "MoreThanNoise",
    "Never",
    "Number",
    "Observed",
    "OneOfRuns",
    "Panel",
    "Picker",
    "Printed",
    "PrintedNumber",
    "PrintedTable",
    "Quantity",
    "Relation",
    "Reproduction",
    "Results",
    "Row",
    "Rows",
    "Series",
    "Span",
    "Study",
    "Table",
    "Topic",
    "Trace",
    "Values",
    "Verdict",
    "View",
    "Workbench",
    "alike",
    "beyond",
    "drawn",
    "falls",
    "find_study",
    "grids",
    "list_studies",
    "looks",
    "map_figure",
    "means",
    "means_table",
    "numbers_in",
    "of_intervals",
    "over",
    "page_of",
    "printed_table",
    "reproduce",
    "rises",
    "rows_axis",
    "tidy",
    "topics_of",
    "try_studies",
    "within",
]


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        globals()[name] = getattr(import_module(f"parshall_studies.study.{_MODULE_OF[name]}"), name)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
