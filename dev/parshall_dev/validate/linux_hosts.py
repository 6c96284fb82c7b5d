"""The measured hosts as they are here: controls, receivers, sizes of packets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["CONTROLS", "FAST", "HEADER", "PAYLOAD", "RECEIVE_BUFFER"]

CONTROLS: Mapping[str, Any] = {"reno": "aimd", "cubic": "cubic", "bbr": "bbr"}
"""Named alone: the profile ``linux`` knows what Linux makes of them."""
RECEIVE_BUFFER = 16_777_216
"""Bytes of the receive buffers of hosts that were set up never to limit a flow (the second value of
``tcp_rmem``). Where nothing else is said Linux has 131072, as the profile has.
"""
PAYLOAD, HEADER = 1448, 52
"""Bytes of a full packet and around it: IPv4 and TCP with time stamps."""
FAST = 100e9
"""Bit/s of what does not limit."""
