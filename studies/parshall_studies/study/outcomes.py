"""Outcomes of sentences: what follows from the grades of the claims for and against each.

Claims are taken as :meth:`Judged.record` writes them, so that a page can be made of reports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, TypeAlias

from parshall_studies.study.grades import NEAR, Grade
from parshall_studies.study.sentences import Sentence

__all__ = ["OutcomeOf", "Record", "outcome_of"]

Record: TypeAlias = Mapping[str, Any]
"""A claim as ``claims.json`` has it."""


class OutcomeOf(str, Enum):
    """Outcome of a sentence."""

    HOLDS = "holds"
    AGREES = "agrees"
    IN_PART = "in part"
    FAILS = "does not hold"
    READING = "depends on a reading"
    BLIND = "cannot be told apart"
    OPEN = "inconclusive"
    NOT_JUDGED = "not judged"
    NOT_REPRODUCED = "not reproduced"

    def __str__(self) -> str:
        return self.value


_UNDECIDED = (OutcomeOf.READING, OutcomeOf.BLIND, OutcomeOf.OPEN)
"""From the one that says most to the one that says least."""
_OF_GRADE = {
    Grade.AGREES: OutcomeOf.AGREES,
    Grade.READING: OutcomeOf.READING,
    Grade.BLIND: OutcomeOf.BLIND,
    Grade.OPEN: OutcomeOf.OPEN,
}


def outcome_of(
    sentence: Sentence, supports: Sequence[Sequence[Record]], contradicts: Sequence[Sequence[Record]]
) -> OutcomeOf:
    """The outcome of a sentence. ``supports`` has the claims of each template of ``sentence.supports``,
    ``contradicts`` those of ``sentence.contradicts``.

    Each template is a part of what the sentence says. A claim against it that holds refutes all of it.
    """
    if sentence.reason:
        return OutcomeOf.NOT_JUDGED
    if not all(supports) or not all(contradicts):
        return OutcomeOf.NOT_REPRODUCED
    contrary = [_joined(sentence.extent, list(map(_against, own))) for own in contradicts]
    if OutcomeOf.FAILS in contrary:
        return OutcomeOf.FAILS
    parts = [_joined(sentence.extent, [_for(each, sentence.extent) for each in own]) for own in supports]
    return _whole([*parts, *contrary])


def _for(claim: Record, extent: str) -> OutcomeOf:
    """Outcome by a claim that supports. One that is true of some settings supports a sentence about some."""
    grade = Grade(claim["grade"])
    if extent == "some" and claim["true"] and grade in (Grade.PARTLY, Grade.FAILS, Grade.OPEN):
        return OutcomeOf.HOLDS
    return _OF_GRADE.get(grade, OutcomeOf.HOLDS if grade in NEAR else OutcomeOf.FAILS)


def _against(claim: Record) -> OutcomeOf:
    """Outcome by a claim that contradicts. One that is true of some settings refutes a sentence about all,
    and leaves the other settings to a sentence about some.
    """
    grade = Grade(claim["grade"])
    if grade in NEAR:
        return OutcomeOf.FAILS
    if grade in (Grade.FAILS, Grade.PARTLY):
        return OutcomeOf.IN_PART if claim["true"] else OutcomeOf.HOLDS
    return _OF_GRADE[grade]


def _joined(extent: str, found: Sequence[OutcomeOf]) -> OutcomeOf:
    """One part of a sentence, from its settings."""
    if extent == "each":
        return _whole(found)
    if extent == "some":
        good = {OutcomeOf.HOLDS, OutcomeOf.AGREES, OutcomeOf.IN_PART}
        if good & set(found):
            return OutcomeOf.HOLDS
        return next((each for each in _UNDECIDED if each in found), OutcomeOf.FAILS)
    if {OutcomeOf.FAILS, OutcomeOf.IN_PART} & set(found):
        return OutcomeOf.FAILS
    return _held(found)


def _whole(parts: Sequence[OutcomeOf]) -> OutcomeOf:
    """A sentence, from its parts."""
    failed = {OutcomeOf.FAILS, OutcomeOf.IN_PART} & set(parts)
    if not failed:
        return _held(parts)
    kept = {OutcomeOf.HOLDS, OutcomeOf.AGREES, OutcomeOf.IN_PART, OutcomeOf.READING} & set(parts)
    return OutcomeOf.IN_PART if kept else OutcomeOf.FAILS


def _held(found: Sequence[OutcomeOf]) -> OutcomeOf:
    """Where nothing fails: what is undecided leaves all undecided."""
    order = (*_UNDECIDED, OutcomeOf.HOLDS, OutcomeOf.AGREES)
    return next(each for each in order if each in found)
