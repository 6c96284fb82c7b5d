"""One flow: an application over a transport between two hosts."""

from __future__ import annotations

from parshall.scenario.base import Model
from parshall.scenario.quantities import (
    ABSENT,
    DEFAULT_CLASS,
    NO_NAMES,
    ZERO,
    CodePoint,
    Duration,
    MaybeDuration,
    Name,
    Names,
)
from parshall.scenario.traffic import App
from parshall.scenario.transport import Transport

__all__ = ["Flow"]


class Flow(Model):
    """An application over a transport between two hosts."""

    name: Name
    """Unique. Random draws of the flow depend on the seed and on this name only."""
    source: Name
    """Host that sends data."""
    destination: Name
    """Host that receives it."""
    transport: Transport
    """How data travels."""
    app: App
    """When there is data to send."""
    start: Duration = ZERO
    """Earliest start."""
    start_spread: Duration = ZERO
    """The start is drawn uniformly from ``[start, start + start_spread)``."""
    stop: MaybeDuration = ABSENT
    """From this instant on the application hands nothing more to the transport."""
    dscp: CodePoint = DEFAULT_CLASS
    """Code point of the packets that both ends send."""
    via: Names = NO_NAMES
    """Routers that data passes, in this order; ACKs pass the same links in the opposite direction. Between
    them, and without any, paths have the fewest links."""
