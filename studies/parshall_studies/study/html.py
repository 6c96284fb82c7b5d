"""The report as one HTML file that needs nothing else: the page, every claim, and how it was made."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from parshall import plot
from parshall_studies.study.claims import Judged, Judgements, Topic
from parshall_studies.study.figures import Figure, Picker
from parshall_studies.study.grades import Grade
from parshall_studies.study.layout import beside, halves
from parshall_studies.study.rules import Verdict
from parshall_studies.study.tables import Table, cells_of
from parshall_studies.study.words import interval, number, reach, tally

if TYPE_CHECKING:
    import jinja2
    import pyarrow as pa

    from parshall_studies.study.page import Page, Part
    from parshall_studies.study.provenance import Provenance
    from parshall_studies.study.study import Study

__all__ = ["render"]

_PARAGRAPH = re.compile(r"(?:<p>\[\[show [\w.-]+\]\]</p>\s*)+")
_SHOWN = re.compile(r"\[\[show ([\w.-]+)\]\]")
_ALWAYS = 3
"""Entries of the contents that every page has."""
_ROW = 2
"""Figures of one band that stand side by side, below its text."""
_FEW = 8
"""Claims of a topic that are in sight without a click."""


def render(study: Study, page: Page, judged: Judgements, provenance: Provenance) -> str:
    """The report. The same values give the same text."""
    environment = _environment()
    show = _Blocks(environment, page.items)
    half, counts = halves(page.findings, page.items), _counts(judged)
    return environment.get_template("report.html.j2").render(
        study=study,
        page=page,
        css=_template("report.css"),
        script=_template("report.js"),
        light=plot.LIGHT,
        dark=plot.DARK,
        answer=show.part(page.answer) if page.answer else "",
        findings=[
            _finding(*each) for each in zip(page.findings, map(show.bands, page.findings), half, strict=True)
        ],
        sections=[(part, show.part(part)) for part in page.sections],
        counts=counts,
        beside=beside(page.answer, page.items, len(counts), len(page.sections) + _ALWAYS),
        topics=[_topic(topic, own) for topic, own in judged.topics()],
        rules=_rules(judged),
        grades=[str(grade) for grade, count in judged.grades.items() if count],
        lacking=provenance.lacking,
        provenance=provenance.shown(),
        preliminary=provenance.preliminary(),
    )


def _finding(part: Part, bands: list[str], half: bool) -> tuple[Part, list[tuple[str, str]], str]:
    """A finding, its bands and itself each with the class that says what stands side by side: two figures
    below their text, two bands, or two findings.
    """
    drawn = all('class="figures"' in band and 'class="block"' not in band for band in bands)
    pairs = drawn and bands and len(bands) % 2 == 0
    rows = ["" if band.count("<figure") < _ROW else " row" for band in bands]
    return part, list(zip(bands, rows, strict=True)), " half" if half else " pairs" if pairs else ""


def _environment() -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"csv_link": _csv_link, "svg_link": _svg_link}
    return environment


def _template(name: str) -> str:
    return (files("parshall_studies.study") / "templates" / name).read_text(encoding="utf-8")


# --- Text with tables and figures in it ---------------------------------------------------------------------


class _Blocks:
    """Turns Markdown into HTML, and puts what is to be shown into it."""

    def __init__(self, environment: jinja2.Environment, items: Mapping[str, Figure | Picker | Table]) -> None:
        from markdown_it import MarkdownIt

        self.macros: Any = environment.get_template("blocks.html.j2").module
        self.markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
        self.items = items

    def part(self, part: Part) -> str:
        return "".join(html for _, html in self._pieces(part))

    def bands(self, part: Part) -> list[str]:
        """A part in bands, each of which has at most one group of figures, to stand beside its text."""
        bands: list[str] = []
        band, rest, drawn = "", "", False
        for kind, html in self._pieces(part):
            if kind is Figure and drawn:
                bands.append(band)
                band, rest = rest + html, ""
            elif drawn and (rest or kind is None):
                rest += html
            else:
                band, drawn = band + html, drawn or kind is Figure
        return [*bands, band + rest]

    def _pieces(self, part: Part) -> Iterator[tuple[type | None, str]]:
        """Text, which has no type, and what is shown in it: figures that stand together are one piece."""
        text = self.markdown.render(part.markdown)
        text = text.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>")
        end = 0
        for found in _PARAGRAPH.finditer(text):
            if found.start() > end:
                yield None, text[end : found.start()]
            for kind, items in _runs([self.items[id] for id in _SHOWN.findall(found[0])]):
                yield kind, "\n".join(self._blocks(kind, items)) + "\n"
            end = found.end()
        if text[end:].strip():
            yield None, text[end:]

    def _blocks(self, kind: type, items: list[Any]) -> Iterator[str]:
        """Blocks that stand together: figures side by side, pickers too, tables one below the other."""
        if kind is Table:
            yield from (str(self.macros.table(_table(item))) for item in items)
        else:
            yield str((self.macros.figures if kind is Figure else self.macros.pickers)(items))


def _runs(items: list[Any]) -> Iterator[tuple[type, list[Any]]]:
    from itertools import groupby

    for kind, group in groupby(items, key=type):
        yield kind, list(group)


@dataclass(frozen=True)
class _TableView:
    """A table as the template wants it."""

    table: Table
    rows: list[list[tuple[str, Any]]]
    """Class and content of each cell."""
    claims: list[str]
    """Ids, row by row, of the claim that it shows."""
    grades: list[str]
    """Grades, row by row, of that claim."""


def _table(table: Table) -> _TableView:
    rows, claims, grades = [], [], []
    for cells, row in zip(cells_of(table), table.rows, strict=True):
        view = []
        for cell, column in zip(cells, table.heads, strict=True):
            kind = "verdict" if isinstance(cell, Grade | Verdict) else column.kind
            view.append((f"{kind}{' key' if column.key else ''}", cell))
        rows.append(view)
        judged = [cell for cell in row if isinstance(cell, Judged)]
        claims.append(" ".join(each.claim.id for each in judged))
        grades.append(" ".join(str(each.grade) for each in judged))
    return _TableView(table, rows, claims, grades)


# --- Claims -------------------------------------------------------------------------------------------------


def _counts(judged: Judgements) -> list[tuple[str, dict[str, int], str]]:
    """Numbers of claims with each verdict, the document's and those beyond it, and the part of chance."""
    found = []
    for of_document, whose in ((True, "Claims of the document"), (False, "Questions beyond it")):
        chosen = judged.where(of_document=of_document)
        if len(chosen):
            counts = {str(grade): count for grade, count in chosen.grades.items() if count}
            found.append((whose, counts, _by_chance(chosen)))
    return found


