"""Claims as data: what is said and where, the rule that decides it, and the expressions that it is about.

A claim is written before anything has run, and its words never change with the result. :func:`judge` applies
the rules to results.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from parshall_studies.study.grades import Grade, clause_of, grade_of, label_of, width_of
from parshall_studies.study.printed import Printed
from parshall_studies.study.quantity import Relation
from parshall_studies.study.rules import Exactly, Outcome, PrintedNumber, Rule, Verdict, as_rule

if TYPE_CHECKING:
    from parshall.stats import Interval
    from parshall_studies.study.results import Results

__all__ = ["Claim", "Judged", "Judgements", "Topic", "beyond", "judge"]

Says: TypeAlias = "Rule | Relation"


@dataclass(frozen=True)
class Claim:
    """One number or statement."""

    id: str
    """Unique within the study, and stable: other people's scripts look for it."""
    where: str
    """Place in the document, or what the claim is about when the document does not make it."""
    text: str
    says: Says
    paper: Printed | None = None
    """The document's number, where it gives one for a statement; a printed number's own rule has it."""

    @property
    def rule(self) -> Rule:
        """Rule that decides it; a relation alone is a comparison."""
        return as_rule(self.says)

    @property
    def printed(self) -> Printed | None:
        """The document's number, if there is one."""
        found: Printed | None = getattr(self.says, "printed", self.paper)
        return found


@dataclass(frozen=True)
class Topic:
    """Claims that are about one thing."""

    title: str
    claims: tuple[Claim, ...]
    of_document: bool = True
    """True if the document makes them, or the study does beyond it."""
    table: str = ""
    """The id of the printed table that shows them, if there is one: they are folded into it."""


def beyond(title: str, claims: Iterable[Claim]) -> Topic:
    """Statements that the document does not make."""
    return Topic(title, tuple(claims), of_document=False)


@dataclass(frozen=True)
class Judged:
    """A claim, and what became of it."""

    claim: Claim
    topic: Topic
    outcome: Outcome

    @property
    def verdict(self) -> Verdict:
        """Verdict of its rule."""
        return self.outcome.verdict

    @property
    def grade(self) -> Grade:
        """Grade: the verdict, finer where it does not hold."""
        return grade_of(self.claim.rule, self.outcome)

    @property
    def label(self) -> str:
        """Grade as a badge shows it: ``true in 8 of 9``."""
        return label_of(self.grade, self.outcome)

    @property
    def clause(self) -> str:
        """Grade as the predicate of a sentence: ``holds in 8 of 9 cases``."""
        return clause_of(self.grade, self.outcome)

    @property
    def ours(self) -> Interval:
        """Our value with its interval."""
        return self.outcome.ours

    @property
    def unit(self) -> str:
        """Unit of our value."""
        return self.claim.rule.unit

    @property
    def decimals(self) -> int:
        """Decimals worth showing of our value: two more than are printed."""
        says = self.claim.says
        return says.printed.decimals + 2 if isinstance(says, PrintedNumber | Exactly) else 9

    def record(self) -> dict[str, object]:
        """The claim as it is written to ``claims.json``; a number that does not exist is null."""
        claim, ours, tally, run = self.claim, self.ours, self.outcome.tally, self.outcome.run
        width = width_of(self.outcome)
        low, high = (ours.low, ours.high) if ours.low < ours.high else (math.nan, math.nan)
        paper = claim.printed
        return {
            "id": claim.id,
            "where": claim.where,
            "statement": claim.text,
            "paper": None if paper is None else paper.value,
            "ours": _number(ours.mean),
            "low": _number(low),
            "high": _number(high),
            "n": ours.n,
            "verdict": self.verdict.value,
            "grade": self.grade.value,
            "unit": self.unit,
            "rule": claim.rule.kind,
            "of_document": self.topic.of_document,
            "true": tally.true,
            "false": tally.false,
            "undecided": tally.undecided,
            "run": None if run is None else [_number(run.low), _number(run.high)],
            "width": None if width is None else _number(width),
            "by_reading": self.outcome.by_reading or None,
        }


