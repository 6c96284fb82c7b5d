"""A machine's output about its runs, as numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parshall.errors import ParshallError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LINE_S", "Run", "read_runs"]

LINE_S = 0.2
"""Seconds between two lines of the program ``tcp_flows``."""


@dataclass(frozen=True)
class Run:
    """Course of a run, in steps of ``LINE_S``; Linux's or ours."""

    backlog: NDArray[np.float64]
    """Mean bytes that waited in each step."""
    sent_bytes: NDArray[np.float64]
    """Bytes that the queue sent in each step."""
    sent: NDArray[np.float64]
    """Packets that it sent in each step."""
    dropped: NDArray[np.float64]
    """Packets that the queue dropped in each step."""
    taken: NDArray[np.float64]
    """Bytes that each flow's receiver got in each step: steps x flows."""
    acks: int = 0
    """Segments that the senders got."""
    counters: Mapping[str, int] | None = None
    """Counters of Linux's senders (``nstat`` names)."""


def read_runs(said: str) -> dict[str, Run]:
    """Runs by the names of their cells. ``ParshallError`` for what no machine of ours says."""
    pieces = re.split(r"^== (\S+)\n", said, flags=re.MULTILINE)
    return {name: _read(name, text) for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def _read(name: str, text: str) -> Run:
    rows: dict[str, list[list[str]]] = {"at": [], "flow": [], "counter": []}
    for line in text.splitlines():
        kind, *words = line.split() or [""]
        if kind in rows:
            rows[kind].append(words)
    try:
        table = np.array(rows["at"], dtype=np.float64)
        backlog, sent_bytes, sent, dropped = table[:, :4].T
        flows = np.array(rows["flow"], dtype=np.int64)
        if table.shape[1] != 4 + len(flows):
            raise ValueError("other flows")
        counters = {counter: int(by) for counter, by in rows["counter"]}
        return Run(backlog, sent_bytes, sent, dropped, table[:, 4:], int(flows[:, 1].sum()), counters)
    except (ValueError, IndexError):
        said = " | ".join(text.strip().splitlines()[-2:]) or "nothing"
        raise ParshallError(f"{name}: the machine said {said[:200]!r}, expected a run of flows") from None
