"""The packets of a run of the machine, and what the estimator that looks at flows makes of the same ones."""

from __future__ import annotations

import base64
import gzip
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parshall.errors import ParshallError
from parshall_dev.linux_testbed import settings as testbed
from parshall_dev.linux_testbed.samples import Shares, filtered

if TYPE_CHECKING:
    from numpy.typing import NDArray

_RECORD = np.dtype(
    [("us", "<u4"), ("flow", "<u4"), ("packet", "<u4"), ("length", "<u2"), ("left", "u1"), ("protocol", "u1")]
)
"""As ``linux/emulate/watch_packets.c`` writes it."""
_UDP = 17
_LAST = 0.5
"""Seconds at the end that are left out: what came then may still wait in the queue."""


@dataclass(frozen=True)
class Packets:
    """Packets that came in at the router, in order of time."""

    time: NDArray[np.float64]
    """Seconds."""
    flow: NDArray[np.uint32]
    """A key for each flow."""
    dropped: NDArray[np.bool_]
    """True for packets that never left."""
    udp: NDArray[np.bool_]

    @staticmethod
    def read(text: str) -> Packets:
        """Records as a machine prints them. ValueError or OSError for anything else."""
        records = np.frombuffer(gzip.decompress(base64.b64decode(text)), dtype=_RECORD)
        came, went = (records[records["left"] == left] for left in (0, 1))
        came = came[np.argsort(came["us"], kind="stable")]
        came = came[came["us"] < records["us"].max(initial=0) - 1e6 * _LAST]
        return Packets(
            came["us"] / 1e6,
            came["flow"],
            ~np.isin(came["packet"], went["packet"]),
            came["protocol"] == _UDP,
        )

    def shares(self, start: float, alpha: float) -> Shares:
        """Shares from an instant on: measured, and as ``Responsiveness`` estimates them or the middle of its
        bounds, filtered alike. ParshallError where there is no interval.
        """
        from parshall.estimators import Responsiveness

        kept = self.time >= start
        time, udp = self.time[kept], self.udp[kept]
        length = testbed.ESTIMATION * testbed.SAMPLING
        found = Responsiveness(interval=length).run(
            time=time, flow=self.flow[kept].astype(np.uint64), signalled=self.dropped[kept]
        )
        if not len(found.time):
            raise ParshallError(
                f"the machine's answer: got no interval of packets, expected one of {length:g} s"
            )
        edges = np.concatenate(([found.time[0] - length], found.time))
        every, deaf = (np.histogram(of, edges)[0].astype(float) for of in (time, time[udp]))
        estimated = filtered(found.share_or_middle * every, every, alpha)
        return Shares(found.time, filtered(deaf, every, alpha), estimated)
