"""CoDel: controlled delay (RFC 8289), which decides about packets as they leave."""

from __future__ import annotations

import math
from dataclasses import field

import parshall
from parshall.own import DROP, MARK, PASS

NONE = -1


class CoDel(parshall.Queue):
    """Times are picoseconds: 5 ms and 100 ms."""

    target: int = 5_000_000_000
    interval: int = 100_000_000_000
    limit: int = 1000
    mtu_bytes: int = 1500
    ecn: bool = False
    first_above: int = field(init=False, default=NONE)
    drop_next: int = field(init=False, default=0)
    count: int = field(init=False, default=0)
    last_count: int = field(init=False, default=0)
    dropping: bool = field(init=False, default=False)
    goes_on: bool = field(init=False, default=False)
    """A packet was dropped in the dropping state, and this one comes next."""
    has_entered: bool = field(init=False, default=False)
    """The packet before this one was dropped, and with it the state was entered."""

    def on_arrival(self, packet: parshall.own.QueuedPacket) -> int:
        return DROP if packet.packets >= self.limit else PASS

    def on_departure(self, packet: parshall.own.QueuedPacket) -> int:
        may_drop = self.look(packet)
        if self.has_entered:
            self.has_entered = False
            return PASS
        marks = self.ecn and packet.ecn_capable
        if not (self.dropping or self.goes_on):
            if not may_drop:
                return PASS
            self.enter(packet.now_ps)
            self.has_entered = not marks
            return MARK if marks else DROP
        self.dropping = may_drop
        if self.goes_on and self.dropping:
            self.drop_next += self.spacing()
        self.goes_on = False
        if not (self.dropping and packet.now_ps >= self.drop_next):
            return PASS
        self.count += 1
        if marks:
            self.drop_next += self.spacing()
            return MARK
        self.goes_on = True
        return DROP

    def on_idle(self, moment: parshall.control.Moment) -> None:
        self.first_above = NONE
        if self.has_entered:
            self.has_entered = False
        else:
            self.dropping = False
            self.goes_on = False

    def look(self, packet: parshall.own.QueuedPacket) -> bool:
        """True once packets have waited too long for an interval."""
        if packet.waited_ps < self.target or packet.bytes <= self.mtu_bytes:
            self.first_above = NONE
            return False
        if self.first_above == NONE:
            self.first_above = packet.now_ps + self.interval
            return False
        return packet.now_ps >= self.first_above

    def enter(self, now: int) -> None:
        """Enters the dropping state, at the rate that ruled the queue if that was not long ago."""
        self.dropping = True
        before = max(self.count - self.last_count, 0)
        is_recent = max(now - self.drop_next, 0) < 16 * self.interval
        self.count = before if before > 1 and is_recent else 1
        self.last_count = self.count
        self.drop_next = now + self.spacing()

    def spacing(self) -> int:
        """Picoseconds from one drop to the next."""
        return math.floor(self.interval * (1.0 / math.sqrt(self.count)) + 0.5)


@parshall.native
class CompiledCoDel(CoDel):
    """Compiled."""
