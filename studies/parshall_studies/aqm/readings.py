"""Metrics of queues as expressions, under each reading of what the chapter leaves open: RED's thresholds.

The chapter gives their ratio and not their place. Each statement about RED is judged under both readings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
    """Where RED's thresholds are. Queues are called as in the chapter; DropTail has none and is the same."""

    name: str
    """For a reader."""
    end: str = ""
    """End of the names of AQM schemes in this reading."""
    parts: tuple[tuple[str, str], ...] = ()
    """Parts of the study in which they stand, in place of the chapter's."""

    def of(self, metric: str, queue: str | list[str], part: str = "grid", **where: Any) -> st.Expression:
        """A metric of a queue, or of several AQM schemes, over the cells of a part."""
        if queue == "droptail":
            return of(metric, queue, part, **where)
        named = queue + self.end if isinstance(queue, str) else [each + self.end for each in queue]
        return of(metric, named, dict(self.parts).get(part, part), **where)

    def high(self, metric: str, queue: str | list[str], **where: Any) -> st.Expression:
        """Under 30 % short flows, as in most figures: nine cells, or some of them."""
        return self.of(metric, queue, load=30, **where)

    def gap(self, metric: str, queue: str, **where: Any) -> st.Expression:
        """Difference by which DropTail has more."""
        return of(metric, "droptail", **where) - self.of(metric, queue, **where)


READINGS = (
    Reading("thresholds of 1/4 and 3/4"),
    Reading("thresholds of 1/12 and 1/4", LOW, (("grid", "thresholds"), ("on_off", "thresholds_on_off"))),
)
"""Places of RED's thresholds in the buffer; the chapter's numbers come nearest to the first."""


def by_thresholds(says: Callable[..., Said]) -> Callable[..., Said]:
    """A statement under both readings: a function of the reading and of labels as one of labels alone. What
    is said of DropTail hangs on no reading.
    """

    def said(**labels: Any) -> Said:
        if labels.get("queue") == "droptail":
            return says(READINGS[0], **labels)
        found = [says(reading, **labels) for reading in READINGS]
        rules = {
            reading.name: each[0] if isinstance(each, tuple) else each
            for reading, each in zip(READINGS, found, strict=True)
        }
        both = st.ByReading(rules)
        first = found[0]
        return (both, first[1]) if isinstance(first, tuple) else both

    return said
