"""The report as a page: well formed, self-contained, accessible, true to the claims; and numbers in it."""

from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from parshall import claims, plot, report
from parshall.claims import Claim, Verdict
from parshall.report import Assumption, Column, Document, Figure, Finding, Page, Picker, Section, Table
from parshall.stats import Interval

VOID = {"meta", "br", "img", "hr", "input", "link", "path", "use"}
"""Elements without an end tag; SVG's close themselves."""


class Parsed(HTMLParser):
    """The page as a list of elements; refuses one that is closed in the wrong place."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.rows: dict[str, list[str]] = {}
        self.row: str | None = None
        self.feed(text)
        self.close()
        assert self.open == [], f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.row = attributes.get("data-claim")
        if tag == "td" and self.row is not None:
            self.rows.setdefault(self.row, []).append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open, f"</{tag}> closes nothing"
            assert self.open.pop() == tag
        if tag == "tr":
            self.row = None

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if self.row is not None and self.open[-1:] != ["tr"] and self.rows.get(self.row):
            self.rows[self.row][-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def _figure(ident: str = "fig-1") -> Figure:
    with plot.drawing(columns=2) as (canvas, axes):
        for axis, colour in zip(axes, plot.SERIES, strict=False):
            axis.fill_between([0, 1, 2], [0, 1, 0], [1, 2, 1], color=colour, alpha=0.3)
            axis.plot([0, 1, 2], [1.0, 3.0, 2.0], marker="o", color=colour, label="a & b <c>")
        plot.legend_above(canvas, axes[0], columns=1)
        svg = plot.to_svg(canvas, ident, "A title", "What is to be seen & more.")
    return Figure(ident, "A title", "A caption.", svg, data=pa.table({"x": [1, 2], "y": [0.5, 0.25]}))


def _claims() -> list[Claim]:
    rng = np.random.default_rng(3)
    values = rng.normal(100.0, 10.0, 50)
    return [
        claims.printed("one", "Table I", "Throughput <of> A & B.", 101.5, values, unit="bit/s"),
        claims.printed("two", "Table I", "Loss.", -1.66, values, unit="%"),
        claims.compared("three", "Table I, text", "A is above B.", "greater", values + 1, values, paper=1.0),
        replace(claims.never("four", "Beyond", "Never.", [False] * 3), of_document=False),
    ]


@pytest.fixture(scope="module")
def page() -> Page:
    made = _claims()
    table = Table(
        "tab-1",
        "Table I. <Numbers>",
        "A caption.",
        (Column("Filter"), Column("Ours", "number"), Column("Verdict")),
        (("A & B", "1.5", made[0].verdict), ("C", "2", made[1].verdict)),
    )
    return Page(
        title="A study of <things>",
        document=Document("On Things", "A. Nobody and B. Else", "Somewhere 2004"),
        findings=[Finding("Things", 'They are "so" & <so>.')],
        assumptions=[Assumption("Rate", "Silent.", "370 kbit/s.", "It fits.")],
        sections=[
            Section("tables", "Tables", ("Text.",), (table,)),
            Section("figures", "Figures", (), (_figure("fig-1"), _figure("fig-2"))),
        ],
        claims=made,
        skipped=["Costs on measured data: no data folder was found."],
        provenance={"Seeds": "1 to 50"},
    )


@pytest.fixture(scope="module")
def html(page: Page) -> str:
    return report.render(page)


@pytest.fixture(scope="module")
def parsed(html: str) -> Parsed:
    return Parsed(html)


# --- The page -----------------------------------------------------------------------------------------------


def test_the_page_is_well_formed_and_says_what_it_is(html: str, parsed: Parsed) -> None:
    assert html.startswith("<!DOCTYPE html>")
    assert parsed.all("html")[0]["lang"] == "en"
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in parsed.all("meta")
    text = " ".join("".join(parsed.text).split())
    for part in ("A study of <things>", 'They are "so" & <so>.', "370 kbit/s.", "no data folder was found"):
        assert part in text


def test_the_page_needs_nothing_from_elsewhere(html: str, parsed: Parsed) -> None:
    assert not re.search(r"https?:|@import|src=|url\((?!#)|//[a-z]", html)
    for tag in ("script", "link", "img", "iframe", "object"):
        assert not parsed.all(tag)
    for attributes in parsed.all("a"):
        assert re.match(r"#|data:text/csv;base64,", attributes["href"] or "")


def test_ids_are_unique_and_every_reference_has_its_target(html: str, parsed: Parsed) -> None:
    ids = [attributes["id"] for _, attributes in parsed.elements if attributes.get("id")]
    assert len(ids) == len(set(ids))
    targets = [attributes.get("href") or "" for _, attributes in parsed.elements]
    targets += re.findall(r"url\((#[^)]+)\)", html)
    inside = [target[1:] for target in targets if target.startswith("#")]
    assert len(inside) > 20
    assert set(inside) <= set(ids)


def test_the_contents_name_every_section(page: Page, parsed: Parsed) -> None:
    links = {attributes["href"] for attributes in parsed.all("a")}
    for ident in ("assumptions", "claims", "provenance", *(section.id for section in page.sections)):
        assert f"#{ident}" in links


def test_every_figure_has_a_title_and_a_description(html: str, page: Page) -> None:
    drawn = re.findall(r"<svg.*?</svg>", html, flags=re.DOTALL)
    figures = [item for section in page.sections for item in section.items if isinstance(item, Figure)]
    assert len(drawn) == len(figures)
    for text, figure in zip(drawn, figures, strict=True):
        root = ET.fromstring(text)
        assert root.get("role") == "img"
        title, description = root[0], root[1]
        assert (title.tag, title.text) == ("title", "A title")
        assert (description.tag, description.text) == ("desc", "What is to be seen & more.")
        assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
        assert title.get("id", "").startswith(figure.id)


def test_the_claims_table_says_what_claims_json_says(page: Page, parsed: Parsed) -> None:
    assert list(parsed.rows) == [claim.id for claim in page.claims]
    for claim in page.claims:
        record = claim.record()
        verdict, statement, paper, ours, _, unit, n = (" ".join(c.split()) for c in parsed.rows[claim.id])
        assert verdict == record["verdict"]
        assert statement == f"{record['statement']} {claim.kind}"
        assert _number(paper) == record["paper"]
        for shown, exact in zip(re.findall(r"[−\d.,]+", ours), ("ours", "low", "high"), strict=True):
            assert _number(shown) == pytest.approx(record[exact], rel=0.02, abs=0.01)
        assert (unit, int(n)) == (claim.unit, record["n"])


def _number(shown: str) -> float | None:
    return None if shown == "–" else float(shown.replace("−", "-").replace(",", ""))


def test_only_rules_that_are_used_are_explained(html: str) -> None:
    assert "printed value comes from one run" in html
    assert "Bonferroni" not in html


def test_verdicts_are_counted_apart_for_the_document_and_beyond(html: str) -> None:
    tallies = re.findall(r"<h3 id=\"tally-\d\">(.*?)</h3>.*?</ul>", html, flags=re.DOTALL)
    assert tallies == ["Claims of the document", "Questions beyond it"]
    counts = [int(count) for count in re.findall(r"<li class=\"[a-z-]+\"><b>(\d+)</b>", html)]
    made = _claims()
    expected = [
        sum(claim.verdict is verdict for claim in made if claim.of_document is of_document)
        for of_document in (True, False)
        for verdict in Verdict
    ]
    assert counts == expected


def test_a_figures_data_can_be_taken_along(parsed: Parsed) -> None:
    links = [attributes for attributes in parsed.all("a") if attributes.get("download")]
    assert [link["download"] for link in links] == ["fig-1.csv", "fig-2.csv"]
    content = base64.b64decode((links[0]["href"] or "").split(",", 1)[1]).decode()
    assert content.splitlines() == ['"x","y"', "1,0.5", "2,0.25"]


def test_a_drawing_without_numbers_can_be_taken_along_itself(page: Page) -> None:
    drawing = replace(_figure("plan"), data=None)
    parsed = Parsed(report.render(replace(page, sections=[Section("plan", "Plan", (), (drawing,))])))
    (link,) = (attributes for attributes in parsed.all("a") if attributes.get("download"))
    assert link["download"] == "plan.svg"
    content = base64.b64decode((link["href"] or "").removeprefix("data:image/svg+xml;base64,")).decode()
    assert content == plot.standalone(drawing.svg)


def test_the_page_suits_dark_screens_phones_and_paper(html: str) -> None:
    style = html[html.index("<style>") : html.index("</style>")]
    for condition in ("prefers-color-scheme: dark", "max-width: 600px", "print"):
        assert condition in style
    assert "overflow-x: auto" in style
    # Every colour role of a figure is defined for the light page, the dark one, and paper.
    for role in plot.LIGHT:
        assert style.count(f"--fig-{role}:") == 3
    assert set(plot.LIGHT) == set(plot.DARK)


def test_the_same_page_gives_the_same_text(page: Page, html: str) -> None:
    assert report.render(page) == html


# --- Pickers ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def picking(page: Page) -> Page:
    """The page with two pickers."""
    pickers = tuple(
        Picker(ident, "A grid", "Metric <of>", (_figure(f"{ident}-a"), _figure(f"{ident}-b")), "Pick & see.")
        for ident in ("map-1", "map-2")
    )
    return replace(page, sections=[*page.sections, Section("grid", "Grid", (), pickers)])


def test_a_picker_lists_its_figures_by_title(picking: Page) -> None:
    parsed = Parsed(report.render(picking))
    selects = parsed.all("select")
    labels = [attributes["for"] for attributes in parsed.all("label")]
    assert [attributes["id"] for attributes in selects] == labels == ["map-1-pick", "map-2-pick"]
    values = [attributes["value"] for attributes in parsed.all("option")]
    assert values == ["map-1-a-figure", "map-1-b-figure", "map-2-a-figure", "map-2-b-figure"]
    figures = [attributes["id"] for attributes in parsed.all("figure")]
    assert set(values) <= set(figures)
    assert len([link for link in parsed.all("a") if link.get("download")]) == 6


def test_without_a_script_a_picker_shows_everything_and_no_list(picking: Page) -> None:
    parsed = Parsed(report.render(picking))
    assert not any("hidden" in attributes for attributes in parsed.all("figure"))
    lists = [attributes for attributes in parsed.all("p") if attributes.get("class") == "pick"]
    assert len(lists) == 2
    assert all("hidden" in attributes for attributes in lists)


def test_only_a_page_with_pickers_has_a_script_and_it_stands_in_the_page(page: Page, picking: Page) -> None:
    assert "<script" not in report.render(page)
    html = report.render(picking)
    assert len(Parsed(html).all("script")) == 1
    assert not re.search(r"https?:|@import|src=|url\((?!#)|fetch\(|eval\(", html)
    style = html[html.index("<style>") : html.index("</style>")]
    assert ".picker figure[hidden] { display: block; }" in style[style.index("@media print") :]


def test_a_section_counts_the_figures_of_its_pickers(picking: Page) -> None:
    assert [len(section.figures) for section in picking.sections] == [0, 2, 4]


# --- Heat maps ----------------------------------------------------------------------------------------------


def _heat_map(values: np.ndarray, **labels: list[str]) -> str:
    with plot.drawing() as (canvas, (axis,)):
        plot.heat_map(axis, values, low=0.0, high=1.0, text=lambda v: f"{v:.2f}", **labels)
        return plot.to_svg(canvas, "map", "A map", "Four cells.")


def test_a_heat_map_shows_each_number_on_its_colour() -> None:
    svg = _heat_map(np.array([[0.0, 0.25], [1.0, np.nan]]), rows=["a", "b"], columns=["c", "d"])
    texts = re.findall(r">([^<>]+)</text>", svg)
    assert {"0.00", "0.25", "1.00", "a", "b", "c", "d"} <= set(texts)
    assert not any("nan" in text for text in texts)
    # Fixed colours: a number must stay readable on its cell on a dark page too.
    fills = re.findall(r"fill: (#[0-9a-f]{6})", svg)
    assert len(set(fills)) >= 5  # three cells, and both inks
    assert {"#ffffff", "#101010"} <= set(fills)


def test_the_colours_of_a_heat_map_grow_darker() -> None:
    fills = []
    for value in (0.0, 0.5, 1.0):
        svg = _heat_map(np.array([[value]]))
        (fill,) = re.findall(r'<path d="[^"]*" clip-path="[^"]*" style="fill: (#[0-9a-f]{6})', svg)
        fills.append(sum(int(fill[i : i + 2], 16) for i in (1, 3, 5)))
    assert fills == sorted(fills, reverse=True)
    assert fills[0] > 1.5 * fills[-1]


# --- Figures ------------------------------------------------------------------------------------------------


def test_the_same_drawing_gives_the_same_bytes() -> None:
    assert _figure().svg == _figure().svg


def test_text_stays_text_and_colours_are_roles() -> None:
    svg = _figure().svg
    assert "a &amp; b &lt;c&gt;</text>" in svg
    assert "sans-serif" in svg
    assert "DejaVu Sans', sans-serif" in svg  # last of the family, after the reader's own
    # What is left of fixed colours are the fallbacks of roles.
    assert not re.search(r"(?<!, )#[0-9a-fA-F]{6}", svg)
    assert "var(--fig-series-1, #0068a8)" in svg


def test_nothing_of_a_figure_reaches_the_rest_of_the_page() -> None:
    svg = _figure().svg
    assert "<style" not in svg
    assert "<metadata" not in svg
    assert "xmlns" not in svg
    assert not re.search(r"<svg[^>]* (width|height)=", svg)


def test_a_drawing_has_no_more_than_it_shows() -> None:
    svg = _figure().svg
    referred = {*re.findall(r"#([\w.:-]+)[\"')]", svg), "fig-1-title", "fig-1-desc"}
    assert set(re.findall(r' id="([^"]*)"', svg)) <= referred
    assert not re.search(r"\d\.\d{3}|>\s+<|rotate\(-?0 |<g>", svg)
    assert svg.count("sans-serif") == 1  # once for all text


def test_a_figure_can_stand_alone() -> None:
    root = ET.fromstring(plot.standalone(_figure().svg))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    text = ET.tostring(root, encoding="unicode")
    assert "var(" not in text
    assert "#0068a8" in text


def test_drawing_leaves_matplotlib_as_it_was() -> None:
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    before = dict(mpl.rcParams)
    _figure()
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == []


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([0.5, 3.0, 40.0], [1.0, 1.4, 1.6]),
        ([0.0, 3.0, 40.0], [1.0, 10.0, 1e4]),
        ([0.0, 0.0], [0.0, 0.0]),
        ([2.0], [2.0]),
    ],
)
def test_logarithmic_axes_have_ticks_in_range_and_a_place_for_zero(x: list[float], y: list[float]) -> None:
    with plot.drawing() as (canvas, (axis,)):
        axis.plot(x, y, "o")
        plot.log_axes(axis, np.array(x), np.array(y))
        plot.to_svg(canvas, "f", "t", "d")
        for values, ticks, limits in (
            (x, axis.get_xticks(), axis.get_xlim()),
            (y, axis.get_yticks(), axis.get_ylim()),
        ):
            assert (0.0 in ticks) is (min(values) <= 0)
            assert limits[0] <= min(values)
            assert max(values) <= limits[1]
            if max(values) > 1.3 * min(v for v in (*values, 1e9) if v > 0):
                assert len([tick for tick in ticks if limits[0] <= tick <= limits[1]]) >= 3


# --- Numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (753440.0, "753,440"),
        (0.0123456, "0.0123"),
        (-1.666, "−1.67"),
        (0.0, "0"),
        (float("nan"), "–"),
        (float("inf"), "–"),
        (None, "–"),
    ],
)
def test_numbers_for_a_reader(value: float | None, text: str) -> None:
    assert report.number(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(753440.0, "753,440"), (1.66, "1.66"), (-0.35, "−0.35"), (1.0, "1"), (None, "–")]
)
def test_a_printed_number_keeps_its_digits(value: float | None, text: str) -> None:
    assert report.printed_number(value) == text


@pytest.mark.parametrize(
    ("value", "options", "text"),
    [
        (Interval(1.914, 1.803, 2.025, 30), {}, "1.91 (1.80 to 2.02)"),
        (Interval(744400, 724000, 764800, 30), {}, "744,400 (724,000 to 764,800)"),
        (Interval(-0.004, -0.11, 0.102, 30), {}, "0.00 (−0.11 to 0.10)"),
        (Interval(2.0, 2.0, 2.0, 30), {}, "2.00 (2.00 to 2.00)"),
        (Interval(0.0, 0.0, 0.0, 30), {}, "0 (0 to 0)"),
        (Interval(1.914, 1.803, 2.025, 30), {"unit": "%"}, "1.91 % (1.80 to 2.02)"),
        (Interval(1.9, 0.871, 3.163, 30), {"mean": False, "digits": 3}, "0.87 to 3.16"),
        (Interval(5.0, float("-inf"), float("inf"), 1), {}, "5.00 (no interval: n = 1)"),
        (Interval(5.0, float("-inf"), float("inf"), 1), {"mean": False}, "–"),
    ],
)
def test_intervals_have_as_many_decimals_as_they_deserve(
    value: Interval, options: dict[str, Any], text: str
) -> None:
    assert report.interval(value, **options) == text


def test_a_column_of_spreads_has_one_number_of_decimals() -> None:
    column = [Interval(1.234, 1.134, 1.334, 9), Interval(2.0, 1.988, 2.012, 9)]
    assert report.spread_column(column) == ["1.23 ± 0.10", "2.00 ± 0.01"]
