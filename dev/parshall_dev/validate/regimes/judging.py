"""Distance of a run of ours from Linux's: the window at instants and over phases, and packets lost and sent
again.

The window is compared at the marks, where all between Linux's repeats counts as Linux's, and as its mean over
each phase. Up to the first thing that happens it is to be within 10 % or 2 packets, from then on within 20 %
or 2 packets; sums of packets within a third or 2 packets.

Where chance decides, which packets are late or which of several flows meets a loss, one run of ours says
little, as one of Linux's does. A run that differs is drawn again a few times, and a window of Linux's is
`possible` if it lies among those of all draws.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from parshall.engine.run import run
from parshall.errors import ParshallError
from parshall.recording import Recording
from parshall_dev.validate.regimes.network import INTERVAL, network_of
from parshall_dev.validate.regimes.reading import Asked, Floats, Seen, read_asked, read_seen

__all__ = ["DRAWS", "LATE", "Judged", "Point", "Sum", "judge", "judge_folder"]

DRAWS = 8
"""Runs of a scenario in which chance decides."""
LATE = 1e-3
"""Seconds by which flows start later, at most, where one draw differs from another in that."""

_EARLY, _LATE, _SUMS, _PACKETS = 0.1, 0.2, 1 / 3, 2.0


@dataclass(frozen=True)
class Point:
    """A window that is compared: Linux's, from least to greatest, and ours, in packets."""

    flow: int
    where: str
    low: float
    high: float
    ours: float
    tolerance: float

    @property
    def off(self) -> float:
        """Distance of ours from Linux's range, as a part of its nearer end; 0 within 2 packets."""
        nearest = min(max(self.ours, self.low), self.high)
        distance = abs(self.ours - nearest)
        return 0.0 if distance <= _PACKETS else distance / max(nearest, 1.0)

    @property
    def agrees(self) -> bool:
        """True if ours is as near as it should be."""
        return self.off <= self.tolerance


@dataclass(frozen=True)
class Sum:
    """Packets in the whole run, all flows: Linux's in each repeat, and ours."""

    linux: tuple[int, ...]
    ours: int

    @property
    def agrees(self) -> bool:
        """True if ours is within a third or 2 packets of the range of the repeats."""
        nearest = min(max(self.ours, min(self.linux)), max(self.linux))
        return abs(self.ours - nearest) <= max(_PACKETS, _SUMS * nearest)


@dataclass(frozen=True)
class Judged:
    """A run, and what was compared in it."""

    asked: Asked
    points: tuple[Point, ...]
    possible: int | None
    """Windows of Linux that lie among those of several draws; none where all agree, or nothing is drawn."""
    lost: Sum
    again: Sum

    @property
    def differs(self) -> tuple[str, ...]:
        """Parts that are farther apart than they should be."""
        parts = {
            "window": all(point.agrees for point in self.points),
            "lost": self.lost.agrees,
            "sent again": self.again.agrees,
        }
        return tuple(part for part, agrees in parts.items() if not agrees)

    @property
    def worst(self) -> Point:
        """The point that is farthest off, in units of its tolerance."""
        return max(self.points, key=lambda point: point.off / point.tolerance)


def judge_folder(folder: Path) -> Iterator[Judged]:
    """Every run of a folder, as it is done. Raises ParshallError."""
    try:
        for asked in read_asked(folder):
            yield judge(asked, read_seen(folder, asked))
    except FileNotFoundError as error:
        raise ParshallError(f"{error.filename}: no such file, expected runs of Linux") from None
    except (OSError, ValueError, LookupError, TypeError, zlib.error) as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise ParshallError(f"{folder}: {reason}, expected runs of Linux") from None


def judge(asked: Asked, seen: Seen) -> Judged:
    """Runs what was asked for, with one seed, and compares it."""
    ours = run(network_of(asked), seed=1)
    flows = [ours.flow(f"f{index}") for index in range(len(asked.flows))]
    points = _all_points(asked, seen, ours)
    if not points:
        raise ParshallError(
            f"{asked.name}: no windows to compare, expected marks or samples of the flows within its phases"
        )
    repeats = list(zip(*seen.totals, strict=True))
    return Judged(
        asked,
        tuple(points),
        None if all(point.agrees for point in points) else _possible(asked, seen, points),
        Sum(
            tuple(sum(each.lost for each in repeat) for repeat in repeats),
            sum(int(flow.packets_dropped) for flow in flows),
        ),
        Sum(
            tuple(sum(each.again for each in repeat) for repeat in repeats),
            sum(int(flow.packets_retransmitted) for flow in flows),
        ),
    )


def _all_points(asked: Asked, seen: Seen, ours: Recording) -> list[Point]:
    windows = [np.asarray(ours.flow(f"f{index}").series.cwnd) for index in range(len(asked.flows))]
    return [point for index, cwnd in enumerate(windows) for point in _points(asked, seen, index, cwnd)]


def _possible(asked: Asked, seen: Seen, points: list[Point]) -> int | None:
    """How many of the windows lie among those of several draws; none where nothing is drawn."""
    several, reordered = len(asked.flows) > 1, any(event.kind == "reorder" for event in asked.events)
    if not (several or reordered):
        return None
    draws = [points]
    for draw in range(1, DRAWS):
        # Hosts are late by some tenths of a millisecond.
        late = np.random.default_rng(draw).uniform(0.0, LATE, len(asked.flows)).tolist() if several else ()
        drawn = network_of(asked, late)
        draws.append(_all_points(asked, seen, run(drawn, seed=draw + 1)))
    return sum(_spread(each).agrees for each in zip(*draws, strict=True))


def _spread(draws: tuple[Point, ...]) -> Point:
    """Merges a window in several draws into one: of all between them, that which is nearest to Linux's."""
    first = draws[0]
    least, greatest = (bound(point.ours for point in draws) for bound in (min, max))
    return replace(first, ours=min(max(least, first.low), greatest))


def _points(asked: Asked, seen: Seen, flow: int, ours: Floats) -> Iterator[Point]:
    """The windows of a flow that are compared. Ours starts at its first sample, at 0 s."""
    for time, linux in seen.marks[flow].items():
        sample = round(time / INTERVAL)
        if sample < len(ours) and not np.isnan(ours[sample]):
            where, tolerance = f"at {time:.2f} s", _tolerance(asked, time)
            yield Point(flow, where, min(linux), max(linux), float(ours[sample]), tolerance)
    for start, end in itertools.pairwise(asked.phases):
        within = (seen.times >= start) & (seen.times < end) & ~np.isnan(seen.cwnd[flow])
        within = within[: len(ours)]
        within &= ~np.isnan(ours[: len(within)])
        if within.any():
            theirs, own = (float(window[: len(within)][within].mean()) for window in (seen.cwnd[flow], ours))
            where, tolerance = f"mean from {start:g} to {end:g} s", _tolerance(asked, end)
            yield Point(flow, where, theirs, theirs, own, tolerance)


def _tolerance(asked: Asked, time: float) -> float:
    return _EARLY if time <= asked.phases[1] else _LATE