@dataclass(frozen=True)
class Judgements:
    """Every claim of a study that could be judged, the document's first."""

    all: tuple[Judged, ...]
    seeds: int
    """Number of seeds that they rest on."""

    @cached_property
    def _by_id(self) -> dict[str, Judged]:
        return {judged.claim.id: judged for judged in self.all}

    def __getitem__(self, id: str) -> Judged:
        return self._by_id[id]

    def __contains__(self, id: str) -> bool:
        return id in self._by_id

    def __iter__(self) -> Iterator[Judged]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    def where(
        self,
        start: str | tuple[str, ...] = "",
        end: str = "",
        *,
        of_document: bool | None = None,
        printed: bool | None = None,
    ) -> Judgements:
        """Those whose ids start and end so; of the document or not; printed numbers or statements."""
        return Judgements(
            tuple(
                each
                for each in self.all
                if each.claim.id.startswith(start)
                and each.claim.id.endswith(end)
                and (of_document is None or each.topic.of_document is of_document)
                and (printed is None or isinstance(each.claim.rule, PrintedNumber | Exactly) is printed)
            ),
            self.seeds,
        )

    @property
    def grades(self) -> dict[Grade, int]:
        """Number of claims with each grade; every grade is a key."""
        found = Counter(each.grade for each in self.all)
        return {grade: found[grade] for grade in Grade}

    def with_verdict(self, verdict: Verdict) -> Judgements:
        """Those that got this verdict."""
        return Judgements(tuple(each for each in self.all if each.verdict is verdict), self.seeds)

    def fared(self, start: str, of: Mapping[Any, Any]) -> dict[Verdict, list[Any]]:
        """By verdict, the things whose claims got it; their names, after ``start``, are ids."""
        found: dict[Verdict, list[Any]] = {}
        for name, each in of.items():
            found.setdefault(self[f"{start}{name}"].verdict, []).append(each)
        return found

    @property
    def counts(self) -> dict[Verdict, int]:
        """Number of claims with each verdict; every verdict is a key."""
        found = Counter(each.verdict for each in self.all)
        return {verdict: found[verdict] for verdict in Verdict}

    @property
    def by_chance(self) -> Judgements:
        """Those on which chance has a say: their rules can err, and had the seeds that they need."""
        fair = (each for each in self.all if each.ours.n >= each.claim.rule.needs)
        return Judgements(tuple(each for each in fair if each.claim.rule.error_rate), self.seeds)

    @property
    def expected_failures(self) -> float:
        """Expected number of claims that fail by chance if all are true, at most."""
        return sum(each.claim.rule.error_rate for each in self.by_chance)

    def topics(self) -> Iterator[tuple[Topic, Judgements]]:
        """Topic by topic."""
        for topic in dict.fromkeys(each.topic for each in self.all):
            yield topic, Judgements(tuple(each for each in self.all if each.topic is topic), self.seeds)

    def to_json(self) -> str:
        """``claims.json``: a list of records, strict JSON, ending in a newline."""
        records = [judged.record() for judged in self.all]
        return json.dumps(records, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def judge(topics: Sequence[Topic], results: Results, *, partial: bool = False) -> Judgements:
    """Applies every claim's rule, the document's claims first. A claim about a part of the study that was not
    run is left out; one that asks for what no table has is an error of the study, unless the results are
    ``partial``.
    """
    ordered = sorted(topics, key=lambda topic: not topic.of_document)
    pairs = [(topic, claim) for topic in ordered for claim in topic.claims]
    ids = Counter(claim.id for _, claim in pairs)
    repeated = [id for id, count in ids.items() if count > 1]
    if repeated:
        raise ValueError(f"claim {repeated[0]}: its id occurs {ids[repeated[0]]} times, expected once")
    made = (each for each in pairs if each[1].rule.tables <= results.measures.keys())
    return Judgements(tuple(_all_judged(made, results, partial)), len(results.seeds))


def _all_judged(pairs: Iterable[tuple[Topic, Claim]], results: Results, partial: bool) -> Iterator[Judged]:
    for topic, claim in pairs:
        try:
            yield Judged(claim, topic, _judged(claim, results))
        except LookupError:
            if not partial:
                raise


def _judged(claim: Claim, results: Results) -> Outcome:
    try:
        outcome = claim.rule.judge(results)
    except LookupError as error:
        raise LookupError(f"claim {claim.id}: {error}") from error
    if isinstance(claim.rule, Exactly):  # it rests on no seed, and is true with each
        return replace(outcome, ours=replace(outcome.ours, n=len(results.seeds)))
    return outcome


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
