"""``parshall validate documents``: each sentence of the documents that claims something, with its grade.

The sentences stand beside the studies, in ``sentences.toml``; their grades come from the claims that
``parshall reproduce`` writes. What has not been reproduced is said to be so.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeAlias

from parshall.errors import InputError
from parshall_dev.checkout import ROOT
from parshall_studies import study as st
from parshall_studies.study.grades import Grade
from parshall_studies.study.sentences import Sentence, chosen, sentences_of
from parshall_studies.study.study import GROUP
from parshall_studies.study.words import number, span, tally

__all__ = ["package_of", "page"]

Record = Mapping[str, Any]
"""A claim as ``claims.json`` has it."""
Row: TypeAlias = tuple[Sentence, Sequence[Record], str]
"""A sentence, the claims that judge it, and its outcome."""

_HEAD = """# Claims of the documents

Each sentence of the five documents that claims something, in the document's order, with its grade.
`parshall validate documents --write docs/claims.md` makes this page from the reports in `out/`; no grade and
no number is typed. [studies.md](studies.md) says what the grades mean, each study's `claims.md` has the words
of the claims, and each report the interval that decided.

A sentence *holds* where everything that it says holds, is close or is better than printed; it holds *in part*
where some of it does; it is *inconclusive* where nothing fails and something could not be told."""
_OUTCOMES = ("holds", "in part", "does not hold", "inconclusive", "not judged", "not reproduced")
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
    judged = {study: list(_rows(study.name, found)) for study in studies}
    judged = {study: rows for study, rows in judged.items() if rows}
    yield from (_HEAD, "", *_summary(judged), "")
    for study, rows in judged.items():
        yield from _section(study, rows, folder / study.name)


def _summary(judged: Mapping[st.Study, Sequence[Row]]) -> Iterator[str]:
    """Number of sentences of each study that hold."""
    yield f"| study | sentences | {' | '.join(_OUTCOMES)} |"
    yield "|---|" + "--:|" * (1 + len(_OUTCOMES))
    for study, rows in judged.items():
        counts = Counter(outcome for _, _, outcome in rows)
        cells = (len(rows), *(counts[outcome] for outcome in _OUTCOMES))
        yield f"| [{study.name}](#{study.name}) | " + " | ".join(map(str, cells)) + " |"


def _claims_of(study: str) -> str:
    package = package_of(study)
    return f"{_FOLDERS[package.partition('.')[0]]}/{package.replace('.', '/')}/claims.md"


def _read(file: Path) -> dict[str, Record]:
    if not file.is_file():
        return {}
    return {each["id"]: each for each in json.loads(file.read_text(encoding="utf-8"))}


def _rows(study: str, found: Mapping[str, Mapping[str, Record]]) -> Iterator[Row]:
    """The sentences of a study, with their claims and what became of them."""
    for sentence in sentences_of(package_of(study)):
        claims = _claims(study, sentence, found)
        yield sentence, claims, _outcome(sentence, claims)


def _section(study: st.Study, rows: Sequence[Row], folder: Path) -> Iterator[str]:
    yield from (f"## {study.name}", "")
    yield f"{study.document.authors}, *{study.document.title}*{_made(folder)}."
    yield from ("", "| place | sentence | outcome | ours | claims |", "|---|---|---|---|---|")
    for sentence, claims, outcome in rows:
        links = ", ".join(_link(study.name, template) for template in sentence.claims)
        said = sentence.reason or _ours(claims)
        cells = (sentence.place, sentence.says, outcome + _graded(claims), said, links)
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


def _claims(study: str, sentence: Sentence, found: Mapping[str, Mapping[str, Record]]) -> list[Record]:
    claims = []
    for template in sentence.claims:
        name, _, own = template.rpartition(":")
        records = found.get(name or study, {})
        claims += [records[id] for id in chosen(own, records)]
    return claims


def _outcome(sentence: Sentence, claims: Sequence[Record]) -> str:
    """One of :data:`_OUTCOMES`."""
    if sentence.reason:
        return "not judged"
    if not claims:
        return "not reproduced"
    near = sum(map(_near, claims))
    if near == len(claims):
        return "holds"
    if all(_near(claim) or claim["grade"] == Grade.OPEN for claim in claims):
        return "inconclusive"
    partly = any(claim["grade"] in (Grade.PARTLY, Grade.READING) for claim in claims)
    return "in part" if near or partly else "does not hold"


def _link(study: str, template: str) -> str:
    name, _, own = template.rpartition(":")
    return f"[`{own}`](../{_claims_of(name or study)})"


def _graded(claims: Sequence[Record]) -> str:
    """Grades behind an outcome, in brackets, where they say more than it."""
    if not claims:
        return ""
    if len(claims) > 1:
        counts = Counter(claim["grade"] for claim in claims)
        return f" ({tally({grade: counts[grade.value] for grade in Grade})})"
    claim = claims[0]
    if claim["grade"] == Grade.PARTLY:
        return f" (true in {claim['true']} of {claim['true'] + claim['false'] + claim['undecided']})"
    said = claim["grade"] in (Grade.HOLDS, Grade.FAILS, Grade.OPEN)
    return "" if said else f" ({claim['grade']})"


def _near(claim: Record) -> bool:
    return claim["grade"] in (Grade.HOLDS, Grade.CLOSE, Grade.BETTER)


def _ours(claims: Sequence[Record]) -> str:
    """Our number and the printed one, or the range of several in one unit."""
    known = [claim for claim in claims if claim["ours"] is not None]
    if not known or len({claim["unit"] for claim in known}) > 1:
        return ""
    unit = known[0]["unit"]
    if len(known) > 1:
        return span([claim["ours"] for claim in known], unit)
    claim = known[0]
    printed = "" if claim["paper"] is None else f" (printed: {number(claim['paper'], 6)})"
    ends = "" if claim["low"] is None else f", {number(claim['low'])} to {number(claim['high'])}"
    return f"{number(claim['ours'])} {unit}".rstrip() + ends + printed
