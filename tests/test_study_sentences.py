"""Sentences of the documents: each is decided by claims about its own quantity, with the right sign, or says
why it is not judged; the page lists them. Nothing is simulated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.imagined import refuted
from tests.study_shapes import results_of

from parshall.errors import InputError
from parshall_dev.checkout import ROOT
from parshall_dev.validate import documents
from parshall_dev.validate.documents import claim_ids, package_of, page, words
from parshall_studies import study as st
from parshall_studies.study.refutations import SETTING, Refutation
from parshall_studies.study.sentences import Sentence, check_ids, chosen, sentences_of

STUDIES = {study.name: study for study in st.list_studies()}
SENTENCES = [
    pytest.param(name, sentence, id=f"{name}-{count}")
    for name in STUDIES
    for count, sentence in enumerate(sentences_of(package_of(name)), start=1)
]


@cache
def _claims(name: str) -> dict[str, st.Claim]:
    return {claim.id: claim for topic in STUDIES[name].loaded.topics for claim in topic.claims}


_results_of = cache(results_of)


# --- Signs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STUDIES)
def test_each_sentence_names_claims_that_exist(name: str) -> None:
    check_ids(name, package_of(name), {each: claim_ids(study) for each, study in STUDIES.items()})


@pytest.mark.parametrize(("name", "sentence"), SENTENCES)
def test_a_verdict_turns_with_the_quantity_of_its_sentence(name: str, sentence: Sentence) -> None:
    """Each claim turns when the quantity is moved as would refute the sentence; no refutation is idle."""
    used = [False] * len(sentence.refuted_by)
    for held, templates in ((True, sentence.supports), (False, sentence.contradicts)):
        for study, claim in _of(name, templates):
            turns = _turned(study, claim, sentence.refuted_by, held=held)
            assert any(turns), f"{sentence.says}: {claim.id} is about something else, or has the wrong sign"
            used = [one or other for one, other in zip(used, turns, strict=True)]
    for refutation, turns_one in zip(sentence.refuted_by, used, strict=True):
        assert turns_one, f"{sentence.says}: no claim is about '{refutation.text}'"


def _of(name: str, templates: Sequence[str]) -> Iterator[tuple[str, st.Claim]]:
    for template in templates:
        study, _, own = template.rpartition(":")
        claims = _claims(study or name)
        yield from ((study or name, claims[id]) for id in chosen(own, claims))


def _turned(study: str, claim: st.Claim, refutations: Sequence[Refutation], *, held: bool) -> list[bool]:
    if not claim.rule.tables:
        return [each.text == SETTING for each in refutations]
    with np.errstate(all="ignore"):
        return refuted(claim.rule, _results_of(study), refutations, held=held)


RUNS = st.Results({"runs": st.tidy({"who": ["a", "b"], "seed": [1, 1], "x": [0.0, 0.0]}, ("who", "seed"))})
X = st.Quantity("runs", "x")
LESS = st.Holds((X.at(who="a") < X.at(who="b"),))


@pytest.mark.parametrize(
    ("rule", "held", "refutation", "turns"),
    [
        (LESS, True, "more runs.x at who=a", True),
        (LESS, True, "less runs.x at who=a", False),
        (LESS, True, "less runs.x at who=b", True),
        (LESS, True, "more runs.x", False),
        (LESS, True, "other runs.x at who=a", True),
        (LESS, True, "more runs.y at who=a", False),
        (LESS, False, "less runs.x at who=a", True),
        (LESS, False, "more runs.x at who=a", False),
        (st.within(X.at(who="a"), 0.1, 0.2), True, "more runs.x at who=a|b", True),
        (st.PrintedNumber(st.Printed("3"), X.at(who="a")), True, "other runs.x at who=a", True),
        (
            st.ByReading({"a": X.at(who="a") > 1.0, "b": X.at(who="b") > 1.0}),
            True,
            "less runs.x at who=b",
            True,
        ),
    ],
)
def test_a_link_with_the_wrong_sign_is_found_out(
    rule: st.Rule, held: bool, refutation: str, turns: bool
) -> None:
    assert refuted(rule, RUNS, [Refutation.parse(refutation)], held=held) == [turns]


# --- Loading ------------------------------------------------------------------------------------------------


def test_a_template_stands_for_every_label() -> None:
    ids = ["gain.5", "gain.7.quiet", "loss.5"]
    assert chosen("gain.{size}", ids) == ["gain.5", "gain.7.quiet"]
    assert chosen("loss.5", ids) == ["loss.5"]
    assert chosen("gain", ids) == []


GOOD = 'place = "I"\nsays = "It works."\n'


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (GOOD, "for: got none, expected claims here or in against, or a reason"),
        (GOOD + 'for = ["a"]', "refuted_by: got none, expected the direction that refutes the sentence"),
        (
            GOOD + 'for = ["a"]\nrefuted_by = ["bigger runs.x"]',
            "refuted_by: got 'bigger runs.x', expected 'more",
        ),
        (GOOD + 'for = ["a"]\nrefuted_by = ["more runs.x at y"]', "refuted_by: got 'y', expected DIM=LABEL"),
        (GOOD + 'for = "a"\nrefuted_by = ["more runs.x"]', "for: got 'a', expected a list of texts"),
        (
            GOOD + 'for = ["a"]\nrefuted_by = ["more runs.x"]\nextent = "few"',
            "extent: got 'few', expected one of",
        ),
        (GOOD + 'claims = ["a"]', "claims: expected one of against, extent"),
        (GOOD + 'reason = "History."\nfor = ["a"]', "for: expected none beside a reason"),
        (GOOD + 'reason = ""', "reason: got '', expected a text"),
        ('says = "It works."\nreason = "History."', "place: got None, expected a text"),
        ("says = ", "Invalid value"),
    ],
)
def test_a_malformed_entry_is_named(
    entry: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _package(tmp_path, monkeypatch, f"[[sentence]]\n{entry}\n")
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        sentences_of("silent_document")
    assert "sentences.toml: " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_claim_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = f'[[sentence]]\n{GOOD}against = ["gain.{{size}}"]\nrefuted_by = ["more runs.x"]\n'
    _package(tmp_path, monkeypatch, entry)
    check_ids("silent", "silent_document", {"silent": ["gain.5"]})
    with pytest.raises(ValueError, match=r"sentence 1: against: got 'gain\.\{size\}', expected a claim of"):
        check_ids("silent", "silent_document", {"silent": ["loss.5"]})


def _package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    package = tmp_path / "silent_document"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "sentences.toml").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "silent_document", raising=False)


# --- The page -----------------------------------------------------------------------------------------------


def _record(id: str, grade: str) -> dict[str, Any]:
    numbers = {"paper": 2.5, "ours": 2.25, "low": 2.125, "high": 2.375, "true": 8, "false": 1, "undecided": 0}
    about: dict[str, Any] = {"run": [2.0, 2.6], "width": 0.125, "by_reading": None}
    if grade == "does not hold":
        numbers |= {"true": 0, "false": 9}
    if grade == "true in few":
        grade = "does not hold"
        numbers |= {"true": 2, "false": 7}
    if grade == "depends on a reading":
        about |= {"by_reading": "one: holds; other: does not hold"}
    return {"id": id, "grade": grade, "unit": "Mbit/s", **numbers, **about}


def test_the_page_has_a_row_for_each_sentence(tmp_path: Path) -> None:
    name = next(each for each in STUDIES if sentences_of(package_of(each)))
    for study in STUDIES:
        (tmp_path / study).mkdir()
        records = [_record(id, "holds") for id in sorted(_claims(study))]
        (tmp_path / study / "claims.json").write_text(json.dumps(records))
    _compare(list(page(tmp_path)), name)


@pytest.mark.parametrize("name", STUDIES)
def test_the_page_in_the_docs_is_complete(name: str) -> None:
    if sentences_of(package_of(name)):
        text = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
        _compare(text.splitlines(), name)


def _compare(lines: list[str], study: str) -> None:
    """Each sentence of a study has its row on the page, and there are no others."""
    sentences = sentences_of(package_of(study))
    rows = [
        re.split(r"(?<!\\)\|", line)[1:-1]
        for line in takewhile(
            lambda line: not line.startswith("## "), lines[lines.index(f"## {study}") + 1 :]
        )
        if line.startswith("|")
    ][2:]
    assert len(rows) == len(sentences)
    for sentence, row in zip(sentences, rows, strict=True):
        place, says, outcome, ours, refutations, links = (cell.strip().replace("\\|", "|") for cell in row)
        assert (place, says) == (sentence.place, sentence.says)
        assert (outcome == "not judged") is bool(sentence.reason)
        assert outcome != "not reproduced"
        if sentence.reason:
            assert ours == sentence.reason
        assert refutations == "; ".join(each.text for each in sentence.refuted_by)
        assert [template.rpartition(":")[2] for template in sentence.claims] == re.findall(r"`(.+?)`", links)
        assert ("against: " in links) is bool(sentence.contradicts)


def test_the_words_of_each_sentence_stand_beside_those_of_its_claims() -> None:
    lines = list(words())
    for name in STUDIES:
        for sentence in sentences_of(package_of(name)):
            place = lines.index(f"{name}, {sentence.place}: {sentence.says}") + 1
            own = [*takewhile(lambda line: line.startswith("    "), lines[place:])]
            assert len(own) == len(sentence.claims) + len(sentence.refuted_by) + bool(sentence.reason)


ROWS = [
    (
        "all",
        ["holds", "close", "better than printed"],
        [],
        "holds (1 holds, 1 is better than printed and 1 is close)",
    ),
    ("all", ["holds", "does not hold"], [], "in part (1 holds and 1 does not hold)"),
    ("all", ["does not hold", "inconclusive"], [], "does not hold (1 does not hold and 1 is inconclusive)"),
    ("all", ["holds", "inconclusive"], [], "inconclusive (1 holds and 1 is inconclusive)"),
    ("all", ["true in part"], [], "does not hold (true in 8 of 9)"),
    ("some", ["true in part"], [], "holds (true in 8 of 9)"),
    ("some", ["does not hold"], [], "does not hold"),
    ("all", ["depends on a reading"], [], "depends on a reading (one: holds; other: does not hold)"),
    ("all", ["holds"], ["holds"], "does not hold (for: holds; against: holds)"),
    ("all", ["holds"], ["does not hold"], "holds (for: holds; against: does not hold)"),
    ("all", 6 * ["holds"], 6 * ["holds"], "does not hold (for: all hold; against: all hold)"),
    (
        "all",
        ["holds", "inconclusive"],
        ["does not hold", "does not hold"],
        "inconclusive (for: 1 holds and 1 is inconclusive; against: all do not hold)",
    ),
    ("all", ["holds"], ["true in part"], "does not hold (for: holds; against: true in 8 of 9)"),
    ("all", [], ["holds"], "does not hold (against: holds)"),
    ("all", [], ["does not hold"], "holds (against: does not hold)"),
    ("some", [], ["true in part"], "holds (against: true in 8 of 9)"),
    ("all", ["true in few"], [], "does not hold (true in 2 of 9)"),
    ("some", ["true in few"], [], "holds (true in 2 of 9)"),
    ("all", ["agrees"], [], "agrees (within ±13 %)"),
    ("all", ["agrees"], ["does not hold"], "holds (for: agrees within ±13 %; against: does not hold)"),
    ("all", ["cannot be told apart"], [], "cannot be told apart"),
    (
        "all",
        ["agrees", "cannot be told apart"],
        [],
        "cannot be told apart (1 agrees and 1 cannot be told apart, within",
    ),
]


@pytest.mark.parametrize(("extent", "supports", "contradicts", "outcome"), ROWS)
def test_an_outcome_follows_from_the_grades(
    extent: str,
    supports: list[str],
    contradicts: list[str],
    outcome: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ids = [f"made-up.{number}" for number in range(len(supports + contradicts))]
    turning = (Refutation.parse("more runs.x"),)
    own = Sentence(
        "I", "It works.", tuple(ids[: len(supports)]), tuple(ids[len(supports) :]), turning, extent
    )
    monkeypatch.setattr(documents, "sentences_of", lambda _: [own])
    monkeypatch.setattr(documents, "check_ids", lambda *_: None)
    (tmp_path / "fluid").mkdir()
    records = [_record(id, grade) for id, grade in zip(ids, supports + contradicts, strict=True)]
    (tmp_path / "fluid" / "claims.json").write_text(json.dumps(records))
    lines = list(page(tmp_path))
    row = lines[lines.index("## fluid") + 6]
    assert row.split(" | ")[2].startswith(outcome)


def test_one_setting_refutes_a_sentence_about_all_and_leaves_one_about_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fluid").mkdir()
    records = [_record("gain.5", "holds"), _record("gain.7", "does not hold")]
    (tmp_path / "fluid" / "claims.json").write_text(json.dumps(records))
    monkeypatch.setattr(documents, "check_ids", lambda *_: None)
    found = {}
    for extent in ("all", "some", "each"):
        own = Sentence("I", "It works.", ("gain.{size}",), (), (Refutation.parse("less runs.x"),), extent)
        monkeypatch.setattr(documents, "sentences_of", lambda _, own=own: [own])
        lines = list(page(tmp_path))
        found[extent] = lines[lines.index("## fluid") + 6].split(" | ")[2].partition(" (")[0]
    assert found == {"all": "does not hold", "some": "holds", "each": "in part"}


@pytest.mark.parametrize(
    ("changes", "ours"),
    [
        ({}, "2.25 Mbit/s, single runs 2.00 to 2.60 (printed: 2.50000)"),
        ({"run": None}, "2.25 Mbit/s, 2.12 to 2.38 (printed: 2.50000)"),
        ({"run": None, "low": None, "high": None, "paper": None}, "2.25 Mbit/s"),
    ],
)
def test_the_interval_shown_is_the_one_that_decided(changes: dict[str, Any], ours: str) -> None:
    assert documents._ours([_record("a", "holds") | changes]) == ours


def test_a_folder_without_claims_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected a folder with STUDY/claims\.json"):
        list(page(tmp_path))
