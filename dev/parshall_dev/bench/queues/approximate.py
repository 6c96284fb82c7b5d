"""CoDel and FQ-CoDel with the arithmetic of ns-3: what is left of the difference once ours has it too.

ns-3 follows Linux. Its ``1 / sqrt(count)`` is one step of Newton's method from the value before, in 16 bits,
which is 0.5 for a count of 2 in place of 0.707; its time is counted in units of 1.024 microseconds; it drops
once the time is past the instant at which it may.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from parshall import CoDel, FqCodel
from parshall_dev.bench.queues.loads import RATE
from parshall_dev.bench.queues.sides import Arrivals, Fates

__all__ = ["approximate"]

_TICK_NS = 1024
_TARGET = 5_000_000 // _TICK_NS
_INTERVAL = 100_000_000 // _TICK_NS
_MTU = 1500
_RECENT = 16
_ONE = (1 << 16) - 1
"""The inverse square root of 1, in 16 bits."""
_PS = 10**12


def _newton(inverse: int, count: int) -> int:
    """One step towards ``1 / sqrt(count)``."""
    wide = inverse << 16
    value = (3 << 32) - count * ((wide * wide) >> 32)
    return (((value >> 2) * wide) >> 31) >> 16


@dataclass
class _Approximate:
    """The state machine of RFC 8289 in ticks, with what is said above."""

    sizes: list[int]
    arrived: list[int]
    """In nanoseconds, as ``now``."""
    queue: deque[int] = field(default_factory=deque)
    held: int = 0
    count: int = 0
    last_count: int = 0
    inverse: int = _ONE
    dropping: bool = False
    first_above: int = 0
    drop_next: int = 0

    def push(self, packet: int) -> None:
        """Takes a packet in."""
        self.queue.append(packet)
        self.held += self.sizes[packet]

    def drop_first(self) -> int:
        """Drops the first packet; its bytes."""
        size = self.sizes[self.queue.popleft()]
        self.held -= size
        return size

    def _next(self, now: int) -> tuple[int | None, bool]:
        if not self.queue:
            self.first_above = 0
            return None, False
        packet = self.queue.popleft()
        self.held -= self.sizes[packet]
        ticks = now // _TICK_NS
        if (now - self.arrived[packet]) // _TICK_NS < _TARGET or self.held < _MTU:
            self.first_above = 0
            return packet, False
        if self.first_above == 0:
            self.first_above = ticks + _INTERVAL
            return packet, False
        return packet, ticks > self.first_above

    def _law(self, ticks: int) -> int:
        return ticks + ((_INTERVAL * (self.inverse << 16)) >> 32)

    def pop(self, now: int) -> tuple[int | None, int]:
        """The packet that is sent, and how many were dropped before it."""
        ticks, dropped = now // _TICK_NS, 0
        packet, may_drop = self._next(now)
        if self.dropping:
            self.dropping = may_drop
            while self.dropping and ticks >= self.drop_next:
                self.count += 1
                self.inverse = _newton(self.inverse, self.count)
                dropped += 1
                packet, self.dropping = self._next(now)
                if self.dropping:
                    self.drop_next = self._law(self.drop_next)
        elif may_drop:
            dropped += 1
            packet, _ = self._next(now)
            self.dropping = True
            delta = self.count - self.last_count
            if delta > 1 and ticks - self.drop_next < _RECENT * _INTERVAL:
                self.count = delta
                self.inverse = _newton(self.inverse, self.count)
            else:
                self.count, self.inverse = 1, _ONE
            self.last_count = self.count
            self.drop_next = self._law(ticks)
        return packet, dropped


class _Fair:
    """FQ-CoDel over such queues, one for each flow. Over the limit it drops half of the bytes of the longest
    queue, as ns-3 does, where RFC 8290 says half of the packets.
    """

    def __init__(
        self, sizes: list[int], arrived: list[int], flows: list[int], quantum: int, batch: int
    ) -> None:
        self._sizes, self._arrived, self._flows = sizes, arrived, flows
        self._quantum, self._batch = quantum, batch
        self._queues: dict[int, _Approximate] = {}
        self._deficits: dict[int, int] = {}
        self._new: deque[int] = deque()
        self._old: deque[int] = deque()
        self.waiting = 0

    def push(self, packet: int, limit: int) -> int:
        """Takes a packet in; how many were dropped."""
        flow = self._flows[packet]
        queue = self._queues.setdefault(flow, _Approximate(self._sizes, self._arrived))
        queue.push(packet)
        self.waiting += 1
        if flow not in self._new and flow not in self._old:
            self._deficits[flow] = self._quantum
            self._new.append(flow)
        return self._shorten() if self.waiting > limit else 0

    def _shorten(self) -> int:
        longest = max(self._queues.values(), key=lambda queue: queue.held)
        half, dropped = longest.held // 2, 0
        gone = 0
        while not dropped or (dropped < self._batch and gone < half):
            gone += longest.drop_first()
            dropped += 1
        self.waiting -= dropped
        return dropped

    def pop(self, now: int) -> tuple[int | None, int]:
        """The packet that is sent, and how many were dropped before it."""
        dropped = 0
        while self._new or self._old:
            turns = self._new or self._old
            flow = turns[0]
            if self._deficits[flow] <= 0:
                self._deficits[flow] += self._quantum
                self._old.append(turns.popleft())
                continue
            packet, more = self._queues[flow].pop(now)
            dropped += more
            self.waiting -= more
            if packet is not None:
                self._deficits[flow] -= self._sizes[packet]
                self.waiting -= 1
                return packet, dropped
            turns.popleft()
            if turns is self._new:
                self._old.append(flow)
        return None, dropped


class _Single:
    """One such queue for all."""

    def __init__(self, sizes: list[int], arrived: list[int]) -> None:
        self._queue = _Approximate(sizes, arrived)

    def push(self, packet: int, limit: int) -> int:
        """Takes a packet in; how many were dropped."""
        if len(self._queue.queue) >= limit:
            return 1
        self._queue.push(packet)
        return 0

    def pop(self, now: int) -> tuple[int | None, int]:
        """The packet that is sent, and how many were dropped before it."""
        return self._queue.pop(now)


def approximate(arrivals: Arrivals, seconds: float, queue: CoDel | FqCodel) -> Fates:
    """The fates of these packets in such a queue at the link of the comparison. Nothing is marked."""
    times = np.rint(arrivals.time * _PS).astype(np.int64).tolist()
    sizes, nanoseconds = arrivals.size.tolist(), [time // 1000 for time in times]
    if isinstance(queue, FqCodel):
        flows = arrivals.flow.tolist()
        discipline: _Fair | _Single = _Fair(sizes, nanoseconds, flows, queue.quantum_bytes, queue.drop_batch)
    else:
        discipline = _Single(sizes, nanoseconds)
    return _through_link(discipline, times, sizes, round(seconds * _PS), queue.limit_packets or len(times))


def _through_link(queue: _Fair | _Single, times: list[int], sizes: list[int], end: int, limit: int) -> Fates:
    start = np.full(len(times), np.nan)
    free_at, dropped, arrived = 0, 0, 0
    busy = False
    while True:
        arrival = times[arrived] if arrived < len(times) else end
        now = free_at if busy and free_at <= arrival else arrival
        if now >= end:
            return Fates(start, dropped)
        if busy and now == free_at:
            busy = False
        else:
            dropped += queue.push(arrived, limit)
            arrived += 1
        if not busy:
            packet, more = queue.pop(now // 1000)
            dropped += more
            busy = packet is not None
            if packet is not None:
                start[packet] = now / _PS
                free_at = now + round(sizes[packet] * 8 * _PS / RATE)
