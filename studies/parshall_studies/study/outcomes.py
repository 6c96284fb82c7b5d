"""Outcomes of sentences: what follows from the grades of the claims for and against each.

Claims are taken as :meth:`Judged.record` writes them, so that a page can be made of reports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, TypeAlias

from parshall_studies.study.grades import NEAR, Grade
from parshall_studies.study.sentences import Sentence

__all__ = ["Record", "SentenceOutcome", "outcome_of"]

Record: TypeAlias = Mapping[str, Any]
"""A claim as ``claims.json`` has it."""


class SentenceOutcome(str, Enum):
    """Outcome of a sentence."""

    HOLDS = "holds"
    AGREES = "agrees"
    IN_PART = "in part"
    FAILS = "does not hold"
    READING = "depends on a reading"
    INDISTINGUISHABLE = "cannot be told apart"
    OPEN = "inconclusive"
    NOT_JUDGED = "not judged"
    NOT_REPRODUCED = "not reproduced"

    def __str__(self) -> str:
        return self.value


_UNDECIDED = (SentenceOutcome.READING, SentenceOutcome.INDISTINGUISHABLE, SentenceOutcome.OPEN)
"""From the one that says most to the one that says least."""
_OF_GRADE = {
    Grade.AGREES: SentenceOutcome.AGREES,
    Grade.READING: SentenceOutcome.READING,
    Grade.INDISTINGUISHABLE: SentenceOutcome.INDISTINGUISHABLE,
    Grade.OPEN: SentenceOutcome.OPEN,
}


def outcome_of(
    sentence: Sentence, supports: Sequence[Sequence[Record]], contradicts: Sequence[Sequence[Record]]
) -> SentenceOutcome:
    """The outcome of a sentence. ``supports`` has the claims of each template of ``sentence.supports``,
    ``contradicts`` those of ``sentence.contradicts``.

    Each template is a part of what the sentence says. A claim against it that holds refutes all of it.
    """
    if sentence.reason:
        return SentenceOutcome.NOT_JUDGED
    if not all(supports) or not all(contradicts):
        return SentenceOutcome.NOT_REPRODUCED
    contrary = [_joined(sentence.extent, list(map(_against, own))) for own in contradicts]
    if SentenceOutcome.FAILS in contrary:
        return SentenceOutcome.FAILS
    parts = [_joined(sentence.extent, [_for(each, sentence.extent) for each in own]) for own in supports]
    return _whole([*parts, *contrary])


def _for(claim: Record, extent: str) -> SentenceOutcome:
    """Outcome by a claim that supports. One that is true of some settings supports a sentence about some."""
    grade = Grade(claim["grade"])
    if extent == "some" and claim["true"] and grade in (Grade.PARTLY, Grade.FAILS, Grade.OPEN):
        return SentenceOutcome.HOLDS
    return _OF_GRADE.get(grade, SentenceOutcome.HOLDS if grade in NEAR else SentenceOutcome.FAILS)


def _against(claim: Record) -> SentenceOutcome:
    """Outcome by a claim that contradicts. One that is true of some settings refutes a sentence about all,
    and leaves the other settings to a sentence about some.
    """
    grade = Grade(claim["grade"])
    if grade in NEAR:
        return SentenceOutcome.FAILS
    if grade in (Grade.FAILS, Grade.PARTLY):
        return SentenceOutcome.IN_PART if claim["true"] else SentenceOutcome.HOLDS
    return _OF_GRADE[grade]


def _joined(extent: str, found: Sequence[SentenceOutcome]) -> SentenceOutcome:
    """One part of a sentence, from its settings."""
    if extent == "each":
        return _whole(found)
    if extent == "some":
        good = {SentenceOutcome.HOLDS, SentenceOutcome.AGREES, SentenceOutcome.IN_PART}
        if good & set(found):
            return SentenceOutcome.HOLDS
        return next((each for each in _UNDECIDED if each in found), SentenceOutcome.FAILS)
    if {SentenceOutcome.FAILS, SentenceOutcome.IN_PART} & set(found):
        return SentenceOutcome.FAILS
    return _held(found)


def _whole(parts: Sequence[SentenceOutcome]) -> SentenceOutcome:
    """A sentence, from its parts."""
    failed = {SentenceOutcome.FAILS, SentenceOutcome.IN_PART} & set(parts)
    if not failed:
        return _held(parts)
    kept = {
        SentenceOutcome.HOLDS,
        SentenceOutcome.AGREES,
        SentenceOutcome.IN_PART,
        SentenceOutcome.READING,
    } & set(parts)
    return SentenceOutcome.IN_PART if kept else SentenceOutcome.FAILS


def _held(found: Sequence[SentenceOutcome]) -> SentenceOutcome:
    """Where nothing fails: what is undecided leaves all undecided."""
    order = (*_UNDECIDED, SentenceOutcome.HOLDS, SentenceOutcome.AGREES)
    return next(each for each in order if each in found)
