"""Claims: one record per number or statement of a document, with our value, its interval and a computed
verdict.

Each kind of claim is one function that applies one rule, given in :data:`RULES`. A verdict is never typed.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Literal

from parshall import stats
from parshall.stats import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "FEWEST_SEEDS",
    "RULES",
    "Claim",
    "Direction",
    "Kind",
    "Verdict",
    "all_compared",
    "beyond_noise",
    "compared",
    "count_verdicts",
    "never",
    "printed",
    "tally",
    "to_json",
]

FEWEST_SEEDS = 10
"""With fewer seeds every verdict is 'cannot be told': normality is then taken on trust, and intervals are so
wide that a printed number would 'hold' for want of data."""

Direction = Literal["greater", "less"]
"""Which side of the baseline a statement puts the values on."""


class Verdict(str, Enum):
    """What became of a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "cannot be told"

    def __str__(self) -> str:
        return self.value


class Kind(str, Enum):
    """The rule that decided a claim; see :data:`RULES`."""

    PRINTED = "printed number"
    COMPARED = "comparison"
    ALL = "all of"
    NOISE = "noise"
    NEVER = "never"

    def __str__(self) -> str:
        return self.value


_PERCENT = f"{stats.CONFIDENCE:.0%}".replace("%", " %")

RULES: Mapping[Kind, str] = {
    Kind.PRINTED: (
        f"The printed value comes from one run. It holds when it lies inside the {_PERCENT} prediction "
        "interval of a single run of ours, and does not hold when it lies outside. Ours is the mean over "
        f"seeds with its {_PERCENT} interval, which is much narrower than the prediction interval. Of a "
        "quantity that cannot be below 0 (an error, a drop rate) the latter is found for square roots."
    ),
    Kind.COMPARED: (
        "Ours is the mean of paired differences (same seed, other variant). The statement holds when the "
        f"whole {_PERCENT} interval lies on the stated side of zero, does not hold when no part of it "
        "does, and cannot be told when zero is inside."
    ),
    Kind.ALL: (
        "As a comparison, for several at once: Bonferroni intervals, which all hold together with "
        f"{_PERCENT} confidence. It holds when every one lies on the stated side, does not hold when any "
        "lies on the other. Ours is the least favourable difference."
    ),
    Kind.NOISE: (
        "Ours is the difference that a change of seed alone, with one and the same variant, exceeds in "
        f"{100 * (1 - stats.CONFIDENCE):.0f} % of pairs of runs, with its {_PERCENT} interval "
        "(chi-square). A printed difference above the interval is more than noise (holds), one below it "
        "is not (does not hold)."
    ),
    Kind.NEVER: (
        "Ours is the share of runs in which the excluded thing happened, with Clopper and Pearson's "
        f"{_PERCENT} interval. One occurrence refutes the statement; it holds when there is none in any "
        "run."
    ),
}


@dataclass(frozen=True, slots=True)
class Claim:
    """One number or statement of a document beside what was found.

    The first nine fields are the record in ``claims.json``; the rest tells a reader how it was decided.
    """

    id: str
    """Unique within the study."""
    where: str
    """Place in the document, or what the claim is about when the document does not make it."""
    statement: str
    paper: float | None
    """The document's number, or none when it only makes a statement."""
    ours: float | None
    low: float | None
    high: float | None
    n: int
    """Seeds that ``ours`` rests on."""
    verdict: Verdict
    kind: Kind
    unit: str = ""
    run: Interval | None = None
    """Where one further run would fall, for a printed number."""
    of_document: bool = True
    """Whether the document makes the claim, or the study does beyond it."""

    def record(self) -> dict[str, str | int | float | None]:
        """The claim as it is written to ``claims.json``; a number that does not exist is null."""
        return {
            "id": self.id,
            "where": self.where,
            "statement": self.statement,
            "paper": _number(self.paper),
            "ours": _number(self.ours),
            "low": _number(self.low),
            "high": _number(self.high),
            "n": self.n,
            "verdict": self.verdict.value,
        }


def printed(
    id: str,
    where: str,
    statement: str,
    paper: float,
    values: ArrayLike,
    *,
    unit: str = "",
    at_least_zero: bool = False,
) -> Claim:
    """A number that the document prints, against single runs of ours. Rule: :attr:`Kind.PRINTED`.

    ``at_least_zero`` is for values that are never below 0: the interval of a single run is not either.
    """
    run = stats.prediction_interval(values, at_least_zero=at_least_zero)
    inside = Verdict.HOLDS if run.contains(paper) else Verdict.FAILS
    verdict = inside if _enough(run) else Verdict.OPEN
    return _claim(id, where, statement, paper, stats.mean_interval(values), verdict, Kind.PRINTED, unit, run)


