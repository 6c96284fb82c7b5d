"""What a machine says of its cells, as the measures that are compared."""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parshall.errors import ParshallError
from parshall.validate.kernel import cells as grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from parshall.validate.kernel.cells import Cell

_COLUMNS = ("time", "bytes", "packets", "drops", "backlog_bytes", "backlog_packets")
"""The first of each line of ``linux/emulate/watch_port.c``."""


@dataclass(frozen=True)
class Measured:
    """A cell, of either side; of the time after the warm-up."""

    throughput: float
    """Of the link, in %."""
    delay: float
    """What waits takes to be sent, in ms."""
    loss: float
    """Of packets, in %."""
    fairness: float
    """Jain's index of what flows got acknowledged; 1 for a single flow."""
    share_early: float
    """Of the link, in %, before the warm-up was over: how soon flows fill it."""


def read(said: str, cells: Sequence[Cell]) -> dict[str, Measured]:
    """Every cell that a machine ran, by name. Raises ParshallError for anything else."""
    pieces = re.split(r"^== (\S+)\n", said, flags=re.MULTILINE)
    parts = dict(zip(pieces[1::2], pieces[2::2], strict=True))
    try:
        if parts["complaints"].strip():
            raise ValueError(f"the kernel complained of {parts['complaints'].splitlines()[0]!r}")
        return {cell.name: _cell(cell, parts[cell.name]) for cell in cells}
    except (KeyError, ValueError, OSError, EOFError) as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise ParshallError(f"the machine's answer: {reason}, expected counters of its cells") from None


def _cell(cell: Cell, text: str) -> Measured:
    port, before, after = re.split(r"^-- \w+\n", text, flags=re.MULTILINE)
    lines = gzip.decompress(base64.b64decode(port)).decode().splitlines()
    table = np.array([line.split()[: len(_COLUMNS)] for line in lines], dtype=np.float64)
    counted = dict(zip(_COLUMNS, table.T, strict=True))
    return measured(
        cell,
        time=counted["time"] / 1e6,
        sent=counted["bytes"],
        packets=counted["packets"] + counted["drops"],
        drops=counted["drops"],
        backlog=counted["backlog_bytes"],
        acknowledged=_acknowledged(cell, before, after),
    )


def _acknowledged(cell: Cell, before: str, after: str) -> NDArray[np.float64]:
    """Bytes of each flow between the two."""
    late, early = _flows(after), _flows(before)
    if len(late) != cell.flows:
        raise ValueError(f"{cell.name}: {len(late)} flows, and not {cell.flows}")
    found = np.array([late[port] - early.get(port, 0) for port in late], dtype=np.float64)
    if not found.any():
        raise ValueError(f"{cell.name}: no flow got anything acknowledged")
    return found


def _flows(text: str) -> Mapping[str, int]:
    """Bytes acknowledged, by the local port. A server answers on iperf3's own connection alone."""
    found = {}
    for line in text.splitlines():
        port = re.search(r"\b10\.0\.1\.2:(\d+) ", line)
        if port and "bytes_received:" not in line:
            told = re.search(r"bytes_acked:(\d+)", line)
            found[port[1]] = int(told[1]) if told else 0
    return found


def measured(
    cell: Cell,
    *,
    time: NDArray[np.float64],
    sent: NDArray[np.float64],
    packets: NDArray[np.float64],
    drops: NDArray[np.float64],
    backlog: NDArray[np.float64],
    acknowledged: NDArray[np.float64],
) -> Measured:
    """Of counters at sampling instants: bytes sent, packets that were sent or dropped, and what waits."""
    late = time >= grid.WARM_UP - 1e-6
    first = int(np.argmax(late))

    def over(of: NDArray[np.float64], since: int, until: int) -> float:
        return float(of[until] - of[since])

    def throughput(since: int, until: int) -> float:
        return 800 * over(sent, since, until) / (cell.rate * over(time, since, until))

    arrived = max(over(packets, first, -1), 1.0)
    total = max(float((acknowledged**2).sum()) * len(acknowledged), 1.0)
    return Measured(
        throughput(first, -1),
        8e3 * float(backlog[late].mean()) / cell.rate,
        100 * over(drops, first, -1) / arrived,
        float(acknowledged.sum() ** 2 / total),
        throughput(0, first),
    )
