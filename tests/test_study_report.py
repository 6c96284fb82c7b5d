"""The report: its page, well formed, self-contained, accessible and true to the claims; and numbers in it."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from tests.parsed_page import Parsed
from tests.toy_study import CONTENT, PAGE, STUDY

from parshall import plot
from parshall.stats import Interval
from parshall_studies import study as st
from parshall_studies.study import words
from parshall_studies.study.bench import Workbench
from parshall_studies.study.claims import Judgements, judge
from parshall_studies.study.html import _Blocks, _environment, render
from parshall_studies.study.page import Page, Part, build
from parshall_studies.study.provenance import Provenance


def provenance(**changes: Any) -> Provenance:
    whole = Provenance(
        study="toy",
        seeds=(1, 12),
        runs=0,
        date="2004-05-06 07:08 UTC",
        machine="a machine",
        versions={"Parshall": "1.2.3"},
        commit="abc123",
        tables=("seeds",),
        lacking=("Numbers: no folder of data was named.",),
    )
    return replace(whole, **changes)


def made(seeds: int = 12, content: st.Content = CONTENT) -> tuple[st.Results, Judgements, Page]:
    results = st.Results(content.measure(Workbench(range(1, seeds + 1))))
    judged = judge(content.topics, results)
    return results, judged, build(content, results, judged)


@pytest.fixture(scope="module")
def page() -> Page:
    return made()[2]


@pytest.fixture(scope="module")
def judged() -> Judgements:
    return made()[1]


@pytest.fixture(scope="module")
def html(page: Page, judged: Judgements) -> str:
    return render(STUDY, page, judged, provenance())


@pytest.fixture(scope="module")
def parsed(html: str) -> Parsed:
    return Parsed(html)


def plain(html: str) -> str:
    return " ".join("".join(Parsed(html).text).split())


# --- The page as data ---------------------------------------------------------------------------------------


def test_a_page_is_an_answer_findings_and_sections(page: Page) -> None:
    assert page.answer is not None
    assert "The mean seed is 6.5 s" in page.answer.text
    assert [part.title for part in page.findings] == ["Doubling", "Two views"]
    assert [part.title for part in page.sections] == ["Details", "Assumptions"]
    assert page.findings[0].text.startswith("It holds.")
    assert page.findings[0].shows == ["table-1"]
    assert "[[" not in page.answer.text
    assert [figure.id for figure in page.figures] == ["growth", "view-s", "view-ms"]
    assert page.items["growth"].caption == "Means over 12 seeds."


def test_too_few_seeds_make_no_findings_and_everything_is_still_shown() -> None:
    _, judged, page = made(seeds=3)
    assert page.too_few == "too few seeds to tell (3; 10 needed)"
    assert (page.answer, page.findings) == (None, ())
    assert {id for part in page.sections for id in part.shows} == set(page.items)
    text = plain(render(STUDY, page, judged, provenance(seeds=(1, 3))))
    assert text.count("Too few seeds to tell (3; 10 needed)") == 1
    assert "The mean seed is" not in text
    assert "Doubling" not in text


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('{{ show("table-1") }}', "", "'table-1' is shown nowhere"),
        (
            '{{ show("table-1") }}',
            '{{ show("table-1", "table-1") }}',
            r"'table-1'\): expected once, found 2 times",
        ),
        (
            '{{ show("views") }}',
            '{{ show("views", "vistas") }}',
            r"'vistas'\): expected one of table-1, growth",
        ),
        (
            '{{ figure("growth", "Growth & <decay>", "Means over %d seeds." % seeds) }}',
            '{{ show("growth") }}',
            "growth has no title",
        ),
        ('{{ show("views") }}', '{{ figure("views", "Views", "No.") }}', "views: a picker has its own title"),
    ],
)
def test_everything_is_shown_once_under_a_title(before: str, after: str, said: str) -> None:
    assert before in PAGE
    with pytest.raises(ValueError, match=said):
        made(content=replace(CONTENT, page=PAGE.replace(before, after)))


def test_a_name_that_nobody_gave_is_an_error() -> None:
    import jinja2

    with pytest.raises(jinja2.UndefinedError, match="mood"):
        made(content=replace(CONTENT, page=PAGE.replace("over_seeds(", "mood(")))


# --- The page as HTML ---------------------------------------------------------------------------------------


def test_the_page_is_well_formed_and_says_what_it_is(html: str, parsed: Parsed) -> None:
    assert html.startswith("<!DOCTYPE html>")
    assert parsed.all("html")[0]["lang"] == "en"
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in parsed.all("meta")
    text = " ".join("".join(parsed.text).split())
    for part in (
        "A toy & <more>",
        "A. Nobody, On Seeds, Nowhere 2004",
        "as none <expected>",
        "Growth & <decay>",
        "Means & <more>",
        "The document: silent.",
        "Left out: Numbers: no folder of data was named.",
    ):
        assert part in text
    assert "<em>none</em>" in html
    assert "<code>code</code>" in html


def test_the_first_thing_is_the_answer_and_its_figure(html: str) -> None:
    order = [
        html.index(f'id="{id}"')
        for id in ("answer", "growth-figure", "verdicts", "findings", "details", "claims", "provenance")
    ]
    assert order == sorted(order)


def test_how_the_page_was_made_stands_at_the_end(html: str) -> None:
    end = plain(html[html.index('<footer id="provenance">') : html.index("</footer>") + 9])
    for part in (
        "2004-05-06 07:08 UTC",
        "a machine",
        "Parshall 1.2.3",
        "abc123",
        "parshall reproduce toy --seeds 12",
    ):
        assert part in end


def test_the_page_needs_nothing_from_elsewhere(html: str, parsed: Parsed) -> None:
    assert not re.search(r"https?:|@import|src=|url\((?!#)|//[a-z]|fetch\(|eval\(", html)
    for tag in ("link", "img", "iframe", "object"):
        assert not parsed.all(tag)
    assert len(parsed.all("script")) == 1
    for attributes in parsed.all("a"):
        assert re.match(r"#|data:text/csv;base64,|data:image/svg", attributes["href"] or "")


def test_ids_are_unique_and_every_reference_has_its_target(html: str, parsed: Parsed) -> None:
    ids = [attributes["id"] for _, attributes in parsed.elements if attributes.get("id")]
    assert len(ids) == len(set(ids))
    targets = [attributes.get("href") or "" for _, attributes in parsed.elements]
    targets += re.findall(r"url\((#[^)]+)\)", html)
    inside = [target[1:] for target in targets if target.startswith("#")]
    assert len(inside) > 20
    assert set(inside) <= set(ids)


def test_the_contents_name_every_section(parsed: Parsed) -> None:
    links = {attributes["href"] for attributes in parsed.all("a")}
    assert {"#details", "#assumptions", "#claims", "#provenance"} <= links


def test_every_figure_has_a_title_a_computed_description_and_can_be_enlarged(html: str, page: Page) -> None:
    drawn = re.findall(r"<svg.*?</svg>", html, flags=re.DOTALL)
    figures = list(page.figures)
    assert len(drawn) == len(figures) == html.count('class="enlarge"')
    for text, figure in zip(drawn, figures, strict=True):
        root = ET.fromstring(text)
        assert root[0].text == figure.title
        assert st.UNTITLED not in text
    described = {each[0].text: each[1].text for each in map(ET.fromstring, drawn)}
    assert (
        described["Growth & <decay>"]
        == "mean seed (s) over kind. all seeds from 6.50 at 1.00 to 13.0 at 2.00."
    )


def test_a_figures_data_can_be_taken_along(parsed: Parsed) -> None:
    links = [attributes for attributes in parsed.all("a") if attributes.get("download")]
    assert [link["download"] for link in links] == ["growth.csv", "view-s.csv", "view-ms.csv"]
    content = base64.b64decode((links[0]["href"] or "").split(",", 1)[1]).decode()
    lines = content.splitlines()
    assert lines[0] == '"line","x","x_axis","y","y_axis","low","high"'
    assert lines[1].startswith('"all seeds",1,"kind",6.5,"mean seed (s)",')


def test_a_drawing_without_numbers_can_be_taken_along_itself(page: Page, judged: Judgements) -> None:
    growth = page.items["growth"]
    assert isinstance(growth, st.Figure)
    bare = replace(page, items={**page.items, "growth": replace(growth, data=None)})
    parsed = Parsed(render(STUDY, bare, judged, provenance()))
    (link,) = (each for each in parsed.all("a") if each.get("download") == "growth.svg")
    content = base64.b64decode((link["href"] or "").removeprefix("data:image/svg+xml;base64,")).decode()
    assert content == plot.standalone(growth.titled_svg)


def test_the_page_suits_dark_screens_phones_and_paper(html: str) -> None:
    style = html[html.index("<style>") : html.index("</style>")]
    for condition in ("prefers-color-scheme: dark", "max-width: 640px", "@media print"):
        assert condition in style
    # Every colour role of a figure is defined for the light page and the dark one; paper has the light one.
    for role in plot.LIGHT:
        assert style.count(f"--fig-{role}:") == 2
    assert "@media screen and (prefers-color-scheme: dark)" in style


def test_a_picker_lists_its_figures_and_shows_all_without_the_script(parsed: Parsed) -> None:
    (select,) = parsed.all("select")
    assert select["id"] == parsed.all("label")[0]["for"] == "views-pick"
    assert [each["value"] for each in parsed.all("option")] == ["view-s-figure", "view-ms-figure"]
    assert not any("hidden" in attributes for attributes in parsed.all("figure"))
    (pick,) = (attributes for attributes in parsed.all("p") if attributes.get("class") == "pick")
    assert "hidden" in pick


def test_the_same_page_gives_the_same_text(page: Page, judged: Judgements, html: str) -> None:
    assert render(STUDY, page, judged, provenance()) == html


# --- Claims in the page -------------------------------------------------------------------------------------


def test_claims_stand_by_topic_and_those_of_a_table_in_the_table(html: str, judged: Judgements) -> None:
    listed = re.findall(r'<div class="claim" data-claim="([^"]+)" data-grade="([^"]+)"', html)
    in_tables = re.findall(r'<tr data-claim="([^"]+)"', html)
    assert listed == [(id, str(judged[id].verdict)) for id in ("text.positive", "text.doubled", "zero")]
    assert in_tables == ["table-1.once", "table-1.twice"]
    topics = [plain(each) for each in re.findall(r"<summary>.*?</summary>", html, flags=re.DOTALL)]
    assert topics == [
        "What is said all hold",
        "Table 1. Means & <more> 1 does not hold and 1 cannot be told apart",
        "Zeros beyond the document: 1 holds",
    ]


def test_a_claim_says_what_decided_it(html: str) -> None:
    (row,) = re.findall(r'<tr data-claim="table-1.twice".*?</tr>', html, flags=re.DOTALL)
    cells = [plain(each) for each in re.findall(r"<td.*?</td>", row, flags=re.DOTALL)]
    assert cells[0:2] == ["twice", "99"]
    assert re.fullmatch(r"13\.0 ± 4\.6", cells[2])
    assert cells[4] == "does not hold"
    (claim,) = re.findall(r'data-claim="text.positive".*?</dl>', html, flags=re.DOTALL)
    assert "comparison, n = 12" in claim


def test_only_rules_that_are_used_are_explained_and_rounding_is(html: str) -> None:
    text = plain(html)
    assert "printed value comes from one run" in text
    assert "stands for all numbers that round to it" in text
    assert "chi-square" not in text


def test_verdicts_are_counted_apart_for_the_document_and_beyond_with_what_chance_does(
    html: str, judged: Judgements
) -> None:
    tallies = re.findall(r"<h3 id=\"tally-\d\">(.*?)</h3>", html)
    assert tallies == ["Claims of the document", "Questions beyond it"]
    counts = [int(count) for count in re.findall(r"<li class=\"[a-z-]+\"><b>(\d+)</b>", html)]
    expected = [
        count
        for of_document in (True, False)
        for count in judged.where(of_document=of_document).grades.values()
        if count
    ]
    assert counts == expected == [2, 1, 1, 1]
    said = "Even if all 4 claims tested on random runs were true, up to 0.15 would fail by chance."
    assert said in plain(html)


# --- In a browser -------------------------------------------------------------------------------------------

_BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_PROBE = """
<script>
addEventListener("load", () => {
  const width = document.documentElement.clientWidth;
  const scrolls = (element) => element.closest(".scroll, svg, dialog");
  const wide = [...document.querySelectorAll("body *")].filter(
    (element) => !scrolls(element) && element.getBoundingClientRect().right > width + 0.5);
  const figures = [...document.querySelectorAll("figure")].filter((figure) => !figure.hidden);
  const named = wide.map((element) => element.tagName + "." + element.className);
  document.title = JSON.stringify({width, figures: figures.length, wide: named});
});
</script>"""
_FRAME = """
<body><iframe src="report.html" style="width: {width}px; height: 900px; border: 0"></iframe><script>
const found = () => { document.body.dataset.found = document.querySelector("iframe").contentDocument.title; };
addEventListener("load", () => setTimeout(found, 300));
</script></body>"""


@pytest.mark.skipif(_BROWSER is None, reason="needs Chromium")
@pytest.mark.parametrize("width", [390, 1280])
def test_no_element_is_wider_than_the_page(html: str, tmp_path: Path, width: int) -> None:
    assert _BROWSER is not None
    (tmp_path / "report.html").write_text(html.replace("</body>", f"{_PROBE}</body>"), encoding="utf-8")
    (tmp_path / "frame.html").write_text(_FRAME.replace("{width}", str(width)), encoding="utf-8")
    command = [_BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += ["--allow-file-access-from-files", "--virtual-time-budget=4000", "--dump-dom"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", f"file://{tmp_path / 'frame.html'}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    found = re.search(r'data-found="(.*?)"', done.stdout)
    assert found is not None, done.stderr
    # The script hides the picker's second view.
    assert json.loads(unescape(found[1])) == {"width": width, "figures": 2, "wide": []}


# --- Numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (753440.0, "753,440"),
        (0.0123456, "0.0123"),
        (-1.666, "−1.67"),
        (0.0, "0"),
        (99.97, "100"),
        (0.9996, "1.00"),
        (0.99949, "0.999"),
        (-1.1e-15, "0"),
        (2e-9, "0.000000002"),
        (float("nan"), "–"),
        (float("inf"), "–"),
        (None, "–"),
    ],
)
def test_numbers_for_a_reader(value: float | None, text: str) -> None:
    assert words.number(value) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (Interval(1.914, 1.803, 2.025, 30), "", "1.91 (1.80 to 2.02)"),
        (Interval(744400, 724000, 764800, 30), "", "744,400 (724,000 to 764,800)"),
        (Interval(-0.004, -0.11, 0.102, 30), "", "0.00 (−0.11 to 0.10)"),
        (Interval(2.0, 2.0, 2.0, 30), "", "2.00 in every run"),
        (Interval(0.0, 0.0, 0.0, 30), "s", "0 s in every run"),
        (Interval(1.914, 1.803, 2.025, 30), "%", "1.91 % (1.80 to 2.02)"),
        (Interval(5.0, float("-inf"), float("inf"), 1), "", "5.00 (no interval: n = 1)"),
    ],
)
def test_intervals_have_as_many_decimals_as_they_deserve(value: Interval, unit: str, text: str) -> None:
    assert words.interval(value, unit) == text


def test_a_column_has_the_decimals_of_its_widest_as_far_as_they_suit_the_others() -> None:
    column = [
        Interval(1.234, 1.134, 1.334, 9),
        Interval(2.0, 1.9, 2.1, 9),
        Interval(0.0001, 0.0001 - 4e-5, 0.0001 + 4e-5, 9),
        Interval(0.0123, 0.0123 - 7e-4, 0.0123 + 7e-4, 9),
    ]
    found = words.plus_minus_column(column)
    assert found[:2] == ["1.23 ± 0.10", "2.00 ± 0.10"]
    assert found[2:] == ["0.0001 ± <0.0001", "0.0123 ± 0.0007"]  # never '0.00 ± 0.00'


def test_lists_spans_and_changes_read_as_sentences() -> None:
    assert words.listed([5, 35, 100]) == "5, 35 and 100"
    assert words.listed(["one"]) == "one"
    assert words.span([3.14, 0.2], "s") == "0.20 to 3.1 s"
    assert words.span([2.0, 2.0]) == "2.0"
    assert words.span([0.999, 1.01]) == "1.0"
    assert words.signed(-0.02) == "−0.020"
    assert words.signed(float("nan")) == "–"
    assert (
        words.tally({st.Grade.HOLDS: 12, st.Grade.CLOSE: 2, st.Grade.FAILS: 1, st.Grade.OPEN: 0})
        == "12 hold, 2 are close and 1 does not hold"
    )


def test_each_group_of_figures_stands_beside_the_text_before_it() -> None:
    items: dict[str, Any] = {name: st.Figure(name, "<svg></svg>") for name in "abc"}
    items["t"] = st.Table("t", ("Name", "n"), [("one", 1.0)], title="t")
    text = "One.\n\n[[show a]]\n\n[[show b]]\n\n[[show t]]\n\nTwo.\n\n[[show c]]\n\nThree.\n"
    bands = _Blocks(_environment(), items).bands(Part("P", text))
    where = [
        [id for id in ("One", "a-figure", "b-figure", "t-table", "Two", "c-figure", "Three") if id in each]
        for each in bands
    ]
    assert where == [["One", "a-figure", "b-figure", "t-table"], ["Two", "c-figure", "Three"]]
