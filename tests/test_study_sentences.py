"""Sentences of the documents: each is judged by claims that exist, or says why not; the page lists them."""

from __future__ import annotations

import json
import re
from itertools import takewhile
from pathlib import Path

import pytest

from parshall.errors import InputError
from parshall_dev.checkout import ROOT
from parshall_dev.validate import documents
from parshall_dev.validate.documents import package_of, page
from parshall_studies import study as st
from parshall_studies.study.sentences import Sentence, chosen, sentences_of

STUDIES = st.list_studies()


def _ids(study: st.Study) -> set[str]:
    return {claim.id for topic in study.loaded.topics for claim in topic.claims}


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_each_sentence_is_judged_by_claims_that_exist_or_says_why_not(study: st.Study) -> None:
    ids = {each.name: _ids(each) for each in STUDIES}
    for sentence in sentences_of(package_of(study.name)):
        for template in sentence.claims:
            name, _, own = template.rpartition(":")
            assert chosen(own, ids[name or study.name]), f"{sentence.place}: {template}"


def test_a_template_stands_for_every_label() -> None:
    ids = ["gain.5", "gain.7.quiet", "loss.5"]
    assert chosen("gain.{size}", ids) == ["gain.5", "gain.7.quiet"]
    assert chosen("loss.5", ids) == ["loss.5"]
    assert chosen("gain", ids) == []


def test_a_sentence_needs_claims_or_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "silent_document"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "sentences.toml").write_text('[[sentence]]\nplace = "I"\nsays = "It works."\n')
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ValueError, match="expected place, says and either claims or reason"):
        sentences_of("silent_document")


def _record(id: str, grade: str) -> dict[str, object]:
    numbers = {"paper": 2.5, "ours": 2.25, "low": 2.125, "high": 2.375, "true": 8, "false": 1, "undecided": 0}
    return {"id": id, "grade": grade, "unit": "Mbit/s", **numbers}


def test_the_page_has_a_row_for_each_sentence(tmp_path: Path) -> None:
    study = next(each for each in STUDIES if sentences_of(package_of(each.name)))
    folder = tmp_path / study.name
    folder.mkdir()
    records = [_record(id, "holds") for id in sorted(_ids(study))]
    (folder / "claims.json").write_text(json.dumps(records))
    _compare(list(page(tmp_path)), study)


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_the_page_in_the_docs_is_complete(study: st.Study) -> None:
    if sentences_of(package_of(study.name)):
        text = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
        _compare(text.splitlines(), study)


def _compare(lines: list[str], study: st.Study) -> None:
    """Each sentence of a study has its row on the page, and there are no others."""
    sentences = sentences_of(package_of(study.name))
    rows = [
        re.split(r"(?<!\\)\|", line)[1:-1]
        for line in takewhile(
            lambda line: not line.startswith("## "), lines[lines.index(f"## {study.name}") + 1 :]
        )
        if line.startswith("|")
    ][2:]
    assert len(rows) == len(sentences)
    for sentence, row in zip(sentences, rows, strict=True):
        place, says, outcome, ours, links = (cell.strip().replace("\\|", "|") for cell in row)
        assert (place, says) == (sentence.place, sentence.says)
        assert (outcome == "not judged") is bool(sentence.reason)
        assert outcome != "not reproduced"
        if sentence.reason:
            assert ours == sentence.reason
        assert [template.rpartition(":")[2] for template in sentence.claims] == re.findall(r"`(.+?)`", links)


@pytest.mark.parametrize(
    ("grades", "outcome"),
    [
        (
            ["holds", "close", "better than printed"],
            "holds (1 holds, 1 is better than printed and 1 is close)",
        ),
        (["holds", "does not hold"], "in part"),
        (["holds", "inconclusive"], "inconclusive"),
        (["does not hold", "inconclusive"], "does not hold"),
        (["true in part"], "in part (true in 8 of 9)"),
        (["depends on a reading"], "in part (depends on a reading)"),
    ],
)
def test_an_outcome_follows_from_the_grades(
    grades: list[str], outcome: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = next(each for each in STUDIES if each.name == "fluid")
    ids = [f"made-up.{number}" for number in range(len(grades))]
    sentence = Sentence("I", "It works.", tuple(ids), "")
    monkeypatch.setattr(documents, "sentences_of", lambda _: [sentence])
    (tmp_path / "fluid").mkdir()
    records = [_record(id, grade) for id, grade in zip(ids, grades, strict=True)]
    (tmp_path / "fluid" / "claims.json").write_text(json.dumps(records))
    lines = list(page(tmp_path))
    row = lines[lines.index(f"## {study.name}") + 6]
    assert row.split(" | ")[2].startswith(outcome)


def test_a_folder_without_claims_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected a folder with STUDY/claims\.json"):
        list(page(tmp_path))
