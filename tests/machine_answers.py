"""Invented output of an emulated machine of the study linux-testbed."""

from __future__ import annotations

import base64
import gzip
import json

import numpy as np

from parshall_dev.linux_testbed import settings
from parshall_dev.linux_testbed.packets import _RECORD
from parshall_dev.linux_testbed.reading import COLUMNS

ROWS = 22 * settings.ESTIMATION
UDP, TCP = 30, 10
"""Packets of each in a sampling interval of what a made-up machine says."""


DEVICES = """\
    in: 1000 9 0 0 0 0 0 0 55 5 0 0 0 0 0 0
   out: 10 1 0 0 0 0 0 0 200 2 0 0 0 0 0 0
    in: 5000 9 0 0 0 0 0 0 55 5 0 0 0 0 0 0
   out: 10 1 0 0 0 0 0 0 1200 2 0 0 0 0 0 0
"""


ELSEWHERE = json.dumps([{"kind": "tbf"}, {"kind": "red", "packets": 300, "drops": 100}]) + "\n"
"""The second bottleneck's queue: a quarter is dropped."""


def said(packets: str = "", elsewhere: str = "", **changes: np.ndarray) -> str:
    """Output of a machine whose port gets UDP and TCP at constant rates and drops some packets."""
    step = np.arange(ROWS)
    counted = dict.fromkeys(COLUMNS, np.zeros(ROWS))
    counted |= {
        "time": 33_000 * step,
        "drops": step // 10,
        "backlog_bytes": 20_000 + 500 * (step % 7),
        "udp_packets": UDP * step,
        "udp_bytes": UDP * settings.UDP_BYTES * step,
        "tcp_packets": TCP * step,
        "tcp_bytes": TCP * settings.TCP_BYTES * step,
        "estimates": step // settings.ESTIMATION,
        "share": np.full(ROWS, 2**13),
    }
    counted |= changes
    table = np.column_stack([counted[name] for name in COLUMNS]).astype(int)
    text = "\n".join(" ".join(map(str, row)) for row in table)
    packed = base64.b64encode(gzip.compress(text.encode())).decode()
    told = json.dumps([{"kind": "tbf"}, {"kind": "estmred", "estimate": {"estm": 8192, "average": 0.5}}])
    first = f"== counted\n{packed}\n== queues\nqdisc tbf\n== json\n{told}\n"
    more = f"== elsewhere\n{elsewhere}== packets\n{packets}"
    return f"{first}{more}== delivered\n{DEVICES}== web\n== complaints\n"


def packet_records() -> tuple[str, np.ndarray, np.ndarray]:
    """Output of a machine about the packets of two flows of UDP and one of TCP; with masks of those that are
    UDP and of those that are dropped: some of UDP.
    """
    came = np.arange(40_000)
    records = np.zeros(2 * len(came), _RECORD)
    udp = came % 4 != 0
    lost = udp & (came % 10 == 1)
    for half, left in ((records[: len(came)], 0), (records[len(came) :], 1)):
        half["us"] = 1000 * came + 20_000 * left
        half["packet"], half["left"] = came, left
        half["flow"] = np.where(udp, 1 + came % 2, 9)
        half["protocol"] = np.where(udp, 17, 6)
    records = records[(records["left"] == 0) | ~np.concatenate([lost, lost])]
    return base64.b64encode(gzip.compress(records.tobytes())).decode() + "\n", udp, lost
