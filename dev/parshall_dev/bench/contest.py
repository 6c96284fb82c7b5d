"""Parshall and its rivals in turns, so that whatever else the machine does hits all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from parshall_dev.bench import ours
from parshall_dev.bench.cases import Case, Rival
from parshall_dev.bench.figures import Check, Counters, checks, net_times, rates, ratio_of_medians
from parshall_dev.bench.peers import Peer, parse_result
from parshall_dev.bench.process import Finished

__all__ = ["Contest", "Result", "Turns", "Whole", "compete"]

Say = Callable[[str], None]
"""Takes a line of progress."""
_SLOW_START_S = 5.0
_SLOW_STARTS = 3


@dataclass
class Whole:
    """Runs of a peer: the whole processes, those for zero seconds, and what they counted."""

    runs: list[Finished] = field(default_factory=list)
    empty: list[Finished] = field(default_factory=list)

    @property
    def counters(self) -> list[Counters]:
        return [parse_result(run.output) for run in self.runs]

    @property
    def times(self) -> list[float]:
        """Seconds of the simulation alone."""
        return net_times(self.whole, [run.seconds for run in self.empty])

    @property
    def whole(self) -> list[float]:
        """Seconds of the processes."""
        return [run.seconds for run in self.runs]

    @property
    def peak_mb(self) -> float | None:
        peaks = [run.peak_mb for run in self.runs if run.peak_mb is not None]
        return median(peaks) if peaks else None


@dataclass
class Turns:
    """Runs of ours."""

    costs: list[ours.Cost] = field(default_factory=list)

    @property
    def times(self) -> list[float]:
        return [cost.seconds for cost in self.costs]

    @property
    def counters(self) -> list[Counters]:
        return [cost.counters for cost in self.costs]

    def summary(self) -> dict[str, Any]:
        """Medians and what follows from them."""
        seconds = median(self.times)
        packets = median(cost.counters["packets_sent"] for cost in self.costs)
        events = median(cost.events for cost in self.costs)
        peaks = [cost.peak_mb for cost in self.costs if cost.peak_mb is not None]
        growths = [cost.growth_mb for cost in self.costs if cost.growth_mb is not None]
        return {
            "runs": self.times,
            "seconds": seconds,
            "json_seconds": median(cost.json_seconds for cost in self.costs),
            "packets": packets,
            "events": events,
            **asdict(rates(seconds, packets, events)),
            "peak_mb": median(peaks) if peaks else None,
            "growth_mb": median(growths) if growths else None,
        }


@dataclass
class Contest:
    """Ours against one rival over the same simulated seconds."""

    rival: str
    definition: Rival
    ours: Turns
    peer: Whole | None = None
    """Runs of a peer,"""
    other: Turns | None = None
    """or of ours in another way."""

    @property
    def checks(self) -> list[Check]:
        theirs = self.peer.counters if self.peer else self.other.counters if self.other else []
        done = min(len(theirs), len(self.ours.counters))
        return checks(self.ours.counters[:done], theirs[:done], self.definition.tolerance) if done else []

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    @property
    def complete(self) -> bool:
        """Returns true if both sides have run at least once, the peer for zero seconds too."""
        if self.peer is not None:
            return bool(self.ours.costs and self.peer.runs and self.peer.empty)
        return bool(self.ours.costs and self.other and self.other.costs)

    def summary(self) -> dict[str, Any]:
        """For the JSON and the table."""
        common = {
            "rival": self.rival,
            "simulated_seconds": self.definition.seconds,
            "ours": self.ours.times,
            "checks": [check.as_dict() for check in self.checks],
            "passed": self.passed,
        }
        if self.peer is not None:
            return {
                **common,
                "theirs": self.peer.times,
                "whole_process": self.peer.whole,
                "zero_seconds": [run.seconds for run in self.peer.empty],
                "seconds": median(self.peer.times),
                "ratio": ratio_of_medians(self.peer.times, self.ours.times),
                "ratio_whole_process": ratio_of_medians(self.peer.whole, self.ours.times),
                "peak_mb": self.peer.peak_mb,
            }
        assert self.other is not None
        return {
            **common,
            "theirs": self.other.times,
            "seconds": median(self.other.times),
            "ratio": ratio_of_medians(self.other.times, self.ours.times),
            "peak_mb": self.other.summary()["peak_mb"],
        }


@dataclass
class Result:
    """A case as far as it was run."""

    case: Case
    own: Turns
    contests: list[Contest]
    few: Turns = field(default_factory=Turns)

    def bytes_per_flow(self) -> float | None:
        """Memory that a further flow takes: from the growth of two runs of the same load. None if unknown."""
        if self.case.few is None or not self.few.costs or not self.own.costs:
            return None
        many, few = self.own.summary()["growth_mb"], self.few.summary()["growth_mb"]
        if many is None or few is None:
            return None
        return float((many - few) * 1e6 / (self.case.network.tcp - self.case.few.tcp))

    def summary(self) -> dict[str, Any]:
        """For the JSON and the table."""
        return {
            "name": self.case.name,
            "title": self.case.title,
            "simulated_seconds": self.case.seconds,
            "ours": self.own.summary() if self.own.costs else None,
            "bytes_per_flow": self.bytes_per_flow(),
            "packets_in_flight": self.own.costs[-1].in_flight if self.own.costs else None,
            "contests": [contest.summary() for contest in self.contests if contest.complete],
        }


def compete(result: Result, peers: Mapping[str, Peer], runs: int, say: Say) -> None:
    """Runs a case ``runs`` times, everybody in turn; ``result`` grows with each run, whatever stops it."""
    case = result.case
    by_seconds = {case.seconds: result.own}
    for name, rival in case.rivals.items():
        if rival.script and name not in peers:
            continue
        turns = by_seconds.setdefault(rival.seconds, Turns())
        peer, other = (Whole(), None) if rival.script else (None, Turns())
        result.contests.append(Contest(name, rival, turns, peer, other))
    for turn in range(1, runs + 1):
        say(f"{case.name} {turn}/{runs}: parshall")
        for seconds, turns in by_seconds.items():
            turns.costs.append(ours.measure(case.name, "own", seconds, turn))
        for contest in result.contests:
            say(f"{case.name} {turn}/{runs}: {contest.rival}")
            _rival_turn(case, contest, peers, turn)
    if case.few is not None:
        say(f"{case.name}: memory with {case.few.tcp:,} flows")
        result.few.costs.append(ours.measure(case.name, "few", case.seconds, 1))


def _rival_turn(case: Case, contest: Contest, peers: Mapping[str, Peer], seed: int) -> None:
    rival = contest.definition
    if contest.other is not None:
        contest.other.costs.append(ours.measure(case.name, contest.rival, rival.seconds, seed))
    if contest.peer is not None:
        peer, whole = peers[contest.rival], contest.peer
        # A start that takes long, as that of ns-2 with two thousand hosts, is not measured in every turn.
        if len(whole.empty) < _SLOW_STARTS or whole.empty[0].seconds < _SLOW_START_S:
            whole.empty.append(peer.run(rival.script, case.network, 0.0, seed))
        whole.runs.append(peer.run(rival.script, case.network, rival.seconds, seed))
