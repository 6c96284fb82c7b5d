"""Tables of a report. A cell is a text, a number, an interval or a claim; how each is written is decided
here, once.

A :class:`PrintedTable` is a table of the document: its numbers make the claims and the table beside ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from parshall import stats
from parshall.stats import Interval
from parshall_studies.study.claims import Claim, Judged, Judgements, Topic
from parshall_studies.study.grades import Grade
from parshall_studies.study.printed import Printed
from parshall_studies.study.quantity import Expression
from parshall_studies.study.rules import Exactly, Outcome, PrintedNumber, Verdict
from parshall_studies.study.words import number, plus_minus, plus_minus_column, reach

if TYPE_CHECKING:
    from parshall_studies.study.results import Results

__all__ = ["Cell", "Column", "Number", "PrintedTable", "Row", "Table", "cells_of", "printed_table"]


@dataclass(frozen=True, slots=True)
class Number:
    """A number with so many significant digits, or decimals."""

    value: float
    digits: int = 3
    decimals: int | None = None

    def __str__(self) -> str:
        if self.decimals is None or not math.isfinite(self.value):
            return number(self.value, self.digits)
        return f"{self.value:,.{self.decimals}f}"


Cell: TypeAlias = "str | float | Number | Interval | Printed | Judged | Verdict | None"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    label: str
    kind: Literal["text", "number"] = "number"
    key: bool = False
    """True if a reader needs it in sight at any width."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells. On a narrow screen ``records`` become cards, a ``matrix`` keeps its first column in
    sight.
    """

    id: str
    columns: Sequence[Column | str]
    """A text is a column of numbers, but the first, which names the rows."""
    rows: Sequence[Sequence[Any]]
    """Rows of cells: see :data:`Cell`."""
    kind: Literal["records", "matrix"] = "records"
    title: str = ""
    """The page may give title and caption instead."""
    caption: str = ""

    @property
    def heads(self) -> tuple[Column, ...]:
        """The columns."""
        first, *others = self.columns
        names = Column(first, "text", key=True) if isinstance(first, str) else first
        return (names, *(Column(each) if isinstance(each, str) else each for each in others))

    def with_words(self, title: str, caption: str) -> Table:
        """A copy under a title of the page's."""
        return replace(self, title=title, caption=caption)


@dataclass(frozen=True, slots=True)
class Row:
    """A number of the document's table."""

    id: str
    """Id of the claim."""
    labels: tuple[str, ...]
    """The cells in front."""
    text: str
    """Meaning of the number, as a statement."""
    says: PrintedNumber | Exactly


@dataclass(frozen=True)
class PrintedTable:
    """Numbers of the document beside ours: each is a claim, and all of them are one table."""

    id: str
    where: str
    """Its place in the document, which is also the topic of its claims: ``Table VIII``."""
    title: str
    caption: str
    heads: tuple[str, ...]
    """Heads of the cells in front."""
    rows: tuple[Row, ...]
    of_document: bool = True
    """True if the document makes these claims; another reading of its numbers is the study's."""

    @property
    def topic(self) -> Topic:
        """Its claims."""
        claims = tuple(Claim(row.id, self.where, row.text, row.says) for row in self.rows)
        return Topic(
            f"{self.where}. {self.title}" if self.title else self.where, claims, self.of_document, self.id
        )

    def together(self, results: Results) -> tuple[Verdict, int]:
        """Tests if all numbers at once are such as runs of ours give, with intervals that hold all of them
        together; and how many lie outside.
        """
        measured = [row.says for row in self.rows if isinstance(row.says, PrintedNumber)]
        confidence = stats.bonferroni(len(measured))
        outcomes = [each.judge(results, confidence) for each in measured]
        return _together(outcomes)

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it needs."""
        return frozenset().union(*(row.says.tables for row in self.rows))

    def made(self, results: Results, judged: Judgements) -> Table:
        """The document's numbers beside ours."""
        measured = any(isinstance(row.says, PrintedNumber) for row in self.rows)
        rows = []
        for row in self.rows:
            found = judged[row.id]
            ours = plus_minus(found.ours, most=found.decimals)
            run = (reach(found.outcome.run, found.decimals),) if measured else ()
            rows.append((*row.labels, row.says.printed, ours, *run, found))
        columns = (
            *(Column(head, "text", key=place == 0) for place, head in enumerate(self.heads)),
            Column("Printed", key=True),
            Column("Ours", key=True),
            *([Column("95 % of single runs")] if measured else []),
            Column("Verdict", "text", key=True),
        )
        words = [self.caption]
        if measured:
            words += [f"Ours: mean over {len(results.seeds)} seeds ± half its 95 % interval."]
            words += [self._all_at_once(results)]
        caption = " ".join(filter(None, words))
        return Table(self.id, columns, tuple(rows)).with_words(f"{self.where}. {self.title}", caption)

    def _all_at_once(self, results: Results) -> str:
        verdict, outside = self.together(results)
        if verdict is Verdict.OPEN:
            return ""
        count = len(self.rows)
        if verdict is Verdict.HOLDS:
            return f"All {count} together (95 % for the whole table): hold."
        lie = "lies" if outside == 1 else "lie"
        return (
            f"All {count} together (95 % for the whole table): do not hold; {outside} {lie} outside even so."
        )


def _together(outcomes: Sequence[Outcome]) -> tuple[Verdict, int]:
    outside = sum(each.verdict is Verdict.FAILS for each in outcomes)
    if not outcomes or any(each.verdict is Verdict.OPEN for each in outcomes):
        return Verdict.OPEN, outside
    return (Verdict.FAILS if outside else Verdict.HOLDS), outside


def printed_table(
    id: str,
    where: str,
    title: str,
    caption: str,
    heads: Sequence[str],
    numbers: Iterable[tuple[str, Sequence[str], str, Printed, Expression]],
    *,
    least: float | None = None,
    less_is_better: bool = False,
    of_document: bool = True,
) -> PrintedTable:
    """A table of results. ``numbers`` are the id of the claim, the cells in front, what the number is, the
    number as it is printed, and our expression for it; ``least`` is what none of the quantities can be
    below, and ``less_is_better`` is true of errors and losses.
    """
    rows = tuple(
        Row(each, tuple(labels), text, PrintedNumber(printed, of, least, less_is_better))
        for each, labels, text, printed, of in numbers
    )
    return PrintedTable(id, where, title, caption, tuple(heads), rows, of_document)


# --- Cells as text ------------------------------------------------------------------------------------------


def cells_of(table: Table) -> Iterator[tuple[str | Grade | Verdict, ...]]:
    """The rows as they are to be read; a verdict stays one. Intervals of a column have decimals in common."""
    columns = [list(_column(cells)) for cells in zip(*table.rows, strict=True)]
    return zip(*columns, strict=True)


def _column(cells: Sequence[Cell]) -> Iterator[str | Grade | Verdict]:
    intervals = iter(plus_minus_column([cell for cell in cells if isinstance(cell, Interval)]))
    for cell in cells:
        yield next(intervals) if isinstance(cell, Interval) else _cell(cell)


def _cell(cell: Cell) -> str | Grade | Verdict:
    if isinstance(cell, Judged):
        return cell.grade
    if isinstance(cell, float):
        return number(cell)
    if isinstance(cell, Grade | Verdict):
        return cell
    return "\N{EN DASH}" if cell is None else str(cell)
