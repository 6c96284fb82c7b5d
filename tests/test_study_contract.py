"""Promises of every registered study: its claims and tables are those that are listed, every claim can hold
and can fail, its page shows all there is, and its report can be made again from its tables.

Each is reproduced once, briefly (:mod:`tests.brief_studies`). What one study measures is tested in its own
file.
"""

from __future__ import annotations

import gzip
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pytest
from matplotlib.layout_engine import ConstrainedLayoutEngine
from rich.console import Console
from tests.brief_studies import BRIEF, SEEDS, OneRun, brief
from tests.imagined import turned
from tests.parsed_page import Parsed
from tests.study_lists import listed
from tests.study_shapes import FOLDER, shape_of
from tests.undrawn import undrawn

from parshall_studies import study as st
from parshall_studies.study import reproduction
from parshall_studies.study.claims import judge
from parshall_studies.study.page import build
from parshall_studies.study.results import dimensions_of
from parshall_studies.study.tables import cells_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
"""In a brief run there may be nothing to divide by."""
_NO_NUMBER = re.compile(r"\b(nan|inf|None)\b|\{\{|\{%|\[\[|\}\}")


@dataclass(frozen=True)
class Brief:
    """A study that was reproduced, and made again from what was written."""

    done: st.Reproduction
    again: st.Reproduction

    @property
    def study(self) -> st.Study:
        return self.done.study

    @property
    def html(self) -> str:
        return (self.done.out / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=sorted(BRIEF))
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brief]:
    out, quiet = tmp_path_factory.mktemp(request.param), Console(file=io.StringIO())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        patch.setattr(reproduction, "Workbench", OneRun)
        # Finding room for labels takes half of the time of a drawing.
        patch.setattr(ConstrainedLayoutEngine, "execute", lambda *_: None)
        (out / "data").mkdir()
        study = brief(request.param, patch, out / "data")
        data = [out / "data"] if study.loaded.data else None
        done = st.reproduce(study, seeds=SEEDS, data=data, out=out / "once", cache=False, console=quiet)
        # What is drawn follows from data, which stand in the page: drawing it again would show nothing more.
        drawings = {figure.id: figure.svg for figure in done.page.figures}
        with patch.context() as blank:
            undrawn(blank, drawings.__getitem__)
            again = st.reproduce(study, source=done.out, out=out / "again", console=quiet)
        yield Brief(done, again)


def test_every_registered_study_is_here_and_says_what_it_is() -> None:
    studies = st.list_studies()
    assert {study.name for study in studies} == set(BRIEF)
    for study in studies:
        assert st.find_study(study.name) is study
        assert study.title
        assert study.document.title
        assert study.seeds >= SEEDS
        assert "## Findings" in study.loaded.page
        assert "## Assumptions" in study.loaded.page


def test_claims_and_tables_are_those_that_are_listed(made: Brief) -> None:
    """Other people's scripts look for them; ``python -m tests.study_lists`` writes the list anew."""
    file = FOLDER / f"{made.study.name}.txt"
    assert listed(made.study, made.done.measures) == file.read_text(encoding="utf-8")
    kept = file.with_suffix(".json.gz").read_bytes()
    assert gzip.decompress(shape_of(made.study, made.done.measures)) == gzip.decompress(kept)


def test_every_claim_is_judged_unless_its_data_may_be_absent(made: Brief) -> None:
    content = made.study.loaded
    claims = {claim.id: claim for claim in _claims(made.study)}
    lacking = claims.keys() - {each.claim.id for each in made.done.judged}
    assert all(claims[id].rule.tables & content.optional for id in lacking)


def test_every_claim_can_hold_and_can_fail(made: Brief) -> None:
    with np.errstate(all="ignore"):
        for each in made.done.judged:
            if not each.claim.rule.tables:  # a setting, on which nothing that is measured has a say
                continue
            found = list(turned(each.claim.rule, made.done.results))
            assert [verdict for verdict, _ in found] == [verdict for _, verdict in found], each.claim.id
            assert {verdict for verdict, _ in found} == {st.Verdict.HOLDS, st.Verdict.FAILS}


RUNS = st.Results({"runs": st.tidy({"seed": [1, 2], "x": [1.0, 2.0], "y": [3.0, 4.0]}, ("seed",))})
X, Y = st.Quantity("runs", "x"), st.Quantity("runs", "y")


@pytest.mark.parametrize(
    ("rule", "turns"),
    [
        (st.Holds((X > Y,)), True),
        (st.Holds((X - X > 0.0,)), False),
        (st.Holds((abs(X) + 1.0 > 0.0,)), False),
        (st.Holds((X > 3.0, 1.0 - X > 0.0)), False),
        (st.alike(X, Y, 1.1), True),
        (st.alike(X, X, 1.1), False),
        (st.Never(-1.0 * abs(X)), False),
        (st.PrintedNumber(st.Printed("3"), X - X), False),
    ],
)
def test_a_claim_that_says_the_same_of_all_numbers_is_found_out(rule: st.Rule, turns: bool) -> None:
    found = list(turned(rule, RUNS))
    assert all(aim is verdict for aim, verdict in found) is turns


def test_each_setting_has_a_row_for_each_seed(made: Brief) -> None:
    for name, measured in made.done.measures.items():
        table, dims = measured.unify_dictionaries().combine_chunks(), dimensions_of(measured)
        if not dims:
            continue
        assert table.num_rows, name
        assert table.group_by(list(dims)).aggregate([]).num_rows == table.num_rows, f"{name}: a row twice"
        if "seed" in dims:
            seeds = pc.count_distinct(table["seed"]).as_py()
            others = table.group_by([dim for dim in dims if dim != "seed"]).aggregate([]).num_rows
            # An example is one run of each setting, whose seed may be another's not.
            assert table.num_rows in (others * seeds, others), f"{name}: a row is missing"


