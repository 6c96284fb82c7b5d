"""A queue that marks each packet that finds so many waiting, as DCTCP wants it (RFC 8257)."""

from __future__ import annotations

import parshall
from parshall.own import DROP, MARK, PASS


class StepMark(parshall.Queue):
    """Marks from ``mark_from`` packets on, drops those that cannot be marked, and holds ``limit``."""

    mark_from: int = 20
    limit: int = 100

    def on_arrival(self, packet: parshall.own.QueuedPacket) -> int:
        if packet.packets >= self.limit:
            return DROP
        if packet.packets < self.mark_from:
            return PASS
        return MARK if packet.ecn_capable else DROP


@parshall.native
class CompiledStepMark(StepMark):
    """Compiled."""
