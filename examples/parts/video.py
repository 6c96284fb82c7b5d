"""A video client with three bit rates: it asks for segments one by one, and chooses the rate of each by how
fast the last ones came, as a class and compiled.

In a scenario: ``app = "video:Video"``.
"""

from __future__ import annotations

from dataclasses import field

import parshall
from parshall.own import Done


class Video(parshall.Source):
    """Segments of ``segment`` seconds at ``low``, ``middle`` or ``high`` bit/s. The client buffers ``most``
    seconds at most, plays from ``least`` seconds on, and asks for a rate within ``share`` of its throughput.
    """

    requests = True
    low: float = 0.4e6
    middle: float = 1.2e6
    high: float = 3.0e6
    segment: float = 2.0
    least: float = 4.0
    most: float = 20.0
    share: float = 0.8
    throughput: float = field(init=False, default=0.0)
    """Bit/s, an average that the newest segment has half the weight in."""
    buffered: float = field(init=False, default=0.0)
    """Seconds that can be played, as of ``at``."""
    at: float = field(init=False, default=0.0)
    plays: bool = field(init=False, default=False)
    stalls: int = field(init=False, default=0)

    def on_time(self, now: float) -> None:
        self.play(now)
        rate = self.low
        if self.share * self.throughput >= self.high:
            rate = self.high
        elif self.share * self.throughput >= self.middle:
            rate = self.middle
        self.write(1 + int(rate * self.segment / (8 * self.payload_bytes)))

    def on_done(self, done: Done) -> None:
        self.play(done.now)
        newest = 8.0 * done.packets * self.payload_bytes / done.took
        self.throughput = newest if self.throughput == 0.0 else 0.5 * (self.throughput + newest)
        self.buffered += self.segment
        self.plays = self.plays or self.buffered >= self.least
        # The next one is asked for when there is room for it.
        self.wake_in = max(0.0, self.buffered + self.segment - self.most)

    def play(self, now: float) -> None:
        """Plays until now. With nothing left it waits for ``least`` seconds again."""
        if self.plays:
            self.buffered -= now - self.at
            if self.buffered < 0.0:
                self.buffered = 0.0
                self.plays = False
                self.stalls += 1
        self.at = now


@parshall.native
class CompiledVideo(Video):
    """Compiled."""
