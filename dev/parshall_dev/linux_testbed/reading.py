"""Counts of a machine, as samples and as the module's own shares."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.errors import ParshallError
from parshall_dev.linux_testbed.packets import Packets
from parshall_dev.linux_testbed.samples import Samples, Shares, filtered
from parshall_dev.linux_testbed.script import KINDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall_dev.linux_testbed.packets import Packets
from parshall_dev.linux_testbed.samples import Reals

COLUMNS = (
    *("time", "bytes", "packets", "drops", "backlog_bytes", "backlog_packets"),
    *("estimates", "share", "average", "load", "quality"),
    *(f"{kind}_{unit}" for kind in KINDS for unit in ("bytes", "packets")),
)
_SCALE = 2.0**14
_NONE = -1
_SATURATED = 0x200
"""The module's mark of an estimate in whose arithmetic a number did not fit."""


@dataclass(frozen=True)
class Seen:
    """A run of the machine: counters at each sampling instant, and tc's last words."""

    counted: Mapping[str, Reals]
    tc: str
    """The queue as ``tc -s -d qdisc show`` shows it."""
    json: Any
    """Output of tc as JSON."""
    elsewhere: float | None
    """Share of packets, in %, that the second bottleneck dropped, where there is one."""
    packets: Packets | None
    """Where they were looked at."""
    delivered: float
    """TCP's part of the bytes that came through the bottleneck since the estimator's start."""
    web: str
    """Output of the Web clients."""
    complaints: str
    """Complaints of the kernel."""

    @staticmethod
    def read(said: str) -> Seen:
        """Reads the output of a script. Raises ParshallError for anything else."""
        pieces = re.split(r"^== (\S+)\n", said, flags=re.MULTILINE)
        parts = dict(zip(pieces[1::2], pieces[2::2], strict=True))
        try:
            text = gzip.decompress(base64.b64decode(parts["counted"])).decode()
            table = np.array([line.split() for line in text.splitlines()], dtype=np.float64)
            columns = dict(zip(COLUMNS, table.T, strict=True))
            return Seen(
                columns,
                parts["queues"],
                json.loads(parts["json"]),
                _dropped(parts["elsewhere"]),
                Packets.read(parts["packets"]) if parts["packets"].strip() else None,
                _delivered(parts["delivered"]),
                parts["web"],
                parts["complaints"],
            )
        except (KeyError, ValueError, OSError, EOFError) as error:
            reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise ParshallError(f"the machine's answer: {reason}, expected counters of a port") from None

    def samples(self, rate: float) -> Samples:
        """From the start of the run, at a bottleneck of so many bit/s."""
        by_kind = {kind: np.diff(self.counted[f"{kind}_bytes"]) for kind in KINDS}
        return Samples(
            rate,
            time=self._seconds[1:],
            backlog=self.counted["backlog_bytes"][1:],
            arrived=sum(by_kind.values(), start=np.zeros(len(self._seconds) - 1)),
            deaf=by_kind["udp"] + by_kind["web"],
            packets=np.sum([np.diff(self.counted[f"{kind}_packets"]) for kind in KINDS], axis=0),
            drops=np.diff(self.counted["drops"]),
        )

    def shares(self, alpha: float) -> Shares:
        """Measured, and estimated by the module itself, both filtered from interval to interval (III.C)."""
        ends = np.flatnonzero(np.diff(self.counted["estimates"]) > 0) + 1
        if len(ends) < 2:
            raise ParshallError("the machine's answer: no estimates, expected one in seven round trips")
        # The first estimate's interval began before anything was seen of it.
        deaf, arrived = (np.diff(of[ends]) for of in (self._deaf, self._arrived))
        share = self.counted["share"][ends[1:]]
        told = np.where(share == _NONE, 0.0, arrived)
        return Shares(
            self._seconds[ends[1:]],
            filtered(deaf, arrived, alpha),
            filtered(share / _SCALE * told, told, alpha),
        )

    def lost_elsewhere(self, start: float) -> float:
        """Share of packets, in %, that came since an instant, and neither left, nor wait, nor were dropped by
        the queue.
        """
        first, last = int(np.searchsorted(self._seconds, start)), -1

        def more(*names: str) -> float:
            return float(sum(self.counted[name][last] - self.counted[name][first] for name in names))

        came = more(*(f"{kind}_packets" for kind in KINDS))
        return 100 * (came - more("packets", "drops", "backlog_packets")) / came

    @property
    def saturated(self) -> int:
        """Number of looks at an estimate in whose arithmetic a number did not fit."""
        return int(np.count_nonzero(self.counted["quality"].astype(int) & _SATURATED))

    @property
    def last_average(self) -> tuple[int, float]:
        """Figure 19's estm, and the average that tc prints beside it."""
        told = next(each for each in self.json if each["kind"] == "estmred")["estimate"]
        return int(told["estm"]), float(told["average"])

    @property
    def _seconds(self) -> Reals:
        return self.counted["time"] / 1e6

    @property
    def _deaf(self) -> NDArray[np.float64]:
        return self.counted["udp_bytes"] + self.counted["web_bytes"]

    @property
    def _arrived(self) -> NDArray[np.float64]:
        return self._deaf + self.counted["tcp_bytes"]


def _dropped(queues: str) -> float | None:
    """Share of dropped packets, in %, from tc's JSON of the queue under a link, or nothing."""
    if not queues.strip():
        return None
    red = next(each for each in json.loads(queues) if each["kind"] == "red")
    return 100 * float(red["drops"] / (red["drops"] + red["packets"]))


def _delivered(devices: str) -> float:
    """Part of the delay host's packets that went on: /proc/net/dev of an earlier and of a later instant."""
    received = [int(each) for each in re.findall(r"^ *in: *(\d+)", devices, re.MULTILINE)]
    sent = [int(each) for each in re.findall(r"^ *out:(?: +\d+){8} +(\d+)", devices, re.MULTILINE)]
    (before, after), (went, gone) = received, sent
    return (gone - went) / max(after - before, 1)