def test_no_figure_and_no_table_is_empty(made: Brief) -> None:
    for item in made.done.page.items.values():
        assert item.title
        if isinstance(item, st.Table):
            assert item.rows, item.id
            assert {len(row) for row in item.rows} == {len(item.heads)}
            cells = [str(cell) for row in cells_of(item) for cell in row]
            assert not [cell for cell in cells if _NO_NUMBER.search(cell)], item.id
    for figure in made.done.page.figures:
        assert figure.caption, figure.id
        assert figure.data is None or figure.data.num_rows, figure.id
        assert "<path" in figure.svg


def test_the_report_is_a_page_with_everything_once(made: Brief) -> None:
    page, html = made.done.page, made.html
    parsed = Parsed(html)
    ids = [attributes["id"] for _, attributes in parsed.elements if attributes.get("id")]
    assert not [id for id, count in Counter(ids).items() if count > 1]
    assert html.count("<svg") == len(list(page.figures))
    assert html.count("<select") == sum(isinstance(item, st.Picker) for item in page.items.values())
    shown = set(re.findall(r'data-claim="([^"]+)"', html))
    shown |= {id for several in shown for id in several.split()}
    assert {each.claim.id for each in made.done.judged} <= shown
    assert not re.search(r"https?:", html)
    assert not _NO_NUMBER.search("".join(parsed.text))
    assert page.answer is not None
    assert page.findings
    for topic, judged in made.done.judged.topics():
        if topic.table:
            folded = [row[-1].claim.id for row in page.items[topic.table].rows]
            assert folded == [each.claim.id for each in judged]


_ITEM = re.compile(r"^- \*\*(.+?)\*\* (.+)$", re.MULTILINE)
_MOST_WORDS, _MOST_NUMBERS = 40, {"Does it work?": 4}
"""Limits for an item of the first screen; other items have two numbers at most. An interval is one number."""


def test_the_first_screen_says_if_it_works_when_to_use_it_and_how_sure_that_is(made: Brief) -> None:
    assert made.done.page.answer is not None
    items = _ITEM.findall(made.done.page.answer.text)
    assert [label for label, _ in items] == list(st.ANSWERS)
    rest = _ITEM.sub("", made.done.page.answer.text).strip()
    assert not rest, f"{rest!r} stands beside the four items"
    for label, text in items:
        words = [word for word in text.split() if re.search(r"\w", word)]
        assert len(words) <= _MOST_WORDS, f"{label} {text}"
        numbers = re.findall(r"\d[\d.,]*", re.sub(r"\([^)]*\)", "", text))
        assert len(numbers) <= _MOST_NUMBERS.get(label, 2), f"{label} {text}"
    assert len(made.done.page.answer.shows) <= 1


def test_a_quick_answer_has_its_numbers_and_intervals(made: Brief) -> None:
    content = made.study.loaded
    assert content.quick is not None
    assert "over_seeds" in content.quick.page or "interval" in content.quick.page


def test_few_seeds_leave_out_what_was_found(made: Brief) -> None:
    few = {}
    for name, table in made.done.measures.items():
        seeds = set(table["seed"].to_pylist()) if "seed" in dimensions_of(table) else {0}
        from_one_on = seeds == {*range(1, len(seeds) + 1)}  # an example's seed is whichever it is
        few[name] = table.filter(pc.less_equal(table["seed"], 2)) if from_one_on else table
    results = st.Results(few)
    there = tuple(st.Made(lambda *_, item=item: item) for item in made.done.page.items.values())
    content = replace(made.study.loaded, shown=there)
    judged = judge(content.topics, results)
    page = build(content, results, judged)
    assert page.too_few == "too few seeds to tell (2; 10 needed)"
    assert (page.answer, page.findings) == (None, ())
    assert {id for part in page.sections for id in part.shows} == set(page.items)
    open_ones = [
        each for each in judged if each.claim.rule.needs and not isinstance(each.claim.rule, st.Never)
    ]
    assert {each.verdict for each in open_ones} == {st.Verdict.OPEN}


def test_the_report_can_be_made_again_from_its_tables(made: Brief) -> None:
    assert made.again.runs == 0
    assert _contents(made.again.out) == _contents(made.done.out)


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


_WITH_DATA = sorted(study.name for study in st.list_studies() if study.loaded.data)


_LONG = {"aqm", "nonresponsive"}
"""They take half of the time; others show what a study does where it is not given its data."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.exhaustive] * (name in _LONG)) for name in _WITH_DATA]
)
def test_a_study_is_reproduced_without_the_data_that_it_reads(name: str, tmp_path: Path) -> None:
    quiet = Console(file=io.StringIO())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reproduction, "Workbench", OneRun)
        undrawn(patch, lambda _: "<svg><path/></svg>")
        patch.delenv("PARSHALL_DATA", raising=False)
        (tmp_path / "data").mkdir()
        study = brief(name, patch, tmp_path / "data")
        done = st.reproduce(study, seeds=SEEDS, out=tmp_path / "out", cache=False, console=quiet)
    assert done.provenance.lacking
    absent = {table for claim in _claims(study) for table in claim.rule.tables} - done.measures.keys()
    assert absent <= study.loaded.optional


def _claims(study: st.Study) -> list[st.Claim]:
    return [claim for topic in study.loaded.topics for claim in topic.claims]
