"""A token bucket as a marker: a packet without tokens is red, and takes none; as ``token_bucket.c``."""

from __future__ import annotations

import math
from dataclasses import field

import parshall
from parshall.own import GREEN, RED

EXACT = 1.0 + 4.0 * 2.0**-52
"""Factor by which a token that is due but for an error of rounding is there."""


class TokenBucket(parshall.Marker):
    """Tokens come one by one (RFC 2697), ``cir`` bits of them a second, and ``cbs_bytes`` are kept."""

    cir: float = 500_000.0
    cbs_bytes: float = 9000.0
    level: float = field(init=False, default=0.0)
    last: float = field(init=False, default=0.0)

    def on_start(self) -> None:
        self.level = self.cbs_bytes

    def colour(self, packet: parshall.own.MeteredPacket) -> int:
        rate = self.cir / 8.0
        come = math.floor(rate * packet.now * EXACT) - math.floor(rate * self.last * EXACT)
        self.level = min(self.level + come, self.cbs_bytes)
        self.last = packet.now
        if self.level < packet.metered:
            return RED
        self.level -= packet.metered
        return GREEN


@parshall.native
class CompiledTokenBucket(TokenBucket):
    """Compiled form of it."""
