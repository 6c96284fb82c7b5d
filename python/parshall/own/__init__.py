"""Parts of your own: classes in Python, compiled by Numba or in a shared library, in place of the engine's.

    class Twice(parshall.RtoFilter):
        factor: float = 2.0

        def on_sample(self, rtt):
            self.srtt = rtt

        def rto(self):
            return self.factor * self.srtt

    parshall.Tcp(rto=Twice(factor=3))

docs/guide/own-parts.md leads from there to each kind of part and to compiled code. Congestion controls are
such parts, too; what is theirs alone is in :mod:`parshall.control`.
"""

from __future__ import annotations

from parshall.own.base import TIME_LIMIT, Part, native
from parshall.own.forecaster import Forecaster, SharedForecaster
from parshall.own.marker import GREEN, RED, YELLOW, Marker, MeteredPacket, SharedMarker
from parshall.own.queue import DROP, MARK, PASS, PUSH_OUT, Queue, QueuedPacket, SharedQueue
from parshall.own.rto import OwnRto, RtoFilter, SharedRtoFilter
from parshall.own.source import Done, SharedSource, Source

__all__ = [
    "DROP",
    "GREEN",
    "MARK",
    "PASS",
    "PUSH_OUT",
    "RED",
    "TIME_LIMIT",
    "YELLOW",
    "Done",
    "Forecaster",
    "Marker",
    "MeteredPacket",
    "OwnRto",
    "Part",
    "Queue",
    "QueuedPacket",
    "RtoFilter",
    "SharedForecaster",
    "SharedMarker",
    "SharedQueue",
    "SharedRtoFilter",
    "SharedSource",
    "Source",
    "native",
]
