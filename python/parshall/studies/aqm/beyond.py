"""Questions that the chapter does not ask: phases of CBR flows, today's queues and senders, tuned RED."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from parshall.studies.aqm.grid import BUFFERS, CAPACITIES, LOADS

if TYPE_CHECKING:
    from parshall.claims import Claim
    from parshall.studies.aqm.results import Results

__all__ = ["claims_beyond"]


def claims_beyond(results: Results) -> list[Claim]:
    """Those whose parts were run."""
    parts = {cell.part for cell in results.cells}
    claims: list[Claim] = []
    if "spread" in parts:
        claims += _phases(results)
    return claims


def _phases(results: Results) -> Iterator[Claim]:
    """What is left of DropTail's advantage when CBR flows start at random."""
    from parshall.studies.aqm.claims import SHARE, all_greater

    where = "CBR flows that start at random"
    cells = [(capacity, buffer, load) for capacity in CAPACITIES for buffer in BUFFERS for load in LOADS]
    locked, spread, red = (
        [results.at("ltrf", queue, *cell, part=part) for cell in cells]
        for queue, part in (("droptail", "grid"), ("droptail", "spread"), ("red", "grid"))
    )
    yield all_greater(
        "phases.less",
        where,
        "DropTail gives LTRF less throughput when CBR flows start at random than when all start at once (27 "
        "cells).",
        zip(locked, spread, strict=True),
        SHARE,
    )
    yield all_greater(
        "phases.red-is-close",
        where,
        "Then DropTail's LTRF throughput exceeds RED's by less than 0.05 (27 cells).",
        [(low + 0.05, high) for high, low in zip(spread, red, strict=True)],
        SHARE,
    )
    one = [index for index, cell in enumerate(cells) if cell[1:] == ("1", 0)]
    yield all_greater(
        "phases.long-term",
        where,
        "In long-term mixes at 1 BWDP, where the chapter finds DropTail's bias against LTNRF, at least half "
        "of its advantage over RED is the phase effect (35 and 100 Mbit/s).",
        [
            (locked[index] - red[index], 2 * (spread[index] - red[index]))
            for index in one
            if cells[index][0] > 5
        ],
        SHARE,
    )
