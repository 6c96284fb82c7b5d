"""``parshall validate documents``: each sentence of the documents that claims something, with its grade.

The sentences stand beside the studies, in ``sentences.toml``; their grades come from the claims that
``parshall reproduce`` writes. What has not been reproduced is said to be so.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from parshall.errors import InputError
from parshall_dev.checkout import ROOT
from parshall_studies import study as st
from parshall_studies.study.grades import Grade
from parshall_studies.study.sentences import Sentence, chosen, sentences_of
from parshall_studies.study.words import number, span, tally

__all__ = ["package_of", "page"]

Record = Mapping[str, Any]
"""A claim as ``claims.json`` has it."""

_HEAD = """# Claims of the documents

Each sentence of the five documents that claims something, in the document's order, with its grade over the
studies' default seeds. `parshall validate documents --write docs/claims.md` makes this page from the reports
in `out/`; no grade and no number is typed. [studies.md](studies.md) says what the grades mean, each study's
`claims.md` has the words of the claims, and each report the interval that decided."""


def package_of(study: str) -> str:
    """The package of a study, by the study's name."""
    return f"parshall_studies.{study.replace('-', '_')}"


def page(folder: Path) -> Iterator[str]:
    """The page in Markdown, line by line. Raises InputError for a folder without any claims."""
    studies = [study for study in st.list_studies() if (ROOT / _claims_of(study.name)).exists()]
    found = {study.name: _read(folder / study.name / "claims.json") for study in studies}
    if not any(found.values()):
        raise InputError(
            "DIR", str(folder), "a folder with STUDY/claims.json, as parshall reproduce writes it"
        )
    yield from (_HEAD, "")
    for study in studies:
        sentences = sentences_of(package_of(study.name))
        if sentences:
            yield from _section(study, sentences, found)


def _claims_of(study: str) -> str:
    return f"studies/{package_of(study).replace('.', '/')}/claims.md"


def _read(file: Path) -> dict[str, Record]:
    if not file.is_file():
        return {}
    return {each["id"]: each for each in json.loads(file.read_text(encoding="utf-8"))}


def _section(
    study: st.Study, sentences: Sequence[Sentence], found: Mapping[str, Mapping[str, Record]]
) -> Iterator[str]:
    yield from (f"## {study.document.title}", "")
    rows = [(each, _claims(study.name, each, found)) for each in sentences]
    judged = [claims for _, claims in rows if claims]
    near = sum(all(_near(claim) for claim in claims) for claims in judged)
    left = sum(bool(each.reason) for each, _ in rows)
    yield (
        f"{study.document.authors}. Of {len(rows)} sentences {len(judged)} are judged; {near} of them hold, "
        f"are close or are better than printed in all that they say. {left} are not judged, and say why."
    )
    yield from ("", "| place | sentence | grade | ours | claims |", "|---|---|---|---|---|")
    for sentence, claims in rows:
        cells = (sentence.place, sentence.says, *_outcome(study.name, sentence, claims))
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    yield ""


def _claims(study: str, sentence: Sentence, found: Mapping[str, Mapping[str, Record]]) -> list[Record]:
    claims = []
    for template in sentence.claims:
        name, _, own = template.rpartition(":")
        records = found.get(name or study, {})
        claims += [records[id] for id in chosen(own, records)]
    return claims


def _outcome(study: str, sentence: Sentence, claims: Sequence[Record]) -> tuple[str, str, str]:
    """Grade, number and links."""
    if sentence.reason:
        return ("not judged", sentence.reason, "")
    links = ", ".join(_link(study, template) for template in sentence.claims)
    if not claims:
        return ("not reproduced here", "", links)
    return (_graded(claims), _ours(claims), links)


def _link(study: str, template: str) -> str:
    name, _, own = template.rpartition(":")
    return f"[`{own}`](../{_claims_of(name or study)})"


def _graded(claims: Sequence[Record]) -> str:
    counts = Counter(claim["grade"] for claim in claims)
    if len(claims) == 1:
        claim = claims[0]
        partly = claim["grade"] == Grade.PARTLY
        things = claim["true"] + claim["false"] + claim["undecided"]
        return f"true in {claim['true']} of {things}" if partly else str(claim["grade"])
    return tally({grade: counts[grade.value] for grade in Grade})


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
