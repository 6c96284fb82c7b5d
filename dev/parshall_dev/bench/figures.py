"""Figures computed from measurements: medians, ratios, and agreement of two sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from parshall_dev.bench.cases import Tolerance

__all__ = ["Check", "Counters", "Rates", "checks", "net_times", "rates", "ratio_of_medians"]

Counters = dict[str, int]
"""``packets_sent``, ``bytes_delivered`` and ``packets_dropped`` of a run."""


@dataclass(frozen=True)
class Check:
    """One quantity on both sides."""

    what: str
    ours: float
    theirs: float
    difference: float
    """As a share of theirs."""
    allowed: float

    @property
    def passed(self) -> bool:
        """True for a difference that is allowed."""
        return abs(self.difference) <= self.allowed

    def as_dict(self) -> dict[str, Any]:
        """For the JSON."""
        return {**asdict(self), "passed": self.passed}

    def __str__(self) -> str:
        numbers = f"{self.ours:,.0f} here, {self.theirs:,.0f} there"
        return f"{self.what}: {numbers}, {self.difference:+.1%}, allowed {self.allowed:.1%}"


def checks(ours: Sequence[Counters], theirs: Sequence[Counters], tolerance: Tolerance) -> list[Check]:
    """Means over runs, side by side; seeds differ from run to run."""
    done = []
    for what, allowed in asdict(tolerance).items():
        mean_ours = sum(run[what] for run in ours) / len(ours)
        mean_theirs = sum(run[what] for run in theirs) / len(theirs)
        done.append(Check(what, mean_ours, mean_theirs, _difference(mean_ours, mean_theirs), allowed))
    return done


def _difference(ours: float, theirs: float) -> float:
    if theirs == 0:
        return 0.0 if ours == 0 else float("inf")
    return ours / theirs - 1


def net_times(whole: Sequence[float], empty: Sequence[float]) -> list[float]:
    """Times of whole processes less the median of the same process for zero simulated seconds."""
    start = median(empty)
    return [time - start for time in whole]


def ratio_of_medians(theirs: Sequence[float], ours: Sequence[float]) -> float | None:
    """Factor of the other side's time; None where its start hides what its run takes."""
    return median(theirs) / median(ours) if median(theirs) > 0 else None


@dataclass(frozen=True)
class Rates:
    """Cost of a run."""

    packets_per_second: float
    events_per_packet: float
    ns_per_event: float
    ns_per_packet: float


def rates(seconds: float, packets: float, events: float) -> Rates:
    """From the time that a run took, the packets that hosts sent and the events that were executed."""
    return Rates(
        packets_per_second=packets / seconds,
        events_per_packet=events / packets,
        ns_per_event=seconds / events * 1e9,
        ns_per_packet=seconds / packets * 1e9,
    )
