"""One run of a measuring program: its replies under their numbers, and which missing numbers are losses.

Numbers have 16 bits and begin again. A number that is not there is a lost request if the statistics leave
room for one: a run loses no more than it sent and did not receive. If more numbers are missing, lines are
missing from the file, and the longest gaps are those.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from parshall.forecast.files.events import End, Lost, Reply, Start
from parshall.forecast.files.stamps import Stamp

__all__ = ["Run"]

_NUMBERS = 2**16
"""Sequence numbers begin again after these many."""
_LATE = 1000
"""A reply that is behind the newest by at most this was overtaken; one farther behind is of another run."""


@dataclass
class Run:
    """The requests of one run. Numbers are counted on where they began again."""

    start: Start | None = None
    end: End | None = None
    rtts: dict[int, float] = field(default_factory=dict)
    """Seconds by number; NaN for a reply without a time."""
    stamps: dict[int, Stamp] = field(default_factory=dict)
    clock: list[Stamp] = field(default_factory=list)
    """The stamps in the order of the lines."""
    lost: set[int] = field(default_factory=set)
    """Requests that the file calls lost."""
    newest: int | None = None
    late: list[Reply] = field(default_factory=list)
    """The last replies, if they were behind the newest: they may be the first ones of another run."""
    host: str | None = None
    doubles: int = 0
    """Further replies to a request that had one."""
    untimed: int = 0
    """Replies without a time."""
    strange: int = 0
    """Replies with something in front of them that is no time."""
    steps: dict[int, float] = field(default_factory=dict)
    numbered: bool = False
    wide: bool = False
    """True if numbers have more than 16 bits, and never begin again."""

    def number_of(self, number: int | None) -> int:
        """A request's number, as if numbers never began again."""
        if number is None:
            return 0 if self.newest is None else self.newest + 1
        if self.newest is None:
            return number
        if self.wide or number >= _NUMBERS:
            return number
        ahead = number - self.newest % _NUMBERS
        around = ahead % _NUMBERS
        if ahead >= 0:
            late = ahead - _NUMBERS
            return self.newest + (late if late >= -_LATE and self.newest + late >= self._begin() else ahead)
        again = around < _NUMBERS // 2 and (number > 1 or around <= _LATE)
        return self.newest + (around if again else ahead)

    def _begin(self) -> int:
        return min((*self.rtts, *self.lost))

    def follows(self, reply: Reply) -> bool:
        """True unless a reply lies so far behind the newest that it belongs to another run."""
        return self.newest is None or self.number_of(reply.number) >= self.newest - _LATE

    def has(self, reply: Reply) -> bool:
        """True if a request with this number was answered before."""
        return reply.number is not None and self.number_of(reply.number) in self.rtts

    def expects(self, reply: Reply) -> bool:
        """True if a reply behind the statistics is one of those that they count."""
        end = self.end
        if end is None or reply.number is None or self.has(reply):
            return False
        missing = end.received - len(self.rtts) - (self.doubles if end.doubles_received else 0)
        last = self.last()
        return missing > 0 and last is not None and self.number_of(reply.number) <= last

    def last(self) -> int | None:
        """The number of the last request, as the statistics tell it."""
        first = self.first()
        if self.end is None or first is None:
            return None
        last = first + self.sent - 1
        if self.newest is not None and not self.whole:
            # The file begins in the middle: nobody knows how often numbers began again before.
            last = self.newest + (last - self.newest) % _NUMBERS
        return last

    def first(self) -> int | None:
        """The number of the first request, as the first or the last lines tell it."""
        if self.start is not None and self.start.first is not None:
            return self.start.first
        return self.end.first if self.end is not None else None

    @property
    def whole(self) -> bool:
        """True if the file has the run from its beginning on."""
        return self.start is not None or (self.end is not None and self.received <= len(self.rtts))

    @property
    def sent(self) -> int:
        """Requests that the statistics count."""
        end = self.end
        return 0 if end is None else end.sent - (self.doubles if end.doubles_sent else 0)

    @property
    def received(self) -> int:
        """Requests with a reply that the statistics count."""
        end = self.end
        return 0 if end is None else end.received - (self.doubles if end.doubles_received else 0)

    def take(self, reply: Reply) -> None:
        """Takes in a reply of this run; the first one of a request counts."""
        number = self.number_of(reply.number)
        if number in self.rtts:
            self.doubles += 1
            return
        self._see(reply.number)
        self.host = self.host or reply.host
        behind = self.newest is not None and number < self.newest
        self.late = [*self.late, reply] if behind else []
        self.newest = number if self.newest is None else max(self.newest, number)
        self.untimed += reply.rtt is None
        self.strange += reply.strange
        self.rtts[number] = math.nan if reply.rtt is None else reply.rtt
        self.steps[number] = reply.step
        if reply.stamp is not None:
            self.stamps[number] = reply.stamp
            self.clock.append(reply.stamp)

    def lose(self, lost: Lost) -> None:
        """Takes in a request without a reply."""
        number = self.number_of(lost.number)
        self._see(lost.number)
        self.newest = number if self.newest is None else max(self.newest, number)
        self.lost.add(number)

    def _see(self, number: int | None) -> None:
        self.numbered = self.numbered or number is not None
        self.wide = self.wide or (number or 0) >= _NUMBERS

    def overtaken(self, number: int) -> list[Reply]:
        """The last replies, if they were behind the newest and are those just before ``number``."""
        kept = len(self.late)
        while kept and self.late[kept - 1].number == number - (len(self.late) - kept) - 1:
            kept -= 1
        return self.late[kept:]

    def give_back(self, replies: list[Reply]) -> None:
        """Takes replies out, which belong to another run."""
        for reply in replies:
            number = self.number_of(reply.number)
            self.rtts.pop(number, None)
            self.stamps.pop(number, None)
            self.untimed -= reply.rtt is None
        self.late = []

    def numbers(self) -> tuple[list[int], int]:
        """The numbers of all requests, and how many further ones are missing because lines are."""
        known = sorted({*self.rtts, *self.lost})
        gaps = list(self._gaps(known))
        cut = 0
        if self.end is not None:
            room = self.sent - self.received - len(self.lost.difference(self.rtts))
            for gap in sorted(gaps, key=len, reverse=True):
                if sum(map(len, gaps)) <= max(0, room):
                    break
                gaps.remove(gap)
                cut += len(gap)
        return sorted([*known, *(number for gap in gaps for number in gap)]), cut

    def _gaps(self, known: list[int]) -> Iterator[range]:
        """Missing numbers: before the first one, between others, and behind the last one."""
        if not self.numbered and not (known == [] and self.end):
            return
        first, last = (self.first() if self.whole else None), self.last()
        if not known:
            if first is not None and last is not None:
                yield range(first, last + 1)
            return
        if first is not None and first < known[0]:
            yield range(first, known[0])
        for before, after in pairwise(known):
            if after > before + 1:
                yield range(before + 1, after)
        if last is not None and last > known[-1]:
            yield range(known[-1] + 1, last + 1)
