"""Runs of ping: what its lines say, put in the order of the requests, with those that nobody answered.

Programs that number their requests say nothing of one that is lost, but its number is missing; those before
the first reply follow from where numbers begin, and those behind the last one from the statistics at the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from parshall.errors import InputError, shown
from parshall.forecast.files.measured import Measured
from parshall.forecast.files.stamps import Stamp, rising

__all__ = ["End", "Event", "Lost", "Reply", "Start", "put_together"]

_NUMBERS = 2**16
"""Sequence numbers begin again after these many."""
_FAR = 1000
"""A reply that is behind the newest by more belongs to another run."""


@dataclass(frozen=True, slots=True)
class Start:
    """The first line of a run."""

    line: int
    target: str
    """Host that is asked."""
    first: int | None
    """The number of the first request, where the form of the line tells it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply. ``number`` is ``None`` where requests have none: they are then in the order of the lines."""

    line: int
    number: int | None
    rtt: float | None
    """In seconds; ``None`` if the line has no time."""
    stamp: Stamp | None = None
    again: bool = False
    """True if it is said to be another reply to the same request."""
    strange: bool = False
    """True if something stands in front of it that is no time."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A request that got no reply, or none so far."""

    line: int
    number: int | None
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class End:
    """The statistics of a run."""

    line: int
    sent: int
    received: int
    first: int | None = None
    """The number of the first request, where the form of the line tells it."""


Event = Start | Reply | Lost | End


@dataclass
class _Run:
    start: Start | None = None
    end: End | None = None
    rtts: dict[int, float] = field(default_factory=dict)
    stamps: dict[int, Stamp] = field(default_factory=dict)
    clock: list[Stamp] = field(default_factory=list)
    """The stamps in the order of the lines."""
    lost: set[int] = field(default_factory=set)
    newest: int | None = None
    late: list[Reply] = field(default_factory=list)
    """The last replies, if they were behind the newest: they may be the first ones of another run."""
    untimed: int = 0
    """Replies without a time."""
    strange: int = 0
    """Replies with something in front of them that is no time."""

    def number_of(self, number: int | None) -> int:
        """The number of a request, as if numbers never began again."""
        if number is None:
            return 0 if self.newest is None else self.newest + 1
        if self.newest is None:
            return number
        return number + round((self.newest - number) / _NUMBERS) * _NUMBERS

    def belongs(self, reply: Reply) -> bool:
        """True if a reply may be one of this run: no request is answered twice without a word of that."""
        number = self.number_of(reply.number)
        if self.newest is None or reply.again:
            return True
        return number not in self.rtts and number >= self.newest - _FAR

    def take(self, reply: Reply) -> None:
        """Takes in a reply of this run; the first one of a request counts."""
        number = self.number_of(reply.number)
        if reply.again and number in self.rtts:
            return
        behind = self.newest is not None and number < self.newest
        self.late = [*self.late, reply] if behind else []
        self.newest = number if self.newest is None else max(self.newest, number)
        self.untimed += reply.rtt is None
        self.strange += reply.strange
        self.rtts[number] = math.nan if reply.rtt is None else reply.rtt
        if reply.stamp is not None:
            self.stamps[number] = reply.stamp
            self.clock.append(reply.stamp)

    def lose(self, lost: Lost) -> None:
        """Takes in a request without a reply."""
        number = self.number_of(lost.number)
        self.newest = number if self.newest is None else max(self.newest, number)
        self.lost.add(number)

    def give_back(self, number: int) -> list[Reply]:
        """The last replies if they are those just before ``number``, which begins another run; they are taken
        out of this one.
        """
        kept = len(self.late)
        while kept and self.late[kept - 1].number == number - (len(self.late) - kept) - 1:
            kept -= 1
        back = self.late[kept:]
        for reply in back:
            known = self.number_of(reply.number)
            self.rtts.pop(known, None)
            self.stamps.pop(known, None)
            self.untimed -= reply.rtt is None
        self.late = []
        return back

    def numbers(self) -> range:
        """The numbers of all requests."""
        known = [*self.rtts, *self.lost]
        if self.newest is not None:
            known.append(self.newest)
        first = self.start.first if self.start else None
        end = self.end
        if first is None and end is not None and end.received == len(self.rtts):
            # Every reply that was counted is here, so that nothing was cut off.
            first = end.first
        begin = min([*known, *([] if first is None else [first])], default=0)
        stop = max(known, default=begin - 1) + 1
        base = first if first is not None or end is None else end.first
        if end is not None and base is not None:
            stop = max(stop, min(base, begin) + end.sent)
        return range(begin, stop)


