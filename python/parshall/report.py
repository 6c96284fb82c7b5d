"""The report: one HTML page that needs nothing else, made from plain values.

A :class:`Page` is sections of tables and figures, opened by what was found. This file knows how a page is put
together and how a number is written for a reader; it knows no study.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from parshall import plot
from parshall.claims import RULES, Claim, Kind, Verdict, count_verdicts
from parshall.stats import Interval

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Assumption",
    "Column",
    "Document",
    "Figure",
    "Finding",
    "Page",
    "Picker",
    "Section",
    "Table",
    "claim_interval",
    "interval",
    "number",
    "printed_number",
    "render",
    "signed",
    "spread_column",
]

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Document:
    """The document that a study reproduces."""

    title: str
    authors: str
    source: str = ""
    """Where and when it appeared, as far as is known."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """A place where the document is silent or garbled, and what was done."""

    subject: str
    document: str
    """What it says, if anything."""
    assumed: str
    reason: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence or two of what was found, made from numbers and verdicts."""

    subject: str
    text: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with its caption."""

    id: str
    title: str
    caption: str
    svg: str
    """An element made by :func:`parshall.plot.to_svg` with the same id."""
    data: pa.Table | None = None
    """What is drawn; offered to the reader as CSV. A drawing without numbers is offered itself."""


@dataclass(frozen=True, slots=True)
class Picker:
    """Figures of which a reader sees one at a time, such as one grid seen through several metrics.

    The choice needs a script; without one, and on paper, all figures are there one after another.
    """

    id: str
    title: str
    label: str
    """What is picked: ``Metric``."""
    figures: tuple[Figure, ...]
    """In the order of the list; the first is shown at first. Their titles are what is picked from."""
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a report's table."""

    label: str
    align: Literal["text", "number"] = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as they are to be read; a :class:`Verdict` is shown as a badge."""

    id: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str | Verdict, ...], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page."""

    id: str
    title: str
    text: tuple[str, ...] = ()
    items: tuple[Figure | Table | Picker, ...] = ()

    @property
    def figures(self) -> list[Figure]:
        """Every figure, those of a picker too."""
        found: list[Figure] = []
        for item in self.items:
            found += item.figures if isinstance(item, Picker) else [item] if isinstance(item, Figure) else []
        return found


@dataclass(frozen=True, slots=True)
class Page:
    """Everything the report says, in order."""

    title: str
    document: Document
    findings: Sequence[Finding]
    assumptions: Sequence[Assumption]
    sections: Sequence[Section]
    claims: Sequence[Claim]
    skipped: Sequence[str] = ()
    """Parts that could not be done, and why."""
    provenance: Mapping[str, str] = field(default_factory=dict)
    """What made the page: versions, seeds, number of runs."""


def render(page: Page) -> str:
    """The page as HTML. The same page gives the same text."""
    import jinja2

    loader = jinja2.FileSystemLoader(_TEMPLATES)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["csv_link"] = _csv_link
    environment.filters["svg_link"] = _svg_link
    environment.filters["batch_kinds"] = lambda items: [list(group) for _, group in groupby(items, key=type)]
    environment.tests["figure"] = lambda item: isinstance(item, Figure)
    environment.tests["picker"] = lambda item: isinstance(item, Picker)
    environment.tests["verdict"] = lambda cell: isinstance(cell, Verdict)
    used = {claim.kind for claim in page.claims}
    return environment.get_template("report.html.j2").render(
        page=page,
        light=plot.LIGHT,
        dark=plot.DARK,
        tallies=_tallies(page.claims),
        groups=[(where, [_claim_row(claim) for claim in group]) for where, group in _by_place(page.claims)],
        has_pickers=any(isinstance(item, Picker) for section in page.sections for item in section.items),
        rules={str(kind): RULES[kind] for kind in Kind if kind in used},
    )


