"""Explicit congestion notification."""

from __future__ import annotations

import enum

__all__ = ["Ecn"]


class Ecn(enum.IntEnum):
    """The two bits of explicit congestion notification in an IP header (RFC 3168, RFC 9331)."""

    NOT_ECT = 0
    """The transport does not use ECN: congested queues drop the packet."""
    ECT1 = 1
    """The transport responds to marks as L4S asks."""
    ECT0 = 2
    """The transport responds to a mark as to a loss."""
    CE = 3
    """Congestion experienced: a queue has marked the packet."""
