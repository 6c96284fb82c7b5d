"""``parshall validate documents``: each sentence of the documents that claims something, with its grade.

The sentences stand beside the studies, in ``sentences.toml``; their grades come from the claims that
``parshall reproduce`` writes. What has not been reproduced is said to be so.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import entry_points
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from parshall.errors import InputError
from parshall_dev.checkout import ROOT
from parshall_studies import study as st
from parshall_studies.study.grades import Grade
from parshall_studies.study.outcomes import Record, SentenceOutcome, outcome_of
from parshall_studies.study.sentences import Sentence, check_ids, chosen, sentences_of
from parshall_studies.study.study import GROUP
from parshall_studies.study.words import number, span, tally

__all__ = ["package_of", "page", "words"]

Row: TypeAlias = tuple[Sentence, Sequence[Record], Sequence[Record], SentenceOutcome]
"""A sentence, the claims for it and against it, and its outcome."""

_HEAD = """# Claims of the documents

Each sentence of the five documents that claims something, in the document's order, with its outcome.
`parshall validate documents --write docs/claims.md` makes this page from the reports in `out/`; no outcome
and no number is typed. [studies.md](studies.md) says what the grades of claims mean, and each study's
`claims.md` has the words of the claims.

Each sentence names the quantity that it is about and the direction that would refute it. Claims stand *for*
or *against* it; each is one part of what the sentence says. In brackets stands what became of the claims,
of those against it apart from those for it.
"""
_MEANINGS = {
    SentenceOutcome.HOLDS: "all parts hold",
    SentenceOutcome.AGREES: "all parts are printed numbers that a single run of ours might give, and its "
    "interval is at most 25 % wide on each side",
    SentenceOutcome.IN_PART: "some parts hold and others do not",
    SentenceOutcome.FAILS: "no part holds, one setting refutes a sentence about all settings, or a claim "
    "against it holds",
    SentenceOutcome.READING: "the document leaves something open, and its readings give different answers",
    SentenceOutcome.INDISTINGUISHABLE: "printed numbers inside intervals so wide that they say nothing",
    SentenceOutcome.OPEN: "nothing fails, and something could not be told",
    SentenceOutcome.NOT_JUDGED: "a definition, a citation or a setting; the reason stands beside it",
    SentenceOutcome.NOT_REPRODUCED: "its study has not been run, or not with the data that it needs",
}
_FOLDERS = {"parshall_studies": "studies", "parshall_dev": "dev"}
"""Folders of the checkout, by the packages of studies in them."""


def package_of(study: str) -> str:
    """The package of a study, by the study's name."""
    return next(str(point.module) for point in entry_points(group=GROUP, name=study))


def page(folder: Path) -> Iterator[str]:
    """The page in Markdown, line by line. Raises InputError for a folder without any claims."""
    studies = [study for study in st.list_studies() if (ROOT / _claims_of(study.name)).exists()]
    found = {study.name: _read(folder / study.name / "claims.json") for study in studies}
    if not any(found.values()):
        raise InputError(
            "DIR", str(folder), "a folder with STUDY/claims.json, as parshall reproduce writes it"
        )
    _check(studies)
    judged = {study: list(_rows(study.name, found)) for study in studies}
    judged = {study: rows for study, rows in judged.items() if rows}
    yield from (_HEAD, "| outcome | meaning |", "|---|---|")
    yield from (f"| {outcome} | {meaning} |" for outcome, meaning in _MEANINGS.items())
    yield from ("", *_summary(judged), "")
    for study, rows in judged.items():
        yield from _section(study, rows, folder / study.name)


def _summary(judged: Mapping[st.Study, Sequence[Row]]) -> Iterator[str]:
    """Number of sentences of each study that hold."""
    yield f"| study | sentences | {' | '.join(map(str, SentenceOutcome))} |"
    yield "|---|" + "--:|" * (1 + len(SentenceOutcome))
    for study, rows in judged.items():
        counts = Counter(outcome for *_, outcome in rows)
        cells = (len(rows), *(counts[outcome] for outcome in SentenceOutcome))
        yield f"| [{study.name}](#{study.name}) | " + " | ".join(map(str, cells)) + " |"


def _claims_of(study: str) -> str:
    package = package_of(study)
    return f"{_FOLDERS[package.partition('.')[0]]}/{package.replace('.', '/')}/claims.md"


def _read(file: Path) -> dict[str, Record]:
    if not file.is_file():
        return {}
    return {each["id"]: each for each in json.loads(file.read_text(encoding="utf-8"))}


def _check(studies: Sequence[st.Study]) -> None:
    """Raises ValueError for a sentence with a claim that does not exist."""
    ids = {each.name: claim_ids(each) for each in studies}
    for study in studies:
        check_ids(study.name, package_of(study.name), ids)


def claim_ids(study: st.Study) -> list[str]:
    """Ids of all claims of a study."""
    return [claim.id for topic in study.loaded.topics for claim in topic.claims]