def number(value: float | None, digits: int = 3) -> str:
    """A number for a reader: ``digits`` significant digits or all before the point, thousands apart."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return _fixed(value, min(decimals, 9))


def signed(value: float) -> str:
    """A change for a reader: its sign and two significant digits."""
    return ("+" if value >= 0 else "\N{MINUS SIGN}") + number(abs(value), 2)


def printed_number(value: float | None) -> str:
    """A number as the document prints it: no digit added, none lost."""
    if value is None or not math.isfinite(value):
        return "–"
    text = f"{value:,.10f}".rstrip("0").rstrip(".")
    return text.replace("-", "\N{MINUS SIGN}")


def interval(value: Interval, *, unit: str = "", mean: bool = True, digits: int = 2) -> str:
    """``1.91 (1.80 to 2.02)``: as many decimals as give the half width ``digits`` significant digits."""
    if not value.bounded:
        return f"{number(value.mean)} (no interval: n = {value.n})" if mean else "–"
    decimals = _decimals(value.half_width, value.mean, digits)
    ends = f"{_fixed(value.low, decimals)} to {_fixed(value.high, decimals)}"
    tail = f" {unit}" if unit else ""
    return f"{_fixed(value.mean, decimals)}{tail} ({ends})" if mean else f"{ends}{tail}"


def spread_column(values: Sequence[Interval]) -> list[str]:
    """``2.02 ± 0.11`` for each, all with the decimals that suit the widest."""
    widest = max((value.half_width for value in values if value.bounded), default=0.0)
    decimals = _decimals(widest, values[0].mean if values else 0.0, 2)
    return [
        f"{_fixed(value.mean, decimals)} ± {_fixed(value.half_width, decimals)}"
        if value.bounded
        else number(value.mean)
        for value in values
    ]


def _decimals(half_width: float, mean: float, digits: int = 2) -> int:
    """Decimals for so many significant digits of the half width; of the mean when there is no width."""
    scale = half_width if half_width > 0 else abs(mean) / 10
    if not math.isfinite(scale) or scale == 0:
        return 0
    return min(9, max(0, digits - 1 - math.floor(math.log10(scale))))


def _fixed(value: float, decimals: int) -> str:
    text = f"{abs(value):,.{decimals}f}"
    negative = value < 0 and any(digit in "123456789" for digit in text)
    return f"\N{MINUS SIGN}{text}" if negative else text


def claim_interval(claim: Claim) -> Interval:
    """Our value of a claim with its interval."""
    nan = float("nan")
    ours, low, high = (nan if x is None else x for x in (claim.ours, claim.low, claim.high))
    return Interval(ours, low, high, claim.n)


def _claim_row(claim: Claim) -> dict[str, str | int]:
    return {
        "id": claim.id,
        "statement": claim.statement,
        "kind": str(claim.kind),
        "unit": claim.unit,
        "paper": printed_number(claim.paper),
        "ours": interval(claim_interval(claim)),
        "run": interval(claim.run, mean=False, digits=3) if claim.run else "",
        "n": claim.n,
        "verdict": str(claim.verdict),
    }


def _tallies(claims: Sequence[Claim]) -> list[tuple[str, dict[str, int]]]:
    """How many claims got each verdict, the document's and those beyond it."""
    tallies = []
    for of_document, whose in ((True, "Claims of the document"), (False, "Questions beyond it")):
        chosen = [claim for claim in claims if claim.of_document is of_document]
        if chosen:
            tallies.append(
                (whose, {str(verdict): count for verdict, count in count_verdicts(chosen).items()})
            )
    return tallies


def _by_place(claims: Sequence[Claim]) -> list[tuple[str, list[Claim]]]:
    return [(where, list(group)) for where, group in groupby(claims, key=lambda claim: claim.where)]


def _csv_link(table: pa.Table) -> str:
    """The table as a link that holds its own data."""
    from pyarrow import csv

    buffer = io.BytesIO()
    csv.write_csv(table, buffer)
    return "data:text/csv;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def _svg_link(svg: str) -> str:
    """The drawing as a link that holds it as a file of its own."""
    drawing = plot.standalone(svg).encode()
    return "data:image/svg+xml;base64," + base64.b64encode(drawing).decode("ascii")
