"""The measured hosts as they are here: controls, receivers, sizes of packets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["CONTROLS", "FAST", "HEADER", "PAYLOAD", "QUICK_ACKS"]

CONTROLS: Mapping[str, Any] = {"reno": "aimd", "cubic": "cubic", "bbr": "bbr"}
"""Named alone: the profile ``linux`` knows what Linux makes of them."""
QUICK_ACKS = 740
"""These hosts acknowledge each packet at once for as long as the receiver's window still grows to its limit,
which their large receive buffers make 740 packets; the profile has the 16 that Linux counts anyhow."""
PAYLOAD, HEADER = 1448, 52
"""Bytes of a full packet and around it: IPv4 and TCP with time stamps."""
FAST = 100e9
"""Bit/s of what does not limit."""