def words() -> Iterator[str]:
    """Each sentence beside the words of its claims, without any result, for a reader who checks the links."""
    studies = st.list_studies()
    _check(studies)
    said = {
        each.name: {claim.id: claim.text for topic in each.loaded.topics for claim in topic.claims}
        for each in studies
    }
    for study in studies:
        for sentence in sentences_of(package_of(study.name)):
            yield f"{study.name}, {sentence.place}: {sentence.says}"
            if sentence.reason:
                yield f"    not judged: {sentence.reason}"
            for kind, templates in (("for", sentence.supports), ("against", sentence.contradicts)):
                for template in templates:
                    name, _, own = template.rpartition(":")
                    claims = said[name or study.name]
                    yield f"    {kind}: {claims[chosen(own, claims)[0]]}  [{template}]"
            for refutation in sentence.refuted_by:
                yield f"    refuted by: {refutation.text}"


def _rows(study: str, found: Mapping[str, Mapping[str, Record]]) -> Iterator[Row]:
    """The sentences of a study, with their claims and what became of them."""
    for sentence in sentences_of(package_of(study)):
        supports, contradicts = (
            [_claims(study, template, found) for template in templates]
            for templates in (sentence.supports, sentence.contradicts)
        )
        outcome = outcome_of(sentence, supports, contradicts)
        yield sentence, list(chain(*supports)), list(chain(*contradicts)), outcome


def _section(study: st.Study, rows: Sequence[Row], folder: Path) -> Iterator[str]:
    yield from (f"## {study.name}", "")
    yield f"{study.document.authors}, *{study.document.title}*{_made(folder)}."
    yield from (
        "",
        "| place | sentence | outcome | ours | refuted by | claims |",
        "|---|---|---|---|---|---|",
    )
    for sentence, supports, contradicts, outcome in rows:
        cells = (
            sentence.place,
            sentence.says,
            f"{outcome}{_graded(outcome, supports, contradicts)}",
            sentence.reason or _ours([*supports, *contradicts]),
            "; ".join(each.text for each in sentence.refuted_by),
            _links(study.name, sentence),
        )
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    yield ""


def _made(folder: Path) -> str:
    """With how many seeds, and by which engine."""
    file = folder / "provenance.json"
    if not file.is_file():
        return ""
    told = json.loads(file.read_text(encoding="utf-8"))
    first, last = told["seeds"]
    return f"; {last - first + 1} seeds, engine {told['versions']['engine']}"


def _claims(study: str, template: str, found: Mapping[str, Mapping[str, Record]]) -> list[Record]:
    """The claims that a template stands for."""
    name, _, own = template.rpartition(":")
    records = found.get(name or study, {})
    return [records[id] for id in chosen(own, records)]


def _links(study: str, sentence: Sentence) -> str:
    supports = ", ".join(_link(study, each) for each in sentence.supports)
    contradicts = ", ".join(_link(study, each) for each in sentence.contradicts)
    return "; ".join(filter(None, (supports, f"against: {contradicts}" if contradicts else "")))


def _link(study: str, template: str) -> str:
    name, _, own = template.rpartition(":")
    return f"[`{own}`](../{_claims_of(name or study)})"


def _graded(outcome: SentenceOutcome, supports: Sequence[Record], contradicts: Sequence[Record]) -> str:
    """Grades behind an outcome, in brackets, where they say more than it: of the claims for the sentence
    apart from those against it, which count the other way.
    """
    sides = {"for": _grades(supports), "against": _grades(contradicts)}
    if contradicts:
        return f" ({'; '.join(f'{side}: {told}' for side, told in sides.items() if told)})"
    told = sides["for"]
    return f" ({told.removeprefix('agrees ')})" if told not in ("", outcome.value) else ""


def _grades(claims: Sequence[Record]) -> str:
    """Grades of claims: how many have which, or what became of the only one; empty without claims."""
    if not claims:
        return ""
    if len(claims) > 1:
        counts = Counter(claim["grade"] for claim in claims)
        wide = f", within ±{max(widths):.0f} %" if (widths := list(_widths(claims))) else ""
        return tally({grade: counts[grade.value] for grade in Grade}) + wide
    claim = claims[0]
    if claim["true"] and claim["grade"] in (Grade.PARTLY, Grade.FAILS):
        return f"true in {claim['true']} of {claim['true'] + claim['false'] + claim['undecided']}"
    if claim["grade"] == Grade.AGREES:
        return f"agrees within ±{max(_widths(claims)):.0f} %"
    return claim["by_reading"] or str(claim["grade"])


def _widths(claims: Sequence[Record]) -> Iterator[float]:
    """Relative widths in percent, rounded up, of the intervals that printed numbers agree with."""
    return (math.ceil(100 * each["width"]) for each in claims if each["grade"] == Grade.AGREES)


def _ours(claims: Sequence[Record]) -> str:
    """Our number with the interval that decided and the printed one, or the range of several in one unit."""
    known = [claim for claim in claims if claim["ours"] is not None]
    if not known or len({claim["unit"] for claim in known}) > 1:
        return ""
    unit = known[0]["unit"]
    if len(known) > 1:
        return span([claim["ours"] for claim in known], unit)
    claim = known[0]
    printed = "" if claim["paper"] is None else f" (printed: {number(claim['paper'], 6)})"
    return f"{number(claim['ours'])} {unit}".rstrip() + _decided(claim) + printed


def _decided(claim: Record) -> str:
    """The interval that decided; none where no seed has a say."""
    if claim["run"] is not None and None not in claim["run"]:
        low, high = claim["run"]
        return f", single runs {number(low)} to {number(high)}"
    return "" if claim["low"] is None else f", {number(claim['low'])} to {number(claim['high'])}"