def compared(
    id: str,
    where: str,
    statement: str,
    direction: Direction,
    values: ArrayLike,
    baseline: ArrayLike,
    *,
    paper: float | None = None,
    unit: str = "",
) -> Claim:
    """That ``values`` lie on one side of ``baseline``, seed by seed. Rule: :attr:`Kind.COMPARED`."""
    difference = stats.difference_interval(values, baseline)
    verdict = _side(difference, direction)
    return _claim(id, where, statement, paper, difference, verdict, Kind.COMPARED, unit)


def all_compared(
    id: str,
    where: str,
    statement: str,
    direction: Direction,
    pairs: Sequence[tuple[ArrayLike, ArrayLike]],
    *,
    paper: float | None = None,
    unit: str = "",
) -> Claim:
    """That the values of every pair lie on one side of their baseline. Rule: :attr:`Kind.ALL`."""
    differences = stats.simultaneous_intervals(pairs)
    sides = [_side(difference, direction) for difference in differences]
    sign = 1 if direction == "greater" else -1
    weakest = min(differences, key=lambda d: sign * (d.low if direction == "greater" else d.high))
    if Verdict.FAILS in sides:
        verdict = Verdict.FAILS
        weakest = min(differences, key=lambda d: sign * (d.high if direction == "greater" else d.low))
    elif Verdict.OPEN in sides:
        verdict = Verdict.OPEN
    else:
        verdict = Verdict.HOLDS
    return _claim(id, where, statement, paper, weakest, verdict, Kind.ALL, unit)


def beyond_noise(
    id: str, where: str, statement: str, paper: float, baseline: ArrayLike, *, unit: str = ""
) -> Claim:
    """That a printed difference is more than a change of seed alone makes. Rule: :attr:`Kind.NOISE`."""
    bound = stats.noise_bound(baseline)
    size = abs(paper)
    if not _enough(bound) or bound.low <= size <= bound.high:
        verdict = Verdict.OPEN
    else:
        verdict = Verdict.HOLDS if size > bound.high else Verdict.FAILS
    return _claim(id, where, statement, paper, bound, verdict, Kind.NOISE, unit)


def never(
    id: str, where: str, statement: str, occurred: Sequence[bool], *, unit: str = "share of runs"
) -> Claim:
    """That something happens in no run; ``occurred`` has one entry per seed. Rule: :attr:`Kind.NEVER`."""
    share = stats.rate_interval(sum(map(bool, occurred)), len(occurred))
    if share.n and share.mean > 0:
        verdict = Verdict.FAILS
    else:
        verdict = Verdict.HOLDS if _enough(share) else Verdict.OPEN
    return _claim(id, where, statement, None, share, verdict, Kind.NEVER, unit)


def count_verdicts(claims: Iterable[Claim]) -> dict[Verdict, int]:
    """How many claims got each verdict; every verdict is a key."""
    counts = Counter(claim.verdict for claim in claims)
    return {verdict: counts[verdict] for verdict in Verdict}


def tally(claims: Iterable[Claim]) -> str:
    """The same in words, for a sentence."""
    words = {Verdict.HOLDS: "hold", Verdict.FAILS: "do not hold", Verdict.OPEN: "cannot be told"}
    found = [f"{count} {words[verdict]}" for verdict, count in count_verdicts(claims).items() if count]
    return ", ".join(found) if found else "none was made"


def to_json(claims: Iterable[Claim]) -> str:
    """``claims.json``: a list of records, strict JSON, ending in a newline."""
    records = [claim.record() for claim in claims]
    repeated = [name for name, count in Counter(record["id"] for record in records).items() if count > 1]
    if repeated:
        raise ValueError(f"claim id: {repeated[0]!r}: expected each id once")
    return json.dumps(records, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _claim(
    id: str,
    where: str,
    statement: str,
    paper: float | None,
    ours: Interval,
    verdict: Verdict,
    kind: Kind,
    unit: str,
    run: Interval | None = None,
) -> Claim:
    return Claim(
        id, where, statement, paper, ours.mean, ours.low, ours.high, ours.n, verdict, kind, unit, run
    )


def _side(difference: Interval, direction: Direction) -> Verdict:
    """On which side of zero the whole interval lies; a difference of zero in every run is on neither."""
    if not _enough(difference):
        return Verdict.OPEN
    low, high = difference.low, difference.high
    if direction == "less":
        low, high = -high, -low
    if low > 0:
        return Verdict.HOLDS
    return Verdict.FAILS if high < 0 or low == high == 0 else Verdict.OPEN


def _enough(interval: Interval) -> bool:
    return interval.n >= FEWEST_SEEDS and interval.bounded


def _number(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