def _by_chance(judged: Judgements) -> str:
    expected = judged.expected_failures
    if not expected:
        return ""
    return (
        f"Even if all {len(judged.by_chance)} claims tested on random runs were true, up to "
        f"{number(expected, 2)} would fail by chance."
    )


@dataclass(frozen=True)
class _TopicView:
    topic: Topic
    id: str
    tally: str
    claims: list[dict[str, Any]]
    open: bool


def _topic(topic: Topic, judged: Judgements) -> _TopicView:
    claims = [] if topic.table else [_claim(each) for each in judged]
    ident = "topic-" + re.sub(r"[^a-z0-9]+", "-", topic.title.lower()).strip("-")
    return _TopicView(topic, ident, tally(judged.grades), claims, len(claims) <= _FEW)


def _claim(judged: Judged) -> dict[str, Any]:
    outcome, claim = judged.outcome, judged.claim
    facts = []
    if claim.printed is not None:
        facts.append(("Printed", _with_unit(str(claim.printed), judged.unit)))
    facts.append(("Ours", interval(judged.ours, judged.unit)))
    if outcome.run is not None:
        facts.append(("95 % of single runs", reach(outcome.run, judged.decimals)))
    if outcome.tally.all > 1:
        facts.append(("One by one", str(outcome.tally)))
    if outcome.by_reading:
        facts.append(("By reading", outcome.by_reading))
    facts.append(("Rule", f"{claim.rule.kind}, n = {judged.ours.n}"))
    return {
        "id": claim.id,
        "text": claim.text,
        "where": claim.where,
        "grade": str(judged.grade),
        "label": judged.label,
        "facts": facts,
    }


def _with_unit(text: str, unit: str) -> str:
    return f"{text} {unit}" if unit else text


def _rules(judged: Judgements) -> dict[str, str]:
    """The rules that were used, in words."""
    return {each.claim.rule.kind: each.claim.rule.explanation for each in judged}


# --- Links that hold their own data -------------------------------------------------------------------------


def _csv_link(table: pa.Table) -> str:
    from pyarrow import csv

    buffer = io.BytesIO()
    csv.write_csv(table, buffer)
    return "data:text/csv;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def _svg_link(svg: str) -> str:
    drawing = plot.standalone(svg).encode()
    return "data:image/svg+xml;base64," + base64.b64encode(drawing).decode("ascii")
