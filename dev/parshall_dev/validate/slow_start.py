"""The beginning of a flow: the window at which slow start ends, and the windows soon after.

Both are read in the same way from samples of Linux's ``TCP_INFO`` and from a recording.
"""

from __future__ import annotations

import csv
import gzip
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from parshall.recording import Recording

__all__ = ["TIMES", "Beginning", "Floats", "agrees", "beginning_of", "beginnings", "packets", "samples_of"]

TIMES = (0.5, 1.0, 2.0)
"""Seconds after the start of a flow at which its window is compared."""
_SHARE, _PACKETS = 0.1, 2.0

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Beginning:
    """Windows in packets; NaN where a flow has none, or has not been sampled."""

    slow_start: float
    """The greatest window until slow start has ended, which a finite ssthresh shows."""
    later: tuple[float, ...]
    """The window at each of ``TIMES``."""


def beginning_of(time: Floats, cwnd: Floats, ssthresh: Floats, start: float = 0.0) -> Beginning:
    """The beginning of a flow that starts at ``start`` seconds, from samples of its window.

    ``ssthresh`` is infinite or NaN until slow start has ended.
    """
    known = np.isfinite(cwnd) & (time >= start)
    ended = np.flatnonzero(known & np.isfinite(ssthresh))
    before = cwnd[: ended[0] + 1][known[: ended[0] + 1]] if len(ended) else np.array([])
    at = (_at(time, cwnd, start + later) for later in TIMES)
    return Beginning(float(before.max()) if len(before) else float("nan"), tuple(at))


def samples_of(file: Path) -> Mapping[str, Floats]:
    """Windows that Linux was seen to have, by the columns of a series; NaN where there is none."""
    with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
        head, *rows = csv.reader(lines)
    columns = zip(head, zip(*rows, strict=True), strict=True)
    wanted = {name: column for name, column in columns if name.startswith(("t_s", "cwnd", "ssthresh"))}
    return {name: np.array([float(text or math.nan) for text in column]) for name, column in wanted.items()}


def beginnings(
    linux: Mapping[str, Floats], ours: Recording, starts: Sequence[float]
) -> Iterator[tuple[Beginning, Beginning]]:
    """The beginning of each flow, in Linux's samples and in a recording of flows ``f0``, ``f1``, ..."""
    for index, start in enumerate(starts):
        series = ours.flow(f"f{index}").series
        theirs = beginning_of(linux["t_s"], linux[f"cwnd{index}"], linux[f"ssthresh{index}"], start)
        own = [np.asarray(each, dtype=np.float64) for each in (series.time, series.cwnd, series.ssthresh)]
        yield theirs, beginning_of(own[0], own[1], own[2], start)


def packets(window: float) -> str:
    """A window as it stands in a table."""
    return "-" if math.isnan(window) else f"{window:.0f}"


def agrees(linux: float, ours: float) -> bool:
    """True if a window is within 10 % or 2 packets of Linux's, or neither has one."""
    if np.isnan(linux) or np.isnan(ours):
        return bool(np.isnan(linux) and np.isnan(ours))
    return abs(ours - linux) <= max(_SHARE * linux, _PACKETS)


def _at(time: Floats, cwnd: Floats, when: float) -> float:
    """The last sample up to an instant."""
    sample = int(np.searchsorted(time, when + 1e-9, side="right")) - 1
    return float(cwnd[sample]) if sample >= 0 and time[-1] >= when - 1e-9 else float("nan")
