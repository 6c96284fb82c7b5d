"""Sentences of the documents: each is judged by claims that exist, or says why not; the page lists them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from parshall.errors import InputError
from parshall_dev.validate.documents import package_of, page
from parshall_studies import study as st
from parshall_studies.study.sentences import chosen, sentences_of

STUDIES = [study for study in st.list_studies() if study.name != "linux-testbed"]


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
    lines = list(page(tmp_path))
    sentences = sentences_of(package_of(study.name))
    start = lines.index(f"## {study.document.title}")
    rows = [line for line in lines[start + 6 :] if line.startswith("|")][: len(sentences)]
    for sentence, row in zip(sentences, rows, strict=True):
        assert row.startswith(f"| {sentence.place} | ")
        assert sentence.reason in row
        assert ("| not judged |" in row) is bool(sentence.reason)
        assert ("hold" in row.split("|")[3]) is bool(sentence.claims)


def test_a_folder_without_claims_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected a folder with STUDY/claims\.json"):
        list(page(tmp_path))
