"""Agreements as Markdown: a table a study, our mean and interval above ns-2's, and where they part."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from parshall._core import ENGINE_VERSION
from parshall.stats import CONFIDENCE, Interval, bonferroni
from parshall_dev.validate.statistics.compare import EDGE, Comparison
from parshall_dev.validate.statistics.outcomes import Outcome
from parshall_dev.validate.statistics.reasons import reason_for
from parshall_dev.validate.statistics.study import STUDIES, Agreement
from parshall_studies import study as st
from parshall_studies.study.rules import Verdict

__all__ = ["markdown", "summary"]

_HEAD = """\
# Statistical agreement with {peer}

Made by `parshall validate statistics DIR --out FILE.md` with engine {engine}.

Random scenarios that {peer} ran over several seeds are rebuilt from the settings in its tables, with the
`ns2` profile, and run over seeds of our own. The seeds of the two sides have nothing in common, so what can
agree is the distribution of what is measured; here its mean is compared. In the tables, the upper row of a
scenario is ours, the lower one {peer}'s; each entry is a mean with its {confidence} interval over *n* seeds
(Student's t).

Whether two means differ is judged by Student's test for two samples with pooled scatter.

- **°** marks means that are *apart*: the {confidence} interval of their difference does not hold 0. Of
  equal means {chance} are marked by chance, and they come in groups: outcomes of one scenario hang together,
  and so do scenarios whose sources draw the same numbers.
- **≠** marks means that *differ*: by more than the {confidence} interval that holds for all comparisons of a
  study at once (Bonferroni).
- A relative difference of up to {edge} counts as none: a packet at the ends of the interval that is counted.

What was found:
"""

PEER = "ns-2.35"
"""The version that made the tables of the reference."""

_MARKS = {Verdict.HOLDS: "", Verdict.OPEN: " °", Verdict.FAILS: " **≠**"}
_WORDS = {Verdict.HOLDS: "agree", Verdict.OPEN: "apart", Verdict.FAILS: "differ"}


def markdown(agreements: Sequence[Agreement]) -> str:
    """The whole document."""
    lines = [*_head(agreements)]
    for agreement in agreements:
        lines += _study(agreement)
    return "\n".join(lines).rstrip() + "\n"


def summary(agreement: Agreement) -> str:
    """One line about a study."""
    total = len(agreement.comparisons)
    agree, apart, differ = map(agreement.count, (Verdict.HOLDS, Verdict.OPEN, Verdict.FAILS))
    chance = (1 - CONFIDENCE) * total
    left = f"; {len(agreement.not_rebuilt)} scenarios not rebuilt" if agreement.not_rebuilt else ""
    return (
        f"study {agreement.study}: {total} means compared with {PEER}, {agree} agree, {apart} apart "
        f"(by chance about {chance:.0f}), {differ} differ{left}"
    )


def _head(agreements: Sequence[Agreement]) -> Iterator[str]:
    yield _HEAD.format(
        peer=PEER,
        engine=ENGINE_VERSION,
        confidence=_percent(CONFIDENCE),
        chance=_percent(1 - CONFIDENCE),
        edge=_percent(EDGE),
    )
    for agreement in agreements:
        yield f"- {summary(agreement)}."
    yield ""


def _percent(part: float) -> str:
    return f"{100 * part:.4g} %"


def _study(agreement: Agreement) -> Iterator[str]:
    kind = STUDIES[agreement.study]
    yield f"## Study {agreement.study}: {kind.title}"
    yield ""
    groups = list(dict.fromkeys(outcome.group for outcome in kind.outcomes))
    for group in groups:
        if group:
            yield f"### {group.capitalize()}"
            yield ""
        yield from _table([each for each in agreement if each.outcome.group == group])
    yield from _parted(agreement)
    if agreement.not_rebuilt:
        yield "Not rebuilt, for want of a means in the engine:"
        yield ""
        for label, missing in agreement.not_rebuilt.items():
            yield f"- {label}: {missing}"
        yield ""


def _table(comparisons: Sequence[Comparison]) -> Iterator[str]:
    outcomes = list(dict.fromkeys(each.outcome for each in comparisons))
    rows = []
    for label in dict.fromkeys(each.label for each in comparisons):
        row = {each.outcome: each for each in comparisons if each.label == label}
        first = next(iter(row.values()))
        cells = [row.get(outcome) for outcome in outcomes]
        ours = [
            "" if each is None else _stated(each.ours, each.outcome) + _MARKS[each.verdict] for each in cells
        ]
        theirs = ["" if each is None else _stated(each.theirs, each.outcome) for each in cells]
        rows += [(label, "ours", str(first.ours.n), *ours), ("", PEER, str(first.theirs.n), *theirs)]
    names = (st.Column("scenario", "text"), st.Column("", "text"))
    yield from st.markdown(st.Table("means", (*names, "*n*", *map(_titled, outcomes)), rows))
    yield ""


def _parted(agreement: Agreement) -> Iterator[str]:
    """Where they part, the widest first."""
    parted = [each for each in agreement if each.verdict is not Verdict.HOLDS]
    if not parted:
        yield "The intervals part nowhere."
        yield ""
        return
    yield "Where they part:"
    yield ""
    rows = []
    each_test = bonferroni(len(agreement.comparisons))
    for each in sorted(parted, key=lambda each: each.significance):
        where = f"{each.outcome.group} {each.outcome.title}".strip()
        sides = [_stated(side, each.outcome) for side in (each.ours, each.theirs)]
        apart = f"chance: {len(agreement.comparisons)} comparisons hold at once at {_percent(each_test)} each"
        why = apart if each.verdict is Verdict.OPEN else "unexplained"
        rows.append(
            (
                each.label,
                f"{where}, {each.outcome.unit}" if each.outcome.unit else where,
                *sides,
                _signed(each.errors, 1),
                _signed(each.percent, 2),
                _WORDS[each.verdict],
                reason_for(each) or why,
            )
        )
    scenario, what, verdict, reason = (st.Column(name, "text") for name in ("scenario", "", "verdict", "why"))
    heads = (scenario, what, "ours", PEER, "standard errors", "percent", verdict, reason)
    yield from st.markdown(st.Table("parted", heads, rows))
    yield ""


def _titled(outcome: Outcome) -> str:
    return f"{outcome.title}, {outcome.unit}" if outcome.unit else outcome.title


def _stated(side: Interval, outcome: Outcome) -> str:
    mean = f"{side.mean * outcome.scale:.{outcome.digits}f}"
    if not side.bounded:
        return mean
    half = side.half_width * outcome.scale
    # Two digits of an interval that would otherwise show as zero.
    digits = outcome.digits if half == 0 or half >= 10**-outcome.digits else 1 - math.floor(math.log10(half))
    return f"{mean} ± {half:.{min(digits, outcome.digits + 2)}f}"


def _signed(value: float, digits: int) -> str:
    if math.isinf(value):
        return "no scatter" if digits == 1 else "from 0"
    return f"{value:+.{digits}f}"