def put_together(file: str, program: str, events: Iterable[Event]) -> Measured:
    """The round-trip times of all runs, one behind the other. Raises InputError for several targets."""
    runs = [run for run in _runs(file, program, events) if run.numbers()]
    values: list[float] = []
    times: list[float] = []
    timed = bool(runs)
    for run in runs:
        numbers = run.numbers()
        values += [run.rtts.get(number, math.nan) for number in numbers]
        stamps = _stamps(numbers, run)
        timed = timed and stamps is not None
        times += stamps or []
    remarks = _remarks(program, runs)
    if any(run.stamps for run in runs) and not (timed and _rise(times)):
        timed = False
        remarks.append(
            "The times in front of the lines were left out: some are missing, unlike, or before others."
        )
    elif any(run.strange for run in runs):
        remarks.append("What stands in front of the lines is no time that is known, and was left out.")
    return Measured(values, times if timed else None, "ms", tuple(remarks))


def _runs(file: str, program: str, events: Iterable[Event]) -> list[_Run]:
    runs = [_Run()]
    target: str | None = None
    for event in events:
        run = runs[-1]
        if isinstance(event, Start):
            if target not in (None, event.target):
                expected = f"one target: {shown(target)}, as before"
                raise InputError(f"{file}:{event.line}", f"{program} to {shown(event.target)}", expected)
            target = event.target
            runs.append(_Run(event))
        elif isinstance(event, End):
            run.end = event
        elif isinstance(event, Lost):
            run.lose(event)
        elif run.end is None and run.belongs(event):
            run.take(event)
        else:
            runs.append(_Run())
            for reply in (*run.give_back(event.number or 0), event):
                runs[-1].take(reply)
    return runs


def _remarks(program: str, runs: Sequence[_Run]) -> list[str]:
    remarks = []
    if len(runs) > 1:
        sizes = ", ".join(str(len(run.numbers())) for run in runs)
        remarks.append(f"{len(runs)} runs of {program}, one behind the other: {sizes} requests.")
    untimed = sum(run.untimed for run in runs)
    if untimed:
        remarks.append(f"{untimed} replies have no time, and are left out as gaps.")
    for number, run in enumerate(runs, 1):
        which = f" of run {number}" if len(runs) > 1 else ""
        for what, counted, found in (
            ("requests", run.end and run.end.sent, len(run.numbers())),
            ("replies", run.end and run.end.received, len(run.rtts)),
        ):
            if counted is not None and counted != found:
                remarks.append(f"The statistics{which} count {counted} {what}; the file has {found}.")
    return remarks


def _stamps(numbers: Sequence[int], run: _Run) -> list[float] | None:
    """When each request was answered; that of a lost one lies between those around it."""
    in_order = rising(run.clock)
    if not run.stamps or len(run.stamps) != len(run.rtts) or in_order is None or not _rise(in_order):
        return None
    known = sorted(run.stamps)
    seconds = rising([run.stamps[number] for number in known]) or []
    filled: list[float] = []
    place = 0
    for number in numbers:
        while place + 1 < len(known) and known[place + 1] <= number:
            place += 1
        here, after = place, min(place + 1, len(known) - 1)
        distance = known[after] - known[here]
        share = (number - known[here]) / distance if distance else 0.0
        filled.append(seconds[here] + max(0.0, min(share, 1.0)) * (seconds[after] - seconds[here]))
    # Replies that overtook each other were answered in another order than they were asked in.
    for i in range(1, len(filled)):
        filled[i] = max(filled[i], filled[i - 1])
    return filled


def _rise(times: Sequence[float]) -> bool:
    return all(before <= after for before, after in pairwise(times))
