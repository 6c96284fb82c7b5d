"""Metrics of queues as expressions, under each reading of what the chapter leaves open.

It gives the ratio of RED's thresholds and not their place, and not when CBR flows start. Each statement is
judged under every reading that it can depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from parshall_studies import study as st
from parshall_studies.aqm.grid import LOW, MODERN, QUEUES

if TYPE_CHECKING:
    from parshall_studies.study.claims import Says

    Said: TypeAlias = "Says | tuple[Says, st.Printed]"

AQMS = {name: QUEUES[name] for name in ("red", "red-ecn")}
"""Queues that the chapter calls AQM schemes."""
OF_CHAPTER = {"droptail": QUEUES["droptail"], **AQMS}
NEW_QUEUES = {name: QUEUES[name] for name in MODERN.queues if name not in OF_CHAPTER}
SIMILAR, MARGINAL, COMPARABLE, MUCH, CLOSE = 1.1, 1.05, 1.5, 2.0, 0.05
"""Bounds of the chapter's words; see the assumptions."""
SLIGHTLY = 0.2
"""Round trips of 120 ms by which a 'slightly' higher delay is at most higher."""
ACCEPTABLE = 0.9
"""Share of DropTail's throughput that is comparable to it, or acceptable."""
SHORT, LARGE = [5, 30], ["1", "3"]
"""Loads with short flows, and buffers from one BWDP on."""
SHARE = "share of capacity"
UNITS: Mapping[str, str] = {
    **dict.fromkeys(("ltrf", "ltnrf", "stf", "utilization"), SHARE),
    **dict.fromkeys(("delay", "delay_sd", "response_mean", "response_p95"), "s"),
    **dict.fromkeys(("drop", "ltrf_drop", "ltnrf_drop", "stf_drop", "mark"), "rate"),
    "normalized": "share",
}


def of(
    metric: str, queue: str | list[str], part: str = "grid", *, senders: str = "sack", **where: Any
) -> st.Expression:
    """A metric of a queue, or of several, over the cells of a part, or over some of them."""
    return st.Quantity(part, metric, UNITS.get(metric, "")).at(queue=queue, senders=senders, **where)


@dataclass(frozen=True)
class Reading:
    """Where RED's thresholds are, and when CBR flows start. Queues are called as in the chapter."""

    name: str
    """For a reader."""
    end: str = ""
    """End of the names of AQM schemes, where it is about their thresholds. DropTail has none."""
    parts: tuple[tuple[str, str], ...] = ()
    """Parts of the study in which they stand, in place of the chapter's."""

    cells: tuple[tuple[str, Any], ...] = ()
    """Cells that a statement is about, where the chapter does not say which."""

    def of(self, metric: str, queue: str | list[str], part: str = "grid", **where: Any) -> st.Expression:
        """A metric of a queue, or of several AQM schemes, over the cells of a part."""
        if queue == "droptail" and self.end:
            return of(metric, queue, part, **where)
        named = queue + self.end if isinstance(queue, str) else [each + self.end for each in queue]
        return of(metric, named, dict(self.parts).get(part, part), **where)

    def high(self, metric: str, queue: str | list[str], **where: Any) -> st.Expression:
        """Under 30 % short flows, as in most figures: nine cells, or some of them."""
        return self.of(metric, queue, load=30, **where)

    def gap(self, metric: str, queue: str, **where: Any) -> st.Expression:
        """Difference by which DropTail has more."""
        return self.of(metric, "droptail", **where) - self.of(metric, queue, **where)


IN_PHASE = Reading("CBR flows that start at one instant")
AT_RANDOM = Reading(
    "CBR flows that start at random",
    parts=(("grid", "spread"), ("on_off", "spread_on_off"), ("tuned", "tuned_spread")),
)
STARTS = (IN_PHASE, AT_RANDOM)
"""Starts of CBR flows; RED's thresholds are a quarter and three quarters of the buffer in both."""
LOW_THRESHOLDS = Reading(
    "thresholds of 1/12 and 1/4", LOW, (("grid", "thresholds"), ("on_off", "thresholds_on_off"))
)
READINGS = (*STARTS, LOW_THRESHOLDS)
"""The chapter's numbers come nearest to the first."""

SMALLER = tuple(
    replace(reading, name=f"{name}, {reading.name}", cells=(cell,))
    for name, cell in {"a small buffer": ("buffer", "1/3"), "a slow link": ("capacity", 5)}.items()
    for reading in READINGS
)
"""Readings of 'links with smaller bandwidth-delay products'."""


def by_reading(says: Callable[..., Said], readings: Sequence[Reading] = READINGS) -> Callable[..., Said]:
    """A statement under every reading: a function of the reading and of labels as one of labels alone. What
    is said of DropTail does not depend on thresholds.
    """

    def said(**labels: Any) -> Said:
        own = STARTS if labels.get("queue") == "droptail" else readings
        found = [says(reading, **labels) for reading in own]
        rules = {
            reading.name: each[0] if isinstance(each, tuple) else each
            for reading, each in zip(own, found, strict=True)
        }
        all_of_them = st.ByReading(rules)
        first = found[0]
        return (all_of_them, first[1]) if isinstance(first, tuple) else all_of_them

    return said
