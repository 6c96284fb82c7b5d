"""A claim whose verdict may hang on how the document is read: one rule for each reading that it allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from typing import TYPE_CHECKING, ClassVar

from parshall_studies.study.rules import Outcome, Rule, Tally, Verdict, all_of, as_rule

if TYPE_CHECKING:
    from parshall_studies.study.printed import Printed
    from parshall_studies.study.quantity import Relation
    from parshall_studies.study.results import Results

__all__ = ["ByReading"]


@dataclass(frozen=True)
class ByReading(Rule):
    """A rule for each reading that the document allows. The claim holds when it holds with every reading."""

    says: InitVar[Mapping[str, Rule | Relation]]
    """At least two rules, or relations alone, by the name of the reading."""
    readings: Mapping[str, Rule] = field(init=False, hash=False)
    """The rules, by the name of the reading."""
    kind: ClassVar[str] = "by reading"
    explanation: ClassVar[str] = (
        "The document allows several readings, and each is run. The statement holds when it holds with all "
        "of them, does not hold when it holds with none, and depends on a reading when it holds with some "
        "and not with others. Ours is the value of the reading that is least favourable; where it holds "
        "with none, so is the count of things that it is true of."
    )

    def __post_init__(self, says: Mapping[str, Rule | Relation]) -> None:
        if len(says) < 2:
            raise ValueError(f"readings: got {len(says)}, expected at least two")
        object.__setattr__(self, "readings", {name: as_rule(each) for name, each in says.items()})

    @property
    def needs(self) -> int:  # type: ignore[override]
        return max(rule.needs for rule in self.readings.values())

    @property
    def error_rate(self) -> float:  # type: ignore[override]
        return sum(rule.error_rate for rule in self.readings.values())

    @property
    def tables(self) -> frozenset[str]:
        return frozenset().union(*(rule.tables for rule in self.readings.values()))

    @property
    def unit(self) -> str:
        return next(iter(self.readings.values())).unit

    @property
    def printed(self) -> Printed | None:
        """The printed number, if the readings have one."""
        return getattr(next(iter(self.readings.values())), "printed", None)

    def judge(self, results: Results) -> Outcome:
        found = {name: rule.judge(results) for name, rule in self.readings.items()}
        verdicts = [each.verdict for each in found.values()]
        verdict = all_of(verdicts)
        decided = [each for each in found.values() if each.verdict is verdict]
        decisive = min(decided, key=lambda each: each.tally.true / max(1, each.tally.all))
        split = "; ".join(f"{name}: {each.verdict}" for name, each in found.items())
        differ = verdict is Verdict.FAILS and Verdict.HOLDS in verdicts
        tally = Tally.of(verdicts) if differ else decisive.tally
        return Outcome(decisive.ours, verdict, tally, decisive.run, split if differ else "")
